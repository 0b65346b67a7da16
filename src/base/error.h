/*
 * How every failure is reported: what failed, on what, why, and what would help. Functions return 0
 * or a negative errno and fill a struct error. Only cli/ and tui/ print.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The kind of failure; cli/ maps it to the documented exit codes. */
enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,       /* bad option, unknown event, bad combination */
    ERROR_INPUT,       /* malformed file: config, metrics, theme */
    ERROR_TARGET,      /* PID gone or another user's, no such cgroup, command not found */
    ERROR_PERMISSION,  /* the kernel refused */
    ERROR_UNSUPPORTED, /* not on this machine or in this build */
    ERROR_OUTPUT,      /* stdout closed, disk full */
    ERROR_TERMINAL,    /* no terminal, unknown TERM */
    ERROR_INTERNAL,
};

struct error {
    enum error_kind kind;
    int code;       /* positive errno, or 0 */
    char what[192]; /* what failed, on what: "open event 'cycle'" */
    char why[256];  /* the reason, as a clause */
    char help[400]; /* what would help, as an instruction, or "" */
};

#define ERROR_INIT                                                                                 \
    {                                                                                              \
        .kind = ERROR_NONE                                                                         \
    }

/* Fills err and returns -code, or -EIO if code is 0, so never 0. err and help may be NULL. */
int error_set(struct error *err, enum error_kind kind, int code, const char *help, const char *what,
              const char *why_fmt, ...) __attribute__((format(printf, 6, 7)));

/* "what: why" + (help ? "; help" : "") on one line, always terminated. Returns out. */
const char *error_format(const struct error *err, char *out, size_t size);
