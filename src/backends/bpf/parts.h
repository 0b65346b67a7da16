/*
 * What the files that write the kernel's programs share. Each put_… appends instructions to c. The
 * programs use registers alike: R7 is the pid and tid of the current task, R8 its struct
 * task_state, R9 the record or scratch that is being filled. R0 to R5 change with each call of a
 * helper. A label such as `none` or `out` is where the program goes on if the step fails.
 */
#pragma once

#include "backends/bpf/layout.h"
#include "backends/bpf/programs.h"

/* Registers that keep their values across calls: R6 to R9. Below FP is the stack. */
#define TASK(member)    ((int)offsetof(struct task_state, member))
#define RECORD(member)  ((int)offsetof(struct record, member))
#define SCRATCH(member) ((int)offsetof(struct scratch, member))
#define IN_SCRATCH(m)   (SCRATCH(record) + RECORD(m))
#define ARG(i)          (8 * (i))

/* The stack of the programs. */
enum {
    STACK_KEY = -8,
    STACK_REGS = STACK_KEY - 104,      /* registers of the program */
    STACK_SMALL = STACK_REGS - 16,     /* bp and bx; the kernel's values */
    STACK_CONTEXT = STACK_SMALL - 32,  /* of a callback */
    STACK_PLAN = STACK_CONTEXT + 16,   /* which, and how many operations */
    STACK_OPS = STACK_CONTEXT + 24,    /* of the return or all; of the entry */
    STACK_STATE = STACK_CONTEXT - 104, /* a struct task_state */
};
_Static_assert(sizeof(struct task_state) <= 96, "the stack has room for it");
_Static_assert(sizeof(struct record) == 96 && sizeof(struct piece) == 16, "no holes");

/* R0 = the value in the map for the 32-bit key at STACK_KEY. */
void put_look_up(struct code *c, int map, int none);
/* Fills R7 and R8; goes to `none` if the current task is not traced. */
void put_find_task(struct code *c, const struct programs_setup *s, int none);
/* Adds 1 to the counter `which` of the map of losses. */
void put_count_lost(struct code *c, const struct programs_setup *s, int which);
/* Copies size bytes of the kernel's memory, at register `address` + offset, to FP + to. */
void put_read_kernel(struct code *c, int to, int size, int address, int offset);
/* R9 = room for a record in the ring. Without room, counts a loss in `which` and goes to `out`. */
void put_reserve(struct code *c, const struct programs_setup *s, int which, int out);
/* Gives the record in R9, from put_reserve, to the reader. */
void put_submit(struct code *c);
/* Writes tid, pid and kind of the record that lies at register base + offset. */
void put_head(struct code *c, int base, int offset, int kind);
/* Writes the call that R8 keeps into that record. */
void put_copy_call(struct code *c, int base, int offset);
/* Writes 0 as its end and its result. */
void put_no_end(struct code *c, int base, int offset);
/* R0 = the plan (layout.h) for the call that R8 keeps. */
void put_find_plan(struct code *c, const struct programs_setup *s, int none);
/* R9 = the scratch that the task of R7 and R8 took, as it is. */
void put_find_scratch(struct code *c, const struct programs_setup *s, int none);
/* Does the operations that the scratch R9 asks for, of the plan R0, each by the function
 * `callback`.
 */
void put_run_ops(struct code *c, int callback);
/* R9 = the scratch of this CPU, emptied and taken by the task of R7 and R8, with the head of a
 * record of that kind. */
void put_open_scratch(struct code *c, const struct programs_setup *s, int kind, int none);
/* Goes to `without` if the plan in R0 says that this command of the call has no memory. mask: the
 * offset of the commands in struct plan. */
void put_choose_command(struct code *c, int mask, int without);
/* Does R1 operations of the plan at STACK_PLAN, from number R2 on, with the record in the scratch
 * R9, and sends it: goes on in program_memory. Where that is not there, the record goes without
 * memory.
 */
void put_send_with_memory(struct code *c, const struct programs_setup *s, int which);
/* Sends the record in the scratch R9, or counts a loss in `which`. */
void put_output(struct code *c, const struct programs_setup *s, int which);
/* Places `out` and leaves the program with 0. */
void put_end_program(struct code *c, int out);

/* --- memory_parts.c: functions that read memory of the traced program into the scratch --- */

/* Their labels. */
struct functions {
    int append, append_string, op, vector, strings;
};
/* Each writes one function; its file says what its registers are. */
void function_append(struct code *c);
void function_append_string(struct code *c, int reader);
void function_names(struct code *c, struct functions *f);
void functions_put(struct code *c, const struct functions *f);

/* --- the programs: see `programs` in programs.h --- */
void program_enter(struct code *c, const struct programs_setup *s);
void program_exit(struct code *c, const struct programs_setup *s);
void program_memory(struct code *c, const struct programs_setup *s);
void program_newtask(struct code *c, const struct programs_setup *s);
void program_task_exit(struct code *c, const struct programs_setup *s);
void program_before_exec(struct code *c, const struct programs_setup *s);
void program_exec(struct code *c, const struct programs_setup *s);
void program_signal(struct code *c, const struct programs_setup *s);
void program_sent(struct code *c, const struct programs_setup *s);
