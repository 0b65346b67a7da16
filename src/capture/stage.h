/*
 * Reads memory while a dispatch is captured. Host memory is read directly. A GPU's memory is copied
 * by that GPU, several copies at once: directly to the destination where the GPU was given access
 * to it, else through memory that both can reach. The runtime's hsa_memory_copy is not used: for
 * virtual memory it may copy on the CPU, and crash where the CPU has no access.
 */
#ifndef ROOFTOP_CAPTURE_STAGE_H
#define ROOFTOP_CAPTURE_STAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/calls.h"
#include "capture/track.h"

enum { STAGE_SLOTS = 8 };

struct stage {
    const struct track_list *list;
    uint64_t agent; /* the GPU that runs the dispatch */
    uint64_t cpu;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct stage_slot {
        void *memory; /* NULL: not allocated yet */
        hsa_signal_t done;
        bool busy, broken;
    } slots[STAGE_SLOTS];
    struct stage_lent {      /* each is used by one thread */
        void *memory, *seen; /* its address for us, and for GPUs */
        size_t size;
        hsa_signal_t done;
        bool broken;
    } lent[STAGE_SLOTS];
    int nlent;
};

void stage_open(struct stage *s, const struct track_list *list, uint64_t agent);
/*
 * Gives GPUs access to memory that one thread at a time will read into. Where the runtime cannot do
 * this, reads go through a slot. Call it before the first read.
 */
void stage_lend(struct stage *s, void *memory, size_t size);
/* A capture_read with the stage as ctx. */
int stage_read(void *ctx, void *to, uint64_t address, size_t size, char *why, size_t why_size);
/* Frees the stage. False: a GPU may still write to memory that it was given. */
bool stage_close(struct stage *s);

#endif
