#include "engine/trace/lane_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 8 }; /* a new name may equal that of another lane: "a #2" */

struct lane_row {
    uint32_t i, scope; /* index in out; the parent under whose heading it is listed */
};

struct naming {
    const struct graph *g;
    const uint32_t *nodes;
    struct lane_row *rows;
    uint32_t n;
    struct arena *memory;
    const char **out;
};

static int compare_lane_rows(const void *x, const void *y, void *ctx)
{
    const struct lane_row *a = x, *b = y;
    const struct naming *k = ctx;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    int c = strcmp(k->out[a->i], k->out[b->i]);
    return c ? c : (a->i > b->i) - (a->i < b->i);
}

/* The end (exclusive) of the run of rows with the same name that begins at a. */
static uint32_t end_of_run(const struct naming *k, uint32_t a)
{
    uint32_t b = a + 1;
    while (b < k->n && k->rows[b].scope == k->rows[a].scope &&
           strcmp(k->out[k->rows[b].i], k->out[k->rows[a].i]) == 0)
        b++;
    return b;
}

static const char *with_program(const struct naming *k, uint32_t i, uint32_t order)
{
    uint32_t up = k->g->parent[k->nodes[i]];
    (void)order;
    return up == GRAPH_NONE ? k->out[i]
                            : arena_printf(k->memory, "%s %s", graph_name(k->g, up), k->out[i]);
}

static const char *with_number(const struct naming *k, uint32_t i, uint32_t order)
{
    const struct graph *g = k->g;
    uint32_t v = k->nodes[i];
    char number[24];
    (void)order;
    if (g->detail[v] == GRAPH_NONE || g->details[g->detail[v]].thread.id < 0)
        return k->out[i];
    snprintf(number, sizeof number, " %" PRId64, g->details[g->detail[v]].thread.id);
    size_t n = strlen(k->out[i]), m = strlen(number);
    if (n >= m && strcmp(k->out[i] + n - m, number) == 0)
        return k->out[i];
    return arena_printf(k->memory, "%s%s", k->out[i], number);
}

static const char *with_order(const struct naming *k, uint32_t i, uint32_t order)
{
    return order == 0 ? k->out[i] : arena_printf(k->memory, "%s #%u", k->out[i], order + 1);
}

/* Makes equal names longer; true if there were any. */
static bool lengthen_equal_names(struct naming *k,
                                 const char *(*more)(const struct naming *, uint32_t, uint32_t))
{
    bool any = false;
    qsort_r(k->rows, k->n, sizeof *k->rows, compare_lane_rows, k);
    for (uint32_t a = 0, b; a < k->n; a = b) {
        b = end_of_run(k, a);
        any |= b - a > 1;
        for (uint32_t at = a; b - a > 1 && at < b; at++)
            k->out[k->rows[at].i] = more(k, k->rows[at].i, at - a);
    }
    return any;
}

void lane_names(const struct graph *g, const uint32_t *nodes, uint32_t n, bool apart,
                struct arena *memory, const char **out)
{
    struct naming k = {g, nodes, xcalloc(n + 1u, sizeof *k.rows), n, memory, out};
    for (uint32_t i = 0; i < n; i++) {
        out[i] = graph_name(g, nodes[i]);
        k.rows[i] = (struct lane_row){i, apart ? 0 : g->parent[nodes[i]]};
    }
    if (apart)
        lengthen_equal_names(&k, with_program);
    bool alike = lengthen_equal_names(&k, with_number);
    for (int tries = 0; alike && tries < TRIES; tries++)
        alike = lengthen_equal_names(&k, with_order);
    free(k.rows);
}
