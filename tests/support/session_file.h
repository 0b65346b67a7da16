/*
 * Writes sessions for tests, with one sample a second from second 1 on, in a folder of the test's
 * own. A failure fails the test.
 */
#pragma once

#include "engine/session/session.h"

extern char session_dir[64], session_path[96];
extern const char *session_scene; /* scene of the samples; "command" at first */

/* For cmocka: makes the folder; removes it with its content. */
int session_set_up(void **state);
int session_tear_down(void **state);

/* Sample `tick`; every fourth has a profile. The caller unrefs it. */
struct snapshot *session_moment(int tick);
struct session_writer *session_begin(const struct session_config *config);
void session_write_ticks(struct session_writer *w, int from, int to);
void session_make(int ticks); /* writes a complete file at session_path, replacing an older one */
/* Writes it like a recorder that was killed, whose log was then merged into the file: the samples
 * since the last block are single rows. */
void session_make_killed(int ticks);
struct recording *session_read(void);
void session_assert_frame(struct recording *r, size_t i, int tick);
void session_put(const void *bytes, size_t n); /* writes bytes to session_path */
void session_sql(const char *text);            /* runs SQL on session_path */
