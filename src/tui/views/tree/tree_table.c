/* The tree as a table: lines of the tree, times, shares. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "engine/trace/graph_brief.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/table.h"

enum { COL_NAME, COL_CALLS, COL_TOTAL, COL_MEAN, COL_P95, COL_RATE, COL_SHARE, COL_NOTE };

static const struct column columns[] = {
    [COL_NAME] = {"LAYER, BRICK, KERNEL", 28, true, false, 0},
    [COL_CALLS] = {"CALLS", 8, false, true, 1},
    [COL_TOTAL] = {"TOTAL", 9, false, true, 0},
    [COL_MEAN] = {"MEAN", 9, false, true, 0},
    [COL_P95] = {"P95", 9, false, true, 3},
    [COL_RATE] = {"ELEMENTS/S", 10, false, true, 4},
    [COL_SHARE] = {"SHARE", 15, false, false, 2},
    [COL_NOTE] = {"", 6, false, false, 5},
};

enum { GUIDES_MAX = 20, BAR = 8 };

void tree_kind(const struct graph *g, uint32_t node, char *out, size_t size)
{
    if (g->kind[node] == NODE_BRICK)
        snprintf(out, size, "brick, %s", node_category_name(g->category[node]));
    else
        snprintf(out, size, "%s", node_kind_name(g->kind[node]));
}

double tree_share(const struct tree_rows *t, uint32_t node)
{
    uint64_t d = t->graph->duration[node];
    return t->total && d != GRAPH_UNKNOWN ? 100.0 * (double)d / (double)t->total : 0;
}

static const struct graph_work *work_of_node(const struct graph *g, uint32_t node)
{
    return graph_work_of(g, node);
}

bool tree_over_budget(const struct graph *g, uint32_t node)
{
    uint64_t budget = graph_extra_of(g, node)->budget;
    return budget && graph_mean(g, node) > (double)budget;
}

static const char *program_word(const struct bricks *b, uint32_t node)
{
    for (uint32_t i = 0; i < b->nprograms; i++)
        if (b->programs[i].node == node)
            return b->programs[i].state == PROGRAM_CRASHED ? " (crashed)"
                   : b->programs[i].state == PROGRAM_ENDED ? " (ended)"
                                                           : "";
    return "";
}

struct table_drawing { /* the argument of the table's functions */
    const struct tree_rows *t;
    const struct tree_found *found;
    int name_width;
    bool ascii;
};

/* Writes the name with the lines before it: "│   ├─▾ RmsNorm". */
static void name_text(const struct table_drawing *d, size_t row, char *out)
{
    const struct tree_rows *t = d->t;
    const struct tree_row *r = &t->rows[row];
    size_t n = 0;
    uint16_t from = r->depth > GUIDES_MAX ? r->depth - GUIDES_MAX : 0;
    out[0] = '\0';
    for (uint16_t at = from + 1; at < r->depth && n < 128; at++)
        n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%s",
                              r->ended >> at % 32 & 1 ? "  " : "│ ");
    if (r->depth > 0)
        n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%s", r->last ? "└" : "├");
    n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%s",
                          r->parent  ? (r->open ? "▾ " : "▸ ")
                          : r->depth ? "─ "
                                     : "  ");
    const struct graph *g = t->graph;
    char name[TABLE_CELL_MAX / 2];
    int room = d->name_width - text_width(out);
    n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%.150s",
                          graph_brief(g, r->node, room, d->ascii, name, sizeof name));
    if (g->kind[r->node] == NODE_PROGRAM && g->detail[r->node] != GRAPH_NONE)
        snprintf(out + n, TABLE_CELL_MAX - n, " %" PRId64 "%s",
                 g->details[g->detail[r->node]].thread.id, program_word(t->bricks, r->node));
}

static struct style name_style(const struct graph *g, uint32_t node)
{
    switch (g->kind[node]) {
    case NODE_PROGRAM:
        return STYLE(STYLE_TITLE);
    case NODE_LAYER:
    case NODE_BACKEND:
        return STYLE(STYLE_LINK);
    case NODE_KERNEL:
    case NODE_FUNCTION:
        return STYLE(STYLE_DIM);
    default:
        return STYLE(STYLE_TEXT);
    }
}

