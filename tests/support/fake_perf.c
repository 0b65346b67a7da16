#include "fake_perf.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "records.h"

static bool same(long want, long have)
{
    return want == FAKE_ANY || want == have;
}

static int hardware(const struct perf_event_attr *a)
{
    return a->type != PERF_TYPE_SOFTWARE && a->type != PERF_TYPE_TRACEPOINT;
}

/* What the kernel refuses, as perf_event_open(2) describes: security_perf_event_open of the
 * patches, perf_allow_kernel, perf_allow_cpu. */
static int level_refuses(const struct fake_perf *f, const struct perf_event_attr *a, pid_t pid)
{
    if (!f->ordinary)
        return 0;
    if (f->patched && f->paranoid > 2)
        return EACCES;
    if (!a->exclude_kernel && f->paranoid > 1)
        return EACCES;
    return pid == -1 && f->paranoid > 0 ? EACCES : 0;
}

static int refusal(const struct fake_perf *f, const struct perf_event_attr *a, pid_t pid, int cpu,
                   int group_fd)
{
    if (f->attr_size && a->size > f->attr_size)
        return E2BIG;
    if (level_refuses(f, a, pid))
        return EACCES;
    if (f->no_dumps && a->sample_type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
        return EINVAL;
    for (int i = 0; i < f->nrules; i++) {
        const struct fake_rule *r = &f->rules[i];
        if (same(r->type, a->type) && same(r->config, (long)a->config) && same(r->cpu, cpu) &&
            same(r->pid, pid) && !(r->unless_exclude_kernel && a->exclude_kernel) &&
            !(r->only_inherit && !a->inherit))
            return r->err;
    }
    if (f->counters && group_fd >= 0 && hardware(a)) {
        int n = 1;
        for (int i = 0; i < f->used; i++)
            n += f->fds[i].open && f->fds[i].leader == group_fd && hardware(&f->fds[i].attr);
        if (n > f->counters)
            return EINVAL;
    }
    return 0;
}

/* The kernel looks up the path now and keeps the inode, so a later rename has no effect. */
static uint64_t uprobe_inode(const struct fake_perf *f, const struct perf_event_attr *a)
{
    struct stat st;
    bool has = f->uprobe_type && a->type == f->uprobe_type && a->uprobe_path;
    const char *path = NULL;
    /* the kernel's interface has this pointer as a number */
    memcpy(&path, &a->uprobe_path, sizeof path);
    return has && stat(path, &st) == 0 ? st.st_ino : 0;
}

static int fake_open(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                     unsigned long flags)
{
    struct fake_perf *f = ctx;
    pthread_mutex_lock(&f->lock);
    int err = refusal(f, attr, pid, cpu, group_fd), fd = -1;
    f->opens++;
    if (err == E2BIG)
        attr->size = f->attr_size;
    if (!err && f->opens_max && f->now_open >= f->opens_max)
        err = EMFILE;
    for (fd = 0; !err && fd < f->used && f->fds[fd].open;)
        fd++;
    if (!err && fd == FAKE_FDS)
        err = ENFILE;
    if (!err) {
        bool late = group_fd >= 0 && cpu >= 0 && !f->fds[group_fd].attr.disabled;
        f->fds[fd] = (struct fake_fd){.open = true,
                                      .attr = *attr,
                                      .uprobe_inode = uprobe_inode(f, attr),
                                      .pid = pid,
                                      .cpu = cpu,
                                      .leader = group_fd < 0 ? fd : group_fd,
                                      .flags = flags,
                                      .joined_late = late,
                                      .output = -1};
        f->used += fd == f->used;
        f->now_open++;
    }
    pthread_mutex_unlock(&f->lock);
    return err ? -err : fd;
}

/* Beyond its end, a script repeats its last step. */
static struct fake_count at_step(const struct fake_script *s, int step)
{
    struct fake_count last = s->steps[s->n - 1];
    if (step < s->n)
        return s->steps[step];
    if (s->n < 2 || last.eof || s->steps[s->n - 2].eof)
        return last;
    uint64_t more = (uint64_t)step - (uint64_t)s->n + 1;
    const struct fake_count *prev = &s->steps[s->n - 2];
    last.value += more * (last.value - prev->value);
    last.enabled += more * (last.enabled - prev->enabled);
    last.running += more * (last.running - prev->running);
    return last;
}

static struct fake_count count_of(const struct fake_perf *f, const struct fake_fd *d)
{
    for (int i = 0; i < f->nscripts; i++) {
        const struct fake_script *s = &f->scripts[i];
        if (same(s->type, d->attr.type) && same(s->config, (long)d->attr.config) &&
            same(s->cpu, d->cpu) && same(s->pid, d->pid))
            return at_step(s, f->step);
    }
    uint64_t t = (uint64_t)(f->step + 1) * 1000000;
    return (struct fake_count){(uint64_t)(f->step + 1) * 1000, t, t, false};
}

static ssize_t fake_read(void *ctx, int fd, void *buf, size_t size)
{
    struct fake_perf *f = ctx;
    ssize_t len = 0;
    pthread_mutex_lock(&f->lock);
    assert_true(fd >= 0 && fd < f->used && f->fds[fd].open);
    struct fake_count lead = count_of(f, &f->fds[fd]);
    if (!lead.eof) {
        uint64_t out[3 + 2 * 64], nr = 0;
        /* The kernel lists the leader, then its siblings. Here the last opened comes first,
         * because readers must rely on the ids. */
        for (int i = f->used - 1; i >= 0 && nr < 64; i--) {
            if (!f->fds[i].open || f->fds[i].leader != fd)
                continue;
            /* Nothing counts before the leader is enabled, and descriptors that joined later never
             * count. */
            bool counts = !f->fds[fd].attr.disabled && !f->fds[i].joined_late;
            out[3 + 2 * nr] = counts ? count_of(f, &f->fds[i]).value : 0;
            out[3 + 2 * nr + 1] = (uint64_t)i + 1000;
            nr++;
        }
        out[0] = nr;
        out[1] = f->fds[fd].attr.disabled ? 0 : lead.enabled;
        out[2] = f->fds[fd].attr.disabled ? 0 : lead.running;
        len = (ssize_t)((3 + 2 * nr) * sizeof *out);
        if ((size_t)len > size)
            len = -ENOSPC;
        else
            memcpy(buf, out, (size_t)len);
    }
    pthread_mutex_unlock(&f->lock);
    return len;
}

static int fake_ioctl(void *ctx, int fd, unsigned long request, unsigned long arg)
{
    struct fake_perf *f = ctx;
    pthread_mutex_lock(&f->lock);
    f->ioctls++;
    if (request == PERF_EVENT_IOC_ENABLE && fd >= 0 && fd < f->used)
        f->fds[fd].attr.disabled = 0;
    if (request == PERF_EVENT_IOC_SET_OUTPUT && fd >= 0 && fd < f->used)
        f->fds[fd].output = (int)arg;
    pthread_mutex_unlock(&f->lock);
    return 0;
}

static int fake_close(void *ctx, int fd)
{
    struct fake_perf *f = ctx;
    pthread_mutex_lock(&f->lock);
    bool was = fd >= 0 && fd < f->used && f->fds[fd].open;
    if (was) {
        f->fds[fd].open = false;
        f->now_open--;
    }
    pthread_mutex_unlock(&f->lock);
    return was ? 0 : -EBADF;
}

static int fake_id(void *ctx, int fd, unsigned long long *id)
{
    (void)ctx;
    *id = (unsigned long long)fd + 1000;
    return 0;
}

static int fake_map(void *ctx, int fd, size_t size, void **out)
{
    struct fake_perf *f = ctx;
    int rc = 0;
    pthread_mutex_lock(&f->lock);
    assert_true(fd >= 0 && fd < f->used);
    struct fake_fd *d = &f->fds[fd];
    assert_true(d->open && !d->ring);
    if (d->attr.inherit && d->cpu < 0)
        rc = -EINVAL; /* kernel/events/core.c, perf_mmap */
    else if (f->map_max && f->mapped + size > f->map_max)
        rc = -EPERM;
    else {
        d->ring = ring_memory(size - RING_PAGE);
        d->ring_size = size;
        f->mapped += size;
    }
    *out = d->ring;
    pthread_mutex_unlock(&f->lock);
    return rc;
}

static void fake_unmap(void *ctx, void *base, size_t size)
{
    struct fake_perf *f = ctx;
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i < f->used; i++) {
        if (f->fds[i].ring != base)
            continue;
        assert_int_equal(f->fds[i].ring_size, size);
        f->fds[i].ring = NULL;
        f->mapped -= size;
    }
    pthread_mutex_unlock(&f->lock);
    free(base);
}

