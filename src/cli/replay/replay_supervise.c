#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/self.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/replay/replay.h"
#include "engine/replay/replay_protocol.h"
#include "engine/value/document.h"

enum { ATTEMPTS = 8, GRACE_S = 10, LOOK_MS = 200, TAIL = 400, LINE_MOST = 64 << 20 };

struct supervised {
    pid_t pid;
    int out, errors;
    char *line; /* the part of a line that has arrived */
    size_t len, cap;
    char said[TAIL + 1]; /* the end of what it printed on stderr */
    size_t nsaid;
    char stage[32];
    bool killed;
    replay_told told;
    void *ctx;
    struct replay_outcome *outcome;
};

void replay_outcome_free(struct replay_outcome *out)
{
    cJSON_Delete(out->result);
    cJSON_Delete(out->error);
    *out = (struct replay_outcome){0};
}

/* --- reading the child's output */

static void take_child_line(struct supervised *w)
{
    cJSON *event = cJSON_Parse(w->line);
    const char *kind = event ? json_get_text(event, "event") : "";
    if (strcmp(kind, "result") == 0 && !w->outcome->result) {
        w->outcome->result = cJSON_DetachItemFromObjectCaseSensitive(event, "result");
    } else if (strcmp(kind, "error") == 0 && !w->outcome->error) {
        w->outcome->error = event;
        return;
    } else if (*kind) {
        if (strcmp(kind, "stage") == 0)
            snprintf(w->stage, sizeof w->stage, "%s", json_get_text(event, "name"));
        w->told(w->ctx, event, w->line);
    }
    cJSON_Delete(event);
}

static void take_child_output(struct supervised *w, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (w->len + 1 >= w->cap) {
            w->cap = w->cap ? w->cap * 2 : 4096;
            w->line = xrealloc(w->line, w->cap, 1);
        }
        w->line[w->len] = '\0';
        if (bytes[i] != '\n' && w->len < LINE_MOST) {
            w->line[w->len++] = bytes[i];
            continue;
        }
        take_child_line(w);
        w->len = 0;
    }
}

static void take_errors(struct supervised *w, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (w->nsaid == TAIL) {
            memmove(w->said, w->said + TAIL / 2, TAIL / 2);
            w->nsaid = TAIL / 2;
        }
        w->said[w->nsaid++] = bytes[i] == '\n' ? ' ' : bytes[i];
        w->said[w->nsaid] = '\0';
    }
}

/* Reads from a pipe; returns whether anything came. Closes it at its end. */
static bool drain_child_pipe(struct supervised *w, int *fd,
                             void (*take)(struct supervised *, const char *, size_t))
{
    char buffer[16384];
    const ssize_t n = read(*fd, buffer, sizeof buffer);
    if (n > 0) {
        take(w, buffer, (size_t)n);
    } else if (n == 0 || errno != EINTR) {
        close(*fd);
        *fd = -1;
    }
    return n > 0;
}

/* --- the end of the child */

/* Milliseconds that the child may still be silent; -1: no limit, because checking may wait for a
 * slow disk. */
static int choose_wait_ms(const struct supervised *w, uint64_t since_ns, double limit_s)
{
    const bool over = w->outcome->result || w->outcome->error;
    if (!over && (!*w->stage || strcmp(w->stage, "check") == 0))
        return -1;
    const double left = (over ? GRACE_S : limit_s) - (double)(env_now_ns() - since_ns) / 1e9;
    if (left <= 0)
        return 0;
    return left > 3600 ? 3600000 : (int)(left * 1000) + 1;
}

static void follow_child(struct supervised *w, double limit_s)
{
    uint64_t since = env_now_ns();
    while (w->out >= 0 || w->errors >= 0) {
        struct pollfd fds[2] = {{w->out, POLLIN, 0}, {w->errors, POLLIN, 0}};
        const int ms = choose_wait_ms(w, since, limit_s);
        const int n = poll(fds, 2, ms < 0 || ms > LOOK_MS ? LOOK_MS : ms);
        const bool over = n == 0 && choose_wait_ms(w, since, limit_s) == 0;
        if ((over || watch_given_up()) && !w->killed) {
            w->killed = true;
            kill(-w->pid, SIGKILL);
        }
        bool heard = false;
        if (n > 0 && fds[0].revents)
            heard = drain_child_pipe(w, &w->out, take_child_output);
        if (n > 0 && fds[1].revents)
            drain_child_pipe(w, &w->errors, take_errors);
        if (heard)
            since = env_now_ns();
    }
}

static cJSON *error_event(const struct supervised *w, enum replay_kind kind, const char *message)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "event", "error");
    cJSON_AddStringToObject(j, "kind", replay_kind_name(kind));
    json_add_text(j, "message", message);
    if (*w->stage)
        json_add_text(j, "stage", w->stage);
    return j;
}

/* The child ended without a result or an error event: explains it by how the process ended. */
static void explain_child_end(struct supervised *w, int status, double limit_s)
{
    char text[TAIL + 256];
    enum replay_kind kind = REPLAY_INTERNAL;
    const char *in = *w->stage ? w->stage : "start";
    if (w->killed) {
        kind = REPLAY_TIMEOUT;
        snprintf(text, sizeof text, "the HSA runtime did not return within %g seconds, in stage %s",
                 limit_s, in);
    } else if (WIFSIGNALED(status)) {
        if (strstr(w->said, "Memory access fault")) /* printed by the runtime before it aborts */
            kind = REPLAY_FAULT;
        snprintf(text, sizeof text, "the replay ended by signal %d (%s) in stage %s%s%s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)), in, w->nsaid ? ": " : "", w->said);
    } else {
        snprintf(text, sizeof text, "the replay ended with status %d in stage %s%s%s",
                 WEXITSTATUS(status), in, w->nsaid ? ": " : "", w->said);
    }
    w->outcome->error = error_event(w, kind, text);
    w->outcome->status = replay_kind_exit(kind);
}

static int attempt_replay(char **words, double limit_s, struct supervised *w, struct error *err)
{
    int status = 0;
    if (self_start(words, &w->pid, &w->out, &w->errors, err) != 0)
        return -1;
    follow_child(w, limit_s);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    struct replay_outcome *out = w->outcome;
    if (!out->result && !out->error)
        explain_child_end(w, status, limit_s);
    else if (out->error)
        out->status = replay_kind_exit(replay_kind_find(json_get_text(out->error, "kind")));
    if (WIFEXITED(status) && (out->result || WEXITSTATUS(status)))
        out->status = WEXITSTATUS(status);
    free(w->line);
    return 0;
}

int replay_supervise(char **words, double limit_s, replay_told told, void *ctx,
                     struct replay_outcome *out, struct error *err)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        struct supervised w = {.told = told, .ctx = ctx, .outcome = out};
        *out = (struct replay_outcome){0};
        if (attempt_replay(words, limit_s, &w, err) != 0)
            return -1;
        /* The child's own memory occupied a needed address; a new process has another layout. */
        if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(out->error, "again")))
            break;
        if (i + 1 < ATTEMPTS)
            replay_outcome_free(out);
    }
    return 0;
}
