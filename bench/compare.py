#!/usr/bin/env python3
"""bench/compare.py BUILD [PAIRS]: how often rooftop compare is right about a program that does 0, 1, 3 or 10 % more work.

The program computes, and runs a brick a hundred times. For each amount of work, PAIRS pairs (20 unless given) of A and
B are run, with one run and with several runs on each side: in turns, so that other load affects both; all of A before
all of B; and the same with a busy loop next to B only. Prints in how many pairs B was said to be slower, faster, or not
different, and in how many the brick was. Right means: with 0 %, at most one pair in twenty is said to differ, however
they were run; with 10 %, all pairs that took turns are.
Also prints the spread of CPU time from run to run, which src/engine/compare/compare_spread.c assumes.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

# how they are run; runs on each side; additional work in %
CASES = [("in turns", n, more) for n in (1, 5) for more in (0, 1, 3, 10)] + \
        [("A, then B", 5, more) for more in (0, 10)] + \
        [("loop beside B", n, more) for n in (1, 5) for more in (0, 10)]
SOURCE = """
#include <stdlib.h>
#include <rooftop/brick.h>
int main(int argc, char **argv)
{
    volatile double x = 1;
    long n = (long)(1000000 * (argc > 1 ? atof(argv[1]) : 1));
    for (int pass = 0; pass < 100; pass++) {
        rooftop_timer t = rooftop_start(ROOFTOP_OTHER);
        for (long i = 0; i < n; i++)
            x = x * 1.0000001 + 1e-9;
        rooftop_stop(t, (uint64_t)n);
    }
    return 0;
}
"""


def build_program(build, folder):
    source, program = os.path.join(folder, "work.c"), os.path.join(folder, "work")
    with open(source, "w", encoding="utf-8") as out:
        out.write(SOURCE)
    subprocess.run(["cc", "-O1", "-Iinclude", source, "-o", program, os.path.join(build, "librooftop.a"), "-lpthread",
                    "-ldl", "-lm"], check=True)
    return program


def run(build, program, work, path):
    subprocess.run([os.path.join(build, "rooftop"), "--headless", "--only", "target", "--format", "json", "-o", path,
                    "--", program, str(work)], check=True, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as doc:
        return {n["id"]: n["value"] for n in json.load(doc)["runs"][0]["numbers"]}


def compared(build, a, b):
    done = subprocess.run([os.path.join(build, "rooftop"), "compare", "--format", "json", ",".join(a), ",".join(b)],
                          check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def pair(build, program, how, runs, more, folder, seen):
    """One comparison."""
    files = ([], [])
    order = [(i, side) for i in range(runs) for side in (0, 1)]
    if how != "in turns":
        order.sort(key=lambda at: at[1])
    for i, side in order:
        files[side].append(os.path.join(folder, f"{'ab'[side]}{i}.json"))
        loop = subprocess.Popen(["sh", "-c", "while :; do :; done"]) if side and how == "loop beside B" else None
        numbers = run(build, program, 1 + side * more / 100, files[side][-1])
        if loop:
            loop.kill()
            loop.wait()
        if side == 0 or more == 0:
            seen.append((numbers["cpu"], numbers["elapsed"]))
    return compared(build, *files)


def case(build, program, how, runs, more, pairs, folder, seen):
    """Prints a row; whether the answers were right."""
    told, bricks, changes = {"slower": 0, "faster": 0, "same": 0}, 0, []
    for _ in range(pairs):
        found = pair(build, program, how, runs, more, folder, seen)
        told[found["answer"]["is"]] += 1
        changes += [row["change_percent"] for row in found["numbers"] if row["id"] == "cpu"]
        bricks += any(r["group"] == "brick" and r["verdict"] in ("more", "less") for r in found["numbers"])
    print(f"| {how} | {runs} | {more} % | {told['slower']} | {told['faster']} | {told['same']} | {bricks} | "
          f"{statistics.median(changes):+.2f} % |", flush=True)
    if more == 0:
        return pairs - told["same"] <= max(1, pairs // 20 * 2)
    return more < 10 or how != "in turns" or told["slower"] == pairs


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build/release"
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print("| how | runs a side | more work | slower | faster | no difference | brick told | change of CPU time, median |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(build, folder)
        right = [case(build, program, *how, pairs, folder, seen) for how in CASES]
    for name, values in (("CPU", [s[0] for s in seen]), ("elapsed", [s[1] for s in seen])):
        print(f"{name} time of the same program: median {statistics.median(values):.4f} s, standard deviation "
              f"{100 * statistics.stdev(values) / statistics.mean(values):.2f} %, {len(values)} runs")
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
