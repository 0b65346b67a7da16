#include "backends/usdt/usdt_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backends/common/advice.h"
#include "backends/perf_common/cpus.h"
#include "backends/perf_common/open.h"
#include "backends/perf_common/perf_record.h"
#include "backends/perf_common/perf_ring.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/arena.h"
#include "base/ids.h"

enum {
    RING_BYTES = 4 << 20, /* for each CPU: 131072 events */
    ALL_RINGS_BYTES = 64 << 20,
    RING_MIN_BYTES = 64 << 10,
    OPEN_EVENTS_MAX = 65536,
    SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
};

struct event_ring {
    int cpu, fd;
    size_t mapped;
    struct perf_ring ring;
};
struct usdt_events {
    const struct perf_sys *sys;
    struct pmu pmu;
    struct event_ring *rings;
    size_t nrings;
    int *fds; /* of the probes' events */
    size_t nfds, fds_max;
    struct ids probes; /* by the kernel's id of the event */
    uint64_t lost;     /* number of events lost in the present pass */
    usdt_sink sink;
    void *ctx;
    uint64_t scratch[RECORD_MAX / sizeof(uint64_t)];
};

/* --- the kernel's refusals --- */

static int explain_usdt_refusal(struct error *err, const char *what, int code)
{
    char advice[ADVICE_BYTES];
    if (code == EACCES || code == EPERM)
        return error_set(err, ERROR_PERMISSION, code, "run rooftop as root", what,
                         "the kernel wants CAP_SYS_ADMIN for breakpoints in programs, whatever "
                         "perf_event_paranoid says; CAP_PERFMON is not enough");
    if (code == EMFILE || code == ENFILE)
        return error_set(err, ERROR_UNSUPPORTED, code, "name fewer probes, or raise ulimit -n",
                         what, "the limit of open files is reached");
    if (code == ENOBUFS)
        return error_set(err, ERROR_UNSUPPORTED, code, advice_locked_memory(advice), what,
                         "the kernel allows no more memory to be locked");
    if (code == ENOSYS)
        return error_set(err, ERROR_UNSUPPORTED, code, NULL, what,
                         "this kernel has no perf_event_open");
    return error_set(err, ERROR_UNSUPPORTED, code, NULL, what, "the kernel refuses it: %s",
                     strerror(code));
}

/* --- rings --- */

static size_t choose_usdt_ring_bytes(size_t ncpus)
{
    size_t bytes = RING_BYTES;
    while (bytes > RING_MIN_BYTES && bytes * ncpus > ALL_RINGS_BYTES)
        bytes /= 2;
    return bytes;
}

static int map_usdt_ring(const struct usdt_events *e, struct event_ring *r, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *base;
    int rc = e->sys->map(e->sys->ctx, r->fd, bytes + page, &base);
    if (rc == -EPERM || rc == -ENOMEM)
        return -ENOBUFS; /* no lack of rights */
    if (rc < 0)
        return rc;
    r->mapped = bytes + page;
    perf_ring_init(&r->ring, base, page, bytes / page);
    return 0;
}

static void close_rings(struct usdt_events *e)
{
    for (; e->nrings > 0; e->nrings--) {
        const struct event_ring *r = &e->rings[e->nrings - 1];
        e->sys->unmap(e->sys->ctx, r->ring.base, r->mapped);
        e->sys->close(e->sys->ctx, r->fd);
    }
}

/* Opens the event that owns a ring. It counts nothing, but reports forks, exits and names on its
 * CPU. */
static int open_ring(struct usdt_events *e, int cpu, size_t bytes)
{
    struct perf_event_attr a = {.size = sizeof a,
                                .type = PERF_TYPE_SOFTWARE,
                                .config = PERF_COUNT_SW_DUMMY,
                                .sample_type = SAMPLE_TYPE,
                                .sample_id_all = 1,
                                .task = 1,
                                .comm = 1,
                                .comm_exec = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .use_clockid = 1,
                                .clockid = CLOCK_MONOTONIC};
    struct event_ring *r = &e->rings[e->nrings];
    *r = (struct event_ring){.cpu = cpu};
    r->fd = event_open_attr(e->sys, &a, &(struct group_where){.pid = -1, .cpu = cpu}, -1);
    if (r->fd < 0)
        return r->fd;
    int rc = map_usdt_ring(e, r, bytes);
    if (rc < 0) {
        e->sys->close(e->sys->ctx, r->fd);
        return rc;
    }
    e->nrings++;
    return 0;
}

