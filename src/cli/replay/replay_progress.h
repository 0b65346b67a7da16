/* A progress line (cli/run/progress_note.h): the stage of a replay, its progress, and the time
 * left. */
#pragma once

struct replay_progress;
struct replay_progress *replay_progress_open(void);
/* Takes an event of the child, as it printed it. */
void replay_progress_told(struct replay_progress *p, const char *line);
void replay_progress_close(struct replay_progress *p); /* also removes the line */
