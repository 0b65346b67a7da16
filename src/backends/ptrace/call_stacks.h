/*
 * The user stacks of calls, taken while their task is stopped at the entry. Mappings are read again
 * after calls that change them, so those calls of a process must be told.
 */
#pragma once

#include "backends/ptrace/tracees.h"
#include "engine/syscalls/stacks.h"

struct call_stacks;

/* kept: borrowed; keeps the stacks. depth: frames of a stack, 1 to SYSCALL_FRAMES_MAX. */
struct call_stacks *call_stacks_new(struct syscall_stacks *kept, size_t depth);
void call_stacks_free(struct call_stacks *c);

/*
 * The stack of a stopped task; it lives as long as `kept`. exact: it stands at its next
 * instruction, as when it gets a signal; else behind the one that made its call, at the entry.
 * NULL: its registers are not those of a 64-bit program, or there is no room for another stack.
 */
const struct syscall_stack *call_stacks_take(struct call_stacks *c, const struct tracee *task,
                                             bool exact, uint64_t now_ns);
/* Whether calls of this number may change what is mapped where: each must be told to `follow`. */
bool call_stacks_must_see(unsigned abi, uint32_t number);
/* A call returned: it may have changed what is mapped where. */
void call_stacks_follow(struct call_stacks *c, const struct tracee *task);
/* The process runs another program, or is gone. */
void call_stacks_forget(struct call_stacks *c, pid_t pid);
/* The process was made as a copy of another. */
void call_stacks_fork(struct call_stacks *c, pid_t pid, pid_t parent);

/* Calls of 32-bit programs: they have no stack. */
uint64_t call_stacks_foreign(const struct call_stacks *c);
