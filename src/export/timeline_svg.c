/* A timeline as SVG: a pixel shows what a cell of the screen's timeline shows. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/print.h"
#include "engine/trace/graph_brief.h"
#include "engine/value/document.h"
#include "engine/value/timeline_scale.h"
#include "engine/value/value.h"
#include "export/svg.h"
#include "export/timeline_export.h"

enum {
    LABEL = 200,
    PIXELS = 1200,
    ROW = 16,
    TOP = 24,
    MARGIN = 10,
    CHAR = 7,
    ROWS_MOST = 400,
    ARROWS_MOST = 2000
};

static const char *const fill[NODE_KINDS] = {
    [NODE_PROGRAM] = "#8d99ae",  [NODE_THREAD] = "#a5b0c3",   [NODE_BACKEND] = "#b8a9d9",
    [NODE_LAYER] = "#7fb2e5",    [NODE_BRICK] = "#79c28b",    [NODE_KERNEL] = "#7ec4a4",
    [NODE_TRANSFER] = "#b59ad6", [NODE_FUNCTION] = "#9fb6d6", [NODE_TASK] = "#7fcac8",
    [NODE_QUEUE] = "#c9b28b",    [NODE_RANGE] = "#d9d9d2",
};
#define CRITICAL      "#e4572e"
#define COMMUNICATION "#6cc3a0"

struct svg_drawing {
    FILE *out;
    const struct timeline_export *e;
    unsigned y;
    uint32_t rows;   /* rows drawn so far */
    unsigned *row_y; /* y of each row; 0: not drawn */
    uint32_t arrows;
};

static double timeline_x_of(const struct svg_drawing *d, uint64_t time)
{
    double share = (double)(time - d->e->from) / (double)(d->e->to - d->e->from);
    return MARGIN + LABEL + share * PIXELS;
}

/* Marks the parts of n cells that are on the critical path, without relying on colour. */
static void draw_critical_bars(struct svg_drawing *d, const struct timeline_cell *cells, uint32_t n)
{
    for (uint32_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && cells[j].critical == cells[i].critical; j++) {
        }
        double a = timeline_x_of(d, cells[i].first), w = timeline_x_of(d, cells[j - 1].last) - a;
        if (cells[i].critical)
            fprintf(d->out,
                    "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"3\" fill=\"" CRITICAL "\"/>",
                    a, d->y + ROW - 5, w < 0.5 ? 0.5 : w);
    }
}

/* Draws n cells of one span, or one cell that several spans share, named after the longest. */
static void draw_span_box(struct svg_drawing *d, const struct timeline_cell *cell, uint32_t n,
                          double share)
{
    const struct timeline *t = d->e->t;
    const struct graph *g = t->calls;
    uint32_t v = cell->longest;
    uint64_t first = cell->first, last = cell[n - 1].last;
    double a = timeline_x_of(d, first), w = timeline_x_of(d, last) - a;
    bool pale = d->e->names && !d->e->names->hit[g->name[v]];
    char from[TIMELINE_TIME_MAX], length[VALUE_TEXT_MAX];
    uint64_t ns = timeline_end(g, v) - g->start[v];
    timeline_time(g->start[v] - t->from, 1, t->to - t->from, from);
    value_time((double)ns, true, length);
    w = w < 0.5 ? 0.5 : w;
    fputs("<g><title>", d->out);
    print_xml(d->out, "%.*s", 400, graph_name(g, v));
    print_xml(d->out, "  %s from %s%s", length, from,
              timeline_is_critical(t, v) ? ", on the path" : "");
    if (cell->count > 1)
        print_xml(d->out, " (of %" PRIu32 " spans)", cell->count);
    print_xml(d->out,
              "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"%s\" "
              "stroke=\"#fbfbf8\" stroke-width=\"0.6\" opacity=\"%.2f\"/>",
              a, d->y, w, ROW - 2, g->flags[v] & NODE_COLLECTIVE ? COMMUNICATION : fill[g->kind[v]],
              (pale ? 0.25 : 1) * (0.35 + 0.65 * share));
    draw_critical_bars(d, cell, n);
    if (cell->count == 1 && w > 5 * CHAR) {
        char name[512];
        fprintf(d->out, "<text x=\"%.2f\" y=\"%u\">", a + 3, d->y + ROW - 5);
        int room = (int)((w - 6) / CHAR);
        print_xml(d->out, "%.*s", room, graph_brief(g, v, room, false, name, sizeof name));
        fputs("</text>", d->out);
    }
    fputs("</g>\n", d->out);
}

