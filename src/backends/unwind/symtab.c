#include "backends/unwind/symtab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

const char *symtab_string(struct symtab *t, const char *text)
{
    if (t->nstrings * 2 >= t->cap_strings) {
        const char **old = t->strings;
        size_t cap = t->cap_strings;
        t->cap_strings = cap ? cap * 2 : 1024;
        t->strings = xcalloc(t->cap_strings, sizeof *t->strings);
        for (size_t i = 0; i < cap; i++) {
            if (!old[i])
                continue;
            size_t at = hash_text(0, old[i]) & (t->cap_strings - 1);
            while (t->strings[at])
                at = (at + 1) & (t->cap_strings - 1);
            t->strings[at] = old[i];
        }
        free(old);
    }
    size_t at = hash_text(0, text) & (t->cap_strings - 1);
    for (; t->strings[at]; at = (at + 1) & (t->cap_strings - 1))
        if (strcmp(t->strings[at], text) == 0)
            return t->strings[at];
    t->nstrings++;
    return t->strings[at] = arena_strdup(&t->arena, text);
}

/* Strings belong to the table, so equal ones have equal pointers. */
static uint64_t hash_symbol(const struct profile_symbol *s)
{
    uint64_t h = s->address ^ ((uint64_t)(uint32_t)s->line << 40) ^ s->inlined;
    const char *const text[] = {s->name, s->module, s->path, s->file};
    for (int i = 0; i < 4; i++)
        h = (h ^ (uint64_t)(uintptr_t)text[i]) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static bool is_same_symbol(const struct profile_symbol *a, const struct profile_symbol *b)
{
    return a->name == b->name && a->module == b->module && a->path == b->path &&
           a->file == b->file && a->line == b->line && a->address == b->address &&
           a->where == b->where && a->inlined == b->inlined;
}

static void grow_slots(struct symtab *t)
{
    free(t->slots);
    t->nslots = t->nslots ? t->nslots * 2 : 1024;
    t->slots = xcalloc(t->nslots, sizeof *t->slots);
    for (size_t i = 0; i < t->n; i++) {
        size_t at = hash_symbol(&t->symbols[i]) & (t->nslots - 1);
        while (t->slots[at])
            at = (at + 1) & (t->nslots - 1);
        t->slots[at] = (uint32_t)i + 1;
    }
}

uint32_t symtab_add(struct symtab *t, const struct profile_symbol *s)
{
    struct profile_symbol own = *s;
    own.name = symtab_string(t, s->name);
    own.module = symtab_string(t, s->module);
    own.path = symtab_string(t, s->path);
    own.file = symtab_string(t, s->file);
    if (t->n * 2 >= t->nslots)
        grow_slots(t);
    size_t at = hash_symbol(&own) & (t->nslots - 1);
    for (; t->slots[at]; at = (at + 1) & (t->nslots - 1))
        if (is_same_symbol(&t->symbols[t->slots[at] - 1], &own))
            return t->slots[at] - 1;
    LIST_ROOM(t->symbols, t->n, t->cap);
    t->symbols[t->n] = own;
    t->slots[at] = (uint32_t)t->n + 1;
    return (uint32_t)t->n++;
}

static void drop_symtab(struct symtab *t)
{
    free(t->symbols);
    free(t->slots);
    free(t->strings);
    arena_free(&t->arena);
}

void symtab_reset(struct symtab *t)
{
    uint32_t generation = t->generation + 1;
    drop_symtab(t);
    *t = (struct symtab){.generation = generation};
}

void symtab_free(struct symtab *t)
{
    drop_symtab(t);
    *t = (struct symtab){0};
}
