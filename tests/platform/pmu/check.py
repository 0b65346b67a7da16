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

    def rows(self, event):
        """The rows of one event as it was asked for, frame after frame."""
        frames = self.frames()
        assert frames, f"no snapshot; exit status {self.status}; stderr: {self.err.strip()}"
        asked = [c for f in frames for c in f["counters"] if c["user"]]
        rows = [c for c in asked if c["spec"].split(" ")[0] == event]
        assert rows, f"no counter {event} among {sorted({c['spec'] for c in asked})}; stderr: {self.err.strip()}"
        return rows

    def total(self, event):
        """Unscaled counts summed over all frames: all that was counted while the command ran."""
        return sum(row["raw"]["count"] for row in self.rows(event))

    def metric(self, name):
        found = [m["result"] for f in self.frames() for m in f["metrics"] if m["id"] == name]
        assert found, f"no metric {name}"
        return found[-1]


def read(path):
    text = open(path, encoding="utf-8", errors="replace").read().replace("\r", "")
    found = re.findall(r"==BEGIN (\w+)\n(.*?)==STDERR\n(.*?)==END \1 (\d+)\n", text, re.S)
    return {name: Run(out, err, int(status)) for name, out, err, status in found}


def instructions(n):
    return 3 + 5 * len(str(n)) + 2 + 2 * n + 3


LOOP = 20000000  # guest.sh's numbers of turns
SAMPLED = 100000000
MULTIPLEXED = 300000000
TESTS = []


def test(function):
    TESTS.append(function)
    return function


@test
def pmu_doctor_reports_hardware_counters(runs):
    run = runs["doctor"]
    assert run.status == 0, f"exit status {run.status}; {run.err.strip()}"
    capabilities = json.loads(run.out)["capabilities"]
    hardware = [c for c in capabilities if c["id"] == "perf.hardware"]
    assert hardware and hardware[0]["state"] == "yes", hardware or [c["id"] for c in capabilities]


@test
def pmu_instructions_of_a_loop_are_exact(runs):
    for name, n in (("loop_n", LOOP), ("loop_2n", 2 * LOOP)):
        counted = runs[name].total("instructions:u")
        assert counted == instructions(n), f"{counted}, expected {instructions(n)}"


@test
def pmu_slope_is_two_instructions_a_turn(runs):
    slope = runs["loop_2n"].total("instructions:u") - runs["loop_n"].total("instructions:u")
    assert slope == 2 * LOOP, f"{slope} for {LOOP} more turns"


@test
def pmu_the_same_loop_counts_the_same(runs):
    first, second = (runs[name].total("instructions:u") for name in ("loop_2n", "loop_2n_again"))
    assert first == second, f"{first}, then {second}"


@test
def pmu_samples_add_up_to_the_whole(runs):
    run = runs["sampled"]
    assert len(run.frames()) >= 3, f"{len(run.frames())} samples"
    assert run.total("instructions:u") == instructions(SAMPLED), run.total("instructions:u")


@test
def pmu_one_cycle_an_instruction(runs):
    run = runs["loop_2n"]
    cycles, counted = run.total("cycles:u"), run.total("instructions:u")
    assert abs(cycles - counted) <= counted * 1e-4, f"{cycles} cycles, {counted} instructions"


@test
def pmu_the_command_s_exit_status_is_passed_on(runs):
    assert runs["loop_n"].status == 0, runs["loop_n"].err
    assert runs["exit_status"].status == 7, f"{runs['exit_status'].status}, expected 7"


@test
def pmu_multiplexed_count_says_so_and_is_near(runs):
    rows = [r for r in runs["multiplexed"].rows("r08:u") if r["delta"]["valid"]]
    enabled = sum(r["raw"]["enabled_ns"] for r in rows)
    running = sum(r["raw"]["running_ns"] for r in rows)
    assert 0 < running < enabled, f"running {running} of {enabled} ns: nothing was multiplexed"
    assert any("scaled" in r["delta"].get("flags", []) and r["delta"]["running"] < 1 for r in rows), "not marked scaled"
    scaled = sum(r["delta"]["value"] for r in rows)
    expected = instructions(MULTIPLEXED)
    assert abs(scaled / expected - 1) < 0.05, f"{scaled:.0f}, expected {expected}, {running / enabled:.0%} running"


