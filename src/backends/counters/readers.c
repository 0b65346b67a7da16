#include "backends/counters/perf_impl.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "base/arena.h"
#include "base/cpu_list.h"
#include "base/env.h"

enum {
    STACK_SIZE = 256 * 1024, /* a reader needs a few KB, sanitizers need more */
    HOTPLUG_NS = 200000000,  /* how often the list of online CPUs is read */
    RETRY_TICKS = 32,        /* ticks until a group that failed to open is tried again */
};

/* One CPU. Its thread owns all fields except the marked ones, and publishes results by storing
 * done. */
struct cpu_reader {
    struct readers *owner;
    pthread_t thread;
    bool started;
    int cpu;
    bool selected;                 /* core and software groups are counted on this CPU */
    _Atomic bool online;           /* written by the sampling thread */
    const struct group_plan *plan; /* the plan that is open here */
    struct perf_group *groups;
    bool attempted;
    unsigned ticks;
    /* results: written by the thread; the sampling thread reads them when done equals the requested
     * generation */
    struct count *acc, *delta;
    int *err;
    bool *excluded, *too_big;
    _Atomic uint32_t done;
    /* used by the sampling thread: */
    struct count *prev;
    const struct group_plan *prev_plan;
    unsigned missed;
};

struct readers {
    bool direct; /* no threads: the caller reads all CPUs */
    struct readers_config config;
    bool cpus[TARGET_MAX_CPUS];
    struct cpu_reader *slots;
    int nslots;
    bool *online_now;
    char online_text[4096];
    uint64_t online_ns;            /* when the list of online CPUs was last read */
    const struct group_plan *plan; /* the sampling thread's; passed to the readers through shared */
    _Atomic(const struct group_plan *) shared;
    _Atomic uint32_t generation;   /* futex: readers wait for it to change */
    _Atomic uint64_t open_answers; /* generation << 32 | number of readers that have not answered */
    _Atomic uint32_t complete; /* futex: the last generation that all readers answered in time */
    _Atomic bool quit;
};

static void futex_wake(_Atomic uint32_t *word, int n)
{
    syscall(SYS_futex, (uint32_t *)word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Returns false if a signal ended the wait. */
static bool wait_on_futex(_Atomic uint32_t *word, uint32_t while_equal,
                          const struct timespec *limit)
{
    return syscall(SYS_futex, (uint32_t *)word, FUTEX_WAIT_PRIVATE, while_equal, limit, NULL, 0) ==
               0 ||
           errno != EINTR;
}

static void pin_thread_to_cpu(int cpu)
{
    cpu_set_t *set = CPU_ALLOC(TARGET_MAX_CPUS);
    if (!set)
        return;
    size_t size = CPU_ALLOC_SIZE(TARGET_MAX_CPUS);
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)cpu, size, set);
    /* If a cpuset forbids it, reads still work, but each needs an interrupt. */
    pthread_setaffinity_np(pthread_self(), size, set);
    CPU_FREE(set);
}

/* An uncore PMU is read on the CPUs in its cpumask; without one, on all selected CPUs. */
static bool counted_here(const struct cpu_reader *s, const struct plan_group *g)
{
    if (g->domain != PLAN_UNCORE) {
        bool mine[TARGET_MAX_CPUS];
        if (!s->selected || s->owner->config.uncore_only)
            return false;
        const char *mask = g->members[0].cpumask; /* set for a PMU of a hybrid CPU */
        return !mask[0] || cpu_list_parse(mask, mine) <= 0 || mine[s->cpu];
    }
    bool mask[TARGET_MAX_CPUS];
    if (!g->members[0].cpumask[0])
        return s->selected && !s->owner->config.uncore_only;
    return cpu_list_parse(g->members[0].cpumask, mask) > 0 && mask[s->cpu];
}

static void drop_plan(struct cpu_reader *s)
{
    if (!s->plan)
        return;
    for (size_t g = 0; g < s->plan->ngroups; g++)
        group_close(&s->groups[g], s->owner->config.sys);
    free(s->groups);
    free(s->acc);
    free(s->delta);
    free(s->err);
    free(s->excluded);
    free(s->too_big);
    s->plan = NULL;
    s->attempted = false;
}

