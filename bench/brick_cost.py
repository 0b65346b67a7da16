"""Measures what bricks cost a program that does real work: examples/transformer, with and without them in turns."""
import re
import subprocess


def measure(build, say, quick):
    program = f"{build}/examples/transformer/transformer"
    for threads in (1, 2):
        done = subprocess.run([program, "--cost", "--threads", str(threads), "--tokens", "400" if quick else "8000"],
                              stdout=subprocess.PIPE, text=True, check=True)
        found = re.search(r"bricks cost.*", done.stdout).group(0)
        say(f"### examples/transformer, {threads} thread{'s' if threads > 1 else ''}: {found} (target 0.5)")
    say("### what a sync mode costs, on a simulated device (bench/sync.c)")
    say(subprocess.run([f"{build}/bench/sync"], stdout=subprocess.PIPE, text=True, check=True).stdout)
