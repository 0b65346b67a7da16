/*
 * Empties the ring faster than anything can be made of its records: a thread of its own copies them
 * into a queue, in memory while they are few, then in a temporary file. So a program that makes
 * calls faster than rooftop writes them loses none.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/bpf/ring.h"

enum { INTAKE_SPARE = 4 };
struct intake_chunk {
    uint8_t *bytes; /* NULL: in the file */
    off_t at;
    size_t n;
};

struct intake {
    struct ring *ring;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    bool running, stop;
    int wake;                  /* an eventfd: the thread shall look now */
    struct intake_chunk *list; /* the queue: from first to n */
    size_t first, n, cap;
    size_t in_memory; /* bytes */
    int file;         /* -1: not made yet */
    off_t file_end;
    uint64_t lost; /* records that no file could take */
    /* Chunks of CHUNK bytes that were read: to be filled again, their pages are there already. */
    uint8_t *spare[INTAKE_SPARE];
    size_t nspare;
    /* The thread's own. */
    uint8_t *chunk;
    size_t used, cap_chunk;
    /* The reader's own. */
    uint8_t *from_file;
    size_t from_file_cap;
};

/* Returns 0 or -errno. */
int intake_start(struct intake *in, struct ring *ring);
/* Takes what is in the ring now, and ends the thread. What is queued stays. */
void intake_stop(struct intake *in);
void intake_free(struct intake *in);
/* Gives the next chunk's records to `take`, whole. Returns how many; 0: nothing is queued. */
size_t intake_take(struct intake *in, void (*take)(void *ctx, const uint8_t *record, size_t n),
                   void *ctx);
