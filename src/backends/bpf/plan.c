#include "backends/bpf/bpf_impl.h"

#include <string.h>

#include "engine/syscalls/calls_impl.h"
#include "engine/syscalls/decode/types.h"

/* PATH_BYTES: the longest path, its NUL, and a byte that shows a longer one. STRUCTURE: limit for a
 * structure whose size the program tells. */
enum {
    PATH_BYTES = 4098,
    STRUCTURE = 4096,
    ADDRESS = 128,
    SHOWN = 33,
    LIMIT = 0,
    FRAME = 304 /* a signal's frame up to the end of the mask */
};

/* Bytes for types whose size only their decoders know. LIMIT stands for the limit of strings and
 * buffers (--strings). */
struct more {
    uint16_t type;
    uint8_t when; /* enum type_when */
    uint8_t kind, scale;
    uint16_t max;
};
static const struct more more[] = {
    {SYSCALL_TYPE_argv, ENTRY, OP_STRINGS, 0, LIMIT},
    {SYSCALL_TYPE_envp, ENTRY, OP_BYTES, 0, 4096},
    {SYSCALL_TYPE_iovec_in, ENTRY, OP_VECTOR, 0, LIMIT},
    {SYSCALL_TYPE_iovec_out, ENTRY, OP_LENGTH, 16, SHOWN * 16},
    {SYSCALL_TYPE_iovec_out, RETURN, OP_VECTOR, 0, LIMIT},
    {SYSCALL_TYPE_iovec_far, ENTRY, OP_LENGTH, 16, SHOWN * 16},
    {SYSCALL_TYPE_gids_in, ENTRY, OP_LENGTH, 4, 1024},
    {SYSCALL_TYPE_gids_out, RETURN, OP_RESULT, 4, 1024},
    {SYSCALL_TYPE_mincore_out, RETURN, OP_BYTES, 0, 64},
    {SYSCALL_TYPE_fcntl_arg, BOTH, OP_BYTES, 0, 32},
    {SYSCALL_TYPE_ioctl_arg, BOTH, OP_BYTES, 0, 64},
    {SYSCALL_TYPE_fsconfig_value, ENTRY, OP_STRING, 0, 258},
    {SYSCALL_TYPE_nodemask, ENTRY, OP_BYTES, 0, 8},
    {SYSCALL_TYPE_nodemask_out, RETURN, OP_BYTES, 0, 8},
    {SYSCALL_TYPE_sigframe, ENTRY, OP_BYTES, 0, FRAME},
    {SYSCALL_TYPE_sigset_pair, ENTRY, OP_VECTOR, 1, 16},
    {SYSCALL_TYPE_pollfds, ENTRY, OP_LENGTH, 8, SHOWN * 8},
    {SYSCALL_TYPE_pollfds, RETURN, OP_LENGTH, 8, STRUCTURE},
    {SYSCALL_TYPE_fdset, BOTH, OP_BYTES, 0, 128},
    {SYSCALL_TYPE_epoll_event, ENTRY, OP_BYTES, 0, 16},
    {SYSCALL_TYPE_epoll_events_out, RETURN, OP_RESULT, 16, SHOWN * 16},
    {SYSCALL_TYPE_sockaddr_out, RETURN, OP_BYTES, 0, ADDRESS},
    {SYSCALL_TYPE_msghdr_in, ENTRY, OP_MESSAGE, 0, LIMIT},
    {SYSCALL_TYPE_msghdr_out, BOTH, OP_MESSAGE, 0, LIMIT},
    {SYSCALL_TYPE_sockopt_out, RETURN, OP_BYTES, 0, ADDRESS},
    {SYSCALL_TYPE_prctl_arg, BOTH, OP_BYTES, 0, 16},
    {SYSCALL_TYPE_arch_prctl_arg, BOTH, OP_BYTES, 0, 8},
    {SYSCALL_TYPE_cap_data, ENTRY, OP_BYTES, 0, 24},
    {SYSCALL_TYPE_cap_data_out, RETURN, OP_BYTES, 0, 24},
    {SYSCALL_TYPE_seccomp_arg, ENTRY, OP_BYTES, 0, 16},
    {SYSCALL_TYPE_perf_attr, ENTRY, OP_BYTES, 0, 128},
    {SYSCALL_TYPE_futex_timeout, ENTRY, OP_BYTES, 0, 16},
    {SYSCALL_TYPE_futex_waiters, ENTRY, OP_LENGTH, 24, SHOWN * 24},
    {SYSCALL_TYPE_sembufs, ENTRY, OP_LENGTH, 6, SHOWN * 6},
    {SYSCALL_TYPE_msgbuf_in, ENTRY, OP_BYTES, 0, LIMIT},
    {SYSCALL_TYPE_msgbuf_out, RETURN, OP_BYTES, 0, LIMIT},
};

static bool add_op(struct op *ops, uint8_t *n, struct op op)
{
    if (*n == PLAN_OPS)
        return false;
    ops[(*n)++] = op;
    return true;
}

static void add_when(struct plan *p, unsigned when, struct op op)
{
    if (when & ENTRY)
        add_op(p->entry, &p->nentry, op);
    if (when & RETURN)
        add_op(p->at_return, &p->nreturn, op);
}

