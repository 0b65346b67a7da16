/*
 * printf for the conversions that decoders use often: a line has a dozen of them. It gathers their
 * text, because a call of the stream costs more than writing a piece.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINE_TEXT = 1024 };
struct line {
    FILE *out;
    size_t n; /* bytes of text that were not given to the stream yet */
    char text[LINE_TEXT];
};

void line_start(struct line *l, FILE *out); /* an empty line; its text is not cleared */
void line_flush(struct line *l);
/* Returns room for n bytes, at most LINE_TEXT; the caller adds the used number to l->n. */
char *line_room(struct line *l, size_t n);
void line_put_long(struct line *l, const char *text, size_t n); /* flushes first */
static inline void line_put(struct line *l, const char *text, size_t n)
{
    if (n > sizeof l->text - l->n) {
        line_put_long(l, text, n);
        return;
    }
    memcpy(l->text + l->n, text, n); /* inline, so that texts of known length are a few stores */
    l->n += n;
}
void line_put_decimal(struct line *l, uint64_t value, bool negative); /* negative: '-' before it */
void line_put_hex(struct line *l, uint64_t value, bool prefix);       /* prefix: "0x" before it */
/* Like vfprintf: %s %d %u %x %#x %lld %llu %llx %#llx are written here, other formats by vfprintf.
 */
void format_write(struct line *l, const char *format, va_list args);
