#include "engine/graph/busy.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/arena.h"
#include "base/ids.h"
#include "base/search.h"
#include "engine/graph/graph_order.h"

/* A stretch of busy time. Its length is the next one's `before` minus its own. */
struct busy_span {
    uint64_t from;
    uint64_t before; /* busy ns before it */
};

struct busy_group {
    struct busy_span *spans; /* n, and one more that holds the total */
    uint32_t n, cap;
    uint64_t to, all; /* end of the last span; busy ns so far */
    uint32_t hint;    /* result of the last search */
};

struct busy {
    const struct graph *g;
    struct ids roots; /* numbers of programs, by their nodes */
    uint32_t *group;  /* of each: the lowest number of its group */
    struct busy_group *groups;
    uint32_t n;
};

static bool is_device_work_on_queue(const struct graph *g, uint32_t v)
{
    return (g->kind[v] == NODE_KERNEL || g->kind[v] == NODE_TRANSFER) &&
           g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN &&
           g->parent[v] != GRAPH_NONE && g->kind[g->parent[v]] == NODE_QUEUE;
}

static uint32_t number_of_busy_root(const struct busy *b, uint32_t v)
{
    while (b->g->parent[v] != GRAPH_NONE)
        v = b->g->parent[v];
    return ids_get(&b->roots, v);
}

static uint32_t find_first_of_group(uint32_t *group, uint32_t i)
{
    while (group[i] != i)
        i = group[i] = group[group[i]];
    return i;
}

static void find_busy_groups(struct busy *b)
{
    const struct graph *g = b->g;
    bool is_new;
    for (uint32_t v = g->first_root; v != GRAPH_NONE; v = g->next_sibling[v])
        ids_number(&b->roots, v, &is_new);
    b->n = b->roots.n;
    b->group = xcalloc(b->n + 1u, sizeof *b->group);
    b->groups = xcalloc(b->n + 1u, sizeof *b->groups);
    for (uint32_t i = 0; i < b->n; i++)
        b->group[i] = i;
    for (uint32_t e = 0; e < g->nedges && b->n > 1; e++) {
        if (g->edge_kind[e] != EDGE_LAUNCHES || !is_device_work_on_queue(g, g->edge_to[e]))
            continue;
        uint32_t x = find_first_of_group(b->group, number_of_busy_root(b, g->edge_from[e])),
                 y = find_first_of_group(b->group, number_of_busy_root(b, g->edge_to[e]));
        if (x < y)
            b->group[y] = x;
        else
            b->group[x] = y;
    }
}

static void add_busy_span(struct busy_group *to, uint64_t from, uint64_t end)
{
    if (to->n && from <= to->to) {
        if (end > to->to) {
            to->all += end - to->to;
            to->to = end;
        }
        return;
    }
    LIST_ROOM(to->spans, to->n + 1, to->cap);
    to->spans[to->n++] = (struct busy_span){from, to->all};
    to->all += end - from;
    to->to = end;
}

struct busy *busy_find(const struct graph *g, bool (*which)(const struct graph *g, uint32_t v))
{
    uint32_t n, *list = graph_by_parent(g, 0, g->nnodes, is_device_work_on_queue, &n);
    if (n == 0) {
        free(list);
        return NULL;
    }
    struct busy *b = xcalloc(1, sizeof *b);
    b->g = g;
    find_busy_groups(b);
    graph_by_time(g, list, n, false);
    for (uint32_t i = 0; i < n; i++)
        if (!which || which(g, list[i]))
            add_busy_span(
                &b->groups[find_first_of_group(b->group, number_of_busy_root(b, list[i]))],
                g->start[list[i]], g->start[list[i]] + g->duration[list[i]]);
    for (uint32_t i = 0; i < b->n; i++)
        if (b->groups[i].n)
            b->groups[i].spans[b->groups[i].n] = (struct busy_span){UINT64_MAX, b->groups[i].all};
    free(list);
    return b;
}

/* The first span that begins at `at` or later; the search starts at the last result. */
static uint32_t find_busy_span(struct busy_group *in, uint64_t at)
{
    const struct busy_span *s = in->spans;
    uint32_t low = in->hint < in->n ? in->hint : 0, high = low;
    for (uint32_t step = 1; low > 0 && s[low - 1].from >= at; step *= 2)
        low = low > step ? low - step : 0;
    for (uint32_t step = 1; high < in->n && s[high].from < at; step *= 2) {
        low = high + 1;
        high = in->n - high > step ? high + step : in->n;
    }
    SEARCH_FIRST(low, high, s[low].from < at);
    return in->hint = low;
}

/* Busy ns before a moment. */
static uint64_t count_busy_before(struct busy_group *in, uint64_t at)
{
    uint32_t i = find_busy_span(in, at);
    if (i == 0)
        return 0;
    const struct busy_span *s = &in->spans[i - 1];
    uint64_t whole = s[1].before - s->before, part = at - s->from;
    return s->before + (part < whole ? part : whole);
}

uint64_t busy_within(struct busy *b, uint32_t v, uint64_t from, uint64_t to)
{
    uint32_t number = b ? number_of_busy_root(b, v) : IDS_NONE;
    struct busy_group *in =
        number == IDS_NONE ? NULL : &b->groups[find_first_of_group(b->group, number)];
    return in && in->n && to > from ? count_busy_before(in, to) - count_busy_before(in, from) : 0;
}

void busy_free(struct busy *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; i < b->n; i++)
        free(b->groups[i].spans);
    ids_free(&b->roots);
    free(b->groups);
    free(b->group);
    free(b);
}
