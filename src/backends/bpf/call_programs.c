/* The programs at the entry and the return of calls. */
#include "backends/bpf/bpf_impl.h"

/* Offsets in struct pt_regs of x86-64, in the part from r10 to cs that is read. */
enum {
    REGS_FROM = 56,
    REGS_R10 = 0,
    REGS_R9 = 8,
    REGS_R8 = 16,
    REGS_CX = 32,
    REGS_DX = 40,
    REGS_SI = 48,
    REGS_DI = 56,
    REGS_NUMBER = 64,
    REGS_IP = 72,
    REGS_CS = 80,
    REGS_SP = 96,
    REGS_SIZE = 104,
    REGS_BP_BX = 32, /* from the start of pt_regs: bp, bx */
};
enum { CS_32 = 0x23, X32_BIT = 0x40000000, COMPAT = 2 /* TS_COMPAT */ };
enum { ABI_64, ABI_I386, ABI_X32 }; /* enum syscall_abi of this machine */

/* R9: the call's number, R1: its calling convention; the registers are on the stack. */
static void find_abi(struct code *c, const struct programs_setup *s)
{
    const int compat = code_label(c), done = code_label(c), native = code_label(c);
    put_load(c, BPF_W, R9, FP, STACK_REGS + REGS_NUMBER);
    put_load(c, BPF_H, R1, FP, STACK_REGS + REGS_CS);
    put_jump_if_number(c, BPF_JEQ, R1, CS_32, compat);
    /* The instruction `syscall` leaves its address in cx, int 0x80 does not. */
    put_load(c, BPF_DW, R1, FP, STACK_REGS + REGS_CX);
    put_load(c, BPF_DW, R2, FP, STACK_REGS + REGS_IP);
    put_jump_if(c, BPF_JEQ, R1, R2, native);
    if (s->types.task_status >= 0) {
        put_helper(c, BPF_FUNC_get_current_task);
        put_mov(c, R1, R0);
        put_read_kernel(c, STACK_SMALL, 4, R1, s->types.task_status);
        put_jump_if_number(c, BPF_JNE, R0, 0, native);
        put_load(c, BPF_W, R1, FP, STACK_SMALL);
        put_jump_if_set(c, R1, COMPAT, compat);
    }
    code_place(c, native);
    put_mov_number(c, R1, ABI_64);
    put_mov(c, R2, R9);
    put_alu_number(c, BPF_RSH, R2, 30);
    put_jump_if_number(c, BPF_JNE, R2, 1, done);
    put_alu_number(c, BPF_AND, R9, X32_BIT - 1);
    put_mov_number(c, R1, ABI_X32);
    put_jump(c, done);
    code_place(c, compat);
    put_mov_number(c, R1, ABI_I386);
    code_place(c, done);
}

/* Stores the registers of the program and its call in the state at R8. R6: ctx. */
static void take_call(struct code *c, const struct programs_setup *s, int out)
{
    static const int regs[] = {REGS_DI, REGS_SI, REGS_DX, REGS_R10, REGS_R8, REGS_R9};
    static const int small[] = {STACK_SMALL + 8,      STACK_REGS + REGS_CX, STACK_REGS + REGS_DX,
                                STACK_REGS + REGS_SI, STACK_REGS + REGS_DI, STACK_SMALL};
    const int wide = code_label(c), done = code_label(c);
    put_load(c, BPF_DW, R1, R6, 0);
    put_read_kernel(c, STACK_REGS, REGS_SIZE, R1, REGS_FROM);
    put_jump_if_number(c, BPF_JNE, R0, 0, out);
    find_abi(c, s);
    put_store(c, BPF_B, R8, TASK(abi), R1);
    put_store(c, BPF_W, R8, TASK(number), R9);
    put_jump_if_number(c, BPF_JNE, R1, ABI_I386, wide);
    put_load(c, BPF_DW, R1, R6, 0);
    put_read_kernel(c, STACK_SMALL, 16, R1, REGS_BP_BX);
    put_jump_if_number(c, BPF_JNE, R0, 0, out);
    for (int i = 0; i < 6; i++) {
        put_load(c, BPF_W, R1, FP, small[i]);
        put_store(c, BPF_DW, R8, TASK(args) + ARG(i), R1);
    }
    put_jump(c, done);
    code_place(c, wide);
    for (int i = 0; i < 6; i++) {
        put_load(c, BPF_DW, R1, FP, STACK_REGS + regs[i]);
        put_store(c, BPF_DW, R8, TASK(args) + ARG(i), R1);
    }
    code_place(c, done);
    put_load(c, BPF_DW, R1, FP, STACK_REGS + REGS_SP);
    put_store(c, BPF_DW, R8, TASK(stack_pointer), R1);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R8, TASK(begin_ns), R0);
}

