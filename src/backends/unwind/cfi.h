/*
 * Finds the caller of a function through the call frame information of its file (.eh_frame, else
 * .debug_frame). libdw reads it; rules are kept by address. Used by one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__aarch64__)
enum { CFI_REGS = 33, CFI_SP = 31, CFI_FP = 29, CFI_PC = 32, CFI_RETURN = 30 };
#else /* x86-64 psABI, figure 3.36 */
enum { CFI_REGS = 17, CFI_SP = 7, CFI_FP = 6, CFI_PC = 16, CFI_RETURN = 16 };
#endif

/* Registers by DWARF number, and the copied part of the stack. */
struct cfi_state {
    uint64_t reg[CFI_REGS];
    uint64_t known; /* one bit for each register */
    const uint8_t *stack;
    uint64_t stack_at; /* address of stack[0] */
    size_t stack_size;
    /* Reads 8 bytes that are not in the copied part; NULL: cannot. */
    bool (*more)(void *ctx, uint64_t address, uint64_t *out);
    void *ctx;
};

/* Reads 8 bytes of the stack; false if they are unknown. */
bool cfi_read(const struct cfi_state *s, uint64_t address, uint64_t *out);

struct cfi; /* the information of all files */

struct cfi *cfi_new(void);
void cfi_free(struct cfi *c);
/* Drops all files; their numbers may be used for others. */
void cfi_reset(struct cfi *c);
/* Bytes that it keeps, roughly. Beyond CFI_BYTES_MAX it drops all files before it opens another. */
enum { CFI_BYTES_MAX = 40 << 20 };
size_t cfi_memory(const struct cfi *c);

#define CFI_VDSO UINT32_MAX /* the file number of the kernel's vDSO */

enum cfi_result {
    CFI_STEPPED,   /* *s is now the caller's */
    CFI_OUTERMOST, /* there is no caller */
    CFI_UNKNOWN,   /* there is no information for this address; *s is unchanged */
    CFI_FAILED,    /* the rules need memory that was not copied, or are invalid */
};
/* Steps from the function at address (as in the file, see symbols.h) to its caller. file: any
 * number that identifies path. *signal: the frame was a signal handler's, so that the caller's
 * address is exact and not a return address. */
enum cfi_result cfi_step(struct cfi *c, uint32_t file, const char *path, uint64_t address,
                         struct cfi_state *s, bool *signal);
