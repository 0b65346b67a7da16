/*
 * What may crash, hang, or leave a process that cannot be mended is asked in a process of its own:
 * rooftop is started again (base/self.h) as `rooftop doctor --in-process SOURCE`, calls that
 * source's ask() and sends back what it returns. Whatever libraries print there is not mixed up
 * with the answer.
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
 * Blocks for at most the question's time and half a second. 0 and *answer, n bytes, to be freed
 * with free(); else ERROR_UNSUPPORTED: it crashed, it hangs (-ETIMEDOUT), what it said is no
 * answer; or ERROR_INTERNAL: it could not be started. It is ended in any case; one that a driver
 * holds is reaped when the driver lets it go.
 */
int ask(const struct question *q, void **answer, size_t *n, struct error *err);

/* The other side: writes an answer of n bytes to fd. 0 or -errno. */
int ask_reply(int fd, const void *answer, size_t n);

#endif
