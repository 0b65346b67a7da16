#include "backends/bricks/brick_impl.h"

#include <stdlib.h>

#include "base/arena.h"
#include "engine/roofline/roofline_share.h"

struct taking {
    struct roofline_span *spans; /* NULL: only count them */
    size_t n;
    const bool *shared;   /* for each node */
    uint64_t since, last; /* ns; the newest start of a span */
};

static void take_shared_spans(struct taking *t, const struct brick_share_of *of)
{
    size_t n;
    const struct brick_event *e = brick_reader_events(of->reader, &n);
    for (size_t i = 0; i < n; i++) {
        const struct brick_record *s = &e[i].record;
        if ((s->type & 15) != BRICK_SPAN || s->start < t->since)
            continue;
        uint32_t node = of->program + 1 + s->node;
        if (!t->shared[node])
            continue;
        t->last = s->start > t->last ? s->start : t->last;
        if (t->spans)
            t->spans[t->n] = (struct roofline_span){node, s->start, s->end, s->bytes, s->flops};
        t->n++;
    }
}

static struct taking take_all_shared_spans(const struct brick_share_of *of, size_t nof,
                                           struct taking t)
{
    t.n = 0;
    t.last = 0;
    for (size_t i = 0; i < nof; i++)
        take_shared_spans(&t, &of[i]);
    return t;
}

/* The earliest start time after which there are at most about `most` spans. */
static uint64_t find_newest_spans_start(const struct brick_share_of *of, size_t nof,
                                        struct taking t, size_t most)
{
    t = take_all_shared_spans(of, nof, t);
    if (t.n <= most)
        return t.since;
    uint64_t low = t.since, high = t.last; /* after `low` there are too many spans */
    while (high - low > 1 && (high - low) > (t.last - t.since) / 4096) {
        uint64_t middle = low + (high - low) / 2;
        struct taking some = t;
        some.since = middle;
        if (take_all_shared_spans(of, nof, some).n > most)
            low = middle;
        else
            high = middle;
    }
    return high;
}

void brick_share(struct graph *g, const struct brick_share_of *of, size_t n, size_t most)
{
    bool *shared = roofline_shared(g);
    struct taking t = {.shared = shared};
    if (!shared)
        return;
    for (size_t i = 0; i < n; i++) {
        uint64_t since = brick_reader_known_since(of[i].reader);
        t.since = since > t.since ? since : t.since;
    }
    t.since = find_newest_spans_start(of, n, t, most);
    t.spans = xcalloc(take_all_shared_spans(of, n, t).n + 1, sizeof *t.spans);
    t = take_all_shared_spans(of, n, t);
    roofline_share(g, t.spans, t.n);
    free(t.spans);
    free(shared);
}
