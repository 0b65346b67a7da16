#include "backends/recorder/read_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/list.h"
#include "engine/syscalls/pieces.h"

enum {
    BATCH = 65536,       /* records between two checks of everything else */
    PUBLISH = 256,       /* records between two reports of the tail */
    PIECES_IDLE = 4096,  /* bytes that a ring reuses for its next call */
    OPEN_MAX_CALLS = 64, /* calls nested by signal handlers; more were left by jumps */
    NR_SIGRETURN = 15,
    NR_EXECVE = 59,
    NR_EXIT = 60,
    NR_EXIT_GROUP = 231,
    NR_EXECVEAT = 322,
    X32_BIT = 0x40000000,
};

/* --- events --- */

static uint64_t ns_of_tsc(struct rings *r, uint64_t tsc)
{
    return tsc_line_ns(&r->clock, tsc);
}

static void send_ring_event(const struct rings *r, const struct syscall_event *e)
{
    r->sink->event(r->sink->ctx, e);
}

static struct syscall_event make_ring_event(struct rings *r, const struct ring_reader *in,
                                            enum syscall_event_kind kind)
{
    const uint64_t ns = ns_of_tsc(r, in->tsc);
    return (struct syscall_event){.kind = (uint8_t)kind,
                                  .way = SYSCALL_BY_PATCH,
                                  .abi = SYSCALL_X86_64,
                                  .pid = in->pid,
                                  .tid = in->tid,
                                  .begin_ns = ns,
                                  .end_ns = ns};
}

static struct syscall_event make_ring_call(struct rings *r, struct ring_reader *in,
                                           const struct open_call *c, enum syscall_event_kind kind)
{
    struct syscall_event e = make_ring_event(r, in, kind);
    e.way = c->way;
    e.abi = c->abi;
    e.number = c->number;
    syscall_pieces_lend(&c->pieces, &e);
    memcpy(e.args, c->args, sizeof e.args);
    e.stack_pointer = c->stack_pointer;
    e.begin_ns = ns_of_tsc(r, c->tsc);
    if (e.end_ns < e.begin_ns)
        e.end_ns = e.begin_ns;
    /* Times may not go back even if the conversion of the clock (struct tsc_line) changed. */
    if (e.end_ns < in->last_ns)
        e.end_ns = in->last_ns;
    in->last_ns = e.end_ns;
    return e;
}

static void tell_call(struct rings *r, struct ring_reader *in, const struct open_call *c,
                      int64_t result, uint8_t flags)
{
    r->result->rings += c->number == SYSCALL_IO_URING_SETUP && result >= 0 && !flags;
    if (!syscall_filter_wants(r->setup->calls, c->abi, c->number))
        return;
    struct syscall_event e = make_ring_call(r, in, c, SYSCALL_CALL);
    e.result = result;
    e.flags = flags;
    r->result->calls[e.way]++;
    r->result->unfinished += (flags & SYSCALL_UNFINISHED) != 0;
    send_ring_event(r, &e);
}

static void forget_call(struct rings *r, struct ring_reader *in, const struct open_call *c)
{
    struct syscall_pieces pieces = c->pieces;
    r->kept -= pieces.nbytes;
    if (in->spare.cap || pieces.bytes_cap > PIECES_IDLE) {
        syscall_pieces_free(&pieces);
    } else {
        syscall_pieces_clear(&pieces);
        in->spare = pieces;
    }
}

/* Reports a call that has ended, and forgets it. */
static void send_call(struct rings *r, struct ring_reader *in, const struct open_call *c,
                      int64_t result, uint8_t flags)
{
    tell_call(r, in, c, result, flags);
    forget_call(r, in, c);
}

static void send_call_entry(struct rings *r, struct ring_reader *in, const struct open_call *c)
{
    if (!r->sink->entries || !syscall_filter_wants(r->setup->calls, c->abi, c->number))
        return;
    struct syscall_event e = make_ring_call(r, in, c, SYSCALL_ENTRY);
    e.end_ns = 0;
    send_ring_event(r, &e);
}

static void send_start(struct rings *r, const struct ring_reader *in, pid_t parent, uint64_t flags)
{
    struct syscall_event e = make_ring_event(r, in, SYSCALL_START);
    e.parent = parent;
    e.args[0] = flags;
    send_ring_event(r, &e);
}

static void send_end(struct rings *r, const struct ring_reader *in, int status)
{
    struct syscall_event e = make_ring_event(r, in, SYSCALL_EXIT);
    e.result = status;
    send_ring_event(r, &e);
}