/* Stores on the stack the plan, whose address is in R0, and its number of operations. */
static void keep_plan(struct code *c, int nops)
{
    put_load(c, BPF_B, R1, R0, nops);
    put_store(c, BPF_W, FP, STACK_OPS, R1);
    put_load(c, BPF_W, R1, FP, STACK_KEY);
    put_store(c, BPF_W, FP, STACK_PLAN, R1);
}

/* Loads the argument whose index the plan R0 has at `member`. */
static void load_argument(struct code *c, int to, int member)
{
    put_load(c, BPF_B, to, R0, member);
    put_alu_number(c, BPF_AND, to, 7);
    put_alu_number(c, BPF_LSH, to, 3);
    put_alu(c, BPF_ADD, to, R8);
    put_load(c, BPF_DW, to, to, TASK(args));
}

/* Much larger than the memory of an argument. */
enum { APART = 16384 };

/* Goes to `late` if the memory may be read at the return, to `early` if not. R0: the plan. */
static void put_choose_late(struct code *c, int late, int early)
{
    const int sure = code_label(c), no_commands = code_label(c);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, late));
    put_jump_if_number(c, BPF_JEQ, R1, 0, early);
    put_load(c, BPF_B, R1, R8, TASK(alone));
    put_jump_if_number(c, BPF_JEQ, R1, 0, early);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, by_command));
    put_jump_if_number(c, BPF_JEQ, R1, 0, no_commands);
    put_choose_command(c, offsetof(struct plan, return_commands), sure);
    put_jump(c, early); /* the command writes memory */
    code_place(c, no_commands);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, nreturn));
    put_jump_if_number(c, BPF_JEQ, R1, 0, sure);
    load_argument(c, R1, offsetof(struct plan, path));
    load_argument(c, R2, offsetof(struct plan, out));
    put_mov(c, R3, R2);
    put_alu(c, BPF_SUB, R3, R1);
    put_alu_number(c, BPF_ADD, R3, APART);
    put_jump_if_number(c, BPF_JLT, R3, 2 * APART, early);
    code_place(c, sure);
    put_store_number(c, BPF_B, R8, TASK(again), 1);
    put_store_number(c, BPF_B, R8, TASK(late), 1);
    put_jump(c, late);
}

/* Sends the entry with its memory: R6 ctx, R0 its plan. */
static void put_send_entry(struct code *c, const struct programs_setup *s, int out)
{
    keep_plan(c, offsetof(struct plan, nentry));
    put_open_scratch(c, s, RECORD_ENTRY, out);
    put_copy_call(c, R9, SCRATCH(record));
    put_no_end(c, R9, SCRATCH(record));
    put_load(c, BPF_W, R1, FP, STACK_OPS);
    put_mov_number(c, R2, PLAN_OPS);
    put_alu(c, BPF_SUB, R2, R1);
    put_send_with_memory(c, s, LOST_MEMORY);
    put_end_program(c, out);
}

/* Records the entry with the memory that the call will read. R6: ctx, R0: its plan. */
static void enter_with_memory(struct code *c, const struct programs_setup *s, int out)
{
    const int early = code_label(c);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, nentry));
    put_jump_if_number(c, BPF_JEQ, R1, 0, out);
    put_choose_command(c, offsetof(struct plan, entry_commands), out);
    put_choose_late(c, out, early);
    code_place(c, early);
    put_send_entry(c, s, out);
}

/*
 * sched_prepare_exec(task, bprm): the program is about to be replaced, but its memory still exists.
 * Texts that could not be read at the entry were not in memory; the kernel has loaded them since.
 */
void program_before_exec(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c);
    put_mov(c, R6, R1);
    put_find_task(c, s, out);
    put_load(c, BPF_B, R1, R8, TASK(phase));
    put_jump_if_number(c, BPF_JNE, R1, PHASE_CALL, out);
    put_load(c, BPF_B, R1, R8, TASK(again));
    put_jump_if_number(c, BPF_JEQ, R1, 0, out);
    put_find_plan(c, s, out);
    put_send_entry(c, s, out);
}

void program_enter(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), wanted = code_label(c);
    put_mov(c, R6, R1);
    put_find_task(c, s, out);
    put_store_number(c, BPF_B, R8, TASK(fresh), 0);
    put_store_number(c, BPF_B, R8, TASK(again), 0);
    put_store_number(c, BPF_B, R8, TASK(late), 0);
    put_store_number(c, BPF_B, R8, TASK(phase), PHASE_UNWANTED);
    take_call(c, s, out);
    put_find_plan(c, s, out);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, wanted));
    put_jump_if_number(c, BPF_JNE, R1, 0, wanted);
    put_jump(c, out);
    code_place(c, wanted);
    put_store_number(c, BPF_B, R8, TASK(phase), PHASE_CALL);
    if (s->memory)
        enter_with_memory(c, s, out);
    else
        put_end_program(c, out);
}

