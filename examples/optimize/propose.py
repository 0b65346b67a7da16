#!/usr/bin/env python3
"""A proposer for `rooftop optimize --proposer command:...`.

rooftop runs it once for each candidate: a question of rooftop.proposal/1 on standard input, the answer on standard
output. The answer is a unified diff of the question's source, or its whole new text; nothing at all means that there
is no more. Whether an answer is right and faster is not decided here: rooftop builds and judges it. What this
program writes to standard error is kept in the candidate's folder, messages.txt.
"""
import difflib
import json
import re
import sys

# GCC's options for one function. -O3 uses the vectors of the plain instruction set, target those of a wider one;
# neither lets real numbers round otherwise.
STEPS = (
    ('__attribute__((optimize("O3")))', None),
    ('__attribute__((optimize("O3"), target("avx2")))', "avx2"),
)


def cpu_has(flag):
    """What this machine lacks would end the candidate by SIGILL; the judge would refuse it."""
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return any(re.match(r"flags\b.*\b" + flag + r"\b", line) for line in lines)


def with_attribute(source, function, attribute):
    """The source with the attribute before the definition of the function, in place of an earlier answer's."""
    definition = re.compile(r"^(?:__attribute__\(\(.*\)\)\n)?(?=\w[^;{}()]*\b" + function + r"\s*\([^;{}]*\)\s*\{)", re.M)
    return definition.sub(lambda _: attribute + "\n", source, count=1)


def main():
    question = json.load(sys.stdin)
    if question["schema"] != "rooftop.proposal/1":
        sys.exit("this program knows rooftop.proposal/1, not " + question["schema"])
    if question["repair"]:  # the last answer did not build: the compiler's messages are there, but nothing helps here
        return
    # It keeps nothing between questions: the history has a verdict for each answer that it gave.
    given = sum(verdict["proposer"] == "command" for verdict in question["history"])
    steps = [attribute for attribute, flag in STEPS if flag is None or cpu_has(flag)]
    old = question["source"]  # the best so far, which may be another proposer's
    versions = (with_attribute(old, question["function"], attribute) for attribute in steps[given:])
    new = next((version for version in versions if version != old), old)  # no difference, no text: there is no more
    name = question["path"].rsplit("/", 1)[-1]
    sys.stdout.writelines(
        difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), "a/" + name, "b/" + name))


main()
