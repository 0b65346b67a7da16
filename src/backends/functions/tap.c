#include "backends/functions/sampler_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "backends/perf_common/cpus.h"
#include "base/cpu_list.h"
#include "backends/perf_common/explain.h"
#include "backends/perf_common/open.h"
#include "backends/perf_common/target_check.h"
#include "backends/perf_common/tasks.h"
#include "backends/perf_event/encoding.h"
#include "backends/perf_common/perf_record.h"
#include "backends/unwind/unwind.h"
#include "base/arena.h"
#include "base/list.h"

enum {
    OPEN_EVENTS_MAX = 16384,
    RING_BYTES = 512 << 10,     /* two seconds of stacks of 30 frames at 997 Hz */
    RING_BYTES_DWARF = 4 << 20, /* half a second of 8 KB stacks */
    ALL_RINGS_BYTES = 64 << 20, /* with many CPUs each ring is smaller */
    ALL_RINGS_BYTES_DWARF = 512 << 20,
    RING_MIN_BYTES = 64 << 10,
};

uint64_t tap_sample_type(enum callgraph callgraph, bool dumps)
{
    uint64_t type = SAMPLED_FIELDS;
    if (callgraph != CALLGRAPH_NONE)
        type |= PERF_SAMPLE_CALLCHAIN;
    if (dumps)
        type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    return type;
}

void tap_fill_attr(const struct tap_opening *o, const struct perf_encoding *e,
                   struct perf_event_attr *a)
{
    const struct tap *s = o->s;
    enum target_kind kind = o->c->target->kind;
    memset(a, 0, sizeof *a);
    a->size = sizeof *a;
    a->type = e ? e->type : PERF_TYPE_SOFTWARE;
    a->config = e ? e->config : PERF_COUNT_SW_CPU_CLOCK;
    a->exclude_idle = !e;
    a->freq = 1;
    a->sample_freq = (uint64_t)s->hz;
    a->sample_type = tap_sample_type(s->callgraph, s->nregs > 0);
    a->sample_id_all = 1;
    a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 1;
    a->disabled = 1;
    a->enable_on_exec = o->c->command_waits;
    a->inherit = !s->only && (kind == TARGET_PIDS || kind == TARGET_COMMAND);
    a->inherit_thread =
        a->inherit && kind == TARGET_PIDS && o->c->target->children == CHILDREN_NONE;
    a->watermark = 1;
    a->wakeup_watermark = (uint32_t)(o->ring_bytes / 2);
    a->use_clockid = 1;
    a->clockid = CLOCK_MONOTONIC;
    a->exclude_kernel = a->exclude_hv = s->kernel_excluded;
    if (s->nregs) {
        bool dwarf = s->callgraph == CALLGRAPH_DWARF;
        a->exclude_callchain_user = dwarf;
        a->sample_regs_user = unwind_regs_mask();
        a->sample_stack_user = dwarf ? TAP_STACK_BYTES : TAP_STACK_BYTES_FP;
    }
}

/* --- events --- */

static void keep_fd(struct tap *s, int fd)
{
    LIST_ADD(s->fds, s->nfds, s->cap_fds, fd);
}

static int try_sampling_event(struct tap_opening *o, const struct perf_encoding *e,
                              const struct group_where *w)
{
    struct perf_event_attr a;
    tap_fill_attr(o, e, &a);
    int fd = event_open_attr(o->s->sys, &a, w, -1);
    if ((fd != -EACCES && fd != -EPERM) || o->s->kernel_excluded)
        return fd;
    int refused = fd;
    o->s->kernel_excluded = true;
    tap_fill_attr(o, e, &a);
    fd = event_open_attr(o->s->sys, &a, w, -1);
    if (fd < 0)
        o->s->kernel_excluded = false;
    return fd == -EINVAL ? refused : fd;
}

/* Whether a core PMU's event can be opened on that CPU. */
static bool on_this_cpu(const struct perf_encoding *e, int cpu)
{
    bool set[TARGET_MAX_CPUS];
    return !e->cpumask[0] || cpu_list_parse(e->cpumask, set) <= 0 || set[cpu];
}

/* Opens the sampling event for one place. Returns a descriptor or -errno. */
static int open_sampling_event(struct tap_opening *o, const struct group_where *w)
{
    int fd = -ENOENT;
    if (o->s->cpu_clock)
        return try_sampling_event(o, NULL, w);
    for (size_t i = 0; i < o->ncycles && fd < 0; i++)
        if (on_this_cpu(&o->cycles[i], w->cpu))
            fd = try_sampling_event(o, &o->cycles[i], w);
    return fd;
}

/* The maximum number of events; the other descriptors are for counters and for files with names. */
static size_t events_max(const struct tap_opening *o)
{
    size_t most = o->c->context->files_soft / 4;
    return most < OPEN_EVENTS_MAX ? most : OPEN_EVENTS_MAX;
}

