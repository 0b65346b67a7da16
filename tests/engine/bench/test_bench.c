/* Which time decides between two commands, by runs that were made up: what they cost is known. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/list.h"
#include "engine/bench/runner.h"
#include "support/sanitized.h"
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

/* --- when it ends --- */

static struct cost costs[2]; /* of the programs "0" and "1" */
static struct noise made_noise;

static int run_made(char **const argv[], size_t n, const int *cpus, struct bench_sample *out,
                    struct error *err)
{
    (void)cpus, (void)err;
    for (size_t i = 0; i < n; i++) {
        struct bench_side one = {.n = 0};
        add_run(&one, costs[argv[i][0][0] - '0'], made_noise, true);
        out[i] = one.samples[0];
        free(one.samples);
    }
    return 0;
}

static void no_conditions(struct bench_conditions *out)
{
    *out = (struct bench_conditions){.commit = ""};
}

static void no_compiler(const char *name, char *out, size_t size)
{
    (void)name, (void)size;
    *out = '\0';
}

static const struct runner_ops made_runner = {
    .run = run_made, .conditions = no_conditions, .compiler = no_compiler};

/* Pairs until it ends, of 400 at most; *v: the verdict then. */
static size_t count_pairs(double second, double scatter, bool to_precision, enum ratio_verdict *v)
{
    struct error err = ERROR_INIT;
    char zero[] = "0", one[] = "1";
    char *argv[2][2] = {{zero, NULL}, {one, NULL}};
    struct bench b = {.sides = 2, .side = {{.argv = argv[0]}, {.argv = argv[1]}}};
    b.plan = (struct bench_plan){.confidence = 0.99,
                                 .margin = 0.01,
                                 .precision = 0.01,
                                 .to_precision = to_precision,
                                 .for_s = 1e6,
                                 .runs = 400};
    costs[0] = (struct cost){1, 0};
    costs[1] = (struct cost){second, 0};
    made_noise = (struct noise){0, scatter};
    assert_int_equal(bench_measure(&b, &made_runner, &err), 0);
    *v = bench_answer_of(&b).verdict;
    const size_t n = b.side[0].n;
    bench_free(&b);
    return n;
}

/* A ratio of 8 needs no interval of 1 %; a small difference does. */
TEST(it_ends_as_soon_as_a_difference_is_clear)
{
    enum ratio_verdict v;
    seed = 7;
    const size_t clear = count_pairs(8, 0.4, false, &v);
    assert_int_equal(v, VERDICT_SLOWER);
    assert_in_range(clear, 8, 40);
    assert_in_range(count_pairs(8, 0.4, true, &v), 2 * clear, 400); /* asked for */
    assert_in_range(count_pairs(1.0 / 8, 0.4, false, &v), 8, 40);
    assert_int_equal(v, VERDICT_FASTER);
    count_pairs(1.05, 0.02, false, &v);
    assert_int_equal(v, VERDICT_SLOWER);
    count_pairs(1, 0.4, false, &v);
    assert_int_equal(v, VERDICT_NOT_DECIDED);
}

/* The promise holds for where it ends, too: of 100 runs of one program beside itself, each looked
 * at after every few pairs, one may call it slower or faster. */
TEST(an_early_end_calls_no_program_slower_than_itself)
{
    enum { TURNS = SANITIZED ? 20 : 100 };
    int wrong = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        enum ratio_verdict v;
        seed = 5000 + (uint64_t)turn;
        count_pairs(1, 0.6, false, &v);
        wrong += v == VERDICT_SLOWER || v == VERDICT_FASTER;
    }
    assert_in_range(wrong, 0, 4);
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
