#include "backends/perf_common/open.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/explain.h"
#include "base/arena.h"

/* Source: kernel/events/core.c. These software events are raised with the kernel's own registers,
 * so exclude_kernel drops all of them. */
static bool event_counts_without_kernel(const struct perf_encoding *enc)
{
    if (enc->type == PERF_TYPE_TRACEPOINT)
        return false;
    if (enc->type != PERF_TYPE_SOFTWARE)
        return true;
    return enc->config != PERF_COUNT_SW_CONTEXT_SWITCHES &&
           enc->config != PERF_COUNT_SW_CPU_MIGRATIONS && enc->config != PERF_COUNT_SW_BPF_OUTPUT &&
           enc->config != 11 /* PERF_COUNT_SW_CGROUP_SWITCHES: newer than some headers */;
}

static void fill_attr(struct perf_event_attr *a, const struct perf_encoding *e,
                      const struct group_where *w, bool leader)
{
    memset(a, 0, sizeof *a);
    a->size = sizeof *a;
    a->type = e->type;
    a->config = e->config;
    a->config1 = e->config1;
    a->config2 = e->config2;
    a->read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                     PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (e->scope != EVENT_UNCORE) {
        a->exclude_user = e->exclude_user;
        a->exclude_kernel = e->exclude_kernel;
        a->exclude_hv = e->exclude_hv;
    }
    a->inherit = w->inherit;
    a->inherit_thread = w->inherit && w->threads_only;
    /* Members that join an enabled group on a CPU are not scheduled (seen on Linux 6.18: they read
     * 0 for ever), so the group is enabled when it is complete. */
    if (leader) {
        a->disabled = 1;
        a->enable_on_exec = w->on_exec;
    }
}

int event_open_attr(const struct perf_sys *sys, struct perf_event_attr *a,
                    const struct group_where *w, int group_fd)
{
    unsigned long flags = w->flags | PERF_FLAG_FD_CLOEXEC;
    int fd = sys->open(sys->ctx, a, w->pid, w->cpu, group_fd, flags);
    /* An older kernel writes the size that it knows into attr. Our fields beyond it are zero,
     * except config2. */
    if (fd == -E2BIG && a->size >= PERF_ATTR_SIZE_VER0 && a->size < sizeof *a &&
        !(a->config2 && a->size < PERF_ATTR_SIZE_VER1))
        fd = sys->open(sys->ctx, a, w->pid, w->cpu, group_fd, flags);
    if (fd == -EINVAL && a->exclude_hv) {
        a->exclude_hv = 0;
        fd = sys->open(sys->ctx, a, w->pid, w->cpu, group_fd, flags);
        if (fd < 0)
            a->exclude_hv = 1;
    }
    return fd;
}

/* The kernel checks permission before it checks whether the PMU exists, so a refusal is only
 * conclusive after a second try without the kernel. */
static int open_group_event(const struct perf_sys *sys, const struct perf_encoding *e,
                            const struct group_where *w, int group_fd, bool leader, bool *excluded)
{
    struct perf_event_attr a;
    fill_attr(&a, e, w, leader);
    int fd = event_open_attr(sys, &a, w, group_fd);
    if ((fd != -EACCES && fd != -EPERM) || a.exclude_kernel || e->scope == EVENT_UNCORE ||
        e->exclude_user)
        return fd;
    int refused = fd;
    bool countable = event_counts_without_kernel(e);
    a.exclude_kernel = 1;
    a.exclude_hv = 1;
    fd = event_open_attr(sys, &a, w, group_fd);
    if (fd >= 0 && !countable) {
        sys->close(sys->ctx, fd);
        return -EXPLAIN_KERNEL_ONLY;
    }
    if (fd >= 0)
        *excluded = true;
    return fd == -EINVAL || fd == -EPERM ? refused : fd;
}

int event_open_probe(const struct perf_sys *sys, const struct perf_encoding *enc, pid_t pid,
                     int cpu, bool *kernel_excluded)
{
    bool excluded = false;
    int fd = open_group_event(sys, enc, &(struct group_where){.pid = pid, .cpu = cpu}, -1, true,
                              &excluded);
    if (kernel_excluded)
        *kernel_excluded = excluded;
    return fd;
}

static bool ends_the_attempt(int err)
{
    return err == EMFILE || err == ENFILE || err == ESRCH || err == ENOMEM;
}

static void allocate_group(struct perf_group *g, size_t n)
{
    *g = (struct perf_group){.n = n};
    g->fd = xcalloc(n, sizeof *g->fd);
    g->err = xcalloc(n, sizeof *g->err);
    g->id = xcalloc(n, sizeof *g->id);
    g->last = xcalloc(n, sizeof *g->last);
    for (size_t i = 0; i < n; i++)
        g->fd[i] = -1;
}

static void close_fds(struct perf_group *g, const struct perf_sys *sys)
{
    /* Members before the leader: if the leader were closed first, each member would become a
     * leader. */
    for (size_t i = g->n; i-- > 0;) {
        if (g->fd[i] >= 0)
            sys->close(sys->ctx, g->fd[i]);
        g->fd[i] = -1;
    }
}

