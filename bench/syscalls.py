"""Measures what rooftop trace costs the traced program, beside strace: a call that does nothing, inserts into SQLite, a
compilation, calls that a filter leaves out, and the start. Called by bench/run.py.

Every number is the shortest wall time over the rounds, divided by that of the untraced program in the same rounds; the
programs take turns. strace is measured as it is, and pinned to one CPU, which is what rooftop does by itself.
"""
import os
import shutil
import subprocess
import tempfile
import threading
import time

CALLS = """
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (long i = argc > 1 ? atol(argv[1]) : 0; i > 0; i--)
        syscall(SYS_getpid);
    return 0;
}
"""
# Calls with 14 frames: nine of deep, main, and four of the C library and the start.
DEEP = """
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) static long deep(int depth, long calls)
{
    long sum = depth;
    if (depth > 0)
        return sum + deep(depth - 1, calls);
    for (; calls > 0; calls--)
        sum += syscall(SYS_getppid);
    return sum;
}
int main(int argc, char **argv)
{
    return deep(8, argc > 1 ? atol(argv[1]) : 0) == -1;
}
"""
SOURCE = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n" + "".join(
    f"static int f{i}(int a) {{ int s = a; for (int k = 0; k < a; k++) s += s * {i} ^ k; return s; }}\n"
    for i in range(400)) + "int main(void) { int s = 0;\n" + "".join(
        f"s += f{i}(s & 15);\n" for i in range(400)) + 'printf("%d\\n", s); return 0; }\n'


def insert_script(rows):
    return "PRAGMA synchronous=OFF;\nCREATE TABLE t(a INTEGER, b TEXT);\n" + "".join(
        f"INSERT INTO t VALUES({i}, 'row {i}');\n" for i in range(rows))


def once(command, folder, stdin=None):
    with open(stdin, encoding="utf-8") if stdin else open(os.devnull, encoding="utf-8") as source:
        for name in ("t.db", "t.db-journal"):
            if os.path.exists(f"{folder}/{name}"):
                os.unlink(f"{folder}/{name}")
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, stdin=source, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        guard = threading.Timer(600, child.kill)
        guard.start()
        status = child.wait()  # with a timeout it would poll, every 50 ms after the first tenth of a second
        seconds = time.perf_counter() - start
        guard.cancel()
    return seconds if status == 0 else None


def tracers(build, calls):
    """Name, words before the command."""
    only = ["--calls", calls] if calls else []
    rooftop = [f"{build}/rooftop", "trace", "-f", *only]
    free = [*rooftop, "--free-cpus"]
    found = [("untraced", []), ("rooftop trace -c", [*rooftop, "-c", "--by", "seccomp" if calls else "ptrace", "--"]),
             ("rooftop trace -o", [*rooftop, "-o", "/dev/null", "--by", "seccomp" if calls else "ptrace", "--"]),
             ("rooftop trace -c --free-cpus", [*free, "-c", "--by", "seccomp" if calls else "ptrace", "--"])]
    found += [("rooftop trace -c --by bpf", [*rooftop, "-c", "--by", "bpf", "--"]),
              ("rooftop trace -o --by bpf", [*rooftop, "-o", "/dev/null", "--by", "bpf", "--"])]
    if not calls:
        found.append(("rooftop trace -c --inject", [*rooftop, "-c", "--by", "inject", "--inject", "--"]))
        found.append(("rooftop trace -o --inject", [*rooftop, "-o", "/dev/null", "--by", "inject", "--inject", "--"]))
    if shutil.which("strace"):
        filtered = ["--seccomp-bpf", "-e", f"trace={calls}"] if calls else []
        found += [("strace -f -c", ["strace", "-f", "-c", *filtered]),
                  ("strace -f -c, pinned", ["taskset", "-c", "0", "strace", "-f", "-c", *filtered]),
                  ("strace -f -o, pinned", ["taskset", "-c", "0", "strace", "-f", "-o", "/dev/null", *filtered])]
    return found


