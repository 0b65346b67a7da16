#include "engine/lab/lab_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/self.h"

enum { LINE = 1024 };

struct lab_child {
    struct lab_report report;
    pid_t pid; /* 0: reaped */
    int fd;    /* -1: closed */
    int status;
    char line[LINE];
    size_t n;      /* of the line that is not complete */
    unsigned junk; /* lines that make no sense */
};

int lab_child_start(struct lab_child **out, const char *templates, struct error *err)
{
    char *words[] = {NULL,
                     (char *)"lab",
                     (char *)"validate",
                     (char *)"--measure",
                     templates ? (char *)"--templates" : NULL,
                     (char *)templates,
                     NULL};
    struct lab_child *c = xcalloc(1, sizeof *c);
    int rc = self_start(words, &c->pid, &c->fd, NULL, err);
    if (rc < 0) {
        free(c);
        return rc;
    }
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    lab_report_open(&c->report);
    *out = c;
    return 0;
}

int lab_child_fd(const struct lab_child *c)
{
    return c->fd;
}

static void take_report_bytes(struct lab_child *c, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (c->n < LINE - 1)
                c->line[c->n++] = bytes[i];
            continue;
        }
        c->line[c->n] = '\0';
        c->junk += !lab_report_line(&c->report, c->line);
        c->n = 0;
    }
}

bool lab_child_poll(struct lab_child *c)
{
    char bytes[4096];
    ssize_t n;
    bool changed = false;
    while (c->fd >= 0) {
        n = read(c->fd, bytes, sizeof bytes);
        if (n > 0) {
            take_report_bytes(c, bytes, (size_t)n);
            changed = true;
        } else if (n < 0 && errno == EINTR) {
            continue;
        } else if (n < 0 && errno == EAGAIN) {
            break;
        } else {
            close(c->fd);
            c->fd = -1;
            c->status = self_end(c->pid, 1000);
            c->pid = 0;
            changed = true;
        }
    }
    return changed;
}

const struct lab_report *lab_child_report(const struct lab_child *c)
{
    return &c->report;
}

bool lab_child_done(const struct lab_child *c)
{
    return c->fd < 0;
}

int lab_child_result(const struct lab_child *c, struct error *err)
{
    static const char what[] = "measure the vTPU";
    if (c->report.complete && c->junk == 0)
        return 0;
    if (WIFSIGNALED(c->status))
        return error_set(err, ERROR_INTERNAL, EIO, NULL, what,
                         "the process that measures ended by signal %d", WTERMSIG(c->status));
    return error_set(err, ERROR_INTERNAL, EIO, NULL, what,
                     "the process that measures ended early (%zu runs)", c->report.n);
}

void lab_child_free(struct lab_child *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    if (c->pid)
        self_end(c->pid, 1000);
    free(c);
}
