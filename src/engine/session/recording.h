/*
 * Snapshots in the order of time, to be looked at again: the ring of the live view (ring.h) or a
 * session file (session.h). Frames are numbered 0 .. count-1, the oldest first; a live ring forgets
 * its oldest, so numbers move: keep times, not numbers, over a push.
 *
 * A frame comes back as it was: every rendering of it is the same, byte for byte.
 */
#ifndef ROOFTOP_ENGINE_SESSION_RECORDING_H
#define ROOFTOP_ENGINE_SESSION_RECORDING_H

#include "base/error.h"
#include "engine/live/snapshot.h"

/* What of each frame a scan needs; the rest of the snapshot is left empty, and is not decoded. */
enum recording_part {
    RECORDING_NUMBERS = 1 << 0, /* times, total, memory, metrics, counters, notices, cpus */
    RECORDING_PROCS = 1 << 1,
    RECORDING_PROFILE = 1 << 2,
    RECORDING_BRICKS = 1 << 3,
    RECORDING_ALL = RECORDING_NUMBERS | RECORDING_PROCS | RECORDING_PROFILE | RECORDING_BRICKS,
};

struct recording;
struct recording_ops {
    size_t (*count)(struct recording *r);
    uint64_t (*time_ns)(struct recording *r, size_t i); /* snapshot.time_ns of a frame */
    /* Busy share of all CPUs in that frame, %; 255 = not measured. Without decoding. */
    uint8_t (*level)(struct recording *r, size_t i);
    /* Frames from..to (exclusive), oldest first, until visit returns false. s is lent. */
    int (*scan)(struct recording *r, size_t from, size_t to, unsigned parts,
                bool (*visit)(void *ctx, const struct snapshot *s), void *ctx, struct error *err);
    void (*free)(struct recording *r);
};
struct recording {
    const struct recording_ops *ops; /* first member of what implements it */
    const char *note;                /* what of a file is lost, a sentence; NULL: nothing */
};

static inline size_t recording_count(struct recording *r)
{
    return r->ops->count(r);
}
static inline uint64_t recording_time(struct recording *r, size_t i)
{
    return r->ops->time_ns(r, i);
}
static inline uint8_t recording_level(struct recording *r, size_t i)
{
    return r->ops->level(r, i);
}
static inline int recording_scan(struct recording *r, size_t from, size_t to, unsigned parts,
                                 bool (*visit)(void *ctx, const struct snapshot *s), void *ctx,
                                 struct error *err)
{
    return r->ops->scan(r, from, to, parts, visit, ctx, err);
}
static inline void recording_free(struct recording *r)
{
    if (r)
        r->ops->free(r);
}
/* One whole frame (the caller unrefs), NULL with err. */
const struct snapshot *recording_frame(struct recording *r, size_t i, struct error *err);
/* The last frame at or before time_ns (snapshot.time_ns); 0 before the first. Needs count > 0. */
size_t recording_find(struct recording *r, uint64_t time_ns);

#endif
