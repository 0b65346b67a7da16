/*
 * Demangled names, each computed once. The key is the name's position in the file: equal names of
 * many units are one text there.
 */
#pragma once

#include <stddef.h>

#include "base/strings.h"

struct symbol_name;

struct symbol_names {
    struct strings *strings; /* borrowed */
    struct symbol_name *list;
    size_t n, cap;
    struct hash_table by_place;
};

/* Returns the demangled name, which lives as long as strings. raw must stay valid until
 * symbol_names_free. */
const char *symbol_names_get(struct symbol_names *t, const char *raw);
size_t symbol_names_memory(const struct symbol_names *t);
void symbol_names_free(struct symbol_names *t);
