#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 64 }; /* longer names are compared by their beginning */

static int least(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edits (insert, delete, replace) that turn one into the other, case and '-' for '_' not counted.
 */
static int edits(const char *a, const char *b)
{
    int na = (int)strnlen(a, LENGTH_MAX), nb = (int)strnlen(b, LENGTH_MAX);
    int row[LENGTH_MAX + 1];
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            int same = x == y || (strchr("-_", x) && strchr("-_", y) && x && y);
            int above = row[j];
            row[j] = least(above + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[nb];
}

void nearest_start(struct nearest *n, const char *wanted)
{
    *n = (struct nearest){.wanted = wanted, .distance = INT_MAX};
}

void nearest_offer(struct nearest *n, const char *known)
{
    int d = edits(n->wanted, known);
    if (d >= n->distance)
        return;
    n->distance = d;
    snprintf(n->best, sizeof n->best, "%s", known);
}

const char *nearest_found(const struct nearest *n)
{
    int len = (int)strnlen(n->wanted, LENGTH_MAX);
    return *n->best && len > 0 && n->distance <= (len + 2) / 3 ? n->best : NULL;
}
