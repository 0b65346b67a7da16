#include "cli/syscalls/trace_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/traced.h"
#include "engine/live/family.h"
#include "engine/syscalls/picture/stream.h"

enum {
    STRING_LIMIT = 32,
    BUFFER = 64 * 1024,
    STALLED_MS = 5000, /* a reader that reads nothing for so long is stopped */
};

struct sending {
    FILE *out;
    int fd;
    bool ready, stopped, nobody; /* nobody reads any more */
};

/* The traced programs wait while we write; they must not wait for a rooftop that was stopped. */
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

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct sending *s = ctx;
    if (!s->ready) {
        get_ready(s);
        fflush(s->out);
    }
    syscalls_stream_event(s->out, e);
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

/* Nobody reads any more: let go. */
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
    int rc = options_target(o, t, err);
    if (rc != 0)
        return rc;
    family_add(t);
    const struct tracer_setup setup = {.pids = t->pids,
                                       .npids = (uint32_t)t->npids,
                                       .some = true, /* descendants may end meanwhile */
                                       .follow = true,
                                       .string_limit = STRING_LIMIT,
                                       .stop_signal = stop_signal,
                                       .ctx = s};
    const struct syscall_sink sink = {.event = on_event, .ctx = s, .tick = on_tick};
    const struct tracer_ops *ops = tracer_choose(&setup, o->trace.by, err);
    if (!ops)
        return -ENOTSUP;
    struct syscalls_stream_begin b = {.by = ""};
    snprintf(b.by, sizeof b.by, "%s", ops->name);
    snprintf(b.summary, sizeof b.summary, "%s", ops->summary);
    syscalls_stream_begin(s->out, &b);
    return ops->run(&setup, &sink, result, err);
}

int trace_child_run(const struct options *o)
{
    struct sending s = {.fd = output_own_stdout()};
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
    return fclose(s.out) == 0 && rc == 0 ? EXIT_DONE : EXIT_OUTPUT;
}