static void take_plan(struct cpu_reader *s, const struct group_plan *plan)
{
    drop_plan(s);
    s->plan = plan;
    s->groups = xcalloc(plan->ngroups, sizeof *s->groups);
    s->acc = xcalloc(plan->nmembers, sizeof *s->acc);
    s->delta = xcalloc(PLAN_GROUP_MAX, sizeof *s->delta);
    s->err = xcalloc(plan->nmembers, sizeof *s->err);
    s->excluded = xcalloc(plan->nmembers, sizeof *s->excluded);
    s->too_big = xcalloc(plan->ngroups, sizeof *s->too_big);
}

static void open_cpu_group(struct cpu_reader *s, size_t g)
{
    const struct readers_config *c = &s->owner->config;
    const struct plan_group *pg = &s->plan->groups[g];
    struct group_where w = {.pid = -1, .cpu = s->cpu};
    if (pg->domain != PLAN_UNCORE && c->cgroup_fd >= 0) {
        w.pid = c->cgroup_fd;
        w.flags = PERF_FLAG_PID_CGROUP;
    }
    group_close(&s->groups[g], c->sys);
    group_open(&s->groups[g], c->sys, pg, &w);
    s->too_big[g] = s->groups[g].too_big;
}

static void open_cpu_groups(struct cpu_reader *s)
{
    for (size_t g = 0; g < s->plan->ngroups; g++) {
        if (counted_here(s, &s->plan->groups[g]))
            open_cpu_group(s, g);
    }
    s->attempted = true;
}

static void close_cpu_groups(struct cpu_reader *s)
{
    for (size_t g = 0; g < s->plan->ngroups; g++)
        group_close(&s->groups[g], s->owner->config.sys);
    s->attempted = false;
}

static void read_cpu_group(struct cpu_reader *s, size_t g)
{
    const struct plan_group *pg = &s->plan->groups[g];
    struct perf_group *group = &s->groups[g];
    if (!group->n)
        return;
    int rc = group_is_open(group) ? group_read(group, s->owner->config.sys, pg, s->delta) : 1;
    for (size_t m = 0; m < pg->n; m++) {
        size_t at = pg->first + m;
        s->err[at] = group->err[m];
        s->excluded[at] = group->kernel_excluded;
        if (rc < 0 && !s->err[at])
            s->err[at] = rc == -ENODATA ? EXPLAIN_STOLEN : -rc;
        if (rc)
            continue;
        if (pg->members[m].gauge)
            s->acc[at].value = s->delta[m].value;
        else
            s->acc[at].value += s->delta[m].value;
        s->acc[at].enabled += s->delta[m].enabled;
        s->acc[at].running += s->delta[m].running;
    }
}

/* Handles one generation on one CPU. */
static void serve_generation(struct cpu_reader *s)
{
    const struct group_plan *wanted = atomic_load_explicit(&s->owner->shared, memory_order_acquire);
    if (wanted != s->plan)
        take_plan(s, wanted);
    bool online = atomic_load_explicit(&s->online, memory_order_acquire);
    if (!online) {
        if (s->attempted)
            close_cpu_groups(s);
        return;
    }
    if (!s->attempted) {
        if (!s->owner->direct)
            pin_thread_to_cpu(s->cpu);
        open_cpu_groups(s);
    } else if (++s->ticks % RETRY_TICKS == 0) {
        for (size_t g = 0; g < s->plan->ngroups; g++)
            if (s->groups[g].n && !group_is_open(&s->groups[g]))
                open_cpu_group(s, g);
    }
    for (size_t g = 0; g < s->plan->ngroups; g++)
        read_cpu_group(s, g);
}

static void report_done(struct readers *r, uint32_t gen)
{
    uint64_t v = atomic_load(&r->open_answers);
    while (v >> 32 == gen) {
        if (!atomic_compare_exchange_weak(&r->open_answers, &v, v - 1))
            continue;
        if ((uint32_t)(v - 1) == 0) {
            atomic_store(&r->complete, gen);
            futex_wake(&r->complete, 1);
        }
        break;
    }
}