/* Opens all rings. If lockable memory is short (perf_event_mlock_kb), makes all smaller, because
 * one large ring would leave nothing for the others. */
static int open_rings(struct usdt_events *e, struct error *err)
{
    bool online[TARGET_MAX_CPUS];
    size_t ncpus = (size_t)cpus_online(online);
    int rc = 0;
    e->rings = xcalloc(ncpus + 1, sizeof *e->rings);
    for (size_t bytes = choose_usdt_ring_bytes(ncpus); bytes >= RING_MIN_BYTES; bytes /= 2) {
        rc = 0;
        for (int cpu = 0; cpu < TARGET_MAX_CPUS && e->nrings < ncpus && rc == 0; cpu++)
            rc = online[cpu] ? open_ring(e, cpu, bytes) : 0;
        if (rc == 0)
            return 0;
        close_rings(e);
        if (rc != -ENOBUFS)
            break;
    }
    return explain_usdt_refusal(err, "open a buffer for probes", -rc);
}

int usdt_events_open(struct usdt_events **out, const struct perf_sys *sys, struct error *err)
{
    struct rlimit files = {.rlim_cur = 1024};
    struct usdt_events *e = xcalloc(1, sizeof *e);
    e->sys = sys;
    if (!pmu_read(&e->pmu, "uprobe")) {
        free(e);
        return error_set(err, ERROR_UNSUPPORTED, ENODEV,
                         "a kernel with CONFIG_UPROBE_EVENTS has it (Linux 4.17 and newer)",
                         "watch probes", "the kernel has no uprobe PMU");
    }
    getrlimit(RLIMIT_NOFILE, &files);
    e->fds_max = files.rlim_cur / 2 < OPEN_EVENTS_MAX ? files.rlim_cur / 2 : OPEN_EVENTS_MAX;
    int rc = open_rings(e, err);
    if (rc < 0) {
        usdt_events_close(e);
        return rc;
    }
    *out = e;
    return 0;
}

void usdt_events_close(struct usdt_events *e)
{
    if (!e)
        return;
    usdt_close_events(e->sys, e->fds, e->nfds);
    close_rings(e);
    free(e->rings);
    free(e->fds);
    ids_free(&e->probes);
    free(e);
}

/* --- events --- */

static int open_on(struct usdt_events *e, struct perf_event_attr *a, const struct event_ring *r,
                   uint32_t probe)
{
    const struct perf_sys *sys = e->sys;
    unsigned long long id = 0;
    int fd = event_open_attr(sys, a, &(struct group_where){.pid = -1, .cpu = r->cpu}, -1);
    if (fd < 0)
        return fd;
    int rc = sys->event_id(sys->ctx, fd, &id);
    if (rc >= 0)
        rc = sys->ioctl(sys->ctx, fd, PERF_EVENT_IOC_SET_OUTPUT, (unsigned long)r->fd);
    if (rc < 0) {
        sys->close(sys->ctx, fd);
        return rc;
    }
    ids_add(&e->probes, id, probe);
    e->fds = xrealloc(e->fds, e->nfds + 1, sizeof *e->fds);
    e->fds[e->nfds++] = fd;
    return 0;
}

/* How many more places the limit of descriptors allows. */
static size_t usdt_events_room(const struct usdt_events *e)
{
    return e->nfds < e->fds_max ? (e->fds_max - e->nfds) / e->nrings : 0;
}

/* Opens the file of a place for the kernel, which puts a breakpoint at our offset into every
 * process that maps that file. Users who may write in its folder could replace it by a library that
 * all others use too. So the kernel gets the file whose offsets were read, through our own
 * descriptor. Returns the descriptor, or -1 with err. */
