/* Sorts by index: insertion sort for runs of 32, then merges, which skip runs that are in order. */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/arena.h"

enum { RUN = 32 };

typedef bool (*after_fn)(const struct chrome_store *s, uint32_t a, uint32_t b);

static void insertion_sort(uint32_t *order, uint32_t n, after_fn after,
                           const struct chrome_store *s)
{
    for (uint32_t i = 1; i < n; i++) {
        uint32_t v = order[i], k = i;
        for (; k > 0 && after(s, order[k - 1], v); k--)
            order[k] = order[k - 1];
        order[k] = v;
    }
}

static void merge_halves(uint32_t *at, uint32_t nleft, uint32_t n, uint32_t *spare, after_fn after,
                         const struct chrome_store *s)
{
    if (!after(s, at[nleft - 1], at[nleft]))
        return;
    memcpy(spare, at, nleft * sizeof *at);
    uint32_t l = 0, r = nleft, to = 0;
    while (l < nleft && r < n)
        at[to++] = after(s, spare[l], at[r]) ? at[r++] : spare[l++];
    memcpy(at + to, spare + l, (nleft - l) * sizeof *at);
}

void chrome_sort(uint32_t *order, uint32_t n, uint32_t *spare, after_fn after,
                 const struct chrome_store *s)
{
    for (uint32_t i = 0; i < n; i += RUN)
        insertion_sort(order + i, n - i < RUN ? n - i : RUN, after, s);
    for (uint64_t run = RUN; run < n; run *= 2)
        for (uint64_t i = 0; i + run < n; i += 2 * run)
            merge_halves(order + i, (uint32_t)run, (uint32_t)(n - i < 2 * run ? n - i : 2 * run),
                         spare, after, s);
}

uint32_t *chrome_order(uint32_t n, uint32_t **spare)
{
    uint32_t *order = xcalloc(n + (size_t)1, sizeof *order);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    *spare = xcalloc(n + (size_t)1, sizeof **spare);
    return order;
}
