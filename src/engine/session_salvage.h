/*
 * The whole blocks of a session file that SQLite refuses: cut off, or with damaged pages. Looks at
 * every page by itself, as nothing says which of them still hold together, and takes the rows of
 * table `block` whose bytes are all there: their checksum says so. Frames after the last block are
 * not looked for.
 *   Source of the format: "Database File Format", sqlite.org/fileformat2.html.
 */
#ifndef ROOFTOP_ENGINE_SESSION_SALVAGE_H
#define ROOFTOP_ENGINE_SESSION_SALVAGE_H

#include <stdint.h>

#include "base/error.h"
#include "engine/block.h"

struct session_salvage;

/* 0, or -errno with err: it cannot be read, or was given up. Free *out after either. */
int session_salvage_open(struct session_salvage **out, const char *path, struct error *err);
void session_salvage_free(struct session_salvage *s); /* NULL allowed */
size_t session_salvage_count(const struct session_salvage *s);
/* Of block i < count, by id: what is known of it, and its bytes. false: they have changed since. */
bool session_salvage_index(struct session_salvage *s, size_t i, struct block_index *out);
bool session_salvage_load(struct session_salvage *s, size_t i, struct bytes *raw);
/* Bytes that are there, and that the header says there were. */
uint64_t session_salvage_bytes(const struct session_salvage *s, uint64_t *once);

#endif
