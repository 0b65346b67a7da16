#include "cli/options.h"

#include <string.h>
#include <strings.h>

enum { WORD_MAX = 40 };

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b; both at most WORD_MAX long. */
static int edits(const char *a, const char *b)
{
    int la = (int)strlen(a), lb = (int)strlen(b);
    int row[3][WORD_MAX + 1];
    for (int j = 0; j <= lb; j++)
        row[0][j] = j;
    for (int i = 1; i <= la; i++) {
        int *now = row[i % 3], *above = row[(i + 2) % 3], *above2 = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= lb; j++) {
            now[j] = min3(above[j] + 1, now[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                above2[j - 2] + 1 < now[j])
                now[j] = above2[j - 2] + 1;
        }
    }
    return row[la % 3][lb];
}

const char *option_nearest(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t len = strlen(word);
    if (len > WORD_MAX)
        return NULL;
    int least = (int)len / 3 + 2; /* more edits than that is another word */
    for (size_t i = 0; i < n; i++) {
        if (strlen(names[i]) > WORD_MAX)
            continue;
        int d = edits(word, names[i]);
        if (d < (int)strlen(names[i]) && d < least) {
            least = d;
            best = names[i];
        }
        /* "inter" for "interval": the beginning of one is as good as a slip */
        if (len >= 3 && strncasecmp(word, names[i], len) == 0 && least > 1) {
            least = 1;
            best = names[i];
        }
    }
    return best;
}
