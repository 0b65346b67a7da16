/* The rows of calls.def, for the files of this room. */
#pragma once

#include <stddef.h>

#include "engine/syscalls/calls.h"

enum syscall_type {
#define TYPE(name, when, size, writer) SYSCALL_TYPE_##name,
#define FLAGS(name)                    SYSCALL_TYPE_##name,
#define FLAGS64(name)                  SYSCALL_TYPE_##name,
#define ENUM(name)                     SYSCALL_TYPE_##name,
#include "engine/syscalls/types.def"
#undef TYPE
#undef FLAGS
#undef FLAGS64
#undef ENUM
    SYSCALL_TYPES
};

/* How a result is written when the call succeeded. */
enum syscall_result {
    SYSCALL_RESULT_dec,
    SYSCALL_RESULT_none, /* the call never returns */
    SYSCALL_RESULT_fd,
    SYSCALL_RESULT_hex,          /* an address */
    SYSCALL_RESULT_mode,         /* umask: octal */
    SYSCALL_RESULT_poll,         /* 0 is a timeout; else what became ready */
    SYSCALL_RESULT_select,       /* the same, and the time that was left */
    SYSCALL_RESULT_ioctl,        /* depends on the request */
    SYSCALL_RESULT_fcntl,        /* depends on the command */
    SYSCALL_RESULT_futex,        /* depends on the operation */
    SYSCALL_RESULT_prctl,        /* depends on the operation */
    SYSCALL_RESULT_ptrace,       /* depends on the operation */
    SYSCALL_RESULT_bpf,          /* depends on the command */
    SYSCALL_RESULT_sigwait,      /* a signal */
    SYSCALL_RESULT_times,        /* clock ticks, which wrap around */
    SYSCALL_RESULT_timex,        /* state of the clock */
    SYSCALL_RESULT_key,          /* serial number of a key */
    SYSCALL_RESULT_personality,  /* flags */
    SYSCALL_RESULT_sched_policy, /* SCHED_... */
};

/* The names are arrays in the rows. With pointers the loader would write to the table at each
 * start, and its 64 KB would be resident even if nothing is traced. */
struct syscall_arg {
    char name[16]; /* "": no such argument */
    uint16_t type; /* enum syscall_type */
    int8_t other;  /* the argument that this one depends on, or -1 */
};

struct syscall_call {
    char name[32];
    int16_t numbers[SYSCALL_ABIS]; /* by enum syscall_abi; -1: the ABI has no such call */
    uint16_t classes;              /* without the classes that follow from the arguments */
    uint8_t result;                /* enum syscall_result */
    uint8_t nargs;
    struct syscall_arg args[6];
};

/* The row of a call, or NULL. */
const struct syscall_call *syscall_find(unsigned abi, uint32_t number);
/* Row i of the table, in the table's order, or NULL after the last one. */
const struct syscall_call *syscall_row(size_t i);
/* All classes of the row, with those that follow from its arguments. */
unsigned syscall_row_classes(const struct syscall_call *row);
