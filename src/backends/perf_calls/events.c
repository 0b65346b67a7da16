#include "backends/perf_calls/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backends/perf_common/cpus.h"
#include "backends/perf_common/sys.h"
#include "backends/perf_event/tracepoint.h"
#include "backends/raw_calls/raw_calls.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

enum { MOST_BYTES = 8 << 20, LEAST_BYTES = 64 << 10 };

static int find_points(struct call_points *p, struct error *err)
{
    struct error none = ERROR_INIT;
    int rc = tracepoint_id("raw_syscalls", "sys_enter", &p->enter, err);
    if (rc == 0)
        rc = tracepoint_id("raw_syscalls", "sys_exit", &p->exit, err);
    if (rc > 0)
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, NULL, "tracepoint raw_syscalls:sys_enter",
                         "this kernel has none (CONFIG_FTRACE_SYSCALLS)");
    if (rc == 0 && tracepoint_id("signal", "signal_deliver", &p->delivered, &none) != 0)
        p->delivered = 0;
    if (rc == 0 && tracepoint_id("signal", "signal_generate", &p->sent, &none) != 0)
        p->sent = 0;
    operation_points_find(&p->operations);
    return rc;
}

/* A thousand threads on many CPUs need more descriptors than usual; root may have them. */
static void allow_descriptors(void)
{
    enum { MANY = 1 << 20 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    const struct rlimit many = {MANY, MANY}, most = {limit.rlim_max, limit.rlim_max};
    if (limit.rlim_max < MANY && setrlimit(RLIMIT_NOFILE, &many) == 0)
        return;
    if (limit.rlim_cur < limit.rlim_max)
        setrlimit(RLIMIT_NOFILE, &most);
}

int call_events_open(struct call_events *e, bool processes, char *filter, struct error *err)
{
    bool set[TARGET_MAX_CPUS];
    *e = (struct call_events){.inherit_processes = processes, .filter = filter};
    const int rc = find_points(&e->points, err);
    if (rc != 0)
        return rc;
    const int n = cpus_online(set);
    e->cpus = xcalloc((size_t)n, sizeof *e->cpus);
    for (int cpu = 0; cpu < TARGET_MAX_CPUS && (int)e->ncpus < n; cpu++)
        if (set[cpu])
            e->cpus[e->ncpus++] = (struct call_cpu){.cpu = cpu, .ring_fd = -1};
    return 0;
}

/* PERF_FORMAT_LOST of linux/perf_event.h, which headers before Linux 6.0 do not have. */
enum { FORMAT_LOST = 1 << 4 };

static struct perf_event_attr attr_of(const struct call_events *e, uint32_t type, uint64_t config)
{
    return (struct perf_event_attr){
        .size = sizeof(struct perf_event_attr),
        .type = type,
        .config = config,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_RAW,
        .read_format = FORMAT_LOST,
        .inherit = 1,
        .inherit_thread = !e->inherit_processes,
        .disabled = 1,
        .sample_id_all = 1,
        .watermark = 1,
        .wakeup_watermark = LEAST_BYTES / 4,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

/* The largest ring that the limits allow. */
static int map_call_ring(struct call_cpu *c, int fd)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t bytes = MOST_BYTES; bytes >= LEAST_BYTES; bytes /= 2) {
        void *base = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (base == MAP_FAILED)
            continue;
        c->base = base;
        c->size = page + bytes;
        c->ring_fd = fd;
        perf_ring_init(&c->ring, base, page, bytes / page);
        return 0;
    }
    return -errno;
}

/* All events of a CPU write into the ring of the first one. */
static int share_call_ring(struct call_cpu *c, int fd)
{
    if (c->ring_fd < 0)
        return map_call_ring(c, fd);
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->ring_fd) == 0 ? 0 : -errno;
}

