/* What the links carried, by the size of the message: small messages are slow on any link. */
#include <stdlib.h>

#include "base/list.h"
#include "engine/job/job_impl.h"

/* Sizes of which the largest is less than four times the least are a class. */
static unsigned get_size_class(uint64_t bytes)
{
    return (63 - (unsigned)__builtin_clzll(bytes)) / 2;
}

static int compare_transfers(const void *x, const void *y)
{
    const struct job_transfer *a = x, *b = y;
    const unsigned of_a = get_size_class(a->bytes), of_b = get_size_class(b->bytes);
    if (of_a != of_b)
        return of_a < of_b ? -1 : 1;
    return (a->bus > b->bus) - (a->bus < b->bus);
}

/* list: the transfers of one class, ordered from the slowest to the fastest. */
static struct job_size sum_up_class(const struct job_transfer *list, size_t n)
{
    struct job_size s = {.least = UINT64_MAX, .n = n, .best = list[n - 1].bus};
    for (size_t i = 0; i < n; i++) {
        s.least = list[i].bytes < s.least ? list[i].bytes : s.least;
        s.most = list[i].bytes > s.most ? list[i].bytes : s.most;
    }
    s.median = (list[(n - 1) / 2].bus + list[n / 2].bus) / 2;
    return s;
}

void job_sum_up_sizes(struct job_group *g, struct job_transfer *list, size_t n)
{
    uint32_t room = 0;
    if (n)
        qsort(list, n, sizeof *list, compare_transfers);
    for (size_t i = 0, end; i < n; i = end) {
        const unsigned of = get_size_class(list[i].bytes);
        for (end = i + 1; end < n && get_size_class(list[end].bytes) == of; end++)
            ;
        LIST_ADD(g->sizes, g->nsizes, room, sum_up_class(list + i, end - i));
    }
}
