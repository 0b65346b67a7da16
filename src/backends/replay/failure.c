#include "backends/replay/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const replay_kind_names[REPLAY_KINDS] = {
    [REPLAY_OK] = "ok",
    [REPLAY_USAGE] = "usage",
    [REPLAY_CAPTURE] = "capture",
    [REPLAY_RUNTIME] = "runtime",
    [REPLAY_ISA] = "isa",
    [REPLAY_RELOCATED] = "relocated",
    [REPLAY_MEMORY] = "memory",
    [REPLAY_LOAD] = "load",
    [REPLAY_FAULT] = "fault",
    [REPLAY_ILLEGAL] = "illegal",
    [REPLAY_QUEUE] = "queue",
    [REPLAY_TIMEOUT] = "timeout",
    [REPLAY_INTERNAL] = "internal",
};

/* docs/CAPTURE.md, "Exit status of rooftop replay". */
int replay_kind_exit(enum replay_kind kind)
{
    static const int status[REPLAY_KINDS] = {
        [REPLAY_OK] = 0,       [REPLAY_USAGE] = 2,     [REPLAY_CAPTURE] = 3, [REPLAY_RUNTIME] = 6,
        [REPLAY_ISA] = 6,      [REPLAY_RELOCATED] = 1, [REPLAY_MEMORY] = 1,  [REPLAY_LOAD] = 1,
        [REPLAY_FAULT] = 10,   [REPLAY_ILLEGAL] = 10,  [REPLAY_QUEUE] = 10,  [REPLAY_TIMEOUT] = 11,
        [REPLAY_INTERNAL] = 1,
    };
    return status[kind];
}

enum replay_kind replay_kind_find(const char *name)
{
    for (int k = 0; k < REPLAY_KINDS; k++)
        if (strcmp(name, replay_kind_names[k]) == 0)
            return (enum replay_kind)k;
    return REPLAY_INTERNAL;
}

int replay_fail(struct replay_failure *f, enum replay_kind kind, const char *help, const char *what,
                const char *why_fmt, ...)
{
    char why[sizeof f->err.why];
    va_list list;
    va_start(list, why_fmt);
    vsnprintf(why, sizeof why, why_fmt, list);
    va_end(list);
    f->kind = kind;
    error_set(&f->err, ERROR_INTERNAL, EIO, help, what, "%s", why);
    return -1;
}

int replay_fail_as(struct replay_failure *f, enum replay_kind kind, const struct error *err)
{
    const bool of_file = err->kind == ERROR_INPUT || err->kind == ERROR_TARGET;
    f->kind = of_file ? REPLAY_CAPTURE : kind;
    f->err = *err;
    return -1;
}
