#!/usr/bin/env python3
"""bench/quick.py BUILD [--update] [--json FILE] [NAME...]: ratios to a peer or to a floor, against those of bench/baseline.tsv.

Fails if a ratio got worse by more than its noise. The table has a line for each processor on which the ratio was
recorded; a processor that has none is compared with the line `*`: the largest ratio of all. Absolute times do not count: a peer or floor is measured in turns with
rooftop, in the same seconds, and CPU time is compared if other work would disturb elapsed time. A row that looks worse
is measured again, up to four times, because other work can only make it look worse. A row that cannot be measured here
says why. --update writes the measured ratio (the median of five) and its spread into the line of this processor, and
into `*` if it is larger. --json writes what was
measured as a document of rooftop bench, which `rooftop history --import` keeps.
"""
import argparse
import glob
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import keys
import syscalls

TABLE = "bench/baseline.tsv"
HEAD = "# name\tprocessor\tratio\tnoise\tdate\twhat: rooftop / what it is compared with\n"
TRIES = 5
PAUSE = 2  # seconds before a row is measured again


class NotHere(Exception):
    """Why a row cannot be measured on this machine."""


def program_output(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False, **more)
    if done.returncode == 77:
        raise NotHere("the kernel refuses it")
    return done.stdout


# --- the dashboard beside its peers ---

def no_bricks():
    """rooftop reads the bricks of every program on the machine, its peers do not."""
    found = glob.glob("/dev/shm/rooftop-*.bricks")
    if found:
        raise NotHere(f"bricks of other programs would count: {found[0]}" + (" and others" if found[1:] else ""))


def start(build, home, name, options, interval=0.5):
    if name != "rooftop" and not shutil.which(name):
        raise NotHere(f"{name} is not installed")
    os.makedirs(f"{home}/btop", exist_ok=True)
    with open(f"{home}/btop/btop.conf", "w", encoding="ascii") as file:
        file.write(f"truecolor = True\nupdate_ms = {round(interval * 1000)}\n")
    command = {"rooftop": [f"{build}/rooftop", "--no-config", "--interval", str(interval)],
               "htop": ["htop", "-d", str(round(interval * 10))], "btop": ["btop"]}[name]
    return subprocess.Popen([f"{build}/bench/pty_meter", *options, "--", *command], stdout=subprocess.PIPE, text=True,
                            env=dict(os.environ, HOME=home, XDG_CONFIG_HOME=home))


def together(build, names, seconds):
    """All of them at the same time, so that what else runs falls on all."""
    no_bricks()
    with tempfile.TemporaryDirectory() as home:
        running = {name: start(build, home, name, ["-w", "2", "-t", str(seconds)]) for name in names}
        return {name: json.loads(process.communicate()[0]) for name, process in running.items()}


def apart(build, name, options):
    with tempfile.TemporaryDirectory() as home:
        return json.loads(start(build, home, name, options, 1).communicate()[0])


def resident(build):
    found = together(build, ("rooftop", "btop"), 1)
    return found["rooftop"]["rss_kb"] / found["btop"]["rss_kb"]


def cpu(peer):
    def measure(build):
        found = together(build, ("rooftop", peer), 6)
        return found["rooftop"]["cpu_s_per_min"] / found[peer]["cpu_s_per_min"]
    return measure


def first_picture(key):
    def measure(build):
        ours, theirs = [], []
        for _ in range(4):
            theirs.append(apart(build, "btop", ["-l", "2", "-K"])[key])
            ours.append(apart(build, "rooftop", ["-l", "2", "-K"])[key])
        return min(ours) / min(theirs)
    return measure


def quitting(build):
    no_bricks()
    ours, floor = [], []
    for _ in range(4):
        ours.append(apart(build, "rooftop", ["-l", "2"])["quit_min_ms"])
        floor.append(apart(build, "rooftop", ["-l", "2", "-K"])["quit_min_ms"])
    return min(ours) / min(floor)


