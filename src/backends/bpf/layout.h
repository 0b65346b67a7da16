/* What the kernel's programs and rooftop share: records, the state of a task, plans. */
#pragma once

#include <stdint.h>

enum record_kind {
    RECORD_ENTRY,  /* of a call, with the memory that it will read */
    RECORD_CALL,   /* that returned, whole */
    RECORD_START,  /* tid, pid: of the new task; number, abi: the maker's call, args: struct of
                      START_* */
    RECORD_EXEC,   /* args[0]: former tid; memory: the program's path, its arguments */
    RECORD_EXIT,   /* result: status; args[0]: peak of resident memory in pages. begin_ns etc. as of
                      the call that the task was in */
    RECORD_SIGNAL, /* delivered. result: number; args: the first 48 bytes of siginfo_t; number: 1
                      if the program has no handler */
    RECORD_SENT,   /* the same of a signal that is on its way */
    RECORD_SUBMITTED, /* to io_uring. args: OPERATION_* */
    RECORD_COMPLETED  /* the same, of any task */
};
/* WHAT: the opcode of a submission, the result of a completion. */
enum {
    OPERATION_RING,
    OPERATION_REQUEST,
    OPERATION_DATA,
    OPERATION_FLAGS,
    OPERATION_WHAT,
    OPERATION_FIELDS
};
enum { START_FLAGS, START_MAKER, START_MAKERS_ARG, START_NAME /* and the next */ };

struct record {
    uint32_t tid, pid;
    uint8_t kind, abi;
    uint8_t in_call; /* START, EXIT: enum task_phase. CALL: no RECORD_ENTRY came before it */
    uint8_t spare;
    uint32_t number;
    uint64_t begin_ns, end_ns;
    int64_t result;
    uint64_t args[6];
    uint64_t stack_pointer; /* at the entry; behind the arguments: ARG_STACK is its number */
    /* Pieces of memory follow, each a struct piece and its bytes, rounded up to 8. */
};
struct piece {
    uint64_t address;
    uint32_t size;
    uint32_t again; /* read at the return, but of the entry */
};

/* A value of the map of tasks; its key is the tid. */
enum task_phase { PHASE_NONE, PHASE_CALL, PHASE_UNWANTED };
struct task_state {
    uint64_t begin_ns;
    uint64_t args[6];
    uint64_t stack_pointer;
    uint32_t number;
    uint8_t abi, phase;
    uint8_t fresh; /* the next return has no entry */
    uint8_t again; /* memory of the entry could not be read */
    uint32_t pid;
    uint8_t alone;    /* no other task has its memory: nothing changes it while a call lasts */
    uint8_t late;     /* memory of the entry is read at the return */
    uint16_t scratch; /* which one it took last */
    uint64_t floor;   /* resident pages that were there before its program */
};

/* How to read the memory of one argument. */
enum op_kind {
    OP_BYTES,   /* max bytes */
    OP_STRING,  /* up to its NUL, max bytes */
    OP_LENGTH,  /* as many as args[other] * scale says */
    OP_RESULT,  /* as many as the result * scale says */
    OP_VECTOR,  /* an iovec of args[other] (or scale, if not 0) elements, and what they point to */
    OP_MESSAGE, /* a struct msghdr, and what it points to */
    OP_STRINGS  /* an array of addresses of strings, ended by NULL */
};
enum { ARG_STACK = 6 };
struct op {
    uint8_t kind, arg, other, scale;
    uint32_t max;
};
enum { PLAN_OPS = 6, PLAN_NUMBERS = 640, PLAN_ABIS = 3, PLANS = PLAN_NUMBERS * PLAN_ABIS };
struct plan {
    uint8_t wanted, nentry, nreturn;
    uint8_t by_command; /* memory matters only for these commands, a bit each; over 63: it may */
    /* A call that writes no memory which it read can tell all at its return, if its task is alone:
     * one record, not two. If it writes any, the arguments path and out must be far apart. */
    uint8_t late, path, out;
    uint8_t spare;
    uint64_t entry_commands, return_commands;       /* a command is the second argument */
    struct op entry[PLAN_OPS], at_return[PLAN_OPS]; /* those of the entry are the last ones */
};

/* DATA_MOST: when a record has as much, no piece is added. PIECE_MOST: of one; as much as an event
 * keeps of a string (TEXT_MOST), and a little that shows whether it ends there. */
enum {
    DATA_MOST = 64 * 1024,
    TEXT_MOST = 32 * 1024,
    PIECE_MOST = TEXT_MOST + 64,
    VECTOR_MOST = 32,
    STRINGS_MOST = 96
};
/* Where a record with memory is put together, one for each CPU. A task keeps the one that it took
 * until the record is sent: kernels run these programs with preemption, so it may go on on another
 * CPU. */
struct scratch {
    uint64_t used, vector; /* bytes of data; where in it an iovec is */
    uint64_t again, failed;
    uint64_t limit, address; /* of strings; of an array */
    uint32_t plan;           /* of the call: its place in the map of plans */
    uint32_t first, nops;    /* which of its operations are to be done */
    uint32_t owner;          /* tid; 0: free */
    struct record record;
    uint8_t data[DATA_MOST + PIECE_MOST + 64];
};

enum { LOST_CALLS, LOST_MEMORY, LOST_OTHERS, LOSTS };
