/* A seccomp filter that stops a program at chosen calls only; all others run at full speed. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>

#include "engine/syscalls/calls.h"

/*
 * Fills a program that returns RET_TRACE for the calls that are wanted, else RET_ALLOW. It searches
 * the numbers by halves, and the kernel asks it only once for a number that it allows. also:
 * those that place.h and call_stacks.h have to see. False: the expression needs more than a program
 * may have. Free filter->filter.
 */
struct filter_also {
    bool affinity, mappings;
};
bool filter_make(const struct syscall_filter *calls, struct filter_also also,
                 struct sock_fprog *filter);