def key_attached(build):
    many, one = [], []
    for _ in range(2):
        one += keys.answers(build, 1)
        many += keys.answers(build, 1000)
    return statistics.median(many) / statistics.median(one)


def key_stalls(build):
    """Keys that took longer than a quarter of a second, of 40."""
    return 1 + sum(ms > 250 for ms in keys.answers(build, 1000))


# --- parts ---

def brick(build):
    return float(re.search(r"ratio ([\d.]+)", program_output([f"{build}/bench/brick", "1"])).group(1))


def opened(build, kind, count):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/profile"
        subprocess.run([f"{build}/bench/make_profile", kind, str(count), path], check=True)
        found = json.loads(program_output([f"{build}/bench/profiles", path]))
        if kind == "kineto":
            found["json_s"] = min(json_seconds(path) for _ in range(3))
        return found


def json_seconds(path):
    """Python's reader of JSON on the same text. A checksum of it takes 7 to 20 ms: too short to compare with."""
    with open(path, "rb") as file:
        text = file.read()
    before = time.process_time()
    json.loads(text)
    return time.process_time() - before


def rocpd(build):
    found = opened(build, "rocpd", 100000)
    return found["open_cpu_s"] / found["scan_cpu_s"]


def rocpd_memory(build):
    found = opened(build, "rocpd", 100000)
    return found["peak"] / found["size"]


def kineto(build):
    found = opened(build, "kineto", 30)
    return found["open_cpu_s"] / found["json_s"]


def kineto_memory(build):
    found = opened(build, "kineto", 30)
    return found["peak"] / found["size"]


def capture(build):
    with tempfile.TemporaryDirectory() as folder:
        text = program_output([f"{build}/bench/capture", folder, "32", "20"])  # fewer rounds: 1.8 to 3.6
    return float(re.search(r"write noise +raw .*of CPU ([\d.]+)", text).group(1))


def sampling(case):
    def measure(build):
        text = program_output([f"{build}/bench/sampling"])
        found = re.search(case + r".*ratio ([\d.]+)", text)
        if not found:
            raise NotHere(text.strip() or "the kernel refuses it")
        return float(found.group(1))
    return measure


def sweep(build):
    return float(re.search(r"interval=0.1s.*ratio=([\d.]+)", program_output([f"{build}/bench/proc_sweep"])).group(1))


def live_calls(build):
    return float(re.search(r"ratio ([\d.]+)", program_output([f"{build}/bench/live_calls"])).group(1))


def vtpu(pattern):
    """Both numbers are cycles a word: the fastest of slices that take turns."""
    def measure(build):
        text = program_output([f"{build}/bench/vtpu"])
        ways = {way.strip(): float(cycles) for way, cycles in re.findall(r"^\| ([^|]+) \| ([\d.]+) \|", text, re.M)}
        if pattern not in ways:
            raise NotHere("the vTPU's streams cannot be compiled here")
        return ways[pattern] / min(cycles for way, cycles in ways.items() if way.startswith("by hand"))
    return measure


def otlp(build):
    text = program_output([f"{build}/bench/otlp", "20000"])
    return float(re.search(r"encode, protobuf .* ([\d.]+) of gzip", text).group(1))


def session(pattern):
    """Ten minutes at 1 Hz, beside the same samples as JSON lines: recorded ones, because what a machine does decides."""
    def measure(build):
        text = program_output([f"{build}/bench/session", "600", "tests/data/session/frames-4.rooftop"])
        return float(re.search(pattern, text).group(1))
    return measure


