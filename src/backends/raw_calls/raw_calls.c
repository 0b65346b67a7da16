#include "backends/raw_calls/raw_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "engine/syscalls/decode/fetch.h"

struct raw_task {
    int32_t tid, pid;
    uint32_t threads;          /* of a first thread: those of its process that are there, with it */
    bool prelude;              /* has not executed its program */
    bool in_call;              /* entered, and not left */
    bool gone;                 /* a first thread that ended before others of its process */
    uint64_t resident;         /* of a process whose first thread is gone */
    struct syscall_event call; /* that was entered */
    struct syscall_pieces pieces;
    struct raw_task *next; /* in its bucket */
};
/* FIRST_BUCKETS: a power of two. More than PIECES_IDLE stays with a task only within a call. */
enum { FIRST_BUCKETS = 64, PIECES_IDLE = 4096 };

/* --- the table --- */

static struct raw_task **bucket(const struct raw_calls *r, int32_t tid)
{
    return &r->buckets[hash_number(0, (uint64_t)tid) & (r->nbuckets - 1)];
}

static struct raw_task *find(struct raw_calls *r, int32_t tid)
{
    if (r->last && r->last->tid == tid)
        return r->last;
    for (struct raw_task *t = r->nbuckets ? *bucket(r, tid) : NULL; t; t = t->next)
        if (t->tid == tid)
            return r->last = t;
    return NULL;
}

static void insert(struct raw_calls *r, struct raw_task *t)
{
    struct raw_task **at = bucket(r, t->tid);
    t->next = *at;
    *at = t;
    r->n++;
}

static void take_out(struct raw_calls *r, const struct raw_task *t)
{
    struct raw_task **at = bucket(r, t->tid);
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    r->n--;
    r->last = NULL;
}

static void grow(struct raw_calls *r)
{
    struct raw_task **old = r->buckets;
    const size_t n = r->nbuckets;
    r->nbuckets = n ? 4 * n : FIRST_BUCKETS;
    r->buckets = xcalloc(r->nbuckets, sizeof(struct raw_task *));
    r->n = 0;
    for (size_t i = 0; i < n; i++)
        for (struct raw_task *t = old[i], *next; t; t = next) {
            next = t->next;
            insert(r, t);
        }
    free(old);
}

static struct raw_task *add(struct raw_calls *r, int32_t pid, int32_t tid)
{
    struct raw_task *t = xcalloc(1, sizeof *t);
    if (r->n >= r->nbuckets)
        grow(r);
    t->tid = tid;
    t->pid = pid;
    t->threads = 1;
    insert(r, t);
    struct raw_task *first = pid != tid ? find(r, pid) : NULL;
    if (first)
        first->threads++;
    return t;
}

static void forget(struct raw_calls *r, struct raw_task *t)
{
    take_out(r, t);
    syscall_pieces_free(&t->pieces);
    free(t);
}

/* --- sending --- */

static void send(const struct raw_calls *r, const struct syscall_event *e)
{
    r->sink->event(r->sink->ctx, e);
}

static struct syscall_event event_of(const struct raw_calls *r, const struct raw_task *t,
                                     enum syscall_event_kind kind, uint64_t ns)
{
    return (struct syscall_event){
        .kind = kind, .way = r->way, .pid = t->pid, .tid = t->tid, .begin_ns = ns, .end_ns = ns};
}

static void send_text(const struct raw_calls *r, const struct syscall_event *event,
                      const char *text, size_t n)
{
    const struct syscall_piece piece = {.size = (uint32_t)n};
    struct syscall_event e = *event;
    e.pieces = &piece;
    e.npieces = n > 0;
    e.bytes = (const uint8_t *)text;
    e.nbytes = (uint32_t)n;
    send(r, &e);
}

/* --- calls --- */

static void fetch(const struct raw_calls *r, struct raw_task *t, struct syscall_event *e,
                  const struct syscall_memory *m, bool at_return)
{
    if (r->setup->counts_only)
        return;
    if (m)
        syscall_fetch(e, at_return, m, r->setup->string_limit, &t->pieces);
    syscall_pieces_lend(&t->pieces, e);
}

static void idle_pieces(struct raw_task *t)
{
    if (t->pieces.bytes_cap > PIECES_IDLE)
        syscall_pieces_free(&t->pieces);
    syscall_pieces_clear(&t->pieces);
}

