/*
 * Reads memory while a dispatch is captured: host memory as it is, a GPU's through copies by that
 * GPU, several at once: straight to where the bytes are wanted, where it was lent that memory, else
 * through memory that both can reach. The runtime's hsa_memory_copy is not used:
 * for virtual memory it may copy on the CPU, and crash where the CPU has no access.
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
        void *memory; /* NULL: not made yet */
        hsa_signal_t done;
        bool busy, broken;
    } slots[STAGE_SLOTS];
    struct stage_lent {      /* one thread's each */
        void *memory, *seen; /* where it is; where GPUs see it */
        size_t size;
        hsa_signal_t done;
        bool broken;
    } lent[STAGE_SLOTS];
    int nlent;
};

void stage_open(struct stage *s, const struct track_list *list, uint64_t agent);
/* Memory that will be read to, by one thread at a time. Where the runtime cannot lend it to GPUs,
 * reading goes the longer way. Before the first read. */
void stage_lend(struct stage *s, void *memory, size_t size);
/* A capture_read; ctx: the stage. */
int stage_read(void *ctx, void *to, uint64_t address, size_t size, char *why, size_t why_size);
/* False: a GPU may write to what it was lent still. */
bool stage_close(struct stage *s);

#endif
