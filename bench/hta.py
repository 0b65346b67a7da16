#!/usr/bin/env python3
"""bench/hta.py [--path] BUILD HTA TRACE...: from a Kineto trace to its critical path: rooftop compared with Holistic Trace Analysis.

HTA is a folder with the source of Holistic Trace Analysis (Python, with pandas, networkx, plotly and psutil of the
distribution). Both read the same file, in turns, each from the start of its process to the end of it: HTA builds the
path of one iteration (the first ProfilerStep), rooftop that of the whole trace. Prints medians over ROUNDS and their
ratio, also without HTA's imports, because a notebook pays for those only once.

--path: compares the results instead of the times. For each ProfilerStep, prints what of the devices' work is on both
paths (names and how often), and on one path only. Fails if that is more than a hundredth of a step's time.
"""
import collections
import csv
import io
import json
import os
import re
import statistics
import subprocess
import sys
import time

ROUNDS = 5
PEER = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from hta.trace_analysis import TraceAnalysis
began = time.perf_counter()
trace = TraceAnalysis(trace_files={0: sys.argv[2]}, trace_dir=os.path.dirname(sys.argv[2]))
graph, found = trace.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=0)
assert found
print("seconds", time.perf_counter() - began)
"""

NAME = 60  # of a name that is compared
STEPS = """
import json, logging, os, sys, warnings
warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
sys.path.insert(0, sys.argv[1])
from hta.trace_analysis import TraceAnalysis
trace = TraceAnalysis(trace_files={0: sys.argv[2]}, trace_dir=os.path.dirname(sys.argv[2]))
frame, names = trace.t.get_trace(0), trace.t.symbol_table.get_sym_table()
host = frame[frame["stream"].eq(-1)]
steps = sorted((row.ts, row.dur, names[row["name"]]) for _, row in host.iterrows()
               if names[row["name"]].startswith("ProfilerStep") and names[row["cat"]] == "user_annotation")
out = []
for i, (_, dur, name) in enumerate(steps):
    graph, found = trace.critical_path_analysis(rank=0, annotation="ProfilerStep", instance_id=i)
    rows = [frame.loc[event] for event in graph.critical_path_events_set] if found else []
    out.append([name, float(dur), [[names[r["name"]], float(r.dur)] for r in rows if r.stream != -1]])
print("steps " + json.dumps(out))
"""


def on_path(build, trace, step):
    """What of the devices is on rooftop's path of a step: names and microseconds."""
    text = subprocess.run([f"{build}/rooftop", "path", "--format", "csv", "--range", step, trace], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=True).stdout
    rows = (r for r in csv.DictReader(io.StringIO(text)) if r["kind"] in ("kernel", "transfer") and r["part"] != "launch")
    return [(r["name"], int(r["length_ns"]) / 1e3) for r in rows]


def by_name(spans):
    """How often each name is there, and for how long in all."""
    count, time_of = collections.Counter(), collections.Counter()
    for name, us in spans:
        count[name[:NAME]] += 1
        time_of[name[:NAME]] += us
    return count, time_of


def compare(build, hta, traces, say):
    """One row a step; whether all agree."""
    good = True
    say("| trace | step | HTA | rooftop | only HTA | only rooftop | of the step |")
    say("|---|---|---|---|---|---|---|")
    for trace in traces:
        _, out = timed(["/usr/bin/python3", "-c", STEPS, hta, trace])
        for step, us, peer in json.loads(re.search(r"^steps (.*)", out, re.M).group(1)):
            (theirs, long), (own, length) = by_name(peer), by_name(on_path(build, trace, step))
            apart = sum(length[n] * (own[n] - theirs[n]) / own[n] for n in own - theirs)
            apart += sum(long[n] * (theirs[n] - own[n]) / theirs[n] for n in theirs - own)
            good &= apart < us / 100
            say(f"| {os.path.basename(trace)} | {step} | {theirs.total()} | {own.total()} | {(theirs - own).total()} | "
                f"{(own - theirs).total()} | {100 * apart / us:.2f} % |")
    return good


def timed(command):
    """Wall seconds of a command, and what it wrote."""
    began = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return time.perf_counter() - began, done.stdout


def measure(build, hta, traces, say):
    """One row a trace."""
    say("| trace | text | HTA, s | of that imports | rooftop, s | ratio | without imports |")
    say("|---|---|---|---|---|---|---|")
    for trace in traces:
        peer, work, own = [], [], []
        for _ in range(ROUNDS):
            seconds, out = timed(["/usr/bin/python3", "-c", PEER, hta, trace])
            peer.append(seconds)
            work.append(float(re.search(r"^seconds (\S+)", out, re.M).group(1)))
            own.append(timed([f"{build}/rooftop", "path", trace, "--format", "csv"])[0])
        size = int(subprocess.run(f"gzip -dcf '{trace}' | wc -c", shell=True, stdout=subprocess.PIPE,
                                  check=True).stdout)
        a, b, c = map(statistics.median, (peer, work, own))
        say(f"| {os.path.basename(trace)} | {size / 1e6:.0f} MB | {a:.2f} | {a - b:.2f} | {c:.3f} | {a / c:.0f} | "
            f"{b / c:.0f} |")


if __name__ == "__main__":
    paths = "--path" in sys.argv[1:2]
    given = sys.argv[1 + paths:]
    if len(given) < 3:
        sys.exit(__doc__)
    if not paths:
        measure(given[0], given[1], given[2:], print)
    elif not compare(given[0], given[1], given[2:], print):
        sys.exit("not the same path")
