#include "backends/bpf/bpf_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/syscalls/decode/fetch.h"
#include "engine/syscalls/pieces.h"

struct raw_task {
    int32_t tid, pid;
    uint32_t threads;  /* for a first thread: number of threads of its process, with itself */
    bool prelude;      /* it has not executed its program */
    bool in_call;      /* it entered a call and has not left it */
    bool gone;         /* a first thread that ended before others of its process */
    uint64_t resident; /* peak of a process whose first thread is gone */
    struct syscall_event call; /* the call that it entered */
    struct syscall_pieces pieces;
};
/* A task keeps more than this only while it is in a call. */
enum { PIECES_IDLE = 4096 };

/* --- the table --- */

static struct raw_task *find_raw_task(struct raw_calls *r, int32_t tid)
{
    return task_table_find(&r->tasks, tid);
}

static struct raw_task *add_task(struct raw_calls *r, int32_t pid, int32_t tid)
{
    struct raw_task *t = xcalloc(1, sizeof *t);
    t->tid = tid;
    t->pid = pid;
    t->threads = 1;
    task_table_add(&r->tasks, tid, t);
    struct raw_task *first = pid != tid ? find_raw_task(r, pid) : NULL;
    if (first)
        first->threads++;
    return t;
}

static void forget_raw_task(struct raw_calls *r, struct raw_task *t)
{
    task_table_remove(&r->tasks, t->tid, t);
    syscall_pieces_free(&t->pieces);
    free(t);
}

/* --- sending --- */

static void send_raw_event(const struct raw_calls *r, const struct syscall_event *e)
{
    r->sink->event(r->sink->ctx, e);
}

static struct syscall_event make_raw_event(const struct raw_task *t, enum syscall_event_kind kind,
                                           uint64_t ns)
{
    return (struct syscall_event){.kind = kind,
                                  .way = SYSCALL_BY_BPF,
                                  .pid = t->pid,
                                  .tid = t->tid,
                                  .begin_ns = ns,
                                  .end_ns = ns};
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
    send_raw_event(r, &e);
}

/* --- calls --- */

static void fetch_call_memory(const struct raw_calls *r, struct raw_task *t,
                              struct syscall_event *e, const struct syscall_memory *m,
                              bool at_return)
{
    if (r->setup->counts_only)
        return;
    if (m)
        syscall_fetch(e, at_return, m, r->setup->string_limit, &t->pieces);
    syscall_pieces_lend(&t->pieces, e);
}

static void shrink_idle_pieces(struct raw_task *t)
{
    if (t->pieces.bytes_cap > PIECES_IDLE)
        syscall_pieces_free(&t->pieces);
    syscall_pieces_clear(&t->pieces);
}

static void send_raw_call(struct raw_calls *r, struct raw_task *t, const struct syscall_event *e)
{
    r->result->calls[SYSCALL_BY_BPF]++;
    r->result->unfinished += (e->flags & SYSCALL_UNFINISHED) != 0;
    send_raw_event(r, e);
    t->in_call = false;
    shrink_idle_pieces(t);
}

/* Reports the call of a task that ended, or whose return was lost. */
static void send_unfinished(struct raw_calls *r, struct raw_task *t, uint64_t ns)
{
    struct syscall_event e = t->call;
    if (!t->in_call)
        return;
    e.kind = SYSCALL_CALL;
    e.end_ns = ns;
    e.flags |= SYSCALL_UNFINISHED;
    fetch_call_memory(r, t, &e, NULL, false);
    send_raw_call(r, t, &e);
}

static bool is_execve(const struct syscall_event *e)
{
    const int number = syscall_number(e->abi, "execve");
    return number >= 0 && e->number == (uint32_t)number;
}

/* Returns the task if its call must be reported. The task may not be known yet. */
static struct raw_task *find_reported_caller(struct raw_calls *r, const struct syscall_event *call)
{
    struct raw_task *t = find_raw_task(r, call->tid);
    if (!syscall_filter_wants(r->setup->calls, call->abi, call->number))
        return NULL;
    if (!t) { /* its start was lost */
        const struct raw_start s = {.pid = call->pid, .tid = call->tid, .ns = call->begin_ns};
        raw_calls_started(r, &s);
        t = find_raw_task(r, call->tid);
    }
    return t->prelude && !is_execve(call) ? NULL : t;
}

static void enter_call(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m, bool tell)
{
    struct raw_task *t = find_reported_caller(r, call);
    if (t && t->in_call && t->call.begin_ns == call->begin_ns) {
        raw_calls_entry_memory(r, call, m);
        return;
    }
    if (!t)
        return;
    send_unfinished(r, t, call->begin_ns);
    t->call = *call;
    t->call.way = SYSCALL_BY_BPF;
    t->call.kind = SYSCALL_ENTRY;
    t->call.flags = 0;
    t->call.end_ns = 0;
    t->call.result = 0;
    t->in_call = true;
    struct syscall_event e = t->call;
    fetch_call_memory(r, t, &e, m, false);
    if (tell && r->sink->entries)
        send_raw_event(r, &e);
}

