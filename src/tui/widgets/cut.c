#include "tui/widgets/cut.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { BEFORE = 3, CUT_MAX = 1024 }; /* characters shown before the first difference */

/* Bytes that both begin with, in whole characters. */
static size_t common_prefix(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    while (n && ((unsigned char)a[n] & 0xc0) == 0x80)
        n--;
    return n;
}

bool cut_looks_same(const char *a, const char *b, int cells)
{
    const bool cut = text_width(a) > cells && text_width(b) > cells;
    return cut && common_prefix(a, b) >= text_fit_cells(a, cells - 1) && strcmp(a, b) != 0;
}

/* The place that is so many characters before text + at. */
static const char *step_back(const char *text, size_t at, int characters)
{
    while (at && characters > 0)
        characters -= ((unsigned char)text[--at] & 0xc0) != 0x80;
    return text + at;
}

char *cut_apart(char *out, size_t size, const char *text, const char *other, int cells, bool ascii)
{
    const char *mark = ascii ? "~" : "…";
    char beside[CUT_MAX];
    text_cut_middle(out, size, text, cells, mark);
    text_cut_middle(beside, sizeof beside, other, cells, mark);
    if (strcmp(out, beside) == 0)
        snprintf(out, size, "%s%s", mark, step_back(text, common_prefix(text, other), BEFORE));
    return text_whole(out);
}
