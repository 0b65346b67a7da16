#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/counters/perf_impl.h"
#include "backends/perf_common/cpus.h"
#include "backends/perf_common/open.h"
#include "backends/perf_common/target_check.h"
#include "engine/live/source.h"

enum {
    DIRECT_CPUS = 4,         /* with more CPUs, threads read them at less cost (bench/sampling.c) */
    FIRST_WAIT_NS = 2000000, /* the first sample waits this long for events to open */
    WAIT_MIN_NS = 5000000,
    WAIT_MAX_NS = 50000000,
    STARVED_TICKS = 2,
    ALIVE_NS = 200000000,  /* how often to check whether watched processes still run */
    ROTATION_NS = 4000000, /* perf_event_mux_interval_ms: 4 by default */
};

struct perf_source {
    const struct perf_sys *sys;
    struct perf_context context;
    enum target_kind kind;
    pid_t *pids;
    size_t npids;
    bool alone; /* do not count the processes that they start */
    uid_t owner;
    int cgroup_fd;
    struct event_table events;
    struct still *still; /* for each row of the table */
    struct plan_limits limits;
    struct group_plan **plans; /* all plans so far; the last one is in use */
    size_t nplans;
    struct readers *readers;
    struct tasks *tasks;
    struct selftest_job *selftest;
    struct starving {
        unsigned ticks;
        uint64_t enabled_ns;
    } * starving; /* for each group of the current plan */
    char split[256];
    struct stopped stopped;
    int *position;              /* row of each CPU in snapshots; TARGET_MAX_CPUS entries */
    uint64_t last_ns, alive_ns; /* time of the last poll; of the last check of the processes */
    bool polled, gone;
};

static struct group_plan *newest_plan(const struct perf_source *s)
{
    return s->plans[s->nplans - 1];
}

static void adopt_plan(struct perf_source *s, struct group_plan *p)
{
    s->plans = xrealloc(s->plans, s->nplans + 1, sizeof *s->plans);
    s->plans[s->nplans++] = p;
    free(s->starving);
    s->starving = xcalloc(p->ngroups, sizeof *s->starving);
}

/* Raises the limit of descriptors for targets with many threads: up to the hard limit, as root up
 * to the kernel's. A command that was started before keeps its own limit. */
static void raise_file_limit(struct perf_context *c, enum target_kind kind)
{
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim))
        return;
    long most = read_number("/proc/sys/fs/nr_open", 0);
    struct rlimit all = {(rlim_t)most, (rlim_t)most};
    if (kind == TARGET_PIDS && most > 0 && all.rlim_max > lim.rlim_max &&
        !setrlimit(RLIMIT_NOFILE, &all))
        lim = all;
    lim.rlim_cur = lim.rlim_max;
    if (!setrlimit(RLIMIT_NOFILE, &lim))
        c->files_soft = c->files_hard = (unsigned long)lim.rlim_cur;
}

/* key: the CPU whose events and metrics are shown. */
static void fill_host(struct host *h, const struct arch_def *arch, const char *key,
                      const struct perf_context *c)
{
    if (!h)
        return;
    snprintf(h->pmu_arch, sizeof h->pmu_arch, "%s", key);
    if (c->core_pmu && arch->counters)
        snprintf(h->pmu, sizeof h->pmu, "%s, %d counters", arch->label, arch->counters);
    else if (c->core_pmu)
        snprintf(h->pmu, sizeof h->pmu, "%s", arch->label);
    else if (h->hypervisor[0] || c->hypervisor[0])
        snprintf(h->pmu, sizeof h->pmu, "none (virtual machine)");
    else
        snprintf(h->pmu, sizeof h->pmu, "none");
}

static void read_context(struct perf_source *s, const struct arch_def *arch, const struct host *h)
{
    perf_context_read(&s->context, s->sys);
    s->context.core_pmu = strcmp(arch->key, "none") != 0;
    if (h && h->hypervisor[0])
        snprintf(s->context.hypervisor, sizeof s->context.hypervisor, "%s", h->hypervisor);
    if (h && h->container[0])
        snprintf(s->context.container, sizeof s->context.container, "%s", h->container);
}

