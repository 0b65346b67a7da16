/* Lists of words in one text, separated by spaces, as in tables: "zen4 zen5". */
#pragma once

#include <stdbool.h>
#include <string.h>

/* Returns whether words contains this whole word; false for "". */
static inline bool words_have(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; n && (p = strstr(p, word)); p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}
