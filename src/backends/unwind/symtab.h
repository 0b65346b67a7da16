/*
 * Stores every function once, with a number, and every string once. Not thread-safe: its owner
 * holds a lock if several threads use it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "engine/functions/hot_stacks.h"

struct symtab {
    struct hot_symbol *symbols; /* the table owns the strings */
    size_t n, cap;
    struct hash_table by_content;
    struct strings strings;
    uint32_t generation; /* numbers and strings are valid for one generation */
};

/* Beyond this many bytes all new symbols are "[other]" and new texts "". */
enum { SYMTAB_BYTES_MAX = 24 << 20 };

/* The number of the symbol that equals s in all fields; added if it is new, with copies of its
 * strings. */
uint32_t symtab_add(struct symtab *t, const struct hot_symbol *s);
/* The table's own copy of text. */
const char *symtab_string(struct symtab *t, const char *text);
size_t symtab_memory(const struct symtab *t); /* bytes, roughly */
void symtab_reset(struct symtab *t);          /* starts a new generation; a zeroed table is empty */
void symtab_free(struct symtab *t);
