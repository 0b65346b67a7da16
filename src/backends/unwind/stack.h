/*
 * Lists one sample's addresses, innermost first, from the kernel's call chain, whose markers
 * separate kernel and user, and from the unwinder.
 */
#pragma once

#include "backends/unwind/names.h"
#include "backends/perf_common/perf_record.h"

struct stack_entry {
    uint64_t address;
    uint8_t space; /* enum names_space */
    bool caller;   /* a return address */
};

enum { STACK_MAX = 512 };

/* Lists the entries of r, a PERF_RECORD_SAMPLE, from its chain, or only its address if there is no
 * chain. Returns how many: 1 to STACK_MAX. */
size_t stack_from_chain(const struct record *r, struct stack_entry *out);
