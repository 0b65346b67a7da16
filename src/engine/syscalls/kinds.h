/* The kind of an argument or a result, which decides what a canonical trace keeps of it. */
#pragma once

#include "engine/syscalls/event.h"

enum syscall_kind_of_value {
    SYSCALL_VALUE_PLAIN,   /* a number, flags, a text: the same in each run */
    SYSCALL_VALUE_FD,      /* a descriptor */
    SYSCALL_VALUE_PID,     /* number of a process, a thread or a process group */
    SYSCALL_VALUE_ADDRESS, /* an address in memory */
    SYSCALL_VALUE_VARIES   /* differs between runs: times, sizes, addresses in a structure */
};

enum syscall_kind_of_value syscall_arg_kind(unsigned abi, uint32_t number, unsigned arg);
enum syscall_kind_of_value syscall_result_kind(unsigned abi, uint32_t number);
