/* The call tree: callers above their callees, those with most samples first. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/table.h"

enum { COL_TOTAL, COL_SELF, COL_SAMPLES, COL_NAME, COL_MODULE };

enum { COLUMNS = COL_MODULE + 1 };

static const struct column columns[COLUMNS] = {
    [COL_TOTAL] = {"TOTAL %", 8, false, true, 0},
    [COL_SELF] = {"SELF %", 7, false, true, 1},
    [COL_SAMPLES] = {"SAMPLES", 8, false, true, 3},
    [COL_NAME] = {"CALLED FUNCTION", 24, true, false, 0},
    [COL_MODULE] = {"MODULE", 14, false, false, 2},
};

/* Frames with a smaller share of all samples are left out, because there are very many of them. */
static const double least_percent = 0.1;
enum { INDENT_MAX = 24 };

static void link_stack_child(struct functions_tree *tree, int32_t *head, int32_t node)
{
    const uint64_t *total = tree->f->node_total;
    /* nodes with equal samples stay in the order of names */
    while (*head >= 0 && total[*head] >= total[node])
        head = &tree->next[*head];
    tree->next[node] = *head;
    *head = node;
}

/* Links children in the order of samples. Returns the root with most samples. */
static int32_t link_stack_nodes(const struct functions *f, const struct view_state *st)
{
    struct functions_tree *tree = &((struct functions_state *)st->own)->tree;
    const struct hot_stacks *p = f->stacks;
    int32_t root = -1;
    tree->f = f;
    if (p->nnodes > tree->cap) {
        tree->cap = p->nnodes * 2;
        tree->first = xrealloc(tree->first, tree->cap, sizeof *tree->first);
        tree->next = xrealloc(tree->next, tree->cap, sizeof *tree->next);
        tree->hit = xrealloc(tree->hit, tree->cap, sizeof *tree->hit);
        tree->rows = xrealloc(tree->rows, tree->cap, sizeof *tree->rows);
    }
    bool *pass = xcalloc(p->nsymbols, sizeof *pass);
    for (size_t i = 0; i < f->nrows; i++)
        pass[f->rows[i].symbol] = functions_pass(f, &f->rows[i], st);
    for (size_t i = 0; i < p->nnodes; i++) {
        tree->first[i] = tree->next[i] = -1;
        tree->hit[i] = pass[p->nodes[i].symbol];
    }
    free(pass);
    for (size_t i = p->nnodes; i-- > 0;)
        if (tree->hit[i] && p->nodes[i].parent >= 0)
            tree->hit[p->nodes[i].parent] = true;
    for (size_t i = 0; i < p->nnodes; i++) {
        int32_t parent = p->nodes[i].parent;
        if (tree->hit[i] && functions_percent(f->stacks, f->node_total[i]) >= least_percent)
            link_stack_child(tree, parent < 0 ? &root : &tree->first[parent], (int32_t)i);
    }
    return root;
}

static void collect_calls(const struct functions *f, const struct view_state *st)
{
    struct functions_tree *tree = &((struct functions_state *)st->own)->tree;
    int depth = 0;
    tree->nrows = 0;
    for (int32_t at = link_stack_nodes(f, st); at >= 0;) {
        bool parent = tree->first[at] >= 0, open = parent && !view_folded(st, f->node_id[at]);
        tree->rows[tree->nrows++] = (struct functions_tree_row){at, depth, parent, open};
        if (open) {
            at = tree->first[at];
            depth++;
            continue;
        }
        while (at >= 0 && tree->next[at] < 0) {
            at = f->stacks->nodes[at].parent;
            depth--;
        }
        at = at < 0 ? -1 : tree->next[at];
    }
}

static const struct hot_symbol *call_symbol_of(const struct functions_tree *tree, size_t row)
{
    const struct hot_stacks *p = tree->f->stacks;
    return &p->symbols[p->nodes[tree->rows[row].node].symbol];
}

static void write_call_name(const struct functions_tree_row *r, const struct hot_symbol *s,
                            char *out)
{
    const char *mark = functions_mark(s), *sign = "  ";
    if (r->parent)
        sign = r->open ? "▾ " : "▸ ";
    int indent = r->depth < INDENT_MAX ? r->depth : INDENT_MAX;
    char deep[16] = "";
    if (r->depth > INDENT_MAX)
        snprintf(deep, sizeof deep, "+%d ", r->depth - INDENT_MAX);
    snprintf(out, TABLE_CELL_MAX, "%*s%s%s%s%s%s", indent, "", deep, sign, s->name,
             mark[0] ? "  " : "", mark);
}

