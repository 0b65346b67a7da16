/* What read.c and open_calls.c share: the reader of one ring, and its calls that have not returned.
 */
#pragma once

#include "backends/recorder/recorder_impl.h"
#include "engine/syscalls/pieces.h"

/* A record in its ring. */
struct ring_view {
    const struct syscall_record *records;
    uint64_t index;
};

/* A call whose return was not read yet. */
struct open_call {
    uint64_t index, tsc, args[6], stack_pointer;
    uint32_t number;
    uint8_t way, abi;
    bool text; /* the last piece is an unfinished text */
    struct syscall_pieces pieces;
};

struct ring_reader {
    bool used;
    bool starts;     /* the start of its task was not reported yet */
    bool quiet;      /* ptrace reports the task's end */
    bool left;       /* the current task has called exit or exit_group */
    bool executed;   /* the current task executed another program, under ptrace */
    bool dispatched; /* the next entry is from syscall user dispatch */
    bool gone;       /* at the last check its process had ended with an unknown status */
    pid_t tid, pid;  /* numbers of the current task */
    pid_t process;   /* the process that owns the ring */
    pid_t owner;     /* its task */
    pid_t parent;    /* the owner's maker; and the flags of its clone */
    uint32_t flags;
    uint64_t tail, seen, tsc, last_ns;
    size_t bases[SYSCALL_RING_SLOTS]; /* numbers of open calls of the makers of vfork children */
    uint32_t depth;
    struct open_call *open;
    size_t nopen, cap;
    struct syscall_pieces spare; /* pieces of the last call, reused for the next one */
};

/* The number of open calls up to the one whose entry has this index; 0: it is not open. Calls above
 * it were left by a jump, or their signal handlers still run. */
size_t open_calls_up_to(const struct ring_reader *in, uint64_t index);
/* Takes a record with memory of an open call. Returns how many records it uses; the program may
 * have damaged them. */
uint32_t open_call_bytes(struct rings *r, struct ring_reader *in, const struct ring_view *v,
                         const struct syscall_record *c);
/* The process whose end a waiting call reports, and its status as wait(2) gives it. 0: it reports
 * no end. */
pid_t open_call_waited(const struct open_call *o, int64_t result, int *status);
