/* One ring for each CPU, which all events of the CPU write to. */
#include <errno.h>
#include <unistd.h>

#include "backends/perf_common/open.h"
#include "backends/functions/sampler_impl.h"
#include "base/arena.h"

static struct tap_ring *ring_of(struct tap *s, int cpu)
{
    for (size_t i = 0; i < s->nrings; i++)
        if (s->rings[i].cpu == cpu)
            return &s->rings[i];
    s->rings = xrealloc(s->rings, s->nrings + 1, sizeof *s->rings);
    s->rings[s->nrings] = (struct tap_ring){.cpu = cpu, .fd = -1};
    return &s->rings[s->nrings++];
}

/* Maps a ring. EPERM means the limit of locked memory (perf_event_mlock_kb): all rings must then be
 * smaller. */
static int map_tap_ring(struct tap_opening *o, struct tap_ring *r, int fd)
{
    const struct perf_sys *sys = o->s->sys;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *base;
    int rc = sys->map(sys->ctx, fd, o->ring_bytes + page, &base);
    o->ring_refused |= rc == -EPERM || rc == -ENOMEM;
    if (rc < 0)
        return rc;
    r->fd = fd;
    r->mapped = o->ring_bytes + page;
    perf_ring_init(&r->ring, base, page, o->ring_bytes / page);
    return 0;
}

/*
 * Opens the event that owns a CPU's ring, because the events of tasks that write to it end earlier.
 */
static int open_owner(struct tap_opening *o, struct tap_ring *r)
{
    struct perf_event_attr a;
    tap_fill_attr(o, NULL, &a);
    a.config = PERF_COUNT_SW_DUMMY;
    a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = 0;
    a.inherit = a.enable_on_exec = 0;
    a.exclude_kernel = a.exclude_hv = 1;
    a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    a.sample_regs_user = 0;
    a.sample_stack_user = 0;
    int fd = event_open_attr(o->s->sys, &a, &(struct group_where){.pid = 0, .cpu = r->cpu}, -1);
    if (fd < 0)
        return fd;
    int rc = map_tap_ring(o, r, fd);
    if (rc < 0)
        o->s->sys->close(o->s->sys->ctx, fd);
    return rc;
}

int tap_attach(struct tap_opening *o, int fd, int cpu, bool of_task)
{
    struct tap *s = o->s;
    struct tap_ring *r = ring_of(s, cpu);
    int rc = 0;
    if (!r->mapped)
        rc = of_task ? open_owner(o, r) : map_tap_ring(o, r, fd);
    if (rc < 0 || r->fd == fd)
        return rc;
    return s->sys->ioctl(s->sys->ctx, fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)r->fd);
}
