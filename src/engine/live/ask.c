#include "engine/live/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/self.h"

/* Precedes the answer: a script that ROOFTOP_SELF names may print something before it. */
struct answer_head {
    char magic[24];
    uint64_t size;
};
static const char magic[] = "rooftop's answer follows";
enum { NOISE_MAX = 1 << 16, SLICE_MS = 50, END_MS = 500 };

struct answer_bytes {
    char *bytes;
    size_t n, room;
    const char *answer; /* within bytes, once the head was read */
    uint64_t size;      /* of the answer */
};

/* --- reading the answer --- */

static bool is_complete(struct answer_bytes *s)
{
    struct answer_head h;
    const char *at = memmem(s->bytes, s->n, magic, sizeof h.magic);
    if (!at || s->n - (size_t)(at - s->bytes) < sizeof h)
        return false;
    memcpy(&h, at, sizeof h);
    s->answer = at + sizeof h;
    s->size = h.size;
    return s->n - (size_t)(s->answer - s->bytes) >= h.size;
}

/* Reads until the answer is complete, the output ends or is too long, or the time is over. */
static int read_tool_answer(int fd, struct answer_bytes *s, int timeout_ms)
{
    const uint64_t end = env_now_ns() + (uint64_t)timeout_ms * 1000000u;
    while (!is_complete(s) && s->n < s->room) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        if (env_now_ns() >= end)
            return -ETIMEDOUT;
        if (poll(&ready, 1, SLICE_MS) <= 0)
            continue;
        ssize_t n = read(fd, s->bytes + s->n, s->room - s->n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        s->n += (size_t)n;
    }
    return 0;
}

/* --- the result --- */

static int fail_question(struct error *err, const struct question *q, int code, const char *why)
{
    return error_set(err, ERROR_UNSUPPORTED, code, q->help, q->what, "%s", why);
}

static int judge_answer(const struct question *q, const struct answer_bytes *s, int listened,
                        int status, struct error *err)
{
    char why[160];
    const size_t follows = s->answer ? s->n - (size_t)(s->answer - s->bytes) : 0;
    if (s->answer && s->size <= q->most && follows >= s->size)
        return 0;
    if (listened == -ETIMEDOUT) {
        snprintf(why, sizeof why, "no answer within %g s: %s hangs", q->timeout_ms / 1e3, q->who);
        return fail_question(err, q, ETIMEDOUT, why);
    }
    if (s->n == s->room || s->size > q->most)
        snprintf(why, sizeof why, "the process that asked printed %zu bytes that are no answer",
                 s->n);
    else if (status == -1)
        snprintf(why, sizeof why, "%s left the process that asked without an end", q->who);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "%s ended the process that asked: signal %d (%s)", q->who,
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "the process that asked ended with status %d and %s",
                 WEXITSTATUS(status), s->answer ? "half an answer" : "no answer");
    return fail_question(err, q, EIO, why);
}

int ask(const struct question *q, void **answer, size_t *n, struct error *err)
{
    char *argv[] = {NULL, "doctor", "--no-config", "--in-process", (char *)q->source, NULL};
    struct answer_bytes s = {.room = NOISE_MAX + sizeof(struct answer_head) + q->most};
    pid_t pid;
    int fd;
    *answer = NULL;
    *n = 0;
    int rc = self_start(argv, &pid, &fd, NULL, err);
    if (rc != 0)
        return rc;
    s.bytes = xcalloc(s.room, 1);
    rc = read_tool_answer(fd, &s, q->timeout_ms);
    close(fd);
    rc = judge_answer(q, &s, rc, self_end(pid, END_MS), err);
    if (rc == 0 && s.answer) {
        *n = (size_t)s.size;
        *answer = memcpy(xcalloc(*n + 1, 1), s.answer, *n);
    }
    free(s.bytes);
    return rc;
}

/* --- in the child --- */

static int write_question(int fd, const void *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t k = write(fd, (const char *)p + at, n - at);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return k < 0 ? -errno : -EIO;
        at += (size_t)k;
    }
    return 0;
}

int ask_reply(int fd, const void *answer, size_t n)
{
    struct answer_head h = {.size = n};
    memcpy(h.magic, magic, sizeof h.magic);
    int rc = write_question(fd, &h, sizeof h);
    return rc != 0 ? rc : write_question(fd, answer, n);
}
