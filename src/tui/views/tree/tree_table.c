/* The tree as a table: lines of the tree, times, shares. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "engine/trace/graph_brief.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/table.h"

enum { GUIDES_MAX = 20, BAR = 8 };

void tree_kind(const struct graph *g, uint32_t node, char *out, size_t size)
{
    if (g->kind[node] == NODE_BRICK)
        snprintf(out, size, "brick, %s", node_category_name(g->category[node]));
    else
        snprintf(out, size, "%s", node_kind_name(g->kind[node]));
}

bool tree_over_budget(const struct graph *g, uint32_t node)
{
    uint64_t budget = graph_extra_of(g, node)->budget;
    return budget && graph_mean(g, node) > (double)budget;
}

void tree_most_call(const struct call_sum *s, uint64_t ns, char *out, size_t size)
{
    char number[VALUE_TEXT_MAX];
    out[0] = '\0';
    if (!s || !s->most_in)
        return;
    if (ns && ns != GRAPH_UNKNOWN)
        snprintf(out, size, "%.0f %% %s", 100.0 * (double)s->most_ns / (double)ns, s->most_in);
    else
        snprintf(out, size, "%s %s", value_time((double)s->most_ns, false, number), s->most_in);
}

struct table_drawing { /* the argument of the table's functions */
    const struct tree_rows *t;
    const struct tree_found *found;
    struct table_fields columns;
    int name_width;
    bool ascii;
};

/* All programs of a profile have ended. */
static const char *program_word(const struct bricks *b, uint32_t node)
{
    static const char *const words[] = {
        [PROGRAM_RUNNING] = "", [PROGRAM_ENDED] = " (ended)", [PROGRAM_CRASHED] = " (crashed)"};
    for (uint32_t i = 0; i < b->nprograms; i++)
        if (b->programs[i].node == node && !b->programs[i].profile)
            return words[b->programs[i].state];
    return "";
}

/* " 4100 (ended)"; without the number where the name ends with it, as "GPU 0" does. */
static void write_program_number(const struct table_drawing *d, uint32_t node, char *out)
{
    const struct graph *g = d->t->graph;
    const char *last = strrchr(graph_name(g, node), ' ');
    char number[24];
    if (g->kind[node] != NODE_PROGRAM || g->detail[node] == GRAPH_NONE)
        return;
    snprintf(number, sizeof number, " %" PRId64, g->details[g->detail[node]].thread.id);
    snprintf(out, TABLE_CELL_MAX / 4, "%s%s", last && strcmp(last, number) == 0 ? "" : number,
             program_word(d->t->bricks, node));
}