/* Only the caller's own descriptor can become ready. */
static int fake_wait(void *ctx, struct pollfd *fds, unsigned n, int timeout_ms)
{
    (void)ctx;
    (void)n;
    return poll(fds, 1, timeout_ms);
}

void *fake_perf_ring(struct fake_perf *f, int cpu, size_t *size)
{
    void *ring = NULL;
    pthread_mutex_lock(&f->lock);
    for (int i = 0; i < f->used && !ring; i++) {
        if (!f->fds[i].open || f->fds[i].cpu != cpu || !f->fds[i].ring)
            continue;
        ring = f->fds[i].ring;
        *size = f->fds[i].ring_size - RING_PAGE;
    }
    pthread_mutex_unlock(&f->lock);
    return ring;
}

struct fake_perf *fake_perf_new(void)
{
    struct fake_perf *f = calloc(1, sizeof *f);
    assert_non_null(f);
    pthread_mutex_init(&f->lock, NULL);
    f->sys = (struct perf_sys){.open = fake_open,
                               .read = fake_read,
                               .ioctl = fake_ioctl,
                               .close = fake_close,
                               .event_id = fake_id,
                               .ctx = f,
                               .map = fake_map,
                               .unmap = fake_unmap,
                               .wait = fake_wait};
    return f;
}