static void call_cell(const void *ctx, size_t row, int col, char text[TABLE_CELL_MAX],
                      struct style *st)
{
    const struct functions_tree *tree = ctx;
    const struct functions_tree_row *r = &tree->rows[row];
    const struct functions *f = tree->f;
    uint64_t self = f->stacks->nodes[r->node].self, total = f->node_total[r->node];
    double percent = functions_percent(f->stacks, col == COL_SELF ? self : total);
    switch (col) {
    case COL_TOTAL:
    case COL_SELF:
        snprintf(text, TABLE_CELL_MAX, "%.1f", percent);
        *st = functions_percent_style(percent);
        break;
    case COL_SAMPLES:
        functions_number(f->stacks, total, text);
        *st = STYLE(STYLE_DIM);
        break;
    case COL_NAME:
        write_call_name(r, call_symbol_of(tree, row), text);
        break;
    default:
        snprintf(text, TABLE_CELL_MAX, "%s", call_symbol_of(tree, row)->module);
        *st = STYLE(STYLE_DIM);
    }
}

static void call_key(const void *ctx, size_t row, char out[VIEW_TEXT_MAX])
{
    const struct functions_tree *tree = ctx;
    snprintf(out, VIEW_TEXT_MAX, "t:%016" PRIx64, tree->f->node_id[tree->rows[row].node]);
}

static bool call_matches(const void *ctx, size_t row, const char *needle)
{
    const struct functions_tree *tree = ctx;
    return functions_match(call_symbol_of(tree, row), needle);
}

void functions_tree_draw(struct canvas *c, struct rect r, const struct functions *f,
                         struct view_state *st)
{
    const struct functions_tree *tree = &((struct functions_state *)st->own)->tree;
    collect_calls(f, st);
    struct column own[COLUMNS];
    memcpy(own, columns, sizeof own);
    own[COL_SAMPLES].title = functions_number_title(f->stacks);
    const struct table t = {.columns = own,
                            .ncolumns = COLUMNS,
                            .ctx = tree,
                            .nrows = tree->nrows,
                            .sort = COL_TOTAL,
                            .cell = call_cell,
                            .key = call_key,
                            .match = call_matches};
    if (st->follow && st->selected_key[0] && functions_node(f, st->at) >= 0)
        snprintf(st->selected_key, sizeof st->selected_key, "t:%016" PRIx64, st->at);
    r.h--;
    table_draw(c, r, &t, st);
    st->at = strncmp(st->selected_key, "t:", 2) == 0 ? strtoull(st->selected_key + 2, NULL, 16) : 0;
    if (tree->nrows == 0)
        canvas_text(c, r.x, r.y + 2, r.w, "no function matches the filter", STYLE(STYLE_DIM));
    canvas_printf(c, r.x, r.y + r.h, r.w, STYLE(STYLE_DIM),
                  "+ - ← → unfold and fold; frames under %g %% are left out%s", least_percent,
                  r.w >= 100 ? "; k kernel  j JIT  v vDSO  i inlined  ? no name" : "");
}

/* Puts the cursor on a node at the next draw. */
static void go_to_call(struct view_state *st, uint64_t id)
{
    st->at = id;
    st->follow = true;
    snprintf(st->selected_key, sizeof st->selected_key, "t:%016" PRIx64, id);
}

static bool move_call_sideways(const struct functions *f, struct view_state *st, bool right)
{
    const struct functions_tree *tree = &((struct functions_state *)st->own)->tree;
    int32_t node = functions_node(f, st->at);
    /* collect the rows again, because the profile may have changed since the last draw */
    collect_calls(f, st);
    while ((size_t)st->selected < tree->nrows && tree->rows[st->selected].node != node)
        st->selected++;
    if (node < 0 || (size_t)st->selected >= tree->nrows)
        return true;
    const struct functions_tree_row *r = &tree->rows[st->selected];
    if (right && r->parent && r->open)
        go_to_call(st, f->node_id[tree->rows[st->selected + 1].node]);
    else if (right && r->parent)
        view_set_folded(st, st->at, false);
    else if (!right && r->open)
        view_set_folded(st, st->at, true);
    else if (!right && f->stacks->nodes[node].parent >= 0)
        go_to_call(st, f->node_id[f->stacks->nodes[node].parent]);
    return true;
}

bool functions_tree_act(enum action a, const struct functions *f, struct view_state *st)
{
    switch (a) {
    case ACTION_TREE_LEFT:
    case ACTION_TREE_RIGHT:
        return move_call_sideways(f, st, a == ACTION_TREE_RIGHT);
    case ACTION_FOLD:
    case ACTION_UNFOLD:
        if (st->at)
            view_set_folded(st, st->at, a == ACTION_FOLD);
        return true;
    case ACTION_SORT_NEXT: /* there is only one order: by samples */
    case ACTION_SORT_PREV:
    case ACTION_SORT_REVERSE:
        return true;
    default:
        return table_act(a, st);
    }
}
