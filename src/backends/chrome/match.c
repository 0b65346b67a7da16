/* Pairs begins and ends, of one lane (B, E) or of one asynchronous id (b, e), in order of time. */
#include <stdlib.h>

#include "backends/chrome/build.h"
#include "base/list.h"

struct open_spans { /* open spans, the innermost last */
    uint32_t *spans, n, cap;
};

static bool mark_after(const struct chrome_mark *x, const struct chrome_mark *y)
{
    return x->key != y->key ? x->key > y->key : x->ts > y->ts;
}

static bool after_in_lane(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    return mark_after(&s->marks.at[a], &s->marks.at[b]);
}

static bool after_async(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    return mark_after(&s->async.at[a], &s->async.at[b]);
}

static void begin_span(struct open_spans *o, struct chrome_mark *m)
{
    m->name = o->n ? o->spans[o->n - 1] : CHROME_NONE;
    LIST_ROOM(o->spans, o->n, o->cap);
    o->spans[o->n++] = m->span;
}

/*
 * Closes a span. An end without a name closes the innermost one; an end with a name closes the
 * innermost with that name.
 */
static bool end_span(struct open_spans *o, struct chrome_store *s, const struct chrome_mark *m)
{
    enum { LOOK_BACK = 64 };
    for (uint32_t i = o->n; i-- > 0 && o->n - i <= LOOK_BACK;) {
        struct chrome_span *span = &s->spans.at[o->spans[i]];
        if (m->name != GRAPH_NONE && m->name != span->name)
            continue;
        span->duration = (uint64_t)m->ts - (uint64_t)span->start;
        for (o->n--; i < o->n; i++)
            o->spans[i] = o->spans[i + 1];
        return true;
    }
    return false;
}

static void match_marks(struct chrome_store *s, struct chrome_mark *marks, const uint32_t *order,
                        uint32_t n)
{
    struct open_spans o = {0};
    for (uint32_t i = 0; i < n; i++) {
        struct chrome_mark *m = &marks[order[i]];
        if (i > 0 && m->key != marks[order[i - 1]].key)
            o.n = 0; /* they are counted later, as spans without an end */
        if (m->span != CHROME_NONE)
            begin_span(&o, m);
        else if (!end_span(&o, s, m))
            s->trace->dropped++;
    }
    free(o.spans);
}

void chrome_match(struct chrome_store *s)
{
    uint32_t *spare, *order = chrome_order(s->marks.n, &spare);
    chrome_sort(order, s->marks.n, spare, after_in_lane, s);
    match_marks(s, s->marks.at, order, s->marks.n);
    free(order);
    free(spare);
    order = chrome_order(s->async.n, &spare);
    chrome_sort(order, s->async.n, spare, after_async, s);
    match_marks(s, s->async.at, order, s->async.n);
    free(order);
    free(spare);
}
