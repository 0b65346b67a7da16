/* Common beginnings and ends of the programs, and their use of maps. bpf_impl.h describes each. */
#include "backends/bpf/bpf_impl.h"

void put_look_up(struct code *c, int map, int none)
{
    put_load_map(c, R1, map);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_helper(c, BPF_FUNC_map_lookup_elem);
    put_jump_if_number(c, BPF_JEQ, R0, 0, none);
}

void put_find_task(struct code *c, const struct programs_setup *s, int none)
{
    put_helper(c, BPF_FUNC_get_current_pid_tgid);
    put_mov(c, R7, R0);
    put_store(c, BPF_W, FP, STACK_KEY, R7);
    put_look_up(c, s->tasks, none);
    put_mov(c, R8, R0);
}

void put_count_lost(struct code *c, const struct programs_setup *s, int which)
{
    const int none = code_label(c);
    put_store_number(c, BPF_W, FP, STACK_KEY, which);
    put_look_up(c, s->lost, none);
    put_load(c, BPF_DW, R1, R0, 0);
    put_alu_number(c, BPF_ADD, R1, 1);
    put_store(c, BPF_DW, R0, 0, R1);
    code_place(c, none);
}

void put_read_kernel(struct code *c, int to, int size, int address, int offset)
{
    put_mov(c, R3, address);
    if (offset)
        put_alu_number(c, BPF_ADD, R3, offset);
    put_mov(c, R1, FP);
    put_alu_number(c, BPF_ADD, R1, to);
    put_mov_number(c, R2, size);
    put_helper(c, BPF_FUNC_probe_read_kernel);
}

void put_reserve(struct code *c, const struct programs_setup *s, int which, int out)
{
    const int there = code_label(c);
    put_load_map(c, R1, s->ring);
    put_mov_number(c, R2, sizeof(struct record));
    put_mov_number(c, R3, 0);
    put_helper(c, BPF_FUNC_ringbuf_reserve);
    put_jump_if_number(c, BPF_JNE, R0, 0, there);
    put_count_lost(c, s, which);
    put_jump(c, out);
    code_place(c, there);
    put_mov(c, R9, R0);
}

void put_submit(struct code *c)
{
    put_mov(c, R1, R9);
    put_mov_number(c, R2, BPF_RB_NO_WAKEUP);
    put_helper(c, BPF_FUNC_ringbuf_submit);
}

void put_head(struct code *c, int base, int offset, int kind)
{
    put_store(c, BPF_W, base, offset + RECORD(tid), R7);
    put_mov(c, R1, R7);
    put_alu_number(c, BPF_RSH, R1, 32);
    put_store(c, BPF_W, base, offset + RECORD(pid), R1);
    put_store_number(c, BPF_W, base, offset + RECORD(kind), kind);
}

void put_copy_call(struct code *c, int base, int offset)
{
    put_load(c, BPF_B, R1, R8, TASK(abi));
    put_store(c, BPF_B, base, offset + RECORD(abi), R1);
    put_load(c, BPF_W, R1, R8, TASK(number));
    put_store(c, BPF_W, base, offset + RECORD(number), R1);
    put_load(c, BPF_DW, R1, R8, TASK(begin_ns));
    put_store(c, BPF_DW, base, offset + RECORD(begin_ns), R1);
    for (int i = 0; i < 6; i++) {
        put_load(c, BPF_DW, R1, R8, TASK(args) + ARG(i));
        put_store(c, BPF_DW, base, offset + RECORD(args) + ARG(i), R1);
    }
    put_load(c, BPF_DW, R1, R8, TASK(stack_pointer));
    put_store(c, BPF_DW, base, offset + RECORD(stack_pointer), R1);
}

void put_no_end(struct code *c, int base, int offset)
{
    put_store_number(c, BPF_DW, base, offset + RECORD(end_ns), 0);
    put_store_number(c, BPF_DW, base, offset + RECORD(result), 0);
}

void put_find_plan(struct code *c, const struct programs_setup *s, int none)
{
    const int known = code_label(c);
    put_load(c, BPF_W, R1, R8, TASK(number));
    put_jump_if_number(c, BPF_JLT, R1, PLAN_NUMBERS, known);
    put_mov_number(c, R1, PLAN_NUMBERS - 1);
    code_place(c, known);
    put_load(c, BPF_B, R2, R8, TASK(abi));
    put_alu_number(c, BPF_MUL, R2, PLAN_NUMBERS);
    put_alu(c, BPF_ADD, R1, R2);
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->plans, none);
}

/* --- memory of the program --- */

