/* The execution tree of instrumented programs: layers, bricks, kernels, with measured times. */
#include "tui/views/tree/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "tui/widgets/table.h"
#include "tui/widgets/wrap.h"

static const char *const mode_names[] = {"tree", "by name", "categories", "flame graph"};
enum { SIDE_FROM = 116, SIDE = 40, BELOW_FROM = 22, BELOW = 9 };

/* --- nothing to show --- */

static void draw_no_bricks(struct canvas *c, struct rect r, const struct model *m)
{
    static const char *const lines[] = {
        "A program tells where its bricks begin and end:",
        "",
        "    #include <rooftop/brick.h>          cc prog.c -lrooftop",
        "    rooftop_timer t = rooftop_start(ROOFTOP_QKV_PROJECTION);",
        "    qkv(x, y, n);",
        "    rooftop_stop(t, n);",
        "",
        "rooftop finds it while it runs. A real one: examples/transformer (make run).",
    };
    char title[128];
    if (!m->snap) {
        canvas_text(c, r.x, r.y + 1, r.w, "…", STYLE(STYLE_DIM));
        return;
    }
    if (m->profile || model_file_alone(m)) {
        wrap_draw(c, (struct rect){r.x, r.y + 1, r.w, r.h - 1},
                  "Nothing in the opened file began and ended, so that there is no tree of calls.",
                  STYLE(STYLE_TITLE));
        return;
    }
    const char *when = m->playback ? " in this recording" : " was found yet";
    snprintf(title, sizeof title, "No instrumented program%s%s.", m->moment[0] ? " at " : when,
             m->moment);
    lines_draw(c, r, title, lines, sizeof lines / sizeof *lines);
}

/* The tree to show; NULL: nothing is in it. */
static const struct bricks *find_tree(const struct model *m)
{
    const struct bricks *b = model_bricks(m);
    return b && b->tree && b->tree->nnodes ? b : NULL;
}

/* --- the line above --- */

/* How many system calls are counted in the tree, and how many are not. */
static void draw_tree_syscalls(struct canvas *c, struct rect r, const struct graph_syscalls *s)
{
    int x = r.x;
    if (!s)
        return;
    if (s->missed) /* without them no share is known: times are shown */
        x += canvas_printf(c, x, r.y, r.w, STYLE(STYLE_WARN),
                           " · no shares: %" PRIu64 " spans lost", s->missed);
    x += canvas_printf(c, x, r.y, r.x + r.w - x, STYLE(STYLE_DIM), " · %" PRIu64 " system calls%s",
                       s->total.calls, s->partial ? " of a part of the run" : "");
    if (s->waiting)
        x += canvas_printf(c, x, r.y, r.x + r.w - x, STYLE(STYLE_DIM), ", %" PRIu64 " to be placed",
                           s->waiting);
    if (s->dropped)
        canvas_printf(c, x, r.y, r.x + r.w - x, STYLE(STYLE_WARN), ", %" PRIu64 " dropped!",
                      s->dropped);
}

static void draw_tree_numbers(struct canvas *c, struct rect r, const struct tree_rows *t)
{
    const struct bricks *b = t->bricks;
    char number[VALUE_TEXT_MAX];
    uint64_t dropped = 0;
    double tokens = 0;
    unsigned running = 0;
    for (uint32_t i = 0; i < b->nprograms; i++) {
        const struct brick_program *p = &b->programs[i];
        if (!p->profile) /* in a profile, each program has the number of the whole file */
            dropped += p->dropped;
        else if (p->dropped > dropped)
            dropped = p->dropped;
        tokens += b->programs[i].state == PROGRAM_RUNNING ? b->programs[i].tokens_per_s : 0;
        running += b->programs[i].state == PROGRAM_RUNNING;
    }
    int x = r.x, end = r.x + r.w;
    /* those of a profile may be devices, and none runs */
    const bool profile = b->nprograms && b->programs[0].profile;
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_TITLE), "%u %s", b->nprograms,
                       profile ? plural(b->nprograms, "process", "processes")
                               : plural(b->nprograms, "program", "programs"));
    if (!profile)
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), ", %u running", running);
    x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " · %s in %u places",
                       value_time((double)t->total, c->ascii, number), t->graph->nnodes);
    if (tokens > 0)
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_DIM), " · %.1f tokens/s", tokens);
    if (dropped)
        x += canvas_printf(c, x, r.y, end - x, STYLE(STYLE_WARN), " · %" PRIu64 " dropped!",
                           dropped);
    draw_tree_syscalls(c, (struct rect){x, r.y, end - x, 1}, t->graph->syscalls);
}

