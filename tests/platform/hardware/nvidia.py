#!/usr/bin/env python3
"""nvidia.py ROOFTOP SOURCES OUT [ROW…]: what rooftop says on this machine's NVIDIA GPU, beside nvidia-smi, CUDA's events, PyTorch and cuBLAS.

scripts/hardware-nvidia.sh calls it. SOURCES: a folder with include/, examples/cuda/ and librooftop.a. Exit status 1 if a row failed, 77
if there is no NVIDIA GPU.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import gpu
from gpu import LeftOut, expect

FOLDER = "/usr/local/cuda/bin"
# Member of the snapshot: nvidia-smi's name of it, and its unit in rooftop's.
QUERIES = {
    "mem_total": ("memory.total", 1 << 20), "mem_used": ("memory.used", 1 << 20), "power": ("power.draw.instant", 1),
    "power_cap": ("enforced.power.limit", 1), "temp_edge": ("temperature.gpu", 1), "temp_mem": ("temperature.memory", 1),
    "gfx_hz": ("clocks.sm", 1_000_000), "mem_hz": ("clocks.mem", 1_000_000), "gfx_busy": ("utilization.gpu", 1),
    "ecc_uncorrected": ("ecc.errors.uncorrected.volatile.total", 1), "pcie_width": ("pcie.link.width.current", 1),
}


def smi(query):
    command = ["nvidia-smi", "-i", "0", f"--query-gpu={query}", "--format=csv,noheader,nounits"]
    return subprocess.run(command, capture_output=True, text=True, timeout=gpu.LIMIT, check=False).stdout.strip()


def ask():
    out = {}
    for member, (query, unit) in QUERIES.items():  # one by one: a driver refuses a list with a name that it does not know
        text = smi(query)
        if re.fullmatch(r"[0-9.]+", text):
            out[member] = float(text) * unit
    return out


def doctor(m):
    """doctor finds the GPU"""
    return gpu.doctor(m, "nvidia")


def example(m):
    """examples/cuda/saxpy.cu"""
    out = m.run([m.compile(m.sources / "examples/cuda/saxpy.cu", "saxpy")], "saxpy")
    expect("result right" in out, out.strip())
    return out.splitlines()[0]


def sanitizer(m):
    """compute-sanitizer over the example"""
    found = gpu.tool("compute-sanitizer", FOLDER)
    if not found or not (m.out / "saxpy").exists():
        raise LeftOut("the example was not compiled" if found else "no compute-sanitizer")
    for check in ("memcheck", "racecheck", "initcheck", "synccheck"):
        m.run([found, "--tool", check, "--error-exitcode", "9", m.out / "saxpy"], f"sanitizer-{check}")
    return "memcheck, racecheck, initcheck, synccheck: no errors"


ROWS = [doctor, gpu.idle, gpu.loaded, gpu.view, example, gpu.costs, gpu.times, gpu.roofs, gpu.blas, gpu.kineto, gpu.kineto_path,
        gpu.graphs, gpu.nvtx, sanitizer]


def main():
    rooftop, sources, out, *names = sys.argv[1:]
    name = smi("name") if shutil.which("nvidia-smi") else ""
    if not name:
        return gpu.without_gpu("an NVIDIA GPU", "nvidia-smi finds none on this machine", ROWS)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    nvcc = gpu.tool("nvcc", FOLDER)
    return gpu.main(gpu.Machine(rooftop, sources, out, name, [nvcc, "-lineinfo", "SOURCE"] if nvcc else None, ask), ROWS, names)


if __name__ == "__main__":
    sys.exit(main())