static bool has_uncore(const struct group_plan *p)
{
    for (size_t g = 0; g < p->ngroups; g++)
        if (p->groups[g].domain == PLAN_UNCORE)
            return true;
    return false;
}

static void start_readers(struct perf_source *s, const struct target *target)
{
    bool cpus[TARGET_MAX_CPUS];
    bool tasks = s->kind == TARGET_PIDS || s->kind == TARGET_COMMAND;
    cpus_online(cpus);
    for (int c = 0; target->cpus && c < TARGET_MAX_CPUS; c++)
        cpus[c] &= target->cpus[c];
    if (tasks && !has_uncore(newest_plan(s)))
        return;
    s->readers = readers_new(&(struct readers_config){.sys = s->sys,
                                                      .cpus = cpus,
                                                      .cgroup_fd = s->cgroup_fd,
                                                      .uncore_only = tasks,
                                                      .direct_max = DIRECT_CPUS},
                             newest_plan(s));
}

/* Lists the events of a group that will be split, for the notice. */
static void name_split(struct perf_source *s, const struct group_plan *p, size_t group)
{
    size_t used = 0;
    s->split[0] = '\0';
    for (size_t i = 0; i < p->nevents; i++) {
        if (p->where[i].group != (int)group)
            continue;
        int n = snprintf(s->split + used, sizeof s->split - used, "%s%s", used ? ", " : "",
                         s->events.rows[s->events.parts[i].row].name);
        if (n < 0 || (size_t)n >= sizeof s->split - used)
            break;
        used += (size_t)n;
    }
}

static void fit_groups(struct perf_source *s)
{
    for (size_t g = 0; g < newest_plan(s)->ngroups;) {
        const struct plan_group *pg = &newest_plan(s)->groups[g];
        struct group_plan *smaller = NULL;
        if (pg->domain == PLAN_CORE && pg->n > 1 && !group_fits(s->sys, pg))
            smaller = group_plan_split(newest_plan(s), g);
        if (!smaller) {
            g++;
            continue;
        }
        name_split(s, newest_plan(s), g);
        adopt_plan(s, smaller);
    }
}

static void start_counting(struct perf_source *s, const struct source_config *config)
{
    fit_groups(s);
    if (s->kind == TARGET_PIDS)
        s->tasks = tasks_watch(s->sys, newest_plan(s), s->pids, s->npids, s->alone);
    if (s->kind == TARGET_COMMAND && config->command_pid > 0)
        s->tasks = tasks_command(s->sys, newest_plan(s), config->command_pid);
    start_readers(s, config->target);
    if (s->context.core_pmu)
        s->selftest = selftest_start(s->sys);
}

static void perf_close(struct source *self)
{
    struct perf_source *s = (struct perf_source *)self;
    if (!s)
        return;
    selftest_free(s->selftest);
    readers_free(s->readers);
    tasks_free(s->tasks);
    for (size_t i = 0; i < s->nplans; i++)
        group_plan_free(s->plans[i]);
    if (s->cgroup_fd >= 0)
        close(s->cgroup_fd);
    events_free(&s->events);
    free(s->plans);
    free(s->starving);
    free(s->position);
    free(s->still);
    free(s->pids);
    free(s);
}

static int check_target(struct perf_source *s, const struct target *t, struct error *err)
{
    if (t->kind == TARGET_PIDS)
        return target_check_pids(s->sys, &s->context, t->pids, t->npids, &s->owner, err);
    if (t->kind == TARGET_CGROUP)
        return target_open_cgroup(t->cgroup, &s->cgroup_fd, err);
    return 0;
}

/* Chooses the CPU whose events are counted. If the user asks for ports, these are shown with a
 * reason even on a known CPU with hidden counters, as in a virtual machine. */