static bool split_tree_side(struct rect *r, const struct view_state *st, struct rect *side)
{
    if (st->pane || st->mode >= TREE_FLAT)
        return false;
    if (r->w >= SIDE_FROM) {
        *side = (struct rect){r->x + r->w - SIDE, r->y, SIDE, r->h};
        r->w -= SIDE + 2;
        return true;
    }
    if (r->h < BELOW_FROM)
        return false;
    *side = (struct rect){r->x, r->y + r->h - BELOW, r->w, BELOW};
    r->h -= BELOW + 1;
    return true;
}

static void draw_tree(struct canvas *c, struct rect r, const struct tree_rows *t,
                      struct view_state *st)
{
    struct rect side;
    draw_tree_numbers(c, r, t);
    r.y++;
    r.h--;
    bool details = split_tree_side(&r, st, &side);
    switch (st->mode) {
    case TREE_FLAT:
        tree_flat_draw(c, r, t, st);
        break;
    case TREE_CATEGORIES:
        r.y++;
        r.h--;
        tree_categories_draw(c, r, t, st);
        break;
    case TREE_ICICLE:
        tree_icicle_draw(c, r, t, st);
        break;
    default:
        tree_table_draw(c, r, t, st);
    }
    if (!details)
        return;
    if (side.y > r.y)
        canvas_fill(c, (struct rect){side.x, side.y - 1, side.w, 1}, 0x2500, STYLE(STYLE_DIV));
    else
        canvas_fill(c, (struct rect){side.x - 1, side.y, 1, side.h}, 0x2502, STYLE(STYLE_DIV));
    side.x += side.y > r.y ? 0 : 1;
    tree_detail_draw(c, side, t, tree_node(t, st->at, NULL));
}

static void draw_tree_view(struct canvas *c, struct rect area, const struct model *m,
                           struct view_state *st)
{
    char title[96], right[160];
    st->mode = (st->mode % TREE_MODES + TREE_MODES) % TREE_MODES;
    st->sort = list_fields_sort(graph_fields, st->sort) ? st->sort : 0;
    bool ordered = st->mode == TREE_TREE;
    const char *order = "calls";
    if (st->sort)
        order = list_field_sort_name(list_fields_sort(graph_fields, st->sort));
    snprintf(title, sizeof title, "bricks: %s%s%s", mode_names[st->mode],
             ordered ? " in order of " : "", ordered ? order : "");
    snprintf(right, sizeof right, "%s%s%.30s%s", m->moment, st->filter[0] ? " filter '" : "",
             st->filter, st->filter[0] ? "'" : "");
    canvas_box(c, area, STYLE(STYLE_BOX_PROC), title, right[0] ? right : NULL);
    struct rect inner = {area.x + 2, area.y + 1, area.w - 4, area.h - 2};
    if (find_tree(m))
        draw_tree(c, inner, tree_rows(find_tree(m), st), st);
    else
        draw_no_bricks(c, inner, m);
}

/* --- moving --- */

static bool move_node_sideways(const struct tree_rows *t, struct view_state *st, bool right)
{
    int row;
    uint32_t node = tree_node(t, st->at, &row);
    if (row < 0)
        return true;
    const struct tree_row *r = &t->rows[row];
    if (right && r->parent && r->open)
        tree_go_to(t, st, t->rows[row + 1].node);
    else if (right && r->parent)
        tree_set_open(t, st, node, true);
    else if (!right && r->open)
        tree_set_open(t, st, node, false);
    else if (!right && t->graph->parent[node] != GRAPH_NONE)
        tree_go_to(t, st, t->graph->parent[node]);
    return true;
}

static void longest_child(const struct tree_rows *t, struct view_state *st)
{
    const struct graph *g = t->graph;
    uint32_t node = tree_node(t, st->at, NULL), best = GRAPH_NONE;
    uint32_t first = node == GRAPH_NONE ? g->first_root : g->first_child[node];
    for (uint32_t c = first; c != GRAPH_NONE; c = g->next_sibling[c])
        if (g->duration[c] != GRAPH_UNKNOWN &&
            (best == GRAPH_NONE || g->duration[c] > g->duration[best]))
            best = c;
    if (best != GRAPH_NONE)
        tree_go_to(t, st, best);
}

