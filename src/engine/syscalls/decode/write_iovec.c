/* Buffers in several parts: iovecs and messages. */
#include "engine/syscalls/decode/types.h"

#include <string.h>

#define VALUE (d->e->args[arg])

enum { SHOWN = 32 };

static const uint64_t ALL = UINT64_MAX;

/* Reads base and length, each as large as a pointer. */
static bool take_iovec_pair(struct decoder *d, bool when, uint64_t address, uint64_t pair[2])
{
    uint32_t small[2];
    if (pointer_size(d) == 8)
        return take(d, when, address, pair, 16);
    if (!take(d, when, address, small, sizeof small))
        return false;
    pair[0] = small[0];
    pair[1] = small[1];
    return true;
}

/* Writes a vector, which is read at the entry. data: its buffers are those at the return. bytes:
 * how many bytes of all buffers count. contents false: writes only addresses. */
static void emit_vector(struct decoder *d, bool data, uint64_t address, uint64_t count,
                        uint64_t bytes, bool contents)
{
    size_t size = 2 * pointer_size(d), got;
    if (!address || !count) {
        if (address)
            emit_text(d, "[]");
        else
            emit_address(d, address);
        return;
    }
    if (!look(d, AT_ENTRY, address, (count > SHOWN ? SHOWN : count) * size, &got)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    for (uint64_t i = 0; i < count && i < SHOWN; i++) {
        uint64_t pair[2], n;
        emit(d, i ? ", " : "");
        if (!take_iovec_pair(d, AT_ENTRY, address + i * size, pair)) {
            emit_address(d, address + i * size);
            break;
        }
        n = pair[1] < bytes ? pair[1] : bytes;
        bytes -= n;
        emit_text(d, "{iov_base=");
        if (contents)
            emit_buffer(d, data, pair[0], n);
        else
            emit_address(d, pair[0]);
        emit(d, ", iov_len=%llu}", (unsigned long long)pair[1]);
    }
    emit(d, count > SHOWN ? ", ...]" : "]");
}

/* Writes a vector of count elements, but only the first `bytes` bytes of their buffers. */
static void emit_iovec(struct decoder *d, bool when, uint64_t address, uint64_t count,
                       uint64_t bytes)
{
    emit_vector(d, when, address, count, bytes, true);
}

void write_iovec_in(struct decoder *d, unsigned arg)
{
    emit_iovec(d, AT_ENTRY, VALUE, other(d, arg), ALL);
}

void write_iovec_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_iovec(d, AT_RETURN, VALUE, other(d, arg), (uint64_t)d->e->result);
    else
        emit_vector(d, AT_RETURN, VALUE, other(d, arg), 0, false);
}

void write_iovec_far(struct decoder *d, unsigned arg)
{
    emit_vector(d, AT_ENTRY, VALUE, other(d, arg), 0, false);
}

/* struct msghdr of 64-bit ABIs; in others each member has 4 bytes. */
struct message {
    uint64_t name, iov, iovlen, control, controllen;
    uint32_t namelen, flags;
};

static bool take_message_header(struct decoder *d, bool when, uint64_t address, struct message *m)
{
    if (pointer_size(d) == 8) {
        uint64_t w[7];
        if (!take(d, when, address, w, sizeof w))
            return false;
        *m = (struct message){w[0], w[2], w[3], w[4], w[5], (uint32_t)w[1], (uint32_t)w[6]};
        return true;
    }
    uint32_t w[7];
    if (!take(d, when, address, w, sizeof w))
        return false;
    *m = (struct message){w[0], w[2], w[3], w[4], w[5], w[1], w[6]};
    return true;
}

static void emit_control_data(struct decoder *d, uint32_t level, uint32_t type, const uint8_t *data,
                              size_t n)
{
    enum { SOCKET = 1, RIGHTS = 1, CREDENTIALS = 2 };
    int32_t number[3];
    if (level == SOCKET && type == RIGHTS) {
        emit_text(d, "[");
        for (size_t i = 0; i + 4 <= n; i += 4) {
            memcpy(number, data + i, 4);
            emit(d, i ? ", " : "");
            emit_fd(d, number[0]);
        }
        emit_text(d, "]");
    } else if (level == SOCKET && type == CREDENTIALS && n >= sizeof number) {
        memcpy(number, data, sizeof number);
        emit_credentials(d, number);
    } else {
        emit_quoted(d, data, n, false);
    }
}

