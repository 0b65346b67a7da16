/*
 * Puts records in the order of their times. Each CPU's records come in order, but the CPUs' one
 * after the other. perf writes a mark after each round of emptying all rings (FINISHED_ROUND):
 * nothing behind a mark is older than the newest record before the mark before it. Source:
 * perf.data-file-format.txt, "Ordering".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ordered_record {
    uint64_t time, number;
    size_t at, size; /* in bytes */
};

struct record_order { /* all zero: empty */
    uint8_t *bytes;
    size_t used, cap_bytes;
    struct ordered_record *list;
    size_t n, cap;
    uint64_t newest, until, numbered;
};

typedef int (*record_order_sink)(void *ctx, const void *record, size_t size);
/* Keeps a copy. */
void record_order_add(struct record_order *o, const void *record, size_t size, uint64_t time);
/* At a mark: gives what is certain to be next, until sink does not return 0, which is returned. */
int record_order_round(struct record_order *o, record_order_sink sink, void *ctx);
/* At the end: gives all. */
int record_order_end(struct record_order *o, record_order_sink sink, void *ctx);
size_t record_order_memory(const struct record_order *o);
void record_order_free(struct record_order *o);