static void draw_row(struct svg_drawing *d, uint32_t r)
{
    struct timeline_cell *cells = xcalloc(PIXELS, sizeof *cells);
    uint64_t from = d->e->from, to = d->e->to;
    timeline_cells(d->e->t, r, from, to, PIXELS, cells);
    for (uint32_t i = 0, j; i < PIXELS; i = j) {
        const struct timeline_cell *a = &cells[i];
        for (j = i + 1;
             j < PIXELS && a->count == 1 && cells[j].count == 1 && cells[j].longest == a->longest;
             j++) {
        }
        uint64_t wide = a->last - a->first; /* several spans share one cell */
        if (a->count)
            draw_span_box(d, a, j - i,
                          a->count == 1 || wide == 0 ? 1 : (double)a->busy / (double)wide);
    }
    free(cells);
    d->row_y[r] = d->y;
    d->y += ROW;
    d->rows++;
}

static void draw_time_axis(const struct svg_drawing *d, unsigned height)
{
    const struct timeline *t = d->e->t;
    uint64_t from = d->e->from - t->from, to = d->e->to - t->from;
    uint64_t step = timeline_tick(from, to, PIXELS / CHAR);
    char label[TIMELINE_TIME_MAX];
    for (uint64_t at = from - from % step + (from % step ? step : 0); at < to; at += step) {
        double x = timeline_x_of(d, t->from + at);
        print_xml(d->out,
                  "<path d=\"M%.2f %d V%u\" stroke=\"#ddd\"/><text x=\"%.2f\" y=\"%d\">%s</text>\n",
                  x, TOP - 14, height - MARGIN, x + 3, TOP - 6, timeline_time(at, step, to, label));
        if (step > UINT64_MAX - at)
            break;
    }
}

static void draw_timeline_lanes(struct svg_drawing *d)
{
    const struct timeline *t = d->e->t;
    for (uint32_t l = 0; l < t->nlanes && d->rows < ROWS_MOST; l++) {
        const struct timeline_lane *lane = &t->lanes[l];
        if (t->groups[lane->group].first_lane == l) {
            fprintf(d->out, "<text x=\"%d\" y=\"%u\" font-weight=\"bold\">", MARGIN,
                    d->y + ROW - 5);
            print_xml(d->out, "%.*s", 60, timeline_group_name(t, lane->group));
            fputs("</text>\n", d->out);
            d->y += ROW;
        }
        if (lane->nrows == 0)
            continue;
        svg_text(d->out, MARGIN + CHAR, d->y + ROW - 5, (LABEL - CHAR) / CHAR - 1,
                 timeline_lane_name(t, l));
        for (uint32_t r = 0; r < lane->nrows && d->rows < ROWS_MOST; r++)
            draw_row(d, lane->first_row + r);
    }
    if (d->rows < t->nrows)
        fprintf(d->out, "<text x=\"%d\" y=\"%u\">and %" PRIu32 " rows more</text>\n", MARGIN,
                d->y + ROW - 5, t->nrows - d->rows);
}

/* Arrows between lanes, to spans that are wide enough to be seen. */
static void arrows_to(void *ctx, uint32_t lane, uint32_t row, uint32_t v)
{
    struct svg_drawing *d = ctx;
    const struct timeline *t = d->e->t;
    struct timeline_arrow arrows[8];
    const uint32_t n = timeline_arrows(t, v, false, arrows, sizeof arrows / sizeof *arrows);
    (void)row;
    for (uint32_t i = 0; i < n && d->arrows < ARROWS_MOST; i++) {
        const struct timeline_arrow *a = &arrows[i];
        const uint32_t from = t->row_of[a->from], to = t->row_of[v];
        if (timeline_lane_of_row(t, from) == lane || !d->row_y[from] || !d->row_y[to] ||
            a->leaves < d->e->from || a->leaves > d->e->to || a->arrives < d->e->from ||
            a->arrives > d->e->to)
            continue;
        const bool down = d->row_y[from] < d->row_y[to];
        fprintf(d->out,
                "<path d=\"M%.2f %u L%.2f %u\" stroke=\"#444\" stroke-width=\"0.8\" fill=\"none\" "
                "opacity=\"0.6\" marker-end=\"url(#arrow)\"/>\n",
                timeline_x_of(d, a->leaves), d->row_y[from] + (down ? ROW - 2 : 0),
                timeline_x_of(d, a->arrives), d->row_y[to] + (down ? 0 : ROW - 2));
        d->arrows++;
    }
}

static void draw_arrows(struct svg_drawing *d)
{
    fputs("<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" "
          "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#444\"/></marker>"
          "</defs>\n",
          d->out);
    timeline_export_each(d->e, arrows_to, d);
}

void timeline_export_svg(FILE *out, const struct timeline_export *e)
{
    struct svg_drawing d = {.out = out, .e = e, .y = TOP};
    d.row_y = xcalloc(e->t->nrows + 1u, sizeof *d.row_y);
    uint32_t rows = e->t->nrows < ROWS_MOST ? e->t->nrows : ROWS_MOST;
    unsigned height = TOP + (rows + e->t->ngroups + 1) * ROW + MARGIN;
    svg_begin(out, LABEL + PIXELS + 2 * MARGIN, height, 11, "");
    draw_time_axis(&d, height);
    draw_timeline_lanes(&d);
    draw_arrows(&d);
    free(d.row_y);
    svg_end(out);
}
