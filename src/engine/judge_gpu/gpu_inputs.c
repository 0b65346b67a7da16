#include "engine/judge_gpu/gpu_inputs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/capture/kernarg.h"
#include "engine/judge/judge_inputs.h"

/* Sizes of real numbers that are believed by their looks: 2^-40 to 2^40. */
enum { LOOKS = 40 };

/* --- which arrays there are --- */

/* The part of "x=f32,2=u32" that is about this argument; NULL: none. */
static const char *said_of(const char *vary, const struct code_arg *a, uint32_t number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", number);
    for (const char *at = vary; at && *at;) {
        const size_t n = strcspn(at, "=,");
        if (at[n] == '=' && ((strlen(a->name) == n && strncmp(at, a->name, n) == 0) ||
                             (strlen(digits) == n && strncmp(at, digits, n) == 0)))
            return at + n + 1;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return NULL;
}

static bool read_type(const char *at, enum memory_type *out)
{
    char name[16];
    const size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(n < 15 ? n : 15), at);
    return memory_type_find(name, out);
}

/* Where the array ends: at the region's end, or where another argument points. */
static uint64_t end_of(const struct kernarg *k, const struct kernarg_slot *s, uint64_t size)
{
    uint64_t end = size;
    for (uint32_t i = 0; i < k->kernel->nexplicit; i++) {
        const struct kernarg_slot *other = &k->slots[i];
        if (other->region == s->region && other->region_offset > s->region_offset &&
            other->region_offset < end)
            end = other->region_offset;
    }
    return end;
}

static int add_input(struct gpu_inputs *out, const struct capture *c, const struct kernarg *k,
                     uint32_t number, const char *vary, struct error *err)
{
    const struct kernarg_slot *s = &k->slots[number];
    const char *said = said_of(vary, s->arg, number);
    struct gpu_input i = {.argument = number, .type = s->element, .typed = s->element_known};
    if (said && !read_type(said, &i.type))
        return error_set(err, ERROR_USAGE, EINVAL,
                         "types: u8 to u64, i8 to i64, f16, bf16, f32, f64", "--vary",
                         "'%.40s' is no type", said);
    const bool points = s->type == KERNARG_POINTER && s->region >= 0;
    if (said && !points)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--vary",
                         "argument %u does not point to captured memory", number);
    if (!points || out->n == GPU_INPUTS)
        return 0;
    const struct capture_region *r = &c->regions[s->region];
    i.region = (size_t)s->region;
    i.offset = s->region_offset;
    i.size = end_of(k, s, r->size) - s->region_offset;
    i.said = said;
    i.typed |= i.said;
    if (!r->before.file || r->contains_kernarg ||
        (i.typed && !i.said && !memory_type_is_float(i.type)))
        return 0;
    out->input[out->n++] = i;
    return 0;
}

/* A name of `vary` that no argument has; NULL: all are used. */
static int check_names(const char *vary, const struct code_kernel *k, struct error *err)
{
    for (const char *at = vary; at && *at;) {
        const size_t n = strcspn(at, ",");
        bool used = false;
        for (uint32_t i = 0; i < k->nexplicit; i++) {
            const char *said = said_of(at, &k->args[i], i);
            used |= said && said <= at + n;
        }
        if (!used)
            return error_set(err, ERROR_USAGE, EINVAL,
                             "--vary NAME=TYPE, with the name of an argument or its number from 0; "
                             "or none",
                             "--vary", "the kernel has no such argument: %.*s", (int)n, at);
        at += n + (at[n] == ',');
    }
    return 0;
}

int gpu_inputs_find(struct gpu_inputs *out, const struct capture *c, const struct code_object *code,
                    const char *vary, struct error *err)
{
    const struct code_kernel *k = code_object_kernel(code, c->mangled_name);
    const bool none = vary && strcmp(vary, "none") == 0;
    struct kernarg_region *regions = xcalloc(c->nregions + 1, sizeof *regions);
    struct kernarg args = {0};
    *out = (struct gpu_inputs){.n = 0};
    int rc = 0;
    if (k && !none) {
        for (size_t i = 0; i < c->nregions; i++)
            regions[i] = (struct kernarg_region){c->regions[i].base, c->regions[i].size};
        kernarg_decode(&args, k, c->kernarg, c->kernarg_size, regions, c->nregions);
        rc = check_names(vary, k, err);
        for (uint32_t i = 0; i < k->nexplicit && rc == 0; i++)
            rc = add_input(out, c, &args, i, vary, err);
        kernarg_free(&args);
    }
    free(regions);
    return rc;
}

/* --- whether they may be varied --- */

static size_t count_of(const struct gpu_input *i)
{
    return (size_t)(i->size / memory_type_size(i->type));
}

static const uint8_t *element_at(const struct gpu_input *i, const void *bytes, size_t k)
{
    return (const uint8_t *)bytes + k * memory_type_size(i->type);
}

static bool looks_real(const struct gpu_input *i, const void *bytes)
{
    size_t some = 0;
    for (size_t k = 0; k < count_of(i); k++) {
        const double v = memory_number(i->type, memory_bits(i->type, element_at(i, bytes, k)));
        if (v == 0)
            continue;
        if (!(fabs(v) >= ldexp(1, -LOOKS) && fabs(v) <= ldexp(1, LOOKS)))
            return false;
        some++;
    }
    return some > 0;
}

bool gpu_input_bears(struct gpu_input *i, const void *bytes, enum memory_type wanted)
{
    static const enum memory_type tried[] = {MEMORY_F32, MEMORY_F64};
    if (i->typed)
        return count_of(i) > 0;
    for (size_t t = 0; t < 2; t++) {
        i->type = wanted == MEMORY_TYPES ? tried[t] : wanted;
        if (looks_real(i, bytes))
            return true;
    }
    return false;
}

