#include "backends/bpf/bpf_impl.h"

#include <errno.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"

/* --- the whole --- */

static void close_links(struct bpf_trace *s)
{
    while (s->nlinks > 0)
        close(s->links[--s->nlinks]);
}

void bpf_trace_close(struct bpf_trace *s)
{
    const int maps[] = {s->tasks, s->plans, s->scratch, s->lost, s->types, s->memory_program};
    close_links(s);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        if (maps[i] >= 0)
            close(maps[i]);
    intake_free(&s->intake);
    ring_close(&s->ring);
    operations_end(s);
    raw_calls_close(&s->raw);
}

int bpf_trace_watch(struct bpf_trace *s, pid_t pid, pid_t tid)
{
    const uint32_t key = (uint32_t)tid;
    const struct task_state state = {.fresh = 1, .pid = (uint32_t)pid};
    return kernel_map_set(s->tasks, &key, &state);
}

bool bpf_trace_idle(const struct bpf_trace *s)
{
    uint32_t key;
    return kernel_map_next(s->tasks, NULL, &key) == -ENOENT;
}

bool bpf_trace_has_ended(pid_t pid, pid_t tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)pid, (int)tid);
    const ssize_t n = file_read(path, text, sizeof text);
    const char *name = n > 0 ? strrchr(text, ')') : NULL;
    return n == -ENOENT || n == -ESRCH || (name && strchr("ZXx", name[2]));
}

/* Checks some of the tasks and removes those that ended unseen: because they were added while they
 * ended, or because the kernel did not run the program at their end. */
static void leave_out_ended(struct bpf_trace *s)
{
    enum { LOOKS = 64 /* about 0.5 ms */ };
    for (int i = 0; i < LOOKS; i++) {
        struct task_state t;
        uint32_t tid;
        if (kernel_map_next(s->tasks, &s->looked_at, &tid) != 0) {
            s->looked_at = 0;
            return;
        }
        if (kernel_map_get(s->tasks, &tid, &t) == 0 &&
            bpf_trace_has_ended((pid_t)t.pid, (pid_t)tid))
            kernel_map_drop(s->tasks, &tid);
        else
            s->looked_at = tid;
    }
}

/* --- records --- */

/* The pieces of a record, as memory of the program. */
struct pieces {
    const uint8_t *data;
    size_t n;
    uint32_t again; /* bits of the pieces that were read again */
};

/* Copies n bytes at address from the pieces, as far as they have them, across several pieces. */
static long read_pieces(void *ctx, uint64_t address, void *out, size_t n)
{
    const struct pieces *p = ctx;
    size_t done = 0;
    for (size_t at = 0; at + sizeof(struct piece) <= p->n && done < n;) {
        struct piece piece;
        memcpy(&piece, p->data + at, sizeof piece);
        const uint8_t *bytes = p->data + at + sizeof piece;
        const uint64_t from = address + done - piece.address;
        at += sizeof piece + ((piece.size + (size_t)7) & ~(size_t)7);
        if (at > p->n)
            break;
        if (piece.again != p->again || address + done < piece.address || from >= piece.size)
            continue;
        const size_t part = piece.size - from < n - done ? piece.size - from : n - done;
        memcpy((uint8_t *)out + done, bytes + from, part);
        done += part;
        at = 0; /* pieces are not sorted */
    }
    return done ? (long)done : -EFAULT;
}

static struct syscall_event make_event_of_record(const struct record *r)
{
    static const enum syscall_abi abis[] = {SYSCALL_X86_64, SYSCALL_I386, SYSCALL_X32};
    struct syscall_event e = {.abi = abis[r->abi < 2 ? r->abi : 2],
                              .pid = (int32_t)r->pid,
                              .tid = (int32_t)r->tid,
                              .number = r->number,
                              .begin_ns = r->begin_ns,
                              .end_ns = r->end_ns,
                              .stack_pointer = r->stack_pointer,
                              .result = r->result};
    memcpy(e.args, r->args, sizeof e.args);
    return e;
}

static void on_entry(struct bpf_trace *s, const struct record *r, struct pieces *p)
{
    const struct syscall_event e = make_event_of_record(r);
    const struct syscall_memory m = {read_pieces, p};
    raw_calls_entered(&s->raw, &e, &m);
}

static void on_call_record(struct bpf_trace *s, const struct record *r, struct pieces *p)
{
    const struct syscall_event e = make_event_of_record(r);
    const struct syscall_memory m = {read_pieces, p};
    p->again = 1;
    if (r->in_call)
        raw_calls_entered_late(&s->raw, &e, &m);
    else if (p->n)
        raw_calls_entry_memory(&s->raw, &e, &m);
    p->again = 0;
    raw_calls_left(&s->raw, &e, &m);
}

