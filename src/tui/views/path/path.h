/* What the files of the critical path's view share. */
#pragma once

#include "engine/bricks/bricks.h"
#include "engine/trace/collective.h"
#include "engine/path/what_if.h"
#include "tui/model/view.h"
#include "tui/widgets/table.h"

/*
 * Draws the lanes of a pass over its time. zoom: how many times the time around the selected span
 * (an index, or GRAPH_NONE) is halved. briefs: short names of kernels; NULL: whole names.
 */
void path_timeline(struct canvas *c, struct rect r, const struct brick_window *w,
                   const struct briefs *briefs, int zoom, uint32_t selected);
/* The largest depth of nested spans in a lane; 0 = nothing is nested. */
int path_depth(const struct brick_window *w, uint16_t lane);

/* Draws the work beside the path, by name: its slack, and what it ran beside. */
void path_slack(struct canvas *c, struct rect r, const struct brick_window *w);

/* path_what_if.c: how long the path would be if something were faster */
struct path_what_if {
    struct what_if found;
    uint64_t serial;             /* of the profile's graph that it was found for; 0: nothing was */
    char asked[WHAT_IF_TEXT];    /* "2x as fast: gemm" */
    char selected[WHAT_IF_TEXT]; /* the name that the prompt asks a factor for */
};
void path_what_if_forget(struct path_what_if *w);
/* What was found for this profile; NULL: nothing. */
const struct what_if *path_what_if_now(const struct path_what_if *w,
                                       const struct analysis *profile);
/* spec: "NAME=FACTOR", or "off" to forget it. Fills err for a malformed one. */
int path_what_if(struct path_what_if *w, const char *spec, const struct analysis *profile,
                 const struct view_host *host, struct error *err);
/* Opens the prompt for the factor of the selected step. */
void path_what_if_ask(struct path_what_if *w, const struct model *m, const struct view_state *st);
/* Takes the factor that was typed there. As path_what_if. */
int path_what_if_factor(struct path_what_if *w, const char *factor, const struct analysis *profile,
                        const struct view_host *host, struct error *err);

/*
 * Draws the parts of a profile's path as a bar and in words, and below them the result of
 * ":what-if". Returns the number of rows; 0 without a profile.
 */
int path_shares(struct canvas *c, struct rect r, const struct model *m,
                const struct path_what_if *w);
/* Draws how the clocks of several files were aligned. Returns the number of columns. */
int path_files(struct canvas *c, struct rect r, const struct trace *t);
/* Writes what would be saved if the spans of this name were twice as fast; "" if that is
 * unknown, or if the row is apart: it is not the span's own time. */
void path_gain(const struct analysis *profile, const struct brick_span *s, bool apart,
               char text[TABLE_CELL_MAX]);

/* Whether the span is communication: the kernel of a collective. */
static inline bool path_is_collective(const struct brick_span *s)
{
    return s->kind == NODE_KERNEL && collective_of(s->name) != COLLECTIVE_NONE;
}

extern const struct list_field path_fields[]; /* rows: struct path_item of path.c */
