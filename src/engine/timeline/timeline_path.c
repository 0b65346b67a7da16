/* Marks where the critical path crosses each row. */
#include "base/arena.h"
#include "engine/timeline/timeline_impl.h"

bool timeline_is_critical(const struct timeline *t, uint32_t node)
{
    return t->critical[node / 8] >> node % 8 & 1;
}

void timeline_mark_path(struct timeline *t)
{
    const struct critical_path *way = t->way;
    t->critical = xcalloc(t->calls->nnodes / 8u + 1u, 1);
    t->row_steps = xcalloc(t->nrows + 1u, sizeof *t->row_steps);
    for (uint32_t i = 0; i < way->nsteps; i++) {
        uint32_t v = way->steps[i].node, row = t->row_of[v];
        t->critical[v / 8] |= (uint8_t)(1u << v % 8);
        if (row != GRAPH_NONE)
            t->row_steps[row]++;
    }
    for (uint32_t row = 1; row <= t->nrows; row++)
        t->row_steps[row] += t->row_steps[row - 1];
    t->steps = xcalloc(t->row_steps[t->nrows] + 1u, sizeof *t->steps);
    for (uint32_t i = way->nsteps; i-- > 0;) { /* from the end of each row to its begin */
        uint32_t row = t->row_of[way->steps[i].node];
        if (row != GRAPH_NONE)
            t->steps[--t->row_steps[row]] = i;
    }
}

static uint64_t clamp_to_span(uint64_t time, uint64_t first, uint64_t last)
{
    time = time < first ? first : time;
    return time > last ? last : time;
}

/* The part of a step that is inside its span; the span's nearer end if none is. */
static void find_times_of_step(const struct timeline *t, uint32_t step, uint64_t *from,
                               uint64_t *to)
{
    const struct critical_step *s = &t->way->steps[t->steps[step]];
    uint64_t begin = t->calls->start[s->node], end = timeline_end(t->calls, s->node);
    *from = clamp_to_span(t->way->begin + s->start, begin, end);
    *to = clamp_to_span(t->way->begin + s->start + s->length, begin, end);
}

bool timeline_path_in(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1)
{
    uint32_t a = t->row_steps[row], n = t->row_steps[row + 1], b = n;
    uint64_t from, to;
    while (a < b) { /* the first step that ends after t0 or begins there */
        uint32_t m = a + (b - a) / 2;
        find_times_of_step(t, m, &from, &to);
        if (to <= t0 && from < t0)
            a = m + 1;
        else
            b = m;
    }
    if (a == n)
        return false;
    find_times_of_step(t, a, &from, &to);
    return from < t1;
}
