#!/usr/bin/env python3
"""live.py [BUILD]: writes scripts/live.txt anew: the functions that the dashboard runs, by source file.

The kernel maps 64 KB of a program around each page that is used, so functions in use that are scattered over 5 MB make
most of it resident. scripts/live.awk makes a linker script of the list, which puts them side by side. Build BUILD
(build/release) before; needs valgrind and nm. A line is `src/FILE.c FUNCTION...`, or for a library that is linked
statically `LIBRARY.a:MEMBER.o SECTION...`. Sources without functions have tables only, or their functions run on
hardware that this machine lacks: their constants, and the rest of the files that are in use, come next.
"""
import bisect
import collections
import fcntl
import functools
import glob
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time

LIST = "scripts/live.txt"
VALGRIND_BASE = 0x108000  # where valgrind loads a program
SECONDS = 15  # after the first picture
# Tables without code of their own; what reads counters and GPUs, which not every machine has.
# Names and defaults of all options and themes are read at each start.
ALWAYS = ("src/main.c", "src/cli/*.c", "src/cli/bench/*.c", "src/cli/capture/*.c", "src/cli/compare/*.c",
          "src/cli/options/command.c", "src/tui/canvas/*.c", "src/backends/*.c",
          "src/backends/counters/*.c", "src/backends/perf_common/*.c", "src/backends/perf_event/*.c", "src/backends/gpu/*.c",
          "src/engine/live/gpus_table.c", "src/engine/live/metrics.toml")


def run(command, seconds):
    """Runs a program on a terminal of 160x48, types q some seconds after the first picture, and waits for its end."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8")
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 160, 0, 0))
    painted, end = 0, None
    while True:
        if end is None and painted > 4000:
            end = time.monotonic() + seconds
        if end and time.monotonic() > end:
            os.write(terminal, b"q")
            end = float("inf")
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                painted += len(os.read(terminal, 65536))
            except OSError:  # the other side has closed
                break
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def addresses_run(program):
    """Addresses in the program's file of the instructions that callgrind saw, also in processes that it forked."""
    found = set()
    with tempfile.TemporaryDirectory() as folder:
        status = run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--dump-line=no", "--compress-pos=no",
                      "--compress-strings=no", f"--callgrind-out-file={folder}/%p", program, "--no-config", "--interval", "0.5"],
                     SECONDS)
        if status:
            sys.exit(f"live.py: {program} under valgrind ended with {status}")
        for log in glob.glob(f"{folder}/*"):
            base = None
            with open(log, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    if line.startswith("ob="):
                        # Of other sections than .text, callgrind does not know the file, and tells where they are.
                        base = {program: 0, "???": VALGRIND_BASE}.get(line[3:-1])
                    elif base is not None and line.startswith("0x"):
                        found.add(int(line.split()[0], 16) - base)
    return found


def sections_of_map(path):
    """(address, size, name, file) of each section of code that the linker took, by address."""
    found, name = [], None
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := re.match(r" (\.\S+)\s*$", line):
                name = match[1]
                continue
            match = re.match(r" (\.\S+)?\s+0x([0-9a-f]+)\s+0x([0-9a-f]+) (\S.*)$", line)
            if match and (match[1] or name or "").startswith(".text") and int(match[2], 16) and int(match[3], 16):
                found.append((int(match[2], 16), int(match[3], 16), match[1] or name, match[4].strip()))
            name = None
    return sorted(found)


def functions_of(program):
    """(address, name) of each function, by address."""
    text = subprocess.run(["nm", "--defined-only", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = (line.split() for line in text.splitlines())
    return sorted((int(row[0], 16), row[2]) for row in rows if len(row) == 3 and row[1] in "tTwW")


@functools.cache
def names_of(path):
    return {name for _, name in functions_of(path)}


def source_of(path, function, build):
    """The source of an object file; LIBRARY.a:MEMBER.o for what is in another's library; None for the compiler's own."""
    member = re.search(r"([^/]+\.a)\(([^)]+)\)$", path)
    if member and member[1] != "librooftop-core.a":
        return f"{member[1]}:{member[2]}"
    if member:  # its name tells no folder
        same = glob.glob(f"{build}/src/**/{member[2]}", recursive=True)
        path = next((f for f in same if len(same) == 1 or function in names_of(f)), path)
    source = re.sub(r"\.o$", ".c", os.path.relpath(path, build))
    return source if os.path.exists(source) else None


def gather(build):
    program = os.path.abspath(f"{build}/rooftop")
    sections, functions = sections_of_map(f"{program}.map"), functions_of(program)
    starts, names = [s[0] for s in sections], [f[0] for f in functions]
    table = collections.defaultdict(set)
    for address in addresses_run(program):
        at = bisect.bisect(starts, address) - 1
        if at < 0 or address >= sections[at][0] + sections[at][1]:
            continue
        function = functions[bisect.bisect(names, address) - 1][1]
        source = source_of(sections[at][3], function, build)
        if source and source.startswith("src/"):
            table[source].add(function.split(".")[0])
        elif source:
            table[source].add(sections[at][2])
    return table


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    table = gather(build)
    if len(table) < 100:
        sys.exit(f"live.py: only {len(table)} files of {build}/rooftop ran: is it built, did it run long enough?")
    for pattern in ALWAYS:
        for source in glob.glob(pattern):
            table.setdefault(source, set())
    with open(LIST, "w", encoding="utf-8") as out:
        for source in sorted(table):
            out.write(" ".join([source, *sorted(table[source])]) + "\n")


if __name__ == "__main__":
    main()
