/*
 * How to step out of a function, from the call frame information of its file (.eh_frame, else
 * .debug_frame), read by libdw and kept as rules by address. One thread's.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_CFI_H
#define ROOFTOP_BACKENDS_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__aarch64__)
enum { CFI_REGS = 33, CFI_SP = 31, CFI_FP = 29, CFI_PC = 32, CFI_RETURN = 30 };
#else /* x86-64 psABI, figure 3.36 */
enum { CFI_REGS = 17, CFI_SP = 7, CFI_FP = 6, CFI_PC = 16, CFI_RETURN = 16 };
#endif

/* Registers by DWARF number, and the part of the stack that was copied. */
struct cfi_state {
    uint64_t reg[CFI_REGS];
    uint64_t known; /* bit a register */
    const uint8_t *stack;
    uint64_t stack_at; /* address of stack[0] */
    size_t stack_size;
};

/* 8 bytes of the stack; false outside of what was copied. */
bool cfi_read(const struct cfi_state *s, uint64_t address, uint64_t *out);

struct cfi; /* of all files */

struct cfi *cfi_new(void);
void cfi_free(struct cfi *c);
/* Forgets all files: their numbers start anew. */
void cfi_reset(struct cfi *c);

#define CFI_VDSO UINT32_MAX /* the file that is the kernel's vDSO */

enum cfi_result {
    CFI_STEPPED,   /* *s is the caller's */
    CFI_OUTERMOST, /* there is no caller */
    CFI_UNKNOWN,   /* nothing is known of this address; *s is as it was */
    CFI_FAILED,    /* the rules need what was not copied, or make no sense */
};
/*
 * Steps from the function that holds address (in the file, see symbols.h) to its caller. file: any
 * number that stands for path. *signal: the frame was a signal handler's, so the caller's address
 * is exact.
 */
enum cfi_result cfi_step(struct cfi *c, uint32_t file, const char *path, uint64_t address,
                         struct cfi_state *s, bool *signal);

#endif
