/* Text of decoders: numbers, quoted text, flags. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/decode/decoder.h"

enum { PATH = 4096 };

void emit(struct decoder *d, const char *format, ...)
{
    if (!d->out)
        return;
    va_list args;
    va_start(args, format);
    format_write(d->out, format, args);
    va_end(args);
}

bool is_for_all_runs(const struct decoder *d)
{
    return d->out && d->context && d->context->task;
}

void emit_hex(struct decoder *d, uint64_t number)
{
    enum { SMALL = 0x10000000 };
    if (is_for_all_runs(d) && number >= SMALL)
        emit_text(d, "ADDRESS");
    else if (d->out)
        line_put_hex(d->out, number, number != 0);
}

void emit_address(struct decoder *d, uint64_t address)
{
    if (pointer_size(d) == 4)
        address &= UINT32_MAX;
    if (!address)
        emit_text(d, "NULL");
    else
        emit_hex(d, address);
}

/* One byte as C writes it, in at most 4 bytes. An octal escape is as short as the next byte allows.
 * Returns the end. */
static char *escape_byte(char *to, uint8_t byte, int next, char quote)
{
    static const char letters[] = "tnvfr"; /* from '\t' to '\r' */
    const bool whole = next >= '0' && next <= '7';
    if (byte >= ' ' && byte < 0x7f && byte != (uint8_t)quote && byte != '\\') {
        *to++ = (char)byte;
        return to;
    }
    *to++ = '\\';
    if (byte >= '\t' && byte <= '\r') {
        *to++ = letters[byte - '\t'];
    } else if (byte == (uint8_t)quote || byte == '\\') {
        *to++ = (char)byte;
    } else {
        if (whole || byte >= 0100)
            *to++ = (char)('0' + (byte >> 6));
        if (whole || byte >= 010)
            *to++ = (char)('0' + (byte >> 3 & 7));
        *to++ = (char)('0' + (byte & 7));
    }
    return to;
}

/* Writes text with escapes as in C, without quotes; also escapes `quote`, for example '>'. */
static void emit_escaped(struct decoder *d, const uint8_t *bytes, size_t n, char quote)
{
    enum { PART = LINE_TEXT / 4 };
    for (size_t i = 0; d->out && i < n;) {
        const size_t end = n - i < PART ? n : i + PART;
        char *const from = line_room(d->out, 4 * (end - i)), *to = from;
        for (; i < end; i++)
            to = escape_byte(to, bytes[i], i + 1 < n ? bytes[i + 1] : -1, quote);
        d->out->n += (size_t)(to - from);
    }
}

void emit_quoted(struct decoder *d, const uint8_t *bytes, size_t n, bool goes_on)
{
    emit_text(d, "\"");
    emit_escaped(d, bytes, n, '"');
    emit_text(d, goes_on ? "\"..." : "\"");
}

const char *constant_name(const struct constants *table, uint64_t value)
{
    for (size_t i = 0; i < table->n; i++)
        if (table->list[i].value == value)
            return table->list[i].name;
    return NULL;
}

void emit_constant(struct decoder *d, const struct constants *table, uint64_t value)
{
    const char *name = constant_name(table, value);
    if (name)
        emit_text(d, name);
    else
        emit(d, "%#llx /* %s */", (unsigned long long)value, table->unknown);
}

void emit_flags(struct decoder *d, const struct constants *table, uint64_t value)
{
    uint64_t rest = value;
    const char *between = "";
    if (!value) {
        const char *none = constant_name(table, 0);
        emit_text(d, none ? none : "0");
        return;
    }
    for (size_t i = 0; i < table->n; i++) {
        uint64_t flag = table->list[i].value;
        if (!flag || (rest & flag) != flag)
            continue;
        emit_text(d, between);
        emit_text(d, table->list[i].name);
        rest &= ~flag;
        between = "|";
    }
    if (rest == value)
        emit(d, "%#llx /* %s */", (unsigned long long)rest, table->unknown);
    else if (rest)
        emit(d, "|%#llx", (unsigned long long)rest);
}

