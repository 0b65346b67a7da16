#include "backends/unwind/symtab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"

size_t symtab_memory(const struct symtab *t)
{
    return t->cap * sizeof *t->symbols + hash_table_memory(&t->by_content) +
           strings_memory(&t->strings);
}

const char *symtab_string(struct symtab *t, const char *text)
{
    return strings_add(&t->strings, symtab_memory(t) < SYMTAB_BYTES_MAX ? text : "");
}

/* Strings belong to the table, so equal ones have equal pointers. */
static uint64_t hash_symtab_entry(const struct hot_symbol *s)
{
    uint64_t h = s->address ^ (uint64_t)(uint32_t)s->line << 40 ^ s->inlined;
    const char *const text[] = {s->name, s->module, s->path, s->file};
    for (int i = 0; i < 4; i++)
        h = hash_number(h, (uintptr_t)text[i]);
    return h;
}

static bool is_same_symbol(const struct hot_symbol *a, const struct hot_symbol *b)
{
    return a->name == b->name && a->module == b->module && a->path == b->path &&
           a->file == b->file && a->line == b->line && a->address == b->address &&
           a->where == b->where && a->inlined == b->inlined;
}

static const struct hot_symbol other = {.name = "[other]", .module = "", .path = "", .file = ""};

uint32_t symtab_add(struct symtab *t, const struct hot_symbol *s)
{
    struct hot_symbol own = *s;
    if (symtab_memory(t) >= SYMTAB_BYTES_MAX) {
        own = (struct hot_symbol){.where = HOT_UNKNOWN};
        s = &other;
    }
    own.name = strings_add(&t->strings, s->name);
    own.module = strings_add(&t->strings, s->module);
    own.path = strings_add(&t->strings, s->path);
    own.file = strings_add(&t->strings, s->file);
    uint64_t hash = hash_symtab_entry(&own);
    HASH_EACH (&t->by_content, hash, i)
        if (is_same_symbol(&t->symbols[i], &own))
            return i;
    hash_table_add(&t->by_content, hash, t->n);
    LIST_ROOM(t->symbols, t->n, t->cap);
    t->symbols[t->n] = own;
    return (uint32_t)t->n++;
}

static void drop_symtab(struct symtab *t)
{
    free(t->symbols);
    hash_table_free(&t->by_content);
    strings_free(&t->strings);
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
