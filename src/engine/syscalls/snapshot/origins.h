/*
 * Where calls came from: sums for each call and stack, in bounded memory, and rows for each call
 * and function that made it.
 */
#pragma once

#include "base/hash_table.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"

/* Limit of sums. Calls with further stacks count as calls without a stack. */
enum { STACK_SUMS_MOST = 1 << 16 };

struct stack_sums { /* zeroed: empty */
    struct syscalls_stack_sum *list;
    size_t n, cap;
    struct hash_table index;
};

/* Adds a call that returned. stack lives as long as the sums and all snapshots made of them. */
void stack_sums_add(struct stack_sums *s, const struct syscall_event *e,
                    const struct syscall_stack *stack);
/* Fills stack_sums and origins of a snapshot, whose has_times and total_ns are set. */
void stack_sums_fill(const struct stack_sums *s, struct syscalls_snapshot *p);
void stack_sums_free(struct stack_sums *s);
