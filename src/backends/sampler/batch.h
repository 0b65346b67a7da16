/*
 * From the thread that empties the rings to the one that gives names: batches of records, bounded
 * in bytes, and put into the order of time. Rings are ordered each by itself only, and a mapping
 * made on one CPU must be known before a sample in it was taken on another.
 */
#ifndef ROOFTOP_BACKENDS_SAMPLER_BATCH_H
#define ROOFTOP_BACKENDS_SAMPLER_BATCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one pass over all rings found. */
struct batch {
    struct batch *next;
    struct batch_entry {
        uint64_t time;
        size_t at, size;
    } * entries;
    size_t n, cap, used, cap_bytes;
    uint8_t *bytes;
    size_t left;      /* entries not yet given */
    uint64_t until;   /* of all up to this time nothing is missing; UINT64_MAX: the last batch */
    uint64_t request; /* number of the wish that this pass answered */
    uint64_t lost;    /* records that found no room here, or made no sense */
};

void batch_add(struct batch *b, const void *record, size_t size);
void batch_free(struct batch *b); /* NULL allowed */

struct batch_queue {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct batch *first, *last;
    size_t bytes; /* in the queue and in hand */
    bool closed;
};

void batch_queue_init(struct batch_queue *q);
void batch_queue_destroy(struct batch_queue *q);
void batch_queue_put(struct batch_queue *q, struct batch *b);
/* Waits; NULL once the queue is closed. */
struct batch *batch_queue_take(struct batch_queue *q);
void batch_queue_close(struct batch_queue *q);
/* A batch was used up: its bytes are free for others. */
void batch_queue_release(struct batch_queue *q, struct batch *b);
size_t batch_queue_bytes(struct batch_queue *q);

/* Records in the order of time. */
struct order {
    struct order_item {
        uint64_t time, number;
        struct batch *batch;
        size_t entry;
    } * items;
    size_t n, cap, next;
    uint64_t numbered, until;
};

/* The batch belongs to the order from now on, which releases it when all of it was given. Take
 * what is ready before adding the next. */
void order_add(struct order *o, struct batch_queue *q, struct batch *b);
/* The next record whose turn is certain, valid until the next call, or NULL. */
const void *order_next(struct order *o, struct batch_queue *q, size_t *size, uint64_t *time);
void order_free(struct order *o, struct batch_queue *q);

#endif
