/*
 * One dispatch that is captured or timed: the packets that replace it, and what is done after they
 * are passed on (gate.h describes the order).
 */
#ifndef ROOFTOP_CAPTURE_LAUNCH_H
#define ROOFTOP_CAPTURE_LAUNCH_H

#include <stdint.h>

#include "capture/gate.h"
#include "capture/seen.h"
#include "capture/tool.h"

enum { LAUNCH_PACKETS = 5 }; /* at most, in place of one packet */

struct launch {
    struct launch *next; /* in the same batch */
    uint64_t place;      /* index in the batch */
    struct gate_queue *queue;
    hsa_kernel_dispatch_packet_t packet; /* the program's own packet */
    struct seen *kernel;
    uint64_t index; /* number among the kernel's dispatches */
    enum wanted wanted;
    struct request_now now;
    hsa_signal_t own;                 /* completes in place of the program's signal */
    hsa_signal_t idle, hold;          /* WANTED_CAPTURED: the hold before the dispatch */
    hsa_signal_t flushed, hold_after; /* the hold after it, if now.post */
    bool completed;
    uint64_t gpu_ns;
};

/* Prepares a dispatch; NULL: not possible, which is reported. */
struct launch *catch_new(struct gate_queue *q, const hsa_kernel_dispatch_packet_t *p,
                         struct seen *kernel, uint64_t index, enum wanted wanted);
/* Frees a launch whose packet was passed on unchanged, and reports that. */
void catch_drop(struct launch *l);
/* Writes the packets that replace it; returns their number, at most LAUNCH_PACKETS. */
unsigned catch_packets(const struct launch *l, uint8_t *to);
/*
 * Waits for our own signal and reads how long the kernel took. False: not completed by the
 * deadline.
 */
bool catch_wait(struct launch *l, uint64_t deadline_ns);
/* Completes the program's signal, now or as soon as the kernel ends; frees the launch. */
void catch_end(struct launch *l);

void catch_timed(struct launch *l);
void catch_captured(struct launch *l);

#endif