static void *cpu_reader_thread(void *arg)
{
    struct cpu_reader *s = arg;
    struct readers *r = s->owner;
    uint32_t seen = 0;
    char name[16];
    snprintf(name, sizeof name, "rooftop-cpu%u", (unsigned)s->cpu % 10000U);
    pthread_setname_np(pthread_self(), name);
    for (;;) {
        uint32_t gen = atomic_load(&r->generation);
        if (atomic_load(&r->quit))
            break;
        if (gen == seen) {
            wait_on_futex(&r->generation, seen, NULL);
            continue;
        }
        seen = gen;
        serve_generation(s);
        atomic_store_explicit(&s->done, gen, memory_order_release);
        report_done(r, gen);
    }
    drop_plan(s);
    return NULL;
}

static bool start_reader(struct cpu_reader *s)
{
    pthread_attr_t attr;
    sigset_t all, old;
    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->started = pthread_create(&s->thread, &attr, cpu_reader_thread, s) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return s->started;
}

static void wanted_cpus(const struct readers *r, bool *want)
{
    bool mask[TARGET_MAX_CPUS];
    for (int c = 0; c < TARGET_MAX_CPUS; c++)
        want[c] = r->cpus[c] && !r->config.uncore_only;
    for (size_t g = 0; g < r->plan->ngroups; g++) {
        const struct plan_group *pg = &r->plan->groups[g];
        if (pg->domain != PLAN_UNCORE || cpu_list_parse(pg->members[0].cpumask, mask) <= 0)
            continue;
        for (int c = 0; c < TARGET_MAX_CPUS; c++)
            want[c] |= mask[c] && r->online_now[c];
    }
}

struct readers *readers_new(const struct readers_config *config, const struct group_plan *plan)
{
    struct readers *r = xcalloc(1, sizeof *r);
    bool want[TARGET_MAX_CPUS];
    r->config = *config;
    memcpy(r->cpus, config->cpus, sizeof r->cpus);
    r->config.cpus = r->cpus;
    r->plan = plan;
    atomic_store(&r->shared, plan);
    r->online_now = xcalloc(TARGET_MAX_CPUS, sizeof *r->online_now);
    read_line(r->online_text, sizeof r->online_text, "/sys/devices/system/cpu/online");
    cpus_online(r->online_now);
    wanted_cpus(r, want);
    for (int c = 0; c < TARGET_MAX_CPUS; c++)
        r->nslots += want[c];
    r->slots = xcalloc((size_t)r->nslots, sizeof *r->slots);
    int i = 0;
    for (int c = 0; c < TARGET_MAX_CPUS; c++) {
        if (!want[c])
            continue;
        struct cpu_reader *s = &r->slots[i++];
        s->owner = r;
        s->cpu = c;
        s->selected = r->cpus[c];
        atomic_store(&s->online, r->online_now[c]);
    }
    r->direct = r->nslots <= config->direct_max;
    for (i = 0; i < r->nslots && !r->direct; i++)
        start_reader(&r->slots[i]);
    return r;
}

void readers_set_plan(struct readers *r, const struct group_plan *plan)
{
    r->plan = plan;
    atomic_store_explicit(&r->shared, plan, memory_order_release);
}

/* A CPU may go offline and come back: its reader then closes and reopens its groups. */
static void follow_hotplug(struct readers *r)
{
    char text[sizeof r->online_text];
    uint64_t now = env_now_ns();
    if (r->online_ns && now - r->online_ns < HOTPLUG_NS)
        return;
    r->online_ns = now;
    if (read_line(text, sizeof text, "/sys/devices/system/cpu/online") <= 0 ||
        !strcmp(text, r->online_text))
        return;
    memcpy(r->online_text, text, sizeof text);
    cpus_online(r->online_now);
    for (int i = 0; i < r->nslots; i++)
        atomic_store_explicit(&r->slots[i].online, r->online_now[r->slots[i].cpu],
                              memory_order_release);
}

/* Limit of the times that signals may interrupt a wait. */
enum { SIGNALS_MOST = 1000 };

static void await_generation(struct readers *r, uint32_t gen, uint64_t timeout_ns)
{
    struct timespec limit = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    uint32_t at = atomic_load(&r->complete);
    /* Normally one wait: only the last reader's answer, or a signal, ends it early. */
    for (int waits = 0, signals = 0; waits < 2 && signals < SIGNALS_MOST && at != gen;) {
        const bool waited = wait_on_futex(&r->complete, at, &limit);
        waits += waited;
        signals += !waited;
        at = atomic_load(&r->complete);
    }
}

