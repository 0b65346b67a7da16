/* The boxes of the overview, each drawn by itself. */
#ifndef ROOFTOP_TUI_VIEWS_OVERVIEW_OVERVIEW_H
#define ROOFTOP_TUI_VIEWS_OVERVIEW_OVERVIEW_H

#include "tui/model/layout.h"
#include "tui/model/view.h"

extern const struct view_box overview_boxes[BOX_COUNT + 1];
enum { OVERVIEW_TOPDOWN_MAX = 8 };

/* A frame whose title has the box's letter; a click on it expands the box. */
void overview_box(struct canvas *c, struct rect r, enum style_role role, int box, const char *title,
                  const char *right);

void overview_graphs(struct canvas *c, const struct overview_layout *l, const struct model *m);

/* tall: expanded, so that every CPU gets a line where there is room for it. memory: no other box
 * tells it. */
void overview_cpus(struct canvas *c, struct rect r, const struct snapshot *s, bool tall,
                   bool memory);
/* Rows that overview_cpus wants in w cells. */
int overview_cpu_rows(const struct snapshot *s, int w);

/* The measured ones of the key numbers, in order; returns how many, at most n. */
size_t overview_choose(const struct snapshot *s, const struct metric **out, size_t n);
enum { OVERVIEW_NUMBERS_MAX = 32 };
void overview_numbers(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                      const struct model *m);
/* Expanded: one a line, with its history. */
void overview_numbers_tall(struct canvas *c, struct rect r, const struct metric *const *k, size_t n,
                           const struct model *m);
void overview_topdown(struct canvas *c, struct rect r, const struct metric *const *td, size_t n);
/* Expanded: the bar, and every category of every level. */
void overview_topdown_tall(struct canvas *c, struct rect r, const struct metric *const *td,
                           size_t n, const struct snapshot *s);
/* The bricks that take the longest, the last pass, the distance to the roof. */
void overview_bricks(struct canvas *c, struct rect r, const struct snapshot *s);
/* Swap, network, disks, cache; with a second row the devices. */
void overview_io(struct canvas *c, struct rect r, const struct model *m);
int overview_io_rows(struct rect area, const struct snapshot *s); /* that it wants */
/* Expanded: memory by kind, graphs, every device. */
void overview_io_tall(struct canvas *c, struct rect r, const struct model *m);
/* A line each GPU. */
void overview_gpus(struct canvas *c, struct rect r, const struct model *m);
/* One quiet line: why there are no slots to draw. */
void overview_reason(struct canvas *c, struct rect r, const struct snapshot *s);
bool overview_has_reason(const struct snapshot *s);

#endif
