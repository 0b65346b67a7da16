/* The boxes of the overview, each drawn by itself. */
#pragma once

#include "base/arena.h"
#include "engine/bricks/brick_report.h"
#include "tui/model/layout.h"
#include "tui/model/view.h"
#include "tui/views/procs/procs.h"

extern const struct view_box overview_boxes[BOX_COUNT + 1];
enum { OVERVIEW_TOPDOWN_MAX = 8, OVERVIEW_NUMBERS_MAX = 32 };

struct overview_bricks { /* the bricks of the last drawn tree */
    uint64_t serial;
    struct arena memory;
    struct brick_report report;
};
/* view_state.own */
struct overview_state {
    struct procs_state procs;
    struct overview_bricks bricks;
};

/* Draws a frame with the box's letter marked in its title. A click on it expands the box. */
void overview_box(struct canvas *c, struct rect r, enum style_role role, int box, const char *title,
                  const char *right);

/* The measured values, chosen once per frame. */
struct overview_content {
    const struct metric *td[OVERVIEW_TOPDOWN_MAX], *key[OVERVIEW_NUMBERS_MAX];
    size_t ntd, nkey;
    struct overview_facts facts;
};
void overview_choose_content(const struct model *m, const struct view_state *st, struct rect area,
                             struct overview_content *k);
/* Whether a box that is normally a line is expanded; draws it with a frame. */
bool overview_line_expanded(const struct view_state *st);
void overview_expanded(struct canvas *c, const struct overview_layout *l,
                       const struct overview_content *k, const struct model *m);
/* Key numbers, and the bar of top-down slots or why there is none. */
void overview_lines(struct canvas *c, const struct overview_layout *l,
                    const struct overview_content *k, const struct model *m);
/* The box of the process list. */
void overview_processes(struct canvas *c, struct rect r, const struct model *m,
                        struct view_state *st, struct procs_state *ps);

/* A graph over time, of a series (live_series.h). */
struct overview_plot {
    const char *title;
    const char *series;
    const char *metric; /* of the overview: the metric whose value the title shows; NULL: none */
    enum style_role role, box;
    enum unit unit;
    double max;   /* top of the scale; 0: chosen from the data, */
    double least; /* but not less than this */
};
/* What a graph shows now. */
struct value overview_plot_value(const struct overview_plot *p, const struct snapshot *s);
/* Graphs of the first counters that the user asked for by name and that were measured. Their titles
 * live as long as the snapshot. Returns how many there are. */
enum { OVERVIEW_ASKED = 2, OVERVIEW_SERIES = 96 };
struct overview_asked {
    struct overview_plot plot;
    char series[OVERVIEW_SERIES];
};
size_t overview_asked(const struct snapshot *s, struct overview_asked out[OVERVIEW_ASKED]);
void overview_plot(struct canvas *c, struct rect r, const struct view_box *boxes, int box,
                   const struct overview_plot *p, const char *title, const char *right,
                   const struct model *m);
void overview_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m);

/*
 * tall: the box is expanded, so every CPU gets a line if they fit. memory: show memory too, because
 * no other box does.
 */
void overview_cpus(struct canvas *c, struct rect r, const struct snapshot *s, bool tall,
                   bool memory);
/* The number of rows for overview_cpus in w cells. */
int overview_cpu_rows(const struct snapshot *s, int w);

/* Writes the key numbers that were measured, in order. Returns how many, at most n. */
size_t overview_choose(const struct snapshot *s, const struct metric **out, size_t n);
void overview_numbers(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                      const struct model *m);
/* The expanded box: one number per line, with its series. */
void overview_numbers_tall(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                           const struct model *m);
void overview_topdown(struct canvas *c, struct rect r, const struct metric *const *td, size_t n);
/* The expanded box: the bar, and every category of every level. */
void overview_topdown_tall(struct canvas *c, struct rect r, const struct metric *const *td,
                           size_t n, const struct snapshot *s);
/* The bricks with the longest times, the last pass, the distance to the roof. */
void overview_bricks(struct overview_bricks *made, struct canvas *c, struct rect r,
                     const struct snapshot *s);
/* Swap, network, disks and cache; in a second row the devices. */
/* memory: how much of it is used, too, because no graph shows it. */
void overview_io(struct canvas *c, struct rect r, const struct model *m, bool memory);
/* the number of rows for overview_io */
int overview_io_rows(struct rect area, const struct snapshot *s);
/* The expanded box: memory by kind, graphs, every device. */
void overview_io_tall(struct canvas *c, struct rect r, const struct model *m);
/* One line per GPU. */
void overview_gpus(struct canvas *c, struct rect r, const struct model *m);
/* One line that says why there is no bar of top-down slots. */
void overview_reason(struct canvas *c, struct rect r, const struct snapshot *s);
bool overview_has_reason(const struct snapshot *s);
