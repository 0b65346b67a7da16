#include "engine/syscalls/decode/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct conversion {
    bool prefix, wide; /* '#', 'll' */
    char kind;
    unsigned length; /* in the format, with its '%' */
};

/* The conversion at a '%'; kind 0: it is not written here. */
static struct conversion conversion_at(const char *format)
{
    struct conversion c = {.prefix = format[1] == '#'};
    const char *at = format + 1 + c.prefix;
    c.wide = at[0] == 'l' && at[1] == 'l';
    at += c.wide ? 2 : 0;
    const bool ours = *at == 'x' || (!c.prefix && (*at == 'd' || *at == 'u')) ||
                      (!c.prefix && !c.wide && *at == 's');
    c.kind = *at && ours ? *at : '\0';
    c.length = (unsigned)(at + 1 - format);
    return c;
}

void line_start(struct line *l, FILE *out)
{
    l->out = out;
    l->n = 0;
}

void line_flush(struct line *l)
{
    if (l->n > 0)
        fwrite_unlocked(l->text, 1, l->n,
                        l->out); /* raw: formats of our own, names of tables, digits */
    l->n = 0;
}

char *line_room(struct line *l, size_t n)
{
    if (n > sizeof l->text - l->n)
        line_flush(l);
    return l->text + l->n;
}

void line_put_long(struct line *l, const char *text, size_t n)
{
    line_flush(l);
    if (n > sizeof l->text)
        fwrite_unlocked(text, 1, n, l->out); /* raw: as above */
    else
        line_put(l, text, n);
}

void line_put_decimal(struct line *l, uint64_t value, bool negative)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10, value);
    if (negative)
        digits[--at] = '-';
    line_put(l, digits + at, sizeof digits - at);
}

void line_put_hex(struct line *l, uint64_t value, bool prefix)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value & 15];
    while (value >>= 4, value);
    if (prefix) {
        digits[--at] = 'x';
        digits[--at] = '0';
    }
    line_put(l, digits + at, sizeof digits - at);
}

static void put_signed(struct line *l, int64_t value)
{
    line_put_decimal(l, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void format_write(struct line *l, const char *format, va_list args)
{
    for (;;) {
        const size_t plain = (size_t)(strchrnul(format, '%') - format);
        line_put(l, format, plain);
        format += plain;
        if (!*format)
            return;
        const struct conversion c = conversion_at(format);
        if (!c.kind) {
            line_flush(l);
            vfprintf(l->out, format, args); /* raw: as above */
            return;
        }
        format += c.length;
        if (c.kind == 's') {
            const char *text = va_arg(args, const char *);
            line_put(l, text, strlen(text));
        } else if (c.kind == 'd') {
            put_signed(l, c.wide ? va_arg(args, long long) : va_arg(args, int));
        } else {
            const uint64_t value =
                c.wide ? va_arg(args, unsigned long long) : va_arg(args, unsigned);
            if (c.kind == 'x')
                line_put_hex(l, value, c.prefix && value);
            else
                line_put_decimal(l, value, false);
        }
    }
}
