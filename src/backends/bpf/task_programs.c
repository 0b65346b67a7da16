/* The programs where tasks begin, execute programs, get signals, end. */
#include <linux/sched.h>

#include "backends/bpf/parts.h"

static void time_now(struct code *c)
{
    helper(c, BPF_FUNC_ktime_get_ns);
    store(c, BPF_DW, R9, RECORD(end_ns), R0);
}

/* task_newtask(task, clone_flags): the maker is running. */
void write_newtask(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), added = code_label(c), followed = code_label(c);
    mov(c, R6, R1);
    find_task(c, s, out);
    load(c, BPF_DW, R1, R6, 8);
    jump_if_set(c, R1, CLONE_UNTRACED, out);
    if (!s->follow) {
        jump_if_set(c, R1, CLONE_THREAD, followed);
        jump(c, out);
    }
    code_place(c, followed);
    for (int i = 0; i < (int)sizeof(struct task_state); i += 8)
        store_number(c, BPF_DW, FP, STACK_STATE + i, 0);
    store_number(c, BPF_B, FP, STACK_STATE + TASK(fresh), 1);
    load(c, BPF_DW, R9, R6, 0);
    read_kernel(c, STACK_KEY, 4, R9, s->types.task_pid);
    load(c, BPF_DW, R9, R6, 0);
    read_kernel(c, STACK_STATE + TASK(pid), 4, R9, s->types.task_tgid);
    load_map(c, R1, s->tasks);
    mov(c, R2, FP);
    alu_number(c, BPF_ADD, R2, STACK_KEY);
    mov(c, R3, FP);
    alu_number(c, BPF_ADD, R3, STACK_STATE);
    mov_number(c, R4, BPF_ANY);
    load(c, BPF_W, R9, FP, STACK_KEY);
    store(c, BPF_DW, FP, STACK_SMALL, R9);
    helper(c, BPF_FUNC_map_update_elem);
    jump_if_number(c, BPF_JEQ, R0, 0, added);
    count_lost(c, s, LOST_OTHERS);
    code_place(c, added);
    reserve(c, s, LOST_OTHERS, out);
    head(c, R9, 0, RECORD_START);
    copy_call(c, R9, 0);
    store(c, BPF_DW, R9, RECORD(args) + ARG(START_MAKER), R7);
    load(c, BPF_DW, R1, R8, TASK(args));
    store(c, BPF_DW, R9, RECORD(args) + ARG(START_MAKERS_ARG), R1);
    load(c, BPF_B, R1, R8, TASK(phase));
    store(c, BPF_B, R9, RECORD(in_call), R1);
    load(c, BPF_DW, R1, R6, 8);
    store(c, BPF_DW, R9, RECORD(args) + ARG(START_FLAGS), R1);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
    store(c, BPF_W, R9, RECORD(tid), R1);
    load(c, BPF_W, R1, FP, STACK_STATE + TASK(pid));
    store(c, BPF_W, R9, RECORD(pid), R1);
    store_number(c, BPF_DW, R9, RECORD(result), 0);
    time_now(c);
    mov(c, R1, R9);
    alu_number(c, BPF_ADD, R1, RECORD(args) + ARG(START_NAME));
    mov_number(c, R2, 16);
    helper(c, BPF_FUNC_get_current_comm);
    submit(c);
    end_program(c, out);
}

/* Reads signal->member (8 or 4 bytes) of the task in R6 to STACK_SMALL; R1 is the value. */
static void of_signal(struct code *c, const struct programs_setup *s, int member, int size)
{
    store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    store_number(c, BPF_DW, FP, STACK_SMALL + 8, 0);
    read_kernel(c, STACK_SMALL + 8, 8, R6, s->types.task_signal);
    load(c, BPF_DW, R1, FP, STACK_SMALL + 8);
    read_kernel(c, STACK_SMALL, size, R1, member);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
}

