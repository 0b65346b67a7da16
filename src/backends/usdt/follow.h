/*
 * Watches the probes of a target on its own thread: empties the rings every 20 ms, sorts the events
 * by time, makes spans from them, and searches for newly mapped files once a second and whenever a
 * process of the target executes a program.
 */
#ifndef ROOFTOP_BACKENDS_USDT_FOLLOW_H
#define ROOFTOP_BACKENDS_USDT_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/perf_common/sys.h"
#include "backends/usdt/spans.h"
#include "base/error.h"
#include "engine/live/target.h"

struct usdt_follow;

struct usdt_status {
    struct spans_totals totals;
    uint64_t lost;        /* events that did not fit into a buffer */
    size_t pairs, places; /* that are watched */
    size_t refused;       /* places that could not be watched */
    char why[512];        /* the first refusal; "": none */
    char near[256];       /* where no pair matches: some existing probes; "": none */
};

/*
 * Starts watching. patterns: from --usdt. folder: for the files; NULL: the shared one. command: the
 * process that waits to execute, 0 with pids. All places that are known before it runs are watched
 * when this returns. Free *out with usdt_follow_end.
 */
int usdt_follow(struct usdt_follow **out, const struct perf_sys *sys, const struct target *target,
                const char *patterns, const char *folder, pid_t command, struct error *err);
/* Writes everything that happened before this call to the files. last: the target has ended. */
void usdt_follow_collect(struct usdt_follow *w, bool last, struct usdt_status *out);
void usdt_follow_end(struct usdt_follow *w);

#endif