static int open_place(struct tap_opening *o, const struct group_where *w, bool of_task)
{
    if (o->s->nfds >= events_max(o))
        return -EMFILE;
    int fd = open_sampling_event(o, w);
    int rc = fd < 0 ? fd : tap_attach(o, fd, w->cpu, of_task);
    if (rc < 0 && fd >= 0)
        o->s->sys->close(o->s->sys->ctx, fd);
    if (rc < 0)
        return rc;
    keep_fd(o->s, fd);
    return 0;
}

static void close_events(struct tap *s)
{
    for (size_t i = 0; i < s->nfds; i++) {
        bool owns = false;
        for (size_t r = 0; r < s->nrings; r++)
            owns |= s->rings[r].fd == s->fds[i];
        if (!owns)
            s->sys->close(s->sys->ctx, s->fds[i]);
    }
    for (size_t r = 0; r < s->nrings; r++) {
        if (!s->rings[r].mapped)
            continue;
        s->sys->unmap(s->sys->ctx, s->rings[r].ring.base, s->rings[r].mapped);
        s->sys->close(s->sys->ctx, s->rings[r].fd);
    }
    free(s->fds);
    free(s->rings);
    free(s->only);
    s->fds = NULL;
    s->rings = NULL;
    s->only = NULL;
    s->nfds = s->cap_fds = s->nrings = s->tasks = s->tasks_left = s->nonly = 0;
    s->error = 0;
}

/* --- tasks and CPUs --- */

static size_t chosen_cpus(const struct target *t, int *list)
{
    bool set[TARGET_MAX_CPUS];
    size_t n = 0;
    cpus_online(set);
    for (int c = 0; c < TARGET_MAX_CPUS; c++)
        if (set[c] && (!t->cpus || t->cpus[c]))
            list[n++] = c;
    return n;
}

/* Whether an error ends the opening, because later events would fail too. */
static bool is_opening_over(int rc)
{
    return rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM;
}

static void note_refusal(struct tap *s, int rc)
{
    if (!s->error && rc != -ESRCH && rc != -ENODEV && rc != -ENXIO)
        s->error = -rc;
}

static void open_cpus(struct tap_opening *o, const int *cpus, size_t ncpus)
{
    struct group_where w = {.pid = -1};
    if (o->c->target->kind == TARGET_CGROUP) {
        w.pid = o->s->cgroup_fd;
        w.flags = PERF_FLAG_PID_CGROUP;
    }
    for (size_t i = 0; i < ncpus; i++) {
        w.cpu = cpus[i];
        int rc = open_place(o, &w, false);
        if (rc < 0)
            note_refusal(o->s, rc);
        if (is_opening_over(rc) || o->ring_refused)
            return;
    }
}

/* Opens one thread on every CPU. False: do not try the rest. */
static bool open_sampled_thread(struct tap_opening *o, pid_t tid, const int *cpus, size_t ncpus)
{
    if (o->c->quit && *o->c->quit)
        return false;
    o->s->tasks++;
    for (size_t i = 0; i < ncpus; i++) {
        int rc = open_place(o, &(struct group_where){.pid = tid, .cpu = cpus[i]}, true);
        if (rc == -ESRCH)
            break;
        if (rc < 0)
            note_refusal(o->s, rc);
        if (rc < 0 && i == 0)
            o->s->tasks_left++;
        if (is_opening_over(rc) || o->ring_refused)
            return false;
    }
    return true;
}

static void open_process(struct tap_opening *o, pid_t pid, const int *cpus, size_t ncpus)
{
    pid_t *tids;
    long n = task_list(pid, &tids), i = 0;
    while (i < n && open_sampled_thread(o, tids[i], cpus, ncpus))
        i++;
    if (i < n)
        o->s->tasks_left += (size_t)(n - i - 1);
    free(tids);
}

static size_t count_threads(const pid_t *pids, size_t npids)
{
    size_t n = 0;
    for (size_t i = 0; i < npids; i++) {
        pid_t *tids;
        long found = task_list(pids[i], &tids);
        n += found > 0 ? (size_t)found : 0;
        free(tids);
    }
    return n;
}

/* Samples all CPUs for processes with too many threads. false, with nothing open, if this is
 * refused. */
static bool open_cpus_for(struct tap_opening *o, const pid_t *pids, size_t npids, const int *cpus,
                          size_t ncpus)
{
    struct tap *s = o->s;
    bool excluded = s->kernel_excluded;
    s->only = xcalloc(npids, sizeof *s->only);
    memcpy(s->only, pids, npids * sizeof *pids);
    s->nonly = npids;
    open_cpus(o, cpus, ncpus);
    if (s->nfds == ncpus || o->ring_refused)
        return true;
    close_events(s);
    s->kernel_excluded = excluded;
    return false;
}

static void open_processes(struct tap_opening *o, const pid_t *pids, size_t npids, const int *cpus,
                           size_t ncpus)
{
    if (count_threads(pids, npids) * ncpus > events_max(o) &&
        open_cpus_for(o, pids, npids, cpus, ncpus))
        return;
    for (size_t i = 0; i < npids; i++)
        open_process(o, pids[i], cpus, ncpus);
}

