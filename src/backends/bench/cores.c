#include "backends/bench/bench_impl.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"

enum { FIRST_CPUS = 1024, MOST_CPUS = 1 << 20, WATCH_MS = 300 };

/* Reads the allowed CPUs. The kernel refuses sets smaller than its own, so tries larger ones. */
static void read_allowed(struct cores *c)
{
    for (size_t n = FIRST_CPUS; n <= MOST_CPUS; n *= 2) {
        cpu_set_t *set = CPU_ALLOC(n);
        size_t size = CPU_ALLOC_SIZE(n);
        bool fits = set && sched_getaffinity(0, size, set) == 0;
        if (fits) {
            c->n = n;
            c->cpu = xcalloc(n, sizeof *c->cpu);
            for (size_t i = 0; i < n; i++)
                c->cpu[i] =
                    (struct cpu_state){.allowed = CPU_ISSET_S(i, size, set), .core = (int)i};
        }
        if (set)
            CPU_FREE(set);
        if (fits || errno != EINVAL)
            return;
    }
}

/* The first thread of the CPU's core, with which lists such as "0,4" and "0-1" begin. */
static int first_of_core(size_t cpu)
{
    char path[PATH_MAX];
    int first = (int)cpu;
    FILE *f = fopen(env_path(path, sizeof path,
                             "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list", cpu),
                    "re");
    if (f && fscanf(f, "%d", &first) != 1)
        first = (int)cpu;
    if (f)
        fclose(f);
    return first;
}

/* A line "cpu7 user nice system idle iowait irq softirq steal ..." of /proc/stat (proc(5)). Time
 * that the hypervisor steals counts as busy. */
static void read_core_times(struct cores *c)
{
    char path[PATH_MAX], line[512];
    FILE *f = fopen(env_path(path, sizeof path, "/proc/stat"), "re");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long long v[8] = {0};
        size_t cpu;
        if (sscanf(line, "cpu%zu %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0], &v[1],
                   &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 5 ||
            line[3] == ' ' || cpu >= c->n)
            continue;
        for (int i = 0; i < 8; i++) {
            c->cpu[cpu].total += v[i];
            c->cpu[cpu].busy += i == 3 || i == 4 ? 0 : v[i];
        }
    }
    if (f)
        fclose(f);
}

void cores_read(struct cores *c)
{
    *c = (struct cores){0};
    read_allowed(c);
    for (size_t i = 0; i < c->n; i++)
        if (c->cpu[i].allowed)
            c->cpu[i].core = first_of_core(i);
    read_core_times(c);
}

void cores_free(struct cores *c)
{
    free(c->cpu);
    *c = (struct cores){0};
}

/* The share of its time that a core's busiest thread was busy; NAN: unknown. */
static double core_busy(const struct cores *before, const struct cores *after, int core)
{
    double most = NAN;
    for (size_t i = 0; i < after->n && i < before->n; i++) {
        const struct cpu_state *a = &before->cpu[i], *b = &after->cpu[i];
        if (b->core == core && b->total > a->total && b->busy >= a->busy)
            most = fmax(most, (double)(b->busy - a->busy) / (double)(b->total - a->total));
    }
    return most;
}

int cores_choose(const struct cores *before, const struct cores *after, int cpu[2], double busy[2],
                 struct error *err)
{
    int n = 0;
    for (size_t i = 0; i < after->n; i++) {
        int core = after->cpu[i].core;
        if (!after->cpu[i].allowed || (n > 0 && after->cpu[cpu[0]].core == core) ||
            (n > 1 && after->cpu[cpu[1]].core == core))
            continue;
        double share = core_busy(before, after, core);
        int k = 1; /* index of the busier one of the two chosen so far */
        if (n < 2)
            k = n++;
        else if (!(busy[0] <= busy[1]) && share < busy[0])
            k = 0;
        else if (!(share < busy[1]))
            continue;
        cpu[k] = (int)i;
        busy[k] = share;
    }
    if (n < 2)
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP, "leave out --duet", "duet",
                         "it needs two cores, and this process may use one");
    if (cpu[0] > cpu[1]) {
        int c = cpu[0];
        double share = busy[0];
        cpu[0] = cpu[1], busy[0] = busy[1];
        cpu[1] = c, busy[1] = share;
    }
    return 0;
}

int find_two_cpus(int cpu[2], double busy[2], struct error *err)
{
    struct cores before, after;
    cores_read(&before);
    poll(NULL, 0, WATCH_MS);
    cores_read(&after);
    int rc = cores_choose(&before, &after, cpu, busy, err);
    cores_free(&before);
    cores_free(&after);
    return rc;
}
