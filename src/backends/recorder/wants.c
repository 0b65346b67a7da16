/* Which memory to copy for arguments whose size the table of types does not tell. */
#include "backends/recorder/recorder_impl.h"

#include <stddef.h>

#include "engine/syscalls/calls_impl.h"
#include "engine/syscalls/decode/types.h"

enum {
    LIMIT = -1,     /* the limit for strings and buffers */
    LONGEST = 4095, /* PATH_MAX without the NUL */
    SOME = 4096,    /* for structures whose length the program tells */
    ALL = 60000,    /* for lists with a count */
    SHOWN = 32      /* elements */
};

/* Types whose memory has no fixed size, or whose size only their decoder knows. A type may have two
 * rows. Sizes of elements: struct pollfd 8, epoll_event 12 (packed), sembuf 6, futex_waitv 24,
 * gid_t 4. Source: the kernel's headers of these structures, for x86-64. */
static const struct {
    uint16_t type;
    uint8_t when, how;
    uint16_t unit, more;
    int32_t max;
} rows[] = {
    {SYSCALL_TYPE_buf_in, ENTRY, SYSCALL_COPY_LENGTH, 1, 0, LIMIT},
    {SYSCALL_TYPE_buf_out, RETURN, SYSCALL_COPY_RESULT, 1, 0, LIMIT},
    {SYSCALL_TYPE_text_out, RETURN, SYSCALL_COPY_RESULT, 1, 0, LIMIT},
    {SYSCALL_TYPE_random_out, RETURN, SYSCALL_COPY_RESULT, 1, 0, LIMIT},
    {SYSCALL_TYPE_xattr_out, RETURN, SYSCALL_COPY_RESULT, 1, 0, LIMIT},
    {SYSCALL_TYPE_dirents_out, RETURN, SYSCALL_COPY_RESULT, 1, 0, ALL},
    {SYSCALL_TYPE_argv, ENTRY, SYSCALL_COPY_STRINGS, 0, 0, LIMIT},
    {SYSCALL_TYPE_envp, ENTRY, SYSCALL_COPY_POINTERS, 0, 0, 0},
    {SYSCALL_TYPE_iovec_in, ENTRY, SYSCALL_COPY_VECTOR, 0, 0, LIMIT},
    {SYSCALL_TYPE_iovec_out, BOTH, SYSCALL_COPY_VECTOR, 0, 0, LIMIT},
    {SYSCALL_TYPE_iovec_far, ENTRY, SYSCALL_COPY_LENGTH, 16, 0, SHOWN * 16},
    {SYSCALL_TYPE_gids_in, ENTRY, SYSCALL_COPY_LENGTH, 4, 0, SHOWN * 4},
    {SYSCALL_TYPE_gids_out, RETURN, SYSCALL_COPY_RESULT, 4, 0, SHOWN * 4},
    {SYSCALL_TYPE_mincore_out, RETURN, SYSCALL_COPY_PAGES, 1, 0, SHOWN},
    {SYSCALL_TYPE_fcntl_arg, BOTH, SYSCALL_COPY_LOCK, 0, 0, 32},
    {SYSCALL_TYPE_ioctl_arg, BOTH, SYSCALL_COPY_FIXED, 0, 0, 8},
    {SYSCALL_TYPE_fsconfig_value, ENTRY, SYSCALL_COPY_TEXT, 0, 0, LIMIT},
    {SYSCALL_TYPE_nodemask, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 8},
    {SYSCALL_TYPE_nodemask_out, RETURN, SYSCALL_COPY_FIXED, 0, 0, 8},
    {SYSCALL_TYPE_sigframe, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 8}, /* the hook knows the address */
    {SYSCALL_TYPE_sigset_pair, ENTRY, SYSCALL_COPY_SET, 0, 0, 16},
    {SYSCALL_TYPE_pollfds, ENTRY, SYSCALL_COPY_LENGTH, 8, 0, SHOWN * 8},
    {SYSCALL_TYPE_pollfds, RETURN, SYSCALL_COPY_LENGTH, 8, 0, 8 * SOME},
    {SYSCALL_TYPE_fdset, BOTH, SYSCALL_COPY_BITS, 0, 0, 128},
    {SYSCALL_TYPE_epoll_event, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 12},
    {SYSCALL_TYPE_epoll_events_out, RETURN, SYSCALL_COPY_RESULT, 12, 0, SHOWN * 12},
    {SYSCALL_TYPE_sockaddr_in, ENTRY, SYSCALL_COPY_LENGTH, 1, 0, 128},
    {SYSCALL_TYPE_sockaddr_out, RETURN, SYSCALL_COPY_POINTED, 0, 0, 128},
    {SYSCALL_TYPE_msghdr_in, ENTRY, SYSCALL_COPY_MESSAGE, 0, 0, LIMIT},
    {SYSCALL_TYPE_msghdr_out, BOTH, SYSCALL_COPY_MESSAGE, 0, 0, LIMIT},
    {SYSCALL_TYPE_mmsghdr_in, BOTH, SYSCALL_COPY_MESSAGES, 1, 0, LIMIT},
    {SYSCALL_TYPE_mmsghdr_out, BOTH, SYSCALL_COPY_MESSAGES, 0, 0, LIMIT},
    {SYSCALL_TYPE_sockopt_out, RETURN, SYSCALL_COPY_POINTED, 0, 0, SOME},
    {SYSCALL_TYPE_clone_args, BOTH, SYSCALL_COPY_CLONE, 0, 0, 88},
    {SYSCALL_TYPE_arch_prctl_arg, RETURN, SYSCALL_COPY_FIXED, 0, 0, 8},
    {SYSCALL_TYPE_cap_data, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 24},
    {SYSCALL_TYPE_cap_data_out, RETURN, SYSCALL_COPY_FIXED, 0, 0, 24},
    {SYSCALL_TYPE_seccomp_arg, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 16},
    {SYSCALL_TYPE_perf_attr, ENTRY, SYSCALL_COPY_FIXED, 0, 0, 24},
    {SYSCALL_TYPE_futex_timeout, ENTRY, SYSCALL_COPY_TIMEOUT, 0, 0, 16},
    {SYSCALL_TYPE_futex_waiters, ENTRY, SYSCALL_COPY_LENGTH, 24, 0, SHOWN * 24},
    {SYSCALL_TYPE_sembufs, ENTRY, SYSCALL_COPY_LENGTH, 6, 0, SHOWN * 6},
    {SYSCALL_TYPE_msgbuf_in, ENTRY, SYSCALL_COPY_LENGTH, 1, 8, LIMIT},
    {SYSCALL_TYPE_msgbuf_out, RETURN, SYSCALL_COPY_RESULT, 1, 8, LIMIT},
};

