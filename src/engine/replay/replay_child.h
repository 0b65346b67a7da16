/*
 * `rooftop replay …` as a child process under supervision, for the dashboard: whatever it does
 * (crash, hang, print without end, be killed), the caller never waits for it and learns why it
 * ended. All functions belong to one thread, the one that lives as long as the child shall.
 */
#ifndef ROOFTOP_ENGINE_REPLAY_REPLAY_CHILD_H
#define ROOFTOP_ENGINE_REPLAY_REPLAY_CHILD_H

#include "base/error.h"
#include "engine/replay/replay_run.h"

struct replay_request {
    enum replay_job job;
    const char *capture; /* its folder */
    uint64_t iterations; /* 1 … REPLAY_ITERATIONS_MAX */
    uint64_t warmup;     /* launches before them: 0 … REPLAY_WARMUP_MAX */
    bool recopy, verify;
    const char *tolerance;       /* replay_rule.h; NULL: exact */
    size_t agent;                /* which GPU */
    const char *hsaco;           /* to run instead of the captured code; NULL or "" */
    const char *const *variants; /* compare: code objects */
    size_t nvariants;
    double timeout_s; /* of a launch; and of silence */
};

struct replay_child;
/* 0, or ERROR_INTERNAL: it could not be started. */
int replay_child_start(struct replay_child **out, const struct replay_request *r,
                       struct error *err);
/* Readable when replay_child_poll has something to do; also when a time is over. */
int replay_child_fd(const struct replay_child *c);
/* Takes what it said, ends it where its time is over. Never waits. Whether run changed. */
bool replay_child_poll(struct replay_child *c);
/* What it is by now; valid until replay_child_free. */
const struct replay_run *replay_child_run(const struct replay_child *c);
/* SIGTERM to it and all that it started; SIGKILL two seconds later. Again: SIGKILL at once. */
void replay_child_cancel(struct replay_child *c);
/* Kills it where it still runs, and does not wait. NULL allowed. */
void replay_child_free(struct replay_child *c);

/* The command line of a request, as a shell takes it: for copying. Returns out. */
const char *replay_child_command(const struct replay_request *r, char *out, size_t size);

#endif
