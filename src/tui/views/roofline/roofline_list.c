/* The list of points. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/graph/graph_counters.h"
#include "tui/views/roofline/roofline.h"
#include "tui/widgets/table.h"

enum { BACKEND_MOST = 14 };

/* The argument of the table's functions. */
struct roofline_drawing {
    const struct roofline_shown *shown;
    struct table_fields columns;
};

struct style roofline_reached_style(const struct roof_point *p)
{
    double reached = (1 - p->distance) * 100;
    if (isnan(reached))
        return STYLE(STYLE_DIM);
    if (roofline_above(p))
        return STYLE(STYLE_CRIT);
    if (reached >= 60)
        return STYLE(STYLE_OK);
    return STYLE(reached >= 30 ? STYLE_TEXT : STYLE_WARN);
}

static void put_rate(double v, enum unit unit, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    snprintf(text, TABLE_CELL_MAX, "%s",
             isnan(v) ? "n/a" : roofline_number(v, unit, false, number));
}

static void put_intensity(double x, char text[TABLE_CELL_MAX])
{
    if (isnan(x))
        snprintf(text, TABLE_CELL_MAX, "n/a");
    else
        snprintf(text, TABLE_CELL_MAX, x >= 999.5 ? "%.0f" : "%.3g", x);
}

static void write_flops_per_byte(double x, char text[TABLE_CELL_MAX])
{
    snprintf(text, TABLE_CELL_MAX, isnan(x) ? "n/a" : "%.2f", x);
}

static void point_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                       struct style *st)
{
    const struct roofline_drawing *d = ctx;
    const struct roofline_shown *shown = d->shown;
    const struct roof_point *p = shown->point[row];
    const struct roofline_item item = roofline_item(shown, p);
    const struct list_field *f = d->columns.field[col];
    char reached[24];
    switch (f - roofline_fields) {
    case ROOFLINE_FIELD_mark:
        snprintf(text, TABLE_CELL_MAX, "%c", shown->letter[row]);
        *st = STYLE(STYLE_HOT);
        break;
    case ROOFLINE_FIELD_backend:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 roofline_roof(shown, p) ? roofline_roof(shown, p)->name : "no peaks");
        *st = STYLE(STYLE_DIM);
        break;
    case ROOFLINE_FIELD_flops:
        put_rate(p->flops, UNIT_FLOP_PER_S, text);
        break;
    case ROOFLINE_FIELD_bytes:
        put_rate(roofline_bytes(shown, p), UNIT_BYTES_PER_S, text);
        *st = STYLE(STYLE_DIM);
        break;
    case ROOFLINE_FIELD_reached:
        snprintf(text, TABLE_CELL_MAX, "%s", roofline_reached(p, 0, reached));
        *st = roofline_reached_style(p);
        break;
    case ROOFLINE_FIELD_time:
        snprintf(text, TABLE_CELL_MAX, "%.1f",
                 shown->total ? 100.0 * (double)p->total / (double)shown->total : 0);
        break;
    case ROOFLINE_FIELD_intensity:
        put_intensity(roofline_intensity(p, shown->level), text);
        break;
    case ROOFLINE_FIELD_bar: /* the empty part is the distance to the roof */
        if (!isnan(p->distance))
            table_bar(100 * (1 - p->distance), f->column.look.width, text);
        *st = roofline_reached_style(p);
        break;
    case ROOFLINE_FIELD_counted_bytes:
        put_rate(list_field_raw(f, &item), UNIT_BYTES_PER_S, text);
        break;
    case ROOFLINE_FIELD_counted_flops:
        put_rate(list_field_raw(f, &item), UNIT_FLOP_PER_S, text);
        break;
    case ROOFLINE_FIELD_ipc:
    case ROOFLINE_FIELD_cache_miss:
    case ROOFLINE_FIELD_mispredict:
        write_flops_per_byte(list_field_raw(f, &item), text);
        *st = STYLE(STYLE_DIM);
        break;
    case ROOFLINE_FIELD_ceiling:
        *st = STYLE(STYLE_DIM); /* fall through */
    default:
        table_field_text(f, &item, "n/a", text);
    }
}

static void point_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    roofline_key(((const struct roofline_drawing *)ctx)->shown, row, out);
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
    const struct roofline_shown *shown = ((const struct roofline_drawing *)ctx)->shown;
    return table_contains(shown->point[row]->name, needle);
}

