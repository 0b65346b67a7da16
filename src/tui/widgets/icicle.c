#include "tui/widgets/icicle.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/arena.h"

enum { ROWS_MAX = 256 };

/* A part of a caller's width: that of a child, or of the caller's own samples. */
struct claim {
    int32_t node;
    uint64_t total, rest; /* remainder of total * w / all, for the largest remainder */
    int w;
};

struct icicle_layout {
    const struct icicle *ic;
    int32_t *first, *next, root; /* children in the order of nodes; -1 = none */
    struct claim *claims;
    struct icicle_cell *out;
    size_t n;
};

static void link_icicle_nodes(struct icicle_layout *l)
{
    l->root = -1;
    for (size_t i = l->ic->n; i-- > 0;) {
        int32_t parent = l->ic->nodes[i].parent, *head = parent < 0 ? &l->root : &l->first[parent];
        l->next[i] = *head;
        *head = (int32_t)i;
    }
    /* Only children set first[] of a node. They have higher numbers, so this one is complete */
}

/*
 * Divides w cells among the claims on `all`. Claims may leave some of it unused. Left-over cells go
 * to the largest remainders.
 */
static void divide_cells(struct claim *claims, size_t n, uint64_t all, int w)
{
    int left = w;
    for (size_t i = 0; i < n; i++) {
        __extension__ const unsigned __int128 share =
            (unsigned __int128)claims[i].total * (unsigned)w;
        claims[i].w = (int)(share / all);
        claims[i].rest = (uint64_t)(share % all);
        left -= claims[i].w;
    }
    while (left > 0) {
        size_t best = n;
        for (size_t i = 0; i < n; i++)
            if (claims[i].rest && (best == n || claims[i].rest > claims[best].rest))
                best = i;
        if (best == n)
            return;
        claims[best].rest = 0;
        claims[best].w++;
        left--;
    }
}

/*
 * Children narrower than a cell become one claim together. The caller's own samples are the last
 * claim.
 */
static size_t make_claims(struct icicle_layout *l, int32_t child, uint64_t all, int w)
{
    struct claim several = {.node = ICICLE_SEVERAL};
    uint64_t own = all;
    size_t n = 0, narrow = 0;
    int32_t last = -1;
    for (; child >= 0; child = l->next[child]) {
        uint64_t total = l->ic->total[child];
        own -= total;
        if (total == 0)
            continue;
        if (total >= (all + (unsigned)w - 1) / (unsigned)w) {
            l->claims[n++] = (struct claim){.node = child, .total = total};
        } else {
            several.total += total;
            last = child;
            narrow++;
        }
    }
    if (narrow == 1)
        several.node = last;
    if (narrow)
        l->claims[n++] = several;
    l->claims[n++] = (struct claim){.node = ICICLE_ALL, .total = own};
    return n;
}

static void add_cell(struct icicle_layout *l, struct icicle_cell cell)
{
    l->out[l->n++] = cell;
}

/* Places the cells below a cell. */
static void place_children(struct icicle_layout *l, struct icicle_cell at)
{
    int32_t child = at.node == ICICLE_ALL ? l->root : l->first[at.node];
    if (child < 0 || at.total == 0)
        return;
    size_t n = make_claims(l, child, at.total, at.w);
    divide_cells(l->claims, n, at.total, at.w);
    int x = at.x;
    for (size_t i = 0; i + 1 < n; i++) {
        const struct claim *k = &l->claims[i];
        if (k->w > 0)
            add_cell(l, (struct icicle_cell){.node = k->node,
                                             .parent = at.node,
                                             .total = k->total,
                                             .x = x,
                                             .w = k->w,
                                             .depth = at.depth + 1});
        x += k->w;
    }
}

/*
 * Places the first row, then the callers of the zoomed frame and the frame itself, each over the
 * whole width.
 */
