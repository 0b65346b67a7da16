/*
 * What sampling costs: two busy processes under the sampler at 997 Hz, on and off in turns.
 * Printed: how much slower they run (rounds a second of their own CPU time, so that others on the
 * machine matter little), the CPU time of rooftop's threads, samples against those due, and what
 * was lost. Exit 77 where perf_event is refused.
 *
 * sampler [SECONDS [fp|dwarf|none]]: seconds of sampling in all; 20 unless given, 600 for the ten
 * minutes of docs/PROFILE.md.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/live/source.h"

extern const struct source_ops source_sampler;

enum { BUSY = 2, DEPTH = 20, TURN_S = 5, HZ = 997 };

/* shared memory: rounds of each process, one cache line each */
static volatile unsigned long *rounds;
static pid_t busy[BUSY];

/* Recurses to a usual depth of stacks. */
__attribute__((noinline)) static unsigned long deep(int depth, unsigned long x)
{
    if (depth == 0) {
        for (int i = 0; i < 2000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        return x;
    }
    x = deep(depth - 1, x);
    __asm__ volatile("" : "+r"(x)); /* prevents a tail call */
    return x;
}

static pid_t start_busy(int number)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    for (unsigned long x = 1;; rounds[number * 64]++)
        rounds[number * 64 + 1] = x = deep(DEPTH, x);
}

/* Of both processes: rounds, and nanoseconds on a CPU. */
struct progress {
    double rounds, cpu_s;
};

static struct progress look(void)
{
    struct progress p = {0};
    for (int i = 0; i < BUSY; i++) {
        char path[64];
        unsigned long long ns = 0;
        snprintf(path, sizeof path, "/proc/%d/schedstat", (int)busy[i]);
        FILE *f = fopen(path, "re");
        if (f && fscanf(f, "%llu", &ns) != 1) /* NOLINT: the kernel's own number */
            ns = 0;
        if (f)
            fclose(f);
        p.cpu_s += (double)ns / 1e9;
        p.rounds += (double)rounds[i * 64];
    }
    return p;
}

struct totals {
    struct progress on, off;
    double first_s, own_s, wall_s, covered_s; /* first: CPU time of the first two seconds */
    int turns;
    unsigned long long samples, lost, throttled;
    char why[160];
};

static const struct snapshot *poll_once(struct source *s, struct host *host,
                                        const struct sampling *sampling)
{
    struct snapshot *out = snapshot_new(host);
    out->sampling = *sampling;
    source_sampler.poll(s, out, env_now_ns());
    return out;
}

/* TURN_S seconds with or without sampling, polled once a second as the dashboard does. */
static void turn(struct source *s, struct host *host, const struct sampling *sampling,
                 struct totals *sum)
{
    snapshot_unref(poll_once(s, host, sampling)); /* the first poll starts or stops sampling */
    struct progress before = look();
    uint64_t cpu = env_cpu_ns(), began = env_now_ns(), first = 0;
    for (int i = 0; i < TURN_S; i++) {
        struct timespec second = {1, 0};
        while (nanosleep(&second, &second) && errno == EINTR)
            ;
        const struct snapshot *out = poll_once(s, host, sampling);
        if (out->stacks) {
            sum->samples += out->stacks->samples;
            sum->lost += out->stacks->lost;
            sum->throttled += out->stacks->throttled;
            sum->covered_s += out->stacks->seconds;
            snprintf(sum->why, sizeof sum->why, "%s", out->stacks->why ? out->stacks->why : "");
        }
        snapshot_unref(out);
        if (i == 1)
            first = env_cpu_ns() - cpu;
    }
    struct progress after = look(), *p = sampling->on ? &sum->on : &sum->off;
    p->rounds += after.rounds - before.rounds;
    p->cpu_s += after.cpu_s - before.cpu_s;
    if (sampling->on) {
        sum->turns++;
        sum->first_s += (double)first / 1e9;
        sum->own_s += (double)(env_cpu_ns() - cpu - first) / 1e9;
        sum->wall_s += (double)(env_now_ns() - began) / 1e9;
    }
}

static void report(const struct totals *t, const char *callgraph)
{
    double on = t->on.rounds / t->on.cpu_s, off = t->off.rounds / t->off.cpu_s;
    printf("sampling 2 busy processes at %d Hz, call graph %s, %.0f s%s%s\n", HZ, callgraph,
           t->wall_s, t->why[0] ? "; " : "", t->why);
    double steady = t->wall_s - 2 * t->turns;
    printf("slower by %.3f %%; own threads %.3f %% of a CPU, %.3f %% of the two (target 1), and "
           "%.0f ms "
           "in the first two seconds (names)\n",
           (off / on - 1) * 100, t->own_s / steady * 100, t->own_s / steady * 50,
           t->first_s / t->turns * 1e3);
    printf("samples %llu, due %.0f (their CPU time), lost %llu (target 0), throttled %llu\n",
           t->samples, t->on.cpu_s * HZ * t->covered_s / t->wall_s, t->lost, t->throttled);
}

int main(int argc, char **argv)
{
    const char *callgraph = argc > 2 ? argv[2] : "fp";
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 20;
    struct sampling on = {.on = true, .hz = HZ, .callgraph = CALLGRAPH_FP}, off = {.hz = HZ};
    struct target target = {.kind = TARGET_PIDS, .npids = BUSY, .pids = busy};
    struct totals sum = {0};
    struct host *host = host_new();
    struct error err = ERROR_INIT;
    struct source *s;
    if (strcmp(callgraph, "dwarf") == 0)
        on.callgraph = CALLGRAPH_DWARF;
    else if (strcmp(callgraph, "none") == 0)
        on.callgraph = CALLGRAPH_NONE;
    rounds = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < BUSY; i++)
        busy[i] = start_busy(i);
    source_sampler.open(&s, &(struct source_config){.target = &target, .host = host}, &err);
    while (sum.wall_s < seconds) {
        turn(s, host, &on, &sum);
        turn(s, host, &off, &sum);
    }
    source_sampler.close(s);
    for (int i = 0; i < BUSY; i++) {
        kill(busy[i], SIGKILL);
        waitpid(busy[i], NULL, 0);
    }
    host_unref(host);
    snapshot_pool_drain();
    if (sum.samples == 0) {
        printf("not measured: %s\n", sum.why);
        return 77;
    }
    report(&sum, callgraph);
    return 0;
}