@test
def pmu_scaling_is_raw_times_enabled_over_running(runs):
    checked = 0
    for r in runs["multiplexed"].rows("r08:u"):
        raw = r["raw"]
        if r["delta"]["valid"] and raw["running_ns"]:
            expected = raw["count"] * raw["enabled_ns"] / raw["running_ns"]
            assert abs(r["delta"]["value"] - expected) <= 1 + expected * 1e-9, (r["delta"], raw)
            checked += 1
    assert checked, "no frame counted"


@test
def pmu_event_it_lacks_opens_and_counts_zero(runs):
    run = runs["unsupported"]
    assert run.total("r08:u") == instructions(LOOP), run.total("r08:u")
    for event in ("r03:u", "r10:u"):
        rows = run.rows(event)
        assert sum(r["raw"]["running_ns"] for r in rows) > 0, f"{event} never ran"
        assert run.total(event) == 0, f"{event}: {run.total(event)}"


@test
def pmu_event_that_never_ran_is_missing_with_a_reason(runs):
    rows = [c for f in runs["never_ran"].frames() for c in f["counters"] if c["user"]]
    never = [c for c in rows if c["raw"]["running_ns"] == 0]
    assert never, "all events ran: the loop is too long for this test"
    assert len(never) < len(rows), "none ran"
    for row in never:
        for value in (row["delta"], row["rate"]):
            assert value["value"] is None and not value["valid"] and value["why"], row


@test
def pmu_nothing_is_valid_that_never_ran(runs):
    checked = 0
    for run in runs.values():
        snapshots = run.out.startswith('{"') and not run.out.startswith('{"schema":"rooftop.bricks')
        for frame in run.frames() if snapshots else ():
            for c in frame["counters"]:
                if c["source"] == "perf" and c["delta"]["valid"] and not c["gauge"]:
                    assert c["raw"]["running_ns"] > 0, c
                    checked += 1
    assert checked > 50, checked


@test
def pmu_group_too_big_is_split_or_missing_never_wrong(runs):
    run = runs["too_big"]
    for event in ("r08:u", "r23:u", "r12:u"):
        for row in run.rows(event):
            assert row["delta"]["valid"] == (row["raw"]["running_ns"] > 0), row
            assert row["delta"]["valid"] or row["delta"]["why"], row
    rows = run.rows("r08:u")
    counted = sum(r["delta"]["value"] for r in rows if r["delta"]["valid"])
    assert not counted or abs(counted / instructions(LOOP) - 1) < 0.1, rows


@test
def pmu_call_stacks_are_sampled_by_cycles(runs):
    run = runs["functions"]
    assert run.status == 0, f"exit status {run.status}; {run.err.strip()}"
    profile = json.loads(run.out)["functions"]
    assert profile["event"] == "cycles", profile["why"]
    assert profile["samples"] >= 20, f"{profile['samples']} samples"
    assert profile["lost"] == 0, f"{profile['lost']} lost"
    share = sum(f["self_share"]["value"] for f in profile["list"] if f["module"] == "loop")
    assert share > 80, f"{share:.1f} % in the loop"


TURNS = 1000000  # guest.sh's argument of counted.c


def own_counts(run):
    return [tuple(map(int, re.findall(r"fast (\d) instructions (\d+) (\d+) cycles (\d+) (\d+) share 1.000", line)[0]))
            for line in run.out.splitlines() if line.startswith("fast ")]


@test
def pmu_a_program_counts_itself_to_the_instruction(runs):
    for name, fast in (("own_by_read", 0), ("own_by_registers", 1)):
        counts = own_counts(runs[name])
        assert len(counts) == 3, runs[name].out or runs[name].err
        assert len(set(counts)) == 1, f"not the same each time: {counts}"
        by, once, thrice, cycles, cycles_thrice = counts[0]
        assert by == fast, f"{name} was read {'without' if by else 'with'} system calls"
        assert thrice - once == 2 * 2 * TURNS, f"{name}: {thrice - once} for {2 * TURNS} more turns of two instructions"
        assert 0 <= once - 2 * TURNS < 300, f"{name}: {once - 2 * TURNS} instructions beside the loop's"
        assert cycles_thrice - cycles == thrice - once, f"{name}: {cycles_thrice - cycles} cycles"


def brick_counts(run):
    document = json.loads(run.out)
    rows = {row["name"]: row for row in document["rows"]}
    whys = {c["name"]: c["why"] for c in document["counters"]}
    return rows["Short"], rows["Long"], whys


