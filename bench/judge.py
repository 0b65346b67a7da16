"""What rooftop optimize judge says of equal and of slightly faster functions, how long it takes, and what itself costs.

    python3 bench/judge.py build/release [same|gain|small|large] [TIMES]

same: a function against itself, TIMES times (200), each for at most a second: how often it is called faster. gain: one that burns
3 % less time, TIMES times (20): how often that is found, and the seconds each takes. small: a function of a microsecond, with the
time to a verdict. large: arrays of 64 MiB. The last figures of each, of CPU time: all that is not the calls that were timed (the judge, its
processes' start and end, the checks) by the calls that were timed; the judge's own process by the processes that it measured.

    python3 bench/judge.py build/release cost [STEPS]

cost: the same for a function of 64 values that takes STEPS (10000) dependent additions, against itself.
"""
import json
import subprocess
import sys
import tempfile
import time

BURN = """float burn(long n, const float *x)
{{
    float all = 0;
    for (long i = 0; i < {steps}; i++)
        all = all * 0.5f + x[i % n];
    return all;
}}
"""
BURN_HARNESS = """[function]
name = "burn"
returns = "float32"
relative = 1e-5
absolute = 1e-6
exact_on_bits = false
[[argument]]
type = "int64"
value = 64
[[argument]]
type = "float32*"
length = 64
generate = "uniform"
low = 1
high = 2
"""
SAXPY = """void saxpy(long n, float a, const float *x, float *y)
{{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];{more}
}}
"""
SAXPY_HARNESS = """[function]
name = "saxpy"
relative = 1e-6
absolute = 1e-6
[[argument]]
type = "int64"
value = {n}
[[argument]]
type = "float32"
value = 1.5
[[argument]]
type = "float32*"
length = {n}
[[argument]]
type = "float32*"
length = {n}
direction = "inout"
"""


def judge(build, folder, seconds):
    """The document, and its seconds."""
    command = [f"{build}/rooftop", "judge", "--harness", f"{folder}/h.toml", "--baseline", f"{folder}/a.c", "--candidate",
               f"{folder}/b.c", "--for", str(seconds), "--allow", "elsewhere", "--format", "json", "--build", "cc -O1 -shared -fPIC -o {out} {source}"]
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return json.loads(done.stdout), time.monotonic() - began


def write(folder, harness, baseline, candidate):
    # the same code would be equivalent at once: the candidate has another function beside it
    for name, text in (("h.toml", harness), ("a.c", baseline), ("b.c", candidate + "int other(void)\n{\n    return 1;\n}\n")):
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)


def main():
    build, what = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "small"
    usual = {"same": 200, "gain": 20}.get(what, 1)
    number = int(sys.argv[3]) if len(sys.argv) > 3 else None
    steps, times = number or 10000, 1 if what == "cost" else number or usual
    seconds = {"same": 1, "gain": 29}.get(what, 10)
    said, longest, timed, own, children, call = {}, 0, 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        if what == "gain":
            write(folder, BURN_HARNESS, BURN.format(steps=64 * 1563), BURN.format(steps=64 * 1516))
        elif what == "cost":
            write(folder, BURN_HARNESS, BURN.format(steps=steps), BURN.format(steps=steps))
        else:
            n = 8000000 if what == "large" else 1000
            write(folder, SAXPY_HARNESS.format(n=n), SAXPY.format(more=""), SAXPY.format(more=""))
        for i in range(times):
            doc, elapsed = judge(build, folder, seconds)
            said[doc["verdict"]] = said.get(doc["verdict"], 0) + 1
            longest = max(longest, elapsed)
            cost = doc.get("cpu_time") or {"timed_ns": 0, "judge_ns": 0, "processes_ns": 0}
            timed += cost["timed_ns"] / 1e9
            own, children = own + cost["judge_ns"] / 1e9, children + cost["processes_ns"] / 1e9
            call = doc["baseline_ns"] or 0
            print(f"{i + 1}: {doc['verdict']} {doc['guard']} {doc['warm']['estimate']} {doc['evidence']}, {elapsed:.1f} s", file=sys.stderr)
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))
    print(f"{what}: {verdicts}; the longest took {longest:.1f} s; a call of {call / 1000:.3g} us; CPU time beside the timed calls "
          f"{(own + children - timed) / max(timed, 1e-9):.3f} of theirs ({timed:.2f} s), of the judge's process "
          f"{own / max(children, 1e-9):.3f} of that of its processes")


if __name__ == "__main__":
    main()
