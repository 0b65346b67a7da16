/*
 * Puts the captured contents into memory, block by block on several threads. Files are read (and
 * unpacked, and their checksums compared) at the first time; where it is done repeatedly they are
 * kept in this process, and later times copy only.
 */
#ifndef ROOFTOP_BACKENDS_REPLAY_RESTORE_H
#define ROOFTOP_BACKENDS_REPLAY_RESTORE_H

#include "backends/replay/failure.h"
#include "backends/replay/workers.h"
#include "engine/capture/capture.h"

struct replay_restore;

/* Bytes done so far, of all. */
typedef void (*replay_progress)(void *ctx, uint64_t done, uint64_t total);

/* repeatedly: keep the contents, where a third of the machine's free memory is enough. */
int replay_restore_open(struct replay_restore **out, const struct capture *c,
                        struct replay_workers *w, bool repeatedly, struct replay_failure *f);
void replay_restore_close(struct replay_restore *r); /* NULL allowed */
/* Where a region is at its address, all of it. REPLAY_CAPTURE: a file has changed. */
int replay_restore_run(struct replay_restore *r, replay_progress progress, void *ctx,
                       struct replay_failure *f);
/* Of the first time, how long the files took (read, unpacked, summed): of one of the threads. */
double replay_restore_read_seconds(const struct replay_restore *r);
/* To compare with: what memcpy does here, of as many bytes, on one thread, at this moment. Called
 * between restores, some times; the speed is the median. 0: never, or of too few bytes to say. */
void replay_restore_memcpy(struct replay_restore *r);
double replay_restore_memcpy_speed(const struct replay_restore *r);

#endif