static void send_call(struct raw_calls *r, struct raw_task *t, const struct syscall_event *e)
{
    enum { IO_URING_SETUP = 425 }; /* in every calling convention */
    r->result->calls[r->way]++;
    r->result->unfinished += (e->flags & SYSCALL_UNFINISHED) != 0;
    r->result->rings += e->number == IO_URING_SETUP && e->result >= 0 && !e->flags;
    send(r, e);
    t->in_call = false;
    idle_pieces(t);
}

/* It ended, or its return was lost. */
static void send_unfinished(struct raw_calls *r, struct raw_task *t, uint64_t ns)
{
    struct syscall_event e = t->call;
    if (!t->in_call)
        return;
    e.kind = SYSCALL_CALL;
    e.end_ns = ns;
    e.flags |= SYSCALL_UNFINISHED;
    fetch(r, t, &e, NULL, false);
    send_call(r, t, &e);
}

static bool is_execve(const struct syscall_event *e)
{
    const int number = syscall_number(e->abi, "execve");
    return number >= 0 && e->number == (uint32_t)number;
}

/* Whether a call is to be told, of a task that may not be known yet. */
static struct raw_task *caller(struct raw_calls *r, const struct syscall_event *call)
{
    struct raw_task *t = find(r, call->tid);
    if (!syscall_filter_wants(r->setup->calls, call->abi, call->number))
        return NULL;
    if (!t) { /* its start was lost */
        const struct raw_start s = {.pid = call->pid, .tid = call->tid, .ns = call->begin_ns};
        raw_calls_started(r, &s);
        t = find(r, call->tid);
    }
    return t->prelude && !is_execve(call) ? NULL : t;
}

void raw_calls_entered(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m)
{
    struct raw_task *t = caller(r, call);
    if (t && t->in_call && t->call.begin_ns == call->begin_ns) {
        raw_calls_entry_memory(r, call, m);
        return;
    }
    if (!t)
        return;
    send_unfinished(r, t, call->begin_ns);
    t->call = *call;
    t->call.way = r->way;
    t->call.kind = SYSCALL_ENTRY;
    t->call.flags = 0;
    t->call.end_ns = 0;
    t->call.result = 0;
    t->in_call = true;
    struct syscall_event e = t->call;
    fetch(r, t, &e, m, false);
    if (r->sink->entries)
        send(r, &e);
}

void raw_calls_entry_memory(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m)
{
    struct raw_task *t = find(r, call->tid);
    if (!t || !t->in_call || t->call.begin_ns != call->begin_ns)
        return;
    struct syscall_event e = t->call;
    fetch(r, t, &e, m, false);
}

void raw_calls_left(struct raw_calls *r, const struct syscall_event *call, bool whole,
                    const struct syscall_memory *m)
{
    struct raw_task *t;
    if (whole) {
        t = caller(r, call);
        if (t && t->in_call && t->call.begin_ns != call->begin_ns)
            send_unfinished(r, t, call->begin_ns);
    } else {
        t = find(r, call->tid);
        t = t && t->in_call ? t : NULL;
    }
    if (!t)
        return;
    struct syscall_event e = whole ? *call : t->call;
    e.kind = SYSCALL_CALL;
    e.way = r->way;
    e.pid = t->pid;
    e.end_ns = call->end_ns;
    e.result = call->result;
    e.flags = call->flags;
    if (e.result <= -512 && e.result >= -516) /* ERESTARTSYS to ERESTART_RESTARTBLOCK */
        e.flags |= SYSCALL_RESTARTS;
    fetch(r, t, &e, m, true);
    send_call(r, t, &e);
}

/* --- tasks --- */

void raw_calls_started(struct raw_calls *r, const struct raw_start *s)
{
    char path[64], name[64] = "";
    struct raw_task *t = find(r, s->tid);
    if (t)
        return;
    t = add(r, s->pid, s->tid);
    t->prelude = s->prelude;
    struct syscall_event e = event_of(r, t, SYSCALL_START, s->ns);
    e.parent = s->parent;
    e.args[0] = s->flags;
    if (s->name)
        snprintf(name, sizeof name, "%s", s->name);
    else {
        snprintf(path, sizeof path, "/proc/%d/comm", (int)s->tid);
        if (file_line(path, name, sizeof name) < 0)
            name[0] = '\0';
    }
    send_text(r, &e, name, name[0] ? strlen(name) + 1 : 0);
}

static void send_end(struct raw_calls *r, struct raw_task *t, uint64_t ns, int64_t status,
                     uint64_t resident)
{
    struct syscall_event e = event_of(r, t, SYSCALL_EXIT, ns);
    e.result = status;
    e.args[0] = resident;
    send(r, &e);
    forget(r, t);
}

