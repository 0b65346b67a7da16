/*
 * Verdicts on simulated times: a machine that drifts, spikes, and gives each process a layout of
 * its own, with a clock that moves with them. The same seeds give the same verdicts anywhere. (One
 * thread: not for TSan.)
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_floor.h"
#include "engine/judge/judge_inputs.h"
#include "support/test.h"

struct machine {
    double instructions[2]; /* of a call; 0: not counted */
    uint64_t state;         /* of the random numbers */
    double gain;            /* time of the candidate by time of the baseline */
    double cold;            /* the same with cold caches */
    double waits;           /* what goes by, by CPU time, of the candidate; 0: not known */
    double drift;           /* what the machine has become slower by, as a share */
    uint64_t now_ns;        /* moves with what is taken */
    size_t taken, refuse_at;
};

static double share(struct machine *m)
{
    return (double)(judge_random(&m->state) >> 11) * 0x1p-53;
}

/* A batch of 2 ms: 1 % of noise, drift, a spike in 20, and one of three layouts, up to 4 % apart.
 */
static double batch_ns(struct machine *m, double factor)
{
    static const double layouts[] = {1, 1.015, 1.04};
    double noise = 0;
    for (int i = 0; i < 12; i++)
        noise += share(m);
    m->drift = 0.99 * m->drift + 0.004 * (share(m) - 0.5);
    const double spike = share(m) < 0.05 ? 1 + 2 * share(m) : 1;
    const double layout = layouts[judge_random(&m->state) % 3];
    const double ns = 2e6 * factor * layout * spike * (1 + m->drift) * (1 + 0.01 * (noise - 6));
    m->now_ns += (uint64_t)ns + 8000000; /* with what a process takes to start */
    return ns;
}

static int take(void *ctx, bool cold, struct judge_pair *out, struct error *err)
{
    struct machine *m = ctx;
    const unsigned first = judge_random(&m->state) & 1;
    (void)err;
    if (++m->taken == m->refuse_at)
        return 1;
    out->calls = 10;
    for (unsigned i = 0; i < 2; i++)
        out->ns[first ^ i] = batch_ns(m, (first ^ i) == 0 ? 1 : cold ? m->cold : m->gain);
    for (unsigned i = 0; i < 2 && m->waits > 0; i++)
        out->elapsed_ns[i] = out->ns[i] * (i == 1 ? m->waits : 1);
    for (unsigned i = 0; i < 2;
         i++) /* some pairs are not counted, and one has a process with more */
        out->instructions[i] = m->taken % 4 == 3 || m->instructions[i] == 0 ? NAN
                               : m->taken == 2                              ? 1e9
                                               : 10 * m->instructions[i];
    return 0;
}

static uint64_t now_ns(void *ctx)
{
    const struct machine *m = ctx;
    return m->now_ns;
}

static struct judge_result decide(struct machine *m, double for_s, int rc)
{
    const struct judge_plan plan = {.for_s = for_s, .margin = 0.01, .confidence = 0.99};
    const struct judge_pairs pairs = {.take = take, .now_ns = now_ns, .ctx = m};
    struct judge_result r = {.verdict = JUDGE_NOT_DECIDED};
    struct error err = ERROR_INIT;
    assert_int_equal(judge_decide(&plan, &pairs, &r, &err), rc);
    return r;
}

/* What is equal is called faster at most once of 1,000 times. */
TEST(the_same_is_not_faster)
{
    enum { TIMES = 1000 };
    size_t faster = 0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        struct machine m = {.state = seed, .gain = 1, .cold = 1};
        faster += decide(&m, 4, 0).verdict == JUDGE_FASTER;
    }
    assert_true(faster <= 1);
}

/* A gain of 3 % is found, confirmed, in 95 of 100 times, before a minute of the machine is over. */
TEST(three_percent_are_found)
{
    enum { TIMES = 100 };
    size_t faster = 0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        struct machine m = {.state = seed, .gain = 0.97, .cold = 0.97};
        const struct judge_result r = decide(&m, 10, 0);
        faster += r.verdict == JUDGE_FASTER;
        assert_true(m.now_ns < UINT64_C(60000000000));
    }
    if (faster < 95)
        fail_msg("%zu of %d", faster, TIMES);
}

