/* The parts of the roofline view: what is shown, its list, its plot, its details. */
#pragma once

#include "engine/bricks/bricks.h"
#include "engine/live/watched_work.h"
#include "engine/roofline/roofline_cpu.h"
#include "engine/roofline/roofline_fields.h"
#include "tui/model/view.h"

enum { POINTS_MAX = 4096, ROOFLINE_LINES = 64 };

/* A line of a roof: the whole roof of a brick's backend, or one ceiling of a GPU. */
struct roofline_line {
    const struct roof *roof; /* the roof of a backend; NULL: the members below describe a ceiling */
    bool memory;
    /* a diagonal ends at `most`; a horizontal line begins below `fastest` */
    double peak, most, fastest;
    char label[64];
    uint8_t role;
    bool dashed;
};

struct roofline_sorted {
    const struct roof_point *p;
    uint16_t rank;
};

/* view_state.own: the shown points: filtered, of the chosen backend, sorted. */
struct roofline_shown {
    const struct roofline *r;
    struct roofline alone; /* without points; r points to it if no brick told its work */
    const struct graph *g;
    const struct trace *t;       /* NULL: the points are not of a profile */
    const struct cpu_roofs *cpu; /* the measured roofs of the points' CPU; NULL: none */
    const struct cpu_host *host; /* of the machine that is watched live; NULL: none */
    struct watched_work work;    /* what its counters tell now, if live */
    bool live;
    bool counters; /* the points come from counters of a GPU, with several ceilings */
    int mode;      /* 0: all roofs; else 1 + the shown roof */
    int level;     /* 0: all levels of memory; else 1 + enum work_level */
    bool loaded;   /* DRAM under load is drawn in place of the roofline */
    uint64_t total;
    const struct roof_point *point[POINTS_MAX];
    char letter[POINTS_MAX];      /* on the plot, by rank in time, in any order of the list */
    uint16_t by_time[POINTS_MAX]; /* indices into the list, the longest first */
    uint16_t rank[POINTS_MAX];    /* rank by time of each place in the list */
    size_t n;
    struct roofline_sorted list[POINTS_MAX]; /* used while sorting */
    struct roofline_line lines[ROOFLINE_LINES];
    int nlines;
    bool roomy; /* the plot has room for lines that do not bind */
};

static inline const struct roof *roofline_roof(const struct roofline_shown *shown,
                                               const struct roof_point *p)
{
    return p->roof == GRAPH_NONE ? NULL : &shown->r->roofs[p->roof];
}
/* Whether a roof is drawn: all are, or only the chosen one. A CPU has a roof for each number of
 * threads, with many lines each, so only that of the selected point is drawn. */
static inline bool roofline_roof_shown(const struct roofline_shown *shown, uint32_t i,
                                       const struct roof_point *selected)
{
    if (shown->mode || !shown->r->roofs[i].threads)
        return !shown->mode || i == (uint32_t)(shown->mode - 1);
    return selected ? selected->roof == i : i == 0;
}
/* The row of a point. */
struct roofline_item roofline_item(const struct roofline_shown *shown, const struct roof_point *p);
/* Bytes per second at the chosen level of memory. */
double roofline_bytes(const struct roofline_shown *shown, const struct roof_point *p);
struct style roofline_reached_style(const struct roof_point *p);
const char *roofline_number(double v, enum unit unit, bool ascii, char out[VALUE_TEXT_MAX]);

void roofline_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX]);
void roofline_list(struct canvas *c, struct rect r, struct view_state *st);
void roofline_plot(struct canvas *c, struct rect r, const struct view_state *st);
/* Draws the latency of DRAM under load, with what uses memory now. */
void roofline_load(struct canvas *c, struct rect r, const struct view_state *st);
/* Draws the roofs of the host, with a point for the watched program, if no brick told its work. */
void roofline_host(struct canvas *c, struct rect r, const struct model *m, struct view_state *st);
/* The number of rows for the details of the selected point. */
int roofline_detail_rows(const struct roofline_shown *shown);
void roofline_detail(struct canvas *c, struct rect r, const struct view_state *st);
