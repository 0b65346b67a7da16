/* What a replay fails with: the kind that the outside acts on (docs/CAPTURE.md), and an error. */
#ifndef ROOFTOP_BACKENDS_REPLAY_FAILURE_H
#define ROOFTOP_BACKENDS_REPLAY_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum replay_kind {
    REPLAY_OK,
    REPLAY_USAGE,     /* what was asked for makes no sense */
    REPLAY_CAPTURE,   /* damaged, or not a capture; a code object that cannot be read */
    REPLAY_RUNTIME,   /* no HSA runtime, no GPU, no virtual memory */
    REPLAY_ISA,       /* the code is for another GPU */
    REPLAY_RELOCATED, /* an address could not be had */
    REPLAY_MEMORY,    /* mapping, access, or there is not enough of it */
    REPLAY_LOAD,      /* the code object or its kernel */
    REPLAY_FAULT,
    REPLAY_ILLEGAL,
    REPLAY_QUEUE,
    REPLAY_TIMEOUT,
    REPLAY_INTERNAL,
    REPLAY_KINDS
};
extern const char *const replay_kind_names[REPLAY_KINDS];
/* The exit status of `rooftop replay` for it. */
enum { REPLAY_EXIT_DIFFERS = 9 };
int replay_kind_exit(enum replay_kind kind);
enum replay_kind replay_kind_find(const char *name); /* REPLAY_INTERNAL where there is no such */

struct replay_failure {
    enum replay_kind kind;
    bool has_address;
    uint64_t address, region; /* of a fault; region: base of the captured one, 0 none */
    bool again;               /* another process may succeed: its own memory was in the way */
    struct error err;
};

/* Fills it and returns -1. */
int replay_fail(struct replay_failure *f, enum replay_kind kind, const char *help, const char *what,
                const char *why_fmt, ...) __attribute__((format(printf, 5, 6)));
/* Takes over an error of a function below; returns -1. ERROR_INPUT and ERROR_TARGET are the
 * capture's. */
int replay_fail_as(struct replay_failure *f, enum replay_kind kind, const struct error *err);

#endif