void put_find_scratch(struct code *c, const struct programs_setup *s, int none)
{
    const int own = code_label(c);
    put_load(c, BPF_H, R1, R8, TASK(scratch));
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->scratch, none);
    put_mov(c, R9, R0);
    put_load(c, BPF_W, R1, R9, SCRATCH(owner));
    put_mov32(c, R2, R7);
    put_jump_if(c, BPF_JEQ, R1, R2, own);
    put_count_lost(c, s, LOST_CALLS);
    put_jump(c, none);
    code_place(c, own);
}

/* If another task has the scratch, the record is lost and counted. */
void put_open_scratch(struct code *c, const struct programs_setup *s, int kind, int none)
{
    const int mine = code_label(c);
    put_helper(c, BPF_FUNC_get_smp_processor_id);
    put_store(c, BPF_H, R8, TASK(scratch), R0);
    put_store(c, BPF_W, FP, STACK_KEY, R0);
    put_look_up(c, s->scratch, none);
    put_mov(c, R9, R0);
    put_mov32(c, R2, R7);
    put_load(c, BPF_W, R1, R9, SCRATCH(owner));
    put_jump_if_number(c, BPF_JEQ, R1, 0, mine);
    put_jump_if(c, BPF_JEQ, R1, R2, mine);
    put_count_lost(c, s, kind == RECORD_ENTRY ? LOST_MEMORY : LOST_CALLS);
    put_jump(c, none);
    code_place(c, mine);
    put_store(c, BPF_W, R9, SCRATCH(owner), R2);
    put_store_number(c, BPF_DW, R9, SCRATCH(used), 0);
    put_store_number(c, BPF_DW, R9, SCRATCH(again), 0);
    put_store_number(c, BPF_DW, R9, SCRATCH(failed), 0);
    put_head(c, R9, SCRATCH(record), kind);
}

void put_choose_command(struct code *c, int mask, int without)
{
    const int has = code_label(c);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, by_command));
    put_jump_if_number(c, BPF_JEQ, R1, 0, has);
    put_load(c, BPF_W, R1, R8, TASK(args) + ARG(1));
    put_jump_if_number(c, BPF_JGT, R1, 63, has);
    put_load(c, BPF_DW, R2, R0, mask);
    put_alu(c, BPF_RSH, R2, R1);
    put_alu_number(c, BPF_AND, R2, 1);
    put_jump_if_number(c, BPF_JEQ, R2, 0, without);
    code_place(c, has);
}

void put_run_ops(struct code *c, int callback)
{
    put_load(c, BPF_W, R1, R9, SCRATCH(nops));
    put_load(c, BPF_W, R2, R9, SCRATCH(first));
    put_store(c, BPF_DW, FP, STACK_CONTEXT, R9);
    put_alu_number(c, BPF_ADD, R0, offsetof(struct plan, entry));
    put_store(c, BPF_DW, FP, STACK_CONTEXT + 8, R0);
    put_store(c, BPF_DW, FP, STACK_CONTEXT + 24, R2);
    put_load_function(c, R2, callback);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, STACK_CONTEXT);
    put_mov_number(c, R4, 0);
    put_helper(c, BPF_FUNC_loop);
}

void put_send_with_memory(struct code *c, const struct programs_setup *s, int which)
{
    put_store(c, BPF_W, R9, SCRATCH(nops), R1);
    put_store(c, BPF_W, R9, SCRATCH(first), R2);
    put_load(c, BPF_W, R1, FP, STACK_PLAN);
    put_store(c, BPF_W, R9, SCRATCH(plan), R1);
    put_mov(c, R1, R6);
    put_load_map(c, R2, s->memory_program);
    put_mov_number(c, R3, 0);
    put_helper(c, BPF_FUNC_tail_call);
    put_output(c, s, which);
}

void put_output(struct code *c, const struct programs_setup *s, int which)
{
    const int fits = code_label(c), done = code_label(c);
    put_load(c, BPF_DW, R3, R9, SCRATCH(used));
    put_jump_if_number(c, BPF_JLE, R3, DATA_MOST + PIECE_MOST, fits);
    put_mov_number(c, R3, 0);
    code_place(c, fits);
    put_alu_number(c, BPF_ADD, R3, sizeof(struct record));
    put_load_map(c, R1, s->ring);
    put_mov(c, R2, R9);
    put_alu_number(c, BPF_ADD, R2, SCRATCH(record));
    put_mov_number(c, R4, BPF_RB_NO_WAKEUP);
    put_helper(c, BPF_FUNC_ringbuf_output);
    put_jump_if_number(c, BPF_JEQ, R0, 0, done);
    put_count_lost(c, s, which);
    code_place(c, done);
    put_store_number(c, BPF_W, R9, SCRATCH(owner), 0);
}

void put_end_program(struct code *c, int out)
{
    code_place(c, out);
    put_mov_number(c, R0, 0);
    put_leave(c);
}
