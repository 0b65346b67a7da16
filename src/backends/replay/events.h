/* What a replay tells while it runs: one JSON object a line (docs/CAPTURE.md). */
#ifndef ROOFTOP_BACKENDS_REPLAY_EVENTS_H
#define ROOFTOP_BACKENDS_REPLAY_EVENTS_H

#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "backends/replay/failure.h"

struct replay_events {
    FILE *out;         /* borrowed; NULL: nobody listens */
    const char *stage; /* the last one told */
    uint64_t done, total;
    uint64_t flushed_ns; /* when something was last written out */
    uint64_t told_ns;    /* when that was how far it is */
};

/* A stage begins. */
void replay_event_stage(struct replay_events *e, enum replay_stage stage);
/* How far it is; told some times a second only. */
void replay_event_progress(struct replay_events *e, uint64_t done, uint64_t total);
/* variant -1: there is only one. Written out some times a second, so that telling costs little. */
void replay_event_iteration(struct replay_events *e, long index, int variant, double us);
/* An object of another kind. Frees it. */
void replay_event_object(struct replay_events *e, cJSON *object);
void replay_event_result(struct replay_events *e, cJSON *result);
/* notes: what may explain it; variant: whose failure it is; NULL each. */
void replay_event_error(struct replay_events *e, const struct replay_failure *f,
                        const struct replay_notes *notes, const char *variant);

#endif