/* The flags as the program gave them, as ptrace reports them. */
static uint64_t clone_flags(const struct record *r)
{
    const struct syscall_event e = make_event_of_record(r);
    const char *name = r->in_call == PHASE_CALL || r->in_call == PHASE_UNWANTED
                           ? syscall_name(e.abi, e.number)
                           : "";
    if (strcmp(name, "clone") == 0)
        return r->args[START_MAKERS_ARG];
    return r->args[START_FLAGS] |
           (strcmp(name, "fork") == 0 || strcmp(name, "vfork") == 0 ? (uint64_t)SIGCHLD : 0);
}

static void on_start(struct bpf_trace *s, const struct record *r)
{
    char name[17] = "";
    memcpy(name, &r->args[START_NAME], 16);
    const struct raw_start start = {.pid = (int32_t)r->pid,
                                    .tid = (int32_t)r->tid,
                                    .parent = (int32_t)r->args[START_MAKER],
                                    .ns = r->end_ns,
                                    .flags = clone_flags(r),
                                    .name = name};
    raw_calls_started(&s->raw, &start);
}

/* The first piece is the path of the program or of its interpreter, the second its arguments. */
static void on_exec(struct bpf_trace *s, const struct record *r, const struct pieces *p)
{
    char *line = xcalloc(SYSCALL_PIECES, 1), exe[64];
    struct piece path = {0}, arguments = {0};
    size_t at = 0, n;
    snprintf(exe, sizeof exe, "/proc/%u/exe", r->tid);
    if (p->n >= sizeof path)
        memcpy(&path, p->data, sizeof path);
    at = sizeof path + ((path.size + (size_t)7) & ~(size_t)7);
    const ssize_t got = readlink(exe, line, 4096);
    n = got > 0 ? (size_t)got : 0;
    if (got <= 0 && at <= p->n) { /* the task has already ended */
        n = strnlen((const char *)p->data + sizeof path, path.size < 4095 ? path.size : 4095);
        memcpy(line, p->data + sizeof path, n);
    }
    line[n++] = '\0';
    if (at + sizeof arguments <= p->n) {
        memcpy(&arguments, p->data + at, sizeof arguments);
        at += sizeof arguments;
        size_t size = arguments.size < p->n - at ? arguments.size : p->n - at;
        size = size < SYSCALL_PIECES - n ? size : SYSCALL_PIECES - n;
        while (size > 0 && p->data[at + size - 1])
            size--;
        memcpy(line + n, p->data + at, size);
        n += size;
        if (path.size > 0 && !p->data[sizeof path + path.size - 1])
            raw_calls_exec_memory(&s->raw, (int32_t)r->args[0], (const char *)p->data + sizeof path,
                                  (const char *)p->data + at, size);
    }
    raw_calls_executed(&s->raw, (int32_t)r->tid, (int32_t)r->args[0], r->end_ns, line, n);
    free(line);
}

static siginfo_t info_of(const struct record *r)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    memcpy(&info, r->args, sizeof r->args);
    info.si_signo = (int)r->result;
    return info;
}

static void on_sent(struct bpf_trace *s, const struct record *r)
{
    s->sent[s->nsent++ % BPF_TRACE_SENT] =
        (struct bpf_sent){.pid = (int32_t)r->pid, .info = info_of(r)};
}

/* Removes from the list the last signal of this number that was sent to the process. */
static bool take_sent(struct bpf_trace *s, int32_t pid, int signo, siginfo_t *info)
{
    bool found = false;
    for (uint32_t i = 0; i < BPF_TRACE_SENT; i++) {
        struct bpf_sent *sent = &s->sent[(s->nsent + i) % BPF_TRACE_SENT];
        if (sent->pid != pid || sent->info.si_signo != signo)
            continue;
        *info = sent->info;
        sent->pid = 0;
        found = true;
    }
    return found;
}

