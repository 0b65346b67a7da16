/* A progress line on stderr, if that is a terminal: the stage of a replay, its progress, and the
 * time left. */
#pragma once

struct replay_progress;
/* NULL if stderr is no terminal; the functions below accept NULL */
struct replay_progress *replay_progress_open(void);
/* Takes an event of the child, as it printed it. */
void replay_progress_told(struct replay_progress *p, const char *line);
/* Removes the line; call it before printing something else. */
void replay_progress_clear(struct replay_progress *p);
void replay_progress_close(struct replay_progress *p); /* also removes the line */
