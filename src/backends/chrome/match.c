/* Pairs begins and ends of a lane (B, E) or of an asynchronous id (b, e), in order of time. */
#include <stdlib.h>

#include "backends/chrome/chrome_impl.h"
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

static bool after_shared(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    const struct chrome_mark *x = &s->async.at[a], *y = &s->async.at[b];
    return x->shared != y->shared ? x->shared > y->shared : x->ts > y->ts;
}

static bool after_async(const struct chrome_store *s, uint32_t a, uint32_t b)
{
    return mark_after(&s->async.at[a], &s->async.at[b]);
}

static void open_marked_span(struct open_spans *o, struct chrome_mark *m)
{
    m->name = o->n ? o->spans[o->n - 1] : CHROME_NONE;
    LIST_ADD(o->spans, o->n, o->cap, m->span);
}

/* Closes a span. An end without a name closes the innermost one; an end with a name closes the
 * innermost with that name. */
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

/* key: the key of these marks. Counts ends without a begin; sets shared to 0 in the other ends. */
static uint64_t match_marks(struct chrome_store *s, struct chrome_mark *marks,
                            const uint32_t *order, uint32_t n,
                            uint64_t (*key)(const struct chrome_mark *m))
{
    struct open_spans o = {0};
    uint64_t left = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct chrome_mark *m = &marks[order[i]];
        if (i > 0 && key(m) != key(&marks[order[i - 1]]))
            o.n = 0; /* the open spans are counted later, as spans without an end */
        if (m->span != CHROME_NONE)
            open_marked_span(&o, m);
        else if (end_span(&o, s, m))
            m->shared = 0;
        else
            left++;
    }
    free(o.spans);
    return left;
}

static uint64_t own_key(const struct chrome_mark *m)
{
    return m->key;
}

static uint64_t shared_key(const struct chrome_mark *m)
{
    return m->shared;
}

/* Pairs begins and ends of different processes. Returns the number of ends that have a begin. */
static uint64_t match_across(struct chrome_store *s, uint32_t *order, uint32_t *spare)
{
    uint32_t n = 0, ends = 0;
    for (uint32_t i = 0; i < s->async.n; i++) {
        const struct chrome_mark *m = &s->async.at[i];
        bool open = m->span == CHROME_NONE || s->spans.at[m->span].duration == CHROME_OPEN;
        if (m->shared && open) {
            order[n++] = i;
            ends += m->span == CHROME_NONE;
        }
    }
    chrome_sort(order, n, spare, after_shared, s);
    return ends - match_marks(s, s->async.at, order, n, shared_key);
}

void chrome_match(struct chrome_store *s)
{
    uint32_t *spare, *order = chrome_order(s->marks.n, &spare);
    chrome_sort(order, s->marks.n, spare, after_in_lane, s);
    uint64_t left = match_marks(s, s->marks.at, order, s->marks.n, own_key);
    free(order);
    free(spare);
    order = chrome_order(s->async.n, &spare);
    chrome_sort(order, s->async.n, spare, after_async, s);
    left += match_marks(s, s->async.at, order, s->async.n, own_key);
    left -= match_across(s, order, spare);
    trace_leave_out(s->trace, LEFT_NO_BEGIN, left);
    free(order);
    free(spare);
}
