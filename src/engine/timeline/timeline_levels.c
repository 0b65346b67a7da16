/* Sums over blocks of spans, and cells of pictures made of them. */

#include "base/arena.h"
#include "base/search.h"
#include "base/watch.h"
#include "engine/timeline/timeline_impl.h"

enum { FAN = TIMELINE_FAN };

/* The sum of some neighbouring spans. */
struct sum {
    uint64_t busy, longest;
    uint32_t place; /* index of the longest span; GRAPH_NONE: no spans */
};

static void add_to_sum(struct sum *s, uint64_t busy, uint64_t longest, uint32_t place)
{
    s->busy += busy;
    if (s->place == GRAPH_NONE || longest > s->longest ||
        (longest == s->longest && place < s->place)) {
        s->longest = longest;
        s->place = place;
    }
}

static uint64_t length_at(const struct timeline *t, uint32_t place)
{
    uint32_t v = t->spans[place];
    return timeline_end(t->calls, v) - t->calls->start[v];
}

/* Reads item i of a level; the items of level 0 are the spans. */
static void take_item(const struct timeline *t, struct sum *s, uint32_t level, uint32_t i)
{
    if (level == 0) {
        uint64_t length = length_at(t, i);
        add_to_sum(s, length, length, i);
        return;
    }
    add_to_sum(s, t->busy[level - 1][i], t->longest[level - 1][i], t->best[level - 1][i]);
}

void timeline_make_levels(struct timeline *t)
{
    uint32_t n = t->nspans;
    for (uint32_t level = 0; level < TIMELINE_LEVELS && n > 1; level++) {
        uint32_t blocks = (n - 1) / FAN + 1;
        t->busy[level] = xcalloc(blocks, sizeof **t->busy);
        t->longest[level] = xcalloc(blocks, sizeof **t->longest);
        t->best[level] = xcalloc(blocks, sizeof **t->best);
        for (uint32_t b = 0; b < blocks && !watch_stops((uint64_t)b * FAN); b++) {
            struct sum s = {.place = GRAPH_NONE};
            for (uint32_t i = b * FAN; i < n && i < (b + 1) * FAN; i++)
                take_item(t, &s, level, i);
            t->busy[level][b] = s.busy;
            t->longest[level][b] = s.longest;
            t->best[level][b] = s.place;
        }
        t->nlevels = level + 1;
        n = blocks;
    }
    uint32_t blocks = t->nspans / FAN + 1;
    t->block_start = xcalloc(blocks, sizeof *t->block_start);
    for (uint32_t b = 0; b < blocks && b * FAN < t->nspans; b++)
        t->block_start[b] = t->calls->start[t->spans[b * FAN]];
}

/* Sums the spans [i, j) of one row, each as a whole. A block that reaches into another row is never
 * used, because it is not inside [i, j). */
static void sum_range(const struct timeline *t, struct sum *s, uint32_t i, uint32_t j)
{
    for (uint32_t level = 0; i < j; level++, i /= FAN, j /= FAN) {
        if (level == t->nlevels || j - i < FAN) {
            for (; i < j; i++)
                take_item(t, s, level, i);
            return;
        }
        for (; i % FAN; i++)
            take_item(t, s, level, i);
        for (; j % FAN; j--)
            take_item(t, s, level, j - 1);
    }
}

uint32_t timeline_lower(const struct timeline *t, uint32_t row, uint64_t time)
{
    const uint64_t *start = t->calls->start;
    uint32_t lo = t->row_first[row], hi = t->row_first[row + 1];
    if (lo == hi)
        return lo;
    uint32_t a = lo / FAN + 1; /* blocks that begin in the row */
    SEARCH_FIRST(a, (hi - 1) / FAN + 1, t->block_start[a] < time);
    lo = (a - 1) * FAN > lo ? (a - 1) * FAN : lo;
    hi = a * FAN < hi ? a * FAN : hi;
    uint32_t before = 0; /* there are few, at random addresses: all are loaded at once */
    for (uint32_t m = lo; m < hi; m++)
        before += start[t->spans[m]] < time;
    return lo + before;
}

/* Fills the cell between two times whose lower places are known. */
static void fill_cell(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1, uint32_t i,
                      uint32_t j, struct timeline_cell *out)
{
    const struct graph *g = t->calls;
    struct sum s = {.place = GRAPH_NONE};
    *out = (struct timeline_cell){.longest = GRAPH_NONE, .count = j - i};
    if (i > t->row_first[row]) { /* only the span before may overlap: spans are disjoint */
        uint64_t end = timeline_end(g, t->spans[i - 1]);
        if (end > t0) {
            out->last = end < t1 ? end : t1;
            out->first = t0;
            out->count++;
            add_to_sum(&s, out->last - t0, out->last - t0, i - 1);
        }
    }
    if (i < j) { /* only the last span may end outside */
        uint32_t last = t->spans[j - 1];
        uint64_t end = timeline_end(g, last), part = (end < t1 ? end : t1) - g->start[last];
        out->first = s.place == GRAPH_NONE ? g->start[t->spans[i]] : t0;
        out->last = end < t1 ? end : t1;
        sum_range(t, &s, i, j - 1);
        add_to_sum(&s, part, part, j - 1);
    }
    out->busy = s.busy;
    out->critical = out->count && timeline_path_in(t, row, t0, t1);
    out->longest = s.place == GRAPH_NONE ? GRAPH_NONE : t->spans[s.place];
}

void timeline_cell(const struct timeline *t, uint32_t row, uint64_t t0, uint64_t t1,
                   struct timeline_cell *out)
{
    fill_cell(t, row, t0, t1, timeline_lower(t, row, t0), timeline_lower(t, row, t1), out);
}

uint64_t timeline_boundary(uint64_t from, uint64_t to, uint32_t i, uint32_t n)
{
    uint64_t width = to - from;
    return from + width / n * i + width % n * i / n;
}

void timeline_cells(const struct timeline *t, uint32_t row, uint64_t from, uint64_t to, uint32_t n,
                    struct timeline_cell *out)
{
    uint64_t t0 = from, t1;
    uint32_t i = timeline_lower(t, row, t0), j;
    for (uint32_t x = 0; x < n; x++) {
        t1 = timeline_boundary(from, to, x + 1, n);
        j = timeline_lower(t, row, t1);
        if (t1 > t0)
            fill_cell(t, row, t0, t1, i, j, &out[x]);
        else
            timeline_cell(t, row, t0, t0 < UINT64_MAX ? t0 + 1 : t0, &out[x]);
        t0 = t1;
        i = j;
    }
}
