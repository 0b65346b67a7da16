#include "base/ascii.h"

#include <stdbool.h>
#include <string.h>

char *ascii_trim(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && strchr(" \t", text[n - 1]))
        text[--n] = '\0';
    return text;
}

char *ascii_percent(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        const int high = p[0] == '%' ? ascii_hex(p[1]) : -1;
        const int low = high >= 0 ? ascii_hex(p[2]) : -1;
        const bool decoded = low >= 0 && (high || low);
        *to++ = decoded ? (char)(high << 4 | low) : *p;
        p += decoded ? 2 : 0;
    }
    *to = '\0';
    return text;
}
