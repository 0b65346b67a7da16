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
    STACK_REGS = STACK_KEY - 88,          /* registers of the program */
    STACK_SMALL = STACK_REGS - 16,        /* -112: bp and bx; the kernel's values */
    STACK_CONTEXT = STACK_SMALL - 24,     /* -136: of a callback */
    STACK_STATE = STACK_CONTEXT - 88 - 8, /* a struct task_state */
};
_Static_assert(sizeof(struct task_state) <= 88, "the stack has room for it");
_Static_assert(sizeof(struct record) == 88 && sizeof(struct piece) == 16, "no holes");

void look_up(struct code *c, int map, int none);
void find_task(struct code *c, const struct programs_setup *s, int none);
void count_lost(struct code *c, const struct programs_setup *s, int which);
void read_kernel(struct code *c, int to, int size, int address, int offset);
void reserve(struct code *c, const struct programs_setup *s, int which, int out);
void submit(struct code *c);
void head(struct code *c, int base, int offset, int kind);
void copy_call(struct code *c, int base, int offset);
void no_end(struct code *c, int base, int offset);
void find_plan(struct code *c, const struct programs_setup *s, int none);
void open_scratch(struct code *c, const struct programs_setup *s, int kind, int none);
void run_ops(struct code *c, int count, int offset, int callback);
void output(struct code *c, const struct programs_setup *s, int which);
void end_program(struct code *c, int out);

struct functions {
    int append, append_string, op, vector, strings;
};
void write_append(struct code *c);
void write_append_string(struct code *c, int reader);
void name_functions(struct code *c, struct functions *f);
void write_functions(struct code *c, const struct functions *f);

void write_enter(struct code *c, const struct programs_setup *s);
void write_exit(struct code *c, const struct programs_setup *s);
void write_newtask(struct code *c, const struct programs_setup *s);
void write_task_exit(struct code *c, const struct programs_setup *s);
void write_exec(struct code *c, const struct programs_setup *s);
void write_signal(struct code *c, const struct programs_setup *s);

#endif
