/*
 * One writer a session file. A recorder holds a lock on the file for as long as it writes; whoever
 * else would write there is refused, --replace or not: SQLite's logs go by the file's name, so a
 * recorder whose file was replaced under it would take the new one's away when it ends.
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
