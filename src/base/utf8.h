/* UTF-8 as in RFC 3629. Inline, for code that links no other file. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Returns the length of the valid sequence at text, which has n > 0 bytes; 0 if it is invalid
 * (overlong forms, surrogates and NUL are). */
static inline size_t utf8_sequence(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return s[0] != 0;
    size_t len = 0;
    if (s[0] >= 0xc2 && s[0] <= 0xf4)
        len = 2u + (s[0] >= 0xe0) + (s[0] >= 0xf0);
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return len;
}

/* Returns the code point of a valid sequence of n bytes. */
static inline uint32_t utf8_value(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t ch = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        ch = ch << 6 | (s[i] & 0x3f);
    return ch;
}
