#include "backends/ptrace/events.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/decode/fetch.h"
#include "engine/syscalls/memory.h"
#include "engine/syscalls/roles.h"

/* Data of a task between the entry and the return of its call. */
struct kept {
    struct syscall_pieces pieces;
    bool wanted;
    const struct syscall_stack *stack;
    uint64_t resident; /* peak in bytes when the process exited; 0 unknown */
};
/* A task keeps more than this only while it is in a call. */
enum { PIECES_IDLE = 4096 };

static long read_memory(void *ctx, uint64_t address, void *out, size_t n)
{
    return tracee_read(ctx, address, out, n);
}

static struct kept *kept_for_task(struct tracee *task)
{
    if (!task->own)
        task->own = xcalloc(1, sizeof(struct kept));
    return task->own;
}

static struct syscall_event make_event_now(const struct trace_events *x, const struct tracees *t,
                                           const struct tracee *task, enum syscall_event_kind kind)
{
    return (struct syscall_event){.kind = kind,
                                  .way = x->way,
                                  .pid = task->pid,
                                  .tid = task->tid,
                                  .begin_ns = t->now_ns,
                                  .end_ns = t->now_ns};
}

static struct syscall_event make_event_of_call(const struct trace_events *x,
                                               const struct tracees *t, const struct tracee *task,
                                               enum syscall_event_kind kind)
{
    struct syscall_event e = make_event_now(x, t, task, kind);
    e.abi = task->call.abi;
    e.number = task->call.number;
    e.begin_ns = task->call.begin_ns;
    memcpy(e.args, task->call.args, sizeof e.args);
    e.stack_pointer = task->call.sp;
    return e;
}

static void send_task_event(const struct trace_events *x, const struct syscall_event *e)
{
    x->sink->event(x->sink->ctx, e);
}

/* --- calls --- */

static void fetch_memory(const struct trace_events *x, struct tracee *task, struct syscall_event *e,
                         bool at_return)
{
    struct kept *k = task->own;
    const struct syscall_memory memory = {read_memory, task};
    if (x->setup->counts_only)
        return;
    syscall_fetch(e, at_return, &memory, x->setup->string_limit, &k->pieces);
    syscall_pieces_lend(&k->pieces, e);
}

/* The peak of the process's resident memory, in bytes. wait4 would include rooftop's memory, which
 * the process had before it executed its program. */
static uint64_t resident_peak(pid_t pid)
{
    char path[64], text[4096];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    const char *line = file_read(path, text, sizeof text) > 0 ? strstr(text, "\nVmHWM:") : NULL;
    return line && sscanf(line, "\nVmHWM: %llu", &kib) == 1 ? kib * 1024 : 0;
}

static bool ends_process(const struct tracee_call *call)
{
    return syscall_duty(call->abi, call->number)->role == ROLE_EXIT &&
           strcmp(syscall_name(call->abi, call->number), "exit_group") == 0;
}

static enum tracee_step entered(void *ctx, struct tracees *t, struct tracee *task)
{
    struct trace_events *x = ctx;
    struct kept *k = kept_for_task(task);
    if (ends_process(&task->call))
        k->resident = resident_peak(task->pid);
    k->wanted = syscall_filter_wants(x->setup->calls, task->call.abi, task->call.number);
    if (!k->wanted)
        return TRACEE_GO;
    struct syscall_event e = make_event_of_call(x, t, task, SYSCALL_ENTRY);
    syscall_pieces_clear(&k->pieces);
    k->stack = NULL;
    if (x->stacks && !task->prelude) /* in the prelude rooftop makes the command's execve */
        e.stack = k->stack = call_stacks_take(x->stacks, task, false, t->now_ns);
    fetch_memory(x, task, &e, false);
    if (x->sink->entries) {
        e.end_ns = 0;
        send_task_event(x, &e);
    }
    return TRACEE_GO;
}

static void count_call_event(struct trace_events *x, const struct syscall_event *e)
{
    x->result->calls[x->way]++;
    x->result->unfinished += (e->flags & SYSCALL_UNFINISHED) != 0;
}