static void place_callers(struct icicle_layout *l, int w, int rows)
{
    const struct icicle *ic = l->ic;
    uint64_t all = 0;
    int depth = 0;
    for (int32_t i = l->root; i >= 0; i = l->next[i])
        all += ic->total[i];
    for (int32_t i = ic->zoom; i >= 0; i = ic->nodes[i].parent)
        depth++;
    add_cell(l, (struct icicle_cell){.node = ICICLE_ALL, .total = all, .w = w});
    for (int32_t i = ic->zoom; i >= 0; i = ic->nodes[i].parent, depth--)
        if (depth < rows)
            l->out[depth] = (struct icicle_cell){.node = i,
                                                 .parent = ic->nodes[i].parent,
                                                 .total = ic->total[i],
                                                 .w = w,
                                                 .depth = depth};
    for (int32_t i = ic->zoom; i >= 0 && (int)l->n < rows; i = ic->nodes[i].parent)
        l->n++;
}

size_t icicle_layout(const struct icicle *ic, int w, int rows, struct icicle_cell *out)
{
    if (w < 1 || rows < 1)
        return 0;
    struct icicle_layout l = {.ic = ic, .out = out};
    l.first = xcalloc(ic->n, sizeof *l.first);
    l.next = xcalloc(ic->n, sizeof *l.next);
    l.claims = xcalloc(ic->n + 2, sizeof *l.claims);
    for (size_t i = 0; i < ic->n; i++)
        l.first[i] = -1;
    link_icicle_nodes(&l);
    place_callers(&l, w, rows);
    for (size_t i = l.n - 1; i < l.n; i++) /* the loop appends cells, row by row */
        if (out[i].node != ICICLE_SEVERAL && out[i].depth + 1 < rows)
            place_children(&l, out[i]);
    free(l.first);
    free(l.next);
    free(l.claims);
    return l.n;
}

/* --- the cursor --- */

void icicle_free(struct icicle_shown *shown)
{
    free(shown->cells);
}

static void lay_out_icicle(struct icicle_shown *shown, const struct icicle_nodes *nodes,
                           const struct view_state *st, int w)
{
    struct icicle tree = nodes->tree;
    const size_t need = (size_t)w * ROWS_MAX;
    tree.zoom = nodes->find(nodes->ctx, st->zoom);
    LIST_FIT(shown->cells, need, shown->cap);
    shown->w = w;
    shown->n = icicle_layout(&tree, w, ROWS_MAX, shown->cells);
}

/* The cell under the cursor: that of its frame, or of the nearest caller that has a cell. */
static const struct icicle_cell *cursor_cell(const struct icicle_shown *shown,
                                             const struct icicle_nodes *nodes,
                                             const struct view_state *st)
{
    int32_t node = nodes->find(nodes->ctx, st->at);
    for (; node >= 0; node = nodes->tree.nodes[node].parent)
        for (size_t i = 0; i < shown->n; i++)
            if (shown->cells[i].node == node)
                return &shown->cells[i];
    return &shown->cells[0];
}

static void put_cursor(const struct icicle_nodes *nodes, struct view_state *st,
                       const struct icicle_cell *k)
{
    st->at = k->node >= 0 ? nodes->id[k->node] : 0;
}

/*
 * For n and N: goes to the next cell whose frame matches, from the cursor on and then from the
 * start.
 */
static void find_cell(const struct icicle_shown *shown, const struct icicle_nodes *nodes,
                      struct view_state *st)
{
    int step = st->find, n = (int)shown->n,
        from = (int)(cursor_cell(shown, nodes, st) - shown->cells);
    st->find = 0;
    for (int k = step == 2 ? 0 : 1; st->search[0] && k <= n; k++) {
        const struct icicle_cell *at = &shown->cells[((from + (step > 0 ? k : -k)) % n + n) % n];
        if (at->node >= 0 && nodes->match(nodes->ctx, at->node, st->search)) {
            put_cursor(nodes, st, at);
            return;
        }
    }
}

/* --- drawing --- */

/*
 * Draws a frame. It begins with a line (under the cursor an arrow), so that frames are separated
 * without colour too.
 */
