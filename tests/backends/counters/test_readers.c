#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "backends/counters/perf_impl.h"
#include "backends/perf_common/explain.h"
#include "base/env.h"
#include "support/fake_perf.h"
#include "support/test.h"

enum { LONG_WAIT = 2000000000, CPUS = 4 };

static struct fake_perf *fake;
static char root[64];
static bool cpus[TARGET_MAX_CPUS];
static int position[TARGET_MAX_CPUS];
static struct perf_encoding enc[4];
static struct group_plan *the_plan;
static struct readers *readers;
static struct tally tally;

static void online(const char *list)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/online", root);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%s\n", list);
    fclose(f);
}

static uint64_t a_second_later(void *ctx)
{
    uint64_t *ns = ctx;
    return *ns += 1000000000;
}

FIXTURE(setup)
{
    char path[128];
    const char *dirs[] = {"", "/sys", "/sys/devices", "/sys/devices/system",
                          "/sys/devices/system/cpu"};
    snprintf(root, sizeof root, "/tmp/rooftop-readers-%d", (int)getpid());
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        snprintf(path, sizeof path, "%s%s", root, dirs[i]);
        mkdir(path, 0700);
    }
    static uint64_t ns;
    env_set_root(root);
    env_set_clock(a_second_later, &ns);
    online("0-3");
    fake = fake_perf_new();
    for (int i = 0; i < TARGET_MAX_CPUS; i++) {
        cpus[i] = i < CPUS;
        position[i] = i < CPUS ? i : -1;
    }
}

FIXTURE(teardown)
{
    char path[128];
    readers_free(readers);
    readers = NULL;
    tally_free(&tally);
    group_plan_free(the_plan);
    fake_perf_free(fake);
    const char *names[] = {"/sys/devices/system/cpu/online",
                           "/sys/devices/system/cpu",
                           "/sys/devices/system",
                           "/sys/devices",
                           "/sys",
                           ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", root, names[i]);
        remove(path);
    }
    env_set_root(NULL);
    env_set_clock(NULL, NULL);
}

static void begin(size_t n, int cgroup_fd, bool uncore_only)
{
    struct plan_event ev[4];
    for (size_t i = 0; i < n; i++)
        ev[i] = (struct plan_event){&enc[i], 0};
    the_plan = group_plan_new(ev, n, &(struct plan_limits){6, 0, 4});
    readers = readers_new(&(struct readers_config){&fake->sys, cpus, cgroup_fd, uncore_only, 0},
                          the_plan);
}

static void sample(void)
{
    tally_free(&tally);
    tally_init(&tally, the_plan, CPUS);
    readers_sample(readers, LONG_WAIT, position, &tally);
}

TEST_WITH(every_cpu_is_counted_by_its_reader, setup, teardown)
{
    enc[0] = fake_core(0x76);
    for (int c = 0; c < CPUS; c++)
        fake_perf_script(
            fake, (struct fake_script){PERF_TYPE_RAW,
                                       0x76,
                                       c,
                                       -1,
                                       {{0, 0, 0, false}, {(uint64_t)c * 10 + 10, 100, 50, false}},
                                       2});
    begin(1, -1, false);
    assert_int_equal(readers_count(readers), CPUS);
    sample();
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[0].places, 4);
    assert_int_equal(tally.sum[0].raw, 10 + 20 + 30 + 40);
    assert_float_equal(tally.sum[0].scaled, 200, 1e-9);
    assert_int_equal(tally.cpu[3].raw, 40);
    assert_int_equal(tally.late, 0);
}

TEST_WITH(an_offline_cpu_comes_back, setup, teardown)
{
    enc[0] = fake_core(0x76);
    begin(1, -1, false);
    sample();
    assert_int_equal(fake_perf_open_count(fake), 4);
    online("0-2");
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.offline, 1);
    assert_int_equal(tally.sum[0].places, 3);
    assert_int_equal(tally.cpu_err[3], EXPLAIN_OFFLINE);
    assert_int_equal(fake_perf_open_count(fake), 3);
    online("0-3");
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.offline, 0);
    assert_int_equal(fake_perf_open_count(fake), 4);
}

TEST_WITH(uncore_is_read_on_its_cpus_only, setup, teardown)
{
    enc[0] = fake_core(0x02);
    enc[0].scope = EVENT_UNCORE;
    strcpy(enc[0].pmu, "power");
    strcpy(enc[0].cpumask, "0,2");
    enc[1] = fake_core(0x76);
    begin(2, -1, false);
    sample();
    assert_int_equal(tally.sum[the_plan->groups[the_plan->where[0].group].first].places, 2);
    assert_int_equal(fake_perf_open_count(fake), 4 + 2);
}

