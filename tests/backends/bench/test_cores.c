/* Which two cores a duet gets: idle ones, of different cores, by recorded trees of /proc and /sys.
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/bench/bench_impl.h"
#include "base/env.h"
#include "support/test.h"

enum { CPUS = 8 };

/* Eight CPUs, i and i + 4 on a core; each with so much busy time of so much. */
static void fill(struct cores *c, const uint64_t *busy, uint64_t total)
{
    *c = (struct cores){.cpu = calloc(CPUS, sizeof *c->cpu), .n = CPUS};
    for (int i = 0; i < CPUS; i++)
        c->cpu[i] = (struct cpu_state){
            .allowed = true, .core = i % 4, .busy = busy ? busy[i] : 0, .total = total};
}

TEST(the_idlest_cores_are_chosen)
{
    static const struct {
        uint64_t busy[CPUS]; /* of 100 */
        int first, second;
        double most; /* busy share of the two */
    } cases[] = {
        {{0, 0, 0, 0, 0, 0, 0, 0}, 0, 1, 0},       {{90, 0, 0, 0, 0, 0, 0, 0}, 1, 2, 0},
        {{0, 0, 0, 0, 90, 0, 0, 0}, 1, 2, 0}, /* the other thread of core 0 */
        {{50, 60, 5, 70, 0, 0, 0, 1}, 0, 2, 0.5},  {{50, 40, 30, 20, 0, 0, 0, 0}, 2, 3, 0.3},
        {{20, 30, 40, 50, 0, 0, 0, 0}, 0, 1, 0.3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cores before, after;
        struct error err = ERROR_INIT;
        int cpu[2];
        double busy[2];
        fill(&before, NULL, 1000);
        fill(&after, cases[k].busy, 1100);
        assert_int_equal(cores_choose(&before, &after, cpu, busy, &err), 0);
        if (cpu[0] != cases[k].first || cpu[1] != cases[k].second ||
            fabs(fmax(busy[0], busy[1]) - cases[k].most) > 1e-9)
            fail_msg("case %zu: CPUs %d and %d, %g and %g", k, cpu[0], cpu[1], busy[0], busy[1]);
        cores_free(&before);
        cores_free(&after);
    }
}

TEST(one_core_is_too_few_and_no_times_are_unknown)
{
    struct cores before, after;
    struct error err = ERROR_INIT;
    int cpu[2];
    double busy[2];
    fill(&before, NULL, 5);
    fill(&after, NULL, 5); /* no time passed */
    assert_int_equal(cores_choose(&before, &after, cpu, busy, &err), 0);
    assert_true(cpu[0] == 0 && cpu[1] == 1 && isnan(busy[0]) && isnan(busy[1]));
    for (int i = 0; i < CPUS; i++)
        after.cpu[i].allowed = i % 4 == 2; /* both threads of one core */
    assert_true(cores_choose(&before, &after, cpu, busy, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    cores_free(&before);
    cores_free(&after);
}

/* This machine: what the kernel allows, and that time passes. */
TEST(this_machine_is_read)
{
    struct cores c;
    cpu_set_t set;
    cores_read(&c);
    assert_true(c.n >= 1024);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (size_t i = 0; i < CPU_SETSIZE; i++)
            assert_int_equal(c.cpu[i].allowed, CPU_ISSET(i, &set) != 0);
    int known = 0;
    for (size_t i = 0; i < c.n; i++) {
        assert_true(c.cpu[i].busy <= c.cpu[i].total);
        known += c.cpu[i].allowed && c.cpu[i].total > 0;
    }
    assert_true(known > 0);
    cores_free(&c);
}
