/* All that stands while a capture is replayed: built up stage by stage, taken down in reverse. */
#ifndef ROOFTOP_BACKENDS_REPLAY_SESSION_H
#define ROOFTOP_BACKENDS_REPLAY_SESSION_H

#include "backends/replay/verify.h"
#include "backends/replay/events.h"
#include "backends/replay/memory.h"
#include "backends/replay/queue.h"
#include "engine/replay/replay.h"

struct replay_session {
    const struct replay_task *q;
    struct replay_events events;
    struct capture *c;
    struct code_object *captured; /* its code object, to look things up in */
    struct replay_plan plan;
    struct replay_hold hold;
    struct replay_device device;
    struct replay_memory memory;
    struct replay_workers *workers;
    struct replay_restore *restore;
    struct replay_queue queue;
    struct replay_code *code; /* q->ncode of them */
    struct replay_notes notes;
    struct replay_clock { /* of restores */
        double first_s;
        double *rest_s; /* of each later one */
        size_t count, cap;
    } restored;
    uint64_t check_bytes;
    uint64_t began_ns;    /* what wall_seconds counts from: reading and restoring are part of it */
    size_t regions_empty; /* whose memory could not be captured */
};

/* The capture is checked and its addresses are held; the runtime is not touched. hold_failed: see
 * replay_hold. */
/* Nothing is taken yet. */
void replay_session_begin(struct replay_session *s, const struct replay_task *q, FILE *events);
int replay_session_check(struct replay_session *s, const struct replay_task *q, FILE *events,
                         bool contents, struct replay_failure *f);
int replay_session_hold(struct replay_session *s, char (*failed)[REPLAY_WHY_BYTES],
                        struct replay_failure *f);
/* The rest, in order: device, memory, contents, code. */
int replay_session_open(struct replay_session *s, struct replay_failure *f);
void replay_session_close(struct replay_session *s);

/* Memory and module variables as captured, for a launch of code k. */
int replay_session_restore(struct replay_session *s, struct replay_code *k,
                           struct replay_failure *f);
/* After a failure: which captured region a fault belongs to. */
void replay_session_explain(const struct replay_session *s, struct replay_failure *f);

#endif
