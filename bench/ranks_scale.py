"""What a table of ranks costs: CPU seconds, megabytes of text for each of them, and resident memory, by the number of rank files.

    python3 bench/ranks_scale.py BUILD [FILES...]        # 16, 64 and 256 files of 1 MB if no numbers are given
"""
import json
import os
import subprocess
import sys
import tempfile

PERIODS = 1500  # of a kernel, its call and a collective: about 1 MB


def rank_text(rank, world):
    events = []
    for k in range(PERIODS):
        at, length = k * 400, 100 + (40 if rank == 1 else 0) + (rank * 7 + k * 13) % 20
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1000 + rank, "tid": 1, "ts": at - 5 if k else 0,
             "dur": 3, "args": {"correlation": 2 * k + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at, "dur": length,
             "args": {"device": 0, "stream": 7, "correlation": 2 * k + 1, "grid": [264, 1, 1], "block": [256, 1, 1]}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7, "ts": at + length,
             "dur": 190 - length, "args": {"device": 0, "stream": 7, "correlation": 2 * k + 2, "Collective name": "allreduce",
                                           "Process Group Name": "0", "Group size": world, "Seq": k}}]
    return json.dumps({"distributedInfo": {"rank": rank, "world_size": world}, "traceEvents": events})


def measure(program, folder):
    """CPU seconds and resident MB of one run."""
    out = subprocess.Popen([program, "report", "ranks", "--brief", folder], stdout=subprocess.PIPE)
    said = out.stdout.read().decode()
    _, status, used = os.wait4(out.pid, 0)
    assert status == 0 and "rank 1" in said, said
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    program = os.path.join(sys.argv[1], "rooftop")
    print("files   MB of text   CPU s   MB a CPU s   resident MB")
    for n in [int(a) for a in sys.argv[2:]] or [16, 64, 256]:
        with tempfile.TemporaryDirectory() as folder:
            size = 0
            for rank in range(n):
                with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="utf-8") as f:
                    size += f.write(rank_text(rank, n))
            cpu, resident = measure(program, folder)
            print(f"{n:5}   {size / 1e6:10.1f}   {cpu:5.2f}   {size / 1e6 / cpu:10.0f}   {resident:11.1f}", flush=True)


if __name__ == "__main__":
    main()
