/* The flat list, and callers and callees of one function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/functions/hot_calls.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/rows.h"

const char *functions_sort_name(const struct view_state *st)
{
    return list_field_sort_name(list_fields_order(functions_fields, st->sort));
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

static const struct hot_symbol *flat_symbol_of(const struct functions_item *item)
{
    return &item->stacks->symbols[item->row->symbol];
}

static void function_cell(const void *own, const void *row, const struct list_field *f,
                          char text[TABLE_CELL_MAX], struct style *st)
{
    const struct functions_item *item = row;
    const struct hot_symbol *s = flat_symbol_of(item);
    (void)own;
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
        *st = functions_percent_style(list_field_number(f, item));
        table_field_text(f, item, "", text);
        break;
    case FUNCTIONS_FIELD_samples:
        functions_number(item->stacks, item->row->self, text);
        break;
    case FUNCTIONS_FIELD_name:
        *st = STYLE(STYLE_TEXT); /* fall through */
    default:
        table_field_text(f, item, "", text);
    }
}

static void function_key(const void *own, const void *row, char out[VIEW_TEXT_MAX])
{
    (void)own;
    functions_key(flat_symbol_of(row), out);
}

static bool function_matches(const void *own, const void *row, const char *needle)
{
    (void)own;
    return functions_match(flat_symbol_of(row), needle);
}

/* Those with most samples of their own first. */
static const void *listed_function(const void *functions, size_t i, void *made)
{
    const struct functions *f = functions;
    struct functions_item *item = made;
    *item = (struct functions_item){f->stacks, &f->rows[i]};
    return item;
}

static const struct list_rows listed_functions = {
    .fields = functions_fields, .size = sizeof(struct functions_item), .row = listed_function};
static const struct rows_ops function_rows_ops = {.list = &listed_functions,
                                                  .cell = function_cell,
                                                  .key = function_key,
                                                  .match = function_matches,
                                                  .text_up = true};

void functions_flat_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st)
{
    struct rows *rows = &((struct functions_state *)st->own)->rows;
    rows_collect(rows, &function_rows_ops, f, f->nrows, NULL, st);
    rows_columns(rows);
    for (int i = 0; i < rows->columns.n; i++)
        if (rows->columns.field[i] == &functions_fields[FUNCTIONS_FIELD_samples])
            rows->columns.columns[i].title = functions_number_title(f->stacks);
    r.h--;
    rows_draw(c, r, rows, "no function matches the filter", st);
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
