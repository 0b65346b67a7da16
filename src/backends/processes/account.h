/*
 * Divides the machine's CPU time: used by living processes, by processes that ended between two
 * polls, and the rest that no visible process used. A process that ends passes all its CPU time to
 * the parent that waits for it (proc(5), /proc/PID/stat fields 16 and 17), which is read anyway.
 * This minus what was shown while the process lived is what ended processes used since the previous
 * poll.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_ACCOUNT_H
#define ROOFTOP_BACKENDS_PROCESSES_ACCOUNT_H

#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"

/* Clock ticks in one poll; `ended` and `rest` are carried over to the next. */
struct account {
    int64_t live;  /* used by the processes that were read */
    int64_t ended; /* passed to parents, minus what was already shown for the ended processes */
    uint64_t nended;
    pid_t parent;
    int64_t most; /* the amount passed to that parent */
    int64_t rest;
};

/* Fills out->account and starts the next poll. */
void account_fill(struct account *a, struct snapshot *out, const struct system_tick *tick,
                  uint64_t hz);

#endif
