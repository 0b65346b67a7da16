/*
 * The recorder: a library inside a traced program that writes each of its system calls into a ring
 * (format/syscall_ring.h). It has no C library, allocates nothing, uses no vector register, because
 * these belong to the program, and makes its own calls only in hook.S.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/syscall_ring.h"

/* --- hook.S --- */
extern char recorder_text_from[], recorder_text_to[], recorder_hook[], recorder_dispatched[],
    recorder_pass[], recorder_restorer[];
/* Makes a system call of the recorder itself, which is not recorded. Returns the kernel's result;
 * errors are -1 to -4095. */
long recorder_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
                   uint64_t f);
/* The same by `int $0x80`, with i386's numbers. */
uint64_t recorder_call_i386(uint64_t number, uint64_t b, uint64_t c, uint64_t d, uint64_t si,
                            uint64_t di);
#define CALL6(n, a, b, c, d, e, f)                                                                 \
    recorder_call(n, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d), (uint64_t)(e),    \
                  (uint64_t)(f))
#define CALL4(n, a, b, c, d) CALL6(n, a, b, c, d, 0, 0)
#define CALL3(n, a, b, c)    CALL6(n, a, b, c, 0, 0, 0)
#define CALL2(n, a, b)       CALL6(n, a, b, 0, 0, 0, 0)
#define CALL1(n, a)          CALL6(n, a, 0, 0, 0, 0, 0)
#define CALL0(n)             CALL6(n, 0, 0, 0, 0, 0, 0)

/* Whether a call's result is an error: -1 to -4095. */
static inline bool call_failed(long result)
{
    return (unsigned long)result > (unsigned long)-4096;
}

/* The program's registers at a call that needs care, as hook.S saves them. */
struct frame {
    uint64_t rax, next, rdx, rsi, rdi, r8, r9, r10, rbx;
    uint64_t call[6]; /* arguments that the kernel gets */
    uint64_t entry;   /* index of the entry record */
    uint64_t mask;    /* a set of signals for the kernel, or those blocked before the call */
    struct syscall_slot *slot;
    uint64_t copy[2]; /* copies of small structures for the kernel */
    uint64_t origin;  /* address after the original `syscall`, for unwinders */
    uint64_t number;  /* number of the call, because rax becomes its result */
    uint64_t began;   /* tsc when the kernel gets the call, after all copies; 0: at the entry */
    uint64_t ended;   /* tsc when it returned */
};
_Static_assert(sizeof(struct frame) == 192, "hook.S: F_SIZE is this and the red zone");
_Static_assert(offsetof(struct frame, slot) == 136, "hook.S: F_SLOT");
_Static_assert(offsetof(struct frame, origin) == 160, "hook.S: F_ORIGIN");

/* The next step of hook.S after recorder_before. */
enum step { STEP_DONE, STEP_MAKE, STEP_FORK, STEP_VFORK, STEP_RETURN_FROM_SIGNAL, STEP_PASS };

/* hook.S calls these for calls that need care: before the kernel gets the call (returns an enum
 * step), and after it has returned. */
int recorder_before(struct frame *f);
void recorder_after(struct frame *f);
void recorder_forked(struct frame *f); /* in the maker, if the new task has its own stack */
void recorder_began(struct frame *f);  /* in the new task; after vfork in both */
void recorder_pressed(uint64_t index); /* waits until there is room for this record */

/* --- state of the process --- */
extern uint8_t recorder_careful[512]; /* numbers of calls that need recorder_before */
extern uint8_t recorder_aside;        /* all calls pass */
extern struct syscall_control *recorder_control;
/* Hands this process over to ptrace, because of a call with this number and first argument. false:
 * that is impossible. */
bool recorder_step_aside(uint64_t number, uint64_t argument);

/* --- ring.c --- */
struct syscall_ring *ring_here(void);
/* Prepares a ring for a new task. NULL: there is no memory, even for a ring that rooftop does not
 * read. */
struct syscall_ring *ring_take(int32_t parent, uint32_t flags);
void ring_claim(struct syscall_ring *r); /* the current task will write into it */
void ring_enter(struct syscall_ring *r); /* it now writes into it */
void ring_use(struct syscall_ring *r);   /* both */
void ring_end(struct syscall_ring *r);   /* the task ends */
void ring_drop(
    struct syscall_ring *r); /* frees a ring that was taken for a task that did not begin */
