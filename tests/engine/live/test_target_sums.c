/* The sums over what is watched, with processes that are made up: each story has a truth. */
#include <string.h>

#include "engine/live/target_sums.h"
#include "support/test.h"

static struct host *host;
static struct target_sums *sums;
static struct snapshot *now; /* the newest one */
static double clock_s;

enum { PROCS = 16 };
struct life {
    pid_t pid, ppid;
    double cpu, waited_cpu, faults, waited_faults;
    uint64_t rss;
    bool stranger; /* not watched */
    char state;
};

FIXTURE(begin_sums)
{
    host = host_new();
    host->ncpus = 4;
    sums = target_sums_new();
    clock_s = 100;
}

FIXTURE(end_sums)
{
    snapshot_unref(now);
    now = NULL;
    target_sums_free(sums);
    host_unref(host);
    snapshot_pool_drain();
}

/* The sample of these processes, in the order of their numbers, a second after the one before. */
static struct snapshot *make_sample(const struct life *l, size_t n)
{
    struct snapshot *s = snapshot_new(host);
    s->target_kind = TARGET_PIDS;
    s->interval_s = clock_s > 100 ? 1 : 0;
    s->time_ns = (uint64_t)(clock_s * 1e9);
    s->uptime_s = value_ok(clock_s, UNIT_SECONDS);
    s->total.busy = value_ok(90, UNIT_PERCENT);
    s->procs = snapshot_alloc(s, PROCS * sizeof *s->procs);
    for (size_t i = 0; i < n; i++)
        s->procs[s->nprocs++] = (struct proc){
            .pid = l[i].pid,
            .ppid = l[i].ppid,
            .start_ticks = (uint64_t)l[i].pid, /* later ones have higher numbers here */
            .started_s = 90,
            .state = l[i].state ? l[i].state : 'S',
            .threads = 2,
            .watched = !l[i].stranger,
            .rss = l[i].rss,
            .own = {l[i].cpu, l[i].faults, 0},
            .waited = {l[i].waited_cpu, l[i].waited_faults, 0},
        };
    clock_s += 1;
    return s;
}

static const struct target_use *add_sample(struct snapshot *s)
{
    target_sums_add(sums, s);
    snapshot_unref(now);
    now = s;
    return &s->use;
}

static const struct target_use *sample(const struct life *l, size_t n)
{
    return add_sample(make_sample(l, n));
}
#define SAMPLE(...)                                                                                \
    sample((const struct life[]){__VA_ARGS__},                                                     \
           sizeof((const struct life[]){__VA_ARGS__}) / sizeof(struct life))

static void value_is(const struct value *v, double want)
{
    assert_int_equal(v->validity, VALUE_OK);
    assert_float_equal(v->v, want, 1e-6);
}

TEST_WITH(sums_are_of_watched_processes, begin_sums, end_sums)
{
    const struct target_use *u =
        SAMPLE({10, 1, .cpu = 50, .faults = 900, .rss = 100}, {11, 10, .cpu = 1, .rss = 20},
               {12, 1, .cpu = 7, .rss = 5000, .stranger = true});
    assert_int_equal(u->processes, 2);
    assert_int_equal(u->threads, 4);
    value_is(&u->memory, 120);
    value_is(&u->cpu_time, 0); /* what was used before it was watched does not count */
    assert_int_equal(u->cpu.validity, VALUE_PENDING);
    u = SAMPLE({10, 1, .cpu = 50.5, .faults = 1000, .rss = 90}, {11, 10, .cpu = 1.25, .rss = 20},
               {12, 1, .cpu = 8, .rss = 5000, .stranger = true});
    value_is(&u->cpu, 75);
    value_is(&u->others, 90 - 75.0 / 4);
    value_is(&u->cpu_time, 0.75);
    value_is(&u->fault_rate, 100);
    value_is(&u->memory, 110);
    value_is(&u->memory_peak, 120);
    value_is(&u->elapsed, 101 - 90);
}

/* A child ends; its parent is told of it in the same sample. */
TEST_WITH(time_of_an_ended_child_counts_once, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.4});
    const struct target_use *u = SAMPLE({10, 1, .cpu = 0, .waited_cpu = 0.7});
    value_is(&u->cpu_time, 0.7);
    value_is(&u->cpu, 30); /* what it used after it was seen last */
}

