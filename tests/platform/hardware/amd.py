#!/usr/bin/env python3
"""amd.py ROOFTOP SOURCES OUT [ROW…]: what rooftop says on this machine's AMD GPU, beside rocm-smi, HIP's events, PyTorch and rocBLAS, and the
tests of capture and replay on it.

scripts/hardware-amd.sh calls it, in a checkout. SOURCES: a folder with include/ and librooftop.a. Exit status 1 if a row failed, 77 if
there is no AMD GPU. Written by the tools' documentation; never run on an AMD GPU.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

import gpu
from gpu import LeftOut, expect

FOLDER = "/opt/rocm/bin"
# Member of the snapshot: what rocm-smi calls it in its JSON, and its unit in rooftop's.
NAMES = {
    "mem_total": (r"VRAM Total Memory \(B\)", 1), "mem_used": (r"VRAM Total Used Memory \(B\)", 1),
    "power": (r"(Average|Current Socket) Graphics Package Power \(W\)", 1), "power_cap": (r"Max Graphics Package Power \(W\)", 1),
    "temp_edge": (r"Temperature \(Sensor edge\) \(C\)", 1), "temp_junction": (r"Temperature \(Sensor junction\) \(C\)", 1),
    "temp_mem": (r"Temperature \(Sensor memory\) \(C\)", 1), "gfx_hz": (r"sclk clock speed:", 1_000_000),
    "mem_hz": (r"mclk clock speed:", 1_000_000), "gfx_busy": (r"GPU use \(%\)", 1),
}


def card():
    """What rocm-smi says of the first card: {its words: text}."""
    options = ["--showproductname", "--showmeminfo", "vram", "--showpower", "--showmaxpower", "--showtemp", "--showclocks", "--showuse", "--json"]
    found = gpu.tool("rocm-smi", FOLDER)
    if not found:
        return {}
    out = subprocess.run([found, "-d", "0", *options], capture_output=True, text=True, timeout=gpu.LIMIT, check=False).stdout
    try:
        cards = json.loads(out)
    except ValueError:
        return {}
    return next((v for k, v in sorted(cards.items()) if k.startswith("card")), {})


def ask():
    said, out = card(), {}
    for member, (name, unit) in NAMES.items():
        text = next((str(v) for k, v in said.items() if re.fullmatch(name, k)), "")
        number = re.search(r"[0-9.]+", text)
        if number:
            out[member] = float(number.group()) * unit
    return out


def isa():
    found = gpu.tool("rocminfo", FOLDER)
    out = subprocess.run([found], capture_output=True, text=True, timeout=gpu.LIMIT, check=False).stdout if found else ""
    return next(iter(re.findall(r"Name: *(gfx[0-9a-f]+)", out)), None)


def doctor(m):
    """doctor finds the GPU"""
    return gpu.doctor(m, "amdgpu")


def suite(m):
    """the emulated GPU's tests on this one: capture, replay, verify, faults, endless dispatches"""
    name = isa()
    if not name:
        raise LeftOut("rocminfo names no gfx")
    os.environ.update(ROOFTOP_GPU_HARDWARE="1", ISAS=f"gfx90a gfx942 {name}")
    out = m.run(["make", "-C", gpu.HERE.parents[2], "test-gpu"], "suite", limit=900)
    last = out.strip().splitlines()[-1]
    expect(re.fullmatch(r"[1-9][0-9]* passed, 0 failed, [0-9]+ skipped", last), last)
    return f"{name}: {last}"


def addresses(m):
    """the same addresses a hundred times: reserve-check"""
    for i in range(100):
        m.run([m.rooftop, "replay", "reserve-check"], f"reserve-{i % 2}")
    return "100 of 100"


def rocprof(m):
    """rocprofv3's own sums beside rooftop's reading of them"""
    found = gpu.tool("rocprofv3", FOLDER)
    if not found:
        raise LeftOut("no rocprofv3")
    folder = m.out / "rocprof"
    m.run([found, "--kernel-trace", "--stats", "--output-format", "csv", "rocpd", "-d", folder, "-o", "run", "--", m.compiled(), "times"], "rocprofv3")
    stats = next(iter(folder.rglob("*kernel_stats.csv")), None)
    database = next(iter(folder.rglob("*.db")), None)
    expect(stats and database, "rocprofv3 wrote no statistics or no database")
    theirs = dict(re.findall(r'^"?([^",]+)[^,]*"?,([0-9]+),', stats.read_text(encoding="utf-8"), re.M))
    rows = m.document(["kernels", database], "rocpd")["rows"]
    wrong = [f"{r['name']}: {r['calls']} of {theirs[r['name']]}" for r in rows if r["name"] in theirs and r["calls"] != int(theirs[r["name"]])]
    expect(rows and not wrong, "; ".join(wrong) or "no kernels")
    return f"{sum(r['calls'] for r in rows)} dispatches of {len(rows)} kernels"


ROWS = [doctor, gpu.idle, gpu.loaded, gpu.view, gpu.costs, gpu.times, gpu.roofs, gpu.blas, gpu.kineto, gpu.kineto_path, gpu.graphs, gpu.nvtx,
        rocprof, addresses, suite]


def main():
    rooftop, sources, out, *names = sys.argv[1:]
    said = card() if os.path.exists("/dev/kfd") else {}
    if not said:
        return gpu.without_gpu("an AMD GPU", "there is no /dev/kfd, or rocm-smi finds no card on this machine", ROWS)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    name = next((str(v) for k, v in said.items() if k in ("Card Series", "Card series", "Card Model")), isa() or "AMD GPU")
    hipcc = gpu.tool("hipcc", FOLDER)
    return gpu.main(gpu.Machine(rooftop, sources, out, name, [hipcc, "-x", "hip", "SOURCE", "-x", "none"] if hipcc else None, ask), ROWS, names)


if __name__ == "__main__":
    sys.exit(main())
