#include "symbols/elf/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static void grow_strings(struct strings *t)
{
    const char **old = t->slots;
    size_t cap = t->cap;
    t->cap = cap ? cap * 2 : 1024;
    t->slots = xcalloc(t->cap, sizeof *t->slots);
    for (size_t i = 0; i < cap; i++) {
        if (!old[i])
            continue;
        size_t at = hash_text(0, old[i]) & (t->cap - 1);
        while (t->slots[at])
            at = (at + 1) & (t->cap - 1);
        t->slots[at] = old[i];
    }
    free(old);
}

const char *strings_add_n(struct strings *t, const char *text, size_t len)
{
    len = strnlen(text, len < STRINGS_LONGEST ? len : STRINGS_LONGEST);
    if (t->n * 2 >= t->cap)
        grow_strings(t);
    size_t at = hash_bytes(0, text, len) & (t->cap - 1);
    for (; t->slots[at]; at = (at + 1) & (t->cap - 1)) {
        if (strncmp(t->slots[at], text, len) == 0 && t->slots[at][len] == '\0')
            return t->slots[at];
    }
    t->n++;
    t->bytes += len + 1;
    return t->slots[at] = arena_strndup(&t->arena, text, len);
}

const char *strings_add(struct strings *t, const char *text)
{
    return strings_add_n(t, text, STRINGS_LONGEST);
}

void strings_free(struct strings *t)
{
    arena_free(&t->arena);
    free(t->slots);
    *t = (struct strings){0};
}