void raw_calls_entered(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m)
{
    enter_call(r, call, m, true);
}

void raw_calls_entered_late(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m)
{
    enter_call(r, call, m, false);
}

void raw_calls_entry_memory(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m)
{
    struct raw_task *t = find_raw_task(r, call->tid);
    if (!t || !t->in_call || t->call.begin_ns != call->begin_ns)
        return;
    struct syscall_event e = t->call;
    fetch_call_memory(r, t, &e, m, false);
}

void raw_calls_left(struct raw_calls *r, const struct syscall_event *call,
                    const struct syscall_memory *m)
{
    struct raw_task *t = find_reported_caller(r, call);
    r->result->rings += call->number == SYSCALL_IO_URING_SETUP && call->result >= 0 && !call->flags;
    if (!t)
        return;
    if (t->in_call && t->call.begin_ns != call->begin_ns)
        send_unfinished(r, t, call->begin_ns);
    struct syscall_event e = *call;
    e.kind = SYSCALL_CALL;
    e.way = SYSCALL_BY_BPF;
    e.pid = t->pid;
    if (e.result <= -512 && e.result >= -516) /* ERESTARTSYS to ERESTART_RESTARTBLOCK */
        e.flags |= SYSCALL_RESTARTS;
    fetch_call_memory(r, t, &e, m, true);
    send_raw_call(r, t, &e);
}

void raw_calls_operation(struct raw_calls *r, const struct syscall_event *operation)
{
    struct syscall_event e = *operation;
    e.kind = SYSCALL_CALL;
    e.abi = SYSCALL_URING;
    e.way = SYSCALL_BY_BPF;
    if (e.flags & SYSCALL_UNFINISHED)
        r->result->incomplete++;
    else
        r->result->operations++;
    if (!syscall_filter_wants(r->setup->calls, e.abi, e.number))
        return;
    r->result->calls[SYSCALL_BY_BPF]++;
    r->result->unfinished += (e.flags & SYSCALL_UNFINISHED) != 0;
    send_raw_event(r, &e);
}

/* --- tasks --- */

