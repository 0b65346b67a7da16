#include "cli/syscalls/syscalls_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/processes/family.h"
#include "base/env.h"
#include "base/list.h"
#include "cli/options/command.h"
#include "cli/run/output.h"
#include "cli/run/traced.h"
#include "engine/syscalls/snapshot/stream.h"
#include "engine/syscalls/stacks.h"

enum {
    PROMPT =
        64, /* so many events are sent at once, for the first picture; then a tick's together */
    STRING_LIMIT = 32,
    BUFFER = 64 * 1024,
    HELD_MOST = 1 << 14, /* most descriptors of a process that are read, because it may be stopped
                            meanwhile */
    STALLED_MS = 5000, /* a reader that reads nothing for so long is taken for stopped (SIGSTOP) */
};

struct sending {
    FILE *out;
    int fd;
    bool ready, stopped, nobody; /* nobody: the reader is gone or stopped */
    unsigned prompt;             /* events that were sent at once */
    const struct target *target;
    struct socket_names *sockets;
    struct syscall_stacks *stacks;
    uint8_t *sent; /* by the number of a stack: whether it was sent */
    size_t nsent, sent_cap;
};

/* Writes records. The traced programs wait meanwhile, so this gives up if the rooftop that reads
 * does nothing for STALLED_MS: it may be stopped. */
static ssize_t write_all(void *ctx, const char *data, size_t n)
{
    struct sending *s = ctx;
    struct pollfd p = {.fd = s->fd, .events = POLLOUT};
    uint64_t moved_ns = env_now_ns();
    for (size_t done = 0; done < n && !s->nobody;) {
        const ssize_t wrote = write(s->fd, data + done, n - done);
        if (wrote > 0) {
            done += (size_t)wrote;
            moved_ns = env_now_ns();
        } else if (wrote == 0 || (errno != EAGAIN && errno != EINTR))
            s->nobody = true;
        else if (env_now_ns() - moved_ns > STALLED_MS * UINT64_C(1000000))
            s->nobody = true;
        else if (errno == EAGAIN)
            poll(&p, 1, STALLED_MS); /* the tracer's timer interrupts it */
    }
    return s->nobody ? 0 : (ssize_t)n;
}

static void get_ready(struct sending *s)
{
    if (!s->ready)
        syscalls_stream_ready(s->out);
    s->ready = true;
}

static void send_stack(struct sending *s, const struct syscall_stack *stack)
{
    while (s->nsent <= stack->id)
        LIST_ADD(s->sent, s->nsent, s->sent_cap, 0);
    if (!s->sent[stack->id])
        syscalls_stream_stack(s->out, stack);
    s->sent[stack->id] = 1;
}

/* Whether rooftop attached to this process. A process that starts later with the same number has
 * a parent that is traced. */
static bool was_attached_to(const struct sending *s, const struct syscall_event *start)
{
    if (start->parent)
        return false;
    for (int i = 0; i < (int)s->target->npids; i++)
        if (s->target->pids[i] == start->pid)
            return true;
    return false;
}

/* Adds what the socket is, and its peer, to the link of a socket: "socket:[123] tcp ...". */
static size_t add_peer(struct sending *s, pid_t pid, char *link, size_t n, size_t size)
{
    unsigned long long inode;
    const char *name = sscanf(link, "socket:[%llu]", &inode) == 1
                           ? socket_names_find(s->sockets, pid, (uint64_t)inode)
                           : NULL;
    const int more = name ? snprintf(link + n, size - n, " %s", name) : 0;
    return more > 0 && (size_t)more < size - n ? n + (size_t)more : n;
}

/* Sends what the process has open. A server may have opened its sockets long before anybody
 * looked. */
static void send_held(struct sending *s, const struct syscall_event *start)
{
    char path[320], name[4096];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)start->pid);
    DIR *dir = opendir(path);
    int n_held = 0;
    for (struct dirent *f; dir && n_held < HELD_MOST && (f = readdir(dir));) {
        if (*f->d_name == '.')
            continue;
        n_held++;
        snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)start->pid, f->d_name);
        const ssize_t got = readlink(path, name, sizeof name - 1);
        if (got <= 0)
            continue;
        name[got] = '\0';
        const size_t n = add_peer(s, start->pid, name, (size_t)got, sizeof name);
        name[n] = '\0';
        const struct syscall_piece piece = {.size = (uint32_t)n + 1};
        struct syscall_event e = *start;
        e.kind = SYSCALL_HELD;
        e.args[0] = strtoull(f->d_name, NULL, 10);
        e.pieces = &piece;
        e.npieces = 1;
        e.bytes = (const uint8_t *)name;
        e.nbytes = piece.size;
        syscalls_stream_event(s->out, &e);
    }
    if (dir)
        closedir(dir);
}

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct sending *s = ctx;
    if (!s->ready) {
        get_ready(s);
        fflush(s->out);
    }
    if (e->stack)
        send_stack(s, e->stack);
    syscalls_stream_event(s->out, e);
    if (e->kind == SYSCALL_START && e->pid == e->tid && was_attached_to(s, e))
        send_held(s, e);
    if (s->prompt < PROMPT) {
        s->prompt++;
        fflush(s->out);
    }
}

