#!/usr/bin/env python3
"""bench/counts.py BUILD [--update] [--table FILE] [NAME...]: instructions and allocations of hot paths, against bench/counts.tsv.

callgrind counts what bench/counts.c does inside counted(), and the calls of malloc and its like in there. The row `start` is
rooftop itself, until its first picture is drawn: it is drawn before anything is sampled. Counts repeat to 0.1 %, whatever else the machine does, so a row may be 3 % above the table and no more. A row
that is 3 % below is told, not failed. --update writes the table.

The compiler and the libraries decide the counts, too: the table says with which it was made. With others nothing is compared:
there, --update --table FILE with the commit before writes a table to compare with. --json FILE counts in any case, and writes what was counted as a document of rooftop compare bench, which `rooftop compare history --import` keeps.
"""
import argparse
import concurrent.futures
import json
import os
import platform
import pty
import re
import shutil
import subprocess
import sys
import time

TABLE = "bench/counts.tsv"
FOLDER = "build/counts"
UNITS = ("instructions", "allocations")
HEAD = "# name\tinstructions\tallocations\tdate\twhat\n"
ROOM = 0.03
# Calls of so few allocations may differ by one or two without meaning anything.
FEW = 5
ALLOCATIONS = {"malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "aligned_alloc", "memalign"}
LIBRARIES = ("ncursesw", "sqlite3", "libcjson", "zlib", "libzstd")
START = ["rooftop", "--no-config", "--color", "true", "--run", "quit"]

ROWS = (
    ("start", "rooftop on a terminal of 160x48, from the loader to its first picture"),
    ("poll", "20 samples of a machine of 400 processes, of which 40 work"),
    ("tick", "16 frames of a session shown on a terminal of 160x48"),
    ("key", "40 keys there: moving, another view, sorting"),
    ("brick", "start and stop of 20,000 bricks, one in another"),
    ("nccl", "10,000 collectives of one channel through the plugin for NCCL"),
    ("nccl-channels", "begin, stamp and end of 10,000 kernels there, 32 to a collective"),
    ("rocpd", "opening a rocpd file of 5,000 dispatches, all threads"),
    ("kineto", "opening 1 MB of Kineto JSON, all threads"),
    ("dumps", "500 dumps of PyTorch's flight recorder, judged"),
    ("session-write", "writing 60 samples as a session"),
    ("session-read", "opening it, and 60 samples in mixed order"),
    ("path", "the critical path of 100,000 nodes, with all slack"),
    ("judge", "drawing and comparing the inputs of 20 calls of 65,536 floats"),
    ("vtpu", "100,000 words of the balanced stream by the interpreter"),
)


def toolchain():
    """What the counts depend on beside the sources."""
    def said(*command):
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout.strip() or "none"
    libraries = " ".join(f"{name} {said('pkg-config', '--modversion', name)}" for name in LIBRARIES)
    return (f"{os.uname().machine}, cc {said('cc', '-dumpfullversion')}, {said('getconf', 'GNU_LIBC_VERSION')}, {libraries}, "
            f"{said('valgrind', '--version')}")


# The C library chooses its functions by the processor: those that every x86-64 has.
TUNABLES = "glibc.malloc.arena_max=1:glibc.cpu.hwcaps=-AVX,-AVX2,-AVX512VL,-AVX512BW,-BMI2,-ERMS,-FSRM,-RTM"


def command(build, name, out):
    """The same start on every machine: an environment of its own, addresses that are not random."""
    environment = ["env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent", "TERM=xterm-256color", "LC_ALL=C.UTF-8", "TZ=UTC",
                   f"BUILD={build}", f"ROOFTOP_NCCL_LIBRARY={build}/librooftop-nccl.so", "LD_BIND_NOW=1", f"GLIBC_TUNABLES={TUNABLES}"]
    count = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet"]
    if name == "start":
        return [*environment, "setarch", "-R", *count, "--dump-after=term_present", f"{build}/{START[0]}", *START[1:]]
    return [*environment, "setarch", "-R", *count, "--zero-before=counted", "--dump-after=counted", f"{build}/bench/counts", name]


def on_terminal(line):
    """Runs it on a terminal of 160x48, and reads what it writes."""
    pid, master = pty.fork()
    if pid == 0:
        subprocess.run(["stty", "cols", "160", "rows", "48"], check=False)
        os.execvp(line[0], line)
    said = b""
    try:
        while True:
            some = os.read(master, 65536)
            if not some:
                break
            said = (said + some)[-4000:]
    except OSError:  # EIO: its end
        pass
    os.close(master)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode(errors="replace")


def add_up(path):
    """Instructions and allocations of one output of callgrind."""
    instructions = allocations = 0
    names, called = {}, ""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("summary:") or line.startswith("totals:"):
                instructions = max(instructions, int(line.split()[1]))
            elif line.startswith("calls=") and called in ALLOCATIONS:
                allocations += int(line[6:].split()[0])
            else:
                found = re.match(r"c?fn=\((\d+)\)(?: (\S+))?", line)
                if found:
                    if found.group(2):
                        names[found.group(1)] = re.sub(r"'\d+$|@.*", "", found.group(2))
                    called = names[found.group(1)] if line[0] == "c" else ""
    return instructions, allocations


def count(build, name):
    out = f"{FOLDER}/{name}.out"
    line = command(build, name, out)
    if name == "start":
        status, said = on_terminal(line)
    else:
        done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        status, said = done.returncode, done.stdout
    if status != 0:
        raise RuntimeError(f"{name}: {' '.join(line)}: status {status}\n{said}")
    # A dump for each call of counted(), and one at the end that is not the row's. Of `start` the first one counts.
    ends = r"1" if name == "start" else r"\d+"
    sums = [add_up(f"{FOLDER}/{file}") for file in os.listdir(FOLDER) if re.fullmatch(rf"{name}\.out\.{ends}", file)]
    if not sums:
        raise RuntimeError(f"{name}: {' '.join(line)}: callgrind wrote nothing\n{said}")
    return sum(s[0] for s in sums), sum(s[1] for s in sums)


def read_table(path):
    """Its toolchain, and table[name] = (instructions, allocations, date)."""
    table, made = {}, ""
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# made with "):
                    made = line[12:].strip()
                elif not line.startswith("#"):
                    name, instructions, allocations, date, _ = line.rstrip("\n").split("\t", 4)
                    table[name] = (int(instructions), int(allocations), date)
    except FileNotFoundError:
        pass
    return made, table


def write_table(path, table):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"# made with {toolchain()}\n{HEAD}")
        for name, what in ROWS:
            if name in table:
                file.write("\t".join([name, *map(str, table[name]), what]) + "\n")


