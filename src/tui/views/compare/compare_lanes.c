/* Two profiles over time, one above the other, aligned at the spans of the selected row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "engine/code/kernel_name.h"
#include "engine/timeline/timeline.h"
#include "tui/views/compare/compare.h"
#include "tui/widgets/hue.h"

enum {
    CELLS_MOST = 512,
    LABEL_LEAST = 16,
    ROWS_LOOKED_AT = 4096,
    BEFORE = 4 /* the marked span begins at 1/4 of the width */
};

bool compare_row_ran(const struct compare_row *r)
{
    return r && (r->group == RUN_BRICK || r->group == RUN_KERNEL);
}

static bool is_kind_of_row(const struct compare_row *r, uint8_t kind)
{
    if (r->id[0] == 'b')
        return kind == NODE_BRICK;
    return kind == (r->id[0] == 't' ? NODE_TRANSFER : NODE_KERNEL);
}

/* Whether raw is the row's name: demangled, without arguments, or followed by a shape. */
static bool is_name_of_row(const struct compare_row *r, const char *raw)
{
    char full[KERNEL_NAME_BYTES], base[KERNEL_NAME_BYTES];
    if (strcmp(raw, r->label) == 0)
        return true;
    if (r->id[0] != 'k')
        return false;
    const char *name = kernel_full_name(raw, full, sizeof full);
    size_t n = strlen(name);
    if (strncmp(r->label, name, n) == 0 && (!r->label[n] || strncmp(r->label + n, " [", 2) == 0))
        return true;
    return strcmp(r->label, kernel_base_name(raw, base, sizeof base)) == 0;
}

static int compare_span_starts(const void *x, const void *y, void *ctx)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return timeline_order(ctx, a, b);
}

static void find_row_spans(struct compare_times *out, const struct compare_row *r,
                           const struct timeline *t)
{
    const struct graph *g = t->calls;
    out->hit = xcalloc(g->nnames + 1u, 1);
    for (uint32_t i = 0; i < g->nnames; i++)
        out->hit[i] = is_name_of_row(r, graph_text(g, i));
    for (uint32_t i = 0; i < t->nspans; i++) {
        uint32_t v = t->spans[i];
        if (!out->hit[g->name[v]] || !is_kind_of_row(r, g->kind[v]))
            continue;
        if ((out->n & (out->n + 1)) == 0) /* at 0, 1, 3, 7, … the array is full and is doubled */
            out->nodes = xrealloc(out->nodes, 2 * out->n + 2, sizeof *out->nodes);
        out->nodes[out->n++] = v;
    }
    if (out->n)
        qsort_r(out->nodes, out->n, sizeof *out->nodes, compare_span_starts, (void *)g);
}

void compare_lanes_free(struct compare_lanes *kept)
{
    for (int i = 0; i < 2; i++) {
        free(kept->side[i].hit);
        free(kept->side[i].nodes);
        kept->side[i] = (struct compare_times){.n = 0};
        kept->serial[i] = 0;
    }
    free(kept->id);
    kept->id = NULL;
}

static void keep_lanes(struct compare_lanes *kept, const struct shown_comparison *k,
                       const struct compare_row *row)
{
    uint64_t serial[2];
    for (int i = 0; i < 2; i++)
        serial[i] = k->profiles[i] ? k->profiles[i]->trace.calls->serial : 0;
    if (kept->id && row && strcmp(kept->id, row->id) == 0 && serial[0] == kept->serial[0] &&
        serial[1] == kept->serial[1])
        return;
    compare_lanes_free(kept);
    if (!compare_row_ran(row))
        return;
    kept->id = xstrdup(row->id);
    for (int i = 0; i < 2; i++) {
        const struct timeline *t = k->profiles[i] ? analysis_timeline(k->profiles[i]) : NULL;
        kept->serial[i] = serial[i];
        if (t)
            find_row_spans(&kept->side[i], row, t);
    }
}

/* --- drawing --- */

