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

const char *cut_folders(const char *text, int cells)
{
    const size_t word = strcspn(text, " ");
    const char *name = text;
    if (text_width(text) <= cells)
        return text;
    for (size_t i = 0; i + 1 < word; i++)
        name = text[i] == '/' ? text + i + 1 : name;
    return name - text >= cells / 3 ? name : text;
}

char *cut_apart(char *out, size_t size, const char *text, const char *other, int cells, bool ascii)
{
    const char *mark = ascii ? "~" : "…";
    char beside[CUT_MAX];
    const bool paths = *text == '/' || *other == '/';
    if (paths && strcmp(cut_folders(text, cells), cut_folders(other, cells)) != 0) {
        text = cut_folders(text, cells);
        other = cut_folders(other, cells);
    }
    text_cut_middle(out, size, text, cells, mark);
    text_cut_middle(beside, sizeof beside, other, cells, mark);
    if (strcmp(out, beside) == 0)
        snprintf(out, size, "%s%s", mark, step_back(text, common_prefix(text, other), BEFORE));
    return text_whole(out);
}