static void open_target_events(struct tap_opening *o, const int *cpus, size_t ncpus)
{
    const struct tap_config *c = o->c;
    pid_t *family = NULL;
    size_t n = 0;
    switch (c->target->kind) {
    case TARGET_HOST:
    case TARGET_CGROUP:
        open_cpus(o, cpus, ncpus);
        break;
    case TARGET_PIDS:
        open_processes(o, c->target->pids, c->target->npids, cpus, ncpus);
        break;
    case TARGET_COMMAND:
        if (c->command_waits) {
            open_sampled_thread(o, c->command, cpus, ncpus);
            break;
        }
        n = tap_family(c->command, &family);
        open_processes(o, family, n, cpus, ncpus);
        free(family);
        break;
    }
}

/* --- opening and closing --- */

static size_t choose_ring_bytes(const struct tap *s, size_t ncpus)
{
    bool dwarf = s->callgraph == CALLGRAPH_DWARF;
    size_t bytes = dwarf ? RING_BYTES_DWARF : RING_BYTES;
    size_t all = dwarf ? ALL_RINGS_BYTES_DWARF : ALL_RINGS_BYTES;
    while (bytes > RING_MIN_BYTES && bytes * ncpus > all)
        bytes /= 2;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return bytes > page ? bytes : page;
}

static void open_once(struct tap_opening *o)
{
    int cpus[TARGET_MAX_CPUS];
    size_t ncpus = chosen_cpus(o->c->target, cpus);
    o->ring_bytes = choose_ring_bytes(o->s, ncpus);
    for (;;) {
        o->ring_refused = false;
        open_target_events(o, cpus, ncpus);
        if (!o->ring_refused || o->ring_bytes / 2 < RING_MIN_BYTES)
            return;
        close_events(o->s); /* the first ring would leave no memory for the others */
        o->ring_bytes /= 2;
    }
}

/* Whether the kernel or processor cannot dump stacks or registers, which it reports as EINVAL or a
 * similar error. */
static bool cannot_dump(const struct tap *s)
{
    return s->nregs > 0 && s->nfds == 0 &&
           (s->error == EINVAL || s->error == ENOSYS || s->error == EOPNOTSUPP);
}

static void report_limits(struct tap_opening *o)
{
    struct tap *s = o->s;
    enum explain_event kind = s->cpu_clock ? EXPLAIN_SOFTWARE : EXPLAIN_HARDWARE;
    char advice[ADVICE_BYTES];
    if (s->nfds == 0) { /* report why nothing can be sampled */
        s->why[0] = s->help[0] = '\0';
        if (o->ring_refused) {
            snprintf(s->why, sizeof s->why,
                     "the kernel allows no more memory to be locked for samples "
                     "(kernel.perf_event_mlock_kb, EPERM)");
            snprintf(s->help, sizeof s->help, "%s", advice_locked_memory(advice));
        } else if (s->error)
            tap_say(s, o->c, s->error, kind, "");
        else
            snprintf(s->why, sizeof s->why, "no task of the target is left to sample");
    } else if (s->tasks_left) {
        s->why[0] = '\0';
        tap_say(s, o->c, s->error ? s->error : EMFILE, kind, "not all threads are sampled: ");
    } else if (o->c->sampling.callgraph == CALLGRAPH_DWARF && s->callgraph != CALLGRAPH_DWARF) {
        snprintf(s->why, sizeof s->why,
                 "the kernel gives no stacks here: call graph by frame pointers");
    }
}

bool tap_open(struct tap *s, const struct tap_config *c)
{
    struct tap_opening o = {.s = s, .c = c};
    struct error err = ERROR_INIT;
    *s = (struct tap){.sys = c->sys, .cgroup_fd = -1};
    tap_choose_rate(&o);
    tap_choose_callgraph(&o);
    if (c->target->kind == TARGET_CGROUP &&
        target_open_cgroup(c->target->cgroup, &s->cgroup_fd, &err) < 0) {
        s->event = "cpu-clock";
        error_format(&err, s->why, sizeof s->why);
        return false;
    }
    tap_choose_event(&o);
    open_once(&o);
    if (cannot_dump(s)) {
        s->callgraph = CALLGRAPH_FP;
        s->nregs = 0;
        close_events(s);
        open_once(&o);
    }
    report_limits(&o);
    for (size_t i = 0; !c->command_waits && i < s->nfds; i++)
        s->sys->ioctl(s->sys->ctx, s->fds[i], PERF_EVENT_IOC_ENABLE, 0);
    free(o.cycles);
    return s->nfds > 0;
}

void tap_close(struct tap *s)
{
    if (!s->sys)
        return;
    close_events(s);
    if (s->cgroup_fd >= 0)
        close(s->cgroup_fd);
    *s = (struct tap){0};
}