static void idle_pieces(struct kept *k)
{
    if (k->pieces.bytes_cap > PIECES_IDLE) {
        syscall_pieces_free(&k->pieces);
        k->pieces = (struct syscall_pieces){0};
    }
}

static enum tracee_step left(void *ctx, struct tracees *t, struct tracee *task)
{
    struct trace_events *x = ctx;
    struct kept *k = kept_for_task(task);
    if (x->stacks)
        call_stacks_follow(x->stacks, task);
    x->result->rings += task->call.number == SYSCALL_IO_URING_SETUP && task->call.result >= 0;
    if (!k->wanted)
        return TRACEE_GO;
    struct syscall_event e = make_event_of_call(x, t, task, SYSCALL_CALL);
    e.stack = k->stack;
    e.result = task->call.result;
    if (e.result <= -512 && e.result >= -516) /* ERESTARTSYS to ERESTART_RESTARTBLOCK */
        e.flags |= SYSCALL_RESTARTS;
    fetch_memory(x, task, &e, true);
    count_call_event(x, &e);
    send_task_event(x, &e);
    idle_pieces(k);
    return TRACEE_GO;
}

/* --- tasks --- */

static enum tracee_step began(void *ctx, struct tracees *t, struct tracee *task)
{
    const struct trace_events *x = ctx;
    const struct tracee *maker = task->parent ? tracees_find(t, task->parent) : NULL;
    char path[64], name[64] = "";
    if (x->stacks && maker && maker->pid != task->pid)
        call_stacks_fork(x->stacks, task->pid, maker->pid);
    struct syscall_event e = make_event_now(ctx, t, task, SYSCALL_START);
    snprintf(path, sizeof path, "/proc/%d/comm", (int)task->tid);
    const ssize_t n = file_read(path, name, sizeof name);
    const struct syscall_piece piece = {.size = n > 0 ? (uint32_t)n : 0};
    if (n > 0)
        name[n - 1] = '\0';
    e.parent = task->parent;
    e.args[0] = task->made_by_flags;
    e.bytes = (const uint8_t *)name;
    e.nbytes = piece.size;
    e.pieces = &piece;
    e.npieces = piece.size > 0;
    send_task_event(ctx, &e);
    return TRACEE_GO;
}

void trace_events_note(struct tracer_result *result, const char *text)
{
    for (size_t i = 0; i < TRACER_NOTES; i++) {
        if (strcmp(result->notes[i], text) == 0)
            return;
        if (!result->notes[i][0]) {
            snprintf(result->notes[i], sizeof result->notes[i], "%s", text);
            return;
        }
    }
}

void trace_events_tell_stacks(const struct trace_events *x)
{
    char text[192];
    if (x->stacks && call_stacks_foreign(x->stacks)) {
        snprintf(text, sizeof text, "%llu calls have no stack: they are of 32-bit programs",
                 (unsigned long long)call_stacks_foreign(x->stacks));
        trace_events_note(x->result, text);
    }
    const uint64_t refused = x->stacks ? syscall_stacks_refused(x->setup->stacks) : 0;
    if (refused) {
        snprintf(text, sizeof text,
                 "%llu calls have no stack: %d MiB of different ones were kept; see --stack-depth, "
                 "--calls",
                 (unsigned long long)refused, SYSCALL_STACKS_BYTES >> 20);
        trace_events_note(x->result, text);
    }
}

/* Notes a set-user-ID program: under ptrace it runs as rooftop's user, unless that is root. */
static void look_for_setuid(struct trace_events *x, const struct tracee *task, const char *program)
{
    char path[64], text[192];
    struct stat st, proc;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)task->tid);
    if (geteuid() == 0 || stat(path, &st) != 0 || !(st.st_mode & (S_ISUID | S_ISGID)))
        return;
    snprintf(path, sizeof path, "/proc/%d", (int)task->tid);
    if ((st.st_mode & S_ISUID) && stat(path, &proc) == 0 && proc.st_uid == st.st_uid)
        return;
    print_line(text, sizeof text, "%.100s: its set-user-ID has no effect while it is traced",
               program);
    trace_events_note(x->result, text);
}

