#!/usr/bin/env python3
"""mutate.py FILE... : would the tests notice a fault? Puts one-line faults into sources, one at a time, builds, runs the tests
of that room, and lists the faults that no test noticed.

FILE is a source, a folder of sources, or SOURCE:LINE. The room of src/a/b/x.c is the deepest of tests/a/b, tests/a that has tests;
--tests adds others. A fault that does not compile, or that leaves the optimised object code as it was, is not counted. Works on a
copy of the tree in build/mutate; the tests run in namespaces of their own, where nothing but that copy can be written to
and no process of the machine can be reached: faulty code may send signals and remove files. docs/TESTING.md tells how to read it.
"""
import argparse
import collections
import fcntl
import filecmp
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from faults import KINDS, faults, with_fault

WORK = os.path.abspath("build/mutate")
TREE = os.path.join(WORK, "tree")
BUILD = "build/faulty"
# Rooms whose effects only tests of other rooms see, and tests of what several rooms do alike.
SHORT = "tests/backends/common/test_short_spans.c"
ALSO = {"tests/gpu": ["tests/capture/test_code_elf.c"],
        "tests/backends/common": ["tests/backends/rocpd", "tests/backends/nsys"],
        "tests/backends/gpu": ["tests/backends/nvidia/test_nvidia.c"],
        "tests/backends/rocpd": [SHORT], "tests/backends/nsys": [SHORT], "tests/backends/rocprof_csv": [SHORT],
        "tests/backends/usdt": ["tests/cli/test_usdt.c"],
        "tests/brick": ["tests/backends/bricks"],
        "tests/capture": ["tests/platform/gpu/test_capture"],
        "tests/backends/replay/device": ["tests/platform/gpu/test_replay"], "tests/backends/replay": ["tests/platform/gpu/test_replay"]}
GPU = "tests/platform/gpu/test_"
GPU_BUILD = "build/gpu"
MEMORY = 8 << 30  # of a test's own: a fault may allocate without end (files that are mapped are no such memory)
# The machine's file systems read-only but for the tree, processes of its own, memory for what is temporary.
JAIL = r"""
mount --make-rprivate / && mount --bind "$1" "$1" || exit 126
awk '{ print $2 }' /proc/mounts | sort -u | grep -v "^$1\|^/proc\|^/dev\|^/sys" | while read -r at; do
    mount -o remount,bind,ro "$(printf '%b' "$at")" 2>/dev/null
done
for at in /etc "$1/.."; do
    ! touch "$at/.rooftop-mutate" 2>/dev/null || { rm -f "$at/.rooftop-mutate"; exit 126; }
done
mount --bind "$1" /mnt && mount -t tmpfs tmpfs /tmp && mount -t tmpfs tmpfs /dev/shm || exit 126
[ ! -d /var/tmp ] || mount -t tmpfs tmpfs /var/tmp
[ -d "$1" ] || { mkdir -p "$1" && mount --bind /mnt "$1"; } || exit 126
umount /mnt
cd "$1" && shift || exit 126
"$@"
exit $? # the shell takes the orphans, not the test
"""
Test = collections.namedtuple("Test", "program seconds runs_rooftop symbols")


def say(text):
    print(text, flush=True)


def copy_tree():
    """What differs only, so that what was built before stays built."""
    for at, folders, files in os.walk("."):
        folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
        other = os.path.join(TREE, at)
        os.makedirs(other, exist_ok=True)
        for name in set(os.listdir(other)) - set(folders) - set(files) - {"build"}:
            path = os.path.join(other, name)
            shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
        for name in files:
            a, b = os.path.join(at, name), os.path.join(other, name)
            if os.path.islink(a):
                if not os.path.islink(b):
                    os.symlink(os.readlink(a), b)
            elif not os.path.isfile(b) or not filecmp.cmp(a, b, shallow=False):
                shutil.copyfile(a, b)
                shutil.copymode(a, b)


