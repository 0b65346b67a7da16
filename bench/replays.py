"""Measures replays on the emulated GPU: how fast memory is restored, compared with memcpy in the same process, and what
an iteration costs the host. Called by bench/run.py; needs what `make test-gpu` builds, and says so if it is missing.

The GPU is an interpreter, so its times mean nothing: rooftop's own part is measured. The first restore also reads,
unpacks and checks the files and touches the emulated device memory for the first time, so it is reported apart.
"""
import json
import os
import shutil
import statistics
import subprocess
import tempfile


def replay(build, self_program, folder, *more):
    environment = dict(os.environ, ROOFTOP_SELF=self_program)
    done = subprocess.run([f"{build}/rooftop", "replay", "full-vm", "--no-config", "--capture-dir", folder, "--json", *more],
                          env=environment, stdout=subprocess.PIPE, check=False, text=True, timeout=300)
    return json.loads(done.stdout) if done.returncode == 0 else None


def measure(build, say, table, quick):
    gpu = os.path.abspath("build/gpu")
    maker, self_program = f"{gpu}/tests/trixie/big_capture", f"{gpu}/tests/trixie/rooftop"
    say("### Replays on the emulated GPU")
    say()
    if not os.path.exists(maker):
        say("not measured: `make test-gpu` builds what is needed")
        say()
        return
    mib, iterations = (32, 5) if quick else (256, 30)
    rows = []
    for encoding in ("raw", "zstd"):
        folder = tempfile.mkdtemp() + "/capture"
        try:
            subprocess.run([maker, folder, str(mib), encoding], stdout=subprocess.DEVNULL, check=True, timeout=300)
            result = replay(build, self_program, folder, "--iterations", str(iterations))
            if not result:
                rows.append([encoding, "did not run"] + [""] * 5)
                continue
            r = result["restore"]
            rows.append([encoding, f"{r['bytes'] / 1e6:.0f}", f"{r['bytes_per_second'] / 1e9:.2f}",
                         f"{r['memcpy_bytes_per_second'] / 1e9:.2f}",
                         f"{100 * r['bytes_per_second'] / r['memcpy_bytes_per_second']:.0f} %",
                         f"{r['first_seconds'] * 1e3:.0f}", f"{r['first_read_seconds'] * 1e3:.0f}"])
            if encoding == "raw":
                host = [replay(build, self_program, folder, "--iterations", "3000", "--no-recopy")["timing"]["host_median"]
                        for _ in range(1 if quick else 5)]
        finally:
            shutil.rmtree(os.path.dirname(folder))
    table(["capture", "MB", "restore, GB/s", "memcpy, GB/s", "of memcpy", "first, ms", "of it reading, ms"], rows)
    say(f"An iteration without recopy costs the host {statistics.median(host):.2f} us (median of 3000, waiting left out).")
    say()
