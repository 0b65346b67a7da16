#include "backends/replay/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

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