static int open_call_event(struct perf_event_attr *attr, pid_t tid, int cpu)
{
    return perf_sys_kernel.open(NULL, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int add_call_event(struct call_events *e, struct call_cpu *c, pid_t tid,
                          struct perf_event_attr *attr, const char *filter)
{
    int fd = open_call_event(attr, tid, c->cpu);
    if (fd == -EINVAL) { /* a kernel that does not know it */
        attr->read_format = 0;
        fd = open_call_event(attr, tid, c->cpu);
    }
    if (fd < 0)
        return fd;
    LIST_ADD(e->fds, e->nfds, e->cap, fd);
    uint64_t id;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0)
        ids_set(&e->by_event, id, e->nwatches);
    int rc = share_call_ring(c, fd);
    if (rc == 0 && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) != 0)
        rc = -errno;
    if (rc == 0 && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
        rc = -errno;
    return rc;
}

/* What the task makes, executes, and that it ends. */
static int add_tasks(struct call_events *e, struct call_cpu *c, pid_t tid)
{
    struct perf_event_attr attr = attr_of(e, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    attr.task = attr.comm = attr.comm_exec = 1;
    return add_call_event(e, c, tid, &attr, NULL);
}

static int add_call_tracepoint(struct call_events *e, struct call_cpu *c, pid_t tid, uint64_t id,
                               const char *filter)
{
    struct perf_event_attr attr = attr_of(e, PERF_TYPE_TRACEPOINT, id);
    return add_call_event(e, c, tid, &attr, filter);
}

static int watch_operations(struct call_events *e, struct call_cpu *c, pid_t tid)
{
    const int rc = add_call_tracepoint(e, c, tid, e->points.operations.submitted, NULL);
    return rc ? rc : add_call_tracepoint(e, c, tid, e->points.operations.completed, NULL);
}

static int watch_on(struct call_events *e, struct call_cpu *c, pid_t tid)
{
    int rc = add_tasks(e, c, tid);
    if (rc == 0)
        rc = add_call_tracepoint(e, c, tid, e->points.enter, e->filter);
    if (rc == 0)
        rc = add_call_tracepoint(e, c, tid, e->points.exit, e->filter);
    /* Signals need more rights than calls. */
    if (rc == 0 && e->points.delivered &&
        add_call_tracepoint(e, c, tid, e->points.delivered, NULL) != 0)
        e->points.delivered = 0;
    if (!raw_calls_pids_are_ours()) /* the record names the receiver inside it */
        e->points.sent = 0;
    if (rc == 0 && e->points.sent && add_call_tracepoint(e, c, tid, e->points.sent, NULL) != 0)
        e->points.sent = 0;
    if (rc == 0 && e->points.operations.submitted && watch_operations(e, c, tid) != 0)
        e->points.operations.submitted = e->points.operations.completed = 0;
    return rc;
}

/* What by_tid has: 0 nothing, else 2 * (watch + 1), and 1 more where all is recorded by it. */
static uint32_t find_watch_of_thread(const struct call_events *e, pid_t tid)
{
    const uint32_t v = ids_get(&e->by_tid, (uint32_t)tid);
    return v == IDS_NONE || v == 0 ? IDS_NONE : v / 2 - 1;
}

static bool is_thread_whole(const struct call_events *e, pid_t tid)
{
    return ids_get(&e->by_tid, (uint32_t)tid) & 1;
}

static void set_source(struct call_events *e, pid_t tid, uint32_t watch, bool whole)
{
    ids_set(&e->by_tid, (uint32_t)tid, 2 * (watch + 1) + whole);
}

int call_events_watch(struct call_events *e, pid_t tid)
{
    int rc = 0;
    allow_descriptors();
    for (uint32_t i = 0; i < e->ncpus && rc == 0; i++)
        rc = watch_on(e, &e->cpus[i], tid);
    LIST_ROOM(e->watches, e->nwatches, e->watches_cap);
    if (rc == 0)
        set_source(e, tid, e->nwatches, true);
    e->watches[e->nwatches++] = (struct call_watch){.tid = tid, .done_ns = env_now_ns()};
    return rc;
}

/* --- which records are taken --- */

bool call_events_takes(struct call_events *e, uint64_t event, pid_t tid)
{
    const uint32_t watch = ids_get(&e->by_event, event), source = find_watch_of_thread(e, tid);
    if (watch == IDS_NONE || source == watch)
        return true;
    if (source != IDS_NONE || e->attaching)
        return false;
    set_source(e, tid, watch, false); /* the record of its start was lost */
    return true;
}

bool call_events_whole(const struct call_events *e, pid_t tid)
{
    return find_watch_of_thread(e, tid) != IDS_NONE && is_thread_whole(e, tid);
}

bool call_events_born(struct call_events *e, pid_t tid, pid_t maker)
{
    const uint32_t source = find_watch_of_thread(e, maker);
    if (source == IDS_NONE)
        return call_events_whole(e, tid);
    const struct call_watch *w = &e->watches[source];
    if (!is_thread_whole(e, maker) || (w->tid == maker && !w->settled))
        return call_events_whole(e, tid);
    set_source(e, tid, source, true);
    return true;
}

void call_events_partial(struct call_events *e, pid_t tid, pid_t maker)
{
    const uint32_t source = find_watch_of_thread(e, maker);
    if (source != IDS_NONE)
        set_source(e, tid, source, false);
}

void call_events_entered(struct call_events *e, pid_t tid, uint64_t ns)
{
    const uint32_t source = find_watch_of_thread(e, tid);
    struct call_watch *w = source != IDS_NONE ? &e->watches[source] : NULL;
    if (w && w->tid == tid && ns >= w->done_ns)
        w->settled = true;
}

void call_events_moved(struct call_events *e, pid_t from, pid_t to)
{
    const uint32_t source = find_watch_of_thread(e, from);
    if (from == to || source == IDS_NONE)
        return;
    set_source(e, to, source, is_thread_whole(e, from));
    if (e->watches[source].tid == from)
        e->watches[source].tid = to;
    call_events_ended(e, from);
}

void call_events_ended(struct call_events *e, pid_t tid)
{
    if (find_watch_of_thread(e, tid) != IDS_NONE)
        ids_set(&e->by_tid, (uint32_t)tid, 0);
}

void call_events_wait(const struct call_events *e, int ms)
{
    struct pollfd *fds = xcalloc(e->ncpus, sizeof *fds);
    nfds_t n = 0;
    for (uint32_t i = 0; i < e->ncpus; i++)
        if (e->cpus[i].ring_fd >= 0)
            fds[n++] = (struct pollfd){.fd = e->cpus[i].ring_fd, .events = POLLIN};
    /* The event of a task that has ended is ready all the time. */
    if (poll(fds, n, ms) > 0)
        poll(NULL, 0, 1);
    free(fds);
}

bool call_events_over(const struct call_events *e)
{
    struct pollfd *fds = xcalloc(e->nfds + 1, sizeof *fds);
    size_t over = 0;
    for (size_t i = 0; i < e->nfds; i++)
        fds[i] = (struct pollfd){.fd = e->fds[i], .events = POLLIN};
    poll(fds, (nfds_t)e->nfds, 0);
    for (size_t i = 0; i < e->nfds; i++)
        over += (fds[i].revents & POLLHUP) != 0;
    free(fds);
    return over == e->nfds;
}

uint64_t call_events_lost(const struct call_events *e)
{
    uint64_t lost = 0, counts[2]; /* of the event, and what it lost */
    for (size_t i = 0; i < e->nfds; i++)
        if (read(e->fds[i], counts, sizeof counts) == (ssize_t)sizeof counts)
            lost += counts[1];
    return lost;
}

void call_events_close(struct call_events *e)
{
    for (uint32_t i = 0; i < e->ncpus; i++)
        if (e->cpus[i].base)
            munmap(e->cpus[i].base, e->cpus[i].size);
    for (size_t i = 0; i < e->nfds; i++)
        close(e->fds[i]);
    free(e->fds);
    free(e->watches);
    ids_free(&e->by_event);
    ids_free(&e->by_tid);
    free(e->cpus);
    *e = (struct call_events){0};
}