/* Records the whole call with the memory that it wrote. R6: ctx, R0: its plan. */
static void leave_with_memory(struct code *c, const struct programs_setup *s, int out)
{
    const int nothing = code_label(c), chosen = code_label(c);
    keep_plan(c, offsetof(struct plan, nreturn));
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, nentry));
    put_store(c, BPF_W, FP, STACK_OPS + 4, R1);
    put_choose_command(c, offsetof(struct plan, return_commands), nothing);
    put_jump(c, chosen);
    code_place(c, nothing);
    put_store_number(c, BPF_W, FP, STACK_OPS, 0);
    code_place(c, chosen);
    put_open_scratch(c, s, RECORD_CALL, out);
    put_copy_call(c, R9, SCRATCH(record));
    put_load(c, BPF_B, R1, R8, TASK(late));
    put_store(c, BPF_B, R9, IN_SCRATCH(in_call), R1);
    put_load(c, BPF_DW, R1, R6, 8);
    put_store(c, BPF_DW, R9, IN_SCRATCH(result), R1);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, IN_SCRATCH(end_ns), R0);
    put_load(c, BPF_B, R1, R8, TASK(again));
    put_store(c, BPF_DW, R9, SCRATCH(again), R1);
    /* From the first operation of the entry on, or only those of the return. */
    put_load(c, BPF_W, R3, FP, STACK_OPS + 4);
    put_alu(c, BPF_MUL, R1, R3);
    put_mov_number(c, R2, PLAN_OPS);
    put_alu(c, BPF_SUB, R2, R1);
    put_load(c, BPF_W, R3, FP, STACK_OPS);
    put_alu(c, BPF_ADD, R1, R3);
    put_send_with_memory(c, s, LOST_CALLS);
}

void program_exit(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), in_call = code_label(c), plain = code_label(c),
              not_fresh = code_label(c), memory = code_label(c);
    put_mov(c, R6, R1);
    put_find_task(c, s, out);
    put_load(c, BPF_B, R1, R8, TASK(phase));
    put_store_number(c, BPF_B, R8, TASK(phase), PHASE_NONE);
    put_jump_if_number(c, BPF_JEQ, R1, PHASE_CALL, in_call);
    put_load(c, BPF_B, R2, R8, TASK(fresh));
    put_store_number(c, BPF_B, R8, TASK(fresh), 0);
    put_jump_if_number(c, BPF_JEQ, R1, PHASE_UNWANTED, out);
    put_jump_if_number(c, BPF_JEQ, R2, 0, not_fresh);
    put_jump(c, out);
    /* A seccomp filter of the program refused the call, so there was no entry. */
    code_place(c, not_fresh);
    put_store_number(c, BPF_B, R8, TASK(again), 0);
    put_store_number(c, BPF_B, R8, TASK(late), 0);
    take_call(c, s, out);
    code_place(c, in_call);
    put_find_plan(c, s, out);
    put_load(c, BPF_B, R1, R0, offsetof(struct plan, wanted));
    put_jump_if_number(c, BPF_JEQ, R1, 0, out);
    if (s->memory) {
        put_load(c, BPF_B, R1, R8, TASK(again));
        put_jump_if_number(c, BPF_JNE, R1, 0, memory);
        put_load(c, BPF_B, R1, R0, offsetof(struct plan, nreturn));
        put_jump_if_number(c, BPF_JEQ, R1, 0, plain);
        put_choose_command(c, offsetof(struct plan, return_commands), plain);
        code_place(c, memory);
        leave_with_memory(c, s, out);
        put_jump(c, out);
        code_place(c, plain);
    }
    put_reserve(c, s, LOST_CALLS, out);
    put_head(c, R9, 0, RECORD_CALL);
    put_copy_call(c, R9, 0);
    put_load(c, BPF_DW, R1, R6, 8);
    put_store(c, BPF_DW, R9, RECORD(result), R1);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, RECORD(end_ns), R0);
    put_submit(c);
    put_end_program(c, out);
}

/* The rest of both programs: reads the memory and sends the record. It is a separate program so
 * that the kernel verifies its functions, which takes the longest, only once. */
void program_memory(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), returned = code_label(c), whole = code_label(c);
    struct functions f;
    function_names(c, &f);
    put_find_task(c, s, out);
    put_find_scratch(c, s, out);
    put_load(c, BPF_W, R1, R9, SCRATCH(plan));
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->plans, out);
    put_run_ops(c, f.op);
    put_load(c, BPF_B, R1, R9, IN_SCRATCH(kind));
    put_jump_if_number(c, BPF_JNE, R1, RECORD_ENTRY, returned);
    put_load(c, BPF_DW, R1, R9, SCRATCH(failed));
    put_jump_if_number(c, BPF_JEQ, R1, 0, whole);
    put_store_number(c, BPF_B, R8, TASK(again), 1);
    code_place(c, whole);
    put_output(c, s, LOST_MEMORY);
    put_jump(c, out);
    code_place(c, returned);
    put_output(c, s, LOST_CALLS);
    put_end_program(c, out);
    functions_put(c, &f);
}
