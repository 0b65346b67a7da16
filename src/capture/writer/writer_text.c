#include <string.h>
#include <sys/mman.h>

#include "base/printable.h"
#include "base/utf8.h"
#include "capture/writer/writer_impl.h"

enum { FIRST = 1 << 16 };

static bool grow_text(struct writer_text *t, size_t more)
{
    size_t cap = t->cap ? t->cap : FIRST;
    while (cap - t->n < more)
        cap *= 2;
    if (cap == t->cap)
        return true;
    void *p = t->p ? mremap(t->p, t->cap, cap, MREMAP_MAYMOVE) : writer_map(cap);
    if (!p || p == MAP_FAILED)
        return false;
    t->p = p;
    t->cap = cap;
    return true;
}

void text_bytes(struct writer_text *t, const char *s, size_t n)
{
    if (t->failed || !grow_text(t, n)) {
        t->failed = true;
        return;
    }
    if (n)
        memcpy(t->p + t->n, s, n);
    t->n += n;
}

void text_put(struct writer_text *t, const char *s)
{
    text_bytes(t, s, strlen(s));
}

void text_number(struct writer_text *t, uint64_t v)
{
    char digits[20];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + v % 10);
    while (v /= 10);
    text_bytes(t, digits + n, sizeof digits - n);
}

/* Writes \uXXXX for one UTF-16 unit: a character, or half of one. */
static void put_unit(struct writer_text *t, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    const char code[] = {
        '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    text_bytes(t, code, sizeof code);
}

static void put_escaped(struct writer_text *t, uint32_t ch)
{
    if (ch >= 0x10000)
        put_unit(t, 0xd800 + ((ch - 0x10000) >> 10));
    put_unit(t, ch >= 0x10000 ? 0xdc00 + (ch & 0x3ff) : ch);
}

void text_string(struct writer_text *t, const char *s)
{
    size_t len = strlen(s);
    text_put(t, "\"");
    for (size_t i = 0; i < len;) {
        size_t n = utf8_sequence(s + i, len - i);
        if (n == 0)
            text_put(t, UTF8_REPLACEMENT);
        else if (!text_printable(utf8_value(s + i, n)))
            put_escaped(t, utf8_value(s + i, n));
        else {
            if (s[i] == '"' || s[i] == '\\')
                text_put(t, "\\");
            text_bytes(t, s + i, n);
        }
        i += n ? n : 1;
    }
    text_put(t, "\"");
}

void text_free(struct writer_text *t)
{
    writer_unmap(t->p, t->cap);
    *t = (struct writer_text){.p = NULL};
}
