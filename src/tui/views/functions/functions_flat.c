/* The flat list, and callers and callees of one function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/hot/hot_calls.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/table.h"

enum { COL_SELF, COL_TOTAL, COL_SAMPLES, COL_MARK, COL_NAME, COL_MODULE, COL_SOURCE };

enum { SOURCE_W = 26 };

static const struct column columns[] = {
    [COL_SELF] = {"SELF %", 7, false, true, 0},
    [COL_TOTAL] = {"TOTAL %", 8, false, true, 0},
    [COL_SAMPLES] = {"SAMPLES", 8, false, true, 3},
    [COL_MARK] = {" ", 1, false, false, 0},
    [COL_NAME] = {"FUNCTION", 20, true, false, 0},
    [COL_MODULE] = {"MODULE", 14, false, false, 1},
    [COL_SOURCE] = {"SOURCE", SOURCE_W, false, false, 2},
};

static const struct {
    int column;
    bool ascending;
} sorts[] = {
    {COL_SELF, false}, {COL_TOTAL, false}, {COL_NAME, true}, {COL_MODULE, true}, {COL_SOURCE, true},
};
enum { SORTS = sizeof sorts / sizeof *sorts };
const char *const functions_sorts[SORTS + 1] = {"self", "total", "function", "module", "source"};

/* The entry of functions_sorts for the head of a column. */
static int function_sort(int column)
{
    for (int i = 0; i < SORTS; i++)
        if (sorts[i].column == column)
            return i;
    return -1;
}

struct flat_list {
    const struct functions *f;
    const struct function_row **rows;
    int column;
    bool ascending;
};

static int sort_index(const struct view_state *st)
{
    return (st->sort % SORTS + SORTS) % SORTS;
}

const char *functions_sort_name(const struct view_state *st)
{
    return functions_sorts[sort_index(st)];
}

static const struct hot_symbol *symbol_of(const struct flat_list *l, size_t row)
{
    return &l->f->stacks->symbols[l->rows[row]->symbol];
}

static int by_number(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
    const struct function_row *p = *(const struct function_row *const *)a,
                              *q = *(const struct function_row *const *)b;
    const struct flat_list *l = ctx;
    const struct hot_symbol *x = &l->f->stacks->symbols[p->symbol],
                            *y = &l->f->stacks->symbols[q->symbol];
    int d = 0;
    switch (l->column) {
    case COL_SELF:
        d = by_number(p->self, q->self);
        break;
    case COL_TOTAL:
        d = by_number(p->total, q->total);
        break;
    case COL_MODULE:
        d = strcmp(x->module, y->module);
        break;
    case COL_SOURCE:
        d = strcmp(x->file, y->file);
        d = d ? d : by_number((uint64_t)x->line, (uint64_t)y->line);
        break;
    default:
        d = strcmp(x->name, y->name);
    }
    if (d)
        return l->ascending ? d : -d;
    return by_number((uint64_t)(p - l->f->rows), (uint64_t)(q - l->f->rows));
}

/* Writes the end of a long path, which distinguishes files. */
static void source_text(const struct hot_symbol *s, char text[TABLE_CELL_MAX])
{
    char source[1024];
    functions_source(s, source, sizeof source);
    const char *at = source;
    while (text_width(at) > SOURCE_W && strchr(at, '/'))
        at = strchr(at, '/') + 1;
    snprintf(text, TABLE_CELL_MAX, "%.255s", at);
}

static void function_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                          struct style *st)
{
    const struct flat_list *l = ctx;
    const struct function_row *r = l->rows[row];
    const struct hot_symbol *s = symbol_of(l, row);
    double percent;
    switch (col) {
    case COL_SELF:
    case COL_TOTAL:
        percent = functions_percent(l->f, col == COL_SELF ? r->self : r->total);
        snprintf(text, TABLE_CELL_MAX, "%.1f", percent);
        *st = functions_percent_style(percent);
        break;
    case COL_SAMPLES:
        snprintf(text, TABLE_CELL_MAX, "%" PRIu64, r->self);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_MARK:
        snprintf(text, TABLE_CELL_MAX, "%s", functions_mark(s));
        *st = STYLE(STYLE_HOT);
        break;
    case COL_NAME:
        snprintf(text, TABLE_CELL_MAX, "%s", s->name);
        break;
    case COL_MODULE:
        snprintf(text, TABLE_CELL_MAX, "%s", s->module);
        *st = STYLE(STYLE_DIM);
        break;
    default:
        source_text(s, text);
        *st = STYLE(STYLE_DIM);
    }
}

static void function_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct flat_list *l = ctx;
    functions_key(l->f, l->rows[row]->symbol, out);
}

static bool function_matches(const void *ctx, size_t row, const char *needle)
{
    return functions_match(symbol_of(ctx, row), needle);
}

void functions_flat_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st)
{
    struct functions_state *own = st->own;
    int s = sort_index(st);
    size_t n = 0;
    if (f->nrows > own->cap) {
        own->cap = f->nrows * 2;
        own->rows = xrealloc(own->rows, own->cap, sizeof *own->rows);
    }
    for (size_t i = 0; i < f->nrows; i++)
        if (functions_pass(f, &f->rows[i], st))
            own->rows[n++] = &f->rows[i];
    struct flat_list l = {f, own->rows, sorts[s].column, sorts[s].ascending != st->reverse};
    if (n && (l.column != COL_SELF || l.ascending)) /* the functions are in this order already */
        qsort_r(own->rows, n, sizeof *own->rows, compare_functions, &l);
    const struct table t = {.columns = columns,
                            .ncolumns = sizeof columns / sizeof *columns,
                            .ctx = &l,
                            .nrows = n,
                            .sort = l.column,
                            .reverse = l.ascending,
                            .cell = function_cell,
                            .key = function_key,
                            .match = function_matches,
                            .sort_of = function_sort};
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

static void draw_share(struct canvas *c, struct rect r, const struct functions *f, uint32_t symbol,
                       const char *name, uint64_t samples, uint64_t of)
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
    int used = canvas_text(c, r.x, r.y, r.w, title, STYLE(STYLE_HEADING));
    canvas_fill(c, (struct rect){r.x + used + 1, r.y, r.w - used - 1, 1}, 0x2500, STYLE(STYLE_DIV));
    for (int i = 0; i < r.h - 1 && (size_t)i < n; i++) {
        struct rect line = {r.x, r.y + 1 + i, r.w, 1};
        if (i == r.h - 2 && (size_t)i + 1 < n)
            canvas_printf(c, line.x, line.y, line.w, STYLE(STYLE_DIM), "          … %zu more",
                          n - (size_t)i);
        else
            draw_share(c, line, f, row[i].symbol, none, row[i].samples, of);
    }
}

static const struct function_row *function_of(const struct functions *f, uint32_t symbol)
{
    for (size_t i = 0; i < f->nrows; i++)
        if (f->rows[i].symbol == symbol)
            return &f->rows[i];
    return NULL;
}

static void draw_calls(struct canvas *c, struct rect r, const struct functions *f,
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
    const struct function_row *row = symbol == FUNCTIONS_NONE ? NULL : function_of(f, symbol);
    canvas_fill(c, (struct rect){r.x, r.y, r.w, r.h}, ' ', STYLE(STYLE_TEXT));
    if (row)
        draw_calls(c, r, f, row);
    else
        canvas_text(c, r.x, r.y, r.w, "no function is selected", STYLE(STYLE_DIM));
}
