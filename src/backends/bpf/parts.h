/* What the files that write the kernel's programs share. */
#ifndef ROOFTOP_BACKENDS_BPF_PARTS_H
#define ROOFTOP_BACKENDS_BPF_PARTS_H

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
    STACK_CONTEXT = STACK_SMALL - 24,  /* of a callback */
    STACK_STATE = STACK_CONTEXT - 104, /* a struct task_state */
};
_Static_assert(sizeof(struct task_state) <= 96, "the stack has room for it");
_Static_assert(sizeof(struct record) == 96 && sizeof(struct piece) == 16, "no holes");

void put_look_up(struct code *c, int map, int none);
void put_find_task(struct code *c, const struct programs_setup *s, int none);
void put_count_lost(struct code *c, const struct programs_setup *s, int which);
void put_read_kernel(struct code *c, int to, int size, int address, int offset);
void put_reserve(struct code *c, const struct programs_setup *s, int which, int out);
void put_submit(struct code *c);
void put_head(struct code *c, int base, int offset, int kind);
void put_copy_call(struct code *c, int base, int offset);
void put_no_end(struct code *c, int base, int offset);
void put_find_plan(struct code *c, const struct programs_setup *s, int none);
void put_open_scratch(struct code *c, const struct programs_setup *s, int kind, int none);
void put_run_ops(struct code *c, int count, int offset, int callback);
void put_output(struct code *c, const struct programs_setup *s, int which);
void put_end_program(struct code *c, int out);

struct functions {
    int append, append_string, op, vector, strings;
};
void function_append(struct code *c);
void function_append_string(struct code *c, int reader);
void function_names(struct code *c, struct functions *f);
void functions_put(struct code *c, const struct functions *f);

void program_enter(struct code *c, const struct programs_setup *s);
void program_exit(struct code *c, const struct programs_setup *s);
void program_newtask(struct code *c, const struct programs_setup *s);
void program_task_exit(struct code *c, const struct programs_setup *s);
void program_exec(struct code *c, const struct programs_setup *s);
void program_signal(struct code *c, const struct programs_setup *s);
void program_sent(struct code *c, const struct programs_setup *s);

#endif