struct lanes {
    struct canvas *c;
    const struct timeline *t;
    const struct compare_times *times; /* NULL: nothing is marked */
    uint64_t from, to; /* the visible time; parts of it may lie outside the profile */
    uint32_t marked;   /* the span at which both are aligned; or GRAPH_NONE */
    int label;         /* columns for names, the same for both */
    uint32_t above;    /* the lane of the last drawn row; or GRAPH_NONE */
};

/* The width of the longest name of both sides, at most two fifths of the whole width. */
static int lane_label_width(const struct lanes l[2], int width)
{
    int label = LABEL_LEAST, most = width * 2 / 5;
    for (int i = 0; i < 2; i++)
        for (uint32_t lane = 0; l[i].t && label < most && lane < l[i].t->nlanes; lane++) {
            int w = text_width(timeline_lane_alone(l[i].t, lane)) + 1;
            label = w > label ? w : label;
        }
    return label < most || most < LABEL_LEAST ? label : most;
}

static void draw_compared_lane(struct lanes *l, struct rect r, uint32_t row)
{
    struct timeline_cell cells[CELLS_MOST];
    const struct graph *g = l->t->calls;
    int width = r.w - l->label < CELLS_MOST ? r.w - l->label : CELLS_MOST;
    if (width < 1)
        return;
    uint32_t lane = timeline_lane_of_row(l->t, row);
    if (lane != l->above) /* a lane with overlapping spans has several rows, but one name */
        canvas_text_ends(l->c, r.x, r.y, l->label - 1, timeline_lane_alone(l->t, lane),
                         STYLE(STYLE_DIM));
    l->above = lane;
    timeline_cells(l->t, row, l->from, l->to, (uint32_t)width, cells);
    for (int x = 0; x < width; x++) {
        const struct timeline_cell *cell = &cells[x];
        if (!cell->count)
            continue;
        bool hit = l->times && l->times->hit && l->times->hit[g->name[cell->longest]];
        struct style st = hue_of_work((enum node_kind)g->kind[cell->longest],
                                      g->flags[cell->longest] & NODE_COLLECTIVE);
        if (cell->longest == l->marked)
            st = STYLE(STYLE_TITLE);
        else if (hit)
            st = (struct style){.role = STYLE_HOT, .bold = 1};
        uint32_t full = l->c->ascii ? '#' : 0x2588;
        uint32_t part = l->c->ascii ? '=' : 0x2592;
        uint32_t ch = hit ? full : part;
        bool edge = x + 1 < width && cells[x + 1].count && cells[x + 1].longest != cell->longest;
        canvas_put(l->c, r.x + l->label + x, r.y, edge ? hue_edge(ch, l->c->ascii) : ch, st);
    }
}

static bool is_queue_row(const struct timeline *t, uint32_t row)
{
    uint32_t node = t->lanes[timeline_lane_of_row(t, row)].node;
    return node != GRAPH_NONE && t->calls->kind[node] == NODE_QUEUE;
}

/*
 * Draws rows that have a span in the window, those of devices first, and always that of the marked
 * span.
 */
static void draw_lane_rows(struct lanes *l, struct rect r)
{
    uint32_t must = l->marked == GRAPH_NONE ? GRAPH_NONE : l->t->row_of[l->marked];
    uint32_t n = l->t->nrows < ROWS_LOOKED_AT ? l->t->nrows : ROWS_LOOKED_AT;
    int y = 0;
    l->above = GRAPH_NONE;
    for (uint32_t i = 0; i < 2 * n && y < r.h; i++) {
        struct timeline_cell all;
        uint32_t row = i % n;
        if (is_queue_row(l->t, row) != (i < n))
            continue;
        if (y + 1 == r.h && must != GRAPH_NONE)
            row = must;
        timeline_cell(l->t, row, l->from, l->to, &all);
        if (!all.count)
            continue;
        draw_compared_lane(l, (struct rect){r.x, r.y + y++, r.w, 1}, row);
        must = row == must ? GRAPH_NONE : must;
    }
    if (y < r.h && must != GRAPH_NONE)
        draw_compared_lane(l, (struct rect){r.x, r.y + y, r.w, 1}, must);
}