static bool is_critical(const struct tree_rows *t, const struct view_state *st, uint32_t node)
{
    (void)st;
    return t->critical[node];
}

static void next_critical(const struct tree_rows *t, struct view_state *st)
{
    uint32_t node = tree_nearest(t, st, 1, is_critical);
    if (node != GRAPH_NONE)
        tree_go_to(t, st, node);
}

/*
 * Folds or unfolds all rows of the selected row's level. If single nodes do not fit into the list
 * of exceptions, all deeper levels change too.
 */
static void fold_level(const struct tree_rows *t, struct view_state *st)
{
    int row;
    tree_node(t, st->at, &row);
    if (row < 0)
        return;
    uint16_t depth = t->rows[row].depth;
    bool open = !t->rows[row].open;
    size_t n = 0;
    for (size_t i = 0; i < t->nrows; i++)
        n += t->rows[i].depth == depth && t->rows[i].parent;
    if (n > VIEW_FOLDED_MAX / 2) {
        st->level = 1 + depth + open;
        memset(st->folded, 0, sizeof st->folded);
        return;
    }
    for (size_t i = 0; i < t->nrows; i++)
        if (t->rows[i].depth == depth && t->rows[i].parent)
            tree_set_open(t, st, t->rows[i].node, open);
}

static void toggle_tree_node(const struct tree_rows *t, struct view_state *st, int open)
{
    uint32_t node = tree_node(t, st->at, NULL);
    if (node != GRAPH_NONE)
        tree_set_open(t, st, node, open < 0 ? !tree_is_open(t, st, node) : open);
}

static bool tree_act(enum action a, const struct tree_rows *t, struct view_state *st)
{
    switch (a) {
    case ACTION_TREE_LEFT:
    case ACTION_TREE_RIGHT:
        return move_node_sideways(t, st, a == ACTION_TREE_RIGHT);
    case ACTION_FOLD:
        toggle_tree_node(t, st, 0);
        return true;
    case ACTION_UNFOLD:
        toggle_tree_node(t, st, 1);
        return true;
    case ACTION_FOLD_TOGGLE:
        toggle_tree_node(t, st, -1);
        return true;
    case ACTION_FOLD_LEVEL:
        fold_level(t, st);
        return true;
    case ACTION_LONGEST_CHILD:
        longest_child(t, st);
        return true;
    case ACTION_NEXT_CRITICAL:
        next_critical(t, st);
        return true;
    default:
        return table_act(a, st);
    }
}

static enum view_result act_in_tree(enum action a, const struct model *m, struct view_state *st)
{
    if (a == ACTION_TREE_MODE) {
        st->mode = (st->mode + 1) % TREE_MODES;
        return VIEW_HANDLED;
    }
    if (a == ACTION_SOURCE)
        return st->at ? VIEW_SOURCE : VIEW_IGNORED;
    if (a == ACTION_DETAILS) {
        st->pane = !st->pane;
        return VIEW_HANDLED;
    }
    if (!find_tree(m))
        return table_act(a, st) ? VIEW_HANDLED : VIEW_IGNORED;
    const struct tree_rows *t = tree_rows(find_tree(m), st);
    bool done;
    if (st->mode == TREE_ICICLE)
        done = tree_icicle_act(a, t, st);
    else
        done = st->mode == TREE_TREE ? tree_act(a, t, st) : table_act(a, st);
    if (done)
        return VIEW_HANDLED;
    return a == ACTION_ZOOM_IN ? VIEW_MENU : VIEW_IGNORED;
}

static bool tree_available(const struct model *m, const struct view_state *st)
{
    (void)st;
    return find_tree(m) != NULL;
}

static void free_tree(void *own)
{
    struct tree_state *o = own;
    tree_made_free(&o->made);
    free(o->found.name);
    arena_free(&o->flat.memory);
    free(o->icicle.nodes);
    free(o->icicle.total);
    icicle_free(&o->icicle.shown);
}

const struct view_ops view_tree = {
    .name = "tree",
    .title = "tree",
    .select = ACTION_VIEW_TREE,
    .contexts = CONTEXT_LIST | CONTEXT_TREE,
    .traces = true,
    .available = tree_available,
    .own_size = sizeof(struct tree_state),
    .end = free_tree,
    .draw = draw_tree_view,
    .act = act_in_tree,
    .menu = tree_menu,
    .fields = graph_fields,
};
