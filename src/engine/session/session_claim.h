/*
 * Makes sure that a session file has one writer. A recorder holds a lock on the file while it
 * writes, and any other writer is refused, even with --replace: SQLite finds its log by the file's
 * name, so a recorder whose file was replaced would delete the new file's log when it ends.
 */
#ifndef ROOFTOP_ENGINE_SESSION_SESSION_CLAIM_H
#define ROOFTOP_ENGINE_SESSION_SESSION_CLAIM_H

#include <stdbool.h>

#include "base/error.h"

/*
 * An empty file at path, made with mode 0600 or emptied by being made anew, and locked: its
 * descriptor, to be closed after SQLite has closed its own (closing any gives back all of SQLite's
 * locks), or -errno. What is there already is only replaced when asked for, and when it is a
 * session.
 */
int session_claim(const char *path, bool replace, struct error *err);

#endif
