#!/usr/bin/env python3
"""bench/sums.py BUILD TRACE...: does rooftop read traces in Chrome's format as they are written?

For each file (.json or .json.gz), adds up spans by kind (kernels, copies, all others) and name, once from the JSON by
Python's own parser and once from what rooftop exports: number and nanoseconds in all. Prints a line for each file, and the
names that differ; fails if any does. Spans are events X, pairs of B and E in a thread, and pairs of b and e (or S and F)
of an id, in one process or else across two. The whole trace's span of Kineto (category "Trace") is none.
"""
import collections
import csv
import decimal
import gzip
import json
import os
import subprocess
import sys

KINDS = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "transfer", "gpu_memset": "transfer", "Memcpy": "transfer",
         "Memset": "transfer"}
MTIA = "mtia_ccp_events"  # events_*: waits, dma_*: copies, all others: kernels
SHOWN = 5  # names that differ


def ns(microseconds):
    """Nanoseconds, rounded half up; None: no time."""
    try:
        value = decimal.Decimal(str(microseconds)) * 1000
        return int(value.to_integral_value(decimal.ROUND_HALF_UP))
    except (decimal.InvalidOperation, ValueError, OverflowError):
        return None


def kind_of(event):
    category, name = event.get("cat"), str(event.get("name", ""))
    if category != MTIA:
        return KINDS.get(category, "other")
    return "other" if name.startswith("event_") else "transfer" if name.startswith("dma_") else "kernel"


def events_of(path):
    text = (gzip.open if path.endswith(".gz") else open)(path, "rb").read().decode("utf-8", "replace")
    try:
        document = json.loads(text, strict=False, parse_float=decimal.Decimal)
    except ValueError:  # an array whose writer was killed, or that ends with a comma
        document = json.loads(text.rstrip().rstrip(",") + "]", strict=False, parse_float=decimal.Decimal)
    return document if isinstance(document, list) else document["traceEvents"]


def pairs(events, begins, ends, key, left=None):
    """Spans from begins and ends of the same key, innermost first. left: takes what has no partner."""
    open_ones = collections.defaultdict(list)
    marks = [e for e in events if e.get("ph") in begins + ends]
    marks.sort(key=lambda e: ns(e.get("ts", 0)) or 0)
    for e in marks:
        stack = open_ones[key(e)]
        if e["ph"] in begins:
            stack.append(e)
            continue
        for i in range(len(stack) - 1, -1, -1):
            if "name" not in e or e["name"] in ("", stack[i].get("name")):
                begun = stack.pop(i)
                yield begun.get("name", ""), ns(e["ts"]) - ns(begun["ts"])
                break
        else:
            (left if left is not None else []).append(e)
    if left is not None:
        left += [e for stack in open_ones.values() for e in stack]


def clean(name):
    return "".join(c if c.isprintable() else "?" for c in str(name))


def of_json(path):
    events = [e for e in events_of(path) if isinstance(e, dict)]
    sums = collections.defaultdict(lambda: [0, 0])

    def add(kind, name, duration):
        entry = sums[kind, clean(name)]
        entry[0] += 1
        entry[1] += duration

    left = 0
    for e in events:
        if e.get("ph") == "X" and e.get("cat") != "Trace":
            duration = ns(e.get("dur"))
            if duration is None or duration < 0 or ns(e.get("ts")) is None:
                left += 1
            else:
                add(kind_of(e), e.get("name", ""), duration)
    for name, duration in pairs(events, "B", "E", lambda e: (str(e.get("pid")), str(e.get("tid")))):
        add("other", name, duration)
    alone = []
    for name, duration in pairs(events, "bS", "eF", lambda e: (str(e.get("pid")), e.get("cat"), str(e.get("id")),
                                                              str(e.get("id2"))), alone):
        add("other", name, duration)
    alone = [e for e in alone if "local" not in str(e.get("id2"))]
    for name, duration in pairs(alone, "bS", "eF", lambda e: (e.get("cat"), str(e.get("id")), str(e.get("id2")))):
        add("other", name, duration)
    return sums, left


def of_rooftop(build, path):
    done = subprocess.run([f"{build}/rooftop", "export", "--format", "csv", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    sums = collections.defaultdict(lambda: [0, 0])
    csv.field_size_limit(1 << 30)
    for row in csv.DictReader(done.stdout.decode("utf-8", "replace").splitlines()):
        if row["kind"] in ("program", "thread", "queue"):
            continue
        entry = sums[row["kind"] if row["kind"] in ("kernel", "transfer") else "other", clean(row["name"])]
        entry[0] += int(row["calls"] or 1)
        entry[1] += int(row["total_ns"] or 0)
    return done.returncode, sums, done.stderr.decode("utf-8", "replace").strip()


def check(build, path, say):
    """Whether the sums are the same."""
    theirs, left = of_json(path)
    status, own, note = of_rooftop(build, path)
    apart = sorted(k for k in theirs.keys() | own.keys() if theirs.get(k, [0, 0]) != own.get(k, [0, 0]))

    def total(sums, kind):
        return sum(v[0] for k, v in sums.items() if k[0] == kind)

    say(f"{'ok  ' if status == 0 and not apart else 'BAD '} {os.path.basename(path)[-70:]}: kernels {total(theirs, 'kernel')}, "
        f"copies {total(theirs, 'transfer')}, others {total(theirs, 'other')}, names {len(theirs)}, without a time {left}"
        f"{' | ' + note if note else ''}")
    for key in apart[:SHOWN]:
        say(f"       {key[0]} {key[1][:60]!r}: JSON {theirs.get(key)}, rooftop {own.get(key)}")
    if len(apart) > SHOWN:
        say(f"       and {len(apart) - SHOWN} more")
    return status == 0 and not apart


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if not all([check(sys.argv[1], path, print) for path in sys.argv[2:]]):
        sys.exit("not the same sums")
