/* The programs for tasks that begin, execute programs, get signals and end. */
#include <linux/sched.h>

#include "backends/bpf/bpf_impl.h"

static void time_now(struct code *c)
{
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, RECORD(end_ns), R0);
}

/* task_newtask(task, clone_flags): the maker is running. */
void program_newtask(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), added = code_label(c), followed = code_label(c),
              shared = code_label(c), own = code_label(c), of_two = code_label(c);
    put_mov(c, R6, R1);
    put_find_task(c, s, out);
    put_load(c, BPF_DW, R1, R6, 8);
    put_jump_if_set(c, R1, CLONE_VM, shared);
    put_jump(c, own);
    code_place(c, shared);
    put_store_number(c, BPF_B, R8, TASK(alone), 0);
    code_place(c, own);
    put_jump_if_set(c, R1, CLONE_UNTRACED, out);
    if (!s->follow) {
        put_jump_if_set(c, R1, CLONE_THREAD, followed);
        put_jump(c, out);
    }
    code_place(c, followed);
    for (int i = 0; i < (int)sizeof(struct task_state); i += 8)
        put_store_number(c, BPF_DW, FP, STACK_STATE + i, 0);
    put_store_number(c, BPF_B, FP, STACK_STATE + TASK(fresh), 1);
    put_load(c, BPF_DW, R1, R6, 8);
    put_jump_if_set(c, R1, CLONE_VM, of_two);
    put_store_number(c, BPF_B, FP, STACK_STATE + TASK(alone), 1);
    code_place(c, of_two);
    put_load(c, BPF_DW, R9, R6, 0);
    put_read_kernel(c, STACK_KEY, 4, R9, s->types.task_pid);
    put_load(c, BPF_DW, R9, R6, 0);
    put_read_kernel(c, STACK_STATE + TASK(pid), 4, R9, s->types.task_tgid);
    put_load_map(c, R1, s->tasks);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, STACK_STATE);
    put_mov_number(c, R4, BPF_ANY);
    put_load(c, BPF_W, R9, FP, STACK_KEY);
    put_store(c, BPF_DW, FP, STACK_SMALL, R9);
    put_helper(c, BPF_FUNC_map_update_elem);
    put_jump_if_number(c, BPF_JEQ, R0, 0, added);
    put_count_lost(c, s, LOST_OTHERS);
    code_place(c, added);
    put_reserve(c, s, LOST_OTHERS, out);
    put_head(c, R9, 0, RECORD_START);
    put_copy_call(c, R9, 0);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(START_MAKER), R7);
    put_load(c, BPF_DW, R1, R8, TASK(args));
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(START_MAKERS_ARG), R1);
    put_load(c, BPF_B, R1, R8, TASK(phase));
    put_store(c, BPF_B, R9, RECORD(in_call), R1);
    put_load(c, BPF_DW, R1, R6, 8);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(START_FLAGS), R1);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_store(c, BPF_W, R9, RECORD(tid), R1);
    put_load(c, BPF_W, R1, FP, STACK_STATE + TASK(pid));
    put_store(c, BPF_W, R9, RECORD(pid), R1);
    put_store_number(c, BPF_DW, R9, RECORD(result), 0);
    time_now(c);
    put_mov(c, R1, R9);
    put_alu_number(c, BPF_ADD, R1, RECORD(args) + ARG(START_NAME));
    put_mov_number(c, R2, 16);
    put_helper(c, BPF_FUNC_get_current_comm);
    put_submit(c);
    put_end_program(c, out);
}

/* Reads signal->member (8 or 4 bytes) of the task in R6 to STACK_SMALL; R1 is the value. */
static void of_signal(struct code *c, const struct programs_setup *s, int member, int size)
{
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_store_number(c, BPF_DW, FP, STACK_SMALL + 8, 0);
    put_read_kernel(c, STACK_SMALL + 8, 8, R6, s->types.task_signal);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL + 8);
    put_read_kernel(c, STACK_SMALL, size, R1, member);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
}

/* R1 = the peak of resident pages of the task in R6, from its counters, which lag by up to 32 pages
 * for each CPU. The kernel's value for getrusage includes memory from before the program, so it is
 * used only if it is larger than that. */
static void resident_now(struct code *c, const struct programs_setup *s)
{
    static const int counted[] = {0, 1, 3}; /* file, anonymous, shared */
    const struct kernel_types *t = &s->types;
    const int higher = code_label(c);
    if (t->mm_rss < 0 || t->mm_rss_peak < 0 || t->counter_count < 0 || t->counter_size <= 0) {
        put_mov_number(c, R1, 0);
        return;
    }
    put_store_number(c, BPF_DW, FP, STACK_CONTEXT + 8, 0);
    put_store_number(c, BPF_DW, FP, STACK_SMALL + 8, 0);
    put_read_kernel(c, STACK_SMALL + 8, 8, R6, t->task_mm);
    for (int i = 0; i < 3; i++) {
        const int negative = code_label(c);
        put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
        put_load(c, BPF_DW, R1, FP, STACK_SMALL + 8);
        put_read_kernel(c, STACK_SMALL, 8, R1,
                        t->mm_rss + counted[i] * t->counter_size + t->counter_count);
        put_load(c, BPF_DW, R1, FP, STACK_SMALL);
        put_jump_if_number(c, BPF_JSLE, R1, 0, negative);
        put_load(c, BPF_DW, R2, FP, STACK_CONTEXT + 8);
        put_alu(c, BPF_ADD, R2, R1);
        put_store(c, BPF_DW, FP, STACK_CONTEXT + 8, R2);
        code_place(c, negative);
    }
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL + 8);
    put_read_kernel(c, STACK_SMALL, 8, R1, t->mm_rss_peak);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_load(c, BPF_DW, R2, FP, STACK_CONTEXT + 8);
    put_jump_if(c, BPF_JGT, R1, R2, higher);
    put_mov(c, R1, R2);
    code_place(c, higher);
}