/* --- records --- */

/* Reports the calls above the first n, which a jump out of a signal handler left or which never
 * returned. */
static void send_unfinished_above(struct rings *r, struct ring_reader *in, size_t n)
{
    while (in->nopen > n) {
        const struct open_call c = in->open[--in->nopen];
        send_call(r, in, &c, 0, SYSCALL_UNFINISHED);
    }
}

static bool is_exit_call(const struct open_call *c)
{
    return c->abi == SYSCALL_X86_64 && (c->number == NR_EXIT || c->number == NR_EXIT_GROUP);
}

/* exit and exit_group are reported at once, before what other tasks do because of them. */
static void take_exit_call(struct rings *r, struct ring_reader *in, const struct open_call *c)
{
    send_call(r, in, c, 0, SYSCALL_UNFINISHED);
    send_unfinished_above(r, in, in->bases[in->depth]);
    if (!in->quiet)
        send_end(r, in, (int)(c->args[0] & 0xff) << 8);
    in->left = true;
    r->ending = true;
}

static void take_entry(struct rings *r, struct ring_reader *in, const struct syscall_record *c)
{
    struct open_call o = {.index = in->tail,
                          .tsc = c->tsc,
                          .number = c->number,
                          .way = in->dispatched ? SYSCALL_BY_DISPATCH : SYSCALL_BY_PATCH,
                          .abi = SYSCALL_X86_64};
    if ((c->number & X32_BIT) && c->number >> 31 == 0) {
        o.abi = SYSCALL_X32;
        o.number = c->number & ~(uint32_t)X32_BIT;
    }
    memcpy(o.args, c->data, sizeof o.args);
    in->dispatched = false;
    if (in->nopen == OPEN_MAX_CALLS) { /* a jump left the oldest long ago */
        const struct open_call oldest = in->open[0];
        memmove(in->open, in->open + 1, --in->nopen * sizeof *in->open);
        send_call(r, in, &oldest, 0, SYSCALL_UNFINISHED);
    }
    if (o.abi == SYSCALL_X86_64 && o.number == NR_SIGRETURN) { /* it takes no arguments */
        o.stack_pointer = o.args[0];
        o.args[0] = 0;
    }
    send_call_entry(r, in, &o);
    if (is_exit_call(&o)) {
        take_exit_call(r, in, &o);
        return;
    }
    LIST_ROOM(in->open, in->nopen, in->cap);
    o.pieces = in->spare;
    in->spare = (struct syscall_pieces){0};
    in->open[in->nopen++] = o;
}

static void end_process(struct rings *r, const struct ring_reader *by, pid_t pid, int status);

static void take_exit(struct rings *r, struct ring_reader *in, const struct syscall_record *c)
{
    int status;
    const size_t i = open_calls_up_to(in, c->data[1]);
    if (i == 0) /* the record of its entry was torn */
        return;
    send_unfinished_above(r, in, i);
    struct open_call o = in->open[--in->nopen];
    const pid_t child = open_call_waited(&o, (int64_t)c->data[0], &status);
    if (child > 0)
        end_process(r, in, child, status);
    if (c->data[2]) /* copies before this moment are not part of its time */
        o.tsc = c->data[2];
    send_call(r, in, &o, (int64_t)c->data[0], 0);
}

static bool is_exec_call(const struct open_call *c)
{
    return c->abi == SYSCALL_X86_64 && (c->number == NR_EXECVE || c->number == NR_EXECVEAT);
}

/* Returns the ring to the maker of a vfork child, which ended or executed another program. */
static void leave_child(struct rings *r, struct ring_reader *in)
{
    const size_t base = in->bases[in->depth];
    if (in->depth > 0)
        in->depth--;
    if (in->executed || in->left)
        return;
    if (in->nopen > base && is_exec_call(&in->open[in->nopen - 1])) {
        const struct open_call o = in->open[--in->nopen];
        send_call(r, in, &o, 0, 0);
        return;
    }
    send_unfinished_above(r, in, base);
    send_end(r, in, -1);
}

/* Takes a record that says which task uses the ring now: a vfork child, or its maker again. */
static void take_task(struct rings *r, struct ring_reader *in, const struct syscall_record *c)
{
    const bool begins = c->data[3] != 0;
    if ((pid_t)c->data[0] <= 0 || (pid_t)c->data[1] <= 0) /* no recorder writes such a record */
        return;
    if (!begins)
        leave_child(r, in);
    else if (in->depth + 1 < SYSCALL_RING_SLOTS)
        in->bases[++in->depth] = in->nopen;
    in->left = in->executed = false;
    in->tid = (pid_t)c->data[0];
    in->pid = (pid_t)c->data[1];
    if (begins)
        send_start(r, in, (pid_t)c->data[2], c->data[3]);
}

