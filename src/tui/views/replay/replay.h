/* What the files of the replay menu share. */
#pragma once

#include "tui/model/replays.h"
#include "tui/model/view.h"

/*
 * Draws a running or finished replay: stages, iterations, times, result. Returns the number of
 * rows.
 */
int replay_run_draw(struct canvas *c, struct rect r, const struct replays *all,
                    const struct replay_row *row);
/*
 * Draws everything known about the selected capture, its run, and the kept results. They are
 * compared with the result whose time is st->at (0: the second newest).
 */
void replay_detail_draw(struct canvas *c, struct rect r, const struct replays *all,
                        const struct replay_row *row, struct view_state *st);
/* The index of the result that others are compared with; -1 = none. */
int replay_base(const struct replay_row *row, const struct view_state *st);

/* Writes microseconds as text: "12.3 us"; "-" if there is no time. Returns out. */
const char *replay_time_text(const struct replay_timing *t, double us, bool ascii, char out[24]);

bool replay_menu(const struct model *m, const struct view_state *st, const char *key,
                 struct menu *out);
