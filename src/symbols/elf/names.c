#include "symbols/elf/names.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/list.h"
#include "symbols/demangle/demangle.h"

struct symbol_name {
    const char *raw, *name;
};

const char *symbol_names_get(struct symbol_names *t, const char *raw)
{
    char text[4096];
    uint64_t hash = hash_number(0, (uintptr_t)raw);
    HASH_EACH (&t->by_place, hash, i)
        if (t->list[i].raw == raw)
            return t->list[i].name;
    hash_table_add(&t->by_place, hash, t->n);
    LIST_ROOM(t->list, t->n, t->cap);
    struct symbol_name *s = &t->list[t->n++];
    *s = (struct symbol_name){raw, strings_add(t->strings, demangle(raw, text, sizeof text))};
    return s->name;
}

size_t symbol_names_memory(const struct symbol_names *t)
{
    return t->cap * sizeof *t->list + hash_table_memory(&t->by_place);
}

void symbol_names_free(struct symbol_names *t)
{
    free(t->list);
    hash_table_free(&t->by_place);
    t->list = NULL;
    t->n = t->cap = 0;
}