/* The width of the longest name of a ceiling, like "HBM" or "tensor bf16". */
static int bound_width(const struct roofline_shown *shown)
{
    int most = roofline_fields[ROOFLINE_FIELD_ceiling].column.look.width;
    for (size_t i = 0; i < shown->n; i++) {
        int w = text_width(roofline_bound_name(shown->r, shown->point[i]));
        most = w > most ? w : most;
    }
    return most;
}

/* The width of the longest name of a CPU's roof, like "avx512 x16". */
static int backend_width(const struct roofline_shown *shown)
{
    int most = roofline_fields[ROOFLINE_FIELD_backend].column.look.width;
    for (uint32_t i = 0; i < shown->r->nroofs; i++) {
        int w = shown->r->roofs[i].threads ? text_width(shown->r->roofs[i].name) : 0;
        most = w > most ? w : most;
    }
    return most < BACKEND_MOST ? most : BACKEND_MOST;
}

/* The column of a field. */
static struct column *roofline_column_of(struct roofline_drawing *d, enum roofline_field f)
{
    return &d->columns.columns[roofline_fields[f].column.at - 1];
}

/* Leaves out the columns of counters that were not asked for; they are the last ones. */
static void leave_out_columns(struct table_fields *columns, const struct graph_counters *of)
{
    if (!graph_counter_asked(of, "bytes"))
        table_fields_remove(columns, &roofline_fields[ROOFLINE_FIELD_counted_bytes]);
    if (!graph_counter_asked(of, "flops"))
        table_fields_remove(columns, &roofline_fields[ROOFLINE_FIELD_counted_flops]);
    if (!graph_rate_asked(of, GRAPH_MISPREDICTS))
        table_fields_remove(columns, &roofline_fields[ROOFLINE_FIELD_mispredict]);
    if (!graph_rate_asked(of, GRAPH_MISSES))
        table_fields_remove(columns, &roofline_fields[ROOFLINE_FIELD_cache_miss]);
    if (!graph_rate_asked(of, GRAPH_IPC))
        table_fields_remove(columns, &roofline_fields[ROOFLINE_FIELD_ipc]);
}

static void make_roofline_columns(struct roofline_drawing *d)
{
    static const char *const memory[] = {"HBM", "L2", "L1", "LDS"};
    const struct roofline_shown *shown = d->shown;
    table_fields(&d->columns, roofline_fields);
    leave_out_columns(&d->columns, shown->n ? shown->point[0]->counters : NULL);
    if (shown->r->nroofs > 1 && !shown->mode) { /* a brick may have a point for each roof */
        roofline_column_of(d, ROOFLINE_FIELD_backend)->priority = 1;
        roofline_column_of(d, ROOFLINE_FIELD_bar)->priority = 4;
        roofline_column_of(d, ROOFLINE_FIELD_ceiling)->priority = 3;
    }
    roofline_column_of(d, ROOFLINE_FIELD_backend)->width = backend_width(shown);
    roofline_column_of(d, ROOFLINE_FIELD_ceiling)->width = bound_width(shown);
    if (!shown->counters)
        return;
    roofline_column_of(d, ROOFLINE_FIELD_name)->title = "KERNEL";
    roofline_column_of(d, ROOFLINE_FIELD_backend)->title = "GPU";
    roofline_column_of(d, ROOFLINE_FIELD_bytes)->title =
        memory[shown->level ? shown->level - 1 : 0];
    roofline_column_of(d, ROOFLINE_FIELD_time)->priority = 0;
    roofline_column_of(d, ROOFLINE_FIELD_flops)->priority = 1;
    roofline_column_of(d, ROOFLINE_FIELD_intensity)->priority = 3;
    roofline_column_of(d, ROOFLINE_FIELD_bar)->priority = 3;
    roofline_column_of(d, ROOFLINE_FIELD_bytes)->priority = 2;
}

void roofline_list(struct canvas *c, struct rect r, struct view_state *st)
{
    struct roofline_drawing d = {.shown = st->own};
    make_roofline_columns(&d);
    const struct table t = {.fields = &d.columns,
                            .ctx = &d,
                            .nrows = d.shown->n,
                            .reverse = st->reverse,
                            .cell = point_cell,
                            .key = point_key,
                            .match = point_matches};
    table_draw(c, r, &t, st);
}
