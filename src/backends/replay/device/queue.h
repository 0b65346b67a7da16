/*
 * One queue. Each launch writes a packet again, its header last. Its completion signal lies in
 * memory that the kernel can write, too: what must not be deceived asks replay_queue_settle.
 */
#pragma once

#include "backends/replay/device/device.h"

struct replay_queue {
    struct replay_device *d;
    hsa_queue_t *queue;
    hsa_signal_t done, after; /* of the launch; of a barrier behind it; handle 0: none */
    struct replay_said {
        int64_t value;
        uint64_t start, end; /* ticks of the GPU */
    } said;                  /* by the launch's signal when it ended the wait */
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
/*
 * Waits until the GPU has ended the last launch, whatever that launch wrote to its signal: until a
 * barrier packet behind it completes, with a signal of its own. The packet is written when the
 * launch seems to be over, so that the launch cannot read it. forged: what shows that the launch
 * wrote to its signal, a clause; "": nothing does. Fails as a launch does.
 */
enum { REPLAY_FORGED = 160 };
int replay_queue_settle(struct replay_queue *q, double timeout_s, char forged[REPLAY_FORGED],
                        struct replay_failure *f);
