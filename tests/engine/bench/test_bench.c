/* Which time decides between two commands, by runs that were made up: what they cost is known. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/list.h"
#include "engine/bench/bench.h"
#include "support/test.h"

static uint64_t seed;

/* Evenly from 0 to 1 (D. Knuth's MMIX generator). */
static double drawn(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* What a program costs: CPU time, and time in which it waits; s. */
struct cost {
    double cpu, waits;
};

/* The machine: how much longer others keep a core at most, by CPU time, and how much CPU time
 * itself scatters, as a share. */
struct noise {
    double others, scatter;
};

static void add_run(struct bench_side *side, struct cost cost, struct noise noise, bool told)
{
    const double cpu = cost.cpu * (1 + noise.scatter * (drawn() - 0.5));
    const double mood = drawn();
    const double queued = cpu * noise.others * mood * mood;
    struct bench_sample s = {.user = cpu * 0.9, .system = cpu * 0.1};
    s.elapsed = cpu + cost.waits * (1 + noise.scatter * (drawn() - 0.5)) + queued;
    for (int c = 0; c < BENCH_COUNTERS; c++)
        s.counters[c] = NAN;
    if (told && drawn() > 0.1) /* some runs do not tell it */
        s.counters[COUNTER_QUEUED] = queued;
    LIST_ROOM(side->samples, side->n, side->cap);
    side->samples[side->n++] = s;
}

struct made {
    const char *what;
    struct cost first, second;
    struct noise noise;
    bool not_told, cpu_time;
    enum ratio_verdict verdict;
    bool by_cpu;
};

static struct bench_answer answer_of(const struct made *m, size_t pairs)
{
    struct bench b = {.sides = 2, .plan = {.confidence = 0.99, .margin = 0.01}};
    b.plan.cpu_time = m->cpu_time;
    for (size_t i = 0; i < pairs; i++) {
        add_run(&b.side[0], m->first, m->noise, !m->not_told);
        add_run(&b.side[1], m->second, m->noise, !m->not_told);
    }
    const struct bench_answer a = bench_answer_of(&b);
    bench_free(&b);
    return a;
}

static const struct noise busy = {6, 0.03}, quiet = {0.01, 0.01};

TEST(the_time_that_decides)
{
    const struct made cases[] = {
        {.what = "a gain on a quiet machine",
         .first = {1, 0},
         .second = {0.95, 0},
         .noise = quiet,
         .verdict = VERDICT_FASTER},
        {.what = "a gain on a busy one",
         .first = {1, 0},
         .second = {0.95, 0},
         .noise = busy,
         .verdict = VERDICT_FASTER,
         .by_cpu = true},
        {.what = "a loss on a busy one",
         .first = {1, 0},
         .second = {1.05, 0},
         .noise = busy,
         .verdict = VERDICT_SLOWER,
         .by_cpu = true},
        {.what = "the same on a busy one",
         .first = {1, 0},
         .second = {1, 0},
         .noise = {6, 0.005},
         .verdict = VERDICT_EQUIVALENT,
         .by_cpu = true},
        {.what = "less CPU time, and waits that eat it up",
         .first = {1, 0},
         .second = {0.95, 0.05},
         .noise = busy},
        {.what = "less CPU time, and waits that cost more",
         .first = {1, 0.2},
         .second = {0.95, 0.35},
         .noise = busy},
        {.what = "threads that no longer work side by side",
         .first = {1.05, -0.5},
         .second = {1, 0},
         .noise = busy},
        {.what = "it waits less, with the CPU time that it had",
         .first = {1, 0.3},
         .second = {1, 0},
         .noise = busy},
        {.what = "waits that cost more, on a quiet one",
         .first = {1, 0},
         .second = {0.95, 0.2},
         .noise = quiet,
         .verdict = VERDICT_SLOWER},
        {.what = "nobody tells how long others had the core",
         .first = {1, 0},
         .second = {0.95, 0},
         .noise = busy,
         .not_told = true},
        {.what = "CPU time is what was asked for",
         .first = {1, 0},
         .second = {0.95, 0.5},
         .noise = busy,
         .cpu_time = true,
         .verdict = VERDICT_FASTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int turn = 0; turn < 20; turn++) {
            seed = (uint64_t)turn + 1;
            const struct bench_answer a = answer_of(&cases[i], 60);
            if (a.verdict != cases[i].verdict || a.by_cpu != cases[i].by_cpu)
                fail_msg("%s, turn %d: %s%s; %g, CPU time %g, without the queue %g", cases[i].what,
                         turn, verdict_name(a.verdict), a.by_cpu ? " by CPU time" : "",
                         a.measured.estimate, a.cpu.estimate, a.unqueued.estimate);
            const struct interval *from = bench_answer_ratio(&a);
            assert_true(from == (a.by_cpu ? &a.cpu : &a.measured));
        }
}

/* One in a hundred at most, by either time, whenever it is looked at. */
TEST(a_program_beside_itself_is_not_faster)
{
    int wrong = 0;
    for (int turn = 0; turn < 200; turn++) {
        const struct made m = {.first = {1, 0},
                               .second = {1, 0},
                               .noise = {.others = turn % 2 ? 6 : 0.02, .scatter = 0.05}};
        seed = 1000 + (uint64_t)turn;
        const enum ratio_verdict v = answer_of(&m, 12 + (size_t)turn % 40).verdict;
        wrong += v == VERDICT_FASTER || v == VERDICT_SLOWER;
    }
    assert_in_range(wrong, 0, 5); /* of a mean of 2 at most */
}
