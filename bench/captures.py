"""Measures captures on the emulated GPU: a dispatch that is not captured, compared with no tool and with a tools library
that only counts; and how long the program stands still for a capture, compared with `cp` of the same bytes. Called by
bench/run.py; needs what `make test-gpu` builds, and says so if it is missing. Rounds take turns. Times of emulated
kernels mean nothing, times of the host do; but copies by the emulated GPU take a CPU, which they would not on hardware.
"""
import json
import mmap
import os
import shutil
import statistics
import subprocess
import tempfile
import time

ROUNDS, BURSTS, SIZES = 7, 300, (256, 512)
WARM = 3  # so many times the bytes are touched before each is timed


def submit(app, env):
    out = subprocess.run([app, "submit", "-n", str(BURSTS)], env={**os.environ, **env}, check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return float(out.split("nanoseconds ")[1].split()[0])


def unmatched(build, gpu, runtime, folder):
    app = f"{gpu}/tests/{runtime}/app"
    ours = {"HSA_TOOLS_LIB": os.path.abspath(f"{build}/librooftop-capture.so"),
            "HSA_TOOLS_ROCPROFILER_V1_TOOLS": "1", "ROOFTOP_CAPTURE_OUTPUT": folder}
    variants = {
        "no tool": {},
        "a tool that counts": {"HSA_TOOLS_LIB": os.path.abspath(f"{gpu}/{runtime}/libtool.so"),
                               "HSA_TOOLS_ROCPROFILER_V1_TOOLS": "1"},
        "ours, none matches": {**ours, "ROOFTOP_CAPTURE_KERNEL": "no_such_kernel"},
        "ours, captured before": {**ours, "ROOFTOP_CAPTURE_KERNEL": "increment"},
    }
    least = {name: 1e18 for name in variants}
    for _ in range(ROUNDS):
        for name, env in variants.items():
            least[name] = min(least[name], submit(app, env))
    return [[runtime, name, f"{ns:.0f} ns", f"{ns - least['a tool that counts']:+.0f} ns", f"{ns - least['no tool']:+.0f} ns"]
            for name, ns in least.items()]


def warm_up(mib):
    """Touches memory before a measurement: in a virtual machine, free pages may go back to the host within seconds, and
    the next touch of such a page takes longer than copying to it."""
    mmap.mmap(-1, mib << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE).close()


def copy_seconds(source, target, mib):
    warm_up(WARM * mib)
    began = time.monotonic()
    subprocess.run(["cp", source, target], check=True)
    return time.monotonic() - began


def pause(build, gpu, runtime, folder, mib):
    """A row of the table: medians, and the best of both. The captured program warms up like `cp`."""
    app = f"{gpu}/tests/{runtime}/app"
    pauses, copies = [], []
    for k in range(ROUNDS):
        out = subprocess.run([f"{build}/rooftop", "capture", "--kernel", "increment", "-o", f"{folder}/c{k}",
                              "--timeout", "60", "--format", "json", "--", app, "big", "-m", str(mib), "-w", str(WARM * mib)],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        taken = json.loads(out)["captures"][0]
        pauses.append(taken["pause_ns"] / 1e9)
        source, target = f"{folder}/source", f"{folder}/target"
        with open(source, "wb") as f:  # the same bytes, as they were in memory
            for name in sorted(os.listdir(f"{taken['path']}/memory")):
                path = f"{taken['path']}/memory/{name}"
                if name.endswith(".zst"):
                    subprocess.run(["zstd", "-dcq", path], stdout=f, check=True)
                else:
                    with open(path, "rb") as g:
                        shutil.copyfileobj(g, f)
        copies.append(copy_seconds(source, target, mib))
        os.unlink(target)
        os.unlink(source)
        shutil.rmtree(f"{folder}/c{k}")
    median = statistics.median
    return [runtime, f"{taken['bytes'] >> 20} MiB", f"{median(pauses):.3f} s", f"{median(copies):.3f} s",
            f"{median(pauses) / median(copies):.2f}", f"{min(pauses):.3f} s", f"{min(copies):.3f} s",
            f"{min(pauses) / min(copies):.2f}"]


def measure(build, say, table, quick):
    gpu = os.path.abspath("build/gpu")
    say("### Captures on the emulated GPU")
    say()
    runtimes = [r for r in ("system", "trixie") if os.path.exists(f"{gpu}/tests/{r}/app")]
    if not runtimes:
        say("not measured: `make test-gpu` builds what is needed")
        say()
        return
    dispatches, pauses = [], []
    for runtime in runtimes:
        for where in ("/dev/shm", build):
            with tempfile.TemporaryDirectory(dir=where) as folder:
                if where == build:
                    dispatches += unmatched(build, gpu, runtime, folder)
                if where != build or not quick:
                    pauses += [["memory" if where != build else "disk"] + pause(build, gpu, runtime, folder, mib)
                               for mib in SIZES]
    table(["runtime", "the submitting thread, a dispatch", "time", "beside a tool that counts", "beside none"], dispatches)
    say()
    table(["to", "runtime", "captured", "pause, median", "cp, median", "ratio", "pause, least", "cp, least", "ratio"], pauses)
    say()
