"""What the answers about jobs of many ranks cost: CPU seconds (user and system), text for each of them, resident memory.

    python3 bench/ranks_scale.py BUILD [--quick] [PART...]      # all parts: profiles recorded mpi large dumps

profiles   folders of Kineto files, one a rank, of 0.9 MB each: the table of ranks, and the path through all of them
recorded   folders that `rooftop job` wrote, with summaries only: the overview
mpi        the same with calls of MPI, of BUILD/bench/mpi_job: the overview, and the path through all ranks
large      eight files as large as named (bench/make_rank.c): the table and the path
huge       eight files of 5 GB: the table. It needs 41 GB of disk, and runs only if it is named
dumps      a hang: a dump of PyTorch's flight recorder of each rank
"""
import functools
import json
import os
import pickle
import subprocess
import sys
import tempfile

PERIODS = 1500  # of a kernel, its call and a collective: about 1 MB
CALLS = 2000    # of a dump


def rank_text(rank, world, periods=PERIODS):
    """world 0: the file does not say which rank it is of."""
    events = []
    for k in range(periods):
        at, length = k * 400, 100 + (40 if rank == 1 else 0) + (rank * 7 + k * 13) % 20
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1000 + rank, "tid": 1, "ts": at - 5 if k else 0,
             "dur": 3, "args": {"correlation": 2 * k + 1}},
            {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at, "dur": length,
             "args": {"device": 0, "stream": 7, "correlation": 2 * k + 1, "grid": [264, 1, 1], "block": [256, 1, 1]}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 7, "ts": at + length,
             "dur": 190 - length, "args": {"device": 0, "stream": 7, "correlation": 2 * k + 2, "Collective name": "allreduce",
                                           "Process Group Name": "0", "Group size": world or 8, "Seq": k}}]
    return json.dumps({"distributedInfo": {"rank": rank, "world_size": world}, "traceEvents": events} if world else
                      {"traceEvents": events})


def measure(arguments, wanted):
    """CPU seconds and resident MB of one run, which must say what is wanted."""
    run = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said = run.stdout.read().decode()
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = status
    assert status == 0 and wanted in said, said
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def row(what, text, used):
    rate = f"{text / 1e6 / used[0]:.0f} MB" if text else "-"
    return [what, f"{text / 1e6:.0f} MB" if text else "-", f"{used[0]:.2f} s", rate, f"{used[1]:.0f} MB"]


def profiles(program, quick):
    rows = []
    for n in (8, 64) if quick else (8, 64, 512):
        with tempfile.TemporaryDirectory() as folder:
            size = 0
            for rank in range(n):
                with open(os.path.join(folder, f"rank{rank}.json"), "w", encoding="utf-8") as f:
                    size += f.write(rank_text(rank, n))
            rows.append(row(f"{n} files, table", size, measure([program, "report", "ranks", "--brief", folder], "rank 1 holds")))
            for limit in ("2G", f"{n // 2}M"):  # the second one is too little for all spans
                rows.append(row(f"{n} files, path, --max-memory {limit}", size,
                                measure([program, "report", "path", "--brief", "--max-memory", limit, folder], "on the path")))
    return rows


def write_summaries(program, folder, n):
    """Those of n ranks, from the one of a rank that runs. Returns where the ranks' folders are."""
    subprocess.run([program, "job", "-o", os.path.join(folder, "one"), "--", "true"], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, env=dict(os.environ, RANK="0", WORLD_SIZE=str(n), LOCAL_RANK="0"))
    with open(os.path.join(folder, "one", "rank-00000", "summary.json"), encoding="utf-8") as f:
        summary = json.load(f)
    for rank in range(n):
        place = os.path.join(folder, "all", f"rank-{rank:05}")
        os.makedirs(place)
        summary.update(rank=rank, host=f"node{rank // 8}", local_rank=rank % 8, wall_s=10, user_s=9.5 if rank == 7 else 5,
                       cpu_wait_s=0.01)
        with open(os.path.join(place, "summary.json"), "w", encoding="utf-8") as f:
            json.dump(summary, f)
    return os.path.join(folder, "all")


def recorded(program, quick):
    rows = []
    for n in (1024,) if quick else (1024, 65536):
        with tempfile.TemporaryDirectory() as folder:
            job = write_summaries(program, folder, n)
            rows.append(row(f"{n} summaries, overview", 0, measure([program, "report", "ranks", "--brief", job], "rank 7")))
    return rows