/* sched_process_exit(task) */
void program_task_exit(struct code *c, const struct programs_setup *s)
{
    enum { GROUP_EXIT = 4 /* SIGNAL_GROUP_EXIT */ };
    const int out = code_label(c), alone = code_label(c), known = code_label(c),
              drop = code_label(c), no_peak = code_label(c);
    put_load(c, BPF_DW, R6, R1, 0);
    put_find_task(c, s, out);
    put_reserve(c, s, LOST_OTHERS, drop);
    put_head(c, R9, 0, RECORD_EXIT);
    put_copy_call(c, R9, 0);
    put_load(c, BPF_B, R1, R8, TASK(phase));
    put_store(c, BPF_B, R9, RECORD(in_call), R1);
    time_now(c);
    of_signal(c, s, s->types.signal_maxrss, 8);
    put_load(c, BPF_DW, R2, R8, TASK(floor));
    put_jump_if(c, BPF_JGT, R1, R2, no_peak);
    resident_now(c, s);
    code_place(c, no_peak);
    /* The record keeps the arguments of an unfinished call, so the peak goes into `result`. */
    put_store(c, BPF_DW, FP, STACK_CONTEXT, R1);
    of_signal(c, s, s->types.signal_flags, 4);
    put_jump_if_set(c, R1, GROUP_EXIT, known);
    put_jump(c, alone);
    code_place(c, known);
    of_signal(c, s, s->types.signal_code, 4);
    put_store(c, BPF_DW, R9, RECORD(result), R1);
    const int told = code_label(c);
    put_jump(c, told);
    code_place(c, alone);
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_read_kernel(c, STACK_SMALL, 4, R6, s->types.task_exit_code);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_store(c, BPF_DW, R9, RECORD(result), R1);
    code_place(c, told);
    /* The status needs 16 bits; the rest is the peak, in pages. */
    put_load(c, BPF_DW, R1, FP, STACK_CONTEXT);
    put_alu_number(c, BPF_LSH, R1, 16);
    put_load(c, BPF_DW, R2, R9, RECORD(result));
    put_alu_number(c, BPF_AND, R2, 0xffff);
    put_alu(c, BPF_OR, R1, R2);
    put_store(c, BPF_DW, R9, RECORD(result), R1);
    put_submit(c);
    code_place(c, drop);
    put_store(c, BPF_W, FP, STACK_KEY, R7);
    put_load_map(c, R1, s->tasks);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_helper(c, BPF_FUNC_map_delete_elem);
    put_end_program(c, out);
}

/* Moves the state of the task that called execve to its new number. R7: that number; R8: the state.
 */
static void move_state(struct code *c, const struct programs_setup *s, int same)
{
    put_load(c, BPF_DW, R1, R6, 8);
    put_mov32(c, R1, R1);
    put_mov32(c, R2, R7);
    put_jump_if(c, BPF_JEQ, R1, R2, same);
    for (int i = 0; i < (int)sizeof(struct task_state); i += 8) {
        put_load(c, BPF_DW, R1, R8, i);
        put_store(c, BPF_DW, FP, STACK_STATE + i, R1);
    }
    put_load_map(c, R1, s->tasks);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_helper(c, BPF_FUNC_map_delete_elem);
    put_store(c, BPF_W, FP, STACK_KEY, R7);
    put_load_map(c, R1, s->tasks);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, STACK_STATE);
    put_mov_number(c, R4, BPF_ANY);
    put_helper(c, BPF_FUNC_map_update_elem);
    code_place(c, same);
}

/* R3 = the number of bytes of the arguments, R2 = their address, for the task in R1. */
static void find_arguments(struct code *c, const struct programs_setup *s)
{
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_store_number(c, BPF_DW, FP, STACK_SMALL + 8, 0);
    put_store_number(c, BPF_DW, FP, STACK_CONTEXT, 0);
    put_read_kernel(c, STACK_SMALL, 8, R1, s->types.task_mm);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_read_kernel(c, STACK_SMALL + 8, 8, R1, s->types.mm_arg_start);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_read_kernel(c, STACK_CONTEXT, 8, R1, s->types.mm_arg_end);
    put_load(c, BPF_DW, R2, FP, STACK_SMALL + 8);
    put_load(c, BPF_DW, R3, FP, STACK_CONTEXT);
    put_alu(c, BPF_SUB, R3, R2);
}