static int open_member(struct perf_group *g, const struct perf_sys *sys,
                       const struct plan_group *plan, const struct group_where *w, size_t i,
                       int leader_fd)
{
    const struct perf_encoding *e = &plan->members[i];
    int fd = open_group_event(sys, e, w, leader_fd, leader_fd < 0, &g->kernel_excluded);
    if (fd == -EINVAL && leader_fd >= 0) {
        /* If the event opens alone, the group is too large for the PMU. */
        int alone = open_group_event(sys, e, w, -1, true, &g->kernel_excluded);
        if (alone >= 0) {
            sys->close(sys->ctx, alone);
            g->too_big = true;
            return -EXPLAIN_TOO_BIG;
        }
    }
    if (fd < 0)
        return fd;
    int rc = sys->event_id(sys->ctx, fd, &g->id[i]);
    if (rc < 0) {
        sys->close(sys->ctx, fd);
        return rc;
    }
    return fd;
}

int group_open(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               const struct group_where *where)
{
    int leader = -1, first_err = 0;
    allocate_group(g, plan->n);
    for (size_t i = 0; i < plan->n; i++) {
        int fd = open_member(g, sys, plan, where, i, leader);
        if (fd < 0) {
            g->err[i] = -fd;
            if (!first_err)
                first_err = -fd;
            if (ends_the_attempt(-fd)) {
                close_fds(g, sys);
                for (size_t k = 0; k < g->n; k++)
                    if (!g->err[k])
                        g->err[k] = -fd;
                return fd;
            }
            /* Metric events are meaningless without the slots event as leader. */
            if (plan->metrics && leader < 0)
                break;
            continue;
        }
        g->fd[i] = fd;
        if (leader < 0)
            leader = fd;
    }
    for (size_t i = 0; i < g->n; i++)
        if (g->fd[i] < 0 && !g->err[i])
            g->err[i] = first_err;
    if (leader < 0)
        return -first_err;
    if (!where->on_exec)
        sys->ioctl(sys->ctx, leader, PERF_EVENT_IOC_ENABLE, 0);
    return 0;
}

bool group_is_open(const struct perf_group *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->fd[i] >= 0)
            return true;
    return false;
}

static int leader_fd(const struct perf_group *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->fd[i] >= 0)
            return g->fd[i];
    return -1;
}

/* The layout of read with GROUP|ENABLED|RUNNING|ID: perf_event_open(2), "Reading results". */
struct group_data {
    uint64_t nr, enabled, running;
    struct {
        uint64_t value, id;
    } of[PLAN_GROUP_MAX];
};

static void take_values(struct perf_group *g, const struct plan_group *plan,
                        const struct group_data *d, uint64_t nr, struct count *delta)
{
    for (uint64_t k = 0; k < nr; k++) {
        for (size_t i = 0; i < g->n; i++) {
            if (g->fd[i] < 0 || g->id[i] != d->of[k].id)
                continue;
            struct count now = {d->of[k].value, d->enabled, d->running};
            scale_advance(&g->last[i], now, &delta[i]);
            if (plan->members[i].gauge)
                delta[i].value = now.value;
            break;
        }
    }
}

int group_read(struct perf_group *g, const struct perf_sys *sys, const struct plan_group *plan,
               struct count *delta)
{
    memset(delta, 0, g->n * sizeof *delta);
    int fd = leader_fd(g);
    if (fd < 0)
        return -EBADF;
    struct group_data d;
    ssize_t len = sys->read(sys->ctx, fd, &d, sizeof d);
    if (len < 0)
        return (int)len;
    if (len == 0) {
        /* The error state of a pinned event: enabling it again requests its counter. */
        g->stolen = true;
        sys->ioctl(sys->ctx, fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
        return -ENODATA;
    }
    if ((size_t)len < 3 * sizeof(uint64_t))
        return -EIO;
    g->stolen = false;
    uint64_t room = ((uint64_t)len - 3 * sizeof(uint64_t)) / sizeof d.of[0];
    take_values(g, plan, &d, d.nr < room ? d.nr : room, delta);
    return 0;
}

void group_close(struct perf_group *g, const struct perf_sys *sys)
{
    if (!g->n)
        return;
    close_fds(g, sys);
    free(g->fd);
    free(g->err);
    free(g->id);
    free(g->last);
    *g = (struct perf_group){0};
}

bool group_fits(const struct perf_sys *sys, const struct plan_group *plan)
{
    int fd[PLAN_GROUP_MAX];
    bool fits = true, excluded;
    size_t n = 0;
    const struct group_where self = {.pid = 0, .cpu = -1};
    for (size_t i = 0; i < plan->n && n < PLAN_GROUP_MAX; i++) {
        int got = open_group_event(sys, &plan->members[i], &self, n ? fd[0] : -1, false, &excluded);
        if (got == -EINVAL && n) {
            int alone = open_group_event(sys, &plan->members[i], &self, -1, false, &excluded);
            if (alone >= 0)
                sys->close(sys->ctx, alone);
            fits &= alone < 0;
        }
        if (got >= 0)
            fd[n++] = got;
    }
    while (n)
        sys->close(sys->ctx, fd[--n]);
    return fits;
}
