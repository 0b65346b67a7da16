/*
 * Runs questions that may crash, hang or damage a process in a child process. rooftop starts itself
 * again (base/self.h) as `rooftop doctor --in-process SOURCE`; the child calls that source's ask()
 * and sends the answer back. Output that libraries print there stays apart from the answer.
 */
#ifndef ROOFTOP_ENGINE_LIVE_ASK_H
#define ROOFTOP_ENGINE_LIVE_ASK_H

#include <stddef.h>

#include "base/error.h"

struct question {
    const char *source;     /* whose ask() is called */
    const char *what, *who; /* for errors: "ask the HSA runtime", "hsa_init()" */
    const char *help;
    int timeout_ms;
    size_t most; /* bytes of an answer */
};

/*
 * Blocks for at most the question's time and half a second. Returns 0 and *answer of n bytes, which
 * the caller frees with free(). Otherwise -errno with ERROR_UNSUPPORTED (the child crashed, hung
 * (-ETIMEDOUT), or sent no valid answer) or ERROR_INTERNAL (it could not be started). The child is
 * killed in any case; if it is stuck in a driver, it is reaped later.
 */
int ask(const struct question *q, void **answer, size_t *n, struct error *err);

/* For the child: writes an answer of n bytes to fd. 0 or -errno. */
int ask_reply(int fd, const void *answer, size_t n);

#endif
