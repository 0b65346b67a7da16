/*
 * Lists one sample's addresses, innermost first, from the kernel's call chain, whose markers
 * separate kernel and user, and from the unwinder.
 */
#pragma once

#include "backends/perf_common/perf_record.h"
#include "backends/unwind/names.h"
#include "backends/unwind/unwind.h"

struct stack_entry {
    uint64_t address;
    uint8_t space; /* enum names_space */
    bool caller;   /* a return address */
};

enum { STACK_MAX = 512 };

/* Lists the entries of r, a PERF_RECORD_SAMPLE, from its chain, or only its address if there is no
 * chain. Returns how many: 1 to STACK_MAX. */
size_t stack_from_chain(const struct record *r, struct stack_entry *out);
/* Replaces the user's entries of the n by those that the copy of the stack gives, if it gives any.
 * room: for STACK_MAX. Returns how many there are then. */
size_t stack_unwind(const struct unwinding *u, const struct record *r, struct stack_entry *entries,
                    size_t n, struct unwound *room);
