/* The shared memory of a trace: control, sites, rings. It is gone when the last program that has it
 * is gone, also where rooftop is killed. */
#ifndef ROOFTOP_BACKENDS_RECORDER_SHARE_H
#define ROOFTOP_BACKENDS_RECORDER_SHARE_H

#include <stdbool.h>

#include "base/error.h"
#include "format/syscall_ring.h"

struct share {
    struct syscall_control *control;
    struct syscall_site *sites;
    uint32_t nsites; /* in use */
    int control_id;
    uint8_t *chunks[SYSCALL_RING_CHUNKS];
};

/* Makes the shared memory and its first rings. library: path of the recorder, without ' ' and ':'.
 * 0, or -errno with err. share_close detaches it. */
int share_open(struct share *s, const char *library, struct error *err);
void share_close(struct share *s);
/* Adds rings where programs wait for some. */
void share_grow(struct share *s);
/* The number of rings; ring i of them, and its SYSCALL_RING_RECORDS records. */
uint32_t share_rings(const struct share *s);
struct syscall_ring *share_ring(const struct share *s, uint32_t i);
struct syscall_record *share_records(struct syscall_ring *r);
/* True while a program has the memory. */
bool share_used(const struct share *s);
/* Wakes the task that waits for room in its ring. */
void share_room(struct syscall_ring *r);
/* Answers the question in r->want, and wakes the task that waits for it. */
void share_answer(struct syscall_ring *r, uint32_t answer);
/* Waits until the bell has another value than this, at most ms. */
void share_wait(const struct share *s, uint32_t bell, int ms);

#endif
