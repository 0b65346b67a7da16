#include "backends/perf_calls/records.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/waiting_call.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/list.h"

struct call_record {
    uint64_t ns, order;
    size_t offset;
};

/* Behind the header of a sample, and at the end of all other records. */
struct who {
    uint32_t pid, tid;
    uint64_t ns, event; /* event: its identifier */
};

/* A tracepoint's data: type, flags, pid, then fields. Source: the files `format` of raw_syscalls
 * and signal_deliver, signal_generate in tracefs, which are the same on all machines of 64 bits. */
struct entered {
    uint16_t type, flags;
    int32_t common_pid;
    int64_t number;
    uint64_t args[6];
};
struct left {
    uint16_t type, flags;
    int32_t common_pid;
    int64_t number, result;
};
struct delivered {
    uint16_t type, flags;
    int32_t common_pid, signo, error, code, pad;
    uint64_t handler, handler_flags;
};
struct sent {
    uint16_t type, flags;
    int32_t common_pid, signo, error, code;
    char name[16];
    int32_t pid, group, result; /* of the target; result 0: it is queued */
};

#if defined(__aarch64__)
enum { NATIVE = SYSCALL_ARM64, SMALL = SYSCALL_ARM32, X32_BIT = 0 };
#else
enum { NATIVE = SYSCALL_X86_64, SMALL = SYSCALL_I386, X32_BIT = 0x40000000 };
#endif

/* --- processes --- */

static struct call_process *find_or_add_process(struct call_records *r, uint32_t pid)
{
    struct call_process *k = &r->known[pid % CALL_RECORDS_KNOWN];
    if (k->pid != (int32_t)pid)
        *k = (struct call_process){.pid = (int32_t)pid, .caller = (int32_t)pid, .status = -1};
    return k;
}

static size_t small_at(const struct call_records *r, uint32_t pid)
{
    size_t i = 0;
    while (i < r->nsmall && r->small[i] != (int32_t)pid)
        i++;
    return i;
}

static void set_small(struct call_records *r, uint32_t pid, bool small)
{
    const size_t i = small_at(r, pid);
    if (small && i == r->nsmall) {
        LIST_ADD(r->small, r->nsmall, r->small_cap, (int32_t)pid);
    } else if (!small && i < r->nsmall) {
        r->small[i] = r->small[--r->nsmall];
    }
}

