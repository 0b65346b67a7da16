/* A table that stores each text once. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"

struct strings {
    struct arena arena;
    const char **list;
    size_t n, cap;
    struct hash_table by_text;
    size_t bytes; /* bytes of the texts */
};

enum { STRINGS_LONGEST = 16384 }; /* longer texts are cut */

const char *strings_add(struct strings *t, const char *text);
const char *strings_add_n(struct strings *t, const char *text, size_t len);
size_t strings_memory(const struct strings *t); /* bytes, roughly */
void strings_free(struct strings *t);