void raw_calls_started(struct raw_calls *r, const struct raw_start *s)
{
    char path[64], name[64] = "";
    struct raw_task *t = find_raw_task(r, s->tid);
    if (t)
        return;
    t = add_task(r, s->pid, s->tid);
    t->prelude = s->prelude;
    struct syscall_event e = make_raw_event(t, SYSCALL_START, s->ns);
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

static void send_task_end(struct raw_calls *r, struct raw_task *t, uint64_t ns, int64_t status,
                          uint64_t resident)
{
    struct syscall_event e = make_raw_event(t, SYSCALL_EXIT, ns);
    e.result = status;
    e.args[0] = resident;
    send_raw_event(r, &e);
    forget_raw_task(r, t);
}

void raw_calls_ended(struct raw_calls *r, int32_t tid, uint64_t ns, int64_t status,
                     uint64_t resident)
{
    struct raw_task *t = find_raw_task(r, tid);
    if (!t)
        return;
    const int32_t pid = t->pid;
    send_unfinished(r, t, ns);
    if (tid == pid) {
        t->gone = --t->threads > 0;
        t->resident = resident;
        if (!t->gone)
            send_task_end(r, t, ns, status, resident);
        return;
    }
    send_task_end(r, t, ns, status, resident);
    t = find_raw_task(r, pid);
    if (!t || --t->threads > 0 || !t->gone)
        return;
    send_task_end(r, t, ns, status, resident > t->resident ? resident : t->resident);
}

/* Gives the caller of execve the number of the first thread; all other threads are gone. */
static struct raw_task *take_over_leader(struct raw_calls *r, int32_t tid, int32_t former,
                                         uint64_t ns)
{
    struct raw_task *leader = find_raw_task(r, tid);
    struct raw_task *caller = former == tid ? leader : find_raw_task(r, former);
    if (!caller || caller == leader)
        return leader;
    if (leader) {
        send_unfinished(r, leader, ns);
        send_task_end(r, leader, ns, -1, 0);
    }
    task_table_remove(&r->tasks, former, caller);
    caller->tid = tid;
    caller->call.tid = tid;
    caller->threads = 1;
    task_table_add(&r->tasks, tid, caller);
    return caller;
}

/* --- texts of an execve --- */

static const uint8_t *kept_at(const struct raw_task *t, uint64_t address, size_t *n)
{
    struct syscall_event e = t->call;
    syscall_pieces_lend(&t->pieces, &e);
    return syscall_kept(&e, address, false, n, NULL);
}

/* Address of the call's i-th argument; 0: there is none, or it is unknown. */
static uint64_t argument_at(const struct raw_task *t, uint64_t i)
{
    uint64_t pointer = 0;
    size_t n = 0;
    const uint8_t *kept = kept_at(t, t->call.args[1] + i * sizeof pointer, &n);
    if (kept && n >= sizeof pointer)
        memcpy(&pointer, kept, sizeof pointer);
    return pointer;
}

/* Adds a text at an address whose memory is unknown. */
static void add_known_text(struct raw_task *t, uint64_t address, const char *text, size_t limit)
{
    size_t n = 0;
    if (!address || kept_at(t, address, &n))
        return;
    const size_t length = strlen(text);
    const bool cut = length > limit;
    n = cut ? limit : length + 1;
    uint8_t *to = syscall_pieces_room(&t->pieces, n);
    if (!to)
        return;
    memcpy(to, text, n);
    syscall_pieces_add(&t->pieces, address, n, false, cut);
}

/* The arguments of a script's program are the interpreter, perhaps an argument for it, and the
 * script's path, which replaces the first argument. */
void raw_calls_exec_memory(struct raw_calls *r, int32_t former, const char *interpreter,
                           const char *arguments, size_t n)
{
    struct raw_task *t = find_raw_task(r, former);
    uint64_t given = 0, count = 0, i = 0;
    if (!t || !t->in_call || !is_execve(&t->call) || r->setup->counts_only)
        return;
    while (argument_at(t, given))
        given++;
    for (const char *at = arguments; at < arguments + n; at += strlen(at) + 1)
        count++;
    if (given == 0 || count < given) /* the arguments are unknown or cut */
        return;
    if (count == given)
        add_known_text(t, t->call.args[0], interpreter, SYSCALL_PIECES);
    for (const char *at = arguments; i < count; at += strlen(at) + 1, i++) {
        const uint64_t more = count - given;
        if (more > 0 && i == more)
            add_known_text(t, t->call.args[0], at, SYSCALL_PIECES);
        else if (i >= more)
            add_known_text(t, argument_at(t, i - more), at, r->setup->string_limit);
    }
}

void raw_calls_executed(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns,
                        const char *line, size_t n)
{
    struct raw_task *t = take_over_leader(r, tid, former, ns);
    if (!t) {
        const struct raw_start s = {.pid = tid, .tid = tid, .ns = ns};
        raw_calls_started(r, &s);
        t = find_raw_task(r, tid);
    }
    t->prelude = false;
    struct syscall_event e = make_raw_event(t, SYSCALL_EXEC, ns);
    e.args[0] = (uint64_t)former;
    send_text(r, &e, line, n);
}

void raw_calls_signalled(struct raw_calls *r, int32_t tid, uint64_t ns, const siginfo_t *info)
{
    struct raw_task *t = find_raw_task(r, tid);
    if (!t)
        return;
    struct syscall_event e = make_raw_event(t, SYSCALL_SIGNAL, ns);
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

void raw_calls_paused(struct raw_calls *r, int32_t tid, uint64_t ns, int signo)
{
    struct raw_task *t = find_raw_task(r, tid);
    if (!t)
        return;
    struct syscall_event e = make_raw_event(t, SYSCALL_STOP, ns);
    e.result = signo;
    send_raw_event(r, &e);
}

void raw_calls_lost(struct raw_calls *r, uint64_t n, uint64_t ns)
{
    struct syscall_event e = {
        .kind = SYSCALL_LOST, .way = SYSCALL_BY_BPF, .begin_ns = ns, .end_ns = ns, .args = {n}};
    r->result->lost += n;
    send_raw_event(r, &e);
}

bool raw_calls_pids_are_ours(void)
{
    static const ino_t first = 0xeffffffc; /* PROC_PID_INIT_INO of include/linux/proc_ns.h */
    struct stat st;
    return stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == first;
}

/* --- the whole --- */

void raw_calls_open(struct raw_calls *r, const struct tracer_setup *setup,
                    const struct syscall_sink *sink, struct tracer_result *result)
{
    *r = (struct raw_calls){.setup = setup, .sink = sink, .result = result};
}

void raw_calls_close(struct raw_calls *r)
{
    const uint64_t ns = env_now_ns();
    TASK_TABLE_EACH(&r->tasks, place)
    {
        send_unfinished(r, place->task, ns);
        send_task_end(r, place->task, ns, -1, 0);
    }
    task_table_free(&r->tasks);
    *r = (struct raw_calls){0};
}
