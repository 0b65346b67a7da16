#include "engine/code/code_impl.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/search.h"

static const char suffix[] = ".kd";
enum { SUFFIX = sizeof suffix - 1, DESCRIPTOR_BYTES = 64, SYMBOLS_MAX = 1 << 20 };

static bool is_descriptor(const char *symbol)
{
    size_t n = strlen(symbol);
    return n > SUFFIX && strcmp(symbol + n - SUFFIX, suffix) == 0;
}

/* Sorts by name; of equal names the global symbol comes first. */
static int by_symbol_name(const void *pa, const void *pb)
{
    const struct code_symbol *a = pa, *b = pb;
    int names = strcmp(a->name, b->name);
    if (names || a->global != b->global)
        return names ? names : (int)b->global - (int)a->global;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool is_same_code_symbol(const struct code_symbol *a, const struct code_symbol *b)
{
    return strcmp(a->name, b->name) == 0 && (a->address == b->address || b->global);
}

bool code_index_read(struct code_index *x, struct code_elf *e)
{
    static const enum code_symbol_kind kinds[] = {CODE_SYMBOLS_DYNAMIC, CODE_SYMBOLS_ALL};
    struct code_symbols s;
    struct code_symbol y;
    size_t cap = 0, n = 0;
    *x = (struct code_index){.elf = e};
    for (size_t i = 0; i < 2; i++) {
        bool there = code_symbols_open(&s, e, kinds[i]);
        while (there && code_symbols_next(&s, &y)) {
            if (x->n == SYMBOLS_MAX) {
                e->bad = "too many symbols";
                e->at = (size_t)s.at;
                break;
            }
            LIST_ADD(x->rows, x->n, cap, y);
        }
    }
    if (x->n)
        qsort(x->rows, x->n, sizeof *x->rows, by_symbol_name);
    for (size_t i = 0; i < x->n;
         i++) /* both tables have the global symbols, so duplicates are removed */
        if (n == 0 || !is_same_code_symbol(&x->rows[n - 1], &x->rows[i]))
            x->rows[n++] = x->rows[i];
    x->n = n;
    return !e->bad;
}

void code_index_free(struct code_index *x)
{
    free(x->rows);
}

/* The first symbol of that name. */
static const struct code_symbol *find_code_symbol(const struct code_index *x, const char *name)
{
    size_t from = 0;
    SEARCH_FIRST(from, x->n, strcmp(x->rows[from].name, name) < 0);
    return from < x->n && strcmp(x->rows[from].name, name) == 0 ? &x->rows[from] : NULL;
}

static uint32_t u32_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Source: LLVM, "User Guide for AMDGPU Backend": Kernel Descriptor. */
static struct code_descriptor read_kernel_descriptor(const uint8_t *p, uint64_t address)
{
    int64_t entry;
    memcpy(&entry, p + 16, sizeof entry);
    struct code_descriptor d = {
        .address = address,
        .entry = address + (uint64_t)entry,
        .group_size = u32_at(p),
        .private_size = u32_at(p + 4),
        .kernarg_size = u32_at(p + 8),
        .rsrc3 = u32_at(p + 44),
        .rsrc1 = u32_at(p + 48),
        .rsrc2 = u32_at(p + 52),
        .properties = (uint16_t)u32_at(p + 56),
        .preload = (uint16_t)(u32_at(p + 56) >> 16),
    };
    d.wave32 = d.properties >> 10 & 1;
    d.dynamic_stack = d.properties >> 11 & 1;
    return d;
}

void code_index_kernel(const struct code_index *x, struct code_kernel *k)
{
    char function[CODE_NAME_MAX];
    const struct code_symbol *s = find_code_symbol(x, k->symbol);
    const uint8_t *p = s ? code_elf_loaded(x->elf, s->address, DESCRIPTOR_BYTES) : NULL;
    if (!p)
        return;
    k->descriptor = read_kernel_descriptor(p, s->address);
    k->has_descriptor = true;
    k->dynamic_stack |= k->descriptor.dynamic_stack;
    size_t n = strlen(k->symbol) - (is_descriptor(k->symbol) ? SUFFIX : 0);
    snprintf(function, sizeof function, "%.*s", (int)n, k->symbol);
    const struct code_symbol *f = find_code_symbol(x, function);
    if (f && f->address == k->descriptor.entry)
        k->code_size = f->size;
}

static int compare_code_variables(const void *pa, const void *pb)
{
    const struct code_variable *a = pa, *b = pb;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return strcmp(a->name, b->name);
}

int code_index_variables(const struct code_index *x, struct code_object *c, struct error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        n += x->rows[i].type == STT_OBJECT && x->rows[i].size && !is_descriptor(x->rows[i].name);
    if (n > CODE_VARIABLES_MAX)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, c->name, "%zu variables: too many", n);
    c->variables = arena_alloc(&c->arena, (n + 1) * sizeof *c->variables);
    for (size_t i = 0; i < x->n; i++) {
        const struct code_symbol *s = &x->rows[i];
        if (s->type != STT_OBJECT || s->size == 0 || is_descriptor(s->name))
            continue;
        c->variables[c->nvariables++] = (struct code_variable){
            .name = arena_strdup(&c->arena, s->name),
            .address = s->address,
            .size = s->size,
            .global = s->global,
            .writable = s->writable,
            .initial = s->zero ? NULL : x->elf->bytes + s->offset,
        };
    }
    qsort(c->variables, c->nvariables, sizeof *c->variables, compare_code_variables);
    return 0;
}
