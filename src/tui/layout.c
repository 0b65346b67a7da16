#include "tui/layout.h"

#include "tui/widgets/meter.h"

void layout_screen(int cols, int rows, struct screen_layout *out)
{
    int view = rows > 2 ? rows - 2 : 0;
    *out = (struct screen_layout){
        .tabs = {0, 0, cols, rows > 0 ? 1 : 0},
        .view = {0, 1, cols, view},
        .footer = {0, rows - 1, cols, rows > 1 ? 1 : 0},
    };
}

enum { CPU_METER_W = 26 }; /* "cpu 12 ▇▇▇▇▇▇▇▇▇─── 100 %" */

/* Few CPUs get a meter each; many share the heat map, which has a line of legend. */
static int cpu_rows(int ncpus, int w)
{
    int per_row = w / CPU_METER_W;
    if (ncpus <= 0)
        return 1;
    if (per_row > 0 && ncpus <= 2 * per_row)
        return (ncpus + per_row - 1) / per_row;
    return heat_rows(ncpus, w - 2) + 1;
}

/* Takes rows from the budget, or none where they do not fit. */
static int take(int *budget, int rows)
{
    if (rows > *budget)
        return 0;
    *budget -= rows;
    return rows;
}

static struct rect row_of(struct rect area, int *y, int rows)
{
    struct rect r = {area.x, area.y + *y, area.w, rows};
    *y += rows;
    return r;
}

static void place_graphs(struct rect r, struct overview_layout *out)
{
    int n = r.h < 4 ? 0 : r.w >= 150 ? 4 : r.w >= 114 ? 3 : r.w >= 60 ? 2 : 1;
    for (int i = 0; i < n; i++) {
        int x0 = r.w * i / n, x1 = r.w * (i + 1) / n;
        out->graph[i] = (struct rect){r.x + x0, r.y, x1 - x0, r.h};
    }
}

/* Rows of key numbers: as many as there are numbers for, within what the height allows. */
static int metric_rows(struct rect area, int n)
{
    int cols = area.w / LAYOUT_METRIC_W, most = area.h >= 34 ? 3 : area.h >= 20 ? 2 : 1;
    int want = cols > 0 ? (n + cols - 1) / cols : 0;
    return want < 1 ? 1 : want > most ? most : want;
}

void layout_overview(struct rect area, const struct overview_facts *f, struct overview_layout *out)
{
    *out = (struct overview_layout){0};
    int budget = area.h / 2, y = 0;
    int want = area.h / 4 + 1, host = take(&budget, 1);
    int cpus = take(&budget, cpu_rows(f->ncpus, area.w));
    int slots = f->topdown || f->notice ? take(&budget, 1) : 0;
    int metrics = take(&budget, metric_rows(area, f->nmetrics));
    want = want > 14 ? 14 : want < 6 ? 6 : want;
    int graphs = take(&budget, want > budget ? budget : want);
    if (graphs > 0 && graphs < 5) { /* too low to read: better none */
        budget += graphs;
        graphs = 0;
    }
    if (f->topdown && slots && budget >= 1 && area.h >= 30)
        slots += take(&budget, 1);
    out->host = row_of(area, &y, host);
    place_graphs(row_of(area, &y, graphs), out);
    out->cpus = row_of(area, &y, cpus);
    out->metrics = row_of(area, &y, metrics);
    out->topdown = row_of(area, &y, slots);
    out->procs = row_of(area, &y, area.h > y ? area.h - y : 0);
}
