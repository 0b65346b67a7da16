/* The parts of the roofline view: what is shown, its list, its plot, its details. */
#ifndef ROOFTOP_TUI_VIEWS_ROOFLINE_ROOFLINE_H
#define ROOFTOP_TUI_VIEWS_ROOFLINE_ROOFLINE_H

#include "engine/bricks/bricks.h"
#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_gpu.h"
#include "tui/model/view.h"

enum { POINTS_MAX = 4096 };
enum { SORT_TIME, SORT_DISTANCE, SORT_INTENSITY, SORT_FLOPS, SORT_NAME, SORTS };

/* Points as shown: filtered, of the chosen backend, sorted. Drawing happens on one thread. */
struct roofline_shown {
    const struct roofline *r;
    const struct graph *g;
    const struct trace *t; /* NULL: not of a profile */
    bool counters;         /* points are of a GPU's counters: several ceilings */
    int mode;              /* 0: all roofs; else 1 + the one shown */
    int level;             /* 0: all levels of memory; else 1 + enum work_level */
    uint64_t total;
    const struct roof_point *point[POINTS_MAX];
    char letter[POINTS_MAX];      /* on the plot; by time, whatever the order of the list */
    uint16_t by_time[POINTS_MAX]; /* places in the list, the longest first */
    uint16_t rank[POINTS_MAX];    /* of each place in the list, by time */
    size_t n;
};
extern struct roofline_shown roofline_shown;

static inline const struct roof *roofline_roof(const struct roof_point *p)
{
    return p->roof == GRAPH_NONE ? NULL : &roofline_shown.r->roofs[p->roof];
}
static inline bool roofline_roof_shown(uint32_t i)
{
    return !roofline_shown.mode || i == (uint32_t)(roofline_shown.mode - 1);
}
/* Where a point lies: at the chosen level, else at the first that its counters tell of. NAN */
double roofline_intensity(const struct roof_point *p);
/* Bytes a second of that level. */
double roofline_bytes(const struct roof_point *p);
struct style roofline_reached_style(const struct roof_point *p);
const char *roofline_number(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX]);

extern const char *const roofline_sorts[];
extern const struct query_field roofline_fields[];

void roofline_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX]);
void roofline_list(struct canvas *c, struct rect r, struct view_state *st);
void roofline_plot(struct canvas *c, struct rect r, const struct view_state *st);
/* Of the selected point; rows it would like. */
int roofline_detail_rows(void);
void roofline_detail(struct canvas *c, struct rect r, const struct view_state *st);

#endif
