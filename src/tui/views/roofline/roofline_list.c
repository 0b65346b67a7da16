/* The list of points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/views/roofline/roofline.h"
#include "tui/widgets/table.h"

enum { BAR = 8 };
enum {
    COL_MARK,
    COL_NAME,
    COL_BACKEND,
    COL_TIME,
    COL_FLOPS,
    COL_BYTES,
    COL_INTENSITY,
    COL_REACHED,
    COL_BAR,
    COL_BOUND,
    COLS
};
static const struct column columns[COLS] = {
    [COL_MARK] = {"", 1, false, false, 0},
    [COL_NAME] = {"BRICK, KERNEL", 16, true, false, 0},
    [COL_BACKEND] = {"BACKEND", 8, false, false, 4},
    [COL_TIME] = {"TIME %", 7, false, true, 1},
    [COL_FLOPS] = {"FLOP/S", 13, false, true, 0},
    [COL_BYTES] = {"MEMORY", 10, false, true, 3},
    [COL_INTENSITY] = {"FLOP/B", 6, false, true, 2},
    [COL_REACHED] = {"OF ROOF", 7, false, true, 0},
    [COL_BAR] = {"", BAR, false, false, 1},
    [COL_BOUND] = {"BOUND", 7, false, false, 0},
};

struct style roofline_reached_style(const struct roof_point *p)
{
    double reached = (1 - p->distance) * 100;
    return isnan(reached)      ? STYLE(STYLE_DIM)
           : roofline_above(p) ? STYLE(STYLE_CRIT)
                               : STYLE(reached >= 60   ? STYLE_OK
                                       : reached >= 30 ? STYLE_TEXT
                                                       : STYLE_WARN);
}

static void put_rate(double v, enum unit unit, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    snprintf(text, TABLE_CELL_MAX, "%s", roofline_number(v, unit, false, number));
}

static void put_ratio(const struct roofline_shown *shown, const struct roof_point *p, int col,
                      char text[TABLE_CELL_MAX])
{
    double x = roofline_intensity(shown, p);
    if (col == COL_TIME)
        snprintf(text, TABLE_CELL_MAX, "%.1f",
                 shown->total ? 100.0 * (double)p->total / (double)shown->total : 0);
    else if (isnan(col == COL_INTENSITY ? x : p->distance))
        snprintf(text, TABLE_CELL_MAX, "n/a");
    else if (col == COL_INTENSITY)
        snprintf(text, TABLE_CELL_MAX, x >= 999.5 ? "%.0f" : "%.3g", x);
    else
        snprintf(text, TABLE_CELL_MAX, "%.0f %%%s", (1 - p->distance) * 100, roofline_mark(p));
}

static void point_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                       struct style *st)
{
    const struct roofline_shown *shown = ctx;
    const struct roof_point *p = shown->point[row];
    const struct roof *roof = roofline_roof(shown, p);
    text[0] = '\0';
    switch (col) {
    case COL_MARK:
        snprintf(text, TABLE_CELL_MAX, "%c", shown->letter[row]);
        *st = STYLE(STYLE_HOT);
        break;
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s", p->name);
        break;
    case COL_BACKEND:
        snprintf(text, TABLE_CELL_MAX, "%s", roof ? roof->name : "no peaks");
        *st = STYLE(STYLE_DIM);
        break;
    case COL_FLOPS:
        put_rate(p->flops, UNIT_FLOP_PER_S, text);
        break;
    case COL_BYTES:
        put_rate(roofline_bytes(shown, p), UNIT_BYTES_PER_S, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_REACHED:
        *st = roofline_reached_style(p); /* fall through */
    case COL_TIME:
    case COL_INTENSITY:
        put_ratio(shown, p, col, text);
        break;
    case COL_BAR: /* the empty part is the distance to the roof */
        if (!isnan(p->distance))
            table_bar(100 * (1 - p->distance), BAR, text);
        *st = roofline_reached_style(p);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", roofline_bound_name(shown->r, p));
        *st = STYLE(STYLE_DIM);
    }
}

void roofline_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct roofline_shown *shown = ctx;
    const struct roof_point *p = shown->point[row];
    snprintf(out, VIEW_TEXT_MAX, "r:%.30s/%.16s#%u", p->name,
             roofline_roof(shown, p) ? roofline_roof(shown, p)->name : "", p->node);
}

static bool point_matches(const void *ctx, size_t row, const char *needle)
{
    const struct roofline_shown *shown = ctx;
    return table_contains(shown->point[row]->name, needle);
}

/* The width of the longest name of a ceiling, like "HBM" or "tensor bf16". */
static int bound_width(const struct roofline_shown *shown)
{
    int most = columns[COL_BOUND].width;
    for (size_t i = 0; i < shown->n; i++) {
        int w = text_width(roofline_bound_name(shown->r, shown->point[i]));
        most = w > most ? w : most;
    }
    return most;
}

void roofline_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct roofline_shown *shown = st->own;
    static const int sorted[SORTS] = {COL_TIME, COL_REACHED, COL_INTENSITY, COL_FLOPS, COL_NAME};
    static const char *const memory[] = {"HBM", "L2", "L1", "LDS"};
    struct column list[COLS];
    memcpy(list, columns, sizeof columns);
    if (shown->r->nroofs > 1 && !st->mode) { /* a brick may have a point for each roof */
        list[COL_BACKEND].priority = 1;
        list[COL_BAR].priority = 4;
        list[COL_BOUND].priority = 3;
    }
    if (shown->counters) {
        list[COL_NAME].title = "KERNEL";
        list[COL_BACKEND].title = "GPU";
        list[COL_BYTES].title = memory[shown->level ? shown->level - 1 : 0];
        list[COL_BOUND].width = bound_width(shown);
        list[COL_TIME].priority = 0;
        list[COL_FLOPS].priority = 1;
        list[COL_INTENSITY].priority = 3;
        list[COL_BAR].priority = 3;
        list[COL_BYTES].priority = 2;
    }
    const struct table t = {.columns = list,
                            .ncolumns = COLS,
                            .ctx = shown,
                            .nrows = shown->n,
                            .sort = sorted[st->sort],
                            .reverse = st->reverse,
                            .cell = point_cell,
                            .key = roofline_key,
                            .match = point_matches};
    table_draw(c, r, &t, st);
}
