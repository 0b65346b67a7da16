/* Lists of words in one text, separated by spaces, as tables have them: "zen4 zen5". */
#pragma once

#include <stdbool.h>
#include <string.h>

/* Whether word is one of them, whole. An empty one is not. */
static inline bool words_have(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; n && (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}
