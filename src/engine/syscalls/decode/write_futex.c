/* Futexes: the operation decides which arguments exist. */
#include "engine/syscalls/decode/decode_impl.h"
#include "engine/syscalls/decode/types.h"

#include <linux/futex.h>

#define VALUE (d->e->args[arg])

enum {
    HAS_VAL = 1,
    HAS_TIMEOUT = 2,
    HAS_VAL2 = 4,
    HAS_UADDR2 = 8,
    HAS_VAL3 = 16,
    MASK = 32,
    WAKE_OP = 64
};

/* Source: the manual page futex(2), and FUTEX_LOCK_PI2 in the kernel's futex documentation. */
static const struct {
    uint8_t op, has;
} operations[] = {
    {FUTEX_WAIT, HAS_VAL | HAS_TIMEOUT},
    {FUTEX_WAKE, HAS_VAL},
    {FUTEX_FD, HAS_VAL},
    {FUTEX_REQUEUE, HAS_VAL | HAS_VAL2 | HAS_UADDR2},
    {FUTEX_CMP_REQUEUE, HAS_VAL | HAS_VAL2 | HAS_UADDR2 | HAS_VAL3},
    {FUTEX_WAKE_OP, HAS_VAL | HAS_VAL2 | HAS_UADDR2 | HAS_VAL3 | WAKE_OP},
    {FUTEX_LOCK_PI, HAS_TIMEOUT},
    {FUTEX_LOCK_PI2, HAS_TIMEOUT},
    {FUTEX_UNLOCK_PI, 0},
    {FUTEX_TRYLOCK_PI, 0},
    {FUTEX_WAIT_BITSET, HAS_VAL | HAS_TIMEOUT | HAS_VAL3 | MASK},
    {FUTEX_WAKE_BITSET, HAS_VAL | HAS_VAL3 | MASK},
    {FUTEX_WAIT_REQUEUE_PI, HAS_VAL | HAS_TIMEOUT | HAS_UADDR2},
    {FUTEX_CMP_REQUEUE_PI, HAS_VAL | HAS_VAL2 | HAS_UADDR2 | HAS_VAL3},
};

static unsigned find_futex_arguments(const struct decoder *d)
{
    uint32_t op = (uint32_t)d->e->args[1] & (uint32_t)FUTEX_CMD_MASK;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return operations[i].has;
    return HAS_VAL | HAS_TIMEOUT | HAS_UADDR2 | HAS_VAL3;
}

bool futex_arg_absent(const struct decoder *d, unsigned arg)
{
    static const uint8_t needs[] = {0, 0, HAS_VAL, HAS_TIMEOUT | HAS_VAL2, HAS_UADDR2, HAS_VAL3};
    unsigned there = find_futex_arguments(d);
    if (needs[arg] & there || arg < 2)
        return false;
    return true;
}

static bool operation_known(const struct decoder *d)
{
    return constant_name(&constants_futex_ops, (uint32_t)d->e->args[1] & (uint32_t)FUTEX_CMD_MASK);
}

void write_futex_op(struct decoder *d, unsigned arg)
{
    uint32_t op = (uint32_t)VALUE;
    const char *name = constant_name(&constants_futex_ops, op & (uint32_t)FUTEX_CMD_MASK);
    if (!name) {
        emit(d, "%#x /* FUTEX_??? */", op);
        return;
    }
    emit(d, "%s%s%s", name, op & FUTEX_PRIVATE_FLAG ? "_PRIVATE" : "",
         op & FUTEX_CLOCK_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "");
}

void write_futex_val(struct decoder *d, unsigned arg)
{
    emit_unsigned(d, (unsigned)VALUE);
}

void write_futex_timeout(struct decoder *d, unsigned arg)
{
    if (find_futex_arguments(d) & HAS_VAL2)
        emit_unsigned(d, (unsigned)VALUE);
    else
        emit_timespec(d, AT_ENTRY, VALUE);
}

/* FUTEX_OP(op, oparg, cmp, cmparg) packed in 4, 4, 12 and 12 bits. */
static void emit_wake_op(struct decoder *d, uint32_t value)
{
    enum { SHIFT = 8 }; /* FUTEX_OP_OPARG_SHIFT */
    uint32_t op = value >> 28;
    if (op & SHIFT)
        emit_text(d, "FUTEX_OP_OPARG_SHIFT<<28|");
    emit_constant(d, &constants_futex_wake_ops, op & ~(uint32_t)SHIFT);
    emit(d, "<<28|%#x<<12|", value >> 12 & 0xfff);
    emit_constant(d, &constants_futex_wake_cmps, value >> 24 & 0xf);
    emit(d, "<<24|%#x", value & 0xfff);
}

void write_futex_val3(struct decoder *d, unsigned arg)
{
    unsigned there = find_futex_arguments(d);
    if (there & WAKE_OP)
        emit_wake_op(d, (uint32_t)VALUE);
    else if (there & MASK && (uint32_t)VALUE == FUTEX_BITSET_MATCH_ANY)
        emit_text(d, "FUTEX_BITSET_MATCH_ANY");
    else if (there & MASK || !operation_known(d))
        emit_hex(d, (uint32_t)VALUE);
    else
        emit_unsigned(d, (uint32_t)VALUE);
}

static void emit_waiter(struct decoder *d, uint64_t address)
{
    struct futex_waitv w;
    if (!take(d, AT_ENTRY, address, &w, sizeof w)) {
        emit_address(d, address);
        return;
    }
    emit(d, "{val=%#llx, uaddr=", (unsigned long long)w.val);
    emit_address(d, w.uaddr);
    emit_text(d, ", flags=");
    emit_flags(d, &constants_futex_waiter_flags, w.flags);
    emit_text(d, "}");
}

void write_futex_waiters(struct decoder *d, unsigned arg)
{
    uint64_t n =
        d->call->args[arg].other < 0 ? 2 : (uint32_t)other(d, arg); /* futex_requeue: two */
    size_t got;
    if (n && look(d, AT_ENTRY, VALUE, (n > 32 ? 32 : n) * sizeof(struct futex_waitv), &got))
        emit_array(d, VALUE, n, sizeof(struct futex_waitv), emit_waiter);
    else
        emit_address(d, VALUE);
}
