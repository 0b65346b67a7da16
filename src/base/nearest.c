#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LENGTH_MAX = 64 }; /* longer names are compared by their first characters */

static int least_of_three(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Counts the edits (insert, delete, replace) that turn a into b. Case is ignored, and '-' equals
 * '_'. */
static int count_edits(const char *a, const char *b)
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
            row[j] = least_of_three(above + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = above;
        }
    }
    return row[nb];
}

void nearest_start(struct nearest *n, const char *wanted)
{
    *n = (struct nearest){.wanted = wanted};
}

static bool begins_with_wanted(const char *known, const char *wanted)
{
    size_t len = strlen(wanted);
    return len > 1 && strnlen(known, len + 1) > len && strncasecmp(wanted, known, len) == 0;
}

void nearest_offer(struct nearest *n, const char *known)
{
    int d = count_edits(n->wanted, known), at = n->n, order = d;
    if (d > 1 && begins_with_wanted(known, n->wanted))
        d = 1; /* listed after names with one edit */
    while (at > 0 && (n->distance[at - 1] > d || (n->distance[at - 1] == d &&
                                                  count_edits(n->wanted, n->best[at - 1]) > order)))
        at--;
    if (at == NEAREST_MAX)
        return;
    n->n += n->n < NEAREST_MAX;
    for (int i = n->n - 1; i > at; i--) {
        n->distance[i] = n->distance[i - 1];
        memcpy(n->best[i], n->best[i - 1], sizeof n->best[i]);
    }
    n->distance[at] = d;
    snprintf(n->best[at], sizeof n->best[at], "%s", known);
}

static bool near_enough(const struct nearest *n, int i)
{
    int len = (int)strnlen(n->wanted, LENGTH_MAX);
    return i < n->n && len > 0 && n->distance[i] <= (len + 2) / 3;
}

const char *nearest_found(const struct nearest *n)
{
    return near_enough(n, 0) ? n->best[0] : NULL;
}

bool nearest_list(const struct nearest *n, char *out, size_t size)
{
    size_t len = 0;
    *out = '\0';
    for (int i = 0; near_enough(n, i) && len < size; i++) {
        const char *sep = near_enough(n, i + 1) ? ", " : " or ";
        len += (size_t)snprintf(out + len, size - len, "%s'%s'", i ? sep : "", n->best[i]);
    }
    return *out != '\0';
}
