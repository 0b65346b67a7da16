/* The flat list, and callers and callees of one function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/arena.h"
#include "engine/functions/hot_calls.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/table.h"

struct flat_list {
    const struct functions *f;
    const struct function_row **rows;
    const struct list_field *order; /* the field that sorts the list */
    bool reverse;
    const struct table_fields *columns;
};

static const struct list_field *flat_order_of(const struct view_state *st)
{
    const struct list_field *f = list_fields_sort(functions_fields, st->sort);
    return f ? f : list_fields_sort(functions_fields, 0);
}

const char *functions_sort_name(const struct view_state *st)
{
    return list_field_sort_name(flat_order_of(st));
}

static const struct hot_symbol *flat_symbol_of(const struct flat_list *l, size_t row)
{
    return &l->f->stacks->symbols[l->rows[row]->symbol];
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
    const struct function_row *p = *(const struct function_row *const *)a,
                              *q = *(const struct function_row *const *)b;
    const struct flat_list *l = ctx;
    const struct functions_item x = {l->f->stacks, p}, y = {l->f->stacks, q};
    int c = list_field_compare(l->order, &x, &y);
    if (c)
        return l->reverse ? -c : c;
    return (p > q) - (p < q); /* the rows are in the order of samples */
}

/* Writes the end of a long path, which distinguishes files. */
static void source_text(const struct hot_symbol *s, int width, char text[TABLE_CELL_MAX])
{
    char source[1024];
    functions_source(s, source, sizeof source);
    const char *at = source;
    while (text_width(at) > width && strchr(at, '/'))
        at = strchr(at, '/') + 1;
    snprintf(text, TABLE_CELL_MAX, "%.255s", at);
}

static void function_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                          struct style *st)
{
    const struct flat_list *l = ctx;
    const struct functions_item item = {l->f->stacks, l->rows[row]};
    const struct hot_symbol *s = flat_symbol_of(l, row);
    const struct list_field *f = l->columns->field[col];
    *st = STYLE(STYLE_DIM);
    switch (f - functions_fields) {
    case FUNCTIONS_FIELD_mark:
        snprintf(text, TABLE_CELL_MAX, "%s", functions_mark(s));
        *st = STYLE(STYLE_HOT);
        break;
    case FUNCTIONS_FIELD_source:
        source_text(s, f->column.look.width, text);
        break;
    case FUNCTIONS_FIELD_self:
    case FUNCTIONS_FIELD_total:
        *st = functions_percent_style(list_field_number(f, &item));
        table_field_text(f, &item, "", text);
        break;
    case FUNCTIONS_FIELD_samples:
        functions_number(l->f->stacks, item.row->self, text);
        break;
    case FUNCTIONS_FIELD_name:
        *st = STYLE(STYLE_TEXT); /* fall through */
    default:
        table_field_text(f, &item, "", text);
    }
}

static void function_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct flat_list *l = ctx;
    functions_key(l->f, l->rows[row]->symbol, out);
}

static bool function_matches(const void *ctx, size_t row, const char *needle)
{
    return functions_match(flat_symbol_of(ctx, row), needle);
}

void functions_flat_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st)
{
    struct functions_state *own = st->own;
    const struct list_field *order = flat_order_of(st);
    struct table_fields columns;
    size_t n = 0;
    LIST_FIT(own->rows, f->nrows, own->cap);
    for (size_t i = 0; i < f->nrows; i++)
        if (functions_pass(f, &f->rows[i], st))
            own->rows[n++] = &f->rows[i];
    table_fields(&columns, functions_fields);
    for (int i = 0; i < columns.n; i++)
        if (columns.field[i] == &functions_fields[FUNCTIONS_FIELD_samples])
            columns.columns[i].title = functions_number_title(f->stacks);
    struct flat_list l = {f, own->rows, order, st->reverse, &columns};
    if (n && (order->sort.at != 1 || st->reverse)) /* the functions are in this order already */
        qsort_r(own->rows, n, sizeof *own->rows, compare_functions, &l);
    const struct table t = {.columns = columns.columns,
                            .ncolumns = columns.n,
                            .fields = &columns,
                            .ctx = &l,
                            .nrows = n,
                            .sort = table_fields_sorted(&columns, order->sort.at - 1),
                            .reverse = (order->text != NULL) != st->reverse,
                            .cell = function_cell,
                            .key = function_key,
                            .match = function_matches};
    r.h--;
    table_draw(c, r, &t, st);
    if (n == 0)
        canvas_text(c, r.x, r.y + 2, r.w, "no function matches the filter", STYLE(STYLE_DIM));
    canvas_text(c, r.x, r.y + r.h, r.w,
                "k kernel  j JIT  v vDSO  i inlined into its caller  ? no name known",
                STYLE(STYLE_DIM));
}

