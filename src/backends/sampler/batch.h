/*
 * Passes batches of records, bounded in bytes, from the thread that empties the rings to the thread
 * that finds names, and puts the records in order of time. Each ring alone is in order, but a
 * mapping made on one CPU must be known before a later sample from another CPU.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_BATCH_H
#define ROOFTOP_BACKENDS_SAMPLER_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The records of one pass over all rings. */
struct batch {
    struct batch *next;
    struct batch_entry {
        uint64_t time;
        size_t at, size;
    } * entries;
    size_t n, cap, used, cap_bytes;
    uint8_t *bytes;
    size_t left;      /* entries not yet returned */
    uint64_t until;   /* complete up to this time; UINT64_MAX: the last batch */
    uint64_t request; /* number of the request that this pass answers */
    uint64_t lost;    /* records that did not fit or were invalid */
};

void batch_add(struct batch *b, const void *record, size_t size);

struct batch_queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct batch *first, *last;
    size_t bytes; /* queued or being processed */
    bool closed;
};

void batch_queue_init(struct batch_queue *q);
void batch_queue_destroy(struct batch_queue *q);
void batch_queue_put(struct batch_queue *q, struct batch *b);
/* Waits for a batch; NULL once the queue is closed. */
struct batch *batch_queue_take(struct batch_queue *q);
void batch_queue_close(struct batch_queue *q);
/* Frees a used batch, so that its bytes are available again. */
void batch_queue_release(struct batch_queue *q, struct batch *b);
size_t batch_queue_bytes(struct batch_queue *q);

/* Returns records in order of time. */
struct batch_order {
    struct order_item {
        uint64_t time, number;
        struct batch *batch;
        size_t entry;
    } * items;
    size_t n, cap, next;
    uint64_t numbered, until;
};

/*
 * Adds a batch. The order owns it from now on and releases it once all its records were returned.
 * Take all ready records before adding the next batch.
 */
void order_add(struct batch_order *o, struct batch_queue *q, struct batch *b);
/* The next record, if no earlier one can still arrive, valid until the next call; else NULL. */
const void *order_next(struct batch_order *o, struct batch_queue *q, size_t *size, uint64_t *time);
void order_free(struct batch_order *o, struct batch_queue *q);

#endif
