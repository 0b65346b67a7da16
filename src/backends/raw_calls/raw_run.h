/*
 * Starts and ends the tracing of programs that are not stopped: a command, or processes that run
 * already.
 */
#pragma once

#include "backends/common/held.h"
#include "backends/raw_calls/raw_calls.h"

struct raw_run {
    struct raw_calls *raw; /* whose setup says what to trace; is told what begins */
    /* Begins to record a thread. 1; 0: leave this thread out; or -errno, which ends the search. */
    int (*watch)(void *ctx, pid_t pid, pid_t tid);
    /* The thread was there before, and its start has been reported. NULL: nobody asks. */
    void (*attached)(void *ctx, pid_t pid, pid_t tid);
    void *ctx;
    struct held held; /* the command; {.go_fd = -1, .report_fd = -1}: none */
    bool stopping;
};

/* Lets the held command go on, recorded. 0 or -errno. */
int raw_run_command(struct raw_run *r);
/* Records the threads of a process. How many, or -errno. */
int raw_run_threads(struct raw_run *r, pid_t pid);
/* Calls attach for each process of the setup; 0 or what it returned. */
int raw_run_attach(struct raw_run *r, int (*attach)(void *ctx, pid_t pid, struct error *err),
                   struct error *err);
/* Why there is nothing to record of a process: a clause. */
const char *raw_run_absent(pid_t pid);
/* Looks whether the command has ended, and passes the signal on that tracing is to stop by. */
void raw_run_look(struct raw_run *r);
/* Whether all is recorded. idle: nothing runs any more as far as the mechanism knows. */
bool raw_run_over(const struct raw_run *r, bool idle);
