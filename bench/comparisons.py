"""How well `rooftop compare bench` and hyperfine compare a program with itself: the truth is a ratio of 1.

Each turn gives both the same time, one after the other, in an order that chance chooses. What a tool prints as the ratio
is off by its distance to 1 (of logarithms); the root mean square over the turns is the tool's error. Beside it, the
median half width of what the tool prints as its uncertainty: rooftop's interval (95 %, valid at every look), and
hyperfine's standard deviation of the ratio, which is not an interval.
"""
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import tempfile

BURN = """#include <stdlib.h>
int main(int n, char **words)
{
    volatile double x = 1;
    for (long i = 0, steps = n > 1 ? atol(words[1]) : 0; i < steps; i++)
        x = x * 1.0000001 + 1e-9;
    return 0;
}
"""
STEPS = 10000000  # 30 to 50 ms


def rooftop(options):
    def compare(build, program, seconds):
        done = subprocess.run([f"{build}/rooftop", "bench", "--no-store", "--for", str(seconds), "--confidence", "95%",
                               "--precision", "0.01%", "--margin", "0.01%", "--format", "json", *options,
                               "--", *program, "--", *program], stdout=subprocess.PIPE, check=True)
        ratio = json.loads(done.stdout)["ratio"]
        return ratio["estimate"], (math.log(ratio["high"]) - math.log(ratio["low"])) / 2
    return compare


def hyperfine(_, program, seconds):
    with tempfile.TemporaryDirectory() as folder:
        kept = f"{folder}/kept.json"
        tool = ["hyperfine", "-N", "--style", "none", "--warmup", "1", "--export-json", kept]
        subprocess.run([*tool, "--runs", "5", " ".join(program)], check=True, stderr=subprocess.DEVNULL)
        with open(kept, encoding="utf-8") as file:
            once = json.load(file)["results"][0]["mean"]
        runs = max(5, round(seconds / 2 / once))
        subprocess.run([*tool, "--runs", str(runs), *[" ".join(program)] * 2], check=True, stderr=subprocess.DEVNULL)
        with open(kept, encoding="utf-8") as file:
            first, second = json.load(file)["results"]
    # The ratio and its deviation as hyperfine prints them (src/benchmark/relative_speed.rs).
    ratio = second["mean"] / first["mean"]
    return ratio, math.hypot(first["stddev"] / first["mean"], second["stddev"] / second["mean"])


TOOLS = {"rooftop compare bench": rooftop([]), "rooftop compare bench --cpu-time": rooftop(["--cpu-time"]),
         "rooftop compare bench --duet": rooftop(["--duet"]), "hyperfine": hyperfine}


def measure(build, say, table, quick):
    if not shutil.which("hyperfine") or not shutil.which("cc"):
        say("comparisons: hyperfine or cc is not installed")
        return
    turns, seconds = (3, 3) if quick else (8, 5)
    found = {name: [] for name in TOOLS}
    with tempfile.TemporaryDirectory() as folder:
        program = [f"{folder}/burn", str(STEPS)]
        subprocess.run(["cc", "-O1", "-x", "c", "-o", program[0], "-"], input=BURN, text=True, check=True)
        for _ in range(turns):
            for name in random.sample(list(TOOLS), len(TOOLS)):
                found[name].append(TOOLS[name](build, program, seconds))
    say(f"a program against itself, {turns} turns of {seconds} s each; load average {os.getloadavg()[0]:.1f}")
    say()
    rows = []
    for name, kept in found.items():
        error = math.sqrt(statistics.mean(math.log(ratio) ** 2 for ratio, _ in kept))
        rows.append((name, f"{error:.2%}", f"{statistics.median(width for _, width in kept):.2%}"))
    table(("how", "error of its ratio", "what it says of it, to each side"), rows)