uint64_t ring_now(void);     /* tsc */
/* Writes a record; data: six words. Returns its index. */
uint64_t ring_put(struct syscall_ring *r, uint64_t now, uint32_t number,
                  enum syscall_record_kind kind, const uint64_t *data);
/* Write the records of a call's entry and of its return. ring_entry returns the index of the entry,
 * which ring_exit needs. */
uint64_t ring_entry(struct syscall_ring *r, const struct frame *f);
void ring_exit(struct syscall_ring *r, uint32_t number, uint64_t result, uint64_t entry);
/* The same for a call whose memory was copied: f->began and f->ended are its times. */
void ring_exit_of(struct syscall_ring *r, const struct frame *f, uint32_t number, uint64_t result);
/* A piece of the program's memory. flags: enum syscall_bytes. SYSCALL_BYTES_WHOLE is set for a part
 * of a text with its NUL. Returns the number of readable bytes. */
struct ring_piece {
    uint64_t entry, now, address;
    uint32_t size, flags;
};
uint32_t ring_bytes(struct syscall_ring *r, struct ring_piece *piece);
/* Writes the task that owns the ring into it. parent: tid of the maker; flags: those of clone. */
void ring_task(struct syscall_ring *r, uint32_t tid, uint32_t pid, uint32_t parent, uint64_t flags);
/* Sends rooftop the question in r->ask and waits. Returns the answer; 0 if rooftop has ended. */
uint32_t ring_ask(struct syscall_ring *r, enum syscall_want want);
/* Replaces shared memory by copies at the same addresses, so that the process cannot reach other
 * processes' data. Call it only after it has stepped aside. */
void ring_part(void);

/* --- tasks.c --- */
int task_before_clone(struct frame *f);
uint64_t task_flags(const struct frame *f); /* clone flags of a call that makes a task */
void task_exit(struct frame *f);

/* --- masks.c: SIGSYS stays open for user dispatch, and the program does not notice --- */
bool masks_arm(void); /* user dispatch for this task; false: this kernel has none */
void masks_disarm(void);
void masks_start(struct syscall_ring *r); /* after masks_arm */
void masks_before_exec(void);             /* gives the next program this one's mask and action */
void masks_after_exec(void);              /* after a failed execve */
/* Saves the maker's settings, because a vfork child uses its ring and memory. */
void masks_lend(const struct syscall_ring *r, struct syscall_slot *s);
void masks_take_back(struct syscall_ring *r, const struct syscall_slot *s);
void mask_before(struct frame *f);
void mask_sigreturn(const struct frame *f); /* also records the call, whose return is never seen */
void mask_after(struct frame *f, uint32_t number);
long mask_action(const struct frame *f); /* rt_sigaction */

/* --- programs.c --- */
int program_before_exec(struct frame *f);

/* Removes the texts that brought the recorder here from the program's environment. Returns the
 * identifier of the trace; NULL: there were no such texts. */
const char *program_clean(char **environment);

/* --- before.c --- */
void before_start(void);

/* --- copies.c: the memory that arguments point to --- */
void copies_start(void); /* marks calls with such arguments */
bool copies_wanted(uint32_t number);
void copies_entry(struct frame *f);  /* after the entry's record, before the call */
void copies_return(struct frame *f); /* after f->number returned f->rax */

/* --- plain.c: memory that can be read without the kernel --- */
void plain_start(struct syscall_ring *r, uint64_t stack_end);
void plain_new_task(const struct syscall_ring *maker, struct syscall_ring *task, uint64_t flags,
                    uint64_t stack, uint64_t size); /* stack: its end; 0: the maker's stack */
void plain_before(const struct frame *f);           /* calls that map and unmap memory */
void plain_after(const struct frame *f);
bool plain_memory(uint64_t from, size_t n); /* whether these bytes can be read directly */

/* --- patch.c --- */
extern const struct syscall_site *patch_sites; /* the segment of sites */
void patch_part(const struct syscall_part *p);

/* --- text.c: copies of memory whose address may be wrong --- */
struct span {
    uint64_t base, n;
};
bool copy_in(void *to, uint64_t from, size_t n); /* false: not all of it can be read */
/* Fills the spans. Returns the bytes copied. */
size_t copy_in_spans(const struct span *to, unsigned spans, uint64_t from, size_t n);
bool copy_out(uint64_t to, const void *from, size_t n); /* false: not all of it can be written */
void *memcpy(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