void raw_calls_ended(struct raw_calls *r, int32_t tid, uint64_t ns, int64_t status,
                     uint64_t resident)
{
    struct raw_task *t = find(r, tid);
    if (!t)
        return;
    const int32_t pid = t->pid;
    send_unfinished(r, t, ns);
    if (tid == pid) {
        t->gone = --t->threads > 0;
        t->resident = resident;
        if (!t->gone)
            send_end(r, t, ns, status, resident);
        return;
    }
    send_end(r, t, ns, status, resident);
    t = find(r, pid);
    if (!t || --t->threads > 0 || !t->gone)
        return;
    send_end(r, t, ns, status, resident > t->resident ? resident : t->resident);
}

/* All other threads are gone, and the caller has the number of the first one. */
static struct raw_task *take_over(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns)
{
    struct raw_task *leader = find(r, tid);
    struct raw_task *caller = former == tid ? leader : find(r, former);
    if (!caller || caller == leader)
        return leader;
    if (leader) {
        send_unfinished(r, leader, ns);
        send_end(r, leader, ns, -1, 0);
    }
    take_out(r, caller);
    caller->tid = tid;
    caller->call.tid = tid;
    caller->threads = 1;
    insert(r, caller);
    return caller;
}

void raw_calls_executed(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns,
                        const char *line, size_t n)
{
    struct raw_task *t = take_over(r, tid, former, ns);
    if (!t) {
        const struct raw_start s = {.pid = tid, .tid = tid, .ns = ns};
        raw_calls_started(r, &s);
        t = find(r, tid);
    }
    t->prelude = false;
    struct syscall_event e = event_of(r, t, SYSCALL_EXEC, ns);
    e.args[0] = (uint64_t)former;
    send_text(r, &e, line, n);
}

void raw_calls_signalled(struct raw_calls *r, int32_t tid, uint64_t ns, const siginfo_t *info)
{
    struct raw_task *t = find(r, tid);
    if (!t)
        return;
    struct syscall_event e = event_of(r, t, SYSCALL_SIGNAL, ns);
    const int signo = info->si_signo;
    const bool fault = info->si_code > 0 &&
                       (signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE);
    e.result = signo;
    e.args[0] = (uint64_t)(int64_t)info->si_code;
    if (fault)
        e.args[2] = (uint64_t)(uintptr_t)info->si_addr;
    else if (info->si_code != SI_KERNEL)
        e.args[1] = (uint64_t)info->si_pid;
    send_text(r, &e, (const char *)info, sizeof *info);
}

void raw_calls_signal_number(struct raw_calls *r, int32_t tid, uint64_t ns, int signo, int code)
{
    struct raw_task *t = find(r, tid);
    if (!t)
        return;
    struct syscall_event e = event_of(r, t, SYSCALL_SIGNAL, ns);
    e.result = signo;
    e.flags = SYSCALL_NO_ENTRY;
    e.args[0] = (uint64_t)(int64_t)code;
    send(r, &e);
}

void raw_calls_paused(struct raw_calls *r, int32_t tid, uint64_t ns, int signo)
{
    struct raw_task *t = find(r, tid);
    if (!t)
        return;
    struct syscall_event e = event_of(r, t, SYSCALL_STOP, ns);
    e.result = signo;
    send(r, &e);
}

void raw_calls_lost(struct raw_calls *r, uint64_t n, uint64_t ns)
{
    struct syscall_event e = {
        .kind = SYSCALL_LOST, .way = r->way, .begin_ns = ns, .end_ns = ns, .args = {n}};
    r->result->lost += n;
    send(r, &e);
}

bool raw_calls_pids_are_ours(void)
{
    static const ino_t first = 0xeffffffc; /* PROC_PID_INIT_INO of include/linux/proc_ns.h */
    struct stat st;
    return stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == first;
}

/* --- the whole --- */

void raw_calls_open(struct raw_calls *r, const struct tracer_setup *setup,
                    const struct syscall_sink *sink, struct tracer_result *result,
                    enum syscall_way way)
{
    *r = (struct raw_calls){.setup = setup, .sink = sink, .result = result, .way = way};
}

void raw_calls_close(struct raw_calls *r)
{
    const uint64_t ns = env_now_ns();
    for (size_t i = 0; i < r->nbuckets; i++)
        for (struct raw_task *t = r->buckets[i], *next; t; t = next) {
            next = t->next;
            send_unfinished(r, t, ns);
            send_end(r, t, ns, -1, 0);
        }
    free(r->buckets);
    *r = (struct raw_calls){0};
}
