/*
 * One dispatch that is captured, or timed: the packets that take its place, and what is done around
 * it once they are handed on (gate.h says in which order).
 */
#ifndef ROOFTOP_CAPTURE_LAUNCH_H
#define ROOFTOP_CAPTURE_LAUNCH_H

#include <stdint.h>

#include "capture/gate.h"
#include "capture/seen.h"
#include "capture/tool.h"

enum { LAUNCH_PACKETS = 5 }; /* at most, in place of one */

struct launch {
    struct launch *next; /* of the same batch */
    uint64_t place;      /* in it */
    struct queue *queue;
    hsa_kernel_dispatch_packet_t packet; /* as the program has it */
    struct seen *kernel;
    uint64_t index; /* of the kernel's dispatches */
    enum wanted wanted;
    struct request_now now;
    hsa_signal_t own;                 /* completes in place of the program's */
    hsa_signal_t idle, hold;          /* WANTED_CAPTURED: the hold before it */
    hsa_signal_t flushed, hold_after; /* and after it, with now.post */
    bool completed;
    uint64_t gpu_ns;
};

/* NULL: it cannot be done; told. */
struct launch *catch_new(struct queue *q, const hsa_kernel_dispatch_packet_t *p,
                         struct seen *kernel, uint64_t index, enum wanted wanted);
/* Its packet was handed on as it was, after all: told. */
void catch_drop(struct launch *l);
/* The packets in its place; their number, LAUNCH_PACKETS at most. */
unsigned catch_packets(const struct launch *l, uint8_t *to);
/* Its own signal's completion, and how long it took: within that time, or not at all. */
bool catch_wait(struct launch *l, uint64_t deadline_ns);
/* Completes the program's signal, now or as soon as the kernel has; frees the launch. */
void catch_end(struct launch *l);

void catch_timed(struct launch *l);
void catch_captured(struct launch *l);

#endif
