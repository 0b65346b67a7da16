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

/* 0, or -errno with err: it cannot be read, or was given up. Free *out after either. */
int session_salvage_open(struct session_salvage **out, const char *path, struct error *err);
void session_salvage_free(struct session_salvage *s); /* NULL allowed */
size_t session_salvage_count(const struct session_salvage *s);
/* Of block i < count, by id: what is known of it, and its bytes. false: they have changed since. */
bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out);
bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw);
/* The file's size in bytes; *once: the size according to its header. */
uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once);

#endif
