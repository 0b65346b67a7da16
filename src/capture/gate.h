/*
 * Stops the program's GPU work while one dispatch is captured.
 *
 * The runtime calls us on the thread that submits, while it holds the lock of the queue, and
 * packets that we pass on may run at any later time. A capture on queue Q by thread T therefore
 * works like this:
 *
 * 1. In one call of the runtime's writer (ROCm before 5.5 does not allow a second one), T passes
 *    on its packets with a hold in front of the dispatch: a barrier whose signal tells when
 *    everything before it has ended, and a barrier that waits until T releases it.
 * 2. T closes the gate. It stays closed until T opens it; there is one capture at a time.
 * 3. T waits for threads that are in our handler for other queues (`inside`). A thread that
 *    arrives later passes on its packets behind a hold of its own and waits at the gate; so its
 *    queue, too, tells T when it is idle. Threads that want to free, map or unmap memory wait as
 *    well.
 * 4. On queues to which no thread came, a helper thread submits such a barrier as the program
 *    would: it reserves the slot with compare-and-swap, so that the barrier is never half
 *    written. It does this only on queues that had packets since they were last known to be
 *    idle, and only on those that allow several producers.
 * 5. T waits for its own barrier, reads memory, and releases the hold.
 *
 * Two cases may never end: a kernel that waits for a dispatch of a thread that waits at our gate,
 * or for a dispatch that comes after it. Every wait therefore has a limit. If Q itself does not
 * become idle in time, the capture is given up and reported as failed. If another queue does not,
 * that is reported (`drained` is false). Then the gate is opened and the program continues.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/calls.h"

struct gate_queue {
    hsa_queue_t *hsa;
    hsa_agent_t agent;
    uint64_t id;
    bool several;  /* allows several producers */
    bool profiled; /* the program itself asked for times */
    bool alive;
    _Atomic int inside;   /* a thread is in our handler; no capture may rely on the queue's state */
    _Atomic bool dirty;   /* packets were submitted since it was last known to be idle */
    _Atomic bool failed;  /* the runtime reported an error on it */
    _Atomic bool faulted; /* its GPU had a memory fault */
    _Atomic uint64_t fault_address; /* at this address */
    _Atomic int error_status;       /* the queue's own error status; 0: none yet */
    /* of our barriers: 1 until executed (idle, nudge) or released (hold) */
    hsa_signal_t idle, hold, nudge_signal;
    hsa_signal_t evidence;            /* shows whether the queue is idle, if `parked` */
    _Atomic uint32_t parked, nudged;  /* the closing of the gate that they belong to */
    bool idle_pending, nudge_pending; /* the barrier may not have been executed yet */
    _Atomic int helpers;              /* threads that still use this record */
    call_queue_error error;           /* the program's callback */
    void *error_data;
    struct gate_queue *next;
};

/* Returns a record for a queue that the runtime made; NULL: no memory. Records are reused and never
 * freed. */
struct gate_queue *gate_queue_new(void);
/* called when hsa, agent and the other fields are filled in */
void gate_queue_ready(struct gate_queue *q);
struct gate_queue *gate_queue_of(const hsa_queue_t *queue);
void gate_queue_gone(struct gate_queue *q); /* waits for the queue's helpers */
void gate_reset(void);
/* Notes a memory fault on that GPU, whose queues execute nothing more. */
void gate_fault(uint64_t agent, uint64_t address);
/* Describes why a queue failed; false: it did not fail. */
bool gate_trouble(const struct gate_queue *q, char *text, size_t size);

/* Called before packets are passed on. Returns whether the gate is closed; if not, the thread is
 * now inside. */
bool gate_closed(struct gate_queue *q);
/* Waits until the gate is open; the thread is then inside. Called with the gate closed and a hold
 * in front of the thread's packets. idle: that hold's signal; handle 0 if there is no hold. */
void gate_wait_open(struct gate_queue *q, hsa_signal_t idle);
void gate_leave(struct gate_queue *q);
/* Enclose a change to the program's memory. */
void gate_hook_enter(void);
void gate_hook_leave(void);

/* Closes the gate. The calling thread is inside for q, which has a hold with this idle signal.
 * False: threads of the program did not leave in time. */
bool gate_close(struct gate_queue *q, hsa_signal_t idle, uint64_t deadline_ns);
/* Waits, with the gate closed, for the work of all other queues; false: not all of it ended. */
bool gate_drain_others(const struct gate_queue *q, uint64_t deadline_ns);
void gate_open(struct gate_queue *q);

/* Makes a barrier packet that runs after all packets before it, and waits until the signal `until`
 * is 0 (handle 0: does not wait). */
hsa_barrier_and_packet_t gate_barrier(hsa_signal_t until, hsa_signal_t done);
/* Waits until the signal is below 1. False: the deadline passed, or the queue failed (q may be
 * NULL). */
bool gate_wait(hsa_signal_t signal, const struct gate_queue *q, uint64_t deadline_ns);
