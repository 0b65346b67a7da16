/*
 * Recovers the intact part of a session file that SQLite refuses because it is cut off or has
 * damaged pages. Reads each page alone (session_rows.h), because links between pages cannot be
 * trusted. Takes the blocks whose checksums are right, and the unbroken sequence of frames after a
 * block. It does not read the log beside the file (-wal).
 */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_SALVAGE_H
#define ROOFTOP_ENGINE_SESSION_SESSION_SALVAGE_H

#include <stdint.h>

#include "base/error.h"
#include "engine/session/block.h"

struct session_salvage;

/* Returns 0, or -errno with err if the file cannot be read or the user gave up. Free *out in both
 * cases. */
int session_salvage_open(struct session_salvage **out, const char *path, struct error *err);
void session_salvage_free(struct session_salvage *s); /* NULL allowed */
size_t session_salvage_count(const struct session_salvage *s);
/* Fills *out and `packed` with what is known about block i (in the order of ids) and its bytes.
 * Returns false if the file has changed since. */
bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out);
bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw);
/* The file's size in bytes; *once: the size according to its header. */
uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once);

#endif
