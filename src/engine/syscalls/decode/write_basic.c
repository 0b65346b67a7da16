/* Numbers, descriptors, paths, strings, buffers. */
#include "engine/syscalls/decode/types.h"

#include <string.h>

#define VALUE (d->e->args[arg])

/* A long of the ABI: with 32-bit ABIs the upper half of the register is undefined. */
static int64_t signed_long(const struct decoder *d, uint64_t value)
{
    return long_size(d) == 8 ? (int64_t)value : (int32_t)value;
}

static uint64_t unsigned_long(const struct decoder *d, uint64_t value)
{
    return long_size(d) == 8 ? value : (uint32_t)value;
}

void write_nothing(struct decoder *d, unsigned arg)
{
    (void)d;
    (void)arg;
}

void write_int(struct decoder *d, unsigned arg)
{
    emit_number(d, (int)VALUE);
}

void write_uint(struct decoder *d, unsigned arg)
{
    emit_unsigned(d, (unsigned)VALUE);
}

void write_long(struct decoder *d, unsigned arg)
{
    emit_number(d, signed_long(d, VALUE));
}

void write_ulong(struct decoder *d, unsigned arg)
{
    emit_unsigned(d, unsigned_long(d, VALUE));
}

void write_hex(struct decoder *d, unsigned arg)
{
    emit_hex(d, unsigned_long(d, VALUE));
}

/* preadv: the position is two longs; in 64-bit ABIs the first is the whole position. */
void write_off_low(struct decoder *d, unsigned arg)
{
    uint64_t low = unsigned_long(d, VALUE), high = other(d, arg);
    emit_number(d, (long_size(d) == 8 ? low : low | high << 32));
}

void write_ptr(struct decoder *d, unsigned arg)
{
    emit_address(d, VALUE);
}

void write_fd(struct decoder *d, unsigned arg)
{
    emit_fd(d, (int)VALUE);
}

void write_dirfd(struct decoder *d, unsigned arg)
{
    enum { CURRENT_FOLDER = -100 }; /* AT_FDCWD, linux/fcntl.h */
    if ((int)VALUE == CURRENT_FOLDER)
        emit_text(d, "AT_FDCWD");
    else
        emit_fd(d, (int)VALUE);
}

void write_id(struct decoder *d, unsigned arg)
{
    emit_id(d, (uint32_t)VALUE);
}

void write_mode(struct decoder *d, unsigned arg)
{
    emit_mode(d, (uint16_t)VALUE);
}

void write_signal(struct decoder *d, unsigned arg)
{
    emit_signal(d, (int)VALUE);
}

void write_path(struct decoder *d, unsigned arg)
{
    enum { LONGEST = 4095 }; /* PATH_MAX without the NUL */
    emit_string(d, AT_ENTRY, VALUE, LONGEST);
}

void write_str(struct decoder *d, unsigned arg)
{
    emit_string(d, AT_ENTRY, VALUE, 0);
}

/* getcwd: the result counts the NUL too. */
void write_path_out(struct decoder *d, unsigned arg)
{
    size_t got;
    uint64_t n = has_result(d) && d->e->result > 0 ? (uint64_t)d->e->result - 1 : 0;
    const uint8_t *bytes = n && n < 4096 ? look(d, AT_RETURN, VALUE, n, &got) : NULL;
    if (bytes)
        emit_quoted(d, bytes, got, got < n);
    else
        emit_address(d, VALUE);
}

void write_buf_in(struct decoder *d, unsigned arg)
{
    emit_buffer(d, AT_ENTRY, VALUE, unsigned_long(d, other(d, arg)));
}

void write_buf_out(struct decoder *d, unsigned arg)
{
    if (has_result(d))
        emit_buffer(d, AT_RETURN, VALUE, (uint64_t)d->e->result);
    else
        emit_address(d, VALUE);
}

/* Random bytes are no text, so all are written in hexadecimal. */
void write_random_out(struct decoder *d, unsigned arg)
{
    size_t got, n = has_result(d) ? (size_t)d->e->result : 0;
    size_t wanted = d->pieces && n > d->limit ? d->limit : n;
    const uint8_t *bytes = n ? look(d, AT_RETURN, VALUE, wanted, &got) : NULL;
    if (!bytes) {
        write_buf_out(d, arg);
        return;
    }
    emit_text(d, "\"");
    for (size_t i = 0; i < got; i++)
        emit(d, "\\x%02x", bytes[i]);
    emit(d, got < n ? "\"..." : "\"");
}

/* With a size of 0 the call only returns the number of bytes, and writes none. */
void write_xattr_out(struct decoder *d, unsigned arg)
{
    if (other(d, arg))
        write_buf_out(d, arg);
    else
        emit_address(d, VALUE);
}

/* The entries of a directory are counted, not shown: struct linux_dirent and linux_dirent64 both
 * have the record's length in two bytes at offset 16. */
void write_dirents_out(struct decoder *d, unsigned arg)
{
    uint64_t n = has_result(d) ? (uint64_t)d->e->result : 0;
    unsigned entries = 0, at_length = long_size(d) == 8 || strstr(d->call->name, "64") ? 16 : 8;
    emit_address(d, VALUE);
    for (uint64_t at = 0; at + at_length + 2 <= n; entries++) {
        uint16_t length;
        if (!take(d, AT_RETURN, VALUE + at + at_length, &length, sizeof length) || !length)
            return;
        at += length;
    }
    if (has_result(d))
        emit(d, " /* %u entries */", entries);
}

/* A vector of strings, ended by NULL, like argv. */
void write_argv(struct decoder *d, unsigned arg)
{
    enum { SHOWN = 32, EACH = 0 };
    unsigned size = pointer_size(d);
    uint64_t address = VALUE, text;
    for (unsigned i = 0;; i++, address += size) {
        text = 0;
        if (!take(d, AT_ENTRY, address, &text, size)) {
            if (i == 0)
                emit_address(d, address);
            else
                emit_text(d, ", ...]");
            return;
        }
        if (i == 0)
            emit(d, "[");
        else if (text && i < SHOWN)
            emit(d, ", ");
        if (!text || i >= SHOWN) {
            emit(d, text ? ", ...]" : "]");
            return;
        }
        emit_string(d, AT_ENTRY, text, EACH);
    }
}

/* Counts the variables and does not show them, because they may hold secrets. */
void write_envp(struct decoder *d, unsigned arg)
{
    enum { MOST = 4096 };
    unsigned size = pointer_size(d), n = 0;
    uint64_t text = 0;
    emit_address(d, VALUE);
    for (; n < MOST; n++) {
        if (!take(d, AT_ENTRY, VALUE + (uint64_t)n * size, &text, size))
            return;
        if (!text)
            break;
    }
    emit(d, " /* %u var%s%s */", n, n == 1 ? "" : "s", n == MOST ? ", ..." : "");
}
