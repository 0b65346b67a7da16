/* A seccomp filter that stops a program only at chosen calls; all others run at full speed. */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>

#include "engine/syscalls/calls.h"

/* Makes a program that returns RET_TRACE for wanted calls, else RET_ALLOW. It searches by
 * bisection, and the kernel remembers the numbers that it allows. also: calls that place.h and
 * call_stacks.h must see. false: the program would be too long. Free filter->filter. */
struct filter_also {
    bool affinity, mappings;
};
bool filter_make(const struct syscall_filter *calls, struct filter_also also,
                 struct sock_fprog *filter);
