#include "engine/bricks/brick_syscalls.h"

#include <stdlib.h>

#include "base/ids.h"
#include "base/list.h"

/* The time of one call in one row. */
struct row_time {
    uint32_t row; /* the report's number of rows: outside */
    const char *name;
    uint64_t ns;
};

struct row_times {
    struct row_time *list;
    uint32_t n, cap;
    struct ids index; /* by row and name, which are few */
};

/* The row of the innermost brick or kernel around a place; the number of rows if there is none. */
static uint32_t row_around(const struct brick_report *r, const struct graph *g, uint32_t node)
{
    uint32_t row = GRAPH_NONE;
    for (; node != GRAPH_NONE && row == GRAPH_NONE; node = g->parent[node])
        if (g->kind[node] == NODE_BRICK || g->kind[node] == NODE_KERNEL)
            row = brick_report_row(r, g, node);
    return row == GRAPH_NONE ? r->nrows : row;
}

static void add_call_time_to_row(struct row_times *t, uint32_t row, const char *name, uint64_t ns)
{
    /* names of calls are static: their address tells them apart */
    const uint64_t key = ids_mix((uint64_t)(uintptr_t)name) ^ row;
    uint32_t i = ids_get(&t->index, key);
    if (i >= t->n) { /* IDS_NONE is */
        LIST_ROOM(t->list, t->n, t->cap);
        i = t->n++;
        t->list[i] = (struct row_time){.row = row, .name = name};
        ids_add(&t->index, key, i);
    }
    t->list[i].ns += ns;
}

static struct call_sum *call_sum_of_row(struct brick_report *r, uint32_t row)
{
    return row < r->nrows ? &r->rows[row].calls : &r->outside;
}

void brick_report_syscalls(struct brick_report *r, const struct graph *sums)
{
    const struct graph_syscalls *s = sums->syscalls;
    struct row_times times = {.n = 0};
    r->has_calls = true;
    r->outside = (struct call_sum){.n = s->elsewhere};
    r->all_calls = (struct call_sum){.n = s->total};
    r->outlasting = s->outlasting;
    for (uint32_t i = 0; i < r->nrows; i++) {
        r->rows[i].has_calls = true;
        r->rows[i].calls = (struct call_sum){.most_in = NULL};
    }
    for (uint32_t i = 0, row = 0; i < s->nparts; i++) {
        const struct call_part *p = &s->parts[i];
        if (i == 0 || p->node != s->parts[i - 1].node)
            row = row_around(r, sums, p->node);
        call_count_add(&call_sum_of_row(r, row)->n, &p->own);
        add_call_time_to_row(&times, row, p->name, p->own.ns);
    }
    for (uint32_t i = 0; i < times.n; i++) {
        struct call_sum *sum = call_sum_of_row(r, times.list[i].row);
        if (times.list[i].ns <= sum->most_ns)
            continue;
        sum->most_ns = times.list[i].ns;
        sum->most_in = times.list[i].name;
    }
    free(times.list);
    ids_free(&times.index);
}
