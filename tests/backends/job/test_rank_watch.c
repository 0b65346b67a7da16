/* What a rank is seen to do, from files as Linux writes them, in a tree of the test's own. */
#include "backends/job/rank_watch.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "support/temp_folder.h"
#include "support/test.h"

enum { CPUS = 4, PID = 77 };

static struct rank_summary s;
static struct rank_watch *w;

FIXTURE_STATUS(begin)
{
    static char *const argv[] = {(char *)"true", NULL};
    const int rc = temp_folder_make(state);
    rank_summary_begin(&s);
    w = rank_watch_new(&s, argv);
    env_set_root(temp_folder);
    return rc;
}

FIXTURE_STATUS(end)
{
    env_set_root(NULL);
    rank_watch_free(w);
    return temp_folder_remove(state);
}

/* What /proc says of the rank's CPUs. */
static void bind_rank(const char *cpus)
{
    char text[1024];
    snprintf(text, sizeof text, "Name:\ttrue\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n", cpus);
    temp_folder_put("proc/77/status", text);
}

static void throttle(int cpu, const char *times)
{
    char name[128];
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count",
             cpu);
    temp_folder_put(name, times);
}

static void see(void)
{
    struct cpu cpus[CPUS] = {{.id = 0}, {.id = 1}, {.id = 2}, {.id = 3}};
    struct proc proc = {.pid = PID, .watched = true};
    const struct host host = {.ncpus = CPUS, .nnodes = 1};
    const struct snapshot seen = {.host = &host,
                                  .cpus = cpus,
                                  .procs = &proc,
                                  .nprocs = 1,
                                  .command = {.pid = PID, .running = true}};
    rank_watch_see(w, &seen);
}

/* Cut in the middle of a number, "1020" would be CPU 10 or 102. */
TEST_WITH(of_a_long_list_of_cpus_whole_ranges_are_kept, begin, end)
{
    char list[512] = "7"; /* so that the room ends within a number */
    size_t n = 1;
    for (int cpu = 1000; cpu < 1100; cpu += 2)
        n += (size_t)snprintf(list + n, sizeof list - n, ",%d", cpu);
    bind_rank(list);
    see();
    const size_t kept = strlen(s.cpus);
    assert_true(kept > sizeof s.cpus / 2);
    assert_memory_equal(s.cpus, list, kept);
    assert_int_equal(list[kept], ',');
}

/* A program binds itself after its begin: what other CPUs had counted is not its own. */
TEST_WITH(throttling_is_counted_on_the_cpus_of_its_time, begin, end)
{
    for (int cpu = 0; cpu < CPUS; cpu++)
        throttle(cpu, cpu == 3 ? "1000" : "5");
    bind_rank("0-1");
    see();
    assert_true(s.throttled == 0);
    throttle(1, "7");
    see();
    assert_true(s.throttled == 2);
    bind_rank("3");
    see();
    assert_true(s.throttled == 2);
    throttle(3, "1004");
    see();
    assert_true(s.throttled == 6);
    assert_string_equal(s.cpus, "3");
}

TEST_MAIN(NULL, NULL)