/* The parent was read before its child ended: what it was told of comes a sample later. */
TEST_WITH(a_parent_may_be_told_a_sample_later, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.4});
    value_is(&SAMPLE({10, 1, .cpu = 0})->cpu_time, 0.4);
    value_is(&SAMPLE({10, 1, .cpu = 0, .waited_cpu = 0.7})->cpu_time, 0.7);
    value_is(&SAMPLE({10, 1, .cpu = 0.1, .waited_cpu = 0.7})->cpu_time, 0.8);
}

/* Samples are faster than the readings: parent and grandparent are told one after the other. */
TEST_WITH(what_is_owed_outlives_a_sample, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.4}, {12, 11, .cpu = 0.2});
    clock_s -= 0.95;
    value_is(&SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.4})->cpu_time, 0.6);
    clock_s -= 0.95;
    value_is(&SAMPLE({10, 1, .cpu = 0})->cpu_time, 0.6);
    clock_s -= 0.95;
    value_is(&SAMPLE({10, 1, .cpu = 0})->cpu_time, 0.6);
    value_is(&SAMPLE({10, 1, .cpu = 0, .waited_cpu = 0.7})->cpu_time, 0.7);
}

/* Five samples a second, but a child is seen once a second: what it used of its CPU in that second
 * is no more than all of it, and it does not rest in between. */
TEST_WITH(rates_are_over_the_second_in_which_processes_are_read, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    for (int i = 1; i <= 4; i++) {
        clock_s -= 0.8;
        SAMPLE({10, 1, .cpu = 0});
    }
    clock_s -= 0.8;
    const struct target_use *u = SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.8, .faults = 300});
    value_is(&u->cpu, 80);
    value_is(&u->fault_rate, 300);
    clock_s -= 0.8;
    u = SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.8, .faults = 300});
    value_is(&u->cpu, 80);
    for (int i = 1; i <= 4; i++) {
        clock_s -= 0.8;
        u = SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.8, .faults = 300});
    }
    value_is(&u->cpu, 0); /* it rests since a second */
}

TEST_WITH(a_child_that_was_never_seen_counts, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    value_is(&SAMPLE({10, 1, .cpu = 0, .waited_cpu = 0.5})->cpu_time, 0.5);
}

/* Nobody waits for it: its parent ignores SIGCHLD, or it is an orphan. */
TEST_WITH(what_nobody_waits_for_keeps_its_last_number, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0.1}, {11, 10, .cpu = 0.4}, {12, 1, .cpu = 0.2});
    value_is(&SAMPLE({10, 1, .cpu = 0.1})->cpu_time, 0.7);
    value_is(&SAMPLE({10, 1, .cpu = 0.1})->cpu_time, 0.7);
    /* a child that is waited for later is not taken for the one that nobody waited for */
    value_is(&SAMPLE({10, 1, .cpu = 0.1, .waited_cpu = 0.3})->cpu_time, 1.0);
}

/* A shell ends with its own child: the grandparent is told of both at once. */
TEST_WITH(a_tree_that_ends_at_once_counts_once, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.1, .waited_cpu = 0.5}, {12, 11, .cpu = 0.3});
    value_is(&now->use.cpu_time, 0.9);
    /* 11 ended with 0.2 of its own, 0.5 of the child before and 0.4 of 12 */
    value_is(&SAMPLE({10, 1, .cpu = 0, .waited_cpu = 1.1})->cpu_time, 1.1);
}

/* A number that is used again is another process, with another start. */
TEST_WITH(a_number_may_be_used_again, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 0});
    SAMPLE({10, 1, .cpu = 0}, {11, 10, .cpu = 0.4});
    struct snapshot *s = make_sample(
        (const struct life[]){{10, 1, .cpu = 0, .waited_cpu = 0.4}, {11, 10, .cpu = 0.1}}, 2);
    s->procs[1].start_ticks = 500;
    value_is(&add_sample(s)->cpu_time, 0.5);
}

/* A process that moves into a cgroup brings nothing along. */
TEST_WITH(a_process_that_joins_counts_from_then_on, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 5});
    SAMPLE({10, 1, .cpu = 5}, {11, 1, .cpu = 40, .stranger = true});
    value_is(&SAMPLE({10, 1, .cpu = 5}, {11, 1, .cpu = 40.25})->cpu_time, 0.25);
}

