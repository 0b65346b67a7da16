#include "tui/input/fuzzy.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { EXACT = 1000, PREFIX = 500, INSIDE = 200, WORD = 20, BESIDE = 10, LETTER = 1 };

static bool starts_word(const char *text, const char *at)
{
    return at == text || !isalnum((unsigned char)at[-1]);
}

int fuzzy_score(const char *pattern, const char *text)
{
    int score = 0;
    const char *at = text;
    bool beside = false;
    size_t n = strlen(pattern);
    if (n == 0)
        return 0;
    if (strcasecmp(pattern, text) == 0)
        return EXACT;
    if (strncasecmp(pattern, text, n) == 0)
        return PREFIX + (int)(n > 100 ? 100 : n);
    const char *inside = strcasestr(text, pattern);
    if (inside)
        return INSIDE + (starts_word(text, inside) ? WORD : 0);
    for (const char *p = pattern; *p; p++) {
        while (*at && tolower((unsigned char)*at) != tolower((unsigned char)*p)) {
            at++;
            beside = false;
        }
        if (!*at)
            return -1;
        if (starts_word(text, at))
            score += WORD;
        else
            score += beside ? BESIDE : LETTER;
        beside = true;
        at++;
    }
    return score < INSIDE ? score : INSIDE - 1;
}
