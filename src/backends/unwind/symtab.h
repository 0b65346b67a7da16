/*
 * Every function seen so far, once, with a number. Strings are kept once too. Not thread-safe: its
 * owner holds a lock where several threads use it.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_SYMTAB_H
#define ROOFTOP_BACKENDS_UNWIND_SYMTAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/hot/profile.h"

struct symtab {
    struct profile_symbol *symbols; /* strings are the table's */
    size_t n, cap;
    uint32_t *slots; /* number + 1 by hash */
    size_t nslots;
    const char **strings; /* by hash, NULL = free */
    size_t nstrings, cap_strings;
    struct arena arena;
    uint32_t generation; /* numbers and strings are valid within one */
};

/* The number of a symbol equal to s in all fields, whose strings are copied. */
uint32_t symtab_add(struct symtab *t, const struct profile_symbol *s);
/* The table's own copy of text. */
const char *symtab_string(struct symtab *t, const char *text);
void symtab_reset(struct symtab *t); /* a new generation; a zeroed table is empty */
void symtab_free(struct symtab *t);

#endif
