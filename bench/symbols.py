"""Symbols: rooftop beside addr2line and perf report on the same addresses of a program of about 100 MB, each from a
new process. Called by bench/run.py; the program is made by bench/big_program.py and kept below build/bench-big.

perf report is asked twice: for functions alone, which it takes from the symbol table without looking at debug
information, and for source lines, which is what addr2line and rooftop are asked. It is asked for lines of fewer
addresses, so that it ends; rooftop is timed on that very profile too.
"""
import json
import random
import shutil
import statistics
import subprocess
import sys
import time

import perf_data

LINES_ASKED = 1000  # of perf report


def section_and_segment(program):
    """Address and size of .text; address, offset and size of the segment with code."""
    text = segment = None
    out = subprocess.run(["readelf", "-SlW", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in out.splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 6 and words[1] == ".text":
            text = int(words[3], 16), int(words[5], 16)
        if words and words[0] == "LOAD" and "E" in words[6:-1]:
            segment = int(words[2], 16), int(words[1], 16), int(words[4], 16)
    return text, segment


def timed(command, stdin, seconds=1200):
    begin = time.monotonic()
    with open(stdin, encoding="ascii") as file:
        subprocess.run(command, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       timeout=seconds)
    return time.monotonic() - begin


def ours(build, program, addresses):
    """Medians of five new processes; the first reads the program into the page cache for all."""
    runs = []
    for _ in range(6):
        with open(addresses, encoding="ascii") as file:
            out = subprocess.run([f"{build}/bench/symbols", program], stdin=file, stdout=subprocess.PIPE, check=True,
                                 text=True).stdout
        runs.append(json.loads(out))
    return dict(runs[-1], seconds=statistics.median(run["seconds"] for run in runs[1:]))


def measure(build, say, table, quick):
    say("### Symbols")
    say()
    if not shutil.which("readelf") or not shutil.which("c++"):
        say("readelf or c++ is not there\n")
        return
    program = subprocess.run([sys.executable, "bench/big_program.py", "build/bench-big", "1" if quick else "15"],
                             stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    (start, size), segment = section_and_segment(program)
    random.seed(1)
    asked = random.sample(range(start, start + size), min(size, 100000))
    few = asked[:LINES_ASKED]
    for name, some in (("all", asked), ("few", few)):
        with open(f"build/bench-big/{name}", "w", encoding="ascii") as file:
            file.writelines(f"{a:x}\n" for a in some)
        perf_data.write(f"build/bench-big/{name}.data", program, segment, some)
    bare = f"{program}-bare"
    subprocess.run(["strip", "-g", "-o", bare, program], check=True)
    perf_data.write("build/bench-big/bare.data", bare, segment, asked)
    everything, some = (ours(build, program, f"build/bench-big/{name}") for name in ("all", "few"))
    functions = ours(build, bare, "build/bench-big/all")
    say(f"{everything['addresses']} distinct addresses of {program}: {everything['named']} named, "
        f"{everything['inlined']} with inlined functions, {everything['lines']} with a line; tables "
        f"{everything['tables_mib']} MiB, resident {everything['rss_mib']} MiB")
    say()
    rows = [["rooftop: functions, inlined ones, lines", str(len(asked)), f"{everything['seconds']:.2f}", "1"],
            ["the same", str(len(few)), f"{some['seconds']:.2f}", "1"],
            ["rooftop, the program without debug information", str(len(asked)), f"{functions['seconds']:.2f}", "1"]]

    def peer(label, command, name, base, count):
        if not shutil.which(command[0]):
            rows.append([label, str(count), f"{command[0]} not there", ""])
            return
        try:
            seconds = timed(command, f"build/bench-big/{name}")
            rows.append([label, str(count), f"{seconds:.2f}", f"{seconds / base['seconds']:.1f}"])
        except subprocess.TimeoutExpired:
            rows.append([label, str(count), "over 1200", ""])

    report = ["perf", "report", "-f", "--stdio", "-i"]
    peer("addr2line -fiCe", ["addr2line", "-fiCe", program], "all", everything, len(asked))
    peer("perf report --sort sym,srcline", report + ["build/bench-big/few.data", "--sort", "sym,srcline"], "few", some,
         len(few))
    peer("perf report, the program without debug information", report + ["build/bench-big/bare.data"], "all",
         functions, len(asked))
    peer("perf report (functions only, debug information not looked at)", report + ["build/bench-big/all.data"], "all",
         everything, len(asked))
    table(["program", "addresses", "seconds", "times rooftop's"], rows)