static void write_lane_time(uint64_t ns, bool ascii, char out[VALUE_TEXT_MAX])
{
    struct value v = value_ok((double)ns / 1e9, UNIT_SECONDS);
    value_format(&v, ascii, out);
}

static void draw_compare_side(struct lanes *l, struct rect r, const char *letter, const char *name,
                              int n, const struct analysis *a)
{
    char title[200], when[VALUE_TEXT_MAX], took[VALUE_TEXT_MAX];
    if (!a || !l->t) {
        canvas_box(l->c, r, STYLE(STYLE_DIM), letter, name);
        return;
    }
    const struct graph *g = l->t->calls;
    if (l->marked == GRAPH_NONE) {
        snprintf(title, sizeof title, "%s from its begin", letter);
    } else {
        write_lane_time(g->start[l->marked] - l->t->from, l->c->ascii, when);
        write_lane_time(g->duration[l->marked], l->c->ascii, took);
        snprintf(title, sizeof title, "%s %d of %" PRIu32 ": at %s, takes %s", letter, n + 1,
                 l->times->n, when, took);
    }
    canvas_box(l->c, r, STYLE(STYLE_DIM), title, name);
    draw_lane_rows(l, (struct rect){r.x + 1, r.y + 1, r.w - 2, r.h - 2});
}

/* Both windows get the same length. Each begins so that the marked spans are in the same column. */
static void align_lane_windows(struct lanes l[2], int zoom)
{
    uint64_t width = 1;
    for (int i = 0; i < 2; i++) {
        if (!l[i].t)
            continue;
        uint64_t w = l[i].marked == GRAPH_NONE ? l[i].t->to - l[i].t->from
                                               : l[i].t->calls->duration[l[i].marked];
        width = w > width ? w : width;
    }
    bool marked = l[0].marked != GRAPH_NONE;
    uint64_t most = UINT64_MAX >> 8;
    width = width < most ? width : most;
    for (int z = 0; marked && z < zoom && width < most; z++)
        width *= 2;
    uint64_t before = marked ? width / BEFORE : 0;
    for (int i = 0; i < 2 && marked; i++) /* both move equally, so that they stay aligned */
        if (l[i].t && l[i].t->calls->start[l[i].marked] < before)
            before = l[i].t->calls->start[l[i].marked];
    for (int i = 0; i < 2; i++) {
        if (!l[i].t)
            continue;
        l[i].from = (marked ? l[i].t->calls->start[l[i].marked] : l[i].t->from) - before;
        l[i].to = l[i].from + width;
    }
}

void compare_lanes_draw(struct compare_lanes *kept, struct canvas *c, struct rect r,
                        const struct shown_comparison *k, const struct compare_row *row, int *n,
                        int zoom)
{
    struct lanes l[2];
    keep_lanes(kept, k, row);
    uint32_t fewest = kept->side[0].n < kept->side[1].n ? kept->side[0].n : kept->side[1].n;
    if (*n < 0 || !fewest)
        *n = 0;
    else if ((uint32_t)*n >= fewest)
        *n = (int)fewest - 1;
    for (int i = 0; i < 2; i++)
        l[i] = (struct lanes){.c = c,
                              .t = k->profiles[i] ? analysis_timeline(k->profiles[i]) : NULL,
                              .times = fewest ? &kept->side[i] : NULL,
                              .marked = fewest ? kept->side[i].nodes[*n] : GRAPH_NONE};
    align_lane_windows(l, zoom);
    l[0].label = l[1].label = lane_label_width(l, r.w - 2);
    int half = r.h / 2;
    draw_compare_side(&l[0], (struct rect){r.x, r.y, r.w, half}, "A", k->names[0], *n,
                      k->profiles[0]);
    draw_compare_side(&l[1], (struct rect){r.x, r.y + half, r.w, r.h - half}, "B", k->names[1], *n,
                      k->profiles[1]);
}
