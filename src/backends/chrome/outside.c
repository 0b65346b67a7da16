/*
 * Spans far from the time of all others, such as those whose time was never set and is 0: the trace
 * would last for decades (pytorch/kineto, issues 606 and 938). They are few, and the gap to the
 * others is an hour at least and much longer than all others together.
 */
#include <stdlib.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"
#include "base/order.h"

enum { TIMES = 100, FEW = 10 /* at most a tenth */ };
static const uint64_t least_gap = UINT64_C(3600) * 1000000000;

static bool is_gap_in_time(int64_t before, int64_t after, int64_t first, int64_t last)
{
    uint64_t gap = (uint64_t)after - (uint64_t)before;
    return gap > least_gap && gap / TIMES > (uint64_t)last - (uint64_t)first;
}

struct bulk {
    int64_t first, last; /* begins of spans */
    uint32_t n, all;
};

/* Finds the spans around the middle one, up to a gap on each side. */
static struct bulk find_bulk(const int64_t *starts, uint32_t n)
{
    /* cppcheck-suppress duplicateAssignExpression */
    uint32_t low = n / 2, high = n / 2;
    for (bool more = true; more;) {
        more = false;
        for (; low > 0 && !is_gap_in_time(starts[low - 1], starts[low], starts[low], starts[high]);
             low--)
            more = true;
        for (; high + 1 < n &&
               !is_gap_in_time(starts[high], starts[high + 1], starts[low], starts[high]);
             high++)
            more = true;
    }
    return (struct bulk){starts[low], starts[high], high - low + 1, n};
}

static bool has_span_ended(const struct chrome_span *span)
{
    return span->duration != CHROME_OPEN;
}

static uint32_t take_starts(const struct chrome_store *s, int64_t *starts)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (has_span_ended(&s->spans.at[i]))
            starts[n++] = s->spans.at[i].start;
    return n;
}

/* Whether all spans begin within least_gap, which is the usual case. */
static bool is_close(const struct chrome_store *s)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < s->spans.n; i++)
        if (has_span_ended(&s->spans.at[i])) {
            first = s->spans.at[i].start < first ? s->spans.at[i].start : first;
            last = s->spans.at[i].start > last ? s->spans.at[i].start : last;
        }
    return first > last || (uint64_t)last - (uint64_t)first <= least_gap;
}

void chrome_leave_outside(struct chrome_store *s)
{
    if (s->rooftop || is_close(s))
        return;
    int64_t *starts = xcalloc(s->spans.n, sizeof *starts);
    uint32_t n = take_starts(s, starts);
    qsort(starts, n, sizeof *starts, order_int64);
    const struct bulk b = find_bulk(starts, n);
    free(starts);
    const uint32_t others = n - b.n;
    if (others == 0 || (n > FEW ? others > n / FEW : others * 2 >= n))
        return;
    for (uint32_t i = 0; i < s->spans.n; i++) {
        struct chrome_span *span = &s->spans.at[i];
        bool before = span->start < b.first && span->start + (int64_t)span->duration < b.first;
        if (has_span_ended(span) && (before || span->start > b.last)) {
            span->duration = CHROME_OPEN;
            s->outside++;
        }
    }
    trace_leave_out(s->trace, LEFT_FAR, s->outside);
}