/* Returns the number of records that were taken. */
static uint32_t take_record(struct rings *r, struct ring_reader *in, const struct ring_view *v)
{
    const struct syscall_record c = v->records[v->index % SYSCALL_RING_RECORDS];
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* reads once, because the program may change it */
    in->tsc = c.tsc;
    switch (c.stamp & 7) {
    case SYSCALL_RING_ENTRY:
        take_entry(r, in, &c);
        break;
    case SYSCALL_RING_EXIT:
        take_exit(r, in, &c);
        break;
    case SYSCALL_RING_TASK:
        take_task(r, in, &c);
        break;
    case SYSCALL_RING_BYTES:
        return open_call_bytes(r, in, v, &c);
    case SYSCALL_RING_DISPATCH:
        in->dispatched = true;
        break;
    }
    return 1;
}

/* --- rings --- */

static bool process_gone(pid_t pid)
{
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return errno == ESRCH;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    const bool gone = poll(&p, 1, 0) > 0;
    close(fd);
    return gone;
}

static const struct syscall_record *next_record(const struct rings *r, uint32_t i)
{
    const struct ring_reader *in = &r->readers[i];
    const struct syscall_record *c =
        share_records(share_ring(r->share, i)) + in->tail % SYSCALL_RING_RECORDS;
    const uint32_t stamp = __atomic_load_n(&c->stamp, __ATOMIC_ACQUIRE);
    return stamp >> 3 == syscall_record_stamp(in->tail, 0) >> 3 ? c : NULL;
}

static struct ring_view view_ring(const struct rings *r, uint32_t i)
{
    return (struct ring_view){share_records(share_ring(r->share, i)), r->readers[i].tail};
}

static void publish_tail(const struct rings *r, uint32_t i)
{
    struct syscall_ring *ring = share_ring(r->share, i);
    __atomic_store_n(&ring->tail, r->readers[i].tail, __ATOMIC_SEQ_CST);
    share_room(ring);
}

/* Begins to read a ring. false: no recorder has made it ready. */
static bool begin_ring(struct rings *r, uint32_t i)
{
    struct ring_reader *in = &r->readers[i];
    const struct syscall_ring *ring = share_ring(r->share, i);
    const pid_t tid = __atomic_load_n(&ring->tid, __ATOMIC_RELAXED);
    const pid_t pid = __atomic_load_n(&ring->pid, __ATOMIC_RELAXED);
    if (tid <= 0 || pid <= 0)
        return false;
    while (in->nopen > 0) /* calls of its former task, which did not end regularly */
        forget_call(r, in, &in->open[--in->nopen]);
    *in = (struct ring_reader){.used = true,
                               .tid = tid,
                               .pid = pid,
                               .process = pid,
                               .owner = tid,
                               .parent = __atomic_load_n(&ring->parent, __ATOMIC_RELAXED),
                               .flags = __atomic_load_n(&ring->flags, __ATOMIC_RELAXED),
                               .tail = in->tail,
                               .tsc = tsc_now(),
                               .open = in->open,
                               .spare = in->spare,
                               .cap = in->cap};
    const struct syscall_record *c = next_record(r, i);
    if (c)
        in->tsc = c->tsc;
    in->starts = in->parent != 0;
    return true;
}

static void end_ring(struct rings *r, uint32_t i, bool tell, int status);

/* Whether the ring is of an earlier process with this number, not of a thread of the present one.
 */
static bool is_earlier(const struct rings *r, uint32_t i, pid_t process)
{
    const pid_t tid = r->readers[i].owner;
    return r->readers[i].process == process &&
           (tid == process || (syscall(SYS_tgkill, process, tid, 0) != 0 && errno == ESRCH));
}

/* Reports the start of the ring's task before its first record. An earlier process with this number
 * must have ended; if no record says so, a signal ended it. */
static void tell_start(struct rings *r, uint32_t i)
{
    struct ring_reader *in = &r->readers[i];
    if (!in->starts)
        return;
    in->starts = false;
    for (uint32_t k = 0; in->tid == in->pid && k < r->n; k++)
        if (r->readers[k].used && !r->readers[k].starts && k != i && is_earlier(r, k, in->process))
            end_ring(r, k, true, -1);
    send_start(r, in, in->parent, in->flags);
}