struct filling {
    struct syscall_control *control;
    uint32_t n, limit;
};

static void add_copy(struct filling *x, struct syscall_copy row)
{
    if (x->n < SYSCALL_RING_COPIES)
        x->control->copies[x->n++] = row;
}

/* prctl's second argument may be a name of 15 bytes, its fifth one of 80. Source: prctl(2). */
static void add_prctl(struct filling *x, uint8_t arg)
{
    if (arg == 1) {
        add_copy(x, (struct syscall_copy){
                        .how = SYSCALL_COPY_TEXT, .arg = arg, .when = ENTRY, .max = 15});
        add_copy(x, (struct syscall_copy){
                        .how = SYSCALL_COPY_FIXED, .arg = arg, .when = RETURN, .max = 16});
    } else if (arg == 4) {
        add_copy(x, (struct syscall_copy){
                        .how = SYSCALL_COPY_TEXT, .arg = arg, .when = ENTRY, .max = 80});
    }
}

static bool add_rows(struct filling *x, uint8_t arg, unsigned type, uint8_t other)
{
    bool found = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].type != type)
            continue;
        const uint32_t max = rows[i].max == LIMIT ? x->limit : (uint32_t)rows[i].max;
        add_copy(x, (struct syscall_copy){.how = rows[i].how,
                                          .arg = arg,
                                          .other = other,
                                          .when = rows[i].when,
                                          .unit = rows[i].unit,
                                          .more = rows[i].more,
                                          .max = max + rows[i].more});
        found = true;
    }
    return found;
}

/* Adds the memory that the table of types tells. */
static void add_plain(struct filling *x, uint8_t arg, const struct type *type, uint8_t other)
{
    struct syscall_copy row = {.arg = arg, .other = other, .when = type->when, .unit = 1};
    switch (type->size) {
    case NOTHING:
    case MORE:
        return;
    case STRING:
        row.how = SYSCALL_COPY_TEXT;
        row.max = x->limit;
        break;
    case PATH:
        row.how = SYSCALL_COPY_TEXT;
        row.max = LONGEST;
        break;
    case LENGTH:
        row.how = SYSCALL_COPY_LENGTH;
        row.max = SOME;
        break;
    case RESULT:
        row.how = SYSCALL_COPY_RESULT;
        row.max = SOME;
        break;
    default:
        row.how = SYSCALL_COPY_FIXED;
        row.max = (uint32_t)type->size;
    }
    add_copy(x, row);
}

static void add_call_wants(struct filling *x, const struct syscall_call *call)
{
    for (uint8_t arg = 0; arg < call->nargs; arg++) {
        const unsigned type = call->args[arg].type;
        const uint8_t other = call->args[arg].other < 0 ? arg : (uint8_t)call->args[arg].other;
        if (type == SYSCALL_TYPE_prctl_arg)
            add_prctl(x, arg);
        else if (!add_rows(x, arg, type, other))
            add_plain(x, arg, &syscall_types[type], other);
    }
}

void wants_fill(struct syscall_control *c, const struct tracer_setup *setup)
{
    enum { LARGEST = SYSCALL_PIECES / 2, NR_WAIT4 = 61, NR_WAITID = 247 };
    struct filling x = {.control = c, .limit = setup->string_limit};
    if (x.limit > LARGEST)
        x.limit = LARGEST;
    for (uint32_t i = 0; i < SYSCALL_RING_CALLS; i++) {
        const struct syscall_call *call = syscall_find(SYSCALL_X86_64, i);
        c->copies_from[i] = (uint16_t)x.n;
        const bool tells_ends = i == NR_WAIT4 || i == NR_WAITID;
        if (call && !setup->counts_only &&
            (tells_ends || syscall_filter_wants(setup->calls, SYSCALL_X86_64, i)))
            add_call_wants(&x, call);
    }
    c->copies_from[SYSCALL_RING_CALLS] = (uint16_t)x.n;
}
