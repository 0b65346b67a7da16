/* Reads the counters of spans: the events, and the counts of each node. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "backends/bricks/brick_impl.h"

int brick_reader_read_counters(struct brick_reader *r, struct error *err)
{
    const uint32_t n = r->header.ncounters;
    if (r->ncounters || n == 0)
        return 0;
    if (n > BRICK_COUNTERS)
        return brick_reader_damaged(r, err, offsetof(struct brick_header, ncounters),
                                    "too many counters");
    char *strings = xcalloc(1, BRICK_STRINGS + 1);
    const bool ok = brick_reader_get(r, r->header.strings, strings, BRICK_STRINGS);
    for (uint32_t i = 0; ok && i < n; i++)
        r->counters[i] =
            (struct brick_counter){brick_reader_text(r, strings, r->header.counters[i]),
                                   brick_reader_text(r, strings, r->header.counter_whys[i])};
    free(strings);
    r->ncounters = ok ? n : 0;
    return ok ? 0 : brick_reader_damaged(r, err, r->header.strings, "its texts cannot be read");
}

void brick_reader_add_counts(struct brick_reader *r, uint32_t node, const struct brick_counts *now,
                             const struct brick_counts *before)
{
    if (node >= r->ncounts) {
        const uint32_t n = r->nnodes;
        r->counts = xrealloc(r->counts, n, sizeof *r->counts);
        memset(r->counts + r->ncounts, 0, (n - r->ncounts) * sizeof *r->counts);
        r->ncounts = n;
    }
    struct brick_counts *to = &r->counts[node];
    to->spans += now->spans - before->spans;
    to->enabled += now->enabled - before->enabled;
    to->running += now->running - before->running;
    for (uint32_t i = 0; i < BRICK_COUNTERS; i++)
        to->value[i] += now->value[i] - before->value[i];
}

uint32_t brick_reader_counters(const struct brick_reader *r, const struct brick_counter **out)
{
    *out = r->counters;
    return r->ncounters;
}

const struct brick_counts *brick_reader_counts(const struct brick_reader *r, uint32_t node)
{
    return node < r->ncounts ? &r->counts[node] : NULL;
}
