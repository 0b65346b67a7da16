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
 * Creates an empty file at path with mode 0600, or empties the existing one by making it anew, and
 * locks it. Returns its descriptor, or -errno. Close the descriptor after SQLite has closed the
 * file: closing any descriptor of a file gives up SQLite's locks on it. An existing file is
 * replaced only if `replace` is set and the file is a session.
 */
int session_claim(const char *path, bool replace, struct error *err);

#endif
