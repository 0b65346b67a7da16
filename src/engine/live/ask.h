/*
 * Runs questions that may crash, hang or damage a process in a child process. rooftop starts itself
 * again (base/self.h) as `rooftop doctor --in-process SOURCE`; the child calls that source's ask()
 * and sends the answer back. Output that libraries print there stays apart from the answer.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"

struct question {
    const char *source;     /* the source whose ask() is called */
    const char *what, *who; /* words for error messages: "ask the HSA runtime", "hsa_init()" */
    const char *help;
    int timeout_ms;
    size_t most; /* most bytes of an answer */
};

/*
 * Blocks until the answer is there, at most the question's time and half a second. Returns 0 with
 * *answer of *n bytes, which the caller frees with free(). Otherwise -errno: ERROR_UNSUPPORTED if
 * the child crashed, hung (-ETIMEDOUT) or sent no valid answer, ERROR_INTERNAL if it could not be
 * started. The child is always killed; if it is stuck in a driver, it is reaped later.
 */
int ask(const struct question *q, void **answer, size_t *n, struct error *err);

/* Called in the child: writes an answer of n bytes to fd. Returns 0 or -errno. */
int ask_reply(int fd, const void *answer, size_t n);
