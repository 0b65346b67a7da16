#include "symbols/elf/names.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "symbols/demangle/demangle.h"

struct symbol_name {
    const char *raw, *name;
};

static size_t name_slot(const struct symbol_names *t, const char *raw)
{
    uint64_t h = (uint64_t)(uintptr_t)raw * 0x9e3779b97f4a7c15u;
    size_t at = (size_t)(h >> 20) & (t->cap - 1);
    while (t->slots[at].raw && t->slots[at].raw != raw)
        at = (at + 1) & (t->cap - 1);
    return at;
}

static void grow_names(struct symbol_names *t)
{
    struct symbol_names old = *t;
    t->cap = t->cap ? t->cap * 2 : 1024;
    t->slots = xcalloc(t->cap, sizeof *t->slots);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slots[i].raw)
            t->slots[name_slot(t, old.slots[i].raw)] = old.slots[i];
    }
    free(old.slots);
}

const char *symbol_names_get(struct symbol_names *t, const char *raw)
{
    char text[4096];
    if (t->n * 2 >= t->cap)
        grow_names(t);
    struct symbol_name *s = &t->slots[name_slot(t, raw)];
    if (!s->raw) {
        *s = (struct symbol_name){raw, strings_add(t->strings, demangle(raw, text, sizeof text))};
        t->n++;
    }
    return s->name;
}

size_t symbol_names_memory(const struct symbol_names *t)
{
    return t->cap * sizeof *t->slots;
}

void symbol_names_free(struct symbol_names *t)
{
    free(t->slots);
    t->slots = NULL;
    t->n = t->cap = 0;
}
