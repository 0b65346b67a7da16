/* Time in system calls by the functions that made them, from the calls' stacks. */
#pragma once

#include "base/hash_table.h"
#include "engine/syscalls/event.h"
#include "engine/syscalls/stacks.h"

struct syscall_function {
    const char *name, *module;  /* as in struct syscall_frame; "" = unknown function */
    uint64_t calls, total_ns;   /* made by it or by functions that it called */
    uint64_t own_calls, own_ns; /* made by it (syscall_stack_origin) */
    uint64_t own_io, own_slow;  /* of those: input and output; of these, longer than slow_ns */
    uint64_t last;              /* number of the last call that counted here */
};

/* Calls of the same name with the same stack. */
struct syscall_path {
    const struct syscall_stack *stack; /* NULL: none */
    uint8_t abi;
    uint32_t number;
    uint64_t calls, total_ns;
};

struct syscall_functions { /* zeroed, except slow_ns: empty */
    uint64_t slow_ns;
    struct syscall_function *list;
    struct syscall_path *paths;
    size_t n, cap, npaths, paths_cap;
    uint64_t calls, total_ns, io, slow;
    struct hash_table by_name, by_stack;
};

/* Adds a call that returned. Its stack must live as long as f. */
void syscall_functions_add(struct syscall_functions *f, const struct syscall_event *e);
/* Puts functions and paths in order, most time first; nothing may be added afterwards. */
void syscall_functions_sort(struct syscall_functions *f);
void syscall_functions_free(struct syscall_functions *f);
