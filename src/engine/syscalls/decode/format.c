#include "engine/syscalls/decode/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct conversion {
    bool prefix, wide; /* '#', 'll' */
    char kind;
    unsigned length; /* in the format, with its '%' */
};

/* The conversion at a '%'; kind 0: it is not one of ours. */
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

static bool all_ours(const char *format)
{
    while ((format = strchr(format, '%'))) {
        const struct conversion c = conversion_at(format);
        if (!c.kind)
            return false;
        format += c.length;
    }
    return true;
}

static void put(FILE *out, const char *text, size_t n)
{
    fwrite_unlocked(text, 1, n, out); /* raw: formats of our own, names of tables, digits */
}

static void put_number(FILE *out, uint64_t value, unsigned base, const char *before)
{
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[value % base];
    while (value /= base);
    put(out, before, strlen(before));
    put(out, digits + at, sizeof digits - at);
}

static void put_signed(FILE *out, int64_t value)
{
    const bool negative = value < 0;
    put_number(out, negative ? -(uint64_t)value : (uint64_t)value, 10, negative ? "-" : "");
}

void format_write(FILE *out, const char *format, va_list args)
{
    if (!all_ours(format)) {
        vfprintf(out, format, args); /* raw: as above */
        return;
    }
    for (const char *next; (next = strchr(format, '%')); format = next) {
        const struct conversion c = conversion_at(next);
        put(out, format, (size_t)(next - format));
        next += c.length;
        if (c.kind == 's') {
            const char *text = va_arg(args, const char *);
            put(out, text, strlen(text));
        } else if (c.kind == 'd') {
            put_signed(out, c.wide ? va_arg(args, long long) : va_arg(args, int));
        } else {
            const uint64_t value =
                c.wide ? va_arg(args, unsigned long long) : va_arg(args, unsigned);
            put_number(out, value, c.kind == 'x' ? 16 : 10, c.prefix && value ? "0x" : "");
        }
    }
    put(out, format, strlen(format));
}