static void draw_icicle_frame(struct canvas *c, struct rect r, const struct icicle_cell *k, int y,
                              const struct icicle_look *look, bool cursor, bool hit)
{
    struct style st = STYLE_LEVEL(STYLE_GRAD_FLAME, look->level);
    st.reverse = 1;
    if (cursor)
        st = STYLE(STYLE_SELECTED);
    st.bold = cursor || hit;
    st.underline = hit;
    int x = r.x + k->x;
    canvas_fill(c, (struct rect){x, y, k->w, 1}, ' ', st);
    canvas_put(c, x, y, cursor ? 0x25b8 : 0x2502, st);
    canvas_text(c, x + 1, y, k->w - 1, look->label, st);
}

static void draw_node(struct canvas *c, struct rect r, const struct icicle_cell *k, int y,
                      const struct icicle_nodes *nodes, const struct view_state *st, bool cursor)
{
    struct icicle_look look = {.level = 0};
    if (k->node == ICICLE_SEVERAL)
        snprintf(look.label, sizeof look.label, "…");
    else if (k->node == ICICLE_ALL)
        snprintf(look.label, sizeof look.label, "all");
    else
        nodes->look(nodes->ctx, k->node, k->w - 1, &look);
    draw_icicle_frame(c, r, k, y, &look, cursor,
                      k->node >= 0 && st->search[0] &&
                          nodes->match(nodes->ctx, k->node, st->search));
}

/* Makes the widest frames clickable, because the number of zones is limited. */
static void add_zones(struct canvas *c, struct rect r, const struct icicle_shown *shown, int scroll)
{
    for (size_t i = 0; i < shown->n && c->nzones < CANVAS_ZONES_MAX - 24; i++) {
        const struct icicle_cell *k = &shown->cells[i];
        int y = k->depth - scroll;
        if (y >= 0 && y < r.h && k->w >= 3 && k->node != ICICLE_SEVERAL)
            canvas_zone(c, (struct rect){r.x + k->x, r.y + y, k->w, 1}, ACTION_POINT_FRAME, (int)i);
    }
}

/* The scroll position that shows the cursor's row. */
static int scroll_to(struct view_state *st, const struct icicle_shown *shown, int depth)
{
    int scroll = st->scroll;
    st->rows = shown->n ? shown->cells[shown->n - 1].depth + 1 : 0;
    if (scroll > depth)
        scroll = depth;
    if (depth >= scroll + st->page)
        scroll = depth - st->page + 1;
    if (scroll > st->rows - st->page)
        scroll = st->rows - st->page;
    return scroll < 0 ? 0 : scroll;
}

int32_t icicle_draw(struct canvas *c, struct rect r, struct icicle_shown *shown,
                    const struct icicle_nodes *nodes, struct view_state *st)
{
    if (st->zoom && nodes->find(nodes->ctx, st->zoom) < 0)
        st->zoom = 0; /* the frame is in no stack any more */
    lay_out_icicle(shown, nodes, st, r.w);
    if (st->point > 0 && (size_t)st->point <= shown->n)
        put_cursor(nodes, st, &shown->cells[st->point - 1]);
    st->point = 0;
    if (st->find)
        find_cell(shown, nodes, st);
    const struct icicle_cell *at = cursor_cell(shown, nodes, st);
    put_cursor(nodes, st, at);
    st->page = r.h;
    st->scroll = scroll_to(st, shown, at->depth);
    st->list = (struct rect){0};            /* the mouse clicks on frames here, not on rows */
    for (size_t i = 0; i < shown->n; i++) { /* a line ends a frame that no other one follows */
        const struct icicle_cell *k = &shown->cells[i];
        const int y = r.y + k->depth - st->scroll;
        if (y >= r.y && y < r.y + r.h && k->x + k->w < r.w)
            canvas_put(c, r.x + k->x + k->w, y, 0x2502, STYLE(STYLE_DIV));
    }
    for (size_t i = 0; i < shown->n; i++) {
        const struct icicle_cell *k = &shown->cells[i];
        const int y = r.y + k->depth - st->scroll;
        if (y >= r.y && y < r.y + r.h)
            draw_node(c, r, k, y, nodes, st, k->node == at->node && k->node != ICICLE_SEVERAL);
    }
    add_zones(c, r, shown, st->scroll);
    return at->node;
}

