/* What the parts of causes share: clocks of tasks, and wires, on which effects travel. */
#pragma once

#include "base/ids.h"
#include "engine/causes/causes.h"
#include "engine/facts/descriptors.h"
#include "engine/syscalls/roles.h"

enum { WIRE_OUT, WIRE_IN, WIRE_SIDES };
/* Sizes above this are unknown. */
#define CAUSES_ANY (UINT64_MAX / 4)

/* A call that puts something on a wire, or takes something. Positions count bytes, messages or
 * whatever else the wire carries. Steps number the events that were added. */
struct wire_call {
    uint64_t id, entered, returned;   /* steps; returned 0: not yet */
    uint64_t asked, moved, low, high; /* its place on the wire is from low to high */
    uint32_t object;                  /* connect, accept: of descriptors */
    bool paired;                      /* connect: its accept was found */
    uint8_t nwaiters;
    uint64_t waiters[3]; /* futex: waits that only this call can have ended */
    uint64_t needs;      /* a write returns when all before this position was taken; 0: at once */
    uint64_t room_by;    /* the read that took it; 0: none yet */
};

enum wire_kind {
    WIRE_STREAM,
    WIRE_LISTEN, /* connections are accepted in the order in which they were made */
    WIRE_PORT,   /* TCP: in any order */
    WIRE_CANDIDATES
};

/* A direction of a pipe or connection, an eventfd, the queue of a listening socket, a futex, a
 * signal from one process to another. */
struct wire {
    uint64_t at;       /* clock of all that was put on it */
    uint64_t taken_at; /* clock of all calls that may have taken something */
    uint64_t holds;    /* a pipe: at most so many bytes; 0: unknown, or not limited */
    uint64_t total[WIRE_SIDES];
    struct wire_call *calls[WIRE_SIDES];
    uint16_t n[WIRE_SIDES], cap[WIRE_SIDES];
    uint64_t unsure; /* candidates: what was entered before this step can have other causes */
    uint32_t from;   /* a wire whose content may be passed on to this one; 0 none */
    uint8_t kind;
    uint16_t taken; /* WIRE_PORT: how many of its calls were taken; which ones is unknown */
    bool torn;      /* its positions are not known any more */
};

enum { WIRE_RECENT = 64, WIRES_MOST = 1 << 18, LANES_MOST = 1 << 20 };

/* What a call that has been entered will do to wires when it returns. */
struct call_wires {
    uint32_t out, in; /* 0: the wire of everything unknown */
    bool gives, takes, peeks;
};

struct lane { /* a task */
    int32_t tid;
    uint32_t process;
    uint64_t at;                 /* clock */
    uint64_t first, last, began; /* identifiers; step of the first */
    bool caused, in_call;
    uint8_t abi;
    uint32_t number;
    uint64_t call, entered, entry; /* identifier, step and clock of the call that it is in */
    uint32_t restarts; /* 1 + the number of a call that restart_syscall goes on with; 0 none */
    struct call_wires wires;
    uint64_t exits; /* identifier of its call of exit; 0 none */
};

struct process {
    int32_t pid;
    uint64_t at;     /* clock: the highest of its tasks */
    uint64_t last;   /* identifier */
    uint32_t memory; /* processes with shared memory have the same number */
    uint64_t made_by_vfork;
};

/* What a socket is, by its object of descriptors. */
enum socket_kind { SOCKET_UNKNOWN, SOCKET_PAIR, SOCKET_CLIENT, SOCKET_SERVER, SOCKET_PAIRED };
struct socket_state {
    uint8_t kind;
    bool stream, messages;
    uint32_t peer;    /* SOCKET_PAIRED: the client's object */
    uint64_t address; /* hash of the address that it is bound or connected to; 0 unknown */
};

struct maker {       /* a call that made a task */
    uint64_t id, at; /* identifier, clock of its entry */
};