def document(found):
    """What was counted, as rooftop compare bench writes it: a series for each row and unit."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                            text=True, check=False).stdout.strip()
    return {"schema": "rooftop.bench/1", "time": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime()),
            "place": {"commit": commit, "host": platform.node(), "kernel": platform.release()},
            "results": [{"name": f"counts {name}, {unit}", "unit": unit, "more_is_good": False, "value": counts[i],
                         "compiler": toolchain()} for name, counts in found.items() for i, unit in enumerate(UNITS)]}


def compared(found, kept, unit):
    """A sentence, and whether the row fails."""
    if found == kept or (unit == "allocations" and abs(found - kept) <= FEW):
        return f"{found} {unit}", False
    change = found / kept - 1 if kept else 1
    return f"{found} {unit}, {change:+.2%}", change > ROOM


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--table", default=TABLE)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    wanted = [row for row in ROWS if not options.names or row[0] in options.names]
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    made, table = read_table(options.table)
    ours = toolchain()
    comparable = made == ours or options.update
    if not comparable:
        print(f"skipped: counts: {options.table} was made with {made or 'nothing'}, and this machine has {ours}")
    if not comparable and not options.json:
        return 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = dict(zip((name for name, _ in wanted), pool.map(lambda row: count(options.build, row[0]), wanted)))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(document(found), file, indent=1)
    if not comparable:
        return 0
    worse, better = [], []
    for name, what in wanted:
        before = table.get(name)
        if before:
            said = [compared(found[name][i], before[i], unit) for i, unit in enumerate(UNITS)]
            line = f"{name}: {said[0][0]}; {said[1][0]}"
            if any(bad for _, bad in said):
                worse.append(f"{line}: {what}; {before[0]} and {before[1]} on {before[2]}")
            elif any(f < b * (1 - ROOM) - (FEW if i else 0) for i, (f, b) in enumerate(zip(found[name], before))):
                better.append(name)
        else:
            line = f"{name}: {found[name][0]} instructions; {found[name][1]} allocations; new"
            if not options.update:
                worse.append(f"{name} has no row in {options.table}")
        print(line)
        table[name] = (*found[name], time.strftime("%Y-%m-%d"))
    if options.update:
        write_table(options.table, table)
        return 0
    if better:
        print(f"note: cheaper by more than {ROOM:.0%}: {', '.join(better)}: make counts UPDATE=1 keeps it")
    for line in worse:
        print(f"WORSE by more than {ROOM:.0%}: {line}. Meant so: make counts UPDATE=1. Where: callgrind_annotate {FOLDER}/NAME.out*")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
