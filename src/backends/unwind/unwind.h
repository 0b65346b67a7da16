/*
 * Finds the callers of a sample from its registers and the copy of its stack: by call frame
 * information, or by frame pointer if a function has none. Used by one thread.
 */
#pragma once

#include "backends/unwind/cfi.h"
#include "backends/unwind/maps.h"
#include "backends/unwind/names.h"
#include "backends/perf_common/perf_record.h"

/* What unwinding needs. One thread uses it. */
struct unwinding {
    struct cfi *cfi;
    struct frame_names *names;
    struct process_maps *maps;
    pid_t pid;
    uint64_t now_ns;
};

struct unwound {
    uint64_t address;
    bool exact; /* the exact position; else a return address */
};

/* The registers that it takes, as a mask of the kernel's numbers; 0: not on this machine. */
uint64_t unwind_regs_mask(void);
/* Writes the user frames, innermost first, to out. Returns how many, at most max; 0 without
 * registers of a 64-bit program. */
size_t unwind(const struct unwinding *u, const struct record_sample *s, struct unwound *out,
              size_t max);
/* The same from registers, which it changes. exact: the program is at the instruction of its
 * program counter; false: after it, as at a system call. */
size_t unwind_registers(const struct unwinding *u, struct cfi_state *s, bool exact,
                        struct unwound *out, size_t max);
