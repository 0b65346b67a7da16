"""What bricks cost a program that does real work: examples/transformer with and without them, in turns."""
import re
import statistics
import subprocess


def tokens_per_second(program, *arguments):
    done = subprocess.run([program, "--threads", "1", "--tokens", "250", *arguments], stdout=subprocess.PIPE, text=True,
                          check=True)
    return float(re.search(r"([\d.]+) tokens/s", done.stdout).group(1))


def measure(build, say, quick):
    program = f"{build}/examples/transformer/transformer"
    ratios = []
    for turn in range(4 if quick else 40):
        pair = [("with", ()), ("without", ("--no-bricks",))]
        if turn % 2:
            pair.reverse()
        speed = {name: tokens_per_second(program, *arguments) for name, arguments in pair}
        ratios.append(100 * (speed["without"] / speed["with"] - 1))
    mean = statistics.mean(ratios)
    half = 1.96 * statistics.stdev(ratios) / len(ratios) ** 0.5
    say(f"### bricks in examples/transformer: {mean:+.2f} % time a token, 95 % interval {mean - half:+.2f} to "
        f"{mean + half:+.2f}, median {statistics.median(ratios):+.2f} ({len(ratios)} pairs)")
    say()
