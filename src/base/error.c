#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"

int error_set(struct error *err, enum error_kind kind, int code, const char *help, const char *what,
              const char *why_fmt, ...)
{
    if (err) {
        err->kind = kind;
        err->code = code;
        snprintf(err->what, sizeof err->what, "%s", what);
        snprintf(err->help, sizeof err->help, "%s", help ? help : "");
        text_whole(err->what);
        text_whole(err->help);
        va_list ap;
        va_start(ap, why_fmt);
        vsnprintf(err->why, sizeof err->why, why_fmt, ap);
        va_end(ap);
        text_whole(err->why);
    }
    return code ? -code : -EIO;
}

const char *error_format(const struct error *err, char *out, size_t size)
{
    snprintf(out, size, "%s: %s%s%s", err->what, err->why, err->help[0] ? "; " : "", err->help);
    return out;
}
