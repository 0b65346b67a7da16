#include "tui/model/layout.h"

#include "base/limit.h"

void layout_screen(int cols, int rows, struct screen_layout *out)
{
    int view = rows > 2 ? rows - 2 : 0;
    *out = (struct screen_layout){
        .tabs = {0, 0, cols, rows > 0 ? 1 : 0},
        .view = {0, 1, cols, view},
        .footer = {0, rows - 1, cols, rows > 1 ? 1 : 0},
    };
}

enum { LEAST_GRAPH = 5 }; /* rows, including frame and axis */

/* Takes rows from the budget, or none if they do not fit. */
static int take_rows(int *budget, int rows)
{
    if (rows > *budget)
        return 0;
    *budget -= rows;
    return rows;
}

static struct rect next_row(struct rect area, int *y, int rows)
{
    struct rect r = {area.x, area.y + *y, area.w, rows};
    *y += rows;
    return r;
}

static bool is_box_shown(const struct overview_facts *f, int box)
{
    return !(f->hidden >> box & 1);
}

static int graphs_shown(const struct overview_facts *f)
{
    int n = 0;
    for (int i = 0; i < LAYOUT_GRAPHS; i++)
        n += is_box_shown(f, BOX_CPU + i);
    return n;
}

enum { FOUR_FROM = 150, THREE_FROM = 114, NARROW_FROM = 78 /* cells of graphs side by side */ };

/* How many graphs stay readable side by side. */
static int fitting_graphs(int w, bool narrow)
{
    if (w >= FOUR_FROM)
        return 4;
    if (w >= THREE_FROM || (narrow && w >= NARROW_FROM))
        return 3;
    return w >= 60 ? 2 : 1;
}

/* How wide the graphs are beside each other; of the narrow ones memory has the longest title. */
static int graph_weight(bool narrow, int graph)
{
    static const int weights[LAYOUT_GRAPHS] = {21, 34, 25, 25};
    return narrow ? weights[graph] : 1;
}

/* The sum of the weights of the shown graphs [from, to), counted without the hidden ones. */
static int sum_weights(const struct overview_facts *f, bool narrow, int from, int to)
{
    int sum = 0, at = 0;
    for (int i = 0; i < LAYOUT_GRAPHS; i++) {
        if (!is_box_shown(f, BOX_CPU + i))
            continue;
        sum += at >= from && at < to ? graph_weight(narrow, i) : 0;
        at++;
    }
    return sum;
}

/*
 * Places as many graphs side by side as stay readable. The rest goes below if the whole view is for
 * graphs.
 */
static void place_graphs(struct rect r, const struct overview_facts *f, bool grid,
                         struct overview_layout *out)
{
    int fit = fitting_graphs(r.w, f->narrow), n = graphs_shown(f), at = 0;
    int cols = n < fit ? n : fit;
    int rows = cols > 0 && grid ? (n + cols - 1) / cols : 1;
    while (rows > 1 && r.h / rows < 4)
        rows--;
    if (rows > 1) /* two rows of two look better than three and one */
        cols = (n + rows - 1) / rows;
    const bool narrow = f->narrow && cols > 2 && r.w < THREE_FROM;
    if (r.h < 4 || n == 0)
        return;
    for (int i = 0; i < LAYOUT_GRAPHS && at < cols * rows; i++) {
        if (!is_box_shown(f, BOX_CPU + i))
            continue;
        int row = at / cols, left = n - row * cols, in_row = left < cols ? left : cols;
        const int first = row * cols, all = sum_weights(f, narrow, first, first + in_row);
        int x0 = r.w * sum_weights(f, narrow, first, at) / all;
        int x1 = r.w * sum_weights(f, narrow, first, at + 1) / all;
        int y0 = r.h * row / rows, y1 = r.h * (row + 1) / rows;
        out->graph[i] = (struct rect){r.x + x0, r.y + y0, x1 - x0, y1 - y0};
        at++;
    }
}

/* Rows of key numbers: as many as needed, within what the height allows. */
static int metric_rows(struct rect area, int n)
{
    int cols = area.w / LAYOUT_METRIC_W, most = 1 + (area.h >= 20) + (area.h >= 34);
    int want = cols > 0 ? (n + cols - 1) / cols : 0;
    return limit_int(want, 1, most);
}

/* Where the place of a box that is no graph is kept. */
static struct rect *find_box_place(struct overview_layout *out, int box)
{
    switch (box) {
    case BOX_CPUS:
        return &out->cpus;
    case BOX_IO:
        return &out->io;
    case BOX_METRICS:
        return &out->metrics;
    case BOX_TOPDOWN:
        return &out->topdown;
    case BOX_BRICKS:
        return &out->bricks;
    case BOX_GPUS:
        return &out->gpus;
    default:
        return &out->procs;
    }
}