/* A list of struct cmsghdr, each padded to the size of a long. */
static void emit_control(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    uint8_t raw[512];
    size_t size = long_size(d), head = size + 8, kept = n > sizeof raw ? sizeof raw : n;
    if (n < head || !take(d, when, address, raw, kept)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    for (size_t at = 0; at + head <= kept;) {
        uint64_t length = 0;
        uint32_t level, type;
        memcpy(&length, raw + at, size);
        memcpy(&level, raw + at + size, 4);
        memcpy(&type, raw + at + size + 4, 4);
        if (length < head || length > kept - at) {
            emit(d, at ? ", ..." : "...");
            break;
        }
        emit(d, at ? ", {cmsg_len=%llu, cmsg_level=" : "{cmsg_len=%llu, cmsg_level=",
             (unsigned long long)length);
        emit_constant(d, &constants_sockopt_level, level);
        emit_text(d, ", cmsg_type=");
        emit_constant(d, &constants_cmsg_types, type);
        if (length > head) {
            emit_text(d, ", cmsg_data=");
            emit_control_data(d, level, type, raw + at + head, length - head);
        }
        emit_text(d, "}");
        at += (length + size - 1) & ~(size - 1);
    }
    emit_text(d, "]");
}

/* named: size of the caller's buffer for the name. */
static void emit_message(struct decoder *d, bool when, const struct message *m, uint32_t named,
                         uint64_t bytes)
{
    emit_text(d, "{msg_name=");
    if (m->name && m->namelen)
        emit_sockaddr(d, when, m->name, m->namelen < named ? m->namelen : named);
    else
        emit_address(d, m->name);
    emit(d,
         when == AT_RETURN && m->namelen != named ? ", msg_namelen=%u => %u" : ", msg_namelen=%u",
         when == AT_RETURN ? named : m->namelen, m->namelen);
    emit_text(d, ", msg_iov=");
    emit_iovec(d, when, m->iov, m->iovlen, bytes);
    emit(d, ", msg_iovlen=%llu", (unsigned long long)m->iovlen);
    if (m->controllen) {
        emit_text(d, ", msg_control=");
        emit_control(d, when, m->control, m->controllen);
    }
    emit(d, ", msg_controllen=%llu, msg_flags=", (unsigned long long)m->controllen);
    emit_flags(d, &constants_msg_flags, m->flags);
    emit_text(d, "}");
}

void write_msghdr_in(struct decoder *d, unsigned arg)
{
    struct message m;
    if (take_message_header(d, AT_ENTRY, VALUE, &m))
        emit_message(d, AT_ENTRY, &m, m.namelen, ALL);
    else
        emit_address(d, VALUE);
}

void write_msghdr_out(struct decoder *d, unsigned arg)
{
    struct message before, m;
    bool known = take_message_header(d, AT_ENTRY, VALUE, &before);
    if (known) /* keep the vector, which is needed at the return */
        look(d, AT_ENTRY, before.iov,
             (before.iovlen > SHOWN ? SHOWN : before.iovlen) * 2 * pointer_size(d), &(size_t){0});
    if (known && has_result(d) && take_message_header(d, AT_RETURN, VALUE, &m))
        emit_message(d, AT_RETURN, &m, before.namelen, (uint64_t)d->e->result);
    else if (known && d->e->kind == SYSCALL_CALL && syscall_failed(d->e))
        emit(d, "{msg_namelen=%u}", before.namelen);
    else
        emit_address(d, VALUE);
}

/* sendmmsg, recvmmsg: messages, each followed by the length that was sent or received. */
static void emit_messages(struct decoder *d, bool when, uint64_t address, uint32_t count)
{
    uint64_t each = pointer_size(d) == 8 ? 64 : 32, message = each - pointer_size(d);
    uint32_t n = when == AT_RETURN || has_result(d) ? (uint32_t)d->e->result : count;
    if (n > count)
        n = count;
    if (!address) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "[");
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        struct message before, m;
        uint32_t length = 0;
        uint64_t at = address + i * each;
        bool known = take_message_header(d, AT_ENTRY, at, &before);
        m = before;
        if (known)
            look(d, AT_ENTRY, before.iov, before.iovlen % 33 * 2 * pointer_size(d), &(size_t){0});
        if (when == AT_RETURN)
            known = known && take_message_header(d, AT_RETURN, at, &m);
        emit(d, i ? ", " : "");
        if (!known) {
            emit_address(d, at);
            continue;
        }
        bool counted = take(d, AT_RETURN, at + message, &length, sizeof length);
        emit_text(d, "{msg_hdr=");
        emit_message(d, when, &m, before.namelen, when == AT_RETURN ? length : ALL);
        if (counted)
            emit(d, ", msg_len=%u", length);
        emit_text(d, "}");
    }
    emit(d, n > SHOWN ? ", ...]" : "]");
}

void write_mmsghdr_in(struct decoder *d, unsigned arg)
{
    emit_messages(d, AT_ENTRY, VALUE, (uint32_t)d->e->args[2]);
}

void write_mmsghdr_out(struct decoder *d, unsigned arg)
{
    if (has_result(d)) {
        emit_messages(d, AT_RETURN, VALUE, (uint32_t)d->e->args[2]);
        return;
    }
    if (d->pieces) /* keep the vectors, which are needed at the return */
        emit_messages(d, AT_ENTRY, VALUE, (uint32_t)d->e->args[2]);
    emit_address(d, VALUE);
}