/* Writes the path and the arguments, each ended by NUL, cut after an argument at the limit. */
static size_t command_line(pid_t tid, char *out, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)tid);
    ssize_t n = readlink(path, out, size < 4096 ? size - 1 : 4096);
    size_t used = n > 0 ? (size_t)n : 0;
    out[used++] = '\0';
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)tid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const size_t first = used;
    while (fd >= 0 && used < size && (n = read(fd, out + used, size - used)) > 0)
        used += (size_t)n;
    if (fd >= 0)
        close(fd);
    while (used > first && out[used - 1] != '\0')
        used--;
    return used;
}

static enum tracee_step executed(void *ctx, struct tracees *t, struct tracee *task, pid_t former)
{
    struct trace_events *x = ctx;
    struct syscall_event e = make_event_now(x, t, task, SYSCALL_EXEC);
    char *line = xcalloc(SYSCALL_PIECES, 1);
    if (x->stacks)
        call_stacks_forget(x->stacks, task->pid);
    e.args[0] = (uint64_t)former;
    e.nbytes = (uint32_t)command_line(task->tid, line, SYSCALL_PIECES);
    const struct syscall_piece piece = {.size = e.nbytes};
    e.bytes = (const uint8_t *)line;
    e.pieces = &piece;
    e.npieces = 1;
    look_for_setuid(x, task, line);
    send_task_event(x, &e);
    free(line);
    return TRACEE_GO;
}

void trace_events_drop(struct tracee *task)
{
    struct kept *k = task->own;
    if (k)
        syscall_pieces_free(&k->pieces);
    free(k);
    task->own = NULL;
}

static void ended(void *ctx, struct tracees *t, struct tracee *task, int status)
{
    struct trace_events *x = ctx;
    struct kept *k = task->own;
    if (x->stacks && task->tid == task->pid)
        call_stacks_forget(x->stacks, task->pid);
    if (k && task->in_call && k->wanted) {
        struct syscall_event e = make_event_of_call(x, t, task, SYSCALL_CALL);
        e.flags |= SYSCALL_UNFINISHED;
        e.stack = k->stack;
        if (!x->setup->counts_only)
            syscall_pieces_lend(&k->pieces, &e);
        count_call_event(x, &e);
        send_task_event(x, &e);
    }
    struct syscall_event e = make_event_now(x, t, task, SYSCALL_EXIT);
    e.result = status;
    e.args[0] = k ? k->resident : 0;
    send_task_event(x, &e);
    trace_events_drop(task);
}

static enum tracee_step signalled(void *ctx, struct tracees *t, struct tracee *task,
                                  const siginfo_t *info, int *signo)
{
    const struct trace_events *x = ctx;
    struct syscall_event e = make_event_now(ctx, t, task, SYSCALL_SIGNAL);
    e.result = *signo;
    if (x->stacks)
        e.stack = call_stacks_take(x->stacks, task, true, t->now_ns);
    e.args[0] = (uint64_t)(int64_t)info->si_code;
    const bool fault = info->si_code > 0 && (*signo == SIGSEGV || *signo == SIGBUS ||
                                             *signo == SIGILL || *signo == SIGFPE);
    if (fault)
        e.args[2] = (uint64_t)(uintptr_t)info->si_addr;
    else if (info->si_code != SI_KERNEL)
        e.args[1] = (uint64_t)info->si_pid;
    const struct syscall_piece whole = {.size = sizeof *info};
    e.pieces = &whole;
    e.npieces = 1;
    e.bytes = (const uint8_t *)info;
    e.nbytes = sizeof *info;
    send_task_event(ctx, &e);
    return TRACEE_GO;
}

static void paused(void *ctx, struct tracees *t, struct tracee *task, int signo)
{
    struct syscall_event e = make_event_now(ctx, t, task, SYSCALL_STOP);
    e.result = signo;
    send_task_event(ctx, &e);
}

static void pass_tick_to_sink(void *ctx, struct tracees *t)
{
    const struct trace_events *x = ctx;
    (void)t;
    if (x->sink->tick)
        x->sink->tick(x->sink->ctx);
}

const struct tracee_hooks trace_event_hooks = {
    .began = began,
    .entered = entered,
    .left = left,
    .executed = executed,
    .signalled = signalled,
    .paused = paused,
    .ended = ended,
    .tick = pass_tick_to_sink,
};
