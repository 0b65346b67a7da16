/* Work that is not on the critical path, which could run later or in parallel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tui/views/path/path.h"
#include "tui/views/tree/tree.h"
#include "tui/widgets/table.h"

enum { NUMBER = 10, BESIDE_FROM = 56, BESIDE = 20 };

/* The spans of a name. */
struct slack_group {
    const struct brick_span *span; /* the span with the largest slack */
    uint32_t count;
    uint64_t total; /* ns */
};

static int by_brick_name(const void *a, const void *b)
{
    const struct brick_span *x = *(const struct brick_span *const *)a,
                            *y = *(const struct brick_span *const *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int c = strcmp(x->name, y->name);
    if (c == 0 && x->slack != y->slack)
        c = x->slack > y->slack ? -1 : 1;
    return c != 0 ? c : (x > y) - (x < y);
}

static int by_slack(const void *a, const void *b)
{
    const struct slack_group *x = a, *y = b;
    if (x->span->slack != y->span->slack)
        return x->span->slack > y->span->slack ? -1 : 1;
    return x->span < y->span ? -1 : x->span > y->span;
}

static size_t find_slack_groups(const struct brick_window *w, struct slack_group *out)
{
    const struct brick_span **list = xcalloc(w->nspans + 1u, sizeof *list);
    size_t n = 0, groups = 0;
    for (uint32_t i = 0; i < w->nspans; i++)
        if (!w->spans[i].critical && w->spans[i].slack != GRAPH_UNKNOWN && w->spans[i].slack > 0)
            list[n++] = &w->spans[i];
    qsort(list, n, sizeof *list, by_brick_name);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || list[i]->kind != list[i - 1]->kind ||
            strcmp(list[i]->name, list[i - 1]->name) != 0)
            out[groups++] = (struct slack_group){.span = list[i]};
        out[groups - 1].count++;
        out[groups - 1].total += list[i]->duration;
    }
    free(list);
    qsort(out, groups, sizeof *out, by_slack);
    return groups;
}

/*
 * The span of another lane on the path that ran longest at the same time. Kernels and bricks are
 * preferred to the spans around them.
 */
static const struct brick_span *span_beside(const struct brick_window *w,
                                            const struct brick_span *s)
{
    const struct brick_span *best = NULL;
    uint64_t most = 0;
    for (uint32_t i = 0; i < w->nspans; i++) {
        const struct brick_span *p = &w->spans[i];
        uint64_t from = p->start > s->start ? p->start : s->start;
        uint64_t a = p->start + p->duration, b = s->start + s->duration, to = a < b ? a : b;
        if (!p->critical || p->lane == s->lane || to <= from)
            continue;
        bool inner = best && p->depth > best->depth && 2 * (to - from) > most;
        if (!best || inner || (p->depth == best->depth && to - from > most)) {
            best = p;
            most = to - from;
        }
    }
    return best;
}

static void draw_slack_group(struct canvas *c, struct rect r, int name, int other,
                             const struct brick_window *w, const struct slack_group *g)
{
    char text[VALUE_TEXT_MAX];
    int used = canvas_text(c, r.x, r.y, name - 1, g->span->name, STYLE(STYLE_TEXT)), x = r.x + name;
    if (g->count > 1)
        canvas_printf(c, r.x + used, r.y, name - 1 - used, STYLE(STYLE_DIM), " %s%u",
                      c->ascii ? "x" : "×", g->count);
    value_time((double)g->span->slack, c->ascii, text);
    canvas_text_right(c, x, r.y, NUMBER, text, STYLE(STYLE_OK));
    value_time((double)g->total, c->ascii, text);
    canvas_text_right(c, x + NUMBER, r.y, NUMBER, text, STYLE(STYLE_DIM));
    const struct brick_span *with = other ? span_beside(w, g->span) : NULL;
    if (with)
        canvas_text(c, x + 2 * NUMBER + 2, r.y, other - 2, with->name, STYLE(STYLE_DIM));
}

void path_slack(struct canvas *c, struct rect r, const struct brick_window *w)
{
    struct slack_group *groups = xcalloc(w->nspans + 1u, sizeof *groups);
    size_t n = find_slack_groups(w, groups);
    int other = r.w >= BESIDE_FROM ? BESIDE : 0, name = r.w - 2 * NUMBER - other;
    name = name > 40 ? 40 : name;
    canvas_text(c, r.x, r.y, name, "BESIDE THE PATH", STYLE(STYLE_HEADING));
    canvas_text_right(c, r.x + name, r.y, NUMBER, "SLACK", STYLE(STYLE_HEADING));
    canvas_text_right(c, r.x + name + NUMBER, r.y, NUMBER, "TAKES", STYLE(STYLE_HEADING));
    if (other)
        canvas_text(c, r.x + name + 2 * NUMBER + 2, r.y, other - 2, "WHILE THIS RUNS",
                    STYLE(STYLE_HEADING));
    if (n == 0)
        canvas_text(c, r.x, r.y + 1, r.w, "nothing: all that ran is on the path", STYLE(STYLE_DIM));
    for (size_t i = 0; i < n && (int)i < r.h - 1; i++)
        draw_slack_group(c, (struct rect){r.x, r.y + 1 + (int)i, r.w, 1}, name, other, w,
                         &groups[i]);
    free(groups);
}