/* Writes the name with the lines before it: "│   ├─▾ RmsNorm". */
static void write_node_name(const struct table_drawing *d, size_t row, char *out)
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
    const char *sign = r->depth ? "─ " : "  ";
    if (r->parent)
        sign = r->open ? "▾ " : "▸ ";
    n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%s", sign);
    const struct graph *g = t->graph;
    char name[TABLE_CELL_MAX / 2];
    int room = d->name_width - text_width(out);
    n += (size_t)snprintf(out + n, TABLE_CELL_MAX - n, "%.150s",
                          graph_brief(g, r->node, room, d->ascii, name, sizeof name));
    write_program_number(d, r->node, out + n);
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
    const struct table_drawing *d = ctx;
    const struct tree_rows *t = d->t;
    const struct graph *g = t->graph;
    uint32_t node = t->rows[row].node;
    const struct graph_work *w = graph_work_of(g, node);
    const struct graph_item item = tree_item(t, node);
    const struct list_field *f = d->columns.field[col];
    char number[VALUE_TEXT_MAX];
    if (tree_counter_cell(f, &tree_counter_fields, g->counters, graph_counts_of(g, node), text)) {
        *st = STYLE(STYLE_DIM);
        return;
    }
    switch (f - graph_fields) {
    case GRAPH_FIELD_name:
        write_node_name(ctx, row, text);
        *st = name_style(g, node);
        break;
    case GRAPH_FIELD_time:
        snprintf(text, TABLE_CELL_MAX, "%s", value_time(list_field_raw(f, &item), false, number));
        break;
    case GRAPH_FIELD_mean:
        if (w)
            snprintf(text, TABLE_CELL_MAX, "%s%s", tree_over_budget(g, node) ? "!" : "",
                     value_time(list_field_raw(f, &item), false, number));
        if (tree_over_budget(g, node))
            *st = STYLE(STYLE_CRIT);
        break;
    case GRAPH_FIELD_p95:
        if (w)
            snprintf(text, TABLE_CELL_MAX, "%s",
                     value_time(list_field_raw(f, &item), false, number));
        *st = STYLE(STYLE_DIM);
        break;
    case GRAPH_FIELD_rate:
        if (w && graph_extra_of(g, node)->elements && w->total) {
            struct value v =
                value_ok((double)graph_extra_of(g, node)->elements * 1e9 / (double)w->total,
                         UNIT_COUNT_PER_S);
            snprintf(text, TABLE_CELL_MAX, "%s", value_format(&v, false, number));
        }
        *st = STYLE(STYLE_DIM);
        break;
    case GRAPH_FIELD_share:
        table_bar(graph_share(&item), BAR, text);
        snprintf(text + strlen(text), TABLE_CELL_MAX - strlen(text), " %5.1f", graph_share(&item));
        *st = STYLE_LEVEL(STYLE_GRAD_PROC, graph_share(&item));
        break;
    case GRAPH_FIELD_note:
        if (tree_over_budget(g, node))
            snprintf(text, TABLE_CELL_MAX, "%s!over", t->critical[node] ? "*" : "");
        else
            snprintf(text, TABLE_CELL_MAX, "%s", t->critical[node] ? "*path" : "");
        *st = STYLE(tree_over_budget(g, node) ? STYLE_CRIT : STYLE_HOT);
        break;
    case GRAPH_FIELD_syscalls_ns:
        snprintf(text, TABLE_CELL_MAX, "%s", value_time(list_field_raw(f, &item), false, number));
        break;
    case GRAPH_FIELD_most:
        tree_most_call(graph_syscalls_of(g, node),
                       g->syscalls && g->syscalls->partial ? GRAPH_UNKNOWN : g->duration[node],
                       text, TABLE_CELL_MAX);
        *st = STYLE(STYLE_DIM);
        break;
    default:
        table_field_text(f, &item, "", text);
        *st = STYLE(STYLE_DIM);
    }
}

static void node_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct tree_rows *t = ((const struct table_drawing *)ctx)->t;
    tree_key(t->id[t->rows[row].node], out);
}

static bool is_tree_match(const struct tree_rows *t, const struct view_state *st, uint32_t node)
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
static const struct tree_rows *search_tree(const struct tree_rows *t, struct view_state *st)
{
    int step = st->find;
    uint32_t at = tree_node(t, st->at, NULL);
    st->find = 0;
    if (!st->search[0] || (step == 2 && at != GRAPH_NONE && is_tree_match(t, st, at)))
        return t;
    at = tree_nearest(t, st, step > 0 ? 1 : -1, is_tree_match);
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

void tree_table_draw(struct canvas *c, struct rect r, const struct tree_rows *t,
                     struct view_state *st)
{
    struct tree_found *found = &((struct tree_state *)st->own)->found;
    find_names(found, t, st->search);
    if (st->find)
        t = search_tree(t, st);
    struct table_drawing d = {.t = t, .found = found, .ascii = c->ascii};
    table_fields(&d.columns, graph_fields);
    tree_counter_columns(&d.columns, t->graph->counters, &tree_counter_fields);
    if (!t->graph->syscalls) {
        table_fields_remove(&d.columns, &graph_fields[GRAPH_FIELD_syscalls]);
        table_fields_remove(&d.columns, &graph_fields[GRAPH_FIELD_syscalls_ns]);
        table_fields_remove(&d.columns, &graph_fields[GRAPH_FIELD_most]);
    }
    const struct table table = {.fields = &d.columns,
                                .ctx = &d,
                                .nrows = t->nrows,
                                .reverse = st->reverse,
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
