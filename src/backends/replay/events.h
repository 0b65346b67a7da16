/* Events that a replay reports while it runs: one JSON object in each line (docs/CAPTURE.md). */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

#include "backends/replay/device/failure.h"

struct replay_events {
    FILE *out;         /* borrowed; NULL: no output */
    const char *stage; /* the last one reported */
    uint64_t done, total;
    uint64_t flushed_ns;  /* time of the last flush */
    uint64_t progress_ns; /* time of the last progress event */
};

/* Reports that a stage begins. */
void replay_event_stage(struct replay_events *e, enum replay_stage stage);
/* Reports progress, at most a few times a second. */
void replay_event_progress(struct replay_events *e, uint64_t done, uint64_t total);
/*
 * Reports a launch. variant -1: there is only one. Output is flushed a few times a second, so that
 * it costs little.
 */
void replay_event_iteration(struct replay_events *e, long index, int variant, double us);
/* Writes an object of another kind, and frees it. */
void replay_event_object(struct replay_events *e, cJSON *object);
void replay_event_result(struct replay_events *e, cJSON *result);
/*
 * Reports an error. notes: what may explain it; variant: the build that failed; each may be NULL.
 */
void replay_event_error(struct replay_events *e, const struct replay_failure *f,
                        const struct replay_notes *notes, const char *variant);
