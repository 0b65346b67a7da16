/* The system call in which a thread waits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct waiting_call {
    int64_t number; /* in the ABI of its process */
    uint64_t args[6], stack_pointer;
};

/* false: the thread runs, waits in no call, has ended, or the user lacks the rights of ptrace.
 * Source: proc_pid_syscall(5). */
bool waiting_call_read(pid_t pid, pid_t tid, struct waiting_call *out);
