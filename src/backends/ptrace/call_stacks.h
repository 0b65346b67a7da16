/*
 * The user stacks of calls, taken while their task is stopped at the entry. Mappings are read again
 * after a call that changes them, so all such calls must be passed to call_stacks_follow.
 */
#pragma once

#include "backends/ptrace/tracees.h"
#include "engine/syscalls/stacks.h"

struct call_stacks;

/* kept: borrowed; keeps the stacks. depth: frames of a stack, 1 to SYSCALL_FRAMES_MAX. */
struct call_stacks *call_stacks_new(struct syscall_stacks *kept, size_t depth);
void call_stacks_free(struct call_stacks *c);

/* Returns the stack of a stopped task, which lives as long as `kept`. exact: the task is at its
 * next instruction, as when it gets a signal; false: at the entry, after the instruction that made
 * the call. NULL: the program is not a 64-bit one, or there is no room for another stack. */
const struct syscall_stack *call_stacks_take(struct call_stacks *c, const struct tracee *task,
                                             bool exact, uint64_t now_ns);
/* Whether calls of this number may change mappings, so that call_stacks_follow must see each. */
bool call_stacks_must_see(unsigned abi, uint32_t number);
/* A call returned, which may have changed mappings. */
void call_stacks_follow(struct call_stacks *c, const struct tracee *task);
/* The process executed another program or has ended. */
void call_stacks_forget(struct call_stacks *c, pid_t pid);
/* The process was made as a copy of another. */
void call_stacks_fork(struct call_stacks *c, pid_t pid, pid_t parent);

/* The number of calls of 32-bit programs, which have no stack. */
uint64_t call_stacks_foreign(const struct call_stacks *c);