static void lay_out_expanded_box(struct rect area, int box, struct overview_layout *out)
{
    int y = 0;
    out->host = next_row(area, &y, area.h > 4 ? 1 : 0);
    struct rect rest = next_row(area, &y, area.h - y);
    if (box < BOX_CPUS)
        out->graph[box - BOX_CPU] = rest;
    else
        *find_box_place(out, box) = rest;
}

/*
 * Places the box beside the processes if there is room, else above them. Without processes it gets
 * their place.
 */
static void place_bricks(bool list, struct overview_layout *out)
{
    enum { BESIDE_FROM = 118, ROWS = 8, LEAST = 5 };
    struct rect *p = &out->procs;
    out->bricks = *p;
    if (!list) {
        *p = (struct rect){0};
    } else if (p->w >= BESIDE_FROM) {
        out->bricks.w = p->w * 9 / 20;
        out->bricks.x = p->x + p->w - out->bricks.w;
        p->w -= out->bricks.w;
    } else {
        out->bricks.h = p->h / 2 < ROWS ? p->h / 2 : ROWS;
        if (out->bricks.h < LEAST)
            out->bricks.h = 0;
        p->y += out->bricks.h;
        p->h -= out->bricks.h;
    }
}

/* Places one line per GPU above the other boxes, as long as those stay readable. */
static void place_gpus(int n, bool list, struct overview_layout *out)
{
    enum { LEAST_BELOW = 6, MOST = 8 };
    struct rect *below = list ? &out->procs : &out->gpus;
    int rows = (n < MOST ? n : MOST) + 2;
    int room = below->h - (list ? LEAST_BELOW : 0);
    if (!list || room < 3)
        return;
    rows = rows < room ? rows : room;
    out->gpus = (struct rect){below->x, below->y, below->w, rows};
    below->y += rows;
    below->h -= rows;
}

void layout_overview(struct rect area, const struct overview_facts *f, struct overview_layout *out)
{
    *out = (struct overview_layout){0};
    if (f->expanded > 0 && f->expanded <= BOX_COUNT) {
        lay_out_expanded_box(area, f->expanded - 1, out);
        return;
    }
    bool bricks = f->bricks && is_box_shown(f, BOX_BRICKS), processes = is_box_shown(f, BOX_PROCS);
    bool gpus = f->gpus > 0 && is_box_shown(f, BOX_GPUS);
    bool list = processes || bricks || gpus;
    int budget = list ? area.h / 2 : area.h, y = 0;
    int want = list ? area.h / 4 + 1 : area.h, host = take_rows(&budget, 1);
    int cpus = is_box_shown(f, BOX_CPUS) ? take_rows(&budget, f->cpu_rows) : 0;
    int slots =
        is_box_shown(f, BOX_TOPDOWN) && (f->topdown || f->notice) ? take_rows(&budget, 1) : 0;
    int io = is_box_shown(f, BOX_IO) ? take_rows(&budget, f->io_rows) : 0;
    int metrics =
        is_box_shown(f, BOX_METRICS) ? take_rows(&budget, metric_rows(area, f->nmetrics)) : 0;
    bool more = f->topdown && slots && area.h >= 30;
    want = limit_int(want, 6, list ? 14 : want);
    if (!list) /* graphs get the rest, except the legend of the bar */
        want = budget - (more ? 1 : 0);
    /* a graph is worth more than a row of numbers */
    if (graphs_shown(f) && budget == LEAST_GRAPH - 1 && metrics > 1) {
        metrics--;
        budget++;
    }
    want = want > budget ? budget : want;
    int graphs = graphs_shown(f) ? take_rows(&budget, want) : 0;
    if (graphs > 0 && graphs < LEAST_GRAPH) { /* too low to be readable, so it is left out */
        budget += graphs;
        graphs = 0;
    }
    if (more && budget >= 1)
        slots += take_rows(&budget, 1);
    out->host = next_row(area, &y, host);
    place_graphs(next_row(area, &y, graphs), f, !list, out);
    out->cpus = next_row(area, &y, cpus);
    out->io = next_row(area, &y, io);
    out->metrics = next_row(area, &y, metrics);
    out->topdown = next_row(area, &y, slots);
    if (list)
        out->procs = next_row(area, &y, area.h > y ? area.h - y : 0);
    if (gpus)
        place_gpus(f->gpus, list, out);
    if (bricks)
        place_bricks(processes, out);
    else if (!processes)
        out->procs = (struct rect){0};
}
