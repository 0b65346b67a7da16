/* Sums of calls by their name, for -c, the screen and budgets. */
#pragma once

#include <stddef.h>

#include "base/ids.h"
#include "engine/syscalls/event.h"
#include "engine/value/histogram.h"

/* Times are wall times in ns: of calls from entry to return, of operations of io_uring from
 * submission to completion. */
struct syscall_sum {
    uint8_t abi;
    uint32_t number;
    uint64_t calls, errors, unfinished;
    uint64_t total_ns, min_ns, max_ns;
    double squares; /* sum of the squared times, for the standard deviation */
    uint64_t bytes; /* moved by calls that read or write descriptors: the sum of their results */
    /* of these, the calls that waited for the other end of a pipe, a socket, a terminal */
    uint64_t waits, wait_errors, wait_ns;
    struct histogram times;
};

/* Limit of sums for numbers without a name. Further ones share one sum, whose abi is SYSCALL_ABIS.
 * Each call with a name has its own. */
enum { SYSCALL_SUMS_UNKNOWN = 64 };

/* Zeroed: empty. */
struct syscall_sums {
    struct syscall_sum *list; /* in order of first appearance */
    size_t n, cap;
    uint32_t unknown; /* how many of them are for numbers without a name */
    uint64_t calls, errors;
    uint64_t total_ns; /* time of threads in calls; without operations of io_uring */
    struct ids index;  /* index into list by abi and number */
};

/* Counts a call; other events are ignored. */
void syscall_sums_add(struct syscall_sums *s, const struct syscall_event *e);
/* Notes that a call, which was added, waited (descriptors_waited). */
void syscall_sums_add_wait(struct syscall_sums *s, const struct syscall_event *e);
/* The share (0..1) of all time in calls that this call has; 0 for operations of io_uring. */
double syscall_sums_share(const struct syscall_sums *s, const struct syscall_sum *sum);
/* The time in ns that a share q (0..1) of the calls does not exceed; 0 if no call has a time. */
double syscall_sum_quantile(const struct syscall_sum *s, double q);
void syscall_sums_free(struct syscall_sums *s);
