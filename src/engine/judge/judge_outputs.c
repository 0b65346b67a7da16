#include "engine/judge/judge_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

double judge_value(enum judge_type type, const void *p, size_t i)
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
        const double v = fabs(judge_value(a->type, p, i));
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

/* What a value may be away. */
struct tolerance {
    double relative, absolute;
    double whole; /* as if |wanted| were at least that */
    bool finite;  /* where it is not finite, all is right */
    bool endless; /* a NaN is right for an infinity, and an infinity for a NaN */
};

enum { BLOCK = 64 };

/* Whether all values of a block are finite and within the tolerance; *worst: the largest
 * difference. The others are looked at one by one. */
#define NEAR(name, type)                                                                           \
    static bool name(const type *wanted, const type *got, size_t n, const struct tolerance *t,     \
                     double *worst)                                                                \
    {                                                                                              \
        double most = 0;                                                                           \
        int64_t far = 0;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            const double w = wanted[i], size = fabs(w), off = fabs(got[i] - w);                    \
            const double share = t->relative * (size > t->whole ? size : t->whole);                \
            far += !(off <= share + t->absolute) | !(off < INFINITY);                              \
            most = off > most ? off : most;                                                        \
        }                                                                                          \
        *worst = most;                                                                             \
        return far == 0;                                                                           \
    }
NEAR(near_floats, float)
NEAR(near_doubles, double)

/* n values from i on, together. False: one may be wrong. */
static bool block_is_right(const struct judge_argument *a, const void *wanted, const void *got,
                           size_t i, size_t n, const struct tolerance *t,
                           struct judge_difference *d)
{
    const size_t size = judge_types[a->type].size;
    const void *w = (const char *)wanted + i * size, *g = (const char *)got + i * size;
    double worst = 0;
    if (memcmp(w, g, n * size) == 0)
        return true;
    if (a->type != JUDGE_FLOAT32 && a->type != JUDGE_FLOAT64)
        return false;
    if (a->type == JUDGE_FLOAT32 ? !near_floats(w, g, n, t, &worst)
                                 : !near_doubles(w, g, n, t, &worst))
        return false;
    d->worst = fmax(d->worst, worst);
    return true;
}

/* Whether any value that is no number is right. */
static bool is_free(const struct tolerance *t, double wanted, double got)
{
    if (t->finite && !isfinite(wanted))
        return true;
    return t->endless && ((isnan(wanted) && isinf(got)) || (isinf(wanted) && isnan(got)));
}

static void look_at_value(const struct judge_argument *a, const void *wanted, const void *got,
                          size_t i, const struct tolerance *t, struct judge_difference *d)
{
    const struct judge_type_row *type = &judge_types[a->type];
    double off = 0;
    if (memcmp((const char *)wanted + i * type->size, (const char *)got + i * type->size,
               type->size) == 0)
        return;
    const double w = judge_value(a->type, wanted, i), g = judge_value(a->type, got, i);
    const double share = t->relative * fmax(fabs(w), t->whole);
    const bool right =
        type->real && (is_free(t, w, g) || real_is_right(w, g, share, t->absolute, &off));
    if (right)
        d->worst = fmax(d->worst, off);
    if (right || d->n++)
        return;
    d->first = i;
    d->wanted = w;
    d->got = g;
}

/* What all values of an output count as at least. */
static double least_size(const struct judge_argument *a, const void *wanted, enum judge_rule rule,
                         double relative)
{
    const bool single = a->type == JUDGE_FLOAT32;
    if (!judge_types[a->type].real)
        return 0;
    if (rule == JUDGE_WHOLE || rule == JUDGE_FINITE)
        return largest_of(a, wanted);
    if (rule == JUDGE_LEAST && relative > 0)
        return fmax(single ? (double)FLT_MIN : DBL_MIN,
                    1024 * (single ? (double)FLT_TRUE_MIN : DBL_TRUE_MIN) / relative);
    return 0;
}

bool judge_same(const struct harness *h, const struct judge_argument *a, const void *wanted,
                const void *got, enum judge_rule rule, struct judge_difference *d)
{
    struct tolerance t = {.relative = rule == JUDGE_EXACT ? 0 : h->relative,
                          .absolute = rule == JUDGE_EXACT ? 0 : h->absolute,
                          .finite = rule == JUDGE_FINITE,
                          .endless = rule == JUDGE_ENDLESS};
    *d = (struct judge_difference){0};
    if (memcmp(wanted, got, judge_bytes(a)) == 0)
        return true;
    t.whole = least_size(a, wanted, rule, h->relative);
    for (size_t at = 0; at < a->length; at += BLOCK) {
        const size_t n = a->length - at < BLOCK ? a->length - at : BLOCK;
        if (block_is_right(a, wanted, got, at, n, &t, d))
            continue;
        for (size_t i = at; i < at + n; i++)
            look_at_value(a, wanted, got, i, &t, d);
    }
    return d->n == 0;
}
