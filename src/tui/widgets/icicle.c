#include "tui/widgets/icicle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

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

static void link_nodes(struct icicle_layout *l)
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
static void divide(struct claim *claims, size_t n, uint64_t all, int w)
{
    int left = w;
    for (size_t i = 0; i < n; i++) {
        /* cannot overflow: samples are far below 2^52 */
        uint64_t share = claims[i].total * (unsigned)w;
        claims[i].w = (int)(share / all);
        claims[i].rest = share % all;
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
    divide(l->claims, n, at.total, at.w);
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
    link_nodes(&l);
    place_callers(&l, w, rows);
    for (size_t i = l.n - 1; i < l.n; i++) /* the loop appends cells, row by row */
        if (out[i].node != ICICLE_SEVERAL && out[i].depth + 1 < rows)
            place_children(&l, out[i]);
    free(l.first);
    free(l.next);
    free(l.claims);
    return l.n;
}

/*
 * Draws a frame. It begins with a line (under the cursor an arrow), so that frames are separated
 * without colour too.
 */
static void draw_cell(struct canvas *c, struct rect r, const struct icicle_cell *k, int y,
                      const struct icicle_look *look)
{
    struct style st = STYLE_LEVEL(STYLE_GRAD_FLAME, look->level);
    st.reverse = 1;
    if (look->cursor)
        st = STYLE(STYLE_SELECTED);
    st.bold = look->cursor || look->hit;
    st.underline = look->hit;
    int x = r.x + k->x;
    canvas_fill(c, (struct rect){x, y, k->w, 1}, ' ', st);
    canvas_put(c, x, y, look->cursor ? 0x25b8 : 0x2502, st);
    canvas_text(c, x + 1, y, k->w - 1, look->label, st);
}

/* Makes the widest frames clickable, because the number of zones is limited. */
static void add_zones(struct canvas *c, struct rect r, const struct icicle_cell *cells, size_t n,
                      int scroll)
{
    for (size_t i = 0; i < n && c->nzones < CANVAS_ZONES_MAX - 24; i++) {
        const struct icicle_cell *k = &cells[i];
        int y = k->depth - scroll;
        if (y >= 0 && y < r.h && k->w >= 3 && k->node != ICICLE_SEVERAL)
            canvas_zone(c, (struct rect){r.x + k->x, r.y + y, k->w, 1}, ACTION_POINT_FRAME, (int)i);
    }
}

void icicle_draw(struct canvas *c, struct rect r, const struct icicle_cell *cells, size_t n,
                 int scroll,
                 void (*look)(const void *ctx, int32_t node, int cells, struct icicle_look *out),
                 const void *ctx)
{
    for (int pass = 0; pass < 2; pass++) /* a line ends a frame that no other one follows */
        for (size_t i = 0; i < n; i++) {
            const struct icicle_cell *k = &cells[i];
            int y = r.y + k->depth - scroll;
            if (y < r.y || y >= r.y + r.h)
                continue;
            if (pass == 0) {
                if (k->x + k->w < r.w)
                    canvas_put(c, r.x + k->x + k->w, y, 0x2502, STYLE(STYLE_DIV));
                continue;
            }
            struct icicle_look l = {.level = 0};
            if (k->node == ICICLE_SEVERAL)
                snprintf(l.label, sizeof l.label, "…");
            else
                look(ctx, k->node, k->w - 1, &l);
            draw_cell(c, r, k, y, &l);
        }
    add_zones(c, r, cells, n, scroll);
}

/* --- moving --- */

int icicle_scroll(const struct icicle_cell *cells, size_t n, int depth, int page, int scroll,
                  int *rows)
{
    *rows = n ? cells[n - 1].depth + 1 : 0;
    if (scroll > depth)
        scroll = depth;
    if (depth >= scroll + page)
        scroll = depth - page + 1;
    if (scroll > *rows - page)
        scroll = *rows - page;
    return scroll < 0 ? 0 : scroll;
}

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

static const struct icicle_cell *above(const struct icicle_cell *cells,
                                       const struct icicle_cell *at)
{
    const struct icicle_cell *k = at;
    while (k > cells && (k->depth >= at->depth || k->x > at->x))
        k--;
    return k;
}

const struct icicle_cell *icicle_move(const struct icicle_cell *cells, size_t n,
                                      const struct icicle_cell *at, enum action a, int page)
{
    int steps = a == ACTION_PAGE_UP || a == ACTION_PAGE_DOWN ? (page > 1 ? page - 1 : 1) : 1;
    switch (a) {
    case ACTION_UP:
    case ACTION_PAGE_UP:
        while (steps-- > 0)
            at = above(cells, at);
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
