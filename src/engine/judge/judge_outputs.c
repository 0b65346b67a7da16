#include "engine/judge/judge_outputs.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* One value as a double, for messages and real comparisons. */
static double value_at(enum judge_type type, const void *p, size_t i)
{
    switch (type) {
    case JUDGE_INT8:
        return ((const int8_t *)p)[i];
    case JUDGE_UINT8:
        return ((const uint8_t *)p)[i];
    case JUDGE_INT16:
        return ((const int16_t *)p)[i];
    case JUDGE_UINT16:
        return ((const uint16_t *)p)[i];
    case JUDGE_INT32:
        return ((const int32_t *)p)[i];
    case JUDGE_UINT32:
        return ((const uint32_t *)p)[i];
    case JUDGE_INT64:
        return (double)((const int64_t *)p)[i];
    case JUDGE_UINT64:
        return (double)((const uint64_t *)p)[i];
    case JUDGE_FLOAT32:
        return ((const float *)p)[i];
    case JUDGE_FLOAT64:
        return ((const double *)p)[i];
    default:
        return NAN;
    }
}

/* The largest size of a finite value. */
static double largest_of(const struct judge_argument *a, const void *p)
{
    double most = 0;
    for (size_t i = 0; i < a->length; i++) {
        const double v = fabs(value_at(a->type, p, i));
        if (isfinite(v))
            most = fmax(most, v);
    }
    return most;
}

/* Whether a real value is right; *off: how far it is away. share: the tolerance by its size. */
static bool real_is_right(double wanted, double got, double share, double absolute, double *off)
{
    *off = 0;
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    if (wanted == got)
        return true;
    if (isinf(wanted) || isinf(got))
        return false;
    *off = fabs(got - wanted);
    return *off <= share + absolute;
}

bool judge_same(const struct harness *h, const struct judge_argument *a, const void *wanted,
                const void *got, enum judge_rule rule, struct judge_difference *d)
{
    const struct judge_type_row *type = &judge_types[a->type];
    *d = (struct judge_difference){0};
    if (memcmp(wanted, got, judge_bytes(a)) == 0)
        return true;
    const double relative = rule == JUDGE_EXACT ? 0 : h->relative;
    const double absolute = rule == JUDGE_EXACT ? 0 : h->absolute;
    const double whole = rule == JUDGE_WHOLE && type->real ? largest_of(a, wanted) : 0;
    for (size_t i = 0; i < a->length; i++) {
        double off = 0;
        if (memcmp((const char *)wanted + i * type->size, (const char *)got + i * type->size,
                   type->size) == 0)
            continue;
        const double w = value_at(a->type, wanted, i), g = value_at(a->type, got, i);
        const double share = relative * fmax(fabs(w), whole);
        const bool right = type->real && real_is_right(w, g, share, absolute, &off);
        if (right)
            d->worst = fmax(d->worst, off);
        if (right || d->n++)
            continue;
        d->first = i;
        d->wanted = w;
        d->got = g;
    }
    return d->n == 0;
}

const char *judge_twin_name(enum judge_twin t)
{
    static const char *const names[JUDGE_TWINS] = {"does nothing", "copies its first input",
                                                   "computes with lower precision"};
    return names[t];
}

/* Cuts the lowest bits of the significand, rounding to nearest. */
static void lower_precision(const struct judge_argument *a, const void *right, void *out)
{
    for (size_t i = 0; i < a->length; i++)
        if (a->type == JUDGE_FLOAT32) {
            uint32_t bits;
            memcpy(&bits, (const char *)right + 4 * i, 4);
            bits = (bits + (UINT32_C(1) << 12)) & ~((UINT32_C(1) << 13) - 1);
            memcpy((char *)out + 4 * i, &bits, 4);
        } else {
            double v;
            memcpy(&v, (const char *)right + 8 * i, 8);
            uint64_t bits;
            memcpy(&bits, &v, 8);
            bits = (bits + (UINT64_C(1) << 28)) & ~((UINT64_C(1) << 29) - 1);
            memcpy((char *)out + 8 * i, &bits, 8);
        }
}

bool judge_twin_make(enum judge_twin t, const struct judge_argument *a, const void *before,
                     const void *right, const void *input, size_t n, void *out)
{
    const size_t bytes = judge_bytes(a);
    switch (t) {
    case JUDGE_NOTHING:
        memcpy(out, before, bytes);
        return true;
    case JUDGE_COPY:
        if (!input || n == 0)
            return false;
        for (size_t at = 0; at < bytes; at += n)
            memcpy((char *)out + at, input, n < bytes - at ? n : bytes - at);
        return true;
    case JUDGE_LOWER:
        if (!judge_types[a->type].real)
            return false;
        lower_precision(a, right, out);
        return true;
    default:
        return false;
    }
}
