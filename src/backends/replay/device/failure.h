/* A failed replay: the kind of failure that callers act on (docs/CAPTURE.md), and an error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/replay/replay_protocol.h"

struct replay_failure {
    enum replay_kind kind;
    bool has_address;
    uint64_t address, region; /* of a fault; region: base of its captured region, 0: none */
    bool again; /* another process may succeed: this one's own memory was in the way */
    struct error err;
};

enum { REPLAY_NOTES = 12, REPLAY_NOTE_BYTES = 224 };
struct replay_notes { /* what a user should know about a result or failure, one line each */
    char text[REPLAY_NOTES][REPLAY_NOTE_BYTES];
    size_t n;
};
/* does not repeat a line */
void replay_note(struct replay_notes *n, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fills f and returns -1. */
int replay_fail(struct replay_failure *f, enum replay_kind kind, const char *help, const char *what,
                const char *why_fmt, ...) __attribute__((format(printf, 5, 6)));
/*
 * Copies the error of a called function and returns -1. ERROR_INPUT and ERROR_TARGET count as
 * errors of the capture.
 */
int replay_fail_as(struct replay_failure *f, enum replay_kind kind, const struct error *err);
