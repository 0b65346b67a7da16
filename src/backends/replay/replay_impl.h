/* What the files of this room share: blocks, threads, and how memory is restored and compared. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "backends/replay/device/failure.h"
#include "engine/capture/capture.h"
#include "engine/replay/replay_rule.h"

/* The captured regions as blocks, which are restored and compared in parallel. */

struct replay_block {
    uint32_t region, index; /* index: of the block in its region */
    uint64_t offset;        /* in the region */
    size_t size;
};

/*
 * The blocks of the regions for which wanted(ctx, i) is true (wanted NULL: of all regions). The
 * caller frees the result, which has *n entries.
 */
struct replay_block *replay_blocks(const struct capture *c,
                                   int (*wanted)(const void *ctx, size_t region), const void *ctx,
                                   size_t *n);

/* A few threads that share the blocks of a large job, repeatedly. */

struct replay_workers;

/* Starts threads, including the caller. threads 0: one for each CPU, at most eight. */
struct replay_workers *replay_workers_start(unsigned threads);
void replay_workers_stop(struct replay_workers *w); /* NULL is allowed */
/*
 * Calls item(ctx, i) for all i below n, in parallel and in any order; returns when all are done.
 * tick (may be NULL) is called repeatedly on the caller's thread.
 */
void replay_workers_run(struct replay_workers *w, size_t n, void (*item)(void *ctx, size_t i),
                        void (*tick)(void *ctx), void *ctx);
unsigned replay_workers_threads(const struct replay_workers *w);

/*
 * Writes the captured contents to memory, block by block on several threads. The first run reads
 * the files, unpacks them and compares their checksums. For repeated runs the contents are kept in
 * this process, and later runs only copy.
 */

struct replay_restore;

/* Reports bytes done so far, of all. */
typedef void (*replay_progress)(void *ctx, uint64_t done, uint64_t total);

/*
 * Prepares restores. repeatedly: keep the contents if they need at most a third of the machine's
 * free memory. Free *out with replay_restore_close.
 */
int replay_restore_open(struct replay_restore **out, const struct capture *c,
                        struct replay_workers *w, bool repeatedly, struct replay_failure *f);
void replay_restore_close(struct replay_restore *r); /* NULL is allowed */
/*
 * Restores all regions, each of which must be mapped at its address. REPLAY_CAPTURE: a file has
 * changed.
 */
int replay_restore_run(struct replay_restore *r, replay_progress progress, void *ctx,
                       struct replay_failure *f);
/* How long the files took in the first run (reading, unpacking, checksums), for one thread. */
double replay_restore_read_seconds(const struct replay_restore *r);
/*
 * Measures memcpy for comparison: the same number of bytes, on one thread, at this moment. Call it
 * several times, between restores; the speed is the median. 0: never measured, or too few bytes.
 */
void replay_restore_memcpy(struct replay_restore *r);
double replay_restore_memcpy_speed(const struct replay_restore *r);

/*
 * Compares memory after the kernel with the expected contents: those captured after the kernel, or
 * those that another build left.
 */

struct memory_difference {    /* the first one in a region */
    uint64_t region, offset;  /* base of the region; offset in bytes */
    uint64_t expected, found; /* as bits */
    uint64_t count;           /* different elements in this region */
    double max_absolute, max_relative;
};
struct replay_verdict {
    bool equal;
    struct replay_rule rule;
    size_t regions, skipped; /* skipped: the expected contents are unknown */
    uint64_t bytes;
    struct memory_difference *differences; /* one for each region that differs */
    size_t n;
};
void replay_verdict_free(struct replay_verdict *v);

/*
 * Compares memory with the capture. REPLAY_CAPTURE where it has nothing to compare with. Free *out
 * with replay_verdict_free.
 */
int replay_verify(struct replay_verdict *out, const struct capture *c, struct replay_workers *w,
                  const struct replay_rule *rule, replay_progress progress, void *ctx,
                  struct replay_failure *f);

/*
 * Copies the present memory; NULL where that would take more than a third of the free memory. Free
 * it with replay_output_free.
 */
struct replay_output;
struct replay_output *replay_output_keep(const struct capture *c, struct replay_workers *w);
void replay_output_free(struct replay_output *o); /* NULL is allowed */
/* What was kept of a region at an offset that is a multiple of CAPTURE_BLOCK: that many bytes, or
 * those to the region's end. */
const uint8_t *replay_output_bytes(const struct replay_output *o, size_t region, uint64_t offset);
int replay_output_compare(struct replay_verdict *out, struct replay_output *o,
                          const struct replay_rule *rule, struct replay_failure *f);
