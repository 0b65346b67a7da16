/*
 * The last minutes of the live view, in fixed memory. When it is full, the oldest block is dropped.
 * Only the front end's thread uses it, so it has no lock.
 */
#pragma once

#include "engine/session/recording.h"

enum { RING_BYTES = 8 << 20 };

/* limit: bytes of memory that the ring may use (RING_BYTES for the live view). The caller frees it
 * with recording_free. */
struct recording *ring_new(size_t limit);
void ring_push(struct recording *ring, const struct snapshot *s);
size_t ring_bytes(struct recording *ring); /* bytes used now */
/* drops all frames, because the target has changed */
void ring_clear(struct recording *ring);
