/* Loops that must not be unrolled. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/search.h"
#include "engine/source_guards/source_impl.h"

static enum source_stop stop_in(const struct source_side *s, size_t i)
{
    return (enum source_stop)s->stops.of[i];
}

/* In the function; barriers and the like also in new helpers that no visible call reaches. */
static struct source_counts count_stops(const struct source_side *s, const bool *fresh)
{
    const struct syntax_tree *t = s->tree;
    struct source_counts c = s->stops.counts[s->function];
    for (size_t i = 1; i < t->count; i++)
        if (fresh && fresh[i] && i != s->function && t->nodes[i].kind == SYNTAX_FUNCTION &&
            !s->stops.counts[i].called)
            for (int k = 0; k <= SOURCE_SHARED; k++)
                c.all[k] += s->stops.counts[i].all[k];
    return c;
}

/* The loops of a side in the order of their nodes, and the first node from each node on that is a
 * stop. */
struct loops {
    uint32_t *list, *reach; /* reach: the largest start of the loops up to this one */
    size_t n;
    uint32_t *next_stop; /* the number of nodes: none */
};

static struct loops find_loops(const struct source_side *s)
{
    const struct syntax_tree *t = s->tree;
    struct loops l = {.list = xcalloc(t->count, sizeof *l.list),
                      .reach = xcalloc(t->count, sizeof *l.reach),
                      .next_stop = xcalloc(t->count + 1, sizeof *l.next_stop)};
    for (size_t i = 1; i < t->count; i++)
        if (syntax_is_loop(t, i)) {
            const uint32_t before = l.n ? l.reach[l.n - 1] : 0, start = t->nodes[i].start;
            l.reach[l.n] = start > before ? start : before;
            l.list[l.n++] = (uint32_t)i;
        }
    l.next_stop[t->count] = (uint32_t)t->count;
    for (size_t i = t->count; i-- > 0;)
        l.next_stop[i] = stop_in(s, i) != SOURCE_STOPS ? (uint32_t)i : l.next_stop[i + 1];
    return l;
}

/* The first loop that begins at or after this byte; 0: there is none. */
static size_t loop_from(const struct loops *l, uint32_t byte)
{
    size_t low = 0;
    SEARCH_FIRST(low, l->n, l->reach[low] < byte);
    return low < l->n ? l->list[low] : 0;
}

/* How many loops have a #pragma unroll above them and one of these in them; *line of the last. */
static size_t asked_to_unroll(const struct source_side *s, uint32_t *line, enum source_stop *what)
{
    const struct syntax_tree *t = s->tree;
    struct loops l = find_loops(s);
    size_t found = 0;
    for (size_t i = 0; i + 2 < s->tokens.n; i++) {
        bool unroll = false;
        if (s->tokens.list[i].directive != 2)
            continue;
        const size_t end = source_line_end(s, i);
        for (size_t at = i + 1; at < end; at++)
            unroll |= syntax_token_is(t->source, &s->tokens.list[at], "unroll");
        const size_t loop = unroll ? loop_from(&l, s->tokens.list[end - 1].end) : 0;
        if (loop && l.next_stop[loop] < loop + t->nodes[loop].size) {
            *line = t->nodes[loop].line;
            *what = stop_in(s, l.next_stop[loop]);
            found++;
        }
    }
    free(l.list);
    free(l.reach);
    free(l.next_stop);
    return found;
}

int source_check_unroll(const struct source_check *k)
{
    const struct source_counts was = count_stops(&k->baseline, NULL),
                               is = count_stops(&k->candidate, k->fresh);
    uint32_t line = 0;
    enum source_stop what = SOURCE_STOPS;
    int rc = 0;
    for (int s = 0; s < SOURCE_STOPS && rc == 0; s++)
        if (was.in_loop[s] > 0 && is.all[s] > was.all[s])
            rc = source_refuse(k, GUARD_UNROLL,
                               "%s stands in a loop of the baseline, and %u times in the "
                               "candidate, %u before",
                               source_stop_name((enum source_stop)s), is.all[s], was.all[s]);
    if (rc == 0 &&
        asked_to_unroll(&k->candidate, &line, &what) >
            asked_to_unroll(&k->baseline, &(uint32_t){0}, &(enum source_stop){SOURCE_STOPS}))
        rc = source_refuse(k, GUARD_UNROLL, "line %u: a #pragma unrolls a loop with %s in it", line,
                           source_stop_name(what));
    return rc;
}
