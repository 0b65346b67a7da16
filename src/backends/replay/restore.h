/*
 * Writes the captured contents to memory, block by block on several threads. The first run reads
 * the files, unpacks them and compares their checksums. For repeated runs the contents are kept in
 * this process, and later runs only copy.
 */
#pragma once

#include "backends/replay/device/failure.h"
#include "backends/replay/workers.h"
#include "engine/capture/capture.h"

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