static void on_tick(void *ctx)
{
    struct sending *s = ctx;
    struct timespec used;
    struct syscalls_stream_tick t = {0};
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        t.cpu_ns = (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
    get_ready(s);
    syscalls_stream_tick(s->out, &t);
    fflush(s->out);
}

/* Returns the signal that ends the trace: one that this process got, or SIGTERM when the reader is
 * gone; 0: the trace goes on. */
static int stop_signal(void *ctx)
{
    struct sending *s = ctx;
    const int signo = traced_stop_signal(NULL);
    if (signo == 0 && !(s->nobody && !s->stopped))
        return 0;
    s->stopped = true;
    return signo ? signo : SIGTERM;
}

static int attach_and_run(const struct options *o, struct target *t, struct sending *s,
                          struct tracer_result *result, struct error *err)
{
    const struct trace_options *own = o->own;
    int rc = options_target(o, t, err);
    if (rc != 0)
        return rc;
    const size_t left = family_add(t);
    s->target = t;
    for (size_t i = 0; i < t->npids; i++) /* before the processes are stopped */
        socket_names_find(s->sockets, t->pids[i], 0);
    s->stacks = own->stack ? syscall_stacks_new(SYSCALL_STACKS_BYTES) : NULL;
    const struct tracer_setup setup = {.pids = t->pids,
                                       .npids = (uint32_t)t->npids,
                                       .some = true, /* descendants may end meanwhile */
                                       .follow = true,
                                       .string_limit = STRING_LIMIT,
                                       .stacks = s->stacks,
                                       .stack_depth = (uint32_t)own->stack_depth,
                                       .stop_signal = stop_signal,
                                       .ctx = s};
    const struct syscall_sink sink = {.event = on_event, .ctx = s, .tick = on_tick};
    const struct tracer_ops *ops = tracer_choose(&setup, o->by, err);
    if (!ops)
        return -ENOTSUP;
    struct syscalls_stream_begin b = {.by = ""};
    snprintf(b.by, sizeof b.by, "%s", ops->name);
    snprintf(b.summary, sizeof b.summary, "%s", ops->summary);
    syscalls_stream_begin(s->out, &b);
    rc = tracer_run(ops, &setup, o->by, &sink, result, err);
    size_t i = 0;
    while (i + 1 < TRACER_NOTES && result->notes[i][0])
        i++;
    if (left)
        snprintf(result->notes[i], sizeof result->notes[i],
                 "%zu processes that they started are not traced: more than %d", left,
                 TARGET_MAX_PIDS);
    return rc;
}

int trace_child_run(const struct options *o)
{
    struct sending s = {.fd = output_own_stdout(), .sockets = socket_names_new()};
    struct syscalls_stream_end end = {.err = ERROR_INIT};
    fcntl(s.fd, F_SETFL, fcntl(s.fd, F_GETFL) | O_NONBLOCK);
    s.out = fopencookie(&s, "w", (cookie_io_functions_t){.write = write_all});
    if (!s.out)
        return EXIT_OUTPUT;
    setvbuf(s.out, NULL, _IOFBF, BUFFER);
    signal(SIGPIPE, SIG_IGN);
    traced_catch_signals();
    struct target *target = xcalloc(1, sizeof *target);
    const int rc = attach_and_run(o, target, &s, &end.result, &end.err);
    target_free(target);
    free(target);
    if (rc == 0)
        end.err.kind = ERROR_NONE;
    end.stopped = s.stopped;
    syscalls_stream_end(s.out, &end);
    const bool wrote = fclose(s.out) == 0;
    syscall_stacks_free(s.stacks);
    socket_names_free(s.sockets);
    free(s.sent);
    return wrote && rc == 0 ? EXIT_DONE : EXIT_OUTPUT;
}