/* --- fresh values --- */

static void put_bits(const struct gpu_input *i, void *bytes, size_t k, uint64_t bits)
{
    /* little-endian, as the GPU's */
    memcpy((uint8_t *)bytes + k * memory_type_size(i->type), &bits, memory_type_size(i->type));
}

/* Bits of the fraction and of the exponent. */
static void parts_of(enum memory_type t, unsigned *fraction, unsigned *exponent)
{
    static const unsigned char bits[][2] = {[MEMORY_F16] = {10, 5},
                                            [MEMORY_BF16] = {7, 8},
                                            [MEMORY_F32] = {23, 8},
                                            [MEMORY_F64] = {52, 11}};
    *fraction = bits[t][0];
    *exponent = bits[t][1];
}

/* The next smaller exponent and any fraction: the sign is kept, the size is not larger. */
static uint64_t fresh_real(enum memory_type t, uint64_t bits, uint64_t *seed)
{
    unsigned f, e;
    parts_of(t, &f, &e);
    const uint64_t most = (UINT64_C(1) << e) - 1, power = bits >> f & most;
    const uint64_t draw = judge_random(seed);
    if (power <= 1 || power == most)
        return bits; /* 0, tiny ones, infinities, NaN */
    return (bits & ~((most << f) | ((UINT64_C(1) << f) - 1))) | (power - 1) << f |
           (draw & ((UINT64_C(1) << f) - 1));
}

static bool is_input_sorted(const struct gpu_input *i, const void *bytes)
{
    bool up = true, down = true, same = true;
    for (size_t k = 1; k < count_of(i); k++) {
        const double a = memory_number(i->type, memory_bits(i->type, element_at(i, bytes, k - 1)));
        const double b = memory_number(i->type, memory_bits(i->type, element_at(i, bytes, k)));
        up &= a <= b;
        down &= a >= b;
        same &= a == b;
    }
    return (up || down) && !same;
}

/* One factor from 1/2 to 1 for all: rounding keeps the order. Halves become a power of two. */
static void scale_input(const struct gpu_input *i, void *bytes, uint64_t *seed)
{
    const double factor = 0.5 + ldexp((double)(judge_random(seed) >> 11), -54);
    for (size_t k = 0; k < count_of(i); k++) {
        uint64_t bits = memory_bits(i->type, element_at(i, bytes, k));
        const double v = memory_number(i->type, bits) * factor;
        const float narrow = (float)v;
        if (i->type == MEMORY_F64) {
            memcpy(&bits, &v, sizeof v);
        } else if (i->type == MEMORY_F32) {
            memcpy(&bits, &narrow, sizeof narrow);
        } else {
            unsigned f, e;
            parts_of(i->type, &f, &e);
            const uint64_t power = bits >> f & ((UINT64_C(1) << e) - 1);
            bits -= power > 1 && power < (UINT64_C(1) << e) - 1 ? UINT64_C(1) << f : 0;
        }
        put_bits(i, bytes, k, bits);
    }
}

static bool is_signed(enum memory_type t)
{
    return t >= MEMORY_I8 && t <= MEMORY_I64;
}

/* With the sign in all upper bits. */
static int64_t widen_signed_bits(enum memory_type t, uint64_t bits)
{
    const unsigned unused = 64 - 8 * (unsigned)memory_type_size(t);
    return (int64_t)(bits << unused) >> unused;
}

/* Whole numbers from the smallest to the largest captured one, for the values first to end - 1. */
static void fresh_whole(const struct gpu_input *i, void *bytes, size_t first, size_t end,
                        uint64_t *seed)
{
    const uint64_t flip =
        is_signed(i->type) ? UINT64_C(1) << 63 : 0; /* orders signed as unsigned */
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t k = 0; k < count_of(i); k++) {
        const uint64_t bits = memory_bits(i->type, element_at(i, bytes, k));
        const uint64_t v = flip ? (uint64_t)widen_signed_bits(i->type, bits) ^ flip : bits;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    for (size_t k = first; k < end; k++) {
        const uint64_t draw = judge_random(seed), range = high - low + 1;
        put_bits(i, bytes, k, ((range ? low + draw % range : draw) ^ flip));
    }
}

void gpu_input_vary(const struct gpu_input *i, void *bytes, uint64_t seed)
{
    seed ^= (i->argument + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (!memory_type_is_float(i->type)) {
        fresh_whole(i, bytes, 0, count_of(i), &seed);
    } else if (!i->said && is_input_sorted(i, bytes)) {
        scale_input(i, bytes, &seed);
    } else {
        for (size_t k = 0; k < count_of(i); k++)
            put_bits(i, bytes, k,
                     fresh_real(i->type, memory_bits(i->type, element_at(i, bytes, k)), &seed));
    }
}

void gpu_input_vary_part(const struct gpu_input *i, void *bytes, uint64_t offset, uint64_t size,
                         uint64_t seed)
{
    const size_t one = memory_type_size(i->type), all = count_of(i);
    const size_t first = (size_t)((offset + one - 1) / one);
    size_t end = (size_t)((offset + size) / one);
    end = end < all ? end : all;
    if (!memory_type_is_float(i->type)) {
        fresh_whole(i, bytes, first, end, &seed);
        return;
    }
    const bool ordered = !i->said && is_input_sorted(i, bytes);
    for (size_t k = first; k < end; k++) {
        const uint64_t bits = memory_bits(i->type, element_at(i, bytes, ordered ? first : k));
        put_bits(i, bytes, k, ordered ? bits : fresh_real(i->type, bits, &seed));
    }
}
