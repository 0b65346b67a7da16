/* Parts of the critical path's view. */
#ifndef ROOFTOP_TUI_VIEWS_PATH_PATH_H
#define ROOFTOP_TUI_VIEWS_PATH_PATH_H

#include "engine/bricks/bricks.h"
#include "engine/trace/collective.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"

/* The lanes of a pass over its time. zoom: halves of it around the selected span (an index, or
 * GRAPH_NONE). briefs: of its kernels' names, to be read; NULL: as they are. */
void path_timeline(struct canvas *c, struct rect r, const struct brick_window *w,
                   const struct briefs *briefs, int zoom, uint32_t selected);
/* How deep spans of a lane lie in each other at most; 0 = not. */
int path_depth(const struct brick_window *w, uint16_t lane);

/* What ran beside the path, by name: how long it could be put off, and what it ran beside. */
void path_slack(struct canvas *c, struct rect r, const struct brick_window *w);

/* A mix as w cells of text, in the shades of the view's bar. */
void path_mix_text(const struct path_mix *m, int w, bool ascii, char *out, size_t size);
/* What a profile's path is made of, as a bar and in words, and below it what was asked; how many
 * rows that took, 0 for what is no profile. */
int path_shares(struct canvas *c, struct rect r, const struct model *m);
/* How the clocks of several files became one; the columns that took. */
int path_files(struct canvas *c, struct rect r, const struct trace *t);
/* What twice the speed of a span's name saves; "" where that was not found. */
void path_gain(const struct analysis *profile, const struct brick_span *s, bool latency,
               char text[TABLE_CELL_MAX]);

/* Communication: a kernel of a collective. */
static inline bool path_is_collective(const struct brick_span *s)
{
    return s->kind == NODE_KERNEL && collective_of(s->name) != COLLECTIVE_NONE;
}

#endif
