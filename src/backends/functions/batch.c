#include "backends/functions/sampler_impl.h"

#include <stdlib.h>
#include <string.h>

#include "backends/perf_common/perf_record.h"
#include "base/arena.h"
#include "base/list.h"

void batch_add(struct batch *b, const void *record, size_t size)
{
    static const struct record_format format = {.sample_type = SAMPLED_FIELDS};
    LIST_ROOM(b->entries, b->n, b->cap);
    if (b->used + size > b->cap_bytes) {
        b->cap_bytes = b->cap_bytes ? b->cap_bytes * 2 : 65536;
        while (b->used + size > b->cap_bytes)
            b->cap_bytes *= 2;
        b->bytes = xrealloc(b->bytes, b->cap_bytes, 1);
    }
    memcpy(b->bytes + b->used, record, size);
    b->entries[b->n++] = (struct batch_entry){record_time(record, size, &format), b->used, size};
    b->used += size;
    b->left++;
}

/* NULL is allowed */
static void batch_free(struct batch *b)
{
    if (!b)
        return;
    free(b->entries);
    free(b->bytes);
    free(b);
}

/* --- the queue --- */

void batch_queue_init(struct batch_queue *q)
{
    *q = (struct batch_queue){0};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->more, NULL);
}

void batch_queue_destroy(struct batch_queue *q)
{
    for (struct batch *b = q->first, *next; b; b = next) {
        next = b->next;
        batch_free(b);
    }
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->more);
}

void batch_queue_put(struct batch_queue *q, struct batch *b)
{
    pthread_mutex_lock(&q->lock);
    b->next = NULL;
    if (q->last)
        q->last->next = b;
    else
        q->first = b;
    q->last = b;
    q->bytes += b->used;
    pthread_cond_signal(&q->more);
    pthread_mutex_unlock(&q->lock);
}

struct batch *batch_queue_take(struct batch_queue *q)
{
    pthread_mutex_lock(&q->lock);
    while (!q->first && !q->closed)
        pthread_cond_wait(&q->more, &q->lock);
    struct batch *b = q->closed ? NULL : q->first;
    if (b) {
        q->first = b->next;
        if (!q->first)
            q->last = NULL;
    }
    pthread_mutex_unlock(&q->lock);
    return b;
}

void batch_queue_close(struct batch_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->closed = true;
    pthread_cond_broadcast(&q->more);
    pthread_mutex_unlock(&q->lock);
}

/* Frees a used batch, so that its bytes are available again. */
static void batch_queue_release(struct batch_queue *q, struct batch *b)
{
    pthread_mutex_lock(&q->lock);
    q->bytes -= b->used;
    pthread_mutex_unlock(&q->lock);
    batch_free(b);
}

size_t batch_queue_bytes(struct batch_queue *q)
{
    pthread_mutex_lock(&q->lock);
    size_t n = q->bytes;
    pthread_mutex_unlock(&q->lock);
    return n;
}

/* --- the order --- */

static int compare_record_times(const void *a, const void *b)
{
    const struct order_item *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void order_add(struct batch_order *o, struct batch_queue *q, struct batch *b)
{
    o->until = b->until;
    o->n -= o->next;
    if (o->next)
        memmove(o->items, o->items + o->next, o->n * sizeof *o->items);
    o->next = 0;
    if (b->n == 0) {
        batch_queue_release(q, b);
        return;
    }
    LIST_FIT(o->items, o->n + b->n, o->cap);
    for (size_t i = 0; i < b->n; i++)
        o->items[o->n++] = (struct order_item){b->entries[i].time, o->numbered++, b, i};
    qsort(o->items, o->n, sizeof *o->items, compare_record_times);
}

/* Releases the batch of the last record if it is used up. */
static void release_used(struct batch_order *o, struct batch_queue *q)
{
    struct order_item *before = o->next ? &o->items[o->next - 1] : NULL;
    if (!before || !before->batch || before->batch->left)
        return;
    batch_queue_release(q, before->batch);
    before->batch = NULL;
}

const void *order_next(struct batch_order *o, struct batch_queue *q, size_t *size, uint64_t *time)
{
    release_used(o, q);
    if (o->next == o->n || o->items[o->next].time > o->until)
        return NULL;
    const struct order_item *it = &o->items[o->next++];
    const struct batch_entry *e = &it->batch->entries[it->entry];
    it->batch->left--;
    *size = e->size;
    *time = it->time;
    return it->batch->bytes + e->at;
}

void order_free(struct batch_order *o, struct batch_queue *q)
{
    release_used(o, q);
    for (size_t i = o->next; i < o->n; i++) {
        struct batch *b = o->items[i].batch;
        if (--b->left == 0)
            batch_queue_release(q, b);
    }
    free(o->items);
    *o = (struct batch_order){0};
}
