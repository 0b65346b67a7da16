/* What the parts of librooftop share. All of it is hidden from the programs it is linked into. */
#ifndef ROOFTOP_BRICK_INTERNAL_H
#define ROOFTOP_BRICK_INTERNAL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "format/brick.h"
#include "rooftop/brick.h"

#define PUBLIC              __attribute__((visibility("default")))
#define LOAD(p)             __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define LOAD_ACQUIRE(p)     __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define STORE(p, v)         __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define STORE_RELEASE(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)
#define ADD(p, v)           __atomic_fetch_add(&(p), (v), __ATOMIC_RELAXED)

static inline uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- file.c: the file, one a process --- */
struct brick_file {
    struct brick_header *header; /* begin of the mapping; NULL = none */
    char path[320];
    char error[160];
    bool tried, keep;
};
extern struct brick_file brick_file;
extern pthread_mutex_t brick_lock; /* held to make the file, to register, to take a region */
/* The header, made on first use; NULL where nothing is recorded. */
struct brick_header *brick_open(void);
struct brick_header *brick_open_locked(void);
/* size bytes, zeroed, room for them assured; 0 where there is none. Under the lock. */
uint64_t brick_alloc(uint64_t size);
static inline void *brick_at(uint64_t offset)
{
    return (char *)brick_file.header + offset;
}

/* --- names.c: the table of what can be timed --- */
void brick_names_begin(struct brick_header *h); /* into a new file */
void brick_names_forget(void);                  /* before another file is made that is not a copy */
static inline struct brick_desc *brick_desc(uint32_t id)
{
    return (struct brick_desc *)brick_at(brick_file.header->descs) + id;
}
/* The offset of a copy of text; 0 where there is no room or no text. Under the lock. */
uint32_t brick_string(const char *text);

/* --- recorder.c: what one thread needs to record --- */
struct span { /* begun, or to be recorded */
    uint64_t number, parent, start;
    uint32_t event; /* of the device, where it times; 0 = none */
};
struct pending {
    struct span span;
    uint64_t end_ns, elements, bytes, flops;
    uint32_t event; /* 0 = end_ns is known */
};
enum { DEPTH_MAX = 256, MAILBOX = 16, PENDING_MAX = 65536 };
/*
 * What a program's own data leaves of the caches decides what a brick costs: the first lines are
 * all that every start and stop reads of it.
 */
struct recorder {
    struct brick_thread *thread;
    struct brick_record *ring;
    uint64_t *children; /* open addressing: parent << 28 | id << 16 | node */
    uint64_t span_base; /* the upper bits of its spans' numbers */
    uint32_t count;     /* the lower ones */
    uint32_t children_mask, nnodes;
    uint32_t mail; /* how many in mailbox, atomic */
    uint32_t depth;
    uint32_t known;             /* ids below are given out */
    char *chunks[BRICK_CHUNKS]; /* of nodes; NULL = not there yet */
    struct {
        uint64_t span;
        uint32_t event;
    } open[DEPTH_MAX];
    uint32_t index;          /* of the region */
    struct recorder *before; /* of the parent's, after a fork: kept, never used */
    struct pending *pending;
    uint32_t npending, pending_cap;
    uint64_t mailbox[MAILBOX]; /* spans of ours that other threads have stopped */
};
/* initial-exec: one instruction away, where a library's own default would be a call. */
extern __thread struct recorder *brick_mine
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct recorder *brick_attach(void);
/* This thread's; NULL where there is none to be had. */
static inline struct recorder *brick_recorder(void)
{
    return __builtin_expect(brick_mine != NULL, 1) ? brick_mine : brick_attach();
}
struct recorder *brick_recorder_of(uint32_t index); /* another thread's; NULL unknown */

/* Siblings with neighbouring ids lie in neighbouring slots: eight to a line of the cache. */
static inline uint32_t brick_slot(uint32_t parent, uint32_t id)
{
    return (uint32_t)((parent * UINT64_C(0x9e3779b97f4a7c15)) >> 32) + id;
}
uint32_t brick_find_child(struct recorder *r, uint32_t parent, uint32_t id);
/* The node of id under parent, made where it is new; BRICK_NONE without room. */
static inline uint32_t brick_child(struct recorder *r, uint32_t parent, uint32_t id)
{
    uint64_t at = r->children[brick_slot(parent, id) & r->children_mask];
    return __builtin_expect(at >> 16 == ((uint64_t)parent << 12 | id), 1)
               ? (uint32_t)at & 0xffff
               : brick_find_child(r, parent, id);
}
/* Of a node that is there. */
static inline struct brick_place brick_place(const struct recorder *r, uint32_t node)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    return brick_place_in(r->chunks[k], BRICK_CHUNK_FIRST << k, i);
}
/* After a fork, in the child: nothing of the parent's is ours. */
void brick_recorders_forget(void);

/* --- brick.c --- */
void brick_record(struct recorder *r, const struct span *s, uint64_t end, uint64_t elements,
                  uint64_t bytes, uint64_t flops, bool device);
void brick_put(struct recorder *r, const struct brick_record *record);
/* A span inside of what is open, its number given out; number 0 without room. */
struct span brick_begin(struct recorder *r, uint32_t id);

/* --- look.c --- */
struct brick_categories {
    rooftop_stats of[ROOFTOP_CATEGORIES]; /* total_ns: without the bricks inside of them */
    uint64_t total_ns;                    /* of outermost bricks */
    uint64_t inside_ns[ROOFTOP_CATEGORIES];
};
struct brick_categories brick_categories(void);

/* --- deferred.c --- */
extern rooftop_device brick_device;
extern bool brick_has_device;
extern int brick_sync; /* enum rooftop_sync */
/* The device's stamp of a start; 0 = the host's clock. */
uint32_t brick_device_start(uint32_t id);
/* The device's part of a stop; true: pending, or recorded. */
bool brick_device_stop(struct recorder *r, const struct span *s, uint64_t elements, uint64_t bytes,
                       uint64_t flops);

#endif