/* A process that ends gives its memory back first, and a task of the kernel has none of its own. */
TEST_WITH(without_memory_there_is_no_number_of_it, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 1, .rss = 4096});
    const struct target_use *u = SAMPLE({10, 1, .cpu = 2});
    assert_int_equal(u->processes, 1);
    assert_int_equal(u->memory.validity, VALUE_MISSING);
    value_is(&u->memory_peak, 4096);
    value_is(&u->cpu, 100);
}

TEST_WITH(after_the_end_totals_stay, begin_sums, end_sums)
{
    SAMPLE({10, 1, .cpu = 1, .faults = 3, .rss = 4096});
    SAMPLE({10, 1, .cpu = 3, .faults = 8, .rss = 4096});
    const struct target_use *u = SAMPLE({99, 1, .stranger = true});
    value_is(&u->cpu_time, 2);
    value_is(&u->faults, 5);
    value_is(&u->memory_peak, 4096);
    assert_int_equal(u->memory.validity, VALUE_MISSING);
    assert_int_equal(u->cpu.validity, VALUE_MISSING);
    value_is(&u->others, 90);
}

/* wait4 knows more than the last sample did, and of a command it is told. */
TEST_WITH(a_command_that_ended_has_what_wait_told, begin_sums, end_sums)
{
    struct snapshot *s = make_sample((const struct life[]){{10, 1, .cpu = 0.5, .rss = 9}}, 1);
    s->target_kind = TARGET_COMMAND;
    s->command = (struct command_state){.pid = 10, .running = true};
    assert_int_equal(add_sample(s)->memory.validity, VALUE_PENDING); /* still held before exec */
    s = make_sample((const struct life[]){{10, 1, .cpu = 0.75, .rss = 7}}, 1);
    s->target_kind = TARGET_COMMAND;
    s->command = (struct command_state){.pid = 10, .running = true, .elapsed_s = 1};
    value_is(&add_sample(s)->cpu_time, 0.25);
    value_is(&now->use.cpu, 25); /* since that sample, not since the host started */
    value_is(&now->use.memory_peak, 7);
    s = make_sample(NULL, 0);
    s->target_kind = TARGET_COMMAND;
    s->command.pid = 10;
    s->command.elapsed_s = 1.5;
    s->command.usage = (struct command_usage){true, .user_s = 0.5, .system_s = 0.125,
                                              .minor_faults = 70, .major_faults = 2};
    value_is(&add_sample(s)->cpu_time, 0.625);
    value_is(&now->use.faults, 72);
    value_is(&now->use.major_faults, 2);
    value_is(&now->use.elapsed, 1.5);
}

/* --- the slope of memory --- */

static const struct value *let_grow(int samples, double bytes_per_s, double noise)
{
    for (int i = 0; i < samples; i++) {
        const double bytes = 1e8 + bytes_per_s * (clock_s - 100) + (i % 2 ? noise : -noise);
        SAMPLE({10, 1, .rss = (uint64_t)bytes});
    }
    return &now->use.memory_slope;
}

TEST_WITH(memory_that_grows_has_a_slope, begin_sums, end_sums)
{
    const double slope = 50.0 * 1024 * 1024;
    assert_int_equal(let_grow(4, slope, 0)->validity, VALUE_PENDING);
    const struct value *v = let_grow(30, slope, 1e6);
    assert_int_equal(v->validity, VALUE_OK);
    assert_float_equal(v->v, slope, slope / 50);
}

TEST_WITH(memory_that_stays_or_sways_has_none, begin_sums, end_sums)
{
    assert_int_equal(let_grow(30, 0, 0)->validity, VALUE_MISSING);
    assert_int_equal(let_grow(30, 0, 3e7)->validity, VALUE_MISSING);
    assert_int_equal(let_grow(30, 4096, 0)->validity,
                     VALUE_MISSING); /* sure, and not worth a word */
}

/* It is about the last seconds: what grew before does not count any more. */
TEST_WITH(a_slope_forgets, begin_sums, end_sums)
{
    let_grow(30, 5e7, 0);
    for (int i = 0; i < 10; i++)
        SAMPLE({10, 1, .rss = 2000000000});
    assert_int_equal(now->use.memory_slope.validity, VALUE_MISSING);
}

TEST_WITH(the_host_has_no_sums, begin_sums, end_sums)
{
    struct snapshot *s = make_sample((const struct life[]){{10, 1, .cpu = 0.5, .rss = 9}}, 1);
    s->target_kind = TARGET_HOST;
    assert_int_equal(add_sample(s)->cpu.validity, VALUE_MISSING);
    assert_non_null(now->use.memory.why);
}