@test
def pmu_bricks_are_counted_to_the_instruction(runs):
    for name in ("counted_by_read", "counted_by_registers"):
        short, long, whys = brick_counts(runs[name])
        assert short["counted_calls"] == short["calls"] == 4 and short["counted_share"] == 1, short
        a, b = short["counts"]["instructions"], long["counts"]["instructions"]
        assert b - a == 4 * 2 * 2 * TURNS, f"{name}: {b - a} instructions for {8 * TURNS} more turns"
        assert 0 <= a - 4 * 2 * TURNS < 4 * 600, f"{name}: {a - 8 * TURNS} instructions beside those of four loops"
        assert whys["instructions"] == whys["cycles"] == "", whys
        assert abs(long["ipc"] - 1) < 1e-3, long


@test
def pmu_an_event_that_bricks_cannot_count_says_why(runs):
    short, _, whys = brick_counts(runs["counted_by_registers"])
    assert whys["branches"] and short["counts"]["branches"] is None, (whys, short)


@test
def pmu_the_tree_has_the_counts_of_its_bricks(runs):
    lines = [line for line in runs["counted_tree"].out.splitlines() if "Long" in line]
    assert lines and "[IPC 1.00, instructions 240" in lines[0], runs["counted_tree"].out or runs["counted_tree"].err
    assert "branches: n/a: " in runs["counted_tree"].out, runs["counted_tree"].out


def judged(run):
    assert run.out, run.err
    verdict = json.loads(run.out)
    assert verdict["instructions"], verdict["instructions_not_counted"]
    return verdict


@test
def pmu_judge_counts_the_calls_of_each_side(runs):
    half, quarter = (judged(runs[name])["instructions"] for name in ("judge_half", "judge_quarter"))
    assert abs(half["baseline"] / quarter["baseline"] - 1) < 0.02, (half, quarter)
    assert half["baseline"] > 2 * 128 * 256, half
    # a half of the turns less, then another quarter
    first, second = half["baseline"] - half["candidate"], half["candidate"] - quarter["candidate"]
    assert abs(first / second - 2) < 0.1, (half, quarter)


@test
def pmu_judge_refuses_fewer_instructions_than_the_work_takes(runs):
    verdict = judged(runs["judge_quarter"])
    assert (verdict["verdict"], verdict["guard"]) == ("refused", "floor"), verdict
    assert "instructions; the instructions that the harness says take 40000" in verdict["evidence"], verdict
    assert runs["judge_quarter"].status == 9, runs["judge_quarter"].status


@test
def pmu_judge_lets_enough_instructions_pass(runs):
    verdict = judged(runs["judge_half"])
    assert verdict["guard"] == "" and verdict["instructions"]["candidate"] > 40000, verdict


@test
def pmu_host_has_instructions_per_cycle(runs):
    ipc = runs["host_json"].metric("ipc")
    assert ipc["valid"] and 0.5 < ipc["value"] <= 1.01, ipc


@test
def pmu_host_dashboard_shows_instructions_per_cycle(runs):
    lines = [line for line in runs["host_text"].out.splitlines() if re.search(r"\bIPC\b", line)]
    assert lines, runs["host_text"].out or runs["host_text"].err
    assert any(re.search(r"\b[01]\.\d+\b", line) for line in lines), lines


@test
def pmu_running_process_is_counted_from_outside(runs):
    rows = runs["pid_json"].rows("instructions:u")
    good = [r for r in rows if r["delta"]["valid"] and r["raw"]["count"]]
    assert good, rows
    for r in good:  # one instruction a nanosecond while it is on a CPU; the kernel takes a little of that
        assert 0.9 < r["raw"]["count"] / r["raw"]["running_ns"] <= 1.001, r["raw"]


@test
def pmu_ports_of_a_cpu_without_counters_for_them_say_why(runs):
    run = runs["ports_json"]
    document = json.loads(run.out)
    assert run.status == 6, f"exit status {run.status}; {run.err.strip()}"
    assert document["schema"] == "rooftop.ports/1" and document["cpu_key"] == "armv8", document
    assert "Arm has no counter for a pipe, and this CPU has no counter for slots" in document["note"], document["note"]
    # The PMU is there: nothing may be said to be missing, no row invented, and the time is what was asked for.
    assert document["missing"] is None and document["pipes"] == [], document
    assert 0.1 <= document["interval_s"] < 10 and document["target"] == "/loop 900000000000", document
    text = runs["ports_text"]
    assert text.status == 6 and document["note"] in text.out, text.out or text.err


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
