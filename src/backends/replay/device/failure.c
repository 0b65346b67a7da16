#include "backends/replay/device/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void replay_note(struct replay_notes *n, const char *format, ...)
{
    char line[REPLAY_NOTE_BYTES];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->text[i], line) == 0)
            return;
    if (n->n < REPLAY_NOTES)
        memcpy(n->text[n->n++], line, sizeof line);
}