def mpi(program, quick):
    rows = []
    for n, rounds in ((512, 100),) if quick else ((4096, 508), (65536, 127)):
        with tempfile.TemporaryDirectory() as folder:
            job = write_summaries(program, folder, n)
            subprocess.run([os.path.join(os.path.dirname(program), "bench", "mpi_job"), job, str(n), str(rounds), "8", "7"], check=True)
            what, size = f"{n} ranks, {3 * n * rounds / 1e6:.1f} million calls of MPI", n * (4096 + 64 * (1 + 3 * rounds))
            rows.append(row(f"{what}, overview", 0, measure([program, "report", "--brief", job], "rank 7")))
            rows.append(row(f"{what}, path", size, measure([program, "report", "path", "--brief", "--max-memory", "8G", job],
                                                           "the path takes")))
    return rows


def large(program, quick):
    def ask(megabytes, folder, size):
        rows = []
        for limit in ("4G", f"{megabytes}M"):  # the second one is too little for all spans
            rows.append(row(f"8 files of {megabytes} MB, table, --max-memory {limit}", size,
                            measure([program, "report", "ranks", "--brief", "--max-memory", limit, folder], "rank 3 holds")))
        rows.append(row(f"8 files of {megabytes} MB, path, --max-memory 4G", size,
                        measure([program, "report", "path", "--brief", "--max-memory", "4G", folder], "on the path")))
        return rows
    return [r for megabytes in ((10,) if quick else (100, 1000))
            for r in large_files(program, megabytes, functools.partial(ask, megabytes))]


def huge(program, _):
    """Not among all parts: it needs 41 GB of disk."""
    return large_files(program, 5000, lambda folder, size: [
        row("8 files of 5 GB, table", size, measure([program, "report", "ranks", "--brief", "--max-memory", "4G", folder], "rank 3 holds"))])


def dump(rank, world, calls):
    frames = [{"name": f"function{i}", "filename": f"module{i}.py", "line": i} for i in range(15)]
    start = 1700000000 * 10**9
    entries = [{"record_id": k, "pg_id": 0, "process_group": ("0", "default_pg"), "collective_seq_id": k + 1, "p2p_seq_id": 0,
                "op_id": k + 1, "profiling_name": "nccl:all_reduce", "time_created_ns": start + k * 10**6, "input_sizes": [[1024]],
                "input_dtypes": ["Float"], "output_sizes": [[1024]], "output_dtypes": ["Float"],
                "state": "completed" if k < CALLS - 1 else "started", "time_discovered_started_ns": start + k * 10**6,
                "time_discovered_completed_ns": start + k * 10**6 + 1000 if k < CALLS - 1 else None, "retired": k < CALLS - 1,
                "timeout_ms": 600000, "is_p2p": False, "frames": frames} for k in range(calls)]
    return {"version": "2.4", "entries": entries,
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": json.dumps(list(range(world)))}}}


def dumps(program, quick):
    n, missing = 64 if quick else 1024, 5
    with tempfile.TemporaryDirectory() as folder:
        size = 0
        texts = [pickle.dumps(dump(0, n, calls), protocol=2) for calls in (CALLS, CALLS - 1)]
        for rank in range(n):
            name = os.path.join(folder, f"nccl_trace_rank_{rank}")
            with open(name, "wb") as f:
                size += f.write(texts[rank == missing])
            os.utime(name, (1700000700, 1700000700))
        return [row(f"{n} dumps of {CALLS} calls: the missing rank", size,
                    measure([program, "report", "ranks", "--brief", folder], f"rank {missing} never entered"))]


PARTS = {"profiles": profiles, "recorded": recorded, "mpi": mpi, "large": large, "dumps": dumps, "huge": huge}
ALL = [p for p in PARTS if p != "huge"]
HEADINGS = ["what", "text", "CPU time", "text a CPU second", "resident memory"]


def show(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def run(build, say, table, quick):
    """For bench/run.py: all parts as one table."""
    say("### Jobs of many ranks")
    say()
    table(HEADINGS, [r for part in ALL for r in PARTS[part](f"{build}/rooftop", quick)])


def main():
    quick = "--quick" in sys.argv
    wanted = [a for a in sys.argv[2:] if a != "--quick"] or ALL
    show(HEADINGS)
    show(["---"] * len(HEADINGS))
    for part in wanted:
        for cells in PARTS[part](os.path.join(os.path.abspath(sys.argv[1]), "rooftop"), quick):
            show(cells)


if __name__ == "__main__":
    main()
