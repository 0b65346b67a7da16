/*
 * Watches the probes of a target from a thread of its own: empties the rings every 20 ms, puts what
 * they hold in the order of time, makes spans of it, and looks once a second, and whenever a
 * process of the target executes, for files that were mapped since.
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
    uint64_t lost;        /* moments that found no room in a buffer */
    size_t pairs, places; /* that are watched */
    size_t refused;       /* places that could not be */
    char why[512];        /* the first refusal, "" none */
    char near[256];       /* where no pair matches: some of the probes that there are, "" none */
};

/* patterns: --usdt. command: the process that waits to execute, 0 with pids. Everything that is
 * known before it runs is watched when this returns. */
int usdt_follow(struct usdt_follow **out, const struct perf_sys *sys, const struct target *target,
                const char *patterns, const char *folder, pid_t command, struct error *err);
/* All that happened before this call is in the files; last: the target has ended. */
void usdt_follow_collect(struct usdt_follow *w, bool last, struct usdt_status *out);
void usdt_follow_end(struct usdt_follow *w);

#endif
