/* Shared by the files of causes: the clocks of tasks, and the wires that carry effects. */
#pragma once

#include "base/ids.h"
#include "engine/causes/causes.h"
#include "engine/facts/descriptors.h"
#include "engine/syscalls/roles.h"

enum { WIRE_OUT, WIRE_IN, WIRE_SIDES };
/* Sizes above this are unknown. */
#define CAUSES_ANY (UINT64_MAX / 4)

/* A call that puts something on a wire or takes something from it. Positions count bytes, messages
 * or other units of the wire. Steps number the added events. */
struct wire_call {
    uint64_t id, entered, returned;   /* returned: a step; 0: not yet */
    uint64_t asked, moved, low, high; /* its place on the wire is from low to high */
    uint32_t object;                  /* connect, accept: the object in descriptors */
    bool paired;                      /* connect: its accept was found */
    uint8_t nwaiters;
    uint64_t waiters[3]; /* futex: waits that only this call can have ended */
    uint64_t needs;      /* a write returns after all before this position was taken; 0: at once */
    uint64_t room_by;    /* the read that took that; 0: none yet */
};

enum wire_kind {
    WIRE_STREAM,
    WIRE_LISTEN, /* connections are accepted in the order of connect */
    WIRE_PORT,   /* TCP: connections are accepted in any order */
    WIRE_CANDIDATES
};

/* A direction of a pipe or connection, an eventfd, the queue of a listening socket, a futex, a
 * signal from one process to another. */
struct wire {
    uint64_t at;       /* the highest clock of calls that put something on it */
    uint64_t taken_at; /* the highest clock of calls that may have taken something */
    uint64_t holds;    /* a pipe's capacity in bytes; 0: unknown, or unlimited */
    uint64_t total[WIRE_SIDES];
    struct wire_call *calls[WIRE_SIDES];
    uint16_t n[WIRE_SIDES], cap[WIRE_SIDES];
    uint64_t unsure; /* calls entered before this step may have other causes */
    uint32_t from;   /* a wire whose data may be passed on to this one; 0 none */
    uint8_t kind;
    uint16_t taken; /* WIRE_PORT: number of taken calls; which ones is unknown */
    bool torn;      /* positions are unknown from now on */
};

enum { WIRE_RECENT = 64, WIRES_MOST = 1 << 18, LANES_MOST = 1 << 20 };

/* The effects that an entered call will have on wires when it returns. */
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
    uint64_t call, entered, entry; /* identifier, step and clock of the open call */
    uint32_t restarts; /* 1 + the number of the call that restart_syscall continues; 0 none */
    struct call_wires wires;
    uint64_t exits; /* identifier of its exit call; 0 none */
};

struct process {
    int32_t pid;
    uint64_t at;     /* clock: the highest of its tasks */
    uint64_t last;   /* identifier */
    uint32_t memory; /* processes with shared memory have the same number */
    uint64_t made_by_vfork;
};

/* The state of a socket, by its object in descriptors. */
enum socket_kind { SOCKET_UNKNOWN, SOCKET_PAIR, SOCKET_CLIENT, SOCKET_SERVER, SOCKET_PAIRED };
struct socket_state {
    uint8_t kind;
    bool stream, messages;
    uint32_t peer;    /* SOCKET_PAIRED: the client's object */
    uint64_t address; /* hash of its bound or connected address; 0 unknown */
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
    struct wire *wires; /* wire 0 stands for everything unknown */
    struct socket_state *sockets;
    struct maker *makers;
    uint32_t nlanes, lanes_cap, nprocesses, processes_cap, nwires, wires_cap, nsockets, sockets_cap;
    uint32_t nmakers, makers_cap;
    struct ids by_tid, by_pid, by_wire, by_maker, by_clear_tid;
    uint64_t step, next_id;
    uint64_t signals; /* the highest clock of calls that sent signals */
    uint64_t forks;   /* the highest clock of calls that made tasks */
    bool groups;      /* a signal was sent to a group of processes */
    bool lossy;       /* calls were lost or cannot be seen: positions on wires are not known */
    char lost_by[32]; /* the first such call */
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

/* The wire of a key; 0 if there are too many. */
uint32_t wire_of(struct causes *c, uint64_t key, enum wire_kind kind);
/* Notes the entry of a call that may put `asked` on the wire, or take as much. NULL: not kept. */
struct wire_call *wire_enter(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t at,
                             uint64_t asked);
/* Notes the return of a call that moved `moved`; CAUSES_ANY: unknown. Reports edges. */
void wire_leave(struct causes *c, uint32_t wire, int side, uint64_t id, uint64_t moved,
                uint32_t object);
/* Called when a write that moved `moved` is about to return: if the pipe was full, reports the read
 * that it waited for. Returns the clock that its own must exceed; 0: none. */
uint64_t wire_room(struct causes *c, uint32_t wire, uint64_t id, uint64_t moved);
/* Marks the pipe's capacity as unknown. */
void wire_unlimited(struct wire *w);
/* A wait that was entered at that step has ended: reports its cause if it is certain. */
void wire_woken(struct causes *c, uint32_t wire, uint64_t id, uint64_t entered);
/* Notes the return of a call that may have woken waits, and whether it woke any. */
void wire_woke(struct causes *c, uint32_t wire, uint64_t id, bool some);
/* A signal has arrived: reports its cause if it is certain, and forgets earlier ones. */
void wire_arrived(struct causes *c, uint32_t wire, uint64_t id);
/* Marks the wire's positions as unknown. */
void wire_tear(struct wire *w);
void wire_free(struct wire *w);

/* --- cause_calls.c --- */

/* A call enters, after the lane's clock was advanced; or returns, after descriptors were followed.
 * Either may advance the lane's clock again. */
void cause_call_enters(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_call_leaves(struct causes *c, struct lane *l, const struct syscall_event *e);

/* --- cause_rights.c --- */

/* Whether an entered call passes descriptors to the process that reads from its socket. Also true
 * if its memory was not fully recorded, so that it may do so. */
bool cause_passes_descriptors(const struct syscall_event *e);

/* --- cause_tasks.c --- */

/* The lane of the event's task; a new one for a new task. NULL: too many. */
struct lane *cause_lane(struct causes *c, const struct syscall_event *e);
/* Follow returns of calls that make tasks, and of calls that wait for their ends. */
void cause_task_made(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_awaited(struct causes *c, struct lane *l, const struct syscall_event *e);
/* Follows a wait on a futex that the end of a thread wakes. True: it was such a wait. */
bool cause_task_joined(struct causes *c, struct lane *l, const struct syscall_event *e);
/* Follow the arrival of a signal; a call that sends one; the start and end of a task. */
void cause_signal(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_sends_signal(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_starts(struct causes *c, struct lane *l, const struct syscall_event *e);
void cause_task_ends(struct causes *c, struct lane *l, const struct syscall_event *e);

/* Marks all wires' positions as unknown because of this call. */
void causes_lose(struct causes *c, const char *why, uint64_t ns);
