#include "base/strings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

const char *strings_add_n(struct strings *t, const char *text, size_t len)
{
    len = strnlen(text, len < STRINGS_LONGEST ? len : STRINGS_LONGEST);
    uint64_t hash = hash_bytes(0, text, len);
    HASH_EACH (&t->by_text, hash, i)
        if (strncmp(t->list[i], text, len) == 0 && t->list[i][len] == '\0')
            return t->list[i];
    hash_table_add(&t->by_text, hash, t->n);
    LIST_ROOM(t->list, t->n, t->cap);
    t->bytes += len + 1;
    return t->list[t->n++] = arena_strndup(&t->arena, text, len);
}

const char *strings_add(struct strings *t, const char *text)
{
    return strings_add_n(t, text, STRINGS_LONGEST);
}

size_t strings_memory(const struct strings *t)
{
    const size_t rounding = _Alignof(max_align_t) / 2; /* average padding of a text */
    return t->bytes + t->n * rounding + t->cap * sizeof *t->list + hash_table_memory(&t->by_text);
}

void strings_free(struct strings *t)
{
    arena_free(&t->arena);
    free(t->list);
    hash_table_free(&t->by_text);
    *t = (struct strings){0};
}
