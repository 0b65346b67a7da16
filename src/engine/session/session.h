/*
 * A session file: a recording in SQLite. Closed blocks are packed rows of table `block`; newer
 * frames are single rows of table `tail`, committed at least once a second, so that a recorder
 * that is killed loses no more than that.
 *
 * docs/SESSIONS.md describes the tables. A file of an older schema is migrated in a copy in
 * memory; a reader never writes to the file. A file of a newer schema is refused.
 */
#pragma once

#include "engine/session/recording.h"

enum {
    SESSION_APPLICATION_ID = 0x726f6f66, /* "roof", at offset 68 of the file */
    SESSION_SCHEMA = 2,
};

/* --- writing --- */

struct session_writer;
struct session_config {
    const char *path; /* must not exist, unless it is empty or `replace` is set */
    bool replace;     /* an existing file is replaced if it is a session */
    /* limit for the file's size; the oldest blocks are dropped. 0 = unlimited */
    uint64_t max_bytes;
    uint64_t *dropped;     /* counts the frames that the limit has cost; NULL: not counted */
    const char *generator; /* "rooftop 0.2": the program that writes */
};
int session_create(struct session_writer **out, const struct session_config *config,
                   struct error *err);
int session_write(struct session_writer *w, const struct snapshot *s, struct error *err);
/* Commits, closes the last block and frees w, also on failure. w may be NULL. */
int session_close(struct session_writer *w, struct error *err);

/* Writes all frames of a recording to a new file. */
int session_save(struct recording *from, const struct session_config *config, struct error *err);

/* --- reading --- */

/* True if the file begins like a session; its content may still be damaged. */
bool session_recognise(const char *path);
/* Opens a session; recording_free frees it. It has at least one frame. Of a damaged file it has
 * the intact part, and a note. Returns 0 or -errno with err; -ECANCELED if the thread's watch
 * (base/watch.h) says so. */
int session_open(struct recording **out, const char *path, struct error *err);