def compare(build, folder, command, rounds, calls=None, stdin=None, slow=()):
    """Seconds of each tracer, the shortest of the rounds; None: it failed or is not here. slow: measured once."""
    best = {}
    for turn in range(rounds):
        for name, before in tracers(build, calls):
            if turn > 0 and name in slow:
                continue
            seconds = once([*before, *command], folder, stdin)
            if seconds is not None:
                best[name] = min(seconds, best.get(name, seconds))
    return best


def stacks(build, folder, compiler, quick):
    """Microseconds that each call with its stack takes more than untraced: the difference of a run with many calls and
    one with a single call, so that the start and the first reading of names are left out. None: not measured."""
    subprocess.run([compiler, "-O0", "-g", "-o", f"{folder}/deep", f"{folder}/deep.c"], check=True)
    rooftop = [f"{build}/rooftop", "trace", "-f", "-o", "/dev/null"]
    found = [("rooftop trace --stack", [*rooftop, "--stack", "--"], 2000 if quick else 100000),
             ("rooftop trace --function-time", [*rooftop, "--function-time", "--"], 2000 if quick else 100000)]
    if shutil.which("strace"):
        found.append(("strace -f -k", ["strace", "-f", "-k", "-o", "/dev/null"], 100 if quick else 2000))
    rows = []
    for name, before, calls in found:
        many, one, plain = [], [], []
        for _ in range(1 if quick else 3):
            many.append(once([*before, "./deep", str(calls)], folder))
            one.append(once([*before, "./deep", "1"], folder))
            plain.append(once(["./deep", str(calls)], folder))
        if None in many + one + plain:
            rows.append([name, str(calls), "n/a"])
        else:
            rows.append([name, str(calls), f"{1e6 * (min(many) - min(one)) / (calls - 1):.1f} us"])
    return rows


def measure(build, say, table, quick):
    say("### System calls of traced programs")
    say()
    compiler = shutil.which("cc")
    if not compiler:
        say("not measured: there is no C compiler")
        say()
        return
    folder = tempfile.mkdtemp()
    try:
        for name, text in (("calls.c", CALLS), ("deep.c", DEEP), ("source.c", SOURCE), ("rows.sql", insert_script(500 if quick else 5000))):
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([compiler, "-O1", "-o", f"{folder}/calls", f"{folder}/calls.c"], check=True)
        rounds, n = (1, "20000") if quick else (5, "1000000")
        across = ("strace -f -c", "rooftop trace -c --free-cpus")
        work = [(f"{n} getpid", compare(build, folder, ["./calls", n], rounds, slow=across))]
        if shutil.which("sqlite3"):
            work.append(("SQLite inserts", compare(build, folder, ["sqlite3", "t.db"], rounds, stdin=f"{folder}/rows.sql",
                                                   slow=across)))
        work.append(("compile a file", compare(build, folder, [compiler, "-O2", "-c", "source.c"], rounds)))
        many = "200000" if quick else "5000000"
        work.append(("getpid, only openat traced", compare(build, folder, ["./calls", many], rounds, calls="openat")))
        work.append(("start: true", compare(build, folder, ["true"], 5 * rounds)))
        report(say, table, work)
        table(["with stacks of 14 frames", "calls", "each call"], stacks(build, folder, compiler, quick))
        say("Wall time, with the stops of ptrace; strace finds each stack by far more work, so it gets fewer calls.")
        say()
    finally:
        shutil.rmtree(folder)


def report(say, table, work):
    names = [name for name, _ in tracers("", None)]
    rows = []
    for name in names:
        row = [name]
        for what, best in work:
            plain, mine = best.get("untraced"), best.get(name)
            if mine is None or plain is None:
                row.append("n/a")
            elif what.startswith("start"):
                row.append(f"{1e3 * mine:.1f} ms")
            else:
                row.append(f"{mine:.3f} s" if name == "untraced" else f"{mine / plain:.2f}")
        rows.append(row)
    table(["tracer", *(what for what, _ in work)], rows)
    say("Ratios to the untraced program of the same rounds; the start in milliseconds. Measured once: strace and --free-cpus with the first "
        "two.")
    say()
