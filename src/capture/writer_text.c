#include <string.h>
#include <sys/mman.h>

#include "base/utf8.h"
#include "capture/writer_impl.h"

enum { FIRST = 1 << 16 };

static bool grow(struct text *t, size_t more)
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

void text_bytes(struct text *t, const char *s, size_t n)
{
    if (t->failed || !grow(t, n)) {
        t->failed = true;
        return;
    }
    if (n)
        memcpy(t->p + t->n, s, n);
    t->n += n;
}

void text_put(struct text *t, const char *s)
{
    text_bytes(t, s, strlen(s));
}

void text_number(struct text *t, uint64_t v)
{
    char digits[20];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + v % 10);
    while (v /= 10);
    text_bytes(t, digits + n, sizeof digits - n);
}

static void escaped(struct text *t, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char code[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    const char pair[] = {'\\', (char)c};
    if (c == '"' || c == '\\')
        text_bytes(t, pair, sizeof pair);
    else
        text_bytes(t, code, sizeof code);
}

void text_string(struct text *t, const char *s)
{
    size_t len = strlen(s);
    text_put(t, "\"");
    for (size_t i = 0; i < len;) {
        size_t n = utf8_sequence(s + i, len - i);
        unsigned char c = (unsigned char)s[i];
        if (n == 0)
            text_put(t, UTF8_REPLACEMENT);
        else if (c < 0x20 || c == '"' || c == '\\')
            escaped(t, c);
        else
            text_bytes(t, s + i, n);
        i += n ? n : 1;
    }
    text_put(t, "\"");
}

void text_free(struct text *t)
{
    writer_unmap(t->p, t->cap);
    *t = (struct text){.p = NULL};
}