def make(*targets, build=BUILD, opt="-O0 -g0"):
    """None, or what went wrong."""
    env = {k: v for k, v in os.environ.items() if k not in ("CI", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SAN", "CFLAGS")}
    # The compiler notices swapped arguments of different types.
    strict = "-Werror=int-conversion -Werror=incompatible-pointer-types"
    r = subprocess.run(["make", "-s", "-k", f"-j{os.cpu_count()}", f"BUILD={build}", f"OPT={opt}", f"CC={os.environ.get('CC', 'cc')} {strict}",
                        *targets], cwd=TREE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, text=True, errors="replace")
    return r.stderr if r.returncode else None


def make_gpu():
    """The emulated GPU and its tests, which run what make built. None, or why there is none here."""
    if not os.path.exists("/usr/include/hsa/hsa.h"):
        return "it needs the HSA runtime's headers (make test-gpu installs them)"
    makefile = ("-f", "tests/platform/gpu/build.mk", "RUNTIMES=system", f"ROOFTOP={BUILD}")
    compiler = f"{GPU_BUILD}/device_cc"
    problem = make(*makefile, compiler, build=GPU_BUILD, opt="-O1")
    if problem:
        return problem
    found = subprocess.run([compiler, "gfx942"], cwd=TREE, capture_output=True, text=True)
    return found.stderr.strip() or make(*makefile, build=GPU_BUILD, opt="-O1")


def symbols(path):
    """Functions and data of a program or object. What is hidden in an object is local in a program."""
    out = subprocess.run(["nm", "--defined-only", os.path.join(TREE, path)], capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines() if line and "." not in line.split()[-1]}


def run(program, limit):
    """How the test ended: 0, its status, or 124 if it was still running; and its output."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    command = ["unshare", *user, "--mount", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", JAIL, "jail", TREE, program]
    env = dict(os.environ, BUILD=BUILD, LC_ALL="C.UTF-8", HOME="/tmp", TMPDIR="/tmp")
    env.pop("UPDATE_GOLDEN", None)
    process = subprocess.Popen(command, cwd=TREE, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, text=True, errors="replace",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))
    try:
        out = process.communicate(timeout=limit)[0]
        return process.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return 124, "still running"


def room_of(source):
    """The folder of the tests of a source."""
    folder = os.path.dirname(source)
    while folder.startswith("src/"):
        room = "tests" + folder[3:]
        if any(re.match(r"test_.*\.c$", f) for _, _, files in os.walk(room) for f in files):
            return room
        folder = os.path.dirname(folder)
    return None


def programs_of(paths):
    """Of the copied tree, so that edits meanwhile have no effect."""
    here = os.getcwd()
    os.chdir(TREE)
    try:
        return programs_below(paths)
    finally:
        os.chdir(here)


def programs_below(paths):
    found = []
    for path in paths:
        if path.startswith(GPU):
            found += [f"{GPU_BUILD}/tests/system/{f[:-2]}" for f in os.listdir(os.path.dirname(path))
                      if f.startswith(os.path.basename(path)) and f.endswith(".c")]
            continue
        inside = [os.path.join(at, f) for at, _, files in os.walk(path) for f in files] if os.path.isdir(path) else [path]
        found += [f"{BUILD}/{f[:-2]}" for f in inside if re.match(r"test_.*\.c$", os.path.basename(f))]
    return sorted(set(found))


def sources_of(paths):
    """(source, line or None) of each that is asked for."""
    for path in paths:
        path, _, line = path.partition(":")
        path = os.path.relpath(path)
        if os.path.isdir(path):
            yield from ((os.path.join(at, f), None) for at, _, files in os.walk(path) for f in sorted(files) if f.endswith((".c", ".cpp")))
        elif os.path.isfile(path) and path.startswith("src/") and path.endswith((".c", ".cpp")):
            yield path, int(line) if line else None
        else:
            sys.exit(f"mutate: {path}: not a C source below src/")


def changed_since(commit):
    """SOURCE:LINE of the lines that changed."""
    diff = subprocess.run(["git", "diff", "-U0", "--no-color", commit, "--", "src"], capture_output=True, text=True, check=True).stdout
    path = None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.endswith((".c", ".cpp")) else None
        m = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if m and path:
            first, n = int(m.group(1)), int(m.group(2) or 1)
            yield from (f"{path}:{i}" for i in range(first, first + n))


def choose(wanted, seed, kinds):
    """(source, fault), kinds in turn, the order within a kind drawn by the seed."""
    by_kind = collections.defaultdict(list)
    for source, lines in wanted.items():
        for fault in faults(open(os.path.join(TREE, source), encoding="utf-8").read(), source, seed):
            if fault.kind in kinds and (None in lines or fault.line in lines):
                by_kind[fault.kind].append((fault.key, source, fault))
    queues = [sorted(by_kind[k], key=lambda f: f[0]) for k in KINDS]
    for i in range(max(map(len, queues), default=0)):
        yield from (q[i][1:] for q in queues if i < len(q))


class Room:
    """The tests of some sources, built and run once without a fault."""

    def __init__(self, name, programs):
        self.name, self.tests, self.last = name, [], None
        on_gpu = [p for p in programs if p.startswith(GPU_BUILD)]
        problem = make(*(["all"] if os.path.isdir("src/brick") else []), *(p for p in programs if p not in on_gpu))
        if problem:
            sys.exit(f"mutate: the tree does not build:\n{problem}")
        problem = on_gpu and make_gpu()
        if problem:
            say(f"not used: the emulated GPU: {problem}")
            programs = [p for p in programs if p not in on_gpu]
        runners = [f for f in subprocess.run(["grep", "-rl", r'getenv("BUILD")', "tests", "--include=*.c"], capture_output=True, text=True).stdout.split()]
        starts = set().union(*(symbols(f"{BUILD}/{f[:-2]}.o") for f in runners if not os.path.basename(f).startswith("test_"))) if runners else set()
        for program in programs:
            begin = time.monotonic()
            status, out = run(program, 300)
            if status:
                say(f"not used: {program[len(BUILD) + 1:]} fails without a fault (status {status}): {out.strip().splitlines()[-1:]}")
                continue
            s = symbols(program)
            self.tests.append(Test(program, time.monotonic() - begin, program in on_gpu or bool(s & starts), s))

    def noticed_by(self, source, own):
        """The first test that fails; None where none does."""
        relevant = [t for t in self.tests if t.runs_rooftop or t.symbols & own]
        words = set(re.split(r"[/_.]", source))
        relevant.sort(key=lambda t: (t.program != self.last, -len(words & set(re.split(r"[/_.]", t.program))), t.seconds))
        for some in (relevant[:3], relevant[3:]):
            programs = any(t.runs_rooftop for t in some) and os.path.isdir("src/brick")
            problem = some and make(*(["all"] if programs else []),
                                    *(t.program for t in some if t.program.startswith(BUILD)))
            if problem:
                return "the linker"
            for t in some:
                if run(t.program, 8 + 6 * t.seconds)[0]:
                    self.last = t.program
                    return os.path.basename(t.program)
        return None


class Source:
    """A source of the copied tree, and its object as it should be."""

    def __init__(self, path):
        self.path, self.text = path, open(os.path.join(TREE, path), encoding="utf-8").read()
        self.object = os.path.splitext(path)[0] + ".o"
        self.write(self.text)
        make(f"build/compared/{self.object}", build="build/compared", opt="-O2 -g0")
        self.code, self.own = self.compiled(), symbols(f"build/compared/{self.object}")

    def write(self, text):
        with open(os.path.join(TREE, self.path), "w", encoding="utf-8") as f:
            f.write(text)

    def compiled(self):
        with open(os.path.join(TREE, "build/compared", self.object), "rb") as f:
            return f.read()

    def put(self, fault):
        """None, or why this fault does not count."""
        self.write(with_fault(self.text, fault))
        if make(f"build/compared/{self.object}", build="build/compared", opt="-O2 -g0"):
            return "does not compile"
        return "same object code" if self.compiled() == self.code else None


def judge(room, chosen, most):
    """Tries faults until `most` of them counted. Returns the counts and the survivors."""
    counts, survivors = collections.Counter(), []
    source = None
    # Taken in small groups sorted by source: each change of source compiles the one before anew.
    while chosen and counts["noticed"] + len(survivors) < most:
        n = most - counts["noticed"] - len(survivors)
        group, chosen = sorted(chosen[:n], key=lambda f: (f[0], f[1].line)), chosen[n:]
        for path, fault in group:
            if source is None or source.path != path:
                if source:
                    source.write(source.text)
                source = Source(path)
            why = source.put(fault)
            if why:
                counts[why] += 1
                continue
            by = room.noticed_by(path, source.own)
            counts["noticed"] += by is not None
            line = source.text.splitlines()[fault.line - 1].strip()
            say(f"{'noticed ' if by else 'SURVIVED'} {path}:{fault.line}: {fault.what}{' (' + by + ')' if by else ''}    | {line}")
            if not by:
                survivors.append((path, fault.line, fault.what, line))
    if source:
        source.write(source.text)
    return counts, survivors


def summary(name, counts, survived, seed):
    tried = counts["noticed"] + survived
    share = 100 * counts["noticed"] // tried if tried else 100
    return (f"{name}: {counts['noticed']} of {tried} faults noticed ({share} %), seed {seed}; not counted: "
            f"{counts['same object code']} with the same object code, {counts['does not compile']} that do not compile")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="*", metavar="FILE")
    p.add_argument("--since", metavar="COMMIT", help="the lines of src/ that changed since then")
    p.add_argument("--max", type=int, default=60, help="faults for each room (default 60)")
    p.add_argument("--seed", type=int, default=1, help="draws others (default 1)")
    p.add_argument("--kinds", default=",".join(KINDS), help="of " + ", ".join(KINDS))
    p.add_argument("--tests", nargs="*", default=[], metavar="TEST", help="run these too: tests/x/test_y.c, or a folder")
    p.add_argument("--least", type=int, default=0, metavar="PERCENT", help="status 1 where fewer are noticed")
    args = p.parse_args()
    wanted = collections.defaultdict(set)
    for source, line in sources_of(args.files + (list(changed_since(args.since)) if args.since else [])):
        wanted[source].add(line)
    if args.since and not wanted:
        say(f"no line of src/ changed since {args.since}")
        return 0
    if not wanted:
        sys.exit("mutate: no source named: make mutate FILES='src/engine/value/formula.c', or SINCE=origin/main")
    os.makedirs(TREE, exist_ok=True)
    lock = open(os.path.join(WORK, "lock"), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f"mutate: another one works in {WORK}")
    os.nice(10)
    if run("/bin/true", 60)[0]:
        sys.exit("mutate: no namespaces here (unshare --mount --pid as root, or user namespaces): faulty code would run unconfined")
    copy_tree()
    rooms, total = collections.defaultdict(dict), collections.Counter()
    for source, lines in wanted.items():
        rooms[room_of(source)][source] = lines
    for name in sorted(rooms, key=str):
        if not name and not args.tests:
            say(f"no tests mirror {', '.join(rooms[name])}: name some with --tests")
            continue
        room = Room(name, programs_of([*([name] if name else []), *ALSO.get(name, []), *args.tests]))
        counts, survivors = judge(room, list(choose(rooms[name], args.seed, args.kinds.split(","))), args.max)
        total += counts + collections.Counter(survived=len(survivors))
        say("".join(f"\n{path}:{line}: {what}: no test noticed\n    {text}" for path, line, what, text in survivors) + "\n")
        say(summary(name or " ".join(args.tests), counts, len(survivors), args.seed))
    if len(rooms) > 1:
        say(summary("together", total, total["survived"], args.seed))
    return total["noticed"] * 100 < args.least * (total["noticed"] + total["survived"])


if __name__ == "__main__":
    sys.exit(main())
