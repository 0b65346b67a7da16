/*
 * One sample as a list of places, innermost first: from the kernel's call chain, whose marks tell
 * kernel from user, and from the unwinder.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_STACK_H
#define ROOFTOP_BACKENDS_UNWIND_STACK_H

#include "backends/unwind/names.h"
#include "backends/unwind/record.h"

struct stack_entry {
    uint64_t address;
    uint8_t space; /* enum names_space */
    bool caller;   /* a return address */
};

enum { STACK_MAX = 512 };

/*
 * The entries of r, a PERF_RECORD_SAMPLE, from its chain; from its address alone without one.
 * Returns how many, at most STACK_MAX, at least 1.
 */
size_t stack_from_chain(const struct record *r, struct stack_entry *out);

#endif
