/* Sums of calls by their name, for -c, the screen and budgets. */
#ifndef ROOFTOP_ENGINE_SYSCALLS_SUMS_H
#define ROOFTOP_ENGINE_SYSCALLS_SUMS_H

#include <stddef.h>

#include "base/ids.h"
#include "engine/syscalls/event.h"
#include "engine/value/histogram.h"

/* Times are wall times of the calls in ns: from entry to return. */
struct syscall_sum {
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, unfinished;
    uint64_t total_ns, min_ns, max_ns;
    double squares; /* of the times, for the standard deviation */
    uint64_t bytes; /* moved by calls that read or write descriptors: the sum of their results */
    struct histogram times;
};

/* Zeroed: empty. */
struct syscall_sums {
    struct syscall_sum *list; /* in order of first appearance */
    size_t n, cap;
    uint64_t calls, errors, total_ns;
    struct ids index; /* place in list of an abi and number */
};

void syscall_sums_add(struct syscall_sums *s, const struct syscall_event *e);
/* The time in ns that a share q (0..1) of the calls does not exceed; 0 where none has a time. */
double syscall_sum_quantile(const struct syscall_sum *s, double q);
void syscall_sums_free(struct syscall_sums *s);

#endif
