#include "engine/capture/kernarg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/code/kernarg_types.h"

static int region_of(const struct kernarg_region *regions, size_t n, uint64_t address,
                     uint64_t *offset)
{
    int found = -1;
    for (size_t i = 0; i < n; i++) {
        uint64_t into = address - regions[i].base;
        if (address < regions[i].base || into > regions[i].size)
            continue;
        if (found >= 0 && into == regions[i].size) /* the address may also be the begin of another
                                                      region, which is preferred */
            continue;
        found = (int)i;
        *offset = into;
        if (into < regions[i].size)
            break;
    }
    return found;
}

static bool is_pointer_arg(const struct code_arg *a, const char *c_type)
{
    if (a->size != 8)
        return false;
    if (a->kind == CODE_ARG_GLOBAL_BUFFER)
        return true;
    if (a->kind == CODE_ARG_BY_VALUE)
        return *c_type && (c_type[strlen(c_type) - 1] == '*' || strstr(c_type, "*restrict"));
    return code_arg_table[a->kind].role == CODE_ROLE_RUNTIME;
}

/* Hidden arguments are unsigned numbers of their size; the type of the program's arguments follows
 * from the C type. */
static void find_type(struct kernarg_slot *s)
{
    static const enum memory_type by_size[] = {MEMORY_U8, MEMORY_U16, MEMORY_U32, MEMORY_U64};
    const struct code_arg *a = s->arg;
    s->type = KERNARG_BYTES;
    if (is_pointer_arg(a, s->c_type)) {
        s->type = KERNARG_POINTER;
        s->element_known = memory_type_of_c(s->c_type, &s->element);
        return;
    }
    if (s->role != CODE_ROLE_PROGRAM && s->role != CODE_ROLE_MYSTERIOUS) {
        for (size_t i = 0; i < 4; i++)
            if (a->size == (uint32_t)1 << i && s->role != CODE_ROLE_NOTHING) {
                s->type = KERNARG_NUMBER;
                s->element = by_size[i];
            }
        return;
    }
    if (a->kind == CODE_ARG_BY_VALUE && memory_type_of_c(s->c_type, &s->element) &&
        memory_type_size(s->element) == a->size)
        s->type = KERNARG_NUMBER;
}

static void decode_slot(struct kernarg_slot *s, const void *buffer, size_t size,
                        const struct kernarg_region *regions, size_t nregions)
{
    const struct code_arg *a = s->arg;
    s->region = -1;
    s->role = code_arg_table[a->kind].role;
    find_type(s);
    if (a->offset > size || a->size > size - a->offset) {
        s->type = KERNARG_MISSING;
        return;
    }
    s->bytes = (const uint8_t *)buffer + a->offset;
    memcpy(&s->bits, s->bytes, a->size < sizeof s->bits ? a->size : sizeof s->bits);
    bool may_point = s->type == KERNARG_POINTER ||
                     (s->type == KERNARG_BYTES && a->size == 8 && s->role == CODE_ROLE_PROGRAM);
    if (may_point)
        s->region = region_of(regions, nregions, s->bits, &s->region_offset);
}

void kernarg_decode(struct kernarg *out, const struct code_kernel *k, const void *buffer,
                    size_t size, const struct kernarg_region *regions, size_t nregions)
{
    *out = (struct kernarg){.kernel = k, .n = k->nargs};
    out->slots = arena_alloc(&out->arena, (k->nargs + 1) * sizeof *out->slots);
    const char **types = arena_alloc(&out->arena, (k->nexplicit + 1) * sizeof *types);
    kernarg_types(k, types, &out->arena);
    for (uint32_t i = 0; i < k->nargs; i++) {
        struct kernarg_slot *s = &out->slots[i];
        *s = (struct kernarg_slot){.arg = &k->args[i], .c_type = i < k->nexplicit ? types[i] : ""};
        decode_slot(s, buffer, size, regions, nregions);
    }
}

void kernarg_free(struct kernarg *a)
{
    arena_free(&a->arena);
    *a = (struct kernarg){0};
}

/* --- for people --- */

static void add_region(const struct kernarg_slot *s, char *out, size_t size)
{
    size_t n = strlen(out);
    if (s->region >= 0)
        snprintf(out + n, size - n, " (region %d + 0x%" PRIx64 ")", s->region, s->region_offset);
    else if (s->type == KERNARG_POINTER && s->bits && s->role == CODE_ROLE_PROGRAM)
        snprintf(out + n, size - n, " (in no captured region)");
}

/* The type is unknown: shows the integer and the floating-point reading. */
static void format_guess(const struct kernarg_slot *s, char *out, size_t size)
{
    char real[40], whole[40];
    bool wide = s->arg->size == 8;
    memory_format_one(wide ? MEMORY_I64 : MEMORY_I32, s->bits, whole, sizeof whole);
    memory_format_one(wide ? MEMORY_F64 : MEMORY_F32, s->bits, real, sizeof real);
    snprintf(out, size, "0x%0*" PRIx64 " (%s as integer, %s as float)", wide ? 16 : 8, s->bits,
             whole, real);
}

static void format_bytes(const struct kernarg_slot *s, char *out, size_t size)
{
    enum { SHOWN = 64 };
    size_t n = 0;
    uint32_t shown = s->arg->size < SHOWN ? s->arg->size : SHOWN;
    snprintf(out, size, "{");
    for (uint32_t i = 0; i < shown && (n = strlen(out)) + 4 < size; i++)
        snprintf(out + n, size - n, "%s%02x", i ? " " : "", s->bytes[i]);
    n = strlen(out);
    snprintf(out + n, size - n, "%s}", shown < s->arg->size ? " ..." : "");
}

const char *kernarg_format(const struct kernarg_slot *s, char *out, size_t size)
{
    switch (s->type) {
    case KERNARG_MISSING:
        snprintf(out, size, "n/a: the arguments end before it");
        break;
    case KERNARG_POINTER:
        snprintf(out, size, "0x%" PRIx64, s->bits);
        add_region(s, out, size);
        break;
    case KERNARG_NUMBER:
        memory_format_one(s->element, s->bits, out, size);
        break;
    case KERNARG_BYTES:
        if (s->role == CODE_ROLE_PROGRAM && (s->arg->size == 4 || s->arg->size == 8)) {
            if (s->region >= 0)
                snprintf(out, size, "0x%" PRIx64, s->bits);
            else
                format_guess(s, out, size);
            add_region(s, out, size);
        } else {
            format_bytes(s, out, size);
        }
        break;
    }
    return out;
}
