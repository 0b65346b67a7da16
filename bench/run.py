#!/usr/bin/env python3
"""bench/run.py BUILD [--quick]: compares rooftop with htop and btop, on the same machine in the same minutes; then
measures what rooftop costs a watched program. Prints tables, and writes them to build/bench.md.

Every program is measured by bench/pty_meter.c on a terminal of 160x48 with true colour, while bench/load.c keeps 400
sleeping processes and one that is busy for a third of the time. The programs take turns; a number is the median over
the rounds. --quick makes short rounds, to check that everything works.
"""
import argparse
import glob
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import brick_cost
import captures
import comparisons
import keys
import profiles
import ranks_scale
import replays
import roofs
import slow
import symbols
import syscalls


PEERS = ("rooftop", "htop", "btop")
COLUMNS = (  # key of pty_meter, heading, format
    ("cpu_s_per_min", "CPU s/min", "{:.3f}"),
    ("bytes_per_frame", "bytes/frame", "{:.0f}"),
    ("largest_frame", "largest", "{:.0f}"),
    ("bytes_per_s", "bytes/s", "{:.0f}"),
    ("writes_per_s", "write()/s", "{:.1f}"),
    ("reads_per_s", "read()/s", "{:.0f}"),
    ("rss_kb", "RSS KiB", "{:.0f}"),
    ("pss_kb", "PSS KiB", "{:.0f}"),
    ("threads", "threads", "{:.0f}"),
)
report = []


def say(line=""):
    print(line, flush=True)
    report.append(line)


def table(headings, rows):
    say("| " + " | ".join(headings) + " |")
    say("|" + "---|" * len(headings))
    for row in rows:
        say("| " + " | ".join(row) + " |")
    say()


def verdict(what, value, target):
    """Prints whether a target (an upper limit) was reached; docs/PERFORMANCE.md lists the targets."""
    say(f"{'reached' if value <= target else 'MISSED '}  {what}: {value:.3g}, target {target:g}")


def command(build, name, interval, home):
    """The command line for one program at one refresh interval; configuration only from home."""
    if name == "rooftop":
        return [f"{build}/rooftop", "--no-config", "--interval", str(interval)]
    if name == "htop":
        return ["htop", "-d", str(round(interval * 10))]
    os.makedirs(f"{home}/btop", exist_ok=True)
    with open(f"{home}/btop/btop.conf", "w", encoding="ascii") as file:
        file.write(f"truecolor = True\nupdate_ms = {round(interval * 1000)}\n")
    return ["btop"]


