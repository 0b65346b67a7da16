/*
 * The ring that the kernel shares with us: one writer (the kernel), one reader (one thread). Takes
 * whole records out of it, also those that wrap around the end, and returns the space to the
 * kernel.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { RECORD_MAX = 65536 }; /* perf_event_header.size has 16 bits */

struct perf_ring {
    void *base;          /* perf_event_mmap_page, then the data */
    const uint8_t *data; /* size bytes, a power of two */
    size_t size;
    uint64_t damaged; /* how often invalid contents were skipped */
};

/* Sets up a reader. base: the mapping, a page followed by pages * page_size bytes of data;
 * borrowed. */
void perf_ring_init(struct perf_ring *r, void *base, size_t page_size, size_t pages);

typedef void (*perf_ring_sink)(void *ctx, const void *record, size_t size);
/* Passes every complete record to sink: 8-byte aligned, at least its header, valid until sink
 * returns. Then returns the space to the kernel. scratch: RECORD_MAX bytes, 8-byte aligned. Returns
 * how many records. */
size_t perf_ring_read(struct perf_ring *r, void *scratch, perf_ring_sink sink, void *ctx);
