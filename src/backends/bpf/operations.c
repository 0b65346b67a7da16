/* Operations of io_uring: the programs at their submission and completion. */
#include <linux/io_uring.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/bpf/bpf_impl.h"
#include "base/arena.h"
#include "base/env.h"
#include "engine/syscalls/calls.h"

/* Limit of known rings of io_uring; operations of further rings count as lost. */
enum { RINGS_MOST = 16384 };

/* --- the programs --- */

/* Begins a record in R9. R7: pid and tid of the current task. */
static void begin_record(struct code *c, const struct programs_setup *s, int kind, int out)
{
    put_reserve(c, s, LOST_OTHERS, out);
    put_head(c, R9, 0, kind);
    put_helper(c, BPF_FUNC_ktime_get_ns);
    put_store(c, BPF_DW, R9, RECORD(begin_ns), R0);
    put_no_end(c, R9, 0);
    put_store_number(c, BPF_W, R9, RECORD(number), 0);
}

/* Copies a number of size bytes (8, 4, 1) from the kernel's memory at R6 + offset to the record. */
static void copy_member(struct code *c, int offset, int size, int field)
{
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 0);
    put_read_kernel(c, STACK_SMALL, size, R6, offset);
    put_load(c, BPF_DW, R1, FP, STACK_SMALL);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(field), R1);
}

/* Remembers the ring in STACK_KEY, if it is new. */
static void keep_ring(struct code *c, const struct programs_setup *s)
{
    const int new = code_label(c), kept = code_label(c);
    put_look_up(c, s->rings, new);
    put_jump(c, kept);
    code_place(c, new);
    put_store_number(c, BPF_DW, FP, STACK_SMALL, 1);
    put_load_map(c, R1, s->rings);
    put_mov(c, R2, FP);
    put_alu_number(c, BPF_ADD, R2, STACK_KEY);
    put_mov(c, R3, FP);
    put_alu_number(c, BPF_ADD, R3, STACK_SMALL);
    put_mov_number(c, R4, BPF_ANY);
    put_helper(c, BPF_FUNC_map_update_elem);
    put_jump_if_number(c, BPF_JEQ, R0, 0, kept);
    put_count_lost(c, s, LOST_OTHERS);
    code_place(c, kept);
}

/* io_uring_submit_req(request): the current task is traced, or it is a kernel thread that polls the
 * ring of a traced process. */
static void write_submitted(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c), other = code_label(c), known = code_label(c);
    const struct kernel_types *t = &s->types;
    put_load(c, BPF_DW, R6, R1, 0);
    put_find_task(c, s, other);
    put_jump(c, known);
    code_place(c, other);
    put_mov(c, R1, R7);
    put_alu_number(c, BPF_RSH, R1, 32);
    put_store(c, BPF_W, FP, STACK_KEY, R1);
    put_look_up(c, s->tasks, out);
    code_place(c, known);
    put_read_kernel(c, STACK_KEY, 8, R6, t->request_ring);
    keep_ring(c, s);
    begin_record(c, s, RECORD_SUBMITTED, out);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(OPERATION_REQUEST), R6);
    copy_member(c, t->request_ring, 8, OPERATION_RING);
    copy_member(c, t->request_data, 8, OPERATION_DATA);
    copy_member(c, t->request_flags, 4, OPERATION_FLAGS);
    copy_member(c, t->request_opcode, 1, OPERATION_WHAT);
    put_submit(c);
    put_end_program(c, out);
}

/* io_uring_complete(ring, request, completion): runs in any task; the ring tells the process.
 * completion: the program's struct io_uring_cqe. */
static void write_completed(struct code *c, const struct programs_setup *s)
{
    const int out = code_label(c);
    put_mov(c, R6, R1);
    put_load(c, BPF_DW, R1, R6, 0);
    put_store(c, BPF_DW, FP, STACK_KEY, R1);
    put_look_up(c, s->rings, out);
    put_helper(c, BPF_FUNC_get_current_pid_tgid);
    put_mov(c, R7, R0);
    begin_record(c, s, RECORD_COMPLETED, out);
    put_load(c, BPF_DW, R1, R6, 0);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(OPERATION_RING), R1);
    put_load(c, BPF_DW, R1, R6, 8);
    put_store(c, BPF_DW, R9, RECORD(args) + ARG(OPERATION_REQUEST), R1);
    put_load(c, BPF_DW, R6, R6, 16);
    copy_member(c, offsetof(struct io_uring_cqe, user_data), 8, OPERATION_DATA);
    copy_member(c, offsetof(struct io_uring_cqe, res), 4, OPERATION_WHAT);
    copy_member(c, offsetof(struct io_uring_cqe, flags), 4, OPERATION_FLAGS);
    put_submit(c);
    put_end_program(c, out);
}

/* --- watching --- */

static bool wants_any_operation(const struct syscall_filter *calls)
{
    for (uint32_t i = 0; i < syscall_numbers(SYSCALL_URING); i++)
        if (syscall_filter_wants(calls, SYSCALL_URING, i))
            return true;
    return false;
}

static bool load_and_attach(struct bpf_trace *s, int i, const char *tracepoint,
                            void (*write)(struct code *c, const struct programs_setup *s),
                            const struct programs_setup *setup)
{
    struct code *c = xcalloc(1, sizeof *c);
    code_start(c);
    write(c, setup);
    const int program = code_finish(c) ? kernel_program(c, s->types, NULL, 0) : -1;
    free(c);
    s->operations.programs[i] = program;
    const int link = program >= 0 ? kernel_attach(program, tracepoint) : -1;
    if (link >= 0)
        s->links[s->nlinks++] = link;
    return link >= 0;
}

void operations_watch(struct bpf_trace *s, struct programs_setup *setup)
{
    enum { ARGUMENTS = 4 }; /* from Linux 6.10 on; the first one is for the kernel */
    const struct kernel_types *t = &setup->types;
    if (!wants_any_operation(s->setup->calls) || t->request_ring < 0 || t->request_data < 0 ||
        t->request_flags < 0 || t->request_opcode < 0 || t->complete_arguments != ARGUMENTS)
        return;
    setup->rings = s->operations.rings =
        kernel_map(BPF_MAP_TYPE_HASH, 8, 8, RINGS_MOST, BPF_F_NO_PREALLOC);
    /* Attach completions first, so that none of a seen submission is missed. */
    s->raw.result->sees_operations =
        setup->rings >= 0 && load_and_attach(s, 0, "io_uring_complete", write_completed, setup) &&
        load_and_attach(s, 1, "io_uring_submit_req", write_submitted, setup);
}

uint64_t operations_missed(struct bpf_trace *s)
{
    uint64_t all = 0;
    for (int i = 0; i < OPERATION_PROGRAMS; i++)
        if (s->operations.programs[i] >= 0)
            all += kernel_program_missed(s->operations.programs[i]);
    const uint64_t more = all > s->operations.missed ? all - s->operations.missed : 0;
    s->operations.missed += more;
    return more;
}

void operations_end(struct bpf_trace *s)
{
    const int fds[] = {s->operations.rings, s->operations.programs[0], s->operations.programs[1]};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    operations_close(&s->operations.open, &s->raw, env_now_ns());
}