/* sched_process_exit(task) */
void write_task_exit(struct code *c, const struct programs_setup *s)
{
    enum { GROUP_EXIT = 4 /* SIGNAL_GROUP_EXIT */ };
    const int out = code_label(c), alone = code_label(c), known = code_label(c),
              drop = code_label(c), no_peak = code_label(c);
    load(c, BPF_DW, R6, R1, 0);
    find_task(c, s, out);
    reserve(c, s, LOST_OTHERS, drop);
    head(c, R9, 0, RECORD_EXIT);
    copy_call(c, R9, 0);
    load(c, BPF_B, R1, R8, TASK(phase));
    store(c, BPF_B, R9, RECORD(in_call), R1);
    time_now(c);
    of_signal(c, s, s->types.signal_maxrss, 8);
    load(c, BPF_DW, R2, R8, TASK(floor));
    jump_if(c, BPF_JGT, R1, R2, no_peak);
    mov_number(c, R1, 0);
    code_place(c, no_peak);
    /* The arguments of a call that has not returned are kept: the peak goes to `result`'s room. */
    store(c, BPF_DW, FP, STACK_CONTEXT, R1);
    of_signal(c, s, s->types.signal_flags, 4);
    jump_if_set(c, R1, GROUP_EXIT, known);
    jump(c, alone);
    code_place(c, known);
    of_signal(c, s, s->types.signal_code, 4);
    store(c, BPF_DW, R9, RECORD(result), R1);
    const int told = code_label(c);
    jump(c, told);
    code_place(c, alone);
    store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    read_kernel(c, STACK_SMALL, 4, R6, s->types.task_exit_code);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
    store(c, BPF_DW, R9, RECORD(result), R1);
    code_place(c, told);
    /* The status needs 16 bits; the rest is the peak, in pages. */
    load(c, BPF_DW, R1, FP, STACK_CONTEXT);
    alu_number(c, BPF_LSH, R1, 16);
    load(c, BPF_DW, R2, R9, RECORD(result));
    alu_number(c, BPF_AND, R2, 0xffff);
    alu(c, BPF_OR, R1, R2);
    store(c, BPF_DW, R9, RECORD(result), R1);
    submit(c);
    code_place(c, drop);
    store(c, BPF_W, FP, STACK_KEY, R7);
    load_map(c, R1, s->tasks);
    mov(c, R2, FP);
    alu_number(c, BPF_ADD, R2, STACK_KEY);
    helper(c, BPF_FUNC_map_delete_elem);
    end_program(c, out);
}

/* The state of the task that called execve, under its new number. R7: that; R8: the state. */
static void move_state(struct code *c, const struct programs_setup *s, int same)
{
    load(c, BPF_DW, R1, R6, 8);
    mov32(c, R1, R1);
    mov32(c, R2, R7);
    jump_if(c, BPF_JEQ, R1, R2, same);
    for (int i = 0; i < (int)sizeof(struct task_state); i += 8) {
        load(c, BPF_DW, R1, R8, i);
        store(c, BPF_DW, FP, STACK_STATE + i, R1);
    }
    load_map(c, R1, s->tasks);
    mov(c, R2, FP);
    alu_number(c, BPF_ADD, R2, STACK_KEY);
    helper(c, BPF_FUNC_map_delete_elem);
    store(c, BPF_W, FP, STACK_KEY, R7);
    load_map(c, R1, s->tasks);
    mov(c, R2, FP);
    alu_number(c, BPF_ADD, R2, STACK_KEY);
    mov(c, R3, FP);
    alu_number(c, BPF_ADD, R3, STACK_STATE);
    mov_number(c, R4, BPF_ANY);
    helper(c, BPF_FUNC_map_update_elem);
    code_place(c, same);
}