/* Skips records that were begun but never finished. */
static void skip_torn(struct rings *r, uint32_t i)
{
    struct ring_reader *in = &r->readers[i];
    const uint64_t head = __atomic_load_n(&share_ring(r->share, i)->head, __ATOMIC_ACQUIRE);
    while (in->tail != head && head - in->tail <= SYSCALL_RING_RECORDS) {
        const struct ring_view v = view_ring(r, i);
        if (next_record(r, i)) {
            in->tail += take_record(r, in, &v);
        } else {
            r->result->torn++;
            in->tail++;
        }
    }
    in->tail = head;
}

/* The ring's task has ended: reports the calls that it left open, and frees the ring. */
static void end_ring(struct rings *r, uint32_t i, bool tell, int status)
{
    struct ring_reader *in = &r->readers[i];
    struct syscall_ring *ring = share_ring(r->share, i);
    tell_start(r, i);
    skip_torn(r, i);
    send_unfinished_above(r, in, 0);
    if (tell && !in->quiet && !in->left) {
        const bool command = in->pid == r->command && r->command_ended;
        send_end(r, in, command ? r->command_status : status);
    }
    r->result->lost += __atomic_exchange_n(&ring->lost, 0, __ATOMIC_RELAXED) != 0;
    in->used = false;
    publish_tail(r, i);
    __atomic_store_n(&r->share->control->states[i], SYSCALL_RING_FREE, __ATOMIC_SEQ_CST);
    if (i < r->share->control->hint)
        r->share->control->hint = i;
}

/* Ends a process with the status that a task got when it waited for it. */
static void end_process(struct rings *r, const struct ring_reader *by, pid_t pid, int status)
{
    bool gone = false;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct ring_reader *in = &r->readers[i];
        if (!in->used || in->process != pid || in == by || in->process == by->process)
            continue;
        gone = gone || process_gone(pid); /* the ring may not tell the truth */
        if (!gone)
            return;
        end_ring(r, i, true, status);
    }
}

/* --- in order of time --- */

static bool is_sooner_ring(const struct rings *r, uint32_t a, uint32_t b)
{
    return r->readers[a].seen < r->readers[b].seen;
}

static void sink_down(struct rings *r, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < r->nheap && is_sooner_ring(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (child >= r->nheap || !is_sooner_ring(r, r->heap[child], r->heap[at]))
            return;
        const uint32_t t = r->heap[at];
        r->heap[at] = r->heap[child];
        r->heap[child] = t;
        at = child;
    }
}

static void drop_first(struct rings *r)
{
    r->heap[0] = r->heap[--r->nheap];
    sink_down(r, 0);
}

/* Notes the time of the ring's next record. */
static bool note_next_time(struct rings *r, uint32_t i)
{
    const struct syscall_record *c = next_record(r, i);
    if (c)
        r->readers[i].seen = c->tsc;
    return c;
}

static void fill_heap(struct rings *r)
{
    r->nheap = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t state = __atomic_load_n(&r->share->control->states[i], __ATOMIC_ACQUIRE);
        if (state != SYSCALL_RING_USED && state != SYSCALL_RING_ENDED) {
            r->readers[i].used = false; /* its hello got no answer */
            continue;
        }
        if (!r->readers[i].used && !begin_ring(r, i))
            continue;
        if (note_next_time(r, i))
            r->heap[r->nheap++] = i;
        else
            tell_start(r, i);
    }
    for (uint32_t i = r->nheap / 2; i-- > 0;)
        sink_down(r, i);
}

static void grow_ring_list(struct rings *r)
{
    const uint32_t n = share_rings(r->share);
    if (n == r->n)
        return;
    r->readers = xrealloc(r->readers, n, sizeof *r->readers);
    memset(r->readers + r->n, 0, (n - r->n) * sizeof *r->readers);
    r->heap = xrealloc(r->heap, n, sizeof *r->heap);
    r->n = n;
}

static size_t merge_rings(struct rings *r)
{
    size_t n = 0;
    while (r->nheap > 0 && n++ < BATCH) {
        const uint32_t i = r->heap[0];
        struct ring_reader *in = &r->readers[i];
        if (!in->used) { /* reporting a start has ended it */
            drop_first(r);
            continue;
        }
        tell_start(r, i);
        const struct ring_view v = view_ring(r, i);
        const uint32_t taken = take_record(r, in, &v);
        in->tail += taken;
        if (in->tail % PUBLISH < taken)
            publish_tail(r, i);
        if (note_next_time(r, i)) {
            sink_down(r, 0);
            continue;
        }
        publish_tail(r, i);
        drop_first(r);
    }
    for (uint32_t i = 0; i < r->nheap; i++)
        if (r->readers[r->heap[i]].used)
            publish_tail(r, r->heap[i]);
    return n;
}

