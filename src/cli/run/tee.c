#include "cli/run/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "cli/run/progress_note.h"

enum { PART = 64 * 1024 };

struct tee {
    int from[TEE_STREAMS], to[TEE_STREAMS]; /* the pipes; rooftop's own streams */
    bool broken[TEE_STREAMS];               /* nobody reads our stream any more */
    uint64_t bytes[TEE_STREAMS];
    SHA2_CTX digest[TEE_STREAMS];
    pthread_t thread;
    char part[PART];
};

static void pass_output_on(struct tee *t, int i, const char *data, size_t n)
{
    progress_note_erase();
    while (n && !t->broken[i]) {
        ssize_t wrote = write(t->to[i], data, n); /* raw: the command's own output, unchanged */
        if (wrote < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = t->to[i], .events = POLLOUT};
            poll(&room, 1, -1);
        } else if (wrote < 0 && errno != EINTR) {
            t->broken[i] = true;
        } else if (wrote > 0) {
            data += wrote;
            n -= (size_t)wrote;
        }
    }
}

/* Takes what is there. False: the stream has ended, or nobody wants it: the command then gets
 * SIGPIPE, as it would without us. */
static bool take_command_output(struct tee *t, int i)
{
    ssize_t n = read(t->from[i], t->part, PART);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (n <= 0)
        return false;
    SHA256Update(&t->digest[i], (const uint8_t *)t->part, (size_t)n);
    t->bytes[i] += (uint64_t)n;
    pass_output_on(t, i, t->part, (size_t)n);
    return !t->broken[i];
}

static void *pass_all(void *ctx)
{
    struct tee *t = ctx;
    struct pollfd fds[TEE_STREAMS] = {{t->from[0], POLLIN, 0}, {t->from[1], POLLIN, 0}};
    int open = TEE_STREAMS;
    while (open) {
        if (poll(fds, TEE_STREAMS, -1) < 0 && errno != EINTR)
            break;
        for (int i = 0; i < TEE_STREAMS; i++) {
            if (fds[i].fd < 0 || !fds[i].revents || take_command_output(t, i))
                continue;
            close(t->from[i]);
            fds[i].fd = -1;
            open--;
        }
    }
    return NULL;
}

static int fail_tee(struct tee *t, struct error *err)
{
    int code = errno;
    free(t);
    return error_set(err, ERROR_INTERNAL, code, NULL, "pipes for the command's output", "%s",
                     strerror(code));
}

struct tee *tee_start(struct error *err)
{
    struct tee *t = xcalloc(1, sizeof *t);
    int write_end[TEE_STREAMS];
    for (int i = 0; i < TEE_STREAMS; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0 ||
            (t->to[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3)) < 0) {
            fail_tee(t, err);
            return NULL;
        }
        t->from[i] = ends[0];
        write_end[i] = ends[1];
        SHA256Init(&t->digest[i]);
    }
    errno = thread_start(&t->thread, pass_all, t);
    if (errno != 0) {
        fail_tee(t, err);
        return NULL;
    }
    for (int i = 0; i < TEE_STREAMS; i++) {
        dup2(write_end[i], STDOUT_FILENO + i);
        close(write_end[i]);
    }
    return t;
}

void tee_end(struct tee *t, struct tee_stream out[TEE_STREAMS])
{
    for (int i = 0; i < TEE_STREAMS; i++)
        dup2(t->to[i], STDOUT_FILENO + i); /* the last writer goes: the stream ends */
    pthread_join(t->thread, NULL);
    for (int i = 0; i < TEE_STREAMS; i++) {
        out[i].bytes = t->bytes[i];
        SHA256End(&t->digest[i], out[i].sha256);
        close(t->to[i]);
    }
    free(t);
}