void fake_perf_free(struct fake_perf *f)
{
    assert_int_equal(f->now_open, 0);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

void fake_perf_script(struct fake_perf *f, struct fake_script s)
{
    pthread_mutex_lock(&f->lock);
    assert_true(f->nscripts < FAKE_SCRIPTS);
    f->scripts[f->nscripts++] = s;
    pthread_mutex_unlock(&f->lock);
}

void fake_perf_rule(struct fake_perf *f, struct fake_rule r)
{
    pthread_mutex_lock(&f->lock);
    assert_true(f->nrules < FAKE_RULES);
    f->rules[f->nrules++] = r;
    pthread_mutex_unlock(&f->lock);
}

void fake_perf_step(struct fake_perf *f)
{
    pthread_mutex_lock(&f->lock);
    f->step++;
    pthread_mutex_unlock(&f->lock);
}

int fake_perf_open_count(struct fake_perf *f)
{
    pthread_mutex_lock(&f->lock);
    int n = f->now_open;
    pthread_mutex_unlock(&f->lock);
    return n;
}

struct perf_encoding fake_core(uint64_t config)
{
    struct perf_encoding e = {
        .type = PERF_TYPE_RAW, .config = config, .counters = 1, .scale = 1, .pmu = "cpu"};
    return e;
}

struct perf_encoding fake_software(uint64_t config)
{
    struct perf_encoding e = {
        .type = PERF_TYPE_SOFTWARE, .config = config, .scale = 1, .pmu = "software"};
    return e;
}
