/*
 * Whose CPU time the machine's was: of the processes that are there, of those that ended between
 * two polls, of nobody that can be seen. A process that ends hands all its CPU time to the parent
 * that waits for it (proc(5), /proc/PID/stat fields 16 and 17), which is read anyway; less what was
 * already shown while it lived, that is what ended processes used since the poll before.
 */
#ifndef ROOFTOP_BACKENDS_PROCESSES_ACCOUNT_H
#define ROOFTOP_BACKENDS_PROCESSES_ACCOUNT_H

#include "backends/processes/tick.h"
#include "engine/live/snapshot.h"

/* Ticks of one poll; the last two are carried on to the next. */
struct account {
    int64_t live;  /* used by processes that were read */
    int64_t ended; /* handed to parents, less what was shown of those that handed it */
    uint64_t nended;
    pid_t parent;
    int64_t most; /* what that parent was handed */
    int64_t rest;
};

/* Fills out->account, and begins anew. */
void account_fill(struct account *a, struct snapshot *out, const struct system_tick *tick,
                  uint64_t hz);

#endif
