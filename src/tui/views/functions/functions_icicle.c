/* The flame graph, and details of the frame under the cursor. */
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "tui/views/functions/functions.h"
#include "tui/widgets/icicle.h"

enum { DETAIL_ROWS = 3 };

static const struct hot_symbol *stack_symbol_of(const struct functions *f, int32_t node)
{
    return &f->stacks->symbols[f->stacks->nodes[node].symbol];
}

static int32_t find_stack_node(const void *ctx, uint64_t id)
{
    return functions_node(ctx, id);
}

static bool is_stack_match(const void *ctx, int32_t node, const char *search)
{
    return functions_match(stack_symbol_of(ctx, node), search);
}

static int module_level(const struct hot_symbol *s)
{
    if (s->where == HOT_KERNEL)
        return 100;
    return (int)(hash_text(0, s->module) % 8) * 10;
}

static void write_stack_look(const void *ctx, int32_t node, int cells, struct icicle_look *out)
{
    (void)cells;
    const struct hot_symbol *s = stack_symbol_of(ctx, node);
    const char *mark = functions_mark(s);
    snprintf(out->label, sizeof out->label, "%.200s%s%s", s->name, mark[0] ? " " : "", mark);
    out->level = module_level(s);
}

static struct icicle_nodes stack_nodes_of(const struct functions *f)
{
    const struct hot_stacks *p = f->stacks;
    return (struct icicle_nodes){{p->nodes, f->node_total, p->nnodes, -1},
                                 f->node_id,
                                 find_stack_node,
                                 is_stack_match,
                                 write_stack_look,
                                 f};
}

static void draw_stack_detail(struct canvas *c, struct rect r, const struct functions *f,
                              int32_t node)
{
    const struct hot_stacks *p = f->stacks;
    char source[256];
    canvas_fill(c, (struct rect){r.x, r.y, r.w, 1}, 0x2500, STYLE(STYLE_DIV));
    canvas_printf(c, r.x, r.y, r.w, STYLE(STYLE_DIM), "width: share of the %s; siblings by name ",
                  hot_weight_name(p));
    if (node < 0) {
        canvas_printf(c, r.x, r.y + 1, r.w, STYLE(STYLE_TITLE), "all %s", hot_weight_name(p));
        canvas_text(c, r.x, r.y + 2, r.w,
                    "← → ↑ ↓ move   Enter zoom   Backspace, Esc zoom out   v code   / search",
                    STYLE(STYLE_DIM));
        return;
    }
    const struct hot_symbol *s = stack_symbol_of(f, node);
    uint64_t self = p->nodes[node].self, total = f->node_total[node];
    char all[TABLE_CELL_MAX], own[TABLE_CELL_MAX];
    functions_number(p, total, all);
    functions_number(p, self, own);
    canvas_text(c, r.x, r.y + 1, r.w, s->name, STYLE(STYLE_TITLE));
    int x = r.x, end = r.x + r.w;
    x += canvas_printf(c, x, r.y + 2, end - x, STYLE(STYLE_TEXT),
                       "total %.1f %% (%s)  self %.1f %% (%s)", functions_percent(p, total), all,
                       functions_percent(p, self), own);
    functions_source(s, source, sizeof source);
    canvas_printf(c, x, r.y + 2, end - x, STYLE(STYLE_DIM), "  %s%s%s%s", s->module,
                  s->inlined ? ", inlined" : "", source[0] ? "  " : "", source);
}

void functions_icicle_draw(struct canvas *c, struct rect r, const struct functions *f,
                           struct view_state *st)
{
    struct functions_state *own = st->own;
    const struct icicle_nodes nodes = stack_nodes_of(f);
    if (r.h < DETAIL_ROWS + 2 || r.w < 4)
        return;
    struct rect detail = {r.x, r.y + r.h - DETAIL_ROWS, r.w, DETAIL_ROWS};
    r.h -= DETAIL_ROWS;
    const int32_t node = icicle_draw(c, r, &own->icicle, &nodes, st);
    if (st->rows > r.h)
        canvas_printf(c, r.x + r.w - 24, detail.y, 24, STYLE(STYLE_DIM), " rows %d-%d of %d ",
                      st->scroll + 1, st->scroll + r.h, st->rows);
    draw_stack_detail(c, detail, f, node);
}

bool functions_icicle_act(enum action a, const struct functions *f, struct view_state *st)
{
    struct functions_state *own = st->own;
    const struct icicle_nodes nodes = stack_nodes_of(f);
    if (own->icicle.w < 1 || !f->stacks->nnodes)
        return false;
    if (icicle_act(a, &own->icicle, &nodes, st))
        return true;
    switch (a) {
    case ACTION_OPEN_FUNCTION:
        icicle_zoom_in(&own->icicle, &nodes, st);
        return true;
    case ACTION_ZOOM_OUT:
        icicle_zoom_out(&nodes, st, false);
        return true;
    case ACTION_BACK:
        return !st->search[0] && icicle_zoom_out(&nodes, st, true);
    case ACTION_SORT_NEXT: /* there is only one order: by name, so that frames keep their places */
    case ACTION_SORT_PREV:
    case ACTION_SORT_REVERSE:
    case ACTION_FOLD:
    case ACTION_UNFOLD:
        return true;
    default:
        return false;
    }
}
