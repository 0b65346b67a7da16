/*
 * The sums over what is watched, of real processes: against what the kernel tells their parent
 * (getrusage), and against /proc/PID/statm. Forks, and counts memory: not for TSan.
 */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "support/test.h"

enum { CHILDREN = 5, PAGES = 3000, PAGE = 4096, STEP_MS = 40, LEAK = 8 << 20, LAG = 4 << 20 };

extern const struct source_ops source_proc;
static const struct source_ops *const only_proc[] = {&source_proc, NULL};

static struct {
    pid_t pid;
    int go, said; /* our ends of its pipes */
} root;
static struct engine *engine;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static double seconds_of(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* --- the watched program --- */

struct told { /* of all since the start signal */
    double cpu_s;
    long faults;
};

static void burn_and_touch(double seconds)
{
    struct rusage u;
    char *p = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(p, PAGES * PAGE, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < PAGES; i++)
        p[i * PAGE] = 1;
    do
        getrusage(RUSAGE_SELF, &u);
    while (seconds_of(&u) < seconds);
}

/* A process that starts children one after the other, each of which starts one of its own. Then it
 * writes to `said` and waits to be killed. */
static _Noreturn void run_fork_tree(int go, int said)
{
    struct rusage before, self, children;
    char byte;
    if (read(go, &byte, 1) != 1)
        _exit(1);
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < CHILDREN; i++) {
        if (fork() == 0) {
            const pid_t grandchild = fork();
            burn_and_touch(grandchild ? 0.05 * i : 0.15);
            waitpid(grandchild, NULL, 0);
            _exit(0);
        }
        wait(NULL);
    }
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    struct told t = {seconds_of(&self) - seconds_of(&before) + seconds_of(&children),
                     self.ru_minflt - before.ru_minflt + children.ru_minflt};
    if (write(said, &t, sizeof t) != sizeof t)
        _exit(1);
    for (;;)
        pause();
}

/* Takes LEAK bytes more for each byte that it is told, and answers it. */
static _Noreturn void run_leak(int go, int said)
{
    char byte;
    while (read(go, &byte, 1) == 1) {
        char *p = mmap(NULL, LEAK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            break;
        madvise(p, LEAK,
                MADV_NOHUGEPAGE); /* the kernel sums them up after 64 faults (mm/memory.c) */
        memset(p, 1, LEAK);
        if (write(said, &byte, 1) != 1)
            break;
    }
    _exit(1);
}

static void start_root(void (*run)(int go, int said))
{
    int go[2], said[2];
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(said), 0);
    root.pid = fork();
    if (root.pid == 0) {
        close(go[1]); /* where the test dies, it ends too */
        run(go[0], said[1]);
    }
    close(go[0]);
    close(said[1]);
    root.go = go[1];
    root.said = said[0];
    const struct target target = {.kind = TARGET_PIDS, .pids = &root.pid, .npids = 1, .nnamed = 1};
    engine = engine_new(
        &(struct engine_config){.target = target, .interval_s = 1, .sources = only_proc});
}

static void let_root_go(void)
{
    assert_int_equal(write(root.go, "", 1), 1);
}

FIXTURE(end_root)
{
    if (root.pid > 0) {
        kill(root.pid, SIGKILL);
        waitpid(root.pid, NULL, 0);
        close(root.go);
        close(root.said);
    }
    engine_free(engine);
    engine = NULL;
    snapshot_pool_drain();
}

static struct target_use take_use(void)
{
    struct error err = ERROR_INIT;
    const struct snapshot *s = engine_step(engine, &err);
    assert_non_null(s);
    struct target_use u = s->use;
    snapshot_unref(s);
    return u;
}

TEST_WITH(a_fork_tree_uses_what_the_kernel_tells_its_parent, NULL, end_root)
{
    struct told told;
    double last = 0;
    start_root(run_fork_tree);
    take_use();
    let_root_go();
    struct pollfd has_said = {.fd = root.said, .events = POLLIN};
    while (poll(&has_said, 1, STEP_MS) == 0) {
        struct target_use u = take_use();
        assert_int_equal(u.cpu_time.validity, VALUE_OK);
        assert_true(u.cpu_time.v >= last);
        last = u.cpu_time.v;
    }
    assert_int_equal(read(root.said, &told, sizeof told), sizeof told);
    for (int i = 0; i < 4; i++) { /* until the next listing of /proc, and one more sample */
        sleep_ms(300);
        take_use();
    }
    const struct target_use u = take_use();
    /* /proc counts whole ticks of user and of system time, of each process */
    const double ticks = 2.0 * (2 * CHILDREN + 1) / (double)sysconf(_SC_CLK_TCK);
    if (u.cpu_time.v < told.cpu_s - ticks || u.cpu_time.v > told.cpu_s + ticks)
        fail_msg("%.3f s of CPU time, the kernel told %.3f s", u.cpu_time.v, told.cpu_s);
    assert_true(told.faults > 2 * CHILDREN * PAGES);
    if (u.faults.v < (double)told.faults || u.faults.v > (double)told.faults + 100)
        fail_msg("%.0f page faults, the kernel told %ld", u.faults.v, told.faults);
}

static double read_resident(void)
{
    char path[48];
    unsigned long long size, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", root.pid);
    FILE *f = fopen(path, "re");
    if (!f || fscanf(f, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static uint64_t leak_clock_ns;

static uint64_t read_leak_clock(void *ctx)
{
    (void)ctx;
    return leak_clock_ns;
}

FIXTURE(begin_leak)
{
    leak_clock_ns = 1000000000;
    env_set_clock(read_leak_clock, NULL);
    start_root(run_leak);
}

FIXTURE(end_leak)
{
    end_root(NULL);
    env_set_clock(NULL, NULL);
}

/* A clock that the test sets: 8 MiB more each second, whatever the machine does. A process that
 * used no tick of CPU time is read once a second. */
TEST_WITH(a_leak_has_its_slope, begin_leak, end_leak)
{
    char byte;
    struct target_use u = take_use();
    for (int i = 0; i < 12; i++) {
        let_root_go();
        assert_int_equal(read(root.said, &byte, 1), 1);
        leak_clock_ns += 1000000000;
        u = take_use();
    }
    assert_int_equal(u.memory_slope.validity, VALUE_OK);
    if (u.memory_slope.v < 7.75 * 1048576 || u.memory_slope.v > 8.25 * 1048576)
        fail_msg("%.1f MiB/s, not 8 MiB/s", u.memory_slope.v / 1048576);
    /* the kernel's files may lag behind each other by some pages of each CPU */
    if (u.memory.v < 12.0 * LEAK - LAG || fabs(u.memory.v - read_resident()) > LAG)
        fail_msg("%.0f bytes, /proc/PID/statm %.0f", u.memory.v, read_resident());
}
