#!/usr/bin/env python3
"""check.py SERIAL_LOG: judges what rooftop said on the emulated machine (guest.sh). check.py --count: how many tests.

The numbers expected are the machine's own: loop.S says how many instructions loop N executes, and QEMU's PMU counts
each instruction and, with -icount shift=0, one cycle for each.
"""
import json
import re
import sys


class Run:
    """One command of guest.sh: what it wrote and how it ended."""

    def __init__(self, out, err, status):
        self.out, self.err, self.status = out, err, status

    def frames(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]

    def counters(self, spec):
        """The rows of one event, frame after frame."""
        return [c for f in self.frames() for c in f["counters"] if spec in (c["name"], c["spec"])]

    def total(self, spec):
        """Unscaled counts summed over all frames: all that was counted while the command ran."""
        rows = self.counters(spec)
        assert rows, f"no counter {spec}; stderr: {self.err.strip()}"
        return sum(c["raw"] for c in rows)


def read(path):
    text = open(path, encoding="utf-8", errors="replace").read().replace("\r", "")
    found = re.findall(r"==BEGIN (\w+)\n(.*?)==STDERR\n(.*?)==END \1 (\d+)\n", text, re.S)
    return {name: Run(out, err, int(status)) for name, out, err, status in found}


def instructions(n):
    return 3 + 5 * len(str(n)) + 2 + 2 * n + 3


TESTS = []


def test(function):
    TESTS.append(function)
    return function


def main():
    if sys.argv[1:] == ["--count"]:
        print(len(TESTS))
        return 0
    runs = read(sys.argv[1])
    failed = 0
    for function in TESTS:
        try:
            function(runs)
            print(f"ok      {function.__name__}")
        except KeyError as missing:
            failed += 1
            print(f"FAILED  {function.__name__}: no {missing} in what came over the serial line")
        except (AssertionError, ValueError) as why:
            failed += 1
            print(f"FAILED  {function.__name__}: {why}")
    if failed:
        print(f"the serial line is kept in {sys.argv[1]}")
    print(f"{len(TESTS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
