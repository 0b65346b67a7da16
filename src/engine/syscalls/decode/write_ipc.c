/* System V IPC, message queues, io_uring. */
#include "engine/syscalls/decode/types.h"

#include <linux/io_uring.h>

#define VALUE (d->e->args[arg])

void write_ipc_key(struct decoder *d, unsigned arg)
{
    if (VALUE)
        emit_hex(d, (uint32_t)VALUE);
    else
        emit_text(d, "IPC_PRIVATE");
}

/* Flags, then the mode in octal: IPC_CREAT|0600. */
static void emit_flags_and_mode(struct decoder *d, const struct constants *table, uint32_t value)
{
    enum { MODE = 0777 };
    if (value & ~(uint32_t)MODE) {
        emit_flags(d, table, value & ~(uint32_t)MODE);
        emit_text(d, "|");
    }
    emit_mode(d, value & MODE);
}

void write_ipc_flags(struct decoder *d, unsigned arg)
{
    emit_flags_and_mode(d, &constants_ipc_flags, (uint32_t)VALUE);
}

void write_shmget_flags(struct decoder *d, unsigned arg)
{
    emit_flags_and_mode(d, &constants_shmget_flags, (uint32_t)VALUE);
}

static void emit_sembuf(struct decoder *d, uint64_t address)
{
    struct {
        uint16_t number;
        int16_t op, flags;
    } s;
    if (!take(d, AT_ENTRY, address, &s, sizeof s)) {
        emit_address(d, address);
        return;
    }
    emit(d, "{sem_num=%u, sem_op=%d, sem_flg=", s.number, s.op);
    emit_flags(d, &constants_sem_flags, (uint16_t)s.flags);
    emit_text(d, "}");
}

void write_sembufs(struct decoder *d, unsigned arg)
{
    uint64_t n = (uint32_t)other(d, arg);
    size_t got;
    if (n && look(d, AT_ENTRY, VALUE, (n > 32 ? 32 : n) * 6, &got))
        emit_array(d, VALUE, n, 6, emit_sembuf);
    else
        emit_address(d, VALUE);
}

void write_semctl_arg(struct decoder *d, unsigned arg)
{
    emit_address(d, VALUE);
}

/* struct msgbuf: the type in a long, then the text. */
static void emit_msgbuf(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    int64_t type;
    if (!take_longs(d, when, address, &type, 1)) {
        emit_address(d, address);
        return;
    }
    emit(d, "{mtype=%lld, mtext=", (long long)type);
    emit_buffer(d, when, address + long_size(d), n);
    emit_text(d, "}");
}

void write_msgbuf_in(struct decoder *d, unsigned arg)
{
    emit_msgbuf(d, AT_ENTRY, VALUE, other(d, arg));
}

void write_msgbuf_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_msgbuf(d, AT_RETURN, VALUE, (uint64_t)d->e->result);
    else
        emit_address(d, VALUE);
}

static void emit_mq_attr(struct decoder *d, bool when, uint64_t address)
{
    int64_t a[4];
    if (!take_longs(d, when, address, a, 4)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{mq_flags=");
    emit_flags(d, &constants_open_flags_x86, (uint64_t)a[0]);
    emit(d, ", mq_maxmsg=%lld, mq_msgsize=%lld, mq_curmsgs=%lld}", (long long)a[1], (long long)a[2],
         (long long)a[3]);
}

void write_mq_attr(struct decoder *d, unsigned arg)
{
    emit_mq_attr(d, AT_ENTRY, VALUE);
}

void write_mq_attr_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_mq_attr(d, AT_RETURN, VALUE);
    else
        emit_address(d, VALUE);
}

/* Writes what the caller asked for and what the kernel made. */
void write_io_uring_params(struct decoder *d, unsigned arg)
{
    struct io_uring_params p;
    if (!take(d, AT_ENTRY, VALUE, &p, sizeof p)) {
        emit_address(d, VALUE);
        return;
    }
    emit_text(d, "{flags=");
    emit_flags(d, &constants_io_uring_setup_flags, p.flags);
    emit(d, ", sq_thread_cpu=%u, sq_thread_idle=%u", p.sq_thread_cpu, p.sq_thread_idle);
    if (p.flags & IORING_SETUP_ATTACH_WQ)
        emit(d, ", wq_fd=%d", (int)p.wq_fd);
    if (has_result(d) && take(d, AT_RETURN, VALUE, &p, sizeof p)) {
        emit(d, ", sq_entries=%u, cq_entries=%u, features=", p.sq_entries, p.cq_entries);
        emit_flags(d, &constants_io_uring_features, p.features);
        emit(d,
             ", sq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, flags=%u, dropped=%u, "
             "array=%u}",
             p.sq_off.head, p.sq_off.tail, p.sq_off.ring_mask, p.sq_off.ring_entries,
             p.sq_off.flags, p.sq_off.dropped, p.sq_off.array);
        emit(d,
             ", cq_off={head=%u, tail=%u, ring_mask=%u, ring_entries=%u, overflow=%u, cqes=%u, "
             "flags=%u}",
             p.cq_off.head, p.cq_off.tail, p.cq_off.ring_mask, p.cq_off.ring_entries,
             p.cq_off.overflow, p.cq_off.cqes, p.cq_off.flags);
    }
    emit_text(d, "}");
}