TEST_WITH(with_tasks_only_uncore_is_read, setup, teardown)
{
    enc[0] = fake_core(0x02);
    enc[0].scope = EVENT_UNCORE;
    strcpy(enc[0].cpumask, "1");
    enc[1] = fake_core(0x76);
    begin(2, -1, true);
    assert_int_equal(readers_count(readers), 1);
    sample();
    assert_int_equal(fake_perf_open_count(fake), 1);
}

TEST_WITH(hybrid_pmus_are_read_on_their_cpus, setup, teardown)
{
    enc[0] = enc[1] = fake_core(0x3c);
    strcpy(enc[0].pmu, "cpu_core");
    strcpy(enc[0].cpumask, "0-1");
    strcpy(enc[1].pmu, "cpu_atom");
    strcpy(enc[1].cpumask, "2-3");
    enc[1].type = 10;
    begin(2, -1, false);
    sample();
    assert_int_equal(tally.sum[0].places, 2);
    assert_int_equal(tally.sum[1].places, 2);
    assert_int_equal(tally.cpu[3].places, 0);
    assert_int_equal(tally.cpu[CPUS + 3].places, 1);
}

TEST_WITH(a_cgroup_is_counted_on_every_cpu, setup, teardown)
{
    enc[0] = fake_software(1);
    begin(1, 77, false);
    sample();
    assert_int_equal(fake->fds[0].pid, 77);
    assert_int_equal(fake->fds[0].flags & PERF_FLAG_PID_CGROUP, PERF_FLAG_PID_CGROUP);
    assert_int_equal(tally.sum[0].places, 4);
}

TEST_WITH(a_refusal_is_told_for_every_cpu, setup, teardown)
{
    enc[0] = fake_core(0x76);
    fake_perf_rule(fake, (struct fake_rule){FAKE_ANY, FAKE_ANY, FAKE_ANY, FAKE_ANY, .err = EACCES});
    begin(1, -1, false);
    sample();
    assert_int_equal(tally.sum[0].places, 0);
    assert_int_equal(tally.err[0], EACCES);
    assert_int_equal(tally.cpu_err[2], EACCES);
}

TEST_WITH(a_new_plan_opens_anew, setup, teardown)
{
    enc[0] = fake_core(0x76);
    enc[1] = fake_core(0x77);
    begin(2, -1, false);
    sample();
    struct group_plan *whole = the_plan, *halves = group_plan_split(the_plan, 0);
    readers_set_plan(readers, halves);
    the_plan = halves;
    fake_perf_step(fake);
    sample();
    assert_int_equal(tally.sum[0].places, 4);
    assert_int_equal(tally.sum[1].places, 4);
    assert_int_equal(fake_perf_open_count(fake), 8);
    for (int i = 0; i < fake->used; i++)
        assert_int_equal(fake->fds[i].leader, i);
    readers_free(readers);
    readers = NULL;
    group_plan_free(whole);
}

TEST_WITH(many_samples_lose_nothing, setup, teardown)
{
    uint64_t total = 0;
    enc[0] = fake_core(0x76);
    begin(1, -1, false);
    for (int i = 0; i < 200; i++) {
        sample();
        total += tally.sum[0].raw;
        fake_perf_step(fake);
    }
    /* the default script counts 1000 a step from 1000 on, on each of four CPUs */
    assert_int_equal(total, 200 * 1000 * 4);
}

static uint64_t interrupted; /* atomic */

static void on_alarm(int signo)
{
    (void)signo;
    __atomic_fetch_add(&interrupted, 1, __ATOMIC_RELAXED);
}

static ssize_t (*read_at_once)(void *ctx, int fd, void *buf, size_t size);

static ssize_t read_slowly(void *ctx, int fd, void *buf, size_t size)
{
    const uint64_t begin = __atomic_load_n(&interrupted, __ATOMIC_RELAXED);
    while (__atomic_load_n(&interrupted, __ATOMIC_RELAXED) < begin + 5)
        usleep(1000);
    return read_at_once(ctx, fd, buf, size);
}

/* A timer interrupts the wait for the readers several times: they are not late because of it. */
TEST_WITH(signals_make_no_reader_late, setup, teardown)
{
    const struct sigaction handler = {.sa_handler = on_alarm};
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    enc[0] = fake_core(0x76);
    begin(1, -1, false);
    sample();
    read_at_once = fake->sys.read;
    fake->sys.read = read_slowly;
    sigaction(SIGALRM, &handler, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    sample();
    setitimer(ITIMER_REAL, &never, NULL);
    fake->sys.read = read_at_once;
    assert_int_equal(tally.late, 0);
}
