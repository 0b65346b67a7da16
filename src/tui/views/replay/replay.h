/* Parts of the replay menu. */
#ifndef ROOFTOP_TUI_VIEWS_REPLAY_REPLAY_H
#define ROOFTOP_TUI_VIEWS_REPLAY_REPLAY_H

#include "tui/model/replays.h"
#include "tui/model/view.h"

/* A replay as it runs, or how it ended: stages, iterations, times, what it found. Rows used. */
int replay_run_draw(struct canvas *c, struct rect r, const struct replays *all,
                    const struct replay_row *row);
/* What is known of the selected capture, its run, and the results that were kept, compared with
 * the one that st->at names by its time (0: the newest but one). */
void replay_detail_draw(struct canvas *c, struct rect r, const struct replays *all,
                        const struct replay_row *row, struct view_state *st);
/* The result that others are compared with; -1 none. */
int replay_base(const struct replay_row *row, const struct view_state *st);

/* "12.3 us" of microseconds; "-" where there are none. */
const char *replay_time_text(const struct replay_timing *t, double us, bool ascii, char out[24]);

bool replay_menu(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out);

#endif