static const struct arch_def *choose_event_rows(const struct arch_def *arch, enum target_sets sets)
{
    if (sets == SETS_USUAL || arch->counters || arch->events->name)
        return arch;
    const struct arch_def *cpu = arch_find(arch_of_cpu());
    return cpu ? cpu : arch;
}

static int perf_open(struct source **out, struct source_config *config, struct error *err)
{
    const struct target *t = config->target;
    const struct arch_def *arch = arch_detect();
    struct perf_source *s = xcalloc(1, sizeof *s);
    s->sys = perf_sys_current();
    s->kind = t->kind;
    s->cgroup_fd = -1;
    s->npids = t->npids;
    s->alone = t->children == CHILDREN_NONE;
    s->pids = xcalloc(t->npids + 1, sizeof *s->pids);
    if (t->npids)
        memcpy(s->pids, t->pids, t->npids * sizeof *t->pids);
    read_context(s, arch, config->host);
    s->owner = s->context.uid;
    int rc = check_target(s, t, err);
    if (!rc)
        rc = events_build(&s->events, choose_event_rows(arch, t->sets), t->event_spec, t->sets,
                          config->user, err);
    if (rc < 0) {
        perf_close((struct source *)s);
        return rc;
    }
    raise_file_limit(&s->context, s->kind);
    fill_host(config->host, arch, choose_event_rows(arch, t->sets)->key, &s->context);
    s->limits =
        (struct plan_limits){.counters = arch->counters,
                             .taken = s->context.nmi_watchdog == 1,
                             .uncore = 4 /* fewest per PMU among AMD DF, UMC and Intel IMC */};
    s->still = xcalloc(s->events.nrows + 1, sizeof *s->still);
    adopt_plan(s, events_plan(&s->events, &s->limits));
    start_counting(s, config);
    *out = (struct source *)s;
    return 0;
}

/* Computes the row of each CPU in the snapshot's arrays. */
static int find_cpu_positions(struct perf_source *s, const struct snapshot *out)
{
    int n = out->host ? out->host->ncpus : 0;
    if (!out->cpus || n <= 0)
        return 0;
    if (!s->position)
        s->position = xcalloc(TARGET_MAX_CPUS, sizeof *s->position);
    for (int c = 0; c < TARGET_MAX_CPUS; c++)
        s->position[c] = -1;
    for (int i = 0; i < n; i++)
        if (out->cpus[i].id >= 0 && out->cpus[i].id < TARGET_MAX_CPUS)
            s->position[out->cpus[i].id] = i;
    return n;
}

static bool hybrid_in_tasks(const struct perf_source *s, const struct plan_group *pg)
{
    return pg->members[0].hybrid && s->tasks;
}

/* Splits a group that did not run in two samples, although each was long enough for every group to
 * have a turn. Such a group is too large for the PMU, so its halves are counted in turn. */
static void split_starving(struct perf_source *s, const struct tally *y)
{
    const struct group_plan *p = newest_plan(s);
    for (size_t g = 0; g < p->ngroups; g++) {
        const struct plan_group *pg = &p->groups[g];
        uint64_t enabled = 0, running = 0, most = 0;
        for (size_t m = pg->first; m < pg->first + pg->n; m++) {
            enabled += y->sum[m].enabled;
            running += y->sum[m].running;
            uint64_t each = y->sum[m].places ? y->sum[m].enabled / y->sum[m].places : 0;
            most = each > most ? each : most;
        }
        struct starving *h = &s->starving[g];
        if (running || pg->domain == PLAN_SOFTWARE || hybrid_in_tasks(s, pg))
            *h = (struct starving){0};
        else if (enabled)
            *h = (struct starving){h->ticks + 1, h->enabled_ns + most};
        bool starved = h->ticks >= STARVED_TICKS && h->enabled_ns >= 2 * p->ngroups * ROTATION_NS;
        struct group_plan *smaller = y->too_big[g] || starved ? group_plan_split(p, g) : NULL;
        if (!smaller)
            continue;
        name_split(s, p, g);
        adopt_plan(s, smaller);
        if (s->readers)
            readers_set_plan(s->readers, smaller);
        if (s->tasks)
            tasks_set_plan(s->tasks, smaller);
        return; /* splits one at a time, because the new plan starts again */
    }
}

