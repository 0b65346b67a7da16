#include "engine/capture/memory_compare.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 4096
}; /* bytes compared by memcmp first; a multiple of every element size, because both are powers of
      two */

void memory_compare_start(struct memory_compare *c, enum memory_type type,
                          const struct memory_tolerance *tolerance, uint32_t rows)
{
    *c = (struct memory_compare){
        .type = type,
        .tolerance = *tolerance,
        .rows_wanted = rows < MEMORY_ROWS ? rows : MEMORY_ROWS,
    };
}

/* --- where memory differs --- */

/* Joins ranges that are not farther apart than c->gap. */
static void join_ranges(struct memory_compare *c)
{
    uint32_t n = 1;
    for (uint32_t i = 1; i < c->nranges; i++) {
        struct memory_range *last = &c->ranges[n - 1], *r = &c->ranges[i];
        if (r->begin - last->end <= c->gap) {
            last->end = r->end;
            last->differing += r->differing;
            c->joined = true;
        } else {
            c->ranges[n++] = *r;
        }
    }
    c->nranges = n;
}

static bool extend_last_range(struct memory_compare *c, uint64_t begin, uint64_t n)
{
    struct memory_range *last = c->nranges ? &c->ranges[c->nranges - 1] : NULL;
    if (!last || begin - last->end > c->gap)
        return false;
    c->joined |= begin != last->end;
    last->end = begin + n;
    last->differing++;
    return true;
}

static void add_differing_range(struct memory_compare *c, uint64_t begin, uint64_t n)
{
    if (extend_last_range(c, begin, n))
        return;
    if (c->nranges == MEMORY_RANGES)
        /* frees half of the entries at once, so that joining is rare */
        while (c->nranges > MEMORY_RANGES / 2) {
            c->gap = c->gap ? c->gap * 2 : memory_type_size(c->type);
            join_ranges(c);
        }
    if (!extend_last_range(c, begin, n))
        c->ranges[c->nranges++] = (struct memory_range){begin, begin + n, 1};
}

static void note_difference(struct memory_compare *c, uint64_t at, uint64_t n, uint64_t result,
                            uint64_t oracle)
{
    c->differing++;
    if (c->nrows < c->rows_wanted)
        c->rows[c->nrows++] = (struct memory_row){at, result, oracle};
    add_differing_range(c, at, n);
}

/* --- how much elements differ --- */

static uint64_t sign_of(enum memory_type t)
{
    return (uint64_t)1 << (8 * memory_type_size(t) - 1);
}

/* How many representable numbers lie between a and b (which are not NaN). */
static uint64_t count_numbers_between(enum memory_type t, uint64_t a, uint64_t b)
{
    uint64_t sign = sign_of(t), x, y;
    if (!memory_type_is_float(t)) {
        /* with the sign bit inverted, signed integers sort like unsigned ones */
        if (t >= MEMORY_I8) {
            a ^= sign;
            b ^= sign;
        }
        return a > b ? a - b : b - a;
    }
    x = a & (sign - 1);
    y = b & (sign - 1);
    if ((a ^ b) & sign)
        return x + y;
    return x > y ? x - y : y - x;
}

/* Two elements whose bits differ, and their numerical values. */
struct difference {
    uint64_t result, oracle;
    double size; /* magnitude of the oracle's value */
    bool result_nan, oracle_nan;
    double absolute, relative;
    uint64_t ulps;
};

static void measure_difference(enum memory_type t, struct difference *d)
{
    double a = memory_number(t, d->result), b = memory_number(t, d->oracle);
    d->result_nan = isnan(a);
    d->oracle_nan = isnan(b);
    if (d->result_nan || d->oracle_nan)
        return;
    d->ulps = count_numbers_between(t, d->result, d->oracle);
    d->absolute = memory_type_is_float(t) ? fabs(a - b) : (double)d->ulps;
    d->size = fabs(b);
    if (d->absolute > 0)
        d->relative = d->size == 0 || isinf(d->absolute) ? HUGE_VAL : d->absolute / d->size;
}

