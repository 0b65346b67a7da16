/*
 * Stands the program's GPU work still while one dispatch is captured.
 *
 * The runtime calls us on the thread that submits, with the lock of its queue held, and packets
 * that we let through may run any time later. So, for a capture on queue Q by thread T:
 *
 * 1. With the packets that it hands on, in one call of the runtime's writer (ROCm before 5.5 allows
 *    no second one), T puts a hold in front of the dispatch: a barrier whose signal tells when all
 *    before it has ended, and one that waits until T lets it go.
 * 2. T closes the gate. It stays closed until T opens it; there is one capture at a time.
 * 3. Threads that are inside of us for another queue are waited for (`inside`). Who comes from now
 *    on hands its packets on behind a hold of its own, and waits at the gate; so its queue tells T
 *    when it is idle, too. Who wants to free, map or unmap memory waits as well.
 * 4. On queues that nobody came from, a helper thread submits such a barrier as the program
 *    would: reserved with compare-and-swap in the ring, so that it is never half there. Only on
 *    queues that had packets since they were last known to be idle, and only on those that may have
 *    several producers.
 * 5. T waits for its own barrier, looks at memory, lets the hold go.
 *
 * What may not end: a kernel that waits for a dispatch of a thread that waits at our gate, or for
 * one that comes after. Every wait therefore has a limit. If Q itself does not get idle in that
 * time, the capture is given up and said to have failed; another queue that does not is told
 * (`drained` is false). The gate is then opened, and all goes on.
 */
#ifndef ROOFTOP_CAPTURE_GATE_H
#define ROOFTOP_CAPTURE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/calls.h"

struct queue {
    hsa_queue_t *hsa;
    hsa_agent_t agent;
    uint64_t id;
    bool several;  /* producers */
    bool profiled; /* the program itself wants times */
    bool alive;
    _Atomic int inside;             /* a thread is, and no capture may look at the queue's work */
    _Atomic bool dirty;             /* packets went through since it was last known to be idle */
    _Atomic bool failed;            /* the runtime reported an error of it */
    _Atomic bool faulted;           /* a memory fault of its GPU, at */
    _Atomic uint64_t fault_address; /* this address */
    _Atomic int error_status;       /* of the queue's own report; 0: none yet */
    hsa_signal_t idle, hold, nudge_signal; /* of the hold at the gate; 1 until executed, let go */
    hsa_signal_t evidence;                 /* tells whether it is idle, where `parked` */
    _Atomic uint32_t parked, nudged;       /* the closing of the gate that it was for */
    bool idle_pending, nudge_pending;      /* it may still be to come */
    _Atomic int helpers;                   /* threads that still use it */
    call_queue_error error;                /* the program's */
    void *error_data;
    struct queue *next;
};

/* A queue that the runtime made; NULL: no memory. Never given back, but used again. */
struct queue *gate_queue_new(void);
void gate_queue_ready(struct queue *q); /* hsa, agent and the like are filled in */
struct queue *gate_queue_of(const hsa_queue_t *queue);
void gate_queue_gone(struct queue *q); /* waits for its helpers */
void gate_reset(void);
/* The runtime told of a memory fault of that GPU: its queues execute nothing more. */
void gate_fault(uint64_t agent, uint64_t address);
/* What became of a queue that failed, in words; false: it did not. */
bool gate_trouble(const struct queue *q, char *text, size_t size);

/* Before packets are handed on: whether the gate is closed. If not, the thread is inside. */
bool gate_closed(struct queue *q);
/* With it closed, and a hold in front of the packets whose idle signal is given (handle 0: there
 * could be none): waits until it is open, and the thread is inside. */
void gate_wait_open(struct queue *q, hsa_signal_t idle);
void gate_leave(struct queue *q);
/* Around a change of the memory that there is. */
void gate_hook_enter(void);
void gate_hook_leave(void);

/* By a thread that is inside for q, which has a hold with that idle signal. False: threads of the
 * program did not let it. */
bool gate_close(struct queue *q, hsa_signal_t idle, uint64_t deadline_ns);
/* With the gate closed: whether all other queues' work has ended. */
bool gate_drain_others(const struct queue *q, uint64_t deadline_ns);
void gate_open(struct queue *q);

/* A barrier packet behind all before it, which waits for until (handle 0: none) to be 0. */
hsa_barrier_and_packet_t gate_barrier(hsa_signal_t until, hsa_signal_t done);
/* Until it is below 1. False: not by then, or the queue failed (q may be NULL). */
bool gate_wait(hsa_signal_t signal, const struct queue *q, uint64_t deadline_ns);

#endif