/* R3 = the bytes of the arguments, R2 = where; of the task in R1. */
static void find_arguments(struct code *c, const struct programs_setup *s)
{
    store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    store_number(c, BPF_DW, FP, STACK_SMALL + 8, 0);
    store_number(c, BPF_DW, FP, STACK_CONTEXT, 0);
    read_kernel(c, STACK_SMALL, 8, R1, s->types.task_mm);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
    read_kernel(c, STACK_SMALL + 8, 8, R1, s->types.mm_arg_start);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
    read_kernel(c, STACK_CONTEXT, 8, R1, s->types.mm_arg_end);
    load(c, BPF_DW, R2, FP, STACK_SMALL + 8);
    load(c, BPF_DW, R3, FP, STACK_CONTEXT);
    alu(c, BPF_SUB, R3, R2);
}

/* sched_process_exec(task, old_pid, bprm) */
void write_exec(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), same = code_label(c);
    struct functions f;
    const int append_kernel = code_label(c);
    name_functions(c, &f);
    mov(c, R6, R1);
    helper(c, BPF_FUNC_get_current_pid_tgid);
    mov(c, R7, R0);
    load(c, BPF_DW, R1, R6, 8);
    store(c, BPF_W, FP, STACK_KEY, R1);
    look_up(c, s->tasks, out);
    mov(c, R8, R0);
    move_state(c, s, same);
    store(c, BPF_W, FP, STACK_KEY, R7);
    look_up(c, s->tasks, out);
    mov(c, R8, R0);
    open_scratch(c, s, RECORD_EXEC, out);
    no_end(c, R9, SCRATCH(record));
    load(c, BPF_DW, R1, R6, 8);
    mov32(c, R1, R1);
    store(c, BPF_DW, R9, IN_SCRATCH(args), R1);
    helper(c, BPF_FUNC_ktime_get_ns);
    store(c, BPF_DW, R9, IN_SCRATCH(end_ns), R0);
    load(c, BPF_DW, R1, R6, 16);
    store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    read_kernel(c, STACK_SMALL, 8, R1, s->types.program_name);
    load(c, BPF_DW, R2, FP, STACK_SMALL);
    mov(c, R1, R9);
    mov_number(c, R3, 4096);
    call_function(c, append_kernel);
    load(c, BPF_DW, R1, R6, 0);
    find_arguments(c, s);
    mov(c, R1, R9);
    call_function(c, f.append);
    load(c, BPF_DW, R6, R6, 0);
    of_signal(c, s, s->types.signal_maxrss, 8);
    store(c, BPF_DW, R8, TASK(floor), R1);
    output(c, s, LOST_OTHERS);
    end_program(c, out);
    code_function(c, append_kernel);
    write_append_string(c, BPF_FUNC_probe_read_kernel_str);
    code_function(c, f.append);
    write_append(c);
}

/* signal_deliver(number, siginfo, action) */
void write_signal(struct code *c, const struct programs_setup *s)
{
    enum { KILL = 9 };
    const int out = code_label(c), handled = code_label(c);
    mov(c, R6, R1);
    find_task(c, s, out);
    load(c, BPF_DW, R1, R6, 0);
    jump_if_number(c, BPF_JEQ, R1, KILL, out);
    reserve(c, s, LOST_OTHERS, out);
    head(c, R9, 0, RECORD_SIGNAL);
    load(c, BPF_DW, R1, R6, 0);
    mov32(c, R1, R1);
    store(c, BPF_DW, R9, RECORD(result), R1);
    store_number(c, BPF_DW, R9, RECORD(begin_ns), 0);
    time_now(c);
    load(c, BPF_DW, R3, R6, 8);
    mov(c, R1, R9);
    alu_number(c, BPF_ADD, R1, RECORD(args));
    mov_number(c, R2, 48);
    helper(c, BPF_FUNC_probe_read_kernel);
    store_number(c, BPF_DW, FP, STACK_SMALL, 1);
    load(c, BPF_DW, R1, R6, 16);
    read_kernel(c, STACK_SMALL, 8, R1, 0);
    store_number(c, BPF_W, R9, RECORD(number), 0);
    load(c, BPF_DW, R1, FP, STACK_SMALL);
    jump_if_number(c, BPF_JNE, R1, 0, handled);
    store_number(c, BPF_W, R9, RECORD(number), 1);
    code_place(c, handled);
    submit(c);
    end_program(c, out);
}
