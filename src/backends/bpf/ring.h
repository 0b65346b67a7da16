/* The kernel's BPF ring buffer, read without waiting for it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
    int map;
    size_t size;        /* of the data, a power of two */
    uint64_t *consumer; /* a page that we write */
    uint8_t *pages;     /* producer's page, then the data */
};

/* Makes it, for programs to write. size: a power of two of whole pages. 0 or -errno. */
int ring_make(struct ring *r, size_t size);
/* Makes its data readable. 0 or -errno. */
int ring_map(struct ring *r);
void ring_close(struct ring *r);

/*
 * Gives what is there, record after record, to `take`; a record that is being written ends it.
 * One of `whole` bytes that goes around the end of the ring comes in two parts. Returns the bytes
 * that were taken from the ring.
 */
size_t ring_read(struct ring *r,
                 void (*take)(void *ctx, const void *part, size_t n, size_t whole, bool first),
                 void *ctx);