void emit_rest(struct decoder *d, const char *first, const struct constants *table, uint64_t rest)
{
    emit_text(d, first);
    for (size_t i = 0; rest && i < table->n; i++) {
        uint64_t flag = table->list[i].value;
        if (!flag || (rest & flag) != flag)
            continue;
        emit_text(d, "|");
        emit_text(d, table->list[i].name);
        rest &= ~flag;
    }
    if (rest)
        emit(d, "|%#llx", (unsigned long long)rest);
}

void emit_fd(struct decoder *d, int fd)
{
    const struct syscall_context *c = d->context;
    const char *path =
        d->out && c && c->descriptor && fd >= 0 ? c->descriptor(c->ctx, d->e->pid, fd) : NULL;
    emit_number(d, fd);
    if (!path)
        return;
    emit_text(d, "<");
    emit_escaped(d, (const uint8_t *)path, strlen(path), '>');
    emit_text(d, ">");
}

void emit_id(struct decoder *d, uint32_t id)
{
    if (id == UINT32_MAX)
        emit_text(d, "-1");
    else
        emit_unsigned(d, id);
}

void emit_task(struct decoder *d, int32_t tid)
{
    char text[SYSCALL_TASK_TEXT];
    if (!is_for_all_runs(d)) {
        emit_number(d, tid);
        return;
    }
    d->context->task(d->context->ctx, tid, text);
    emit_text(d, text);
}

void emit_user(struct decoder *d, uint32_t id)
{
    if (is_for_all_runs(d))
        emit_text(d, "...");
    else
        emit_unsigned(d, id);
}

void emit_credentials(struct decoder *d, const int32_t of[3])
{
    emit_text(d, "{pid=");
    emit_task(d, of[0]);
    emit_text(d, ", uid=");
    emit_user(d, (uint32_t)of[1]);
    emit_text(d, ", gid=");
    emit_user(d, (uint32_t)of[2]);
    emit_text(d, "}");
}

void emit_mode(struct decoder *d, uint32_t mode)
{
    char digits[16];
    size_t at = sizeof digits;
    if (!d->out)
        return;
    for (; mode; mode >>= 3)
        digits[--at] = (char)('0' + (mode & 7));
    do
        digits[--at] = '0';
    while (at > sizeof digits - 3);
    line_put(d->out, digits + at, sizeof digits - at);
}

void emit_dev(struct decoder *d, uint64_t major, uint64_t minor)
{
    emit(d, "makedev(%#llx, %#llx)", (unsigned long long)major, (unsigned long long)minor);
}

void emit_signal(struct decoder *d, int64_t number)
{
    const char *name = number > 0 && number <= 64 ? syscall_signal_name((int)number) : NULL;
    if (name)
        emit(d, "%s", name);
    else
        emit_number(d, number);
}

void emit_string(struct decoder *d, bool when, uint64_t address, size_t max)
{
    size_t n;
    bool cut;
    const uint8_t *bytes = look_string(d, when, address, max, &n, &cut);
    if (bytes)
        emit_quoted(d, bytes, n, cut);
    else
        emit_address(d, address);
}

void emit_buffer(struct decoder *d, bool when, uint64_t address, uint64_t n)
{
    size_t got, wanted = n;
    if (d->pieces && wanted > d->limit)
        wanted = d->limit;
    if (!address || !n) {
        if (address && (d->pieces == NULL))
            emit_text(d, "\"\"");
        else
            emit_address(d, address);
        return;
    }
    const uint8_t *bytes = look(d, when, address, wanted, &got);
    if (bytes)
        emit_quoted(d, bytes, got, got < n);
    else
        emit_address(d, address);
}

void emit_time(struct decoder *d, int64_t seconds, int64_t fraction, const char *part)
{
    emit(d, "{tv_sec=%lld, tv_%s=%llu}", (long long)seconds, part, (unsigned long long)fraction);
}

void emit_array(struct decoder *d, uint64_t address, uint64_t count, size_t size,
                void (*each)(struct decoder *d, uint64_t address))
{
    enum { SHOWN = 32 }; /* number of elements */
    emit_text(d, "[");
    for (uint64_t i = 0; i < count && i < SHOWN; i++) {
        emit(d, i ? ", " : "");
        each(d, address + i * size);
    }
    emit(d, count > SHOWN ? ", ...]" : "]");
}
