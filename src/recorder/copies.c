/*
 * Copies the memory that arguments point to, when the kernel reads it or has just written it. In
 * the control rooftop says what to copy for each call (backends/recorder/wants.c).
 */
#include <linux/sched.h>

#include "recorder/recorder.h"

enum {
    ENTRY = 1,
    RETURN = 2,
    MOST = 64 * 1024, /* limit of bytes at a call's entry, and at its return */
    ELEMENTS = 32,    /* limit of elements of vectors and lists */
    PART = 3,         /* elements at a time, because they are on the program's stack */
    NAME = 128,       /* struct sockaddr_storage */
    CONTROL = 512,    /* control data of a message */
    INTERRUPTED = 4,  /* EINTR: calls that it ends may write the time left */
    PAGE = 4096,
};

struct vector { /* struct iovec */
    uint64_t base, length;
};
struct message { /* struct msghdr */
    uint64_t name, name_length, vector, vectors, control, control_length, flags;
};

/* The copying for one call, at its entry or its return. */
struct copying {
    const struct frame *frame;
    uint64_t result, now;
    uint32_t flags; /* flags of each piece */
    uint32_t left;  /* bytes that may still be copied */
};

/* An argument as the program gave it. */
static uint64_t arg_of(const struct copying *c, unsigned i)
{
    const struct frame *f = c->frame;
    switch (i) {
    case 0:
        return f->rdi;
    case 1:
        return f->rsi;
    case 2:
        return f->rdx;
    case 3:
        return f->r10;
    case 4:
        return f->r8;
    default:
        return f->r9;
    }
}