bool functions_flat_act(enum action a, const struct functions *f, struct view_state *st)
{
    (void)f;
    return table_act(a, st);
}

/* --- callers and callees --- */

static void draw_call_share(struct canvas *c, struct rect r, const struct functions *f,
                            uint32_t symbol, const char *name, uint64_t samples, uint64_t of)
{
    const struct hot_symbol *s = symbol < f->stacks->nsymbols ? &f->stacks->symbols[symbol] : NULL;
    double percent = of ? 100.0 * (double)samples / (double)of : 0;
    char text[16];
    snprintf(text, sizeof text, "%.1f %%", percent);
    canvas_text_right(c, r.x, r.y, 7, text, functions_percent_style(percent));
    canvas_text(c, r.x + 8, r.y, 1, s ? functions_mark(s) : "", STYLE(STYLE_HOT));
    canvas_text(c, r.x + 10, r.y, r.w - 10, s ? s->name : name, STYLE(s ? STYLE_TEXT : STYLE_DIM));
}

/* Draws a heading and as many rows as fit into r. */
static void draw_shares(struct canvas *c, struct rect r, const struct functions *f,
                        const char *title, const char *none, const struct hot_share *row, size_t n,
                        uint64_t of)
{
    canvas_heading(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    for (int i = 0; i < r.h - 1 && (size_t)i < n; i++) {
        struct rect line = {r.x, r.y + 1 + i, r.w, 1};
        if (i == r.h - 2 && (size_t)i + 1 < n)
            canvas_printf(c, line.x, line.y, line.w, STYLE(STYLE_DIM), "          … %zu more",
                          n - (size_t)i);
        else
            draw_call_share(c, line, f, row[i].symbol, none, row[i].samples, of);
    }
}

const struct function_row *functions_row_of(const struct functions *f, uint32_t symbol)
{
    for (size_t i = 0; i < f->nrows; i++)
        if (f->rows[i].symbol == symbol)
            return &f->rows[i];
    return NULL;
}

static void draw_callers_callees(struct canvas *c, struct rect r, const struct functions *f,
                                 const struct function_row *row)
{
    const struct hot_stacks *p = f->stacks;
    struct hot_share *s = xcalloc(p->nsymbols + 2, sizeof *s);
    canvas_text(c, r.x, r.y, r.w, p->symbols[row->symbol].name, STYLE(STYLE_TITLE));
    int half = (r.h - 1) / 2;
    size_t n = hot_callers(p, f->node_total, row->symbol, s);
    int up = (int)n + 1 < half ? (int)n + 1 : half;
    draw_shares(c, (struct rect){r.x, r.y + 1, r.w, up}, f, "CALLED BY", "(no caller: outermost)",
                s, n, row->total);
    s[0] = (struct hot_share){FUNCTIONS_NONE, row->self};
    n = 1 + hot_callees(p, row->symbol, s + 1);
    draw_shares(c, (struct rect){r.x, r.y + 1 + up, r.w, r.h - 1 - up}, f, "CALLS", "(itself)", s,
                n, row->total);
    free(s);
}

void functions_calls_draw(struct canvas *c, struct rect r, const struct functions *f,
                          uint32_t symbol)
{
    const struct function_row *row = symbol == FUNCTIONS_NONE ? NULL : functions_row_of(f, symbol);
    canvas_fill(c, (struct rect){r.x, r.y, r.w, r.h}, ' ', STYLE(STYLE_TEXT));
    if (row)
        draw_callers_callees(c, r, f, row);
    else
        canvas_text(c, r.x, r.y, r.w, "no function is selected", STYLE(STYLE_DIM));
}
