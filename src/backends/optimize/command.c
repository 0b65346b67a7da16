/*
 * "command:PROG": a program of the user, started by the shell. It reads the question from standard
 * input and writes the answer to standard output; its standard error is kept. It and its
 * descendants are killed when the time is over or it has answered.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/optimize/question.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/family.h"
#include "base/watch.h"

enum { LOOK_MS = 50, MESSAGES_MOST = 64 << 10, PATH_SIZE = 600, READS = 32 };
static const rlim_t memory_most = (rlim_t)8 << 30, file_most = (rlim_t)1 << 30;

/* The text that is read from one of its descriptors. */
struct heard {
    int fd; /* -1: its end was read */
    char *text;
    size_t n, most;
    bool cut;  /* reads on and drops what does not fit; false: stops reading */
    bool more; /* the text did not fit */
};

struct child {
    pid_t pid;
    int status;
    bool ended, late;
    struct heard out, err;
};

static int command_open(void **state, const char *argument, struct error *err)
{
    (void)err;
    *state = xstrdup(argument);
    return 0;
}

static void command_close(void *state)
{
    free(state);
}

struct start {
    char *command;
    int in, out, messages;
    double limit_s;
};

/* Becomes the shell. Only calls that are safe after a fork. */
static void become_proposer_shell(const void *ctx)
{
    const struct start *s = ctx;
    char *argv[] = {"sh", "-c", s->command, NULL};
    const struct rlimit data = {memory_most, memory_most}, file = {file_most, file_most};
    const rlim_t seconds = (rlim_t)s->limit_s + 1;
    const struct rlimit cpu = {seconds, seconds + 1}, core = {0, 0};
    setrlimit(RLIMIT_DATA, &data);
    setrlimit(RLIMIT_FSIZE, &file);
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    if (dup2(s->in, 0) >= 0 && dup2(s->out, 1) >= 0 && dup2(s->messages, 2) >= 0)
        execv("/bin/sh", argv);
}

static int say_failed(const char *what, struct error *err)
{
    const int code = errno;
    return error_set(err, ERROR_TARGET, code, NULL, what, "%s", strerror(code));
}

static int start_proposer(struct child *c, char *command, int in, double limit_s, struct error *err)
{
    int out[2], messages[2];
    if (pipe2(out, O_CLOEXEC) != 0)
        return say_failed(command, err);
    if (pipe2(messages, O_CLOEXEC) != 0) {
        close(out[0]);
        close(out[1]);
        return say_failed(command, err);
    }
    const struct start s = {command, in, out[1], messages[1], limit_s};
    c->pid = family_start(become_proposer_shell, &s, FAMILY_FIRST);
    const int rc = c->pid < 0 ? say_failed(command, err) : 0;
    close(out[1]);
    close(messages[1]);
    if (rc != 0) {
        close(out[0]);
        close(messages[0]);
        return rc;
    }
    c->out = (struct heard){.fd = out[0], .most = PROPOSAL_BYTES};
    c->err = (struct heard){.fd = messages[0], .most = MESSAGES_MOST, .cut = true};
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(messages[0], F_SETFL, O_NONBLOCK);
    return 0;
}

/* Reads the available text: more than a pipe holds (1 MiB, unless root allows more), but with a
 * limit, because it may be written as fast as it is read. */
static void hear_proposer(struct heard *h)
{
    char buffer[65536];
    for (int i = 0; i < READS && h->fd >= 0; i++) {
        const ssize_t got = read(h->fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            close(h->fd);
            h->fd = -1;
            return;
        }
        const size_t room = h->most - h->n, take = (size_t)got < room ? (size_t)got : room;
        h->text = xrealloc(h->text, h->n + take + 1, 1);
        memcpy(h->text + h->n, buffer, take);
        h->n += take;
        h->text[h->n] = '\0';
        h->more = h->more || take < (size_t)got;
        if (h->more && !h->cut)
            return;
    }
}

/* Waits until it has ended, its answer is too large, the time is over, or the user cancelled. */
static void wait_for_proposer(struct child *c, double limit_s)
{
    const uint64_t begin = env_now_ns();
    for (;;) {
        struct pollfd p[] = {{c->out.fd, POLLIN, 0}, {c->err.fd, POLLIN, 0}};
        siginfo_t info = {.si_pid = 0};
        c->ended = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   info.si_pid == c->pid;
        hear_proposer(&c->out);
        hear_proposer(&c->err);
        c->late = (double)(env_now_ns() - begin) / 1e9 > limit_s;
        if (c->ended || c->out.more || c->late || watch_given_up())
            return;
        poll(p, 2, LOOK_MS);
    }
}

static void end_proposer(struct child *c)
{
    family_end(c->pid, &c->status);
    if (c->out.fd >= 0)
        close(c->out.fd);
    if (c->err.fd >= 0)
        close(c->err.fd);
}

static int judge_end(const struct child *c, const char *command, double limit_s, struct error *err)
{
    if (c->out.more)
        return error_set(err, ERROR_TARGET, EFBIG, NULL, command,
                         "its answer has more than %zu bytes", PROPOSAL_BYTES);
    if (watch_given_up())
        return watch_check(command, err);
    if (!c->ended && c->late)
        return error_set(err, ERROR_TARGET, ETIMEDOUT, NULL, command, "no answer within %g s",
                         limit_s);
    if (WIFSIGNALED(c->status))
        return error_set(err, ERROR_TARGET, EIO, NULL, command, "signal %d ended it",
                         WTERMSIG(c->status));
    if (WEXITSTATUS(c->status) != 0)
        return error_set(err, ERROR_TARGET, EIO, NULL, command, "it ended with status %d",
                         WEXITSTATUS(c->status));
    return 0;
}

static int question_file(const struct proposal_request *r, int *in, struct error *err)
{
    char path[PATH_SIZE];
    char *question = question_document(r);
    int rc = question ? question_keep(r, "question.json", question, strlen(question), err)
                      : error_set(err, ERROR_INTERNAL, ENOMEM, NULL, "question", "no memory");
    free(question);
    if (rc != 0)
        return rc;
    snprintf(path, sizeof path, "%.500s/question.json", r->folder);
    *in = open(path, O_RDONLY | O_CLOEXEC);
    return *in < 0 ? say_failed(path, err) : 0;
}

static int command_ask(void *state, const struct proposal_request *r, struct proposal_answer *out,
                       struct error *err)
{
    char *command = state;
    struct child c = {.pid = -1};
    struct error ignored = ERROR_INIT;
    int in = -1, rc = question_file(r, &in, err);
    if (rc == 0) {
        rc = start_proposer(&c, command, in, r->limit_s, err);
        close(in);
    }
    if (rc != 0)
        return rc;
    wait_for_proposer(&c, r->limit_s);
    end_proposer(&c);
    if (c.err.n)
        question_keep(r, "messages.txt", c.err.text, c.err.n, &ignored);
    rc = judge_end(&c, command, r->limit_s, err);
    if (c.out.n)
        question_keep(r, "answer.txt", c.out.text, c.out.n, &ignored);
    free(c.err.text);
    if (rc == 0)
        question_answer(out, c.out.text, c.out.n);
    else
        free(c.out.text);
    return rc;
}

const struct proposer_ops proposer_command = {
    .name = "command",
    .argument = "PROG",
    .summary = "a program that gets the question as JSON and answers with a file or a diff",
    .outside = true,
    .open = command_open,
    .ask = command_ask,
    .close = command_close,
};
