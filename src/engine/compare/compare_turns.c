/* Whether the runs of two sides took turns. */
#include <stdlib.h>

#include "base/arena.h"
#include "engine/compare/compare.h"

struct begin {
    uint64_t wall_ns;
    int side;
};

static int compare_run_begins(const void *x, const void *y)
{
    const struct begin *a = x, *b = y;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns < b->wall_ns ? -1 : 1;
    return a->side - b->side;
}

bool compare_turns(const struct runs *a, const struct runs *b)
{
    const struct runs *side[] = {a, b};
    size_t n = 0, changes = 0, fewest = a->n < b->n ? a->n : b->n;
    struct begin *at = xcalloc(a->n + b->n + 1, sizeof *at);
    bool known = fewest > 1;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < side[s]->n; i++) {
            at[n++] = (struct begin){side[s]->list[i].wall_ns, s};
            known = known && side[s]->list[i].wall_ns;
        }
    qsort(at, n, sizeof *at, compare_run_begins);
    for (size_t i = 1; i < n; i++) /* runs with the same start time are copies of one run */
        changes += at[i].side != at[i - 1].side && at[i].wall_ns != at[i - 1].wall_ns;
    free(at);
    return known && changes >= fewest;
}
