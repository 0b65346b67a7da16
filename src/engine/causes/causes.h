/*
 * What caused what among the events of traced programs: Lamport clocks, and edges from the call
 * that caused something to the call or event that it caused. Events are added one after the other,
 * while a program is traced or from a saved trace.
 *
 * Each task has a clock; each event advances it. A call has two moments, its entry and its return.
 * Effects begin at an entry (a write has written before it returns) and arrive at a return (a read
 * that waited). So an edge leads from the entry of a call, or from an event that is no call, to the
 * return of a call, or to such an event. If one moment happened before another one, its clock is
 * smaller. The reverse does not follow: L. Lamport, "Time, Clocks, and the Ordering of Events in a
 * Distributed System", Communications of the ACM 21 (1978).
 *
 * Clocks err on the safe side: where it is unknown which of several writes was read, the clock of
 * the read is above those of all of them. Edges err on the other side: only what is certain has
 * one. A read has an edge from a write if some of its bytes must be of that write, in whatever
 * order the calls that overlap were carried out. "Certain" presupposes that the trace has all tasks
 * that use the pipe, socket or futex; after a loss, or a call whose doing no trace shows (io_uring,
 * a descriptor taken from another process or passed to one), there are no more edges by bytes,
 * connections and futexes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "engine/syscalls/event.h"

enum cause_kind {
    CAUSE_START,  /* fork, clone: the first event of the new task */
    CAUSE_END,    /* the end of a task: wait or join returns, vfork goes on, SIGCHLD arrives */
    CAUSE_BYTES,  /* through a pipe, socket or eventfd */
    CAUSE_ACCEPT, /* connect to accept */
    CAUSE_WAKE,   /* futex */
    CAUSE_SIGNAL, /* kill to the signal's arrival */
    CAUSE_ROOM,   /* a read from a full pipe to the write that waited for room */
    CAUSE_KINDS
};

/* An edge by its events' identifiers (cause_stamp). `from` was entered before `to` arrived. */
struct cause {
    uint64_t from, to;
    uint8_t kind; /* enum cause_kind */
};

/* An event's identifier: 1, 2, 3…, for calls in the order of entries; 0: none (too many tasks, a
 * loss). A call has a clock for entry and return; others have the same clock twice. */
struct cause_stamp {
    uint64_t id, entry, clock;
};

struct causes;
/* found is called once for each edge, within causes_add of a later event than `from`; `to` may be
 * an event before the added one. found may be NULL. */
struct causes *causes_new(void (*found)(void *ctx, const struct cause *cause), void *ctx);
/*
 * Adds an event. With entries (SYSCALL_ENTRY) the order is exact; a call that comes without one
 * counts as entered when it is added. The stamp of an entry has no clock of the return yet.
 * Losses and operations of io_uring have no stamp: zeros.
 */
struct cause_stamp causes_add(struct causes *c, const struct syscall_event *e);
/* The first call after which edges by bytes, connections and futexes are no longer reported, and
 * its time; NULL: all edges are reported. */
const char *causes_lost_by(const struct causes *c, uint64_t *ns);
void causes_free(struct causes *c);
