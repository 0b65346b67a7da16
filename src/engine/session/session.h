/*
 * A session file: a recording in SQLite. Closed blocks lie packed in table `block`, the frames
 * since then one by one in `tail`, each committed within a second: a recorder that is killed loses
 * no more.
 *
 * docs/SESSIONS.md describes the tables. A file of an older schema is brought up to date in a copy
 * in memory; the file itself is never written by a reader. A newer one is refused.
 */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_H
#define ROOFTOP_ENGINE_SESSION_SESSION_H

#include "engine/session/recording.h"

enum {
    SESSION_APPLICATION_ID = 0x726f6f66, /* "roof", at offset 68 of the file */
    SESSION_SCHEMA = 2,
};

/* --- writing --- */

struct session_writer;
struct session_config {
    const char *path;      /* must not exist, or be an empty file, or `replace` */
    bool replace;          /* a file that is there goes, once it is known to be a session */
    uint64_t max_bytes;    /* of the file; the oldest blocks go. 0 = unlimited */
    const char *generator; /* "rooftop 0.2": who wrote it */
};
int session_create(struct session_writer **out, const struct session_config *config,
                   struct error *err);
int session_write(struct session_writer *w, const struct snapshot *s, struct error *err);
/* Commits, closes the last block, frees w whatever happens. NULL allowed. */
int session_close(struct session_writer *w, struct error *err);
size_t session_frames(const struct session_writer *w); /* written, forgotten ones included */

/* Writes the frames of a recording to a new file. */
int session_save(struct recording *from, const struct session_config *config, struct error *err);

/* --- reading --- */

/* True for a file that begins as a session does; its content may still be damaged. */
bool session_recognise(const char *path);
/* Free by recording_free. count is at least 1. Of a damaged file what is whole, and a note. Asks
 * the thread's watch: -ECANCELED. */
int session_open(struct recording **out, const char *path, struct error *err);

#endif
