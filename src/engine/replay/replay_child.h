/*
 * Runs `rooftop gpu replay …` as a supervised child process, for the dashboard. Whatever the child
 * does (crash, hang, print without end, be killed), the caller never waits for it and learns why it
 * ended. Only one thread may call these functions, and it must live as long as the child.
 */
#pragma once

#include "base/error.h"
#include "engine/replay/replay_run.h"

struct replay_request {
    enum replay_job job;
    const char *capture; /* its folder */
    uint64_t iterations; /* 1 … REPLAY_ITERATIONS_MAX */
    uint64_t warmup;     /* launches before them: 0 … REPLAY_WARMUP_MAX */
    bool recopy, verify;
    const char *tolerance; /* replay_rule.h; NULL: exact */
    size_t agent;          /* number of the GPU */
    /* code object to run instead of the captured one; NULL or "" = the captured one */
    const char *hsaco;
    const char *const *variants; /* compare: paths of the code objects */
    size_t nvariants;
    double timeout_s; /* seconds that a launch may take; seconds without output before the child is
                         killed */
};

struct replay_child;
/* 0, or ERROR_INTERNAL: it could not be started. */
int replay_child_start(struct replay_child **out, const struct replay_request *r,
                       struct error *err);
/* A descriptor that is readable when replay_child_poll has something to do, also when a time limit
 * has passed. */
int replay_child_fd(const struct replay_child *c);
/* Reads the child's output and kills it if its time is over. Never waits. Returns whether the run
 * changed. */
bool replay_child_poll(struct replay_child *c);
/* The current state; valid until replay_child_free. */
const struct replay_run *replay_child_run(const struct replay_child *c);
/* Sends SIGTERM to the child and its descendants, and SIGKILL two seconds later. A second call
 * sends SIGKILL at once. */
void replay_child_cancel(struct replay_child *c);
/* Kills the child if it still runs; does not wait. NULL allowed. */
void replay_child_free(struct replay_child *c);
