/* How a sandbox makes its calls: what of it starts each call anew. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/judge/judge_impl.h"

/*
 * A turn takes one word from the parent, which says the slot of the next call, brings all that the
 * process can write back to what it was before the first call, and makes the call. Between turns
 * nothing is kept: what a turn needs are constants and its word. The words to come are in the
 * kernel, in a pipe that only one instruction of this program may read, and behind that
 * instruction everything is brought back before code of others runs.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define SANDBOX_TURNS_CLEAN 1
#else
#define SANDBOX_TURNS_CLEAN 0 /* calls follow each other in one loop */
#endif

/* Runs on the sandbox's own stack: begins once, then takes turns. Does not return. */
void sandbox_turns(void);
void sandbox_begin(void);
void sandbox_turn(const struct sandbox_word *w, long n);
/* Calls fn(ctx) on the stack of the calls. */
void sandbox_enter(void (*fn)(void *ctx), void *ctx);

/* Where stacks end: of the sandbox's own turns, of the calls. */
extern char *sandbox_own_top, *sandbox_call_top;
enum {
    SANDBOX_OWN_STACK = 8 << 10,
    SANDBOX_CALL_STACK = 8 << 20,
    SANDBOX_SCRUBBED = 8 << 10, /* of the calls' stack are cleared, what is below is thrown away */
};

/* What stands behind the only instructions that may make these calls. */
extern const char sandbox_read_at[], sandbox_protect_at[], sandbox_advise_at[],
    sandbox_advise_all_at[], sandbox_usage_at[], sandbox_number_at[];
struct iovec;
struct rusage;
long sandbox_protect(char *at, size_t n, int how);   /* mprotect */
long sandbox_advise(char *at, size_t n, int advice); /* madvise */
/* process_madvise: how many bytes, or -errno. */
long sandbox_advise_all(int process, const struct iovec *list, size_t n, int advice);
long sandbox_usage(struct rusage *out); /* getrusage of this thread */
/* A number that the kernel keeps, as where a file is read: lseek of SANDBOX_IMAGE. */
long sandbox_number(long n, int whence);

/* The memory of the process, as it is before the first call. */

/* Makes the stacks, and the file of what memory was. 0 or -errno. Before limits are set. */
int sandbox_clean_open(void);
/* Takes down what all writable memory is; from here on it is brought back by sandbox_clean. Unmaps
 * the clocks that the kernel shows in memory. 0 or -errno. */
int sandbox_clean_take(void);
/* The rest of it, which needs the sandbox's own stack: the program's data and first stack. */
int sandbox_clean_hold(void);
/*
 * Brings memory back, if the calls since the last time wrote any, or always. The first write
 * to a page makes a page fault, which the kernel counts. Returns whether there was one.
 */
bool sandbox_clean(bool always);
/* Whether an address is where the kernel's clocks were. */
bool sandbox_clean_is_clock(uint64_t address);

/* Registers that a call must leave as they are, or give back as they were. */
struct sandbox_registers {
    uint64_t rounding;  /* of vectors, and of denormal numbers */
    uint64_t x87, tags; /* its control word; which of its registers are in use */
    uint64_t fs, gs, selectors, keys;
};
void sandbox_registers_read(struct sandbox_registers *r);
/* Clears all that a call can find in registers; modes become the usual ones. */
void sandbox_registers_clear(const struct sandbox_registers *usual);
/* The first one that differs, in words; NULL: none. */
const char *sandbox_registers_changed(const struct sandbox_registers *was,
                                      const struct sandbox_registers *is);

/* A system call without errno, which the calls' memory holds. */
static inline long sandbox_system(long number, long a, long b, long c)
{
#if defined(__x86_64__)
    long rc;
    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return rc;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b,
                     x2 __asm__("x2") = c;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
    (void)number, (void)a, (void)b, (void)c;
    return -ENOSYS;
#endif
}
