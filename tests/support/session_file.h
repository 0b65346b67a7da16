/*
 * Sessions written for tests, one sample a second from second 1 on, in a folder of the test's own.
 * What fails, fails the test.
 */
#ifndef TESTS_SUPPORT_SESSION_FILE_H
#define TESTS_SUPPORT_SESSION_FILE_H

#include "engine/session/session.h"

extern char session_dir[64], session_path[96];
extern const char *session_scene; /* "command" at first */

/* For cmocka: the folder, and all that is in it. */
int session_set_up(void **state);
int session_tear_down(void **state);

/* Sample `tick`; every fourth has a profile. Unref it. */
struct snapshot *session_moment(int tick);
struct session_writer *session_begin(const struct session_config *config);
void session_write_ticks(struct session_writer *w, int from, int to);
void session_make(int ticks); /* a whole file at session_path, whatever was there */
/* The same by a recorder that was killed and whose log is in the file: the samples since the last
 * block lie one by one. */
void session_make_killed(int ticks);
struct recording *session_read(void);
void session_assert_frame(struct recording *r, size_t i, int tick);
void session_put(const void *bytes, size_t n); /* as session_path */
void session_sql(const char *text);            /* run on it */

#endif