TEST(large_factors_are_found_both_ways)
{
    struct machine fast = {.state = 3, .gain = 0.2, .cold = 0.2},
                   slow = {.state = 3, .gain = 5, .cold = 5};
    struct judge_result r = decide(&fast, 10, 0);
    assert_int_equal(r.verdict, JUDGE_FASTER);
    assert_true(fabs(r.confirmed.estimate - 0.2) < 0.02);
    assert_true(r.confirming_pairs >= 8);
    assert_int_equal(r.calls, 10 * (r.pairs + r.confirming_pairs));
    assert_true(fabs(r.baseline_ns - 2e5) < 4e4 && fabs(r.candidate_ns - 4e4) < 8e3);
    r = decide(&slow, 10, 0);
    assert_int_equal(r.verdict, JUDGE_SLOWER);
    assert_int_equal(r.confirming_pairs, 0);
}

TEST(faster_only_with_warm_caches_is_refused)
{
    struct machine m = {.state = 5, .gain = 0.97, .cold = 1.5};
    assert_int_equal(decide(&m, 10, 1).refusal.guard, GUARD_COLD);
}

/* Half of the CPU time: with twice the time that goes by it waits; with as much as its CPU time
 * says, or a machine that takes turns from both, it does not. */
TEST(what_waits_is_refused)
{
    struct machine m = {.state = 12, .gain = 0.5, .cold = 0.5, .waits = 4};
    const struct judge_result r = decide(&m, 10, 1);
    assert_int_equal(r.refusal.guard, GUARD_WAITS);
    assert_non_null(strstr(r.refusal.evidence, "what goes by is 2."));
    m = (struct machine){.state = 12, .gain = 0.5, .cold = 0.5, .waits = 1};
    assert_int_equal(decide(&m, 10, 0).verdict, JUDGE_FASTER);
    m = (struct machine){.state = 12, .gain = 0.5, .cold = 0.5, .waits = 1.9};
    assert_int_equal(decide(&m, 10, 0).verdict, JUDGE_FASTER);
}

TEST(too_good_is_held)
{
    struct machine m = {.state = 7, .gain = 0.05, .cold = 0.05};
    const struct judge_result r = decide(&m, 10, 1);
    assert_int_equal(r.refusal.guard, GUARD_REVIEW);
    assert_non_null(strstr(r.refusal.evidence, "times as fast"));
}