static uint64_t choose_wait_ns(const struct perf_source *s, uint64_t interval_ns)
{
    if (!s->polled)
        return FIRST_WAIT_NS;
    uint64_t quarter = interval_ns / 4;
    if (quarter < WAIT_MIN_NS)
        return WAIT_MIN_NS;
    return quarter > WAIT_MAX_NS ? WAIT_MAX_NS : quarter;
}

static bool all_gone(struct perf_source *s, uint64_t now_ns)
{
    if (s->gone || (s->alive_ns && now_ns - s->alive_ns < ALIVE_NS))
        return s->gone;
    s->alive_ns = now_ns;
    for (size_t i = 0; i < s->npids; i++)
        if (task_alive(s->pids[i]))
            return false;
    return s->gone = true;
}

/* Whether the kernel stopped counting. Only a command is checked, because all its processes descend
 * from the one that was attached. */
static bool kernel_stopped(struct perf_source *s, const struct tasks_status *t,
                           const struct tally *y, const struct snapshot *out)
{
    bool all = s->kind == TARGET_COMMAND && t->attached > 0 && t->inherit && !t->busy && !t->fatal;
    return stopped_look(&s->stopped, y, out, all);
}

static void report_counters(struct perf_source *s, struct snapshot *out, const struct tally *y,
                            double interval_s)
{
    struct tasks_status ts = {0};
    struct selftest st;
    if (s->tasks)
        tasks_status(s->tasks, &ts);
    selftest_result(s->selftest, &st);
    char a[28], b[28], coverage[80];
    snprintf(coverage, sizeof coverage, "%s of %s threads", thousands(ts.attached, a),
             thousands(ts.found, b));
    struct emit_input in = {.events = &s->events,
                            .context = &s->context,
                            .kind = s->kind,
                            .owner = s->owner,
                            .files = ts.found * newest_plan(s)->nmembers + 64,
                            .interval_s = interval_s,
                            .attaching = s->tasks && ts.busy && !ts.attached,
                            .coverage = ts.fatal ? coverage : NULL,
                            .stopped = kernel_stopped(s, &ts, y, out),
                            .tally = y,
                            .still = s->still};
    emit_counters(&in, out);
    notices_add(&(struct notice_input){.emit = &in,
                                       .tasks = s->tasks ? &ts : NULL,
                                       .selftest = &st,
                                       .split = s->split[0] ? s->split : NULL},
                out);
}

static void perf_poll(struct source *self, struct snapshot *out, uint64_t now_ns)
{
    struct perf_source *s = (struct perf_source *)self;
    uint64_t interval_ns = s->polled && now_ns > s->last_ns ? now_ns - s->last_ns : 0;
    int ncpus = find_cpu_positions(s, out);
    bool by_cpu = s->kind == TARGET_HOST || s->kind == TARGET_CGROUP;
    struct tally y;
    tally_init(&y, newest_plan(s), by_cpu ? ncpus : 0);
    if (s->readers)
        readers_sample(s->readers, choose_wait_ns(s, interval_ns), ncpus ? s->position : NULL, &y);
    if (s->tasks)
        tasks_sample(s->tasks, &y);
    report_counters(s, out, &y, (double)interval_ns / 1e9);
    if (s->kind == TARGET_PIDS && all_gone(s, now_ns))
        out->target_gone = true;
    /* Last, because the tally and its counters belong to the old plan. */
    split_starving(s, &y);
    tally_free(&y);
    s->last_ns = now_ns;
    s->polled = true;
}

const struct source_ops source_perf = {
    .name = "perf",
    .summary =
        "hardware, software, tracepoint, energy and memory counters of the kernel's perf_event",
    .probe = perf_probe,
    .open = perf_open,
    .poll = perf_poll,
    .close = perf_close,
    .events = &perf_event_ops,
};