static bool runs_32_bits(uint32_t pid)
{
    char path[64];
    uint8_t head[EI_CLASS + 1] = {0};
    snprintf(path, sizeof path, "/proc/%u/exe", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    return n == sizeof head && head[EI_CLASS] == ELFCLASS32;
}

/* --- records as events --- */

static struct syscall_event make_perf_call(const struct call_records *r, const struct who *w,
                                           int64_t number)
{
    struct syscall_event e = {.abi = NATIVE,
                              .pid = (int32_t)w->pid,
                              .tid = (int32_t)w->tid,
                              .number = (uint32_t)number,
                              .begin_ns = w->ns,
                              .end_ns = w->ns};
    if (r->nsmall && small_at(r, w->pid) < r->nsmall) {
        e.abi = SMALL;
    } else if (X32_BIT != 0 && (e.number & X32_BIT) && e.number >> 31 == 0) {
        e.abi = SYSCALL_X32;
        e.number &= ~(uint32_t)X32_BIT;
    }
    return e;
}

static void on_entered(struct call_records *r, const struct who *w, const struct entered *c)
{
    struct syscall_event e = make_perf_call(r, w, c->number);
    memcpy(e.args, c->args, sizeof e.args);
    const char *name = syscall_name(e.abi, e.number);
    if (strncmp(name, "execve", 6) == 0)
        find_or_add_process(r, w->pid)->caller = e.tid;
    else if (strcmp(name, "exit_group") == 0)
        find_or_add_process(r, w->pid)->status = (int32_t)(e.args[0] & 0xff) << 8;
    else if (strcmp(name, "exit") == 0)
        find_or_add_process(r, w->pid)->leaving = e.tid;
    raw_calls_entered(&r->raw, &e, NULL);
}

static void on_left(struct call_records *r, const struct who *w, const struct left *c)
{
    struct syscall_event e = make_perf_call(r, w, c->number);
    e.result = c->result;
    raw_calls_left(&r->raw, &e, false, NULL);
}

static void on_delivered(struct call_records *r, const struct who *w, const struct delivered *d)
{
    struct call_process *k = find_or_add_process(r, w->pid);
    if (d->signo == SIGKILL) /* how each thread learns that its process ends, whatever the cause */
        return;
    if (k->signal == d->signo)
        k->signal = 0;
    raw_calls_signal_number(&r->raw, (int32_t)w->tid, w->ns, d->signo, d->code);
    const bool stops =
        d->signo == SIGSTOP || d->signo == SIGTSTP || d->signo == SIGTTIN || d->signo == SIGTTOU;
    if (stops && !d->handler)
        raw_calls_paused(&r->raw, (int32_t)w->tid, w->ns, d->signo);
}

/* One that ends a process is sent, but never delivered. */
static void keep_sent_signal(struct call_records *r, const struct sent *s)
{
    struct call_process *k = find_or_add_process(r, (uint32_t)s->pid);
    if (s->result == 0) {
        k->signal = s->signo;
        k->code = s->code;
    }
}

static bool on_operation(struct call_records *r, const struct who *w, uint16_t type,
                         const uint8_t *bytes, size_t n)
{
    const struct operation_points *p = &r->points->operations;
    if (p->submitted && type == p->submitted) {
        const struct syscall_event who = {
            .pid = (int32_t)w->pid, .tid = (int32_t)w->tid, .begin_ns = w->ns};
        const struct operation_record record = operation_submit_of(p, bytes, n);
        operations_submitted(&r->operations, &r->raw, &who, &record);
    } else if (p->completed && type == p->completed) {
        const struct operation_record record = operation_complete_of(p, bytes, n);
        operations_completed(&r->operations, &r->raw, w->ns, &record);
    } else {
        return false;
    }
    return true;
}

static void on_sample(struct call_records *r, struct call_events *e, const uint8_t *bytes, size_t n)
{
    struct who w;
    uint32_t size;
    uint16_t type;
    union {
        struct entered entered;
        struct left left;
        struct delivered delivered;
        struct sent sent;
    } u;
    if (n < sizeof w + sizeof size + sizeof type)
        return;
    memcpy(&w, bytes, sizeof w);
    if (!call_events_takes(e, w.event, (pid_t)w.tid))
        return;
    memcpy(&size, bytes + sizeof w, sizeof size);
    bytes += sizeof w + sizeof size;
    n -= sizeof w + sizeof size;
    memcpy(&type, bytes, sizeof type);
    if (on_operation(r, &w, type, bytes, n))
        return;
    memset(&u, 0, sizeof u);
    memcpy(&u, bytes, n < sizeof u ? n : sizeof u);
    if (type == r->points->enter && n >= sizeof u.entered) {
        call_events_entered(e, (pid_t)w.tid, w.ns);
        on_entered(r, &w, &u.entered);
    } else if (type == r->points->exit && n >= sizeof u.left)
        on_left(r, &w, &u.left);
    else if (type == r->points->delivered && n >= sizeof u.delivered)
        on_delivered(r, &w, &u.delivered);
    else if (type == r->points->sent && n >= sizeof u.sent)
        keep_sent_signal(r, &u.sent);
}

/* The path and the arguments as they are now: the program may have ended. */
static void on_executed(struct call_records *r, const struct who *w)
{
    char path[64], *line = xcalloc(SYSCALL_PIECES, 1);
    const int32_t caller = find_or_add_process(r, w->pid)->caller;
    snprintf(path, sizeof path, "/proc/%u/exe", w->pid);
    ssize_t n = readlink(path, line, 4095);
    size_t used = (n > 0 ? (size_t)n : 0) + 1;
    snprintf(path, sizeof path, "/proc/%u/cmdline", w->pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const size_t first = used;
    while (fd >= 0 && used < SYSCALL_PIECES &&
           (n = read(fd, line + used, SYSCALL_PIECES - used)) > 0)
        used += (size_t)n;
    if (fd >= 0)
        close(fd);
    while (used > first && line[used - 1] != '\0')
        used--;
    set_small(r, w->pid, runs_32_bits(w->pid));
    raw_calls_executed(&r->raw, (int32_t)w->tid, caller, w->ns, line, used);
    find_or_add_process(r, w->pid)->caller = (int32_t)w->tid;
    free(line);
}

static void on_ended(struct call_records *r, uint32_t pid, int32_t tid, uint64_t ns)
{
    const struct call_process *k = find_or_add_process(r, pid);
    const bool killed = k->status == -1 && k->signal && k->leaving != tid;
    if (killed && tid == (int32_t)pid)
        raw_calls_signal_number(&r->raw, tid, ns, k->signal, k->code);
    raw_calls_ended(&r->raw, tid, ns, killed ? k->signal : k->status, 0);
    if (tid == (int32_t)pid)
        set_small(r, pid, false);
}

enum { PID, MAKERS_PID, TID, MAKERS_TID, TASK_IDS }; /* of a record of a start or an end */

static void on_task(struct call_records *r, struct call_events *events, const struct who *w,
                    const uint32_t ids[TASK_IDS], bool begins)
{
    const pid_t tid = (pid_t)ids[TID], maker = (pid_t)ids[MAKERS_TID];
    if (!begins) {
        call_events_ended(events, tid);
        on_ended(r, ids[PID], (int32_t)ids[TID], w->ns);
        return;
    }
    if (ids[PID] != ids[MAKERS_PID]) {
        if (!r->processes)
            return;
        *find_or_add_process(r, ids[PID]) = (struct call_process){
            .pid = (int32_t)ids[PID], .caller = (int32_t)ids[PID], .status = -1};
        set_small(r, ids[PID], small_at(r, ids[MAKERS_PID]) < r->nsmall);
    }
    const struct raw_start start = {.pid = (int32_t)ids[PID],
                                    .tid = (int32_t)ids[TID],
                                    .parent = (int32_t)ids[MAKERS_TID],
                                    .ns = w->ns};
    if (call_events_born(events, tid, maker)) {
        raw_calls_started(&r->raw, &start);
        return;
    }
    const int rc = r->watch(r->ctx, (pid_t)ids[PID], tid);
    if (rc == -ESRCH) /* it has ended already */
        return;
    if (rc != 0) {
        r->partial++;
        call_events_partial(events, tid, maker);
    }
    raw_calls_started(&r->raw, &start);
    call_records_attached(r, (pid_t)ids[PID], tid);
}

void call_records_attached(struct call_records *r, pid_t pid, pid_t tid)
{
    if (pid == tid)
        set_small(r, (uint32_t)pid, runs_32_bits((uint32_t)pid));
    const struct who w = {.pid = (uint32_t)pid, .tid = (uint32_t)tid, .ns = env_now_ns()};
    struct waiting_call waits = {0};
    if (!waiting_call_read(pid, tid, &waits))
        return;
    struct syscall_event e = make_perf_call(r, &w, waits.number);
    memcpy(e.args, waits.args, sizeof e.args);
    raw_calls_waits(&r->raw, &e);
}

/* A number of 8 bytes: in a sample where struct who has it, in all other records as far from the
 * end. 0: the record is too short. */
static uint64_t read_record_number(const uint8_t *record, const struct perf_event_header *h,
                                   size_t in_who)
{
    uint64_t v = 0;
    const size_t at = h->type == PERF_RECORD_SAMPLE ? sizeof *h + in_who
                                                    : h->size - (sizeof(struct who) - in_who);
    if (at + sizeof v <= h->size)
        memcpy(&v, record + at, sizeof v);
    return v;
}

static void report_record(struct call_records *r, struct call_events *e, const uint8_t *record,
                          uint64_t ns)
{
    struct perf_event_header h;
    struct who w = {.ns = ns};
    uint32_t ids[TASK_IDS] = {0};
    uint64_t lost[2] = {0};
    bool begins;
    memcpy(&h, record, sizeof h);
    const uint8_t *body = record + sizeof h;
    const size_t n = h.size - sizeof h;
    const uint64_t event = read_record_number(record, &h, offsetof(struct who, event));
    switch (h.type) {
    case PERF_RECORD_SAMPLE:
        on_sample(r, e, body, n);
        break;
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        if (n < sizeof ids)
            break;
        memcpy(ids, body, sizeof ids);
        begins = h.type == PERF_RECORD_FORK;
        if (call_events_takes(e, event, (pid_t)ids[begins ? MAKERS_TID : TID]))
            on_task(r, e, &w, ids, begins);
        break;
    case PERF_RECORD_COMM:
        if (n < sizeof ids[0] * 2 || !(h.misc & PERF_RECORD_MISC_COMM_EXEC))
            break;
        memcpy(&w.pid, body, 4);
        memcpy(&w.tid, body + 4, 4);
        call_events_moved(e, find_or_add_process(r, w.pid)->caller, (pid_t)w.tid);
        if (call_events_takes(e, event, (pid_t)w.tid))
            on_executed(r, &w);
        break;
    case PERF_RECORD_LOST: /* identifier of the event, records */
        if (n < sizeof lost)
            break;
        memcpy(lost, body, sizeof lost);
        raw_calls_lost(&r->raw, lost[1], ns);
        break;
    default:
        break;
    }
}

/* --- in order of time --- */

static void keep_call_record(void *ctx, const void *record, size_t size)
{
    struct call_records *r = ctx;
    struct perf_event_header h;
    memcpy(&h, record, sizeof h);
    if (!r->bytes || r->nbytes + size > r->bytes_cap) {
        r->bytes_cap = (r->nbytes + size) * 2;
        r->bytes = xrealloc(r->bytes, r->bytes_cap, 1);
    }
    memcpy(r->bytes + r->nbytes, record, size);
    LIST_ROOM(r->list, r->n, r->cap);
    r->list[r->n] =
        (struct call_record){.ns = read_record_number(record, &h, offsetof(struct who, ns)),
                             .order = r->n,
                             .offset = r->nbytes};
    r->n++;
    r->nbytes += size;
}

static int compare_call_records(const void *a, const void *b)
{
    const struct call_record *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The records from the i-th on stay for the next look. */
static void keep_from(struct call_records *r, size_t i)
{
    uint8_t *old = r->bytes;
    struct call_record *list = r->list;
    const size_t n = r->n;
    r->bytes = NULL;
    r->list = NULL;
    r->nbytes = r->bytes_cap = r->n = r->cap = 0;
    for (; i < n; i++) {
        struct perf_event_header h;
        memcpy(&h, old + list[i].offset, sizeof h);
        keep_call_record(r, old + list[i].offset, h.size);
    }
    free(old);
    free(list);
}

size_t call_records_drain(struct call_records *r, struct call_events *e, bool all)
{
    const uint64_t now = env_now_ns();
    size_t taken = 0, i = 0;
    if (!r->scratch)
        r->scratch = xcalloc(RECORD_MAX, 1);
    for (uint32_t c = 0; c < e->ncpus; c++)
        if (e->cpus[c].base)
            taken += perf_ring_read(&e->cpus[c].ring, r->scratch, keep_call_record, r);
    if (r->n > 0)
        qsort(r->list, r->n, sizeof *r->list, compare_call_records);
    for (; i < r->n && (all || r->list[i].ns < r->until_ns); i++)
        report_record(r, e, r->bytes + r->list[i].offset, r->list[i].ns);
    keep_from(r, i);
    r->until_ns = now;
    return taken;
}

void call_records_free(struct call_records *r)
{
    operations_close(&r->operations, &r->raw, env_now_ns());
    raw_calls_close(&r->raw);
    free(r->bytes);
    free(r->list);
    free(r->small);
    free(r->scratch);
}
