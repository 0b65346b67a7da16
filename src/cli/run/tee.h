/*
 * Puts pipes in place of standard output and standard error, passes on what comes through them, and
 * keeps its digest. A command that is started meanwhile has pipes, whatever rooftop's own output
 * is: so it does the same in a terminal, in a file and in CI.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

enum { TEE_STREAMS = 2, TEE_DIGEST = 65 };

struct tee_stream {
    uint64_t bytes;
    char sha256[TEE_DIGEST]; /* in hexadecimal */
};

struct tee;
/* NULL with err where there are no pipes or threads. */
struct tee *tee_start(struct error *err);
/* Restores standard output and error, waits until all is passed on, and frees t. out: of standard
 * output, then of standard error. */
void tee_end(struct tee *t, struct tee_stream out[TEE_STREAMS]);
