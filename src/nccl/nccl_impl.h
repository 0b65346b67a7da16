/* What the files of the plugin share. */
#pragma once

#include <stdbool.h>

#include "format/collectives.h"
#include "nccl/profiler_abi.h"

#define LOAD(p)             __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define LOAD_ACQUIRE(p)     __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define STORE(p, v)         __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define STORE_RELEASE(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)
#define ADD(p, v)           __atomic_fetch_add(&(p), (v), __ATOMIC_RELAXED)

enum { NO_GROUP = UINT32_MAX };
enum { SERIAL_BITS = 40 };
/* The events of a call that is recorded: itself, and the kernel of channel N at EVENT_KERNEL + N.
 */
enum { EVENT_CALL, EVENT_KERNEL, EVENTS_OF_CALL = EVENT_KERNEL + COLLECTIVES_CHANNELS };

/* Shown where NCCL_DEBUG is WARN or more. */
#define TELL(log, ...) (log)(PROFILER_WARNING, ~0UL, "rooftop", 0, __VA_ARGS__)

/* plugin.c: what NCCL looks up, the newest first. */
extern const struct profiler ncclProfiler_v4, ncclProfiler_v5, ncclProfiler_v6;

/* A communicator that NCCL made: it gets the address as its context. */
struct context {
    _Alignas(64) bool taken;
    uint64_t serial; /* of its use: events of an earlier one are not handed on; 0: not in use */
    uint32_t group;  /* its own index, which is its slot in the memory; NO_GROUP: not recorded */
    int version;     /* of NCCL's interface */
    int *mask;       /* NCCL's: the events that it calls for, of all communicators */
    bool has_next;   /* the other plugin takes part */
    void *next;      /* its context */
    int next_mask;   /* the events that it wants, which it may change at any time */
    int merged;      /* of those, what is in *mask */
};

/* --- device_clock.c --- */

extern uint32_t device_clock_tick; /* ns of a stamp's unit: 1 in NCCL */
/* Finds it for the library that has this log. */
void device_clock_find(profiler_log *log);

/* --- record.c: the memory --- */

extern struct collectives *record_memory; /* NULL: nothing is recorded */

/* Opens the memory if this process has one and no other process of the rank records. Tells NCCL's
 * log once why that failed. log: may be NULL. */
void record_open(profiler_log *log);
/* Records a communicator in a slot that no other one has until it ends. Returns the slot;
 * NO_GROUP: nothing is recorded. */
uint32_t record_group(uint32_t slot, uint64_t id, const char *name, int nodes, int ranks, int rank);
/* Counts a communicator for which there is no slot. */
void record_group_beyond(void);
void record_group_end(uint32_t group);
/* Counts a collective that the program asks for. NCCL tells no more than that of one over symmetric
 * memory or by copy engines. */
void record_announced(uint32_t group);
/* Records that a call began. Returns its serial; 0: it is not recorded, as one of a rank with
 * itself, of which NCCL tells no kernels. */
uint64_t record_call(uint32_t group, const struct profiler_description *d, bool pair);
/* The call with this serial, of which the lower SERIAL_BITS may be given; NULL: so many were
 * recorded since that it is no longer known. */
static inline struct collectives_call *record_find_call(uint64_t serial)
{
    struct collectives *m = LOAD(record_memory);
    if (!m)
        return NULL;
    struct collectives_call *c = &m->calls[(serial - 1) % COLLECTIVES_CALLS];
    const uint64_t there = LOAD_ACQUIRE(c->serial);
    return there && (there ^ serial) << (64 - SERIAL_BITS) == 0 ? c : NULL;
}
/* The first kernel of a call began; as many have ended as it has, if none of them runs. */
void record_call_begun(struct collectives_call *c, uint32_t group);
void record_call_done(struct collectives_call *c);

/* The kernel of a channel of a call began, ended. stamp: 0 unknown. One thread, NCCL's proxy, tells
 * all kernels of a call. These are inline, as a call has many of them. */
static inline void record_kernel_begin(struct collectives_call *c, uint32_t group, uint32_t channel,
                                       uint64_t stamp)
{
    uint64_t *running = &c->running[channel / 64];
    const uint64_t first = LOAD(c->first), at = stamp * LOAD(device_clock_tick);
    if (LOAD(c->begun) == 0)
        record_call_begun(c, group);
    STORE(*running, LOAD(*running) | UINT64_C(1) << channel % 64);
    STORE(c->ended, 0);
    if (at && (first == 0 || at < first))
        STORE(c->first, at);
}

/* NCCL keeps the handle of a kernel that has ended, and may tell its end again. */
static inline void record_kernel_end(struct collectives_call *c, uint32_t channel, uint64_t stamp)
{
    uint64_t *running = &c->running[channel / 64];
    const uint64_t before = LOAD(*running), now = before & ~(UINT64_C(1) << channel % 64);
    if (now == before)
        return;
    const uint64_t at = stamp * LOAD(device_clock_tick);
    const uint16_t done = (uint16_t)(LOAD(c->done) + 1);
    STORE(*running, now);
    STORE(c->done, done);
    if (at > LOAD(c->last))
        STORE(c->last, at);
    if (done >= LOAD(c->channels))
        record_call_done(c);
}

/* --- next.c: the other plugin --- */

/* Loads it, at the first call, in NCCL's version or an older one. Tells NCCL's log why not. */
void next_load(int version, profiler_log *log);
void next_init(struct context *c, uint64_t id, const char *name, int nodes, int ranks, int rank,
               profiler_log *log);
/* Hands a start on if it wants such events. c->has_next is true. parent: its own handle of
 * d->parent. Returns its handle or NULL. */
void *next_start(struct context *c, int type, struct profiler_description *d, void *parent);
extern bool next_loaded; /* only then the next four may be called */
/* Keeps its handle of an event of a call that is recorded, and finds it while the communicator is
 * there; NULL: it has none. */
void next_keep(const struct context *c, uint64_t call, uint32_t event, void *handle);
void *next_find(uint64_t call, uint32_t event);
void next_stop(void *event);
void next_change(void *event, int state, union profiler_state *s);
void next_finalize(struct context *c);