def meter(build, arguments, program, home):
    environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home)
    done = subprocess.run([f"{build}/bench/pty_meter", *arguments, "--", *program], env=environment,
                          stdout=subprocess.PIPE, check=False, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def steady(build, interval, seconds, rounds):
    found = {name: [] for name in PEERS}
    for _ in range(rounds):
        for name in PEERS:
            with tempfile.TemporaryDirectory() as home:
                result = meter(build, ["-w", "3", "-t", str(seconds)], command(build, name, interval, home), home)
                if result:
                    found[name].append(result)
    say(f"### Refresh every {interval} s ({rounds} rounds of {seconds} s)")
    say()
    rows, medians = [], {}
    for name, results in found.items():
        if not results:
            rows.append([name] + ["did not run"] * len(COLUMNS))
            continue
        medians[name] = {key: statistics.median(r[key] for r in results) for key, _, _ in COLUMNS}
        rows.append([name] + [form.format(medians[name][key]) for key, _, form in COLUMNS])
    table(["program"] + [heading for _, heading, _ in COLUMNS], rows)
    for peer in PEERS[1:]:
        if peer in medians and "rooftop" in medians:
            ratio = medians["rooftop"]["cpu_s_per_min"] / medians[peer]["cpu_s_per_min"]
            verdict(f"CPU time against {peer}", ratio, {"htop": 0.5, "btop": 0.25}[peer])
    ours = medians.get("rooftop")
    if ours and "btop" in medians:
        verdict("RSS against btop", ours["rss_kb"] / medians["btop"]["rss_kb"], 1)
    if ours:
        verdict("largest frame, bytes", ours["largest_frame"], 3072)
        verdict("bytes/s", ours["bytes_per_s"], 30000)
    say()


def latency(build, runs):
    say(f"### Start and quit (median of {runs}, most in brackets)")
    say()
    rows, found, killed = [], {}, None
    for name in PEERS:
        with tempfile.TemporaryDirectory() as home:
            r = meter(build, ["-l", str(runs)], command(build, name, 1, home), home)
            if name == "rooftop":  # what the kernel needs to end it
                killed = meter(build, ["-l", str(runs), "-K"], command(build, name, 1, home), home)
        if r:
            found[name] = r
        rows.append([name, f"{r['first_ms']:.1f} ({r['first_max_ms']:.1f})",
                     f"{r['quit_ms']:.1f} ({r['quit_max_ms']:.1f})"] if r else [name, "did not run", ""])
    table(["program", "first picture, ms", "quit, ms"], rows)
    if "rooftop" in found:
        verdict("first picture, ms", found["rooftop"]["first_ms"], 15)
        verdict("quit, ms", found["rooftop"]["quit_ms"], 5)
    if "rooftop" in found and "btop" in found:
        verdict("first picture against btop", found["rooftop"]["first_ms"] / found["btop"]["first_ms"], 0.25)
        for what, key in (("first picture", "first_min_ms"), ("CPU time until then", "first_cpu_min_ms")):
            verdict(f"{what} against btop, least of each", found["rooftop"][key] / found["btop"][key], 0.25)
    if "rooftop" in found and killed:
        say(f"quit against SIGKILL, least of each: {found['rooftop']['quit_min_ms'] / killed['quit_min_ms']:.2f}")
    say()


def paused(build, seconds):
    """A paused screen shows nothing new, so nothing should be written."""
    with tempfile.TemporaryDirectory() as home:
        r = meter(build, ["-w", "3", "-t", str(seconds), "-k", "p"], command(build, "rooftop", 0.1, home), home)
    if r:
        say(f"rooftop paused, refresh every 0.1 s: {r['bytes_per_s']:.0f} bytes/s, {r['cpu_s_per_min']:.3f} CPU s/min")
        verdict("bytes while nothing changes", r["bytes_per_s"], 0)
        say()


def work(build, turns, watched):
    """CPU time of one run of the workload, in seconds."""
    child = subprocess.Popen([f"{build}/bench/workload", "2", str(turns)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    watcher = None
    if watched:
        watcher = subprocess.Popen([f"{build}/rooftop", "--no-config", "--headless", "--format", "jsonl", "--interval",
                                    "0.1", "--frames", "100000", "-o", "/dev/null", "-p", str(child.pid)],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    out, _ = child.communicate("go\n")
    if watcher:
        if watcher.poll() is not None and watcher.returncode != 0:
            raise RuntimeError("rooftop ended before the workload did")
        watcher.terminate()
        watcher.wait()
    return float(out)


def overhead(build, pairs, turns):
    """Pairs of runs, watched and not, in changing order; what counts is the median of the differences."""
    ratios = []
    work(build, turns, False)
    for i in range(pairs):
        first = work(build, turns, bool(i % 2))
        second = work(build, turns, not i % 2)
        plain, watched = (second, first) if i % 2 else (first, second)
        ratios.append((watched / plain - 1) * 100)
    ratios.sort()
    # Distribution-free 95 % interval of the median: order statistics n/2 -+ 0.98 sqrt(n).
    reach = round(0.98 * pairs ** 0.5)
    low, high = ratios[max(0, pairs // 2 - reach)], ratios[min(pairs - 1, pairs // 2 + reach)]
    say("### Overhead on a busy program of two threads, watched with -p at 10 Hz")
    say()
    say(f"CPU time of the program, watched against unwatched, {pairs} pairs: median {statistics.median(ratios):+.3f} % "
        f"(95 % interval {low:+.3f} to {high:+.3f} %; quartiles {ratios[pairs // 4]:+.3f}, "
        f"{ratios[3 * pairs // 4]:+.3f} %)")
    verdict("overhead at 10 Hz, %", statistics.median(ratios), 0.2)
    say()


def attaching(build, threads):
    answers = keys.answers(build, threads)
    say(f"### A key while {threads} threads are being attached")
    say()
    say(f"{len(answers)} keys: median {statistics.median(answers):.2f} ms, longest {max(answers):.2f} ms")
    verdict("longest key, ms", max(answers), 16)
    say()


def own_benchmarks(build, name="*"):
    """Runs every other program in bench/, or the one of that name: each prints what it measures and must end with 0."""
    helpers = {"counts", "pty_meter", "load", "workload", "symbols", "profiles", "make_profile", "make_rank", "mpi_job"}
    for path in sorted(glob.glob(f"bench/{name}.c")):
        program = f"{build}/bench/{os.path.basename(path)[:-2]}"
        if os.path.basename(program) in helpers or not os.path.exists(program):
            continue
        done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        say(f"### {os.path.basename(path)} (exit {done.returncode})")
        say()
        say("```\n" + done.stdout.rstrip() + "\n```")
        say()


def version(program):
    if not shutil.which(program):
        return f"{os.path.basename(program)} not there"
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.stdout.split("\n")[0].split("Copyright")[0].strip() or program


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=("steady", "latency", "overhead", "symbols", "slow", "own", "graph", "bricks",
                                            "tree-view", "timeline", "profiles", "replays", "captures", "capture",
                                            "syscalls", "otlp", "vtpu", "counters", "roofs",
                                            "comparisons", "ranks"))
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    rounds, seconds, pairs, turns = (1, 3, 3, 60000000) if options.quick else (3, 20, 40, 600000000)
    wanted = lambda part: options.only in (None, part)  # noqa: E731

    say(f"{time.strftime('%Y-%m-%d')}, {cpu_model()}, Linux {platform.release()}; "
        f"{version(build + '/rooftop')}, {version('htop')}, {version('btop')}")
    say()
    load = subprocess.Popen([f"{build}/bench/load", "400", "33"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    load.stdout.readline()
    try:
        if wanted("steady"):
            steady(build, 1, seconds, rounds)
            steady(build, 0.1, seconds, rounds)
            paused(build, seconds)
        if wanted("latency"):
            latency(build, 12)
            attaching(build, 1000 if options.quick else 10000)
    finally:
        load.stdin.close()
        load.wait()
    if wanted("overhead"):
        overhead(build, pairs, turns)
    if wanted("symbols"):
        symbols.measure(build, say, table, options.quick)
    if wanted("slow"):
        slow.measure(build, say, options.quick)
    if wanted("own"):
        own_benchmarks(build)
    elif options.only in ("graph", "bricks", "tree-view", "timeline", "capture", "otlp", "vtpu", "counters"):
        own_benchmarks(build, {"graph": "graph", "bricks": "brick", "tree-view": "tree_view",
                               "timeline": "timeline", "capture": "capture", "otlp": "otlp", "vtpu": "vtpu",
                               "counters": "counters"}[options.only])
    if wanted("profiles"):
        profiles.measure(build, say, table, options.quick)
    if wanted("ranks"):
        ranks_scale.run(build, say, table, options.quick)
    if wanted("captures"):
        captures.measure(build, say, table, options.quick)
    if wanted("replays"):
        replays.measure(build, say, table, options.quick)
    if wanted("syscalls"):
        syscalls.measure(build, say, table, options.quick)
    if wanted("comparisons"):
        comparisons.measure(build, say, table, options.quick)
    if wanted("roofs"):
        roofs.measure(build, say, table, options.quick)
    if wanted("bricks"):
        brick_cost.measure(build, say, options.quick)
    os.makedirs("build", exist_ok=True)
    with open("build/bench.md", "w", encoding="utf-8") as file:
        file.write("\n".join(report) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
