/*
 * The past of the live view, in fixed memory: when it is full, the oldest block is forgotten. Owned
 * and fed by the front end's thread: no lock.
 */
#ifndef ROOFTOP_ENGINE_SESSION_RING_H
#define ROOFTOP_ENGINE_SESSION_RING_H

#include "engine/session/recording.h"

enum { RING_BYTES = 8 << 20 };

/* limit: bytes, of all that the past takes (RING_BYTES for the live view). Free by recording_free.
 */
struct recording *ring_new(size_t limit);
void ring_push(struct recording *ring, const struct snapshot *s);
size_t ring_bytes(struct recording *ring); /* held now */
/* Empties it: another target's past is not this one's. */
void ring_clear(struct recording *ring);

#endif