static void add_more(struct plan *p, unsigned type, struct op op, uint32_t limit, bool wide)
{
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        if (more[i].type != type)
            continue;
        op.kind = more[i].kind;
        op.scale = more[i].scale;
        op.max = more[i].max ? more[i].max : limit;
        /* Vectors and messages of 32-bit programs have another layout, so their contents are not
         * read. */
        if (!wide && (op.kind == OP_VECTOR || op.kind == OP_MESSAGE || op.kind == OP_STRINGS)) {
            op.kind = OP_BYTES;
            op.max = 256;
        }
        add_when(p, more[i].when, op);
    }
}

static bool is_buffer(unsigned type)
{
    return type == SYSCALL_TYPE_buf_in || type == SYSCALL_TYPE_buf_out ||
           type == SYSCALL_TYPE_text_out;
}

/* fcntl's argument is a number for most commands. Sources: asm-generic/fcntl.h, linux/fcntl.h. */
static void add_fcntl_commands(struct plan *p)
{
    static const uint8_t in[] = {5, 6, 7, 12, 13, 14, 15, 36, 37, 38}; /* locks; F_SETOWN_EX */
    static const uint8_t out[] = {5, 12, 16, 36};                      /* locks; F_GETOWN_EX */
    p->by_command = 1;
    for (size_t i = 0; i < sizeof in; i++)
        p->entry_commands |= UINT64_C(1) << in[i];
    for (size_t i = 0; i < sizeof out; i++)
        p->return_commands |= UINT64_C(1) << out[i];
}

static void add_argument(struct plan *p, const struct syscall_call *call, unsigned arg,
                         uint32_t limit, bool wide)
{
    const unsigned type = call->args[arg].type;
    const struct type *t = &syscall_types[type];
    const int8_t other = call->args[arg].other;
    if (type == SYSCALL_TYPE_sigframe)
        arg = ARG_STACK;
    if (type == SYSCALL_TYPE_fcntl_arg)
        add_fcntl_commands(p);
    struct op op = {.arg = (uint8_t)arg, .other = (uint8_t)(other < 0 ? 255 : other), .scale = 1};
    switch (t->size) {
    case NOTHING:
        return;
    case MORE:
        add_more(p, type, op, limit, wide);
        return;
    case STRING:
    case PATH:
        op.kind = OP_STRING;
        op.max = t->size == PATH ? PATH_BYTES : limit;
        break;
    case LENGTH:
    case RESULT:
        op.kind = t->size == LENGTH ? OP_LENGTH : OP_RESULT;
        op.max = is_buffer(type) ? limit : STRUCTURE;
        break;
    default:
        op.kind = OP_BYTES;
        op.max = (uint32_t)t->size;
    }
    add_when(p, t->when, op);
}

/* Sets late for a call that reads only paths: no call changes these, except by writing its result
 * over one. For fcntl that depends on the command. */
static void find_late_paths(struct plan *p, const struct syscall_call *call, unsigned abi)
{
    unsigned paths = 0, others = 0;
    for (unsigned arg = 0; arg < call->nargs; arg++) {
        const unsigned type = call->args[arg].type;
        const bool path = syscall_types[type].size == PATH && syscall_types[type].when == ENTRY;
        if (path)
            p->path = (uint8_t)arg;
        paths += path;
        others += !path && (syscall_types[type].when & ENTRY);
    }
    p->out = p->nreturn ? p->at_return[0].arg : 0;
    p->late = abi == SYSCALL_X86_64 &&
              (p->by_command || (others == 0 && paths > 0 && p->out < 6 &&
                                 (p->nreturn == 0 || (p->nreturn == 1 && paths == 1))));
}

/* Moves the entry's operations to the end, so that they and those of the return can be done at
 * once. */
static void move_to_end(struct plan *p)
{
    const unsigned free = PLAN_OPS - p->nentry;
    memmove(p->entry + free, p->entry, p->nentry * sizeof *p->entry);
    memset(p->entry, 0, free * sizeof *p->entry);
}

void plans_fill(struct plan *plans, const struct tracer_setup *setup)
{
    static const unsigned abis[PLAN_ABIS] = {SYSCALL_X86_64, SYSCALL_I386, SYSCALL_X32};
    const uint32_t limit = setup->string_limit < TEXT_MOST ? setup->string_limit : TEXT_MOST;
    memset(plans, 0, PLANS * sizeof *plans);
    for (uint32_t i = 0; i < PLANS; i++) {
        const unsigned abi = abis[i / PLAN_NUMBERS];
        const uint32_t number = i % PLAN_NUMBERS;
        const struct syscall_call *call = syscall_find(abi, number);
        struct plan *p = &plans[i];
        p->wanted =
            syscall_filter_wants(setup->calls, abi, number) || number == SYSCALL_IO_URING_SETUP;
        if (!p->wanted || !call || setup->counts_only)
            continue;
        /* Two more bytes: for the NUL, and for one that shows a longer string. */
        for (unsigned arg = 0; arg < call->nargs; arg++)
            add_argument(p, call, arg, limit + 2, abi == SYSCALL_X86_64);
        find_late_paths(p, call, abi);
        move_to_end(p);
    }
}
