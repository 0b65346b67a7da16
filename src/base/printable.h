/*
 * Which characters may reach a terminal, a spreadsheet or a browser unchanged. Inline, for code
 * that links no other file (src/capture).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorted. Control characters (general categories Cc, Zl, Zp and the surrogates), invisible
 * characters (Default_Ignorable_Code_Point: bidi controls, joiners, zero-width spaces, variation
 * selectors, tags, fillers), interlinear annotation, and noncharacters below U+10000; those above
 * end in FFFE and FFFF. Source: Unicode 15.1, UnicodeData.txt and DerivedCoreProperties.txt.
 * Private use is allowed: it shows as an icon or a box, takes one cell, and controls nothing. */
static const struct {
    uint32_t first, last;
} printable_not[] = {
    {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad}, {0x034f, 0x034f}, {0x061c, 0x061c},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xd800, 0xdfff}, {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static inline bool text_printable(uint32_t ch)
{
    if (ch < 0x300) /* nearly all characters */
        return ch >= 0x20 && (ch < 0x7f || ch >= 0xa0) && ch != 0xad;
    size_t lo = 0, hi = sizeof printable_not / sizeof *printable_not;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ch > printable_not[mid].last)
            lo = mid + 1;
        else
            hi = mid;
    }
    bool listed =
        lo < sizeof printable_not / sizeof *printable_not && ch >= printable_not[lo].first;
    return !listed && (ch & 0xfffe) != 0xfffe && ch <= 0x10ffff;
}