struct causes {
    void (*found)(void *ctx, const struct cause *cause);
    void *ctx;
    struct descriptors *descriptors;
    struct lane *lanes;
    struct process *processes;
    struct wire *wires; /* 0: everything unknown */
    struct socket_state *sockets;
    struct maker *makers;
    uint32_t nlanes, lanes_cap, nprocesses, processes_cap, nwires, wires_cap, nsockets, sockets_cap;
    uint32_t nmakers, makers_cap;
    struct ids by_tid, by_pid, by_wire, by_maker, by_clear_tid;
    uint64_t step, next_id;
    uint64_t signals; /* clock of all signals that were sent */
    uint64_t forks;   /* clock of all calls that make tasks */
    bool groups;      /* a signal was sent to a group of processes */
    bool lossy;       /* calls were lost or cannot be seen: positions on wires are not known */
    char lost_by[32]; /* since this call */
    uint64_t lost_ns;
};

static inline void clock_join(uint64_t *to, uint64_t from)
{
    if (from > *to)
        *to = from;
}

/* Reports an edge between the events of these identifiers to the sink. */
void causes_tell(struct causes *c, uint64_t from, uint64_t to, enum cause_kind kind);

/* --- wires.c --- */

/* The wire of a key; 0 where there are too many. */
uint32_t wire_of(struct causes *c, uint64_t key, enum wire_kind kind);
/* A call is entered that may put `asked` on the wire, or take so much. NULL: not kept. */
struct wire_call *wire_enter(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t at,
                             uint64_t asked);
/* The call returns after it has moved `moved`; CAUSES_ANY if that is not known. Reports edges. */
void wire_leave(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t moved,
                uint32_t object);
/* A write is about to return after it has moved `moved`: reports the read that it waited for, where
 * the pipe was full. Returns what its clock must be above; 0: nothing. */
uint64_t wire_room(struct causes *c, uint32_t wire, uint64_t id, uint64_t moved);
/* From now on it is unknown how much fits into the pipe. */
void wire_unlimited(struct wire *w);
/* A wait that was entered at that step has ended: reports its cause if there can only be one. */
void wire_woken(struct causes *c, uint32_t wire, uint64_t id, uint64_t entered);
/* A call that may have woken waits returns; it did wake some, or none. */
void wire_woke(struct causes *c, uint32_t wire, uint64_t id, bool some);
/* A signal arrives: reports its cause if there can only be one, and forgets earlier ones. */
void wire_arrived(struct causes *c, uint32_t wire, uint64_t id);
/* From now on the wire's positions are unknown. */
void wire_tear(struct wire *w);
void wire_free(struct wire *w);

/* --- cause_calls.c --- */

/* A call is entered, after the lane's clock was advanced; or returns, after the descriptors were
 * followed: may advance the lane's clock. */
void cause_call_enters(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_call_leaves(struct causes *c, struct lane *l, const struct syscall_event *e);

/* --- cause_rights.c --- */

/* Whether a call that is entered passes descriptors to the process that reads from its socket. True
 * also where it may do so, because not all of its memory was kept. */
bool cause_passes_descriptors(const struct syscall_event *e);

/* --- cause_tasks.c --- */

/* The lane of the event's task; a new one for a new task. NULL: too many. */
struct lane *cause_lane(struct causes *c, const struct syscall_event *e);
/* Returns of calls that make tasks, and of calls that wait for their ends. */
void cause_task_made(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_awaited(struct causes *c, struct lane *l, const struct syscall_event *e);
/* A wait on a futex that the end of a thread wakes. True: it was one. */
bool cause_task_joined(struct causes *c, struct lane *l, const struct syscall_event *e);
/* A signal arrives; a call sends one; a task starts; a task ends. */
void cause_signal(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_sends_signal(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_starts(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_ends(struct causes *c, struct lane *l, const struct syscall_event *e);

/* From now on positions on wires are not known, because of such a call. */
void causes_lose(struct causes *c, const char *why, uint64_t ns);