static int open_same(const struct usdt_place *place, const char *what, struct error *err)
{
    struct stat st;
    int fd = open(place->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(err, ERROR_TARGET, errno, NULL, what, "%s", strerror(errno));
    if (fstat(fd, &st) == 0 && st.st_dev == place->dev && st.st_ino == place->inode)
        return fd;
    close(fd);
    return error_set(err, ERROR_TARGET, ESTALE, NULL, what,
                     "the file was replaced since it was read");
}

static int add_on_all(struct usdt_events *e, const struct perf_encoding *enc, const char *path,
                      const struct usdt_place *place)
{
    struct perf_event_attr a = {.size = sizeof a,
                                .type = enc->type,
                                .config = enc->config,
                                .uprobe_path = (uint64_t)(uintptr_t)path,
                                .probe_offset = place->offset,
                                .sample_period = 1,
                                .sample_type = SAMPLE_TYPE,
                                .sample_id_all = 1,
                                .watermark = 1,
                                .wakeup_watermark = RING_MIN_BYTES / 2,
                                .use_clockid = 1,
                                .clockid = CLOCK_MONOTONIC};
    int rc = 0;
    for (size_t i = 0; i < e->nrings && rc >= 0; i++)
        rc = open_on(e, &a, &e->rings[i], place->probe);
    return rc;
}

int usdt_events_add(struct usdt_events *e, const struct usdt_place *place, struct error *err)
{
    struct perf_encoding enc;
    char terms[64], what[192], path[64];
    int fd = -1;
    snprintf(what, sizeof what, "watch %.140s+%#llx", place->path,
             (unsigned long long)place->offset);
    snprintf(terms, sizeof terms, "ref_ctr_offset=%#llx",
             (unsigned long long)place->semaphore_offset);
    if (usdt_events_room(e) == 0)
        return explain_usdt_refusal(err, what, EMFILE);
    int rc = pmu_encode(&e->pmu, place->semaphore_offset ? terms : "retprobe=0", &enc, err);
    if (rc < 0)
        return rc;
    if (place->inode && (fd = open_same(place, what, err)) < 0)
        return fd;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    rc = add_on_all(e, &enc, fd < 0 ? place->path : path, place);
    if (fd >= 0)
        close(fd);
    return rc < 0 ? explain_usdt_refusal(err, what, -rc) : 0;
}

/* --- records --- */

static void report_probe_hit(struct usdt_events *e, const struct record *r)
{
    const uint32_t probe = ids_get(&e->probes, r->id);
    if (probe != IDS_NONE)
        e->sink(
            e->ctx,
            &(struct usdt_moment){
                .time = r->time, .pid = r->pid, .tid = r->tid, .what = USDT_HIT, .probe = probe});
}

static void report_task_change(struct usdt_events *e, const struct record *r)
{
    struct usdt_moment m = {.time = r->time, .pid = r->pid, .tid = r->tid};
    if (r->type == PERF_RECORD_COMM) {
        m.what = r->comm.exec ? USDT_EXEC : USDT_COMM;
        snprintf(m.name, sizeof m.name, "%.*s", (int)r->comm.length, r->comm.name);
    } else {
        m.what = r->type == PERF_RECORD_FORK ? USDT_FORK : USDT_EXIT;
        m.parent = r->parent;
    }
    e->sink(e->ctx, &m);
}

static void report_usdt_record(void *ctx, const void *record, size_t size)
{
    struct usdt_events *e = ctx;
    static const struct record_format format = {.sample_type = SAMPLE_TYPE};
    struct record r;
    if (record_parse(record, size, &format, &r) < 0)
        return;
    switch (r.type) {
    case PERF_RECORD_SAMPLE:
        report_probe_hit(e, &r);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_COMM:
        report_task_change(e, &r);
        break;
    case PERF_RECORD_LOST:
        e->lost += r.lost;
        break;
    default:
        break;
    }
}

uint64_t usdt_events_read(struct usdt_events *e, usdt_sink sink, void *ctx)
{
    e->sink = sink;
    e->ctx = ctx;
    e->lost = 0;
    for (size_t i = 0; i < e->nrings; i++) {
        uint64_t damaged = e->rings[i].ring.damaged;
        perf_ring_read(&e->rings[i].ring, e->scratch, report_usdt_record, e);
        e->lost += e->rings[i].ring.damaged - damaged;
    }
    return e->lost;
}
