/* All mechanisms for tracing system calls, best first. */
#include "engine/syscalls/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

extern const struct tracer_ops tracer_inject, tracer_bpf, tracer_perf, tracer_seccomp,
    tracer_ptrace;

const struct tracer_ops *const tracers[] = {&tracer_inject, &tracer_seccomp, &tracer_ptrace,
                                            &tracer_bpf,    &tracer_perf,    NULL};

/* Whether it can do it; else why says what it lacks. */
static bool usable(const struct tracer_ops *ops, const struct tracer_setup *setup,
                   struct error *why)
{
    struct tracer_state state;
    if (!ops->suits(setup, why))
        return false;
    ops->probe(&state);
    if (!state.works)
        error_set(why, ERROR_UNSUPPORTED, ENOTSUP, state.enable[0] ? state.enable : NULL, ops->name,
                  "%s", state.why);
    return state.works;
}

static const struct tracer_ops *named(const struct tracer_setup *setup, const char *name,
                                      struct error *err)
{
    char known[192] = "";
    for (size_t i = 0; tracers[i]; i++) {
        if (strcmp(tracers[i]->name, name) == 0)
            return usable(tracers[i], setup, err) ? tracers[i] : NULL;
        const size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", tracers[i]->name);
    }
    error_set(err, ERROR_USAGE, EINVAL, NULL, "--by", "'%s' is no mechanism; there are %s", name,
              known);
    return NULL;
}

const struct tracer_ops *tracer_choose(const struct tracer_setup *setup, const char *name,
                                       struct error *err)
{
    char lacks[sizeof err->why] = "", help[sizeof err->help] = "";
    if (name)
        return named(setup, name, err);
    for (size_t i = 0; tracers[i]; i++) {
        struct error why = ERROR_INIT;
        if (usable(tracers[i], setup, &why))
            return tracers[i];
        const size_t n = strlen(lacks);
        snprintf(lacks + n, sizeof lacks - n, "%s%s: %.100s", n ? "; " : "", tracers[i]->name,
                 why.why);
        if (!help[0])
            memcpy(help, why.help, sizeof help);
    }
    error_set(err, ERROR_UNSUPPORTED, ENOTSUP, help[0] ? help : NULL, "trace system calls", "%s",
              lacks);
    return NULL;
}
