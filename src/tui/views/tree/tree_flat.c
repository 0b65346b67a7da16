/* Bricks and kernels summed up by name over the whole tree; and the shares of categories. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "engine/bricks/brick_fields.h"
#include "engine/bricks/brick_syscalls.h"
#include "engine/trace/graph_brief.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/meter.h"
#include "tui/widgets/table.h"

enum { KERNEL_NAME = 40 };

struct flat_drawing { /* the argument of the table's functions */
    const struct tree_rows *t;
    const struct tree_flat *flat;
    struct table_fields columns;
    int name_width;
    bool ascii;
};

static const struct brick_report *find_flat_report(const struct tree_rows *t,
                                                   const struct view_state *st)
{
    struct tree_flat *flat = &((struct tree_state *)st->own)->flat;
    if (flat->serial != t->graph->serial) {
        arena_reset(&flat->memory);
        brick_report_make(&flat->report, &flat->memory, t->graph, true);
        if (t->graph->syscalls)
            brick_report_syscalls(&flat->report, t->graph);
        flat->serial = t->graph->serial;
    }
    return &flat->report;
}

static void collect_flat_rows(const struct tree_rows *t, const struct view_state *st)
{
    struct tree_flat *flat = &((struct tree_state *)st->own)->flat;
    const struct brick_report *b = find_flat_report(t, st);
    flat->n = 0;
    for (uint32_t i = 0; i < b->nrows && flat->n < sizeof flat->shown / sizeof *flat->shown; i++) {
        bool wanted = !st->query;
        /* A name passes the filter if one of its places does. */
        for (uint32_t n = 0; !wanted && n < t->graph->nnodes; n++) {
            const struct graph_item item = tree_item(t, n);
            wanted = t->graph->kind[n] == b->rows[i].kind &&
                     strcmp(graph_name(t->graph, n), b->rows[i].name) == 0 &&
                     query_match(st->query, &item);
        }
        if (wanted)
            flat->shown[flat->n++] = &b->rows[i];
    }
}

static void write_flat_rate(double per_s, char text[TABLE_CELL_MAX])
{
    char number[VALUE_TEXT_MAX];
    struct value v = value_ok(per_s, UNIT_COUNT_PER_S);
    if (!isnan(per_s))
        snprintf(text, TABLE_CELL_MAX, "%s", value_format(&v, false, number));
}

static void write_flat_name(const struct flat_drawing *d, const struct brick_row *r,
                            char text[TABLE_CELL_MAX])
{
    char name[TABLE_CELL_MAX / 2];
    const char *variant = r->variant;
    int room = d->name_width - (*variant ? 2 + text_width(variant) : 0);
    bool shorten = d->t->graph->briefs && r->kind == NODE_KERNEL;
    snprintf(text, TABLE_CELL_MAX, "%.150s%s%.60s",
             shorten ? briefs_fit(d->t->graph->briefs, r->name, room, d->ascii, name, sizeof name)
                     : r->name,
             *variant ? "  " : "", variant);
}

static void flat_row_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                          struct style *st)
{
    const struct flat_drawing *d = ctx;
    const struct tree_rows *t = d->t;
    const struct brick_row *r = d->flat->shown[row];
    const struct list_field *f = d->columns.field[col];
    double share = t->total ? 100.0 * (double)r->sum.total / (double)t->total : 0;
    char number[VALUE_TEXT_MAX];
    if (tree_counter_cell(f, &flat_counter_fields, r->counters, r->counts.calls ? &r->counts : NULL,
                          text)) {
        *st = STYLE(STYLE_DIM);
        return;
    }
    switch (f - brick_fields) {
    case BRICK_FIELD_name:
        write_flat_name(d, r, text);
        break;
    case BRICK_FIELD_kind:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 r->kind == NODE_BRICK ? node_category_name(r->category) : node_kind_name(r->kind));
        *st = STYLE(STYLE_DIM);
        break;
    case BRICK_FIELD_syscalls:
    case BRICK_FIELD_calls:
        table_field_text(f, r, "", text);
        *st = STYLE(STYLE_DIM);
        break;
    case BRICK_FIELD_elements_per_s:
        write_flat_rate(r->elements_per_s, text);
        *st = STYLE(STYLE_DIM);
        break;
    case BRICK_FIELD_share:
        snprintf(text, TABLE_CELL_MAX, r->timed ? "%.1f" : "n/a", share);
        *st = STYLE_LEVEL(STYLE_GRAD_PROC, share > 100 ? 100 : share);
        break;
    case BRICK_FIELD_self: /* without bricks and kernels inside it, so that the column adds up */
        snprintf(text, TABLE_CELL_MAX, r->timed ? "%.1f" : "n/a",
                 t->total ? 100.0 * (double)r->self / (double)t->total : 0);
        *st = STYLE(STYLE_DIM);
        break;
    case BRICK_FIELD_most:
        tree_most_call(&r->calls,
                       r->timed && !t->graph->syscalls->partial ? r->sum.total : GRAPH_UNKNOWN,
                       text, TABLE_CELL_MAX);
        *st = STYLE(STYLE_DIM);
        break;
    case BRICK_FIELD_over_budget:
        snprintf(text, TABLE_CELL_MAX, "%s", r->extra.budget ? "kept" : "");
        if (r->over_budget)
            snprintf(text, TABLE_CELL_MAX, "!over");
        *st = STYLE(r->over_budget ? STYLE_CRIT : STYLE_OK);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", value_time(list_field_raw(f, r), false, number));
    }
}