/* Adds one CPU's results to the tally; groups that are not counted on this CPU are skipped. */
static void collect_counts(struct readers *r, struct cpu_reader *s, const int *position,
                           struct tally *t)
{
    int pos = position ? position[s->cpu] : -1;
    if (s->prev_plan != s->plan) {
        free(s->prev);
        s->prev = xcalloc(s->plan->nmembers, sizeof *s->prev);
        s->prev_plan = s->plan;
        s->missed = 0; /* counting starts when a group opens, so no sample was missed before */
    }
    bool online = atomic_load(&s->online);
    t->offline += !online;
    for (size_t g = 0; g < s->plan->ngroups; g++) {
        const struct plan_group *pg = &s->plan->groups[g];
        if (!s->groups[g].n) {
            for (size_t m = 0; !online && pos >= 0 && m < pg->n; m++)
                if (t->cpu_err)
                    t->cpu_err[(pg->first + m) * (size_t)t->ncpus + (size_t)pos] = EXPLAIN_OFFLINE;
            continue;
        }
        t->too_big[g] |= s->too_big[g];
        for (size_t m = pg->first; m < pg->first + pg->n; m++) {
            t->excluded[m] |= s->excluded[m];
            if (s->err[m]) {
                tally_refuse(t, m, pos, s->err[m]);
                continue;
            }
            struct count d = {s->acc[m].value, s->acc[m].enabled - s->prev[m].enabled,
                              s->acc[m].running - s->prev[m].running};
            if (!pg->members[m - pg->first].gauge)
                d.value -= s->prev[m].value;
            s->prev[m] = s->acc[m];
            tally_add(t, m, pos, &d, s->missed + 1);
        }
    }
    s->missed = 0;
    (void)r;
}

static void mark_late(struct readers *r, struct cpu_reader *s, const int *position, struct tally *t)
{
    int pos = position ? position[s->cpu] : -1;
    s->missed++;
    t->late++;
    for (size_t g = 0; g < r->plan->ngroups; g++) {
        const struct plan_group *pg = &r->plan->groups[g];
        if (pg->domain == PLAN_UNCORE ? pg->members[0].cpumask[0] && s->selected : !s->selected)
            continue;
        for (size_t m = pg->first; m < pg->first + pg->n; m++)
            tally_pending(t, m, pos);
    }
}

void readers_sample(struct readers *r, uint64_t timeout_ns, const int *position, struct tally *t)
{
    if (!r->nslots)
        return;
    follow_hotplug(r);
    int started = 0;
    for (int i = 0; i < r->nslots; i++)
        started += r->slots[i].started;
    if (r->direct) {
        for (int i = 0; i < r->nslots; i++) {
            serve_generation(&r->slots[i]);
            collect_counts(r, &r->slots[i], position, t);
        }
        return;
    }
    uint32_t gen = atomic_load(&r->generation) + 1;
    atomic_store(&r->open_answers, (uint64_t)gen << 32 | (uint32_t)started);
    atomic_store(&r->generation, gen);
    futex_wake(&r->generation, INT_MAX);
    if (started)
        await_generation(r, gen, timeout_ns);
    for (int i = 0; i < r->nslots; i++) {
        struct cpu_reader *s = &r->slots[i];
        if (atomic_load_explicit(&s->done, memory_order_acquire) == gen)
            collect_counts(r, s, position, t);
        else
            mark_late(r, s, position, t);
    }
}

int readers_count(const struct readers *r)
{
    return r->nslots;
}

void readers_free(struct readers *r)
{
    if (!r)
        return;
    atomic_store(&r->quit, true);
    atomic_fetch_add(&r->generation, 1);
    futex_wake(&r->generation, INT_MAX);
    for (int i = 0; i < r->nslots; i++) {
        if (r->slots[i].started)
            pthread_join(r->slots[i].thread, NULL);
        else if (r->direct)
            drop_plan(&r->slots[i]);
        free(r->slots[i].prev);
    }
    free(r->slots);
    free(r->online_now);
    free(r);
}
