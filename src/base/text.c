#include "base/text.h"

#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "base/search.h"
#include "base/utf8.h"

bool text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

uint32_t text_next(const char **p)
{
    const unsigned char *s = (const unsigned char *)*p;
    if (s[0] < 0x80) {
        *p += s[0] != 0;
        return s[0];
    }
    int n = (s[0] >= 0xc2) + (s[0] >= 0xe0) + (s[0] >= 0xf0); /* bytes that follow */
    if (n == 0 || s[0] > 0xf4) {
        (*p)++;
        return 0xfffd;
    }
    uint32_t ch = s[0] & (0x3f >> n);
    for (int i = 1; i <= n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            *p += i; /* continue at the byte that broke the sequence */
            return 0xfffd;
        }
        ch = ch << 6 | (s[i] & 0x3f);
    }
    *p += n + 1;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    bool bad = ch < least[n] || ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000);
    return bad ? 0xfffd : ch;
}

size_t text_encode(uint32_t ch, char out[4])
{
    if (ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
        ch = 0xfffd;
    if (ch < 0x80) {
        out[0] = (char)ch;
        return 1;
    }
    size_t n = 2u + (ch >= 0x800) + (ch >= 0x10000);
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, ch >>= 6)
        out[i] = (char)(0x80 | (ch & 0x3f));
    out[0] = (char)(lead[n] | ch);
    return n;
}

struct char_range {
    uint32_t first, last;
};

/* Sorted. Unicode 15 EastAsianWidth.txt: W and F, merged into the blocks that matter in a terminal.
 */
static const struct char_range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
    {0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
    {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
    {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
    {0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
    {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
    {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18aff}, {0x1aff0, 0x1b2ff},
    {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
    {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393},
    {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d},
    {0x1f54b, 0x1f54e}, {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596},
    {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc},
    {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df}, {0x1f6eb, 0x1f6ec},
    {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945},
    {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
};

/* Sorted. Combining marks (Mn, Me), joiners and bidi controls (Cf): they take no cell. */
static const struct char_range none[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x05bf, 0x05bf}, {0x05c1, 0x05c2},
    {0x05c4, 0x05c5}, {0x05c7, 0x05c7}, {0x0610, 0x061c},   {0x064b, 0x065f}, {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x06e7, 0x06e8},   {0x06ea, 0x06ed}, {0x0711, 0x0711},
    {0x0730, 0x074a}, {0x07a6, 0x07b0}, {0x0900, 0x0902},   {0x093a, 0x093a}, {0x093c, 0x093c},
    {0x0941, 0x0948}, {0x094d, 0x094d}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},   {0x202a, 0x202e}, {0x2060, 0x206f},
    {0x20d0, 0x20f0}, {0x302a, 0x302d}, {0x3099, 0x309a},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe0fff},
};

static bool is_within_ranges(uint32_t ch, const struct char_range *r, size_t n)
{
    size_t lo = 0;
    SEARCH_FIRST(lo, n, ch > r[lo].last);
    return lo < n && ch >= r[lo].first;
}

int text_char_width(uint32_t ch)
{
    if (ch < 0x300)
        return 1;
    if (is_within_ranges(ch, none, sizeof none / sizeof *none))
        return 0;
    return is_within_ranges(ch, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

uint32_t text_next_shown(const char **p)
{
    uint32_t ch = text_next(p);
    return ch == 0 || (ch != 0xfffd && text_printable(ch)) ? ch : '?';
}

int text_width(const char *text)
{
    int w = 0;
    while (*text)
        w += text_char_width(text_next_shown(&text));
    return w;
}

/* Returns the end of the character at text and its combining marks; adds its width to *cells. */
static const char *cluster_end(const char *text, int *cells)
{
    const char *end = text;
    *cells += text_char_width(text_next_shown(&end));
    for (const char *next = end; *next; end = next)
        if (text_char_width(text_next_shown(&next)) != 0)
            break;
    return end;
}

size_t text_fit(const char *text, size_t bytes)
{
    const char *at = text;
    int cells = 0;
    while (*at) {
        const char *end = cluster_end(at, &cells);
        if ((size_t)(end - text) > bytes)
            break;
        at = end;
    }
    return (size_t)(at - text);
}

size_t text_fit_cells(const char *text, int cells)
{
    const char *at = text;
    int used = 0;
    while (*at) {
        const char *end = cluster_end(at, &used);
        if (used > cells)
            break;
        at = end;
    }
    return (size_t)(at - text);
}

const char *text_tail_cells(const char *text, int cells)
{
    int all = text_width(text), gone = 0;
    while (*text && all - gone > cells)
        text = cluster_end(text, &gone);
    return text;
}

char *text_cut_middle(char *out, size_t size, const char *text, int cells, const char *mark)
{
    int room = cells - text_width(mark);
    if (text_width(text) <= cells || room < 2) {
        snprintf(out, size, "%s", text);
        return text_whole(out);
    }
    const char *tail = text_tail_cells(text, room / 2);
    size_t head = text_fit_cells(text, room - text_width(tail));
    size_t least = strlen(mark) + strlen(tail) + 1;
    if (head + least > size)
        head = size > least ? text_fit(text, size - least) : 0;
    snprintf(out, size, "%.*s%s%s", (int)head, text, mark, tail);
    return text_whole(out);
}

char *text_whole(char *text)
{
    size_t n = strlen(text), from = n > 3 ? n - 3 : 0;
    for (size_t i = n; i-- > from;) {
        unsigned char c = (unsigned char)text[i];
        if ((c & 0xc0) == 0x80)
            continue;
        size_t want = c > 0xf4 ? 1 : 1u + (c >= 0xc2) + (c >= 0xe0) + (c >= 0xf0);
        if (i + want > n)
            text[i] = 0;
        break;
    }
    return text;
}
