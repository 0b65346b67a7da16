/* What the programs begin and end with, and how they use maps. */
#include "backends/bpf/parts.h"

/* R0: the value of the map for the 32-bit key on the stack; goes to `none` without one. */
void look_up(struct code *c, int map, int none)
{
    load_map(c, R1, map);
    mov(c, R2, FP);
    alu_number(c, BPF_ADD, R2, STACK_KEY);
    helper(c, BPF_FUNC_map_lookup_elem);
    jump_if_number(c, BPF_JEQ, R0, 0, none);
}

/* R7: pid and tid of the current task; R8: its state. */
void find_task(struct code *c, const struct programs_setup *s, int none)
{
    helper(c, BPF_FUNC_get_current_pid_tgid);
    mov(c, R7, R0);
    store(c, BPF_W, FP, STACK_KEY, R7);
    look_up(c, s->tasks, none);
    mov(c, R8, R0);
}

/* One more in the counter; goes on. */
void count_lost(struct code *c, const struct programs_setup *s, int which)
{
    const int none = code_label(c);
    store_number(c, BPF_W, FP, STACK_KEY, which);
    look_up(c, s->lost, none);
    load(c, BPF_DW, R1, R0, 0);
    alu_number(c, BPF_ADD, R1, 1);
    store(c, BPF_DW, R0, 0, R1);
    code_place(c, none);
}

/* Copies from the kernel's memory at address (a register) + offset to the stack. */
void read_kernel(struct code *c, int to, int size, int address, int offset)
{
    mov(c, R3, address);
    if (offset)
        alu_number(c, BPF_ADD, R3, offset);
    mov(c, R1, FP);
    alu_number(c, BPF_ADD, R1, to);
    mov_number(c, R2, size);
    helper(c, BPF_FUNC_probe_read_kernel);
}

/* R0: a record in the ring, R9 keeps it; where there is no room, counts it and goes to `out`. */
void reserve(struct code *c, const struct programs_setup *s, int which, int out)
{
    const int there = code_label(c);
    load_map(c, R1, s->ring);
    mov_number(c, R2, sizeof(struct record));
    mov_number(c, R3, 0);
    helper(c, BPF_FUNC_ringbuf_reserve);
    jump_if_number(c, BPF_JNE, R0, 0, there);
    count_lost(c, s, which);
    jump(c, out);
    code_place(c, there);
    mov(c, R9, R0);
}

void submit(struct code *c)
{
    mov(c, R1, R9);
    mov_number(c, R2, BPF_RB_NO_WAKEUP);
    helper(c, BPF_FUNC_ringbuf_submit);
}

/* Tid and pid from R7, kind, and nothing else. base: a register, the record is at offset. */
void head(struct code *c, int base, int offset, int kind)
{
    store(c, BPF_W, base, offset + RECORD(tid), R7);
    mov(c, R1, R7);
    alu_number(c, BPF_RSH, R1, 32);
    store(c, BPF_W, base, offset + RECORD(pid), R1);
    store_number(c, BPF_W, base, offset + RECORD(kind), kind);
}

/* The call in R8's state into a record. */
void copy_call(struct code *c, int base, int offset)
{
    load(c, BPF_B, R1, R8, TASK(abi));
    store(c, BPF_B, base, offset + RECORD(abi), R1);
    load(c, BPF_W, R1, R8, TASK(number));
    store(c, BPF_W, base, offset + RECORD(number), R1);
    load(c, BPF_DW, R1, R8, TASK(begin_ns));
    store(c, BPF_DW, base, offset + RECORD(begin_ns), R1);
    for (int i = 0; i < 6; i++) {
        load(c, BPF_DW, R1, R8, TASK(args) + ARG(i));
        store(c, BPF_DW, base, offset + RECORD(args) + ARG(i), R1);
    }
}

void no_end(struct code *c, int base, int offset)
{
    store_number(c, BPF_DW, base, offset + RECORD(end_ns), 0);
    store_number(c, BPF_DW, base, offset + RECORD(result), 0);
}

/* R0: the plan for the call in R8's state. */
void find_plan(struct code *c, const struct programs_setup *s, int none)
{
    const int known = code_label(c);
    load(c, BPF_W, R1, R8, TASK(number));
    jump_if_number(c, BPF_JLT, R1, PLAN_NUMBERS, known);
    mov_number(c, R1, PLAN_NUMBERS - 1);
    code_place(c, known);
    load(c, BPF_B, R2, R8, TASK(abi));
    alu_number(c, BPF_MUL, R2, PLAN_NUMBERS);
    alu(c, BPF_ADD, R1, R2);
    store(c, BPF_W, FP, STACK_KEY, R1);
    look_up(c, s->plans, none);
}

/* --- memory of the program --- */

/* R9: the scratch of this CPU, empty, with tid, pid and kind in its record. */
void open_scratch(struct code *c, const struct programs_setup *s, int kind, int none)
{
    helper(c, BPF_FUNC_get_smp_processor_id);
    store(c, BPF_W, FP, STACK_KEY, R0);
    look_up(c, s->scratch, none);
    mov(c, R9, R0);
    store_number(c, BPF_DW, R9, SCRATCH(used), 0);
    store_number(c, BPF_DW, R9, SCRATCH(again), 0);
    store_number(c, BPF_DW, R9, SCRATCH(failed), 0);
    head(c, R9, SCRATCH(record), kind);
}

/* Runs R6 operations (a number in a register) at `offset` of the plan in R0. */
void run_ops(struct code *c, int count, int offset, int callback)
{
    store(c, BPF_DW, FP, STACK_CONTEXT, R9);
    alu_number(c, BPF_ADD, R0, offset);
    store(c, BPF_DW, FP, STACK_CONTEXT + 8, R0);
    mov(c, R1, count);
    load_function(c, R2, callback);
    mov(c, R3, FP);
    alu_number(c, BPF_ADD, R3, STACK_CONTEXT);
    mov_number(c, R4, 0);
    helper(c, BPF_FUNC_loop);
}

/* Sends the record in R9's scratch. */
void output(struct code *c, const struct programs_setup *s, int which)
{
    const int fits = code_label(c), done = code_label(c);
    load(c, BPF_DW, R3, R9, SCRATCH(used));
    jump_if_number(c, BPF_JLE, R3, DATA_MOST + PIECE_MOST, fits);
    mov_number(c, R3, 0);
    code_place(c, fits);
    alu_number(c, BPF_ADD, R3, sizeof(struct record));
    load_map(c, R1, s->ring);
    mov(c, R2, R9);
    alu_number(c, BPF_ADD, R2, SCRATCH(record));
    mov_number(c, R4, BPF_RB_NO_WAKEUP);
    helper(c, BPF_FUNC_ringbuf_output);
    jump_if_number(c, BPF_JEQ, R0, 0, done);
    count_lost(c, s, which);
    code_place(c, done);
}

void end_program(struct code *c, int out)
{
    code_place(c, out);
    mov_number(c, R0, 0);
    leave(c);
}