static void keep_worst(struct memory_compare *c, const struct difference *d, uint64_t at)
{
    if (d->absolute > c->max_absolute) {
        c->max_absolute = d->absolute;
        c->max_absolute_at = at;
    }
    if (d->relative > c->max_relative)
        c->max_relative = d->relative;
    if (d->ulps > c->max_ulps)
        c->max_ulps = d->ulps;
}

static bool is_within(const struct memory_tolerance *t, const struct difference *d)
{
    if (t->exact || isinf(d->absolute))
        return false;
    return d->absolute <= t->absolute + t->relative * d->size || d->ulps <= t->ulps;
}

/* Whether a pair in which at least one is NaN counts as equal. */
static bool nan_passes(const struct memory_tolerance *t, const struct difference *d)
{
    if (t->exact)
        return d->result == d->oracle;
    if (t->nan == MEMORY_NAN_EQUAL)
        return d->result_nan && d->oracle_nan;
    return t->nan == MEMORY_NAN_BITS && d->result == d->oracle;
}

static void compare_one(struct memory_compare *c, uint64_t at, uint64_t a, uint64_t b)
{
    struct difference d = {.result = a, .oracle = b};
    bool passes;
    c->unequal += a != b;
    measure_difference(c->type, &d);
    if (d.result_nan || d.oracle_nan) {
        passes = nan_passes(&c->tolerance, &d);
        c->nans += !passes;
    } else {
        keep_worst(c, &d, at);
        passes = a == b || is_within(&c->tolerance, &d);
    }
    if (!passes)
        note_difference(c, at, memory_type_size(c->type), a, b);
}

/* --- chunk by chunk --- */

/* Compares n bytes of whole elements. */
static void compare_elements(struct memory_compare *c, const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t size = memory_type_size(c->type);
    bool look = c->tolerance.nan == MEMORY_NAN_NEVER && !c->tolerance.exact &&
                memory_type_is_float(c->type);
    if (look || memcmp(a, b, n) != 0)
        for (size_t i = 0; i < n; i += size) {
            uint64_t x = memory_bits(c->type, a + i), y = memory_bits(c->type, b + i);
            if (x != y || look)
                compare_one(c, c->bytes + i, x, y);
        }
    c->bytes += n;
    c->elements += n >> __builtin_ctzll(size);
}

/* Completes the element that began in the previous chunk; returns how many bytes of this chunk it
 * took. */
static size_t complete_element(struct memory_compare *c, const uint8_t *a, const uint8_t *b,
                               size_t n)
{
    size_t size = memory_type_size(c->type), take = size - c->carry;
    if (c->carry == 0)
        return 0;
    take = take < n ? take : n;
    memcpy(c->carry_result + c->carry, a, take);
    memcpy(c->carry_oracle + c->carry, b, take);
    c->carry += take;
    if (c->carry == size) {
        c->carry = 0;
        compare_elements(c, c->carry_result, c->carry_oracle, size);
    }
    return take;
}

void memory_compare_feed(struct memory_compare *c, const void *result, const void *oracle, size_t n)
{
    const uint8_t *a = result, *b = oracle;
    size_t done = n ? complete_element(c, a, b, n) : 0, size = memory_type_size(c->type);
    while (n - done >= size) {
        size_t block = n - done < BLOCK ? (n - done) & ~(size - 1) : BLOCK;
        compare_elements(c, a + done, b + done, block);
        done += block;
    }
    if (done < n) {
        c->carry = n - done;
        memcpy(c->carry_result, a + done, c->carry);
        memcpy(c->carry_oracle, b + done, c->carry);
    }
}

bool memory_compare_finish(struct memory_compare *c)
{
    uint64_t a = 0, b = 0;
    memcpy(&a, c->carry_result, c->carry);
    memcpy(&b, c->carry_oracle, c->carry);
    if (a != b) {
        c->unequal++;
        note_difference(c, c->bytes, c->carry, a, b);
    }
    c->bytes += c->carry;
    c->carry = 0;
    return c->differing == 0;
}