/* Frees tasks that would wait for room behind a torn record for ever. */
static void free_stuck(struct rings *r)
{
    for (uint32_t i = 0; i < r->n; i++) {
        struct syscall_ring *ring = share_ring(r->share, i);
        if (!r->readers[i].used || !__atomic_load_n(&ring->waiting, __ATOMIC_SEQ_CST))
            continue;
        if (!next_record(r, i)) {
            r->result->torn++;
            r->readers[i].tail++;
        }
        publish_tail(r, i);
    }
}

size_t rings_read(struct rings *r)
{
    grow_ring_list(r);
    tsc_line_draw(&r->clock);
    fill_heap(r);
    const size_t n = merge_rings(r);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->readers[i].used && !note_next_time(r, i) &&
            __atomic_load_n(&r->share->control->states[i], __ATOMIC_ACQUIRE) == SYSCALL_RING_ENDED)
            end_ring(r, i, true, -1);
    if (n == 0)
        free_stuck(r);
    return n;
}

void rings_catch_up(struct rings *r)
{
    /* Reads at most what the rings hold, because a program that writes on could hold rooftop here.
     */
    const uint64_t most = (uint64_t)share_rings(r->share) * SYSCALL_RING_RECORDS;
    for (uint64_t n = 0, some = BATCH; some >= BATCH && n < most; n += some)
        some = rings_read(r);
}

void rings_quiet(struct rings *r, pid_t pid)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->readers[i].process == pid)
            r->readers[i].quiet = true;
}

/* The status of a process for which its parent has not waited yet; -1: unknown. Source: proc(5),
 * field 52 of stat; before field 3 is a name in parentheses. */
static int status_of_zombie(pid_t pid)
{
    enum { STATE = 3, EXIT_CODE = 52 };
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const char *at = file_read(path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    if (!at || at[1] != ' ' || at[2] != 'Z')
        return -1;
    for (int field = STATE - 1; at && field < EXIT_CODE; field++)
        at = strchr(at + 1, ' ');
    return at ? (int)strtol(at, NULL, 10) : -1;
}

void rings_reap(struct rings *r, bool last_time)
{
    pid_t last = 0;
    bool gone = false;
    int status = -1;
    r->ending = false;
    for (uint32_t i = 0; i < r->n; i++) {
        struct ring_reader *in = &r->readers[i];
        if (!in->used)
            continue;
        if (in->process != last) {
            last = in->process;
            gone = (last == r->command && r->command_ended) || process_gone(last);
            status = gone ? status_of_zombie(last) : -1;
        }
        /* The task that waited for it may be about to report its status. */
        const bool known = status >= 0 || in->left || in->quiet || last == r->command;
        if (gone && (known || in->gone || last_time))
            end_ring(r, i, true, status);
        else
            r->ending |= in->left;
        in->gone = gone;
    }
}

void rings_executed(struct rings *r, pid_t pid, pid_t former)
{
    rings_catch_up(r);
    for (uint32_t i = 0; i < r->n; i++) {
        struct ring_reader *in = &r->readers[i];
        if (!in->used || (in->process != pid && in->tid != former))
            continue;
        const bool caller = in->tid == former;
        if (caller && in->nopen > 0 && is_exec_call(&in->open[in->nopen - 1])) {
            const struct open_call o = in->open[--in->nopen];
            in->tsc = tsc_now();
            send_call(r, in, &o, 0, 0);
            in->executed = true;
        }
        if (in->process == pid)
            end_ring(r, i, !caller && in->tid != pid, -1);
    }
}

bool rings_task(const struct rings *r, uint32_t i, pid_t *tid, pid_t *pid)
{
    if (i >= r->n || !r->readers[i].used)
        return false;
    *tid = r->readers[i].tid;
    *pid = r->readers[i].pid;
    return true;
}

static void free_calls(struct ring_reader *in)
{
    for (size_t i = 0; i < in->nopen; i++)
        syscall_pieces_free(&in->open[i].pieces);
    syscall_pieces_free(&in->spare);
    free(in->open);
}

void rings_open(struct rings *r)
{
    tsc_line_begin(&r->clock);
    grow_ring_list(r);
}

void rings_close(struct rings *r)
{
    for (uint32_t i = 0; i < r->n; i++)
        free_calls(&r->readers[i]);
    free(r->readers);
    free(r->heap);
}
