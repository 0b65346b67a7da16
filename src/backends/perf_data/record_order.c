#include "backends/perf_data/record_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

void record_order_add(struct record_order *o, const void *record, size_t size, uint64_t time)
{
    const size_t room = (size + 7) & ~(size_t)7; /* each begins at a multiple of 8 */
    LIST_FIT(o->bytes, o->used + room, o->cap_bytes);
    memcpy(o->bytes + o->used, record, size);
    LIST_ADD(o->list, o->n, o->cap, (struct ordered_record){time, o->numbered++, o->used, size});
    o->used += room;
    if (time > o->newest)
        o->newest = time;
}

static int by_record_time(const void *a, const void *b)
{
    const struct ordered_record *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_record_number(const void *a, const void *b)
{
    const struct ordered_record *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Moves the records from the first-th on to the begin. Numbers grow with places. */
static void keep_from(struct record_order *o, size_t first)
{
    const size_t n = o->n - first;
    if (n && first)
        memmove(o->list, o->list + first, n * sizeof *o->list);
    o->n = n;
    o->used = 0;
    if (n)
        qsort(o->list, n, sizeof *o->list, by_record_number);
    for (size_t i = 0; i < n; i++) {
        memmove(o->bytes + o->used, o->bytes + o->list[i].at, o->list[i].size);
        o->list[i].at = o->used;
        o->used += (o->list[i].size + 7) & ~(size_t)7;
    }
}

static int give_until(struct record_order *o, uint64_t until, record_order_sink sink, void *ctx)
{
    size_t i = 0;
    int rc = 0;
    if (o->n)
        qsort(o->list, o->n, sizeof *o->list, by_record_time);
    for (; rc == 0 && i < o->n && o->list[i].time <= until; i++)
        rc = sink(ctx, o->bytes + o->list[i].at, o->list[i].size);
    keep_from(o, i);
    return rc;
}

int record_order_round(struct record_order *o, record_order_sink sink, void *ctx)
{
    const int rc = give_until(o, o->until, sink, ctx);
    o->until = o->newest;
    return rc;
}

int record_order_end(struct record_order *o, record_order_sink sink, void *ctx)
{
    return give_until(o, UINT64_MAX, sink, ctx);
}

size_t record_order_memory(const struct record_order *o)
{
    return o->cap_bytes + o->cap * sizeof *o->list;
}

void record_order_free(struct record_order *o)
{
    free(o->bytes);
    free(o->list);
    *o = (struct record_order){0};
}
