"""rooftop lab roofs beside likwid-bench, the usual tool for the same figures, in turns on this machine.

Of likwid-bench the best of many runs of a few milliseconds counts: it measures elapsed time and leaves nothing out, so other
work on the machine can only lower its figures. Of rooftop it is what `rooftop lab roofs --quick` stores: medians of slices in
which nothing else ran. Skips where likwid-bench is not there.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile

RUNS, QUICK_RUNS = 16, 4
# level of rooftop's row, bytes of all arrays, iterations of some milliseconds
LEVELS = (("L1", "24kB", 20000), ("L2", "512kB", 500), ("L3", "16MB", 8), ("DRAM", "128MB", 1))
# rooftop's loop, likwid-bench's by what /proc/cpuinfo has
LOOPS = (("load", {"avx512f": "load_avx512", "avx": "load_avx", "": "load"}),
         ("store", {"avx512f": "store_avx512", "avx": "store_avx", "": "store"}),
         ("copy", {"avx512f": "copy_avx512", "avx": "copy_avx", "": "copy"}),
         ("triad", {"avx512f": "stream_avx512_fma", "avx": "stream_avx_fma", "": "stream"}))
FLOPS = (("256-bit FMA", "fma", "peakflops_avx_fma"), ("AVX-512 FMA", "avx512f", "peakflops_avx512_fma"))


def cpu_flags():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("flags"):
                return set(line.split(":")[1].split())
    return set()


def likwid(test, size, iterations):
    """Bytes or operations a second of one run, or None."""
    done = subprocess.run(["likwid-bench", "-t", test, "-w", f"S0:{size}:1", "-i", str(iterations)],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    what = "MFlops/s" if test.startswith("peakflops") else "MByte/s"
    found = re.search(what + r":\s*([\d.]+)", done.stdout)
    return float(found.group(1)) * 1e6 if found else None


def wanted_tests(flags):
    tests = []
    for name, flag, test in FLOPS:
        if flag in flags:
            tests.append((("operations", name, "FP64", ""), test, "24kB", 4000))
    for level, size, iterations in LEVELS:
        for loop, by_flag in LOOPS:
            test = next(t for flag, t in by_flag.items() if not flag or flag in flags)
            tests.append((("bandwidth", loop, "", level), test, size, iterations))
    return tests


def rooftop(build):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([f"{build}/rooftop", "lab", "roofs", "--quick", "--format", "json"],
                              env=dict(os.environ, XDG_STATE_HOME=folder), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True)
    rows = json.loads(done.stdout)["roofs"]
    return {(r["kind"], r["name"], r["type"] or "", r["level"] or ""): r for r in rows
            if r["threads"] == 1 and not r["refused"]}


def measure(build, say, table, quick):
    say("### rooftop lab roofs beside likwid-bench, one core")
    say()
    if not shutil.which("likwid-bench"):
        say("skipped: likwid-bench is not there (package likwid)")
        say()
        return
    tests = wanted_tests(cpu_flags())
    best = {key: 0 for key, *_ in tests}

    def turn(runs):
        for _ in range(runs):
            for key, *arguments in tests:
                best[key] = max(best[key], likwid(*arguments) or 0)

    runs = QUICK_RUNS if quick else RUNS
    turn(runs // 2)
    ours = rooftop(build)
    turn(runs - runs // 2)
    rows = []
    for key, test, size, _ in tests:
        row = ours.get(key)
        if not row or not best[key]:
            rows.append([" ".join(k for k in key[1:] if k), test, size, "not measured", "", "", ""])
            continue
        rows.append([" ".join(k for k in key[1:] if k), test, size, f"{row['value'] / 1e9:.1f}", f"{100 * row['spread']:.1f} %",
                     f"{best[key] / 1e9:.1f}", f"{row['value'] / best[key]:.3f}"])
    table(["what", "likwid-bench -t", "size", "rooftop, G/s", "spread", "likwid-bench, G/s", "ratio"], rows)
