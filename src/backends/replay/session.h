/* Everything that exists during a replay: built stage by stage, freed in reverse order. */
#pragma once

#include "backends/replay/device/memory.h"
#include "backends/replay/device/queue.h"
#include "backends/replay/events.h"
#include "backends/replay/replay.h"
#include "backends/replay/replay_impl.h"

struct replay_session {
    const struct replay_task *q;
    struct replay_events events;
    struct capture *c;
    struct code_object *captured; /* the captured code object, for look-ups */
    struct replay_plan plan;
    struct replay_hold hold;
    struct replay_device device;
    struct replay_memory memory;
    struct replay_workers *workers;
    struct replay_restore *restore;
    struct replay_queue queue;
    struct replay_code *code; /* q->ncode entries */
    struct replay_notes notes;
    struct replay_clock { /* times of restores */
        double first_s;
        double *rest_s; /* of each later restore */
        size_t count, cap;
    } restored;
    uint64_t check_bytes;
    uint64_t began_ns;    /* start of wall_seconds, which includes reading and restoring */
    size_t regions_empty; /* regions that could not be captured */
};

/*
 * Stages without the runtime: begin takes nothing yet, check verifies the capture, hold holds its
 * addresses (failed: see replay_hold).
 */
void replay_session_begin(struct replay_session *s, const struct replay_task *q, FILE *events);
int replay_session_check(struct replay_session *s, const struct replay_task *q, FILE *events,
                         bool contents, struct replay_failure *f);
int replay_session_hold(struct replay_session *s, char (*failed)[REPLAY_WHY_BYTES],
                        struct replay_failure *f);
/* The other stages, in order: device, memory, contents, code. */
int replay_session_open(struct replay_session *s, struct replay_failure *f);
void replay_session_close(struct replay_session *s);

/* Restores memory and module variables for a launch of code k. */
int replay_session_restore(struct replay_session *s, struct replay_code *k,
                           struct replay_failure *f);
/* After a failure: finds the captured region of a fault. */
void replay_session_explain(const struct replay_session *s, struct replay_failure *f);
