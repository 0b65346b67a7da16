/*
 * Snapshots in order of time that can be looked at again: the ring of the live view (ring.h) or a
 * session file (session.h). Frames have numbers 0 .. count-1, the oldest first. A live ring drops
 * its oldest frames, so numbers change with a push: keep times instead.
 *
 * A frame is restored exactly: each rendering of it is the same, byte for byte.
 */
#pragma once

#include "base/error.h"
#include "engine/live/snapshot.h"

/* The parts of a frame that a scan needs; other parts are not decoded and stay empty. */
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
    uint64_t (*time_ns)(struct recording *r, size_t i); /* snapshot.time_ns of frame i */
    /* Busy share of all CPUs in frame i, in %; 255 = not measured. Decodes nothing. */
    uint8_t (*level)(struct recording *r, size_t i);
    /* Calls visit for the frames from..to (exclusive), oldest first, until it returns false. s is
     * valid only during the call. */
    int (*scan)(struct recording *r, size_t from, size_t to, unsigned parts,
                bool (*visit)(void *ctx, const struct snapshot *s), void *ctx, struct error *err);
    void (*free)(struct recording *r);
};
struct recording {
    const struct recording_ops
        *ops;         /* must be the first member of the structures that implement it */
    const char *note; /* a sentence about what the file has lost; NULL: nothing */
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
/* Reads one whole frame (the caller unrefs it). NULL with err on failure. */
const struct snapshot *recording_frame(struct recording *r, size_t i, struct error *err);
/* The last frame at or before time_ns (compared with snapshot.time_ns), or 0 if all are later.
 * Needs count > 0. */
size_t recording_find(struct recording *r, uint64_t time_ns);