static uint64_t smaller_of_two(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void put_copy(struct copying *c, uint64_t address, uint64_t size)
{
    struct ring_piece p = {c->frame->entry, c->now, address,
                           (uint32_t)smaller_of_two(size, c->left), c->flags};
    if (address && p.size)
        c->left -= ring_bytes(ring_here(), &p);
}

/* Copies a text of at most max bytes and its NUL, in growing parts, because most texts are short.
 */
static void copy_program_text(struct copying *c, uint64_t address, uint32_t max)
{
    const uint32_t record = sizeof(struct syscall_record);
    uint32_t part = SYSCALL_RING_INLINE + record, done = 0;
    while (address && done <= max && c->left > max - done) {
        struct ring_piece p = {c->frame->entry, c->now, address + done,
                               (uint32_t)smaller_of_two(part, max + 1 - done),
                               c->flags | SYSCALL_BYTES_TEXT};
        if (done + p.size > max)
            p.flags |= SYSCALL_BYTES_CUT;
        const uint32_t got = ring_bytes(ring_here(), &p);
        c->left -= got;
        done += got;
        part = SYSCALL_RING_INLINE + 8 * record;
        if (p.flags & (SYSCALL_BYTES_WHOLE | SYSCALL_BYTES_BAD))
            return;
    }
}

static bool is_at_return(const struct copying *c)
{
    return c->flags & SYSCALL_BYTES_RETURN;
}

/* Copies the buffers of a vector, at most `bytes` together and max of each. At the return the
 * vector itself is already known. */
static void put_vector(struct copying *c, uint64_t address, uint64_t n, uint64_t bytes,
                       uint32_t max, bool contents)
{
    struct vector part[PART] = {{0}};
    n = smaller_of_two(n, ELEMENTS);
    if (!is_at_return(c))
        put_copy(c, address, n * sizeof *part);
    for (uint64_t i = 0; contents && i < n && bytes; i += PART) {
        const uint64_t here = smaller_of_two(n - i, PART);
        if (!copy_in(part, address + i * sizeof *part, here * sizeof *part))
            return;
        for (uint64_t k = 0; k < here; k++) {
            const uint64_t length = smaller_of_two(part[k].length, bytes);
            put_copy(c, part[k].base, smaller_of_two(length, max));
            bytes -= length;
        }
    }
}

static void put_message(struct copying *c, uint64_t address, uint64_t bytes, uint32_t max,
                        bool contents)
{
    struct message m = {0};
    if (!copy_in(&m, address, sizeof m))
        return;
    put_copy(c, address, sizeof m);
    if (contents) {
        put_copy(c, m.name, smaller_of_two((uint32_t)m.name_length, NAME));
        put_copy(c, m.control, smaller_of_two(m.control_length, CONTROL));
    }
    put_vector(c, m.vector, m.vectors, bytes, max, contents);
}

/* Copies messages, each followed by its length. */
static void put_messages(struct copying *c, uint64_t address, uint64_t n, uint32_t max, bool sends)
{
    const uint64_t each = sizeof(struct message) + 8;
    for (uint64_t i = 0; i < smaller_of_two(n, ELEMENTS); i++) {
        const uint64_t at = address + i * each, length = at + sizeof(struct message);
        uint32_t bytes = UINT32_MAX;
        if (is_at_return(c)) {
            put_copy(c, length, sizeof bytes);
            if (!copy_in(&bytes, length, sizeof bytes))
                return;
        }
        if (!sends || !is_at_return(c))
            put_message(c, at, bytes, max, sends || is_at_return(c));
    }
}

/* Copies addresses up to a NULL. max: limit of the text at each; 0: no texts. */
static void copy_pointer_list(struct copying *c, uint64_t address, uint64_t most, uint32_t max)
{
    uint64_t part[PART] = {0};
    for (uint64_t n = 0; n < most; n += PART) {
        put_copy(c, address + n * sizeof *part, sizeof part);
        for (unsigned k = 0; k < PART; k++) {
            if (!copy_in(&part[k], address + (n + k) * sizeof *part, sizeof *part) || !part[k])
                return;
            if (max)
                copy_program_text(c, part[k], max);
        }
    }
}

static void put_set(struct copying *c, uint64_t address)
{
    struct vector pair = {0};
    put_copy(c, address, sizeof pair);
    if (copy_in(&pair, address, sizeof pair))
        put_copy(c, pair.base, smaller_of_two(pair.length, sizeof(uint64_t)));
}

static void put_clone(struct copying *c, uint64_t address, uint64_t size)
{
    struct clone_args a = {0};
    if (!is_at_return(c)) {
        put_copy(c, address, smaller_of_two(size, sizeof a));
        return;
    }
    if (!copy_in(&a, address, CLONE_ARGS_SIZE_VER0))
        return;
    if (a.flags & CLONE_PIDFD)
        put_copy(c, a.pidfd, sizeof(int32_t));
    if (a.flags & CLONE_PARENT_SETTID)
        put_copy(c, a.parent_tid, sizeof(int32_t));
}

/* Commands of fcntl that take an address. Source: linux/fcntl.h, asm-generic/fcntl.h. */
static bool takes_lock(uint32_t command)
{
    return (command >= 5 && command <= 7) ||     /* F_GETLK to F_SETLKW */
           (command >= 36 && command <= 38) ||   /* F_OFD_GETLK to F_OFD_SETLKW */
           command == 15 || command == 16 ||     /* F_SETOWN_EX, F_GETOWN_EX */
           (command >= 1035 && command <= 1038); /* F_GET_RW_HINT to F_SET_FILE_RW_HINT */
}

/* Operations of futex that take a time. Source: futex(2). */
static bool takes_time(uint32_t op)
{
    op &= ~(uint32_t)(128 | 256); /* FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME */
    return op == 0 || op == 6 || op == 9 || op == 11 || op == 13;
}

static uint64_t pointed_length(const struct copying *c, const struct syscall_copy *row)
{
    uint32_t n = 0;
    return copy_in(&n, arg_of(c, row->other), sizeof n) ? n : 0;
}

/* The bytes of an argument that is a single piece. */
static uint64_t argument_size(const struct copying *c, const struct syscall_copy *row)
{
    const uint64_t other = arg_of(c, row->other);
    switch (row->how) {
    case SYSCALL_COPY_LENGTH:
        return row->more + smaller_of_two(other, row->max) * row->unit;
    case SYSCALL_COPY_RESULT:
        return row->more + smaller_of_two(c->result, row->max) * row->unit;
    case SYSCALL_COPY_POINTED:
        return pointed_length(c, row);
    case SYSCALL_COPY_BITS:
        return (smaller_of_two(other, UINT32_MAX) + 63) / 64 * 8;
    case SYSCALL_COPY_PAGES:
        return (smaller_of_two(other, UINT32_MAX) + PAGE - 1) / PAGE;
    case SYSCALL_COPY_LOCK:
        return takes_lock((uint32_t)other) ? row->max : 0;
    case SYSCALL_COPY_TIMEOUT:
        return takes_time((uint32_t)arg_of(c, 1)) ? row->max : 0;
    default:
        return row->max;
    }
}

static void put_argument(struct copying *c, const struct syscall_copy *row)
{
    const uint64_t address = arg_of(c, row->arg), other = arg_of(c, row->other);
    const bool sends = row->when == ENTRY; /* false: the kernel fills it */
    const bool contents = sends || is_at_return(c);
    const uint64_t bytes = is_at_return(c) ? c->result : UINT64_MAX;
    switch (row->how) {
    case SYSCALL_COPY_TEXT:
        copy_program_text(c, address, row->max);
        break;
    case SYSCALL_COPY_VECTOR:
        put_vector(c, address, other, bytes, row->max, contents);
        break;
    case SYSCALL_COPY_MESSAGE:
        put_message(c, address, bytes, row->max, contents);
        break;
    case SYSCALL_COPY_MESSAGES:
        put_messages(c, address, is_at_return(c) ? c->result : arg_of(c, row->other), row->max,
                     row->unit == ENTRY);
        break;
    case SYSCALL_COPY_STRINGS:
        copy_pointer_list(c, address, ELEMENTS + 1, row->max);
        break;
    case SYSCALL_COPY_POINTERS:
        copy_pointer_list(c, address, PAGE, 0);
        break;
    case SYSCALL_COPY_SET:
        put_set(c, address);
        break;
    case SYSCALL_COPY_CLONE:
        put_clone(c, address, other);
        break;
    default:
        put_copy(c, address, smaller_of_two(argument_size(c, row), row->max));
    }
}

bool copies_wanted(uint32_t number)
{
    const uint16_t *from = recorder_control->copies_from;
    return number < SYSCALL_RING_CALLS && from[number] < from[number + 1];
}

static bool put_arguments(const struct frame *f, uint32_t number, unsigned when, uint64_t now)
{
    const struct syscall_control *control = recorder_control;
    if (!copies_wanted(number))
        return false;
    const unsigned from = control->copies_from[number], to = control->copies_from[number + 1];
    struct copying c = {.frame = f,
                        .result = call_failed((long)f->rax) ? 0 : f->rax,
                        .now = now,
                        .flags = when == RETURN ? SYSCALL_BYTES_RETURN : 0,
                        .left = MOST};
    for (unsigned i = from; i < to && i < SYSCALL_RING_COPIES; i++)
        if ((control->copies[i].when & when) && arg_of(&c, control->copies[i].arg))
            put_argument(&c, &control->copies[i]);
    return true;
}

void copies_start(void)
{
    for (uint32_t i = 0; i < SYSCALL_RING_CALLS; i++)
        recorder_careful[i] |= copies_wanted(i);
}

void copies_entry(struct frame *f)
{
    f->began = 0;
    if (put_arguments(f, (uint32_t)f->number, ENTRY, ring_now()))
        f->began = ring_now();
}

void copies_return(struct frame *f)
{
    const bool failed = call_failed((long)f->rax);
    if (!failed || f->rax == (uint64_t)-INTERRUPTED)
        put_arguments(f, (uint32_t)f->number, RETURN, f->ended);
}
