/* A line on stderr, where that is a terminal: what stage a replay is in, how far, and for how long.
 */
#ifndef ROOFTOP_CLI_REPLAY_REPLAY_PROGRESS_H
#define ROOFTOP_CLI_REPLAY_REPLAY_PROGRESS_H

struct replay_progress;
struct replay_progress *replay_progress_open(void); /* NULL: no terminal; NULL is allowed below */
/* An event of the child, as it came. */
void replay_progress_told(struct replay_progress *p, const char *line);
/* Before something else is printed. */
void replay_progress_clear(struct replay_progress *p);
void replay_progress_close(struct replay_progress *p); /* clears it too */

#endif
