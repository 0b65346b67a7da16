#!/usr/bin/env python3
"""bench/undecorated.py BUILD TRACE...: how far the composition of a Kineto trace's path moves without functions of Python and ranges.

Writes each trace again without them, asks `rooftop report path` about both, and prints half the sum of the differences of all parts, in
points of the path's length with them. What the shorter file does not cover, before its first and after its last span, is time in
which nothing was recorded. Fails if a trace moves by more than MOST.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

MOST = 1
CONTEXT = ("python_function", "user_annotation", "gpu_user_annotation", "Python")


def ask(build, trace):
    """The length of the path, and ns of each part of it."""
    done = subprocess.run([f"{build}/rooftop", "path", "--no-config", "--format", "json", trace], stdout=subprocess.PIPE, check=True)
    path = json.loads(done.stdout)
    return path["length_ns"], {part: share["ns"] for part, share in path["shares"].items()}


def without(trace, out):
    """Writes it without context; how many events were left out, of how many."""
    with open(trace, "rb") as file:
        raw = file.read()
    text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    whole = json.loads(text.decode("utf-8", "replace"), strict=False)
    events = whole["traceEvents"] if isinstance(whole, dict) else whole
    kept = [e for e in events if not isinstance(e, dict) or e.get("cat") not in CONTEXT]
    with open(out, "w", encoding="utf-8") as file:
        json.dump(kept, file)
    return len(events) - len(kept), len(events)


def main(build, traces):
    most = 0
    with tempfile.TemporaryDirectory() as folder:
        for trace in traces:
            out = f"{folder}/bare.json"
            left_out, events = without(trace, out)
            (length, own), (bare, parts) = ask(build, trace), ask(build, out)
            parts["unrecorded"] += length - bare
            moved = 50 * sum(abs(own[p] - parts[p]) for p in own) / max(length, 1)
            most = max(most, moved)
            print(f"{moved:6.2f} points  {os.path.basename(trace)}: {left_out} of {events} events left out", flush=True)
    return most <= MOST


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1], sys.argv[2:]) else "moved by more than a point")