static void on_end_record(struct bpf_trace *s, const struct record *r)
{
    struct syscall_event e = make_event_of_record(r);
    const uint64_t resident = (uint64_t)r->result >> 16;
    const int status = (int)(r->result & 0xffff);
    siginfo_t info;
    if (r->in_call == PHASE_CALL)
        raw_calls_entered(&s->raw, &e, NULL);
    if (WIFSIGNALED(status) && take_sent(s, (int32_t)r->pid, WTERMSIG(status), &info))
        raw_calls_signalled(&s->raw, (int32_t)r->tid, r->end_ns, &info);
    raw_calls_ended(&s->raw, (int32_t)r->tid, r->end_ns, status,
                    resident * (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Whether the signal stops a process without a handler. */
static bool stops_process(int signo)
{
    return signo == SIGSTOP || signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

static void on_signal_record(struct bpf_trace *s, const struct record *r)
{
    const siginfo_t info = info_of(r);
    siginfo_t sent;
    take_sent(s, (int32_t)r->pid, info.si_signo, &sent);
    raw_calls_signalled(&s->raw, (int32_t)r->tid, r->end_ns, &info);
    if (r->number && stops_process(info.si_signo))
        raw_calls_paused(&s->raw, (int32_t)r->tid, r->end_ns, info.si_signo);
}

static void on_record(void *ctx, const uint8_t *bytes, size_t n)
{
    struct bpf_trace *s = ctx;
    struct record r;
    if (n < sizeof r)
        return;
    memcpy(&r, bytes, sizeof r);
    struct pieces p = {.data = bytes + sizeof r, .n = n - sizeof r};
    switch ((enum record_kind)r.kind) {
    case RECORD_ENTRY:
        on_entry(s, &r, &p);
        break;
    case RECORD_CALL:
        on_call_record(s, &r, &p);
        break;
    case RECORD_START:
        on_start(s, &r);
        break;
    case RECORD_EXEC:
        on_exec(s, &r, &p);
        break;
    case RECORD_EXIT:
        on_end_record(s, &r);
        break;
    case RECORD_SIGNAL:
        on_signal_record(s, &r);
        break;
    case RECORD_SENT:
        on_sent(s, &r);
        break;
    case RECORD_SUBMITTED:
        operations_submitted(&s->operations.open, &s->raw, &r);
        break;
    case RECORD_COMPLETED:
        operations_completed(&s->operations.open, &s->raw, &r);
        break;
    }
}

size_t bpf_trace_drain(struct bpf_trace *s)
{
    return intake_take(&s->intake, on_record, s);
}

void bpf_trace_stop(struct bpf_trace *s)
{
    close_links(s); /* takes a while, during which the ring is emptied */
    intake_stop(&s->intake);
}

/* --- facts without records --- */

static void tell_lost(struct bpf_trace *s)
{
    pthread_mutex_lock(&s->intake.lock);
    const uint64_t dropped = s->intake.lost;
    s->intake.lost = 0;
    pthread_mutex_unlock(&s->intake.lock);
    const uint64_t missed = operations_missed(s);
    if (dropped + missed)
        raw_calls_lost(&s->raw, dropped + missed, env_now_ns());
    uint64_t *each = xcalloc(s->cpus, sizeof *each);
    for (uint32_t which = 0; which < LOSTS; which++) {
        uint64_t sum = 0;
        if (kernel_map_get(s->lost, &which, each) != 0)
            continue;
        for (uint32_t i = 0; i < s->cpus; i++)
            sum += each[i];
        const uint64_t more = sum - s->told[which];
        s->told[which] = sum;
        if (more && which == LOST_MEMORY)
            s->raw.result->torn += more;
        else if (more)
            raw_calls_lost(&s->raw, more, env_now_ns());
    }
    free(each);
}

struct waiting_task {
    const struct bpf_trace *s;
    uint32_t tid;
    uint64_t begin_ns; /* begin of its call */
};

/* Reads memory of a task in a call, which does not change before the call returns. */
static long read_waiting(void *ctx, uint64_t address, void *out, size_t n)
{
    const struct waiting_task *w = ctx;
    struct iovec to = {out, n};
    struct iovec from = {(void *)(uintptr_t)address, n}; /* NOLINT(performance-no-int-to-ptr) */
    struct task_state t;
    const ssize_t got = process_vm_readv((pid_t)w->tid, &to, 1, &from, 1, 0);
    if (got < 0)
        return -errno;
    const bool lasts = kernel_map_get(w->s->tasks, &w->tid, &t) == 0 && t.phase == PHASE_CALL &&
                       t.begin_ns == w->begin_ns;
    return lasts ? (long)got : -ESRCH;
}

/* Reports calls that have not returned for least_ns. */
static void tell_waiting(struct bpf_trace *s, uint64_t least_ns)
{
    const uint64_t now = env_now_ns();
    uint32_t key, next;
    int rc = kernel_map_next(s->tasks, NULL, &next);
    for (; rc == 0; rc = kernel_map_next(s->tasks, &key, &next)) {
        struct task_state t;
        key = next;
        if (kernel_map_get(s->tasks, &key, &t) != 0 || t.phase != PHASE_CALL ||
            now - t.begin_ns < least_ns)
            continue;
        struct record r = {.tid = key,
                           .pid = t.pid,
                           .abi = t.abi,
                           .number = t.number,
                           .begin_ns = t.begin_ns,
                           .stack_pointer = t.stack_pointer};
        memcpy(r.args, t.args, sizeof r.args);
        const struct syscall_event e = make_event_of_record(&r);
        struct waiting_task w = {s, key, t.begin_ns};
        const struct syscall_memory m = {read_waiting, &w};
        raw_calls_entered(&s->raw, &e, t.late ? &m : NULL);
    }
}

void bpf_trace_tick(struct bpf_trace *s)
{
    enum { LONG_NS = 100000000 };
    tell_lost(s);
    leave_out_ended(s);
    if (s->raw.sink->entries)
        tell_waiting(s, LONG_NS);
    if (s->raw.sink->tick)
        s->raw.sink->tick(s->raw.sink->ctx);
}

void bpf_trace_last(struct bpf_trace *s)
{
    tell_waiting(s, 0);
    bpf_trace_tick(s);
}
