/* What the files of librooftop share. All of it is hidden from the programs that link it. */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "format/brick.h"
#include "rooftop/brick.h"
#include "rooftop/counters.h"

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

/* State that must not change for the program when librooftop takes the lock or calls the kernel:
 * errno, and cancellation, which would end the thread with the lock. */
struct brick_aside {
    int error, cancel;
};
static inline struct brick_aside brick_step_aside(void)
{
    struct brick_aside a = {.error = errno};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &a.cancel);
    return a;
}
static inline void brick_step_back(const struct brick_aside *a)
{
    pthread_setcancelstate(a->cancel, NULL);
    errno = a->error;
}

/* --- file.c: the file, one for each process --- */
struct brick_file {
    struct brick_header *header; /* start of the mapping; NULL: no file */
    char path[320];
    char error[160];
    char *counters; /* ROOFTOP_BRICK_COUNTERS when the file was made; NULL: no counters */
    bool tried, keep;
};
extern struct brick_file brick_file;
/* protects making the file, registering names, taking a region */
extern pthread_mutex_t brick_lock;
/* Return the header, and make the file on first use; NULL if nothing is recorded. */
struct brick_header *brick_open(void);
struct brick_header *brick_open_locked(void);
/* Reserves size zeroed bytes and returns their offset; 0 if there is no space. Call it under the
 * lock. */
uint64_t brick_alloc(uint64_t size);
static inline void *brick_at(uint64_t offset)
{
    return (char *)brick_file.header + offset;
}

/* --- names.c: the table of everything that can be timed --- */
void brick_names_begin(struct brick_header *h); /* in a new file */
static inline struct brick_desc *brick_desc(uint32_t id)
{
    return (struct brick_desc *)brick_at(brick_file.header->descs) + id;
}
/* Copies text into the file and returns its offset; 0 if text is NULL or does not fit. Call it
 * under the lock. */
uint32_t brick_string(const char *text);

/* --- recorder.c: the state of one thread --- */
struct open_brick { /* open, or to be recorded */
    uint64_t number, parent, start;
    uint32_t event; /* the device's time stamp; 0: none */
};
struct pending {
    struct open_brick span;
    uint64_t end_ns, elements, bytes, flops;
    uint32_t event; /* 0: end_ns is valid */
};
enum { DEPTH_MAX = 256, MAILBOX = 16, PENDING_MAX = 65536 };
/* The cost of a brick depends on what the program's own data leaves in the caches: a start or stop
 * reads only the first cache lines of this. */
struct recorder {
    struct brick_thread *thread;
    struct brick_record *ring;
    uint64_t *children; /* hash table, open addressing: parent << 28 | id << 16 | node */
    uint64_t span_base; /* upper bits of its span numbers */
    uint32_t count;     /* lower bits of the next span number */
    uint32_t children_mask, nnodes;
    uint32_t mail; /* number of entries in mailbox; atomic */
    uint32_t depth;
    uint32_t known;             /* smaller ids are registered */
    struct counting *counting;  /* NULL: spans are not counted */
    char *chunks[BRICK_CHUNKS]; /* of nodes; NULL: not allocated yet */
    struct {
        uint64_t span;
        uint32_t event;
    } open[DEPTH_MAX];
    uint32_t index;          /* index of its region */
    struct recorder *before; /* after a fork, the parent's recorder: kept, never used */
    struct pending *pending;
    uint32_t npending, pending_cap;
    uint64_t mailbox[MAILBOX]; /* this thread's spans that other threads stopped */
};
/* initial-exec: the access is one instruction; the default for a library would be a call. */
extern __thread struct recorder *brick_mine
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct recorder *brick_attach(void);
/* This thread's recorder; NULL if it cannot have one. */
static inline struct recorder *brick_recorder(void)
{
    return __builtin_expect(brick_mine != NULL, 1) ? brick_mine : brick_attach();
}
struct recorder *brick_recorder_of(uint32_t index); /* another thread's; NULL: unknown */

/* Siblings with neighbouring ids get neighbouring slots: eight in a cache line. */
static inline uint32_t brick_slot(uint32_t parent, uint32_t id)
{
    return (uint32_t)((parent * UINT64_C(0x9e3779b97f4a7c15)) >> 32) + id;
}
uint32_t brick_find_child(struct recorder *r, uint32_t parent, uint32_t id);
/* Finds or makes the node of id below parent; BRICK_NONE if there is no space. */
static inline uint32_t brick_child(struct recorder *r, uint32_t parent, uint32_t id)
{
    uint64_t at = r->children[brick_slot(parent, id) & r->children_mask];
    return __builtin_expect(at >> 16 == ((uint64_t)parent << 12 | id), 1)
               ? (uint32_t)at & 0xffff
               : brick_find_child(r, parent, id);
}
/* Finds a node's numbers; the node must exist. */
static inline struct brick_place brick_place(const struct recorder *r, uint32_t node)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    return brick_place_in(r->chunks[k], BRICK_CHUNK_FIRST << k, i);
}
/* --- counting.c: counters of spans, if ROOFTOP_BRICK_COUNTERS names some --- */
struct counting {
    rooftop_counters *group;                   /* NULL: this thread's spans are not counted */
    struct brick_counts *chunks[BRICK_CHUNKS]; /* two for each node; NULL: none */
    rooftop_counts
        start[DEPTH_MAX]; /* counts at the begin of open spans; enabled_ns 0: not counted */
};
/* Call it for a thread that begins to record; leaves r->counting NULL if nothing is counted. */
void brick_counting_begin(struct recorder *r);
void brick_counting_end(struct recorder *r); /* the thread ends; also in a child after fork */
/* Makes room for the counts of a chunk. */
void brick_counting_chunk(struct recorder *r, unsigned chunk);
/* Finds a node's two slots; NULL: it has none. */
static inline struct brick_counts *brick_counts_of(const struct recorder *r, uint32_t node)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    struct brick_counts *base = r->counting->chunks[k];
    return base ? base + 2 * (size_t)i : NULL;
}

/* Forgets all recorders of the parent, in the child after a fork. */
void brick_recorders_forget(void);

/* --- brick.c --- */
void brick_record(struct recorder *r, const struct open_brick *s, uint64_t end, uint64_t elements,
                  uint64_t bytes, uint64_t flops, bool device);
void brick_put(struct recorder *r, const struct brick_record *record);
/* Begins a span inside the open one and gives it a number; number 0 if there is no space. */
struct open_brick brick_begin(struct recorder *r, uint32_t id);

/* --- look.c --- */
struct brick_categories {
    rooftop_stats of[ROOFTOP_CATEGORIES]; /* total_ns: without bricks inside other bricks */
    uint64_t total_ns;                    /* total time of the outermost bricks */
    uint64_t inside_ns[ROOFTOP_CATEGORIES];
};
struct brick_categories brick_categories(void);

/* --- deferred.c --- */
extern rooftop_device brick_device;
extern bool brick_has_device;
extern int brick_sync; /* enum rooftop_sync */
/* Records the device's time stamp of a start; 0: use the host's clock. */
uint32_t brick_device_start(uint32_t id);
/* The device's part of a stop. Returns true if it is pending or recorded. */
bool brick_device_stop(struct recorder *r, const struct open_brick *s, uint64_t elements,
                       uint64_t bytes, uint64_t flops);