/* sched_process_exec(task, old_pid, bprm) */
void program_exec(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), same = code_label(c);
    struct functions f;
    const int append_kernel = code_label(c);
    function_names(c, &f);
    put_mov(c, R6, R1);
    put_helper(c, BPF_FUNC_get_current_pid_tgid);
    put_mov(c, R7, R0);
    put_load(c, BPF_DW, R1, R6, 8);
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->tasks, out);
    put_mov(c, R8, R0);
    move_state(c, s, same);
    put_store(c, BPF_W, FP, STACK_KEY, R7);
    put_look_up(c, s->tasks, out);
    put_mov(c, R8, R0);
    put_store_number(c, BPF_B, R8, TASK(alone), 1);
    put_store_number(c, BPF_B, R8, TASK(again), 0); /* its old memory is gone */
    put_open_scratch(c, s, RECORD_EXEC, out);
    put_no_end(c, R9, SCRATCH(record));
    put_load(c, BPF_DW, R1, R6, 8);
    put_mov32(c, R1, R1);
    put_store(c, BPF_DW, R9, IN_SCRATCH(args), R1);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, IN_SCRATCH(end_ns), R0);
    put_load(c, BPF_DW, R1, R6, 16);
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_read_kernel(c, STACK_SMALL, 8, R1, s->types.program_name);
    put_load(c, BPF_DW, R2, FP, STACK_SMALL);
    put_mov(c, R1, R9);
    put_mov_number(c, R3, 4096);
    put_call_function(c, append_kernel);
    put_load(c, BPF_DW, R1, R6, 0);
    find_arguments(c, s);
    put_mov(c, R1, R9);
    put_call_function(c, f.append);
    put_load(c, BPF_DW, R6, R6, 0);
    of_signal(c, s, s->types.signal_maxrss, 8);
    put_store(c, BPF_DW, R8, TASK(floor), R1);
    put_output(c, s, LOST_OTHERS);
    put_end_program(c, out);
    code_function(c, append_kernel);
    function_append_string(c, BPF_FUNC_probe_read_kernel_str);
    code_function(c, f.append);
    function_append(c);
}

/* Records a signal. R6: the context of the program, whose first two words are the signal. */
static void record_signal(struct code *c, const struct programs_setup *s, int kind, int out)
{
    put_reserve(c, s, LOST_OTHERS, out);
    put_head(c, R9, 0, kind);
    put_load(c, BPF_DW, R1, R6, 0);
    put_mov32(c, R1, R1);
    put_store(c, BPF_DW, R9, RECORD(result), R1);
    put_store_number(c, BPF_DW, R9, RECORD(begin_ns), 0);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, RECORD(end_ns), R0);
    put_store_number(c, BPF_W, R9, RECORD(number), 0);
    put_load(c, BPF_DW, R3, R6, 8);
    put_mov(c, R1, R9);
    put_alu_number(c, BPF_ADD, R1, RECORD(args));
    put_mov_number(c, R2, 48);
    put_helper(c, BPF_FUNC_probe_read_kernel);
}

enum { KILL = 9 };

/* signal_deliver(number, siginfo, action) */
void program_signal(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), handled = code_label(c);
    put_mov(c, R6, R1);
    put_find_task(c, s, out);
    put_load(c, BPF_DW, R1, R6, 0);
    put_mov32(c, R1, R1);
    put_jump_if_number(c, BPF_JEQ, R1, KILL, out);
    record_signal(c, s, RECORD_SIGNAL, out);
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 1);
    put_load(c, BPF_DW, R1, R6, 16);
    put_read_kernel(c, STACK_SMALL, 8, R1, 0);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_jump_if_number(c, BPF_JNE, R1, 0, handled);
    put_store_number(c, BPF_W, R9, RECORD(number), 1);
    code_place(c, handled);
    put_submit(c);
    put_end_program(c, out);
}

/* signal_generate(number, siginfo, task, group, result): the sender is running. The kernel does not
 * report the delivery of one that ends a process. */
void program_sent(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c);
    put_mov(c, R6, R1);
    put_load(c, BPF_DW, R1, R6, 32);
    put_mov32(c, R1, R1);
    put_jump_if_number(c, BPF_JNE, R1, 0, out); /* ignored, already pending, or lost */
    put_load(c, BPF_DW, R1, R6, 0);
    put_mov32(c, R1, R1);
    put_jump_if_number(c, BPF_JEQ, R1, KILL, out);
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_load(c, BPF_DW, R7, R6, 16);
    put_read_kernel(c, STACK_SMALL, 4, R7, s->types.task_pid);
    put_read_kernel(c, STACK_SMALL + 4, 4, R7, s->types.task_tgid);
    put_load(c, BPF_W, R1, FP, STACK_SMALL);
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->tasks, out);
    put_load(c, BPF_DW, R7, FP, STACK_SMALL);
    record_signal(c, s, RECORD_SENT, out);
    put_submit(c);
    put_end_program(c, out);
}