static void flat_row_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct flat_drawing *d = ctx;
    /* a hash, because names of kernels begin alike */
    uint64_t h = hash_text(0, d->flat->shown[row]->name);
    snprintf(out, VIEW_TEXT_MAX, "b:%016" PRIx64 "/%.16s", h, d->flat->shown[row]->variant);
}

static bool flat_row_matches(const void *ctx, size_t row, const char *needle)
{
    const struct flat_drawing *d = ctx;
    return table_contains(d->flat->shown[row]->name, needle);
}

void tree_flat_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                    struct view_state *st)
{
    struct tree_flat *flat = &((struct tree_state *)st->own)->flat;
    collect_flat_rows(t, st);
    struct flat_drawing d = {.t = t, .flat = flat, .ascii = c->ascii};
    table_fields(&d.columns, brick_fields);
    tree_counter_columns(&d.columns, t->graph->counters, &flat_counter_fields);
    if (!flat->report.has_calls) {
        table_fields_remove(&d.columns, &brick_fields[BRICK_FIELD_syscalls]);
        table_fields_remove(&d.columns, &brick_fields[BRICK_FIELD_syscalls_ns]);
        table_fields_remove(&d.columns, &brick_fields[BRICK_FIELD_most]);
    }
    if (t->graph->briefs) /* a profile has long names of kernels, for which there are short ones */
        d.columns.columns[brick_fields[BRICK_FIELD_name].column.at - 1].width = KERNEL_NAME;
    const struct table table = {.columns = d.columns.columns,
                                .ncolumns = d.columns.n,
                                .ctx = &d,
                                .nrows = flat->n,
                                .sort = brick_fields[BRICK_FIELD_total].column.at - 1,
                                .cell = flat_row_cell,
                                .flexible = &d.name_width,
                                .key = flat_row_key,
                                .match = flat_row_matches};
    table_draw(c, r, &table, st);
    if (flat->n == 0)
        canvas_text(c, r.x, r.y + 2, r.w, "no brick or kernel matches the filter",
                    STYLE(STYLE_DIM));
}

/* --- categories --- */

/* A row; samples 0: it has no average. */
struct category {
    const char *name;
    uint64_t ns, samples;
    enum style_role role;
};

static void category_line(struct canvas *c, struct rect r, const struct category *k, uint64_t total)
{
    char number[VALUE_TEXT_MAX], average[VALUE_TEXT_MAX];
    double share = total ? 100.0 * (double)k->ns / (double)total : 0;
    struct value v = value_ok(share, UNIT_PERCENT);
    canvas_text(c, r.x, r.y, 16, k->name, STYLE(STYLE_TEXT));
    canvas_text_right(c, r.x + 16, r.y, 11, value_time((double)k->ns, c->ascii, number),
                      STYLE(STYLE_TEXT));
    canvas_printf(c, r.x + 28, r.y, 8, STYLE(STYLE_TITLE), "%5.1f %%", share);
    if (k->samples) {
        canvas_text_right(c, r.x + 37, r.y, 9,
                          value_time((double)k->ns / (double)k->samples, c->ascii, average),
                          STYLE(STYLE_TEXT));
        canvas_printf(c, r.x + 47, r.y, 10, STYLE(STYLE_DIM), "%9" PRIu64, k->samples);
    }
    if (r.w > 70)
        meter_draw(c, r.x + 58, r.y, r.w - 58, &v, k->role);
}

void tree_categories_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                          struct view_state *st)
{
    const struct brick_report *b = find_flat_report(t, st);
    struct category rows[CATEGORIES + 2];
    int y = r.y;
    for (int i = 0; i < CATEGORIES; i++)
        rows[i] = (struct category){node_category_name((enum node_category)i), b->category[i],
                                    b->samples[i], STYLE_GRAD_CPU};
    rows[CATEGORIES] = (struct category){"between bricks", b->between, 0, STYLE_GRAD_CACHED};
    rows[CATEGORIES + 1] = (struct category){"all", b->total, 0, STYLE_GRAD_USED};
    canvas_text(c, r.x, y, r.w, "CATEGORY            OWN TIME    SHARE  AVERAGE   SAMPLES",
                STYLE(STYLE_HEADING));
    y += 2;
    for (int i = 0; i < CATEGORIES + 2 && y < r.y + r.h; i++, y += 2)
        category_line(c, (struct rect){r.x, y, r.w, 1}, &rows[i], b->total);
    if (y < r.y + r.h)
        canvas_text(c, r.x, y, r.w,
                    "A brick inside a brick counts once. Between bricks: layers, functions, waits.",
                    STYLE(STYLE_DIM));
}
