#!/usr/bin/env python3
"""bench/hta.py BUILD HTA TRACE...: from a Kineto trace to its critical path, rooftop beside Holistic Trace Analysis.

HTA is a folder with the source of Holistic Trace Analysis (Python, with pandas, networkx, plotly and psutil of the
distribution). Both read the same file, in turns, each from the start of its process to the end of it: HTA builds the
path of one iteration (the first ProfilerStep), rooftop that of the whole trace. Prints the median of ROUNDS and the
ratio; and of HTA without its imports, since those are paid once a notebook.
"""
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
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    measure(sys.argv[1], sys.argv[2], sys.argv[3:], print)