def children_cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False)
    if done.returncode != 0:
        raise NotHere(f"{' '.join(command[:4])} ends with status {done.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tracing(words, calls, peer):
    """CPU time of a program that does nothing but calls, its tracer included, beside that of a peer or of the program."""
    def measure(build):
        for name in ("cc", *peer[:1]):
            if not shutil.which(name):
                raise NotHere(f"{name} is not installed")
        with tempfile.TemporaryDirectory() as folder:
            command = [f"{folder}/calls", str(calls)]
            subprocess.run(["cc", "-O2", "-x", "c", "-o", command[0], "-"], input=syscalls.CALLS, text=True, check=True)
            ours, theirs = [], []
            for _ in range(3):
                ours.append(children_cpu([f"{build}/rooftop", "trace", "-c", *words, "--", *command]))
                theirs.append(children_cpu([*peer, *command]))
        return min(ours) / min(theirs)
    return measure


ROWS = (
    ("resident", resident, "resident memory / btop's, 400 processes"),
    ("first-picture", first_picture("first_min_ms"), "first picture / btop's, least of each"),
    ("first-cpu", first_picture("first_cpu_min_ms"), "CPU time until then / btop's, least of each"),
    ("quit", quitting, "q to the end / SIGKILL to the end of the same dashboard, least of each"),
    ("cpu-htop", cpu("htop"), "CPU time, refresh 0.5 s / htop's"),
    ("cpu-btop", cpu("btop"), "CPU time, refresh 0.5 s / btop's"),
    ("key-attached", key_attached, "a key while 1000 threads are attached / one thread, medians"),
    ("key-stalls", key_stalls, "1 + keys of 40 that took over 250 ms while 1000 threads are attached"),
    ("brick", brick, "start and stop of a brick / two reads of the clock"),
    ("rocpd", rocpd, "opening 10^5 dispatches / a bare scan of them, CPU time"),
    ("rocpd-memory", rocpd_memory, "peak of opening them / the file"),
    ("kineto", kineto, "opening 30 MB of Kineto JSON / Python's json.loads of it, CPU time"),
    ("kineto-memory", kineto_memory, "peak of opening it / the text"),
    ("capture", capture, "capturing 32 MiB / cp, CPU time"),
    ("sampling-threads", sampling("64 threads"), "a sample of 64 threads / its bare reads"),
    ("sampling-host", sampling("this host"), "a sample of this host / its bare reads"),
    ("sweep", sweep, "the processes ten times a second / open, read, close of each"),
    ("otlp", otlp, "encoding spans as Protocol Buffers / gzip -1 of the same bytes, CPU time"),
    ("session", session(r"is ([\d.]+) of it"), "ten minutes of samples as a session / as JSON lines, bytes"),
    ("session-write", session(r"takes ([\d.]+) of its CPU"), "writing them / making the JSON lines, CPU time"),
    ("tracing", tracing(["--by", "ptrace"], 20000, ["strace", "-f", "-c"]),
     "20,000 traced getpid by ptrace / strace -c, CPU time with the tracer's"),
    ("tracing-inside", tracing(["-f", "--by", "inject", "--inject"], 500000, []),
     "500,000 recorded getpid / unrecorded, CPU time with the tracer's"),
    ("live-calls", live_calls, "finding the bricks of 10^6 calls as they come / qsort of their times, CPU time"),
    ("vtpu", vtpu("interpreter"), "the vTPU's interpreter / the best loop by hand"),
    ("vtpu-compiled", vtpu("compiled"), "the vTPU's compiled path / the best loop by hand"),
)


ANY = "*"  # the line for processors that have none: the largest ratio that was seen on any
OF_MEMORY = ("resident", "rocpd-memory", "kineto-memory", "session")


def processor():
    """vendor-family-model, or implementer-part on Arm, as /proc/cpuinfo numbers them."""
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        said = dict(re.findall(r"^([^\t\n:]+?)\s*: *(\S+)", file.read(), re.M))
    for keys_of in (("vendor_id", "cpu family", "model"), ("CPU implementer", "CPU part")):
        if all(key in said for key in keys_of):
            return "-".join(said[key] for key in keys_of)
    return platform.machine()


def read_table():
    """table[name][processor] = (ratio, noise, date)"""
    table = {}
    with open(TABLE, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, where, ratio, noise, date, _ = line.rstrip("\n").split("\t", 5)
                table.setdefault(name, {})[where] = (float(ratio), float(noise), date)
    return table


def write_table(table):
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name, _, what in ROWS:
            for where, (ratio, noise, date) in sorted(table.get(name, {}).items()):
                file.write(f"{name}\t{where}\t{ratio:{'.3f' if ratio >= 0.1 else '.5f'}}\t{noise:.2f}\t{date}\t{what}\n")


def record(lines, here, found):
    """Lines of one row: that of this processor is new, and `*` grows with it."""
    lines[here] = found
    if ANY not in lines or found[0] > lines[ANY][0]:
        lines[ANY] = found


def renew(build, name, measure):
    found = sorted(measure(build) for _ in range(5))
    middle = found[2]
    # What the fourth of five had more, doubled: a check takes the least of several. Ratios of times differ between
    # machines of one processor (their caches, their memory, their neighbours) by more than that: they are allowed half.
    least_noise = 0.1 if name in OF_MEMORY else 0.5
    return middle, max(least_noise, round(2 * (found[3] / middle - 1), 2)), time.strftime("%Y-%m-%d")


def check(build, measure, limit):
    """The least of up to TRIES; more than one only where it looks worse."""
    least = measure(build)
    for _ in range(TRIES - 1):
        if least <= limit:
            break
        time.sleep(PAUSE)
        least = min(least, measure(build))
    return least


def document(found):
    """What was measured, as rooftop bench writes it: a series for each row."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, check=False).stdout.strip()
    return {"schema": "rooftop.bench/1", "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
            "place": {"commit": commit, "host": platform.node(), "kernel": platform.release()},
            "results": [{"name": f"bench-quick {name}", "unit": "ratio", "more_is_good": False, "value": ratio,
                         "load": os.getloadavg()[0]} for name, ratio in found.items()]}


def explain(name, what, date, ratio, noise, found):
    """What got worse, from what to what."""
    return (f"{name}: {what}: from {ratio:.3f} ({date}) to {found:.3f}, {found / ratio - 1:+.0%}, where {noise:.0%} are noise;"
            f" measured {TRIES} times. Repeat it alone: bench/quick.py BUILD {name}")


def run(build, wanted, update, kept):
    """Returns a sentence for each row that got worse; kept[name] becomes what was measured."""
    table, worse, here = read_table(), [], processor()
    for name, measure, what in ROWS:
        if wanted and name not in wanted:
            continue
        try:
            if update:
                new = renew(build, name, measure)
                record(table.setdefault(name, {}), here, new)
                print(f"{name:17} {new[0]:7.3f}  noise {new[1]:.0%}  {what}", flush=True)
                continue
            lines = table.get(name, {})
            if here not in lines and ANY not in lines:
                raise NotHere(f"no ratio is recorded: bench/quick.py BUILD --update {name}")
            ratio, noise, date = lines.get(here) or lines[ANY]
            limit = ratio * (1 + noise)
            found = check(build, measure, limit)
        except NotHere as why:
            print(f"{name:17}     n/a  {why}", flush=True)
            continue
        kept[name] = found
        if found > limit:
            worse.append(explain(name, what, date, ratio, noise, found))
        print(f"{name:17} {found:7.3f}  {'WORSE than' if found > limit else 'at most'} {limit:.3f} ({ratio:.3f} on {date}"
              f"{'' if here in lines else ', another processor'}, noise {noise:.0%})  {what}", flush=True)
    if update:
        write_table(table)
    return worse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - {row[0] for row in ROWS}
    if unknown:
        parser.error(f"no row is named {', '.join(sorted(unknown))}")
    build = os.path.abspath(options.build)
    load = subprocess.Popen([f"{build}/bench/load", "400", "5"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    load.stdout.readline()
    try:
        kept = {}
        worse = run(build, options.names, options.update, kept)
    finally:
        load.stdin.close()
        load.wait()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(document(kept), file, indent=1)
    for sentence in worse:
        print(sentence, file=sys.stderr)
    if worse:
        print(f"worse by more than its noise: {len(worse)} of {len(kept)} ratios", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