/* A call of the baseline takes 200 us, one of the candidate 100. */
TEST(below_the_roofs_is_refused)
{
    static const struct {
        double floor_ns;
        int rc;
    } cases[] = {{NAN, 0}, {0, 0}, {90e3, 0}, {160e3, 1}, {400e3, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {.state = 11, .gain = 0.5, .cold = 0.5};
        struct judge_plan plan = {.for_s = 10, .margin = 0.01, .confidence = 0.99};
        const struct judge_pairs pairs = {.take = take, .now_ns = now_ns, .ctx = &m};
        struct judge_result r = {.verdict = JUDGE_NOT_DECIDED};
        struct error err = ERROR_INIT;
        plan.floor = (struct judge_floor){.ns = cases[i].floor_ns, .why = "9 bytes"};
        assert_int_equal(judge_decide(&plan, &pairs, &r, &err), cases[i].rc);
        if (cases[i].rc == 0)
            continue;
        assert_int_equal(r.refusal.guard, GUARD_FLOOR);
        assert_non_null(strstr(r.refusal.evidence, "9 bytes take 160 us"));
    }
}

/* Refused is only who is below, where the baseline is not, and where both were counted. */
TEST(too_few_instructions_are_refused)
{
    static const struct {
        double need, baseline, candidate, gain;
        int rc;
    } cases[] = {
        {1000, 1500, 999, 0.5, 1}, {1000, 1500, 1000, 0.5, 0}, {1000, 999, 500, 0.5, 0},
        {1000, 0, 0, 0.5, 0},      {1000, 0, 500, 0.5, 0},     {1000, 1500, 0, 0.5, 0},
        {NAN, 1500, 1, 0.5, 0},    {0, 1500, 1, 0.5, 0},       {1000, 1000, 999, 1, 1},
        {1000, 1000, 999, 1.3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {.instructions = {cases[i].baseline, cases[i].candidate},
                            .state = 11,
                            .gain = cases[i].gain,
                            .cold = cases[i].gain};
        struct judge_plan plan = {.for_s = 10, .margin = 0.01, .confidence = 0.99};
        const struct judge_pairs pairs = {.take = take, .now_ns = now_ns, .ctx = &m};
        struct judge_result r = {.verdict = JUDGE_NOT_DECIDED};
        struct error err = ERROR_INIT;
        plan.need = (struct judge_need){.instructions = cases[i].need, .why = "these terms"};
        assert_int_equal(judge_decide(&plan, &pairs, &r, &err), cases[i].rc);
        for (int side = 0; side < 2; side++)
            assert_true(m.instructions[side] > 0 ? r.instructions[side] == m.instructions[side]
                                                 : isnan(r.instructions[side]));
        if (cases[i].rc == 0)
            continue;
        assert_int_equal(r.refusal.guard, GUARD_FLOOR);
        assert_string_equal(r.refusal.evidence,
                            "a call takes 999 instructions; these terms take 1000");
        plan.allow[GUARD_FLOOR] = true;
        assert_int_equal(judge_decide(&plan, &pairs, &r, &err), 0);
    }
}

/* By hand: 800 operations at 16 are 50 instructions, 640 bytes at 64 are 10. What is read, and what
 * is returned, is not stored. */
TEST(instructions_follow_from_the_work)
{
    struct judge_instruction cpu = {.name = "WIDE", .operations = 16, .stored = 64};
    struct harness h = {.n = 3, .work_flops = 800, .result = JUDGE_FLOAT32};
    struct judge_need need;
    for (size_t i = 0; i < 4; i++)
        h.arguments[i] = (struct judge_argument){.type = JUDGE_FLOAT32,
                                                 .array = true,
                                                 .length = i < 3 ? 160 : 1,
                                                 .direction = i == 0   ? JUDGE_IN
                                                              : i == 1 ? JUDGE_INOUT
                                                                       : JUDGE_OUT};
    judge_need_of(&need, &h, &cpu);
    assert_true(need.instructions == 60);
    assert_string_equal(need.why, "800 operations at 16 an instruction, 640 bytes stored at 64 an "
                                  "instruction (WIDE)");
    cpu.stored = 0;
    cpu.no_stores = "one copies all";
    judge_need_of(&need, &h, &cpu);
    assert_true(need.instructions == 50);
    h.work_flops = 0;
    judge_need_of(&need, &h, &cpu);
    assert_true(isnan(need.instructions));
    assert_string_equal(need.why,
                        "the harness says neither instructions nor flops; one copies all");
    h.work_flops = 800;
    cpu.operations = 0;
    cpu.no_operations = "tiles";
    judge_need_of(&need, &h, &cpu);
    assert_true(isnan(need.instructions));
    assert_string_equal(need.why, "tiles");
    h.work_instructions = 77;
    judge_need_of(&need, &h, &cpu);
    assert_true(need.instructions == 77);
}

/* By hand: 800 bytes at 100 GB/s are 8 ns; 1000 operations at 20 GFLOP/s 50 ns. */
TEST(floors_follow_from_roofs)
{
    struct harness h = {.n = 1, .work_bytes = 800};
    struct cpu_roofs roofs = {.none = "nobody measured", .cpus = 0};
    struct judge_floor f;
    h.arguments[0] = (struct judge_argument){.type = JUDGE_FLOAT64, .array = true, .length = 50};
    judge_floor_of(&f, &h, &roofs);
    assert_true(isnan(f.ns));
    assert_string_equal(f.why, "nobody measured");
    roofs.cpus = 2;
    judge_floor_of(&f, &h, &roofs);
    assert_true(isnan(f.ns));
    roofs.bytes[CPU_L1].one = 100e9;
    roofs.flops[CPU_256][CPU_F64].one = 20e9;
    roofs.flops[CPU_512][CPU_F32].one = 90e9;
    judge_floor_of(&f, &h, &roofs);
    assert_true(fabs(f.ns - 8) < 1e-9);
    assert_string_equal(f.why, "800 B at 100 GB/s");
    h.work_flops = 1000;
    judge_floor_of(&f, &h, &roofs);
    assert_true(fabs(f.ns - 50) < 1e-9);
    h.arguments[0].type = JUDGE_FLOAT32;
    judge_floor_of(&f, &h, &roofs);
    assert_true(fabs(f.ns - 1000 / 90.0) < 1e-9);
    assert_string_equal(f.why, "1.00 k operations at 90.0 GFLOP/s");
}

/* A refusal while the first series is confirmed is one. */
TEST(a_refusal_ends_it)
{
    struct machine m = {.state = 9, .gain = 0.5, .cold = 0.5};
    const size_t pairs = decide(&m, 10, 0).pairs;
    m = (struct machine){.state = 9, .gain = 0.5, .cold = 0.5, .refuse_at = pairs + 2};
    decide(&m, 10, 1);
    assert_int_equal(m.taken, pairs + 2);
}
