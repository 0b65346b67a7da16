/* What a rank is seen to do, from files as Linux writes them, in a tree of the test's own. */
#include "backends/job/rank_watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/amdgpu/amdgpu_impl.h"
#include "base/env.h"
#include "support/procfs.h"
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
    rank_watch_free(w);
    env_set_root(NULL);
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

/* --- its GPUs --- */

/* The GPU of an emulated /sys, on node 0, and the first process that uses it. */
static void see_with_gpu(struct gpus_build *b, const int nodes[CPUS])
{
    struct cpu cpus[CPUS];
    struct proc proc = {.pid = b->g.processes[0].pid, .watched = true};
    const struct host host = {.ncpus = CPUS, .nnodes = 2};
    for (int i = 0; i < CPUS; i++)
        cpus[i] = (struct cpu){.id = i, .node = nodes[i]};
    const struct snapshot seen = {.host = &host,
                                  .cpus = cpus,
                                  .procs = &proc,
                                  .nprocs = 1,
                                  .gpus = &b->g,
                                  .command = {.pid = PID, .running = true}};
    rank_watch_see(w, &seen);
}

TEST_WITH(a_gpu_on_another_node_than_all_its_cpus_is_told, begin, end)
{
    static const int apart[CPUS] = {0, 0, 1, 1}, unknown[CPUS] = {-1, -1, -1, -1};
    struct gpus_build b = {0};
    env_set_root(procfs_tree("tests/data/gpu/mi300x"));
    struct amdgpu *a = amdgpu_new();
    amdgpu_gather(a, &b, 1);
    env_set_root(temp_folder);
    bind_rank("2-3");
    see(); /* its CPUs are seen; no GPU yet */
    assert_true(isnan(s.gpus_used) && isnan(s.gpus_far));
    see_with_gpu(&b, unknown);
    assert_true(s.gpus_used == 1 && isnan(s.gpus_far));
    see_with_gpu(&b, apart);
    assert_true(s.gpus_used == 1 && s.gpus_far == 1);
    assert_string_equal(s.far_gpu, "0000:c1:00.0 (node 0)");
    see(); /* the last that is known of it stays */
    assert_true(s.gpus_far == 1);
    bind_rank("1-2"); /* one CPU is beside the GPU */
    see();
    see_with_gpu(&b, apart);
    assert_true(s.gpus_used == 1 && s.gpus_far == 0);
    assert_string_equal(s.far_gpu, "");
    amdgpu_free(a);
    gpus_free(&b);
}

/* --- until the end --- */

static void see_end_with(const struct hot_stacks *stacks)
{
    const struct host host = {.ncpus = 0};
    const struct snapshot seen = {
        .host = &host,
        .stacks = stacks,
        .command = {.pid = PID, .usage = {.known = true, .user_s = 8, .system_s = 2}}};
    rank_watch_see(w, &seen);
}

/* A name may look like the end of itself. */
TEST_WITH(states_and_waits_are_looked_at_until_the_end, begin, end)
{
    bind_rank("0");
    temp_folder_put("proc/77/stat", "77 (a) R (b) T 1 77 77 0");
    temp_folder_put("proc/77/schedstat", "5000000000 2500000000 30");
    see();
    see_end_with(NULL);
    assert_true(s.stopped > 0 && s.disk_wait == 0);
    assert_true(s.ready == 2.5);
    assert_string_equal(s.state, "ended");
}

/* "t" is what Linux says of a program that gdb holds. */
TEST_WITH(a_debugger_stops_it_too, begin, end)
{
    bind_rank("0");
    temp_folder_put("proc/77/stat", "77 (solver) t 1 77 77 0");
    see();
    see_end_with(NULL);
    assert_true(s.stopped > 0 && s.disk_wait == 0);
}

/* Eight samples are in the program and its libraries: two of them in Open MPI's library, or in what
 * that library calls. Four are in the kernel: three of them in sched_yield, which is how a rank
 * that waits lets others run. */
TEST_WITH(time_in_communication_is_told_by_call_stacks, begin, end)
{
    enum { MAIN, MPI, COPY, YIELD, KERNEL };
    static const struct hot_symbol symbols[] = {
        [MAIN] = {.name = "main", .module = "solver", .where = HOT_USER},
        [MPI] = {.name = "opal_progress", .module = "libopen-pal.so.40", .where = HOT_USER},
        [COPY] = {.name = "memcpy", .module = "libc.so.6", .where = HOT_USER},
        [YIELD] = {.name = "__GI_sched_yield", .module = "libc.so.6", .where = HOT_USER},
        [KERNEL] = {.name = "do_syscall_64", .module = "[kernel]", .where = HOT_KERNEL}};
    static const struct hot_node nodes[] = {{-1, MAIN, 6},  {0, MPI, 1},    {1, COPY, 1},
                                            {-1, YIELD, 0}, {3, KERNEL, 3}, {0, KERNEL, 1}};
    const struct hot_stacks stacks = {.symbols = symbols,
                                      .nsymbols = sizeof symbols / sizeof *symbols,
                                      .nodes = nodes,
                                      .nnodes = sizeof nodes / sizeof *nodes};
    see_end_with(&stacks);
    assert_true(s.sampled == 12);
    assert_true(s.polled_user == 2 && s.polled_system == 1.5);
}

TEST_MAIN(NULL, NULL)
