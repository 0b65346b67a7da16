#include "cli/run/traced.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/options/exit.h"

static volatile sig_atomic_t asked; /* as stop_signal returns it */
static volatile sig_atomic_t caught;

static void on_signal(int signo, siginfo_t *info, void *context)
{
    (void)context;
    caught = signo;
    asked = info->si_code == SI_KERNEL ? -signo : signo;
}

void traced_catch_signals(void)
{
    static const int list[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction sa = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
    sigemptyset(&sa.sa_mask);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        sigaction(list[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) /* ignored on purpose, as by nohup */
            sigaction(list[i], &sa, NULL);
    }
}

int traced_interrupted(void)
{
    return caught;
}

int traced_check(const char *program, const char *so, struct error *err)
{
    if (!caught)
        return 0;
    return error_set(err, ERROR_TARGET, EINTR, "run it again", program,
                     "a signal ended the run: %s", so);
}

int traced_exit(const struct error *err)
{
    exit_report(err);
    return 128 + caught;
}

int traced_stop_signal(void *ctx)
{
    const int signo = asked;
    (void)ctx;
    asked = 0;
    return signo;
}

/* The program's own time as its events show it, which is less than that of its tracer. */
struct timing {
    const struct syscall_sink *sink;
    uint64_t first_ns, last_ns;
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct timing *t = ctx;
    if (e->kind != SYSCALL_LOST) {
        if (!t->first_ns || e->begin_ns < t->first_ns)
            t->first_ns = e->begin_ns;
        if (e->end_ns > t->last_ns)
            t->last_ns = e->end_ns;
    }
    t->sink->event(t->sink->ctx, e);
}

static void on_tick(void *ctx)
{
    const struct timing *t = ctx;
    if (t->sink->tick)
        t->sink->tick(t->sink->ctx);
}

int run_traced(char *const *argv, const char *by, uint32_t strings, const struct syscall_sink *sink,
               struct traced_run *out, struct error *err)
{
    const struct tracer_setup setup = {.argv = argv,
                                       .follow = true,
                                       .same_cpu = true,
                                       .inject = by && strcmp(by, "inject") == 0,
                                       .string_limit = strings,
                                       .stop_signal = traced_stop_signal};
    const char *slash = strrchr(argv[0], '/');
    *out = (struct traced_run){0};
    snprintf(out->program, sizeof out->program, "%s", slash && slash[1] ? slash + 1 : argv[0]);
    const struct tracer_ops *ops = tracer_choose(&setup, by, err);
    if (!ops)
        return -ENOTSUP;
    out->by = ops->name;
    traced_catch_signals();
    struct timing t = {.sink = sink};
    const struct syscall_sink timed = {
        .event = on_event, .ctx = &t, .entries = sink->entries, .tick = on_tick};
    const int rc = tracer_run(ops, &setup, by, &timed, &out->result, err);
    out->wall_ns = t.last_ns > t.first_ns ? t.last_ns - t.first_ns : 0;
    return rc;
}