static void node_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct tree_rows *t = ((const struct table_drawing *)ctx)->t;
    const struct graph *g = t->graph;
    uint32_t node = t->rows[row].node;
    const struct graph_work *w = work_of_node(g, node);
    char number[VALUE_TEXT_MAX];
    text[0] = '\0';
    switch (col) {
    case COL_NAME:
        name_text(ctx, row, text);
        *st = name_style(g, node);
        break;
    case COL_CALLS:
        if (w)
            snprintf(text, TABLE_CELL_MAX, "%" PRIu64, w->count);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_TOTAL:
        snprintf(text, TABLE_CELL_MAX, "%s",
                 value_time(g->duration[node] == GRAPH_UNKNOWN ? NAN : (double)g->duration[node],
                            false, number));
        break;
    case COL_MEAN:
        if (w)
            snprintf(text, TABLE_CELL_MAX, "%s%s", tree_over_budget(g, node) ? "!" : "",
                     value_time(graph_mean(g, node), false, number));
        if (tree_over_budget(g, node))
            *st = STYLE(STYLE_CRIT);
        break;
    case COL_P95:
        if (w)
            snprintf(text, TABLE_CELL_MAX, "%s",
                     value_time(graph_quantile(g, node, 0.95), false, number));
        *st = STYLE(STYLE_DIM);
        break;
    case COL_RATE:
        if (w && graph_extra_of(g, node)->elements && w->total) {
            struct value v =
                value_ok((double)graph_extra_of(g, node)->elements * 1e9 / (double)w->total,
                         UNIT_COUNT_PER_S);
            snprintf(text, TABLE_CELL_MAX, "%s", value_format(&v, false, number));
        }
        *st = STYLE(STYLE_DIM);
        break;
    case COL_SHARE:
        table_bar(tree_share(t, node), BAR, text);
        snprintf(text + strlen(text), TABLE_CELL_MAX - strlen(text), " %5.1f", tree_share(t, node));
        *st = STYLE_LEVEL(STYLE_GRAD_PROC, tree_share(t, node));
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s%s",
                 !t->critical[node]          ? ""
                 : tree_over_budget(g, node) ? "*"
                                             : "*path",
                 tree_over_budget(g, node) ? "!over" : "");
        *st = STYLE(tree_over_budget(g, node) ? STYLE_CRIT : STYLE_HOT);
    }
}

static void node_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct tree_rows *t = ((const struct table_drawing *)ctx)->t;
    tree_key(t->id[t->rows[row].node], out);
}

static bool matches(const struct tree_rows *t, const struct view_state *st, uint32_t node)
{
    const struct tree_found *found = &((struct tree_state *)st->own)->found;
    return found->name[t->graph->name[node]];
}

static bool node_matches(const void *ctx, size_t row, const char *needle)
{
    const struct tree_rows *t = ((const struct table_drawing *)ctx)->t;
    (void)needle; /* find_names has prepared the matches */
    return ((const struct table_drawing *)ctx)->found->name[t->graph->name[t->rows[row].node]];
}

static void find_names(struct tree_found *kept, const struct tree_rows *t, const char *search)
{
    const struct graph *g = t->graph;
    if (kept->name && kept->serial == g->serial && strcmp(kept->search, search) == 0)
        return;
    kept->name = xrealloc(kept->name, g->nnames + 1u, sizeof *kept->name);
    for (uint32_t i = 0; i < g->nnames; i++)
        kept->name[i] = table_contains(graph_text(g, i), search);
    kept->serial = g->serial;
    snprintf(kept->search, sizeof kept->search, "%s", search);
}

/* For n and N: finds folded nodes too, and unfolds what hides them. */
static const struct tree_rows *find_node(const struct tree_rows *t, struct view_state *st)
{
    int step = st->find;
    uint32_t at = tree_node(t, st->at, NULL);
    st->find = 0;
    if (!st->search[0] || (step == 2 && at != GRAPH_NONE && matches(t, st, at)))
        return t;
    at = tree_nearest(t, st, step > 0 ? 1 : -1, matches);
    if (at == GRAPH_NONE)
        return t;
    st->pinned = false;
    tree_go_to(t, st, at);
    return tree_rows(t->bricks, st);
}

static int node_row(const void *ctx, const char *key, int last)
{
    int row;
    (void)last;
    tree_node(((const struct table_drawing *)ctx)->t, tree_id_of_key(key), &row);
    return row;
}

static int sort_column(const struct view_state *st)
{
    static const int of[TREE_SORTS] = {-1, COL_TOTAL, COL_NAME, COL_CALLS, COL_MEAN};
    return of[st->sort];
}

static int node_sort(int column)
{
    static const int of[] = {
        TREE_BY_NAME, TREE_BY_CALLS, TREE_BY_TIME, TREE_BY_MEAN, -1, -1, TREE_BY_TIME, -1};
    return of[column];
}

void tree_table_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                     struct view_state *st)
{
    struct tree_found *found = &((struct tree_state *)st->own)->found;
    find_names(found, t, st->search);
    if (st->find)
        t = find_node(t, st);
    struct table_drawing d = {t, found, 0, c->ascii};
    const struct table table = {.columns = columns,
                                .ncolumns = sizeof columns / sizeof *columns,
                                .ctx = &d,
                                .nrows = t->nrows,
                                .sort = sort_column(st),
                                .reverse = st->reverse,
                                .sort_of = node_sort,
                                .cell = node_cell,
                                .flexible = &d.name_width,
                                .key = node_key,
                                .find = node_row,
                                .match = node_matches};
    if (st->follow && st->selected_key[0] && st->at)
        tree_key(st->at, st->selected_key);
    table_draw(c, r, &table, st);
    st->at = tree_id_of_key(st->selected_key);
    if (t->nrows == 0)
        canvas_text(c, r.x, r.y + 2, r.w, "no row matches the filter", STYLE(STYLE_DIM));
}