/* --- moving --- */

/* The neighbour in the same row; it may have another parent. */
static const struct icicle_cell *cell_beside(const struct icicle_cell *cells, size_t n,
                                             const struct icicle_cell *at, int step)
{
    for (const struct icicle_cell *k = at + step; k >= cells && k < cells + n; k += step) {
        if (k->depth != at->depth)
            return at;
        if (k->node >= 0)
            return k;
    }
    return at;
}

static const struct icicle_cell *widest_below(const struct icicle_cell *cells, size_t n,
                                              const struct icicle_cell *at)
{
    const struct icicle_cell *best = at;
    for (const struct icicle_cell *k = at; k < cells + n; k++)
        if (k->depth == at->depth + 1 && k->node >= 0 && k->x >= at->x && k->x < at->x + at->w &&
            (best == at || k->w > best->w))
            best = k;
    return best;
}

static const struct icicle_cell *find_frame_above(const struct icicle_cell *cells,
                                                  const struct icicle_cell *at)
{
    const struct icicle_cell *k = at;
    while (k > cells && (k->depth >= at->depth || k->x > at->x))
        k--;
    return k;
}

/* Where an action leads from a cell; NULL for actions that do not move. */
static const struct icicle_cell *move_from(const struct icicle_cell *cells, size_t n,
                                           const struct icicle_cell *at, enum action a, int page)
{
    int steps = page > 2 && (a == ACTION_PAGE_UP || a == ACTION_PAGE_DOWN) ? page - 1 : 1;
    switch (a) {
    case ACTION_UP:
    case ACTION_PAGE_UP:
        while (steps-- > 0)
            at = find_frame_above(cells, at);
        return at;
    case ACTION_DOWN:
    case ACTION_PAGE_DOWN:
        while (steps-- > 0)
            at = widest_below(cells, n, at);
        return at;
    case ACTION_TREE_LEFT:
        return cell_beside(cells, n, at, -1);
    case ACTION_TREE_RIGHT:
        return cell_beside(cells, n, at, 1);
    case ACTION_TOP:
        return cells;
    case ACTION_BOTTOM:
        for (const struct icicle_cell *next; (next = widest_below(cells, n, at)) != at;)
            at = next;
        return at;
    default:
        return NULL;
    }
}

bool icicle_act(enum action a, struct icicle_shown *shown, const struct icicle_nodes *nodes,
                struct view_state *st)
{
    /* compute the layout again, because the nodes may have changed since the last draw */
    lay_out_icicle(shown, nodes, st, shown->w);
    const struct icicle_cell *at = cursor_cell(shown, nodes, st),
                             *to = move_from(shown->cells, shown->n, at, a, st->page);
    if (to)
        put_cursor(nodes, st, to);
    else if (a == ACTION_SEARCH_NEXT || a == ACTION_SEARCH_PREV)
        st->find = a == ACTION_SEARCH_NEXT ? 1 : -1;
    else
        return false;
    return true;
}

void icicle_zoom_in(const struct icicle_shown *shown, const struct icicle_nodes *nodes,
                    struct view_state *st)
{
    const struct icicle_cell *at = cursor_cell(shown, nodes, st);
    st->zoom = at->node >= 0 ? nodes->id[at->node] : 0;
}

bool icicle_zoom_out(const struct icicle_nodes *nodes, struct view_state *st, bool all)
{
    int32_t node = nodes->find(nodes->ctx, st->zoom);
    if (node < 0)
        return false;
    int32_t parent = nodes->tree.nodes[node].parent;
    st->zoom = all || parent < 0 ? 0 : nodes->id[parent];
    return true;
}
