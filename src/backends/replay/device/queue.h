/* One queue with one completion signal. Each launch writes a packet again, its header last. */
#ifndef ROOFTOP_BACKENDS_REPLAY_DEVICE_QUEUE_H
#define ROOFTOP_BACKENDS_REPLAY_DEVICE_QUEUE_H

#include "backends/replay/device/code.h"

struct replay_queue {
    struct replay_device *d;
    hsa_queue_t *queue;
    hsa_signal_t done;
    bool has_signal;
};

struct replay_launch {
    double gpu_us;    /* by the GPU's clock */
    uint64_t wait_ns; /* how long this program waited */
};

int replay_queue_open(struct replay_queue *q, struct replay_device *d, struct replay_failure *f);
void replay_queue_close(struct replay_queue *q);
/*
 * Launches the kernel and waits. REPLAY_FAULT, ILLEGAL, QUEUE, TIMEOUT; after these the queue can
 * only be closed.
 */
int replay_queue_launch(struct replay_queue *q, const struct replay_code *k, double timeout_s,
                        struct replay_launch *out, struct replay_failure *f);

#endif
