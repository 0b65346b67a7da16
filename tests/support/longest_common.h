/* The oracle of differences: the table of every textbook, which tries all ways. */
#pragma once

#include <stddef.h>

/* The length of the longest common subsequence of two lists of characters, `step` bytes apart. */
static inline size_t longest_common(const char *a, size_t na, const char *b, size_t nb, size_t step)
{
    static size_t t[64][64];
    for (size_t i = 0; i <= na; i++)
        for (size_t k = 0; k <= nb; k++) {
            t[i][k] = 0;
            if (i > 0 && k > 0 && a[(i - 1) * step] == b[(k - 1) * step])
                t[i][k] = t[i - 1][k - 1] + 1;
            else if (i > 0 && k > 0)
                t[i][k] = t[i - 1][k] > t[i][k - 1] ? t[i - 1][k] : t[i][k - 1];
        }
    return t[na][nb];
}
