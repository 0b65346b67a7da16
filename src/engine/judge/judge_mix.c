/* Inputs of timed calls: each has its own, so they must cost little. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engine/judge/judge_inputs.h"

/* Values that follow each other in a pool; values of one round of a loop, which compilers make of
 * vectors where the number is known. */
enum { ROW = 4096, ROUND = 32 };

/* A row as the sum of two rows of a pool: where they stand there, and the sign of the second. */
struct mixing {
    const struct judge_argument *argument;
    const void *first, *second;
    double sign;
    size_t n;
};

/* Rounds to the nearest whole number: numbers from 2^52 on have no other ones (IEEE 754). What is
 * rounded is much smaller. */
#define WHOLE(v) (((v) + 0x1.8p52) - 0x1.8p52)
#define AS_IS(v) (v)

#define LIMITED(v, least, most) ((v) < (least) ? (least) : (v) > (most) ? (most) : (v))

/* type: of the values; work: in which it is computed; expression: of p and q. */
#define MIX_ROUND(type, work, expression, count)                                                   \
    for (size_t k = 0; k < (count); k++) {                                                         \
        const work p = (work)from[k], q = (work)with[k];                                           \
        const work v = (expression);                                                               \
        to[k] = (type)LIMITED(v, least, most);                                                     \
    }
#define MIX_ROW(type, work, expression)                                                            \
    const type *restrict from = m->first, *restrict with = m->second;                              \
    size_t at = 0;                                                                                 \
    for (; at + ROUND <= m->n; at += ROUND, from += ROUND, with += ROUND, to += ROUND)             \
        MIX_ROUND(type, work, expression, ROUND)                                                   \
    MIX_ROUND(type, work, expression, m->n - at)

/* One function for each type: normal values keep their deviation, uniform ones their range, of
 * which `step` is the distance from the largest back to the smallest. */
#define MIXER(name, type, work, round, smallest, largest, last)                                    \
    typedef type name##_value;                                                                     \
    static void name##_normal(const struct mixing *m, name##_value *restrict to)                   \
    {                                                                                              \
        const work sign = (work)m->sign, least = (smallest), most = (largest);                     \
        MIX_ROW(type, work, round((p + sign * q) * (work)M_SQRT1_2))                               \
    }                                                                                              \
    static void name##_uniform(const struct mixing *m, name##_value *restrict to)                  \
    {                                                                                              \
        const struct judge_argument *a = m->argument;                                              \
        const work low = (work)a->low, high = (work)a->high;                                       \
        const work least = LIMITED(low, (work)(smallest), (work)(largest));                        \
        const work most = LIMITED(high, (work)(smallest), (work)(largest));                        \
        const work step = (high - low) + (last);                                                   \
        MIX_ROW(type, work, p + (q - low) > high ? (p + (q - low)) - step : p + (q - low))         \
    }                                                                                              \
    static void name(const struct mixing *m, void *out)                                            \
    {                                                                                              \
        if (m->argument->generator == JUDGE_NORMAL)                                                \
            name##_normal(m, out);                                                                 \
        else                                                                                       \
            name##_uniform(m, out);                                                                \
    }

MIXER(mix_int8, int8_t, double, WHOLE, INT8_MIN, INT8_MAX, 1)
MIXER(mix_uint8, uint8_t, double, WHOLE, 0, UINT8_MAX, 1)
MIXER(mix_int16, int16_t, double, WHOLE, INT16_MIN, INT16_MAX, 1)
MIXER(mix_uint16, uint16_t, double, WHOLE, 0, UINT16_MAX, 1)
MIXER(mix_int32, int32_t, double, WHOLE, INT32_MIN, INT32_MAX, 1)
MIXER(mix_uint32, uint32_t, double, WHOLE, 0, UINT32_MAX, 1)
/* the greatest double below 2^63, and below 2^64 */
MIXER(mix_int64, int64_t, double, WHOLE, -0x1p63, 0x1.fffffffffffffp62, 1)
MIXER(mix_uint64, uint64_t, double, WHOLE, 0, 0x1.fffffffffffffp63, 1)
MIXER(mix_float32, float, float, AS_IS, -FLT_MAX, FLT_MAX, 0)
MIXER(mix_wide_float32, float, double, AS_IS, -FLT_MAX, FLT_MAX, 0)
MIXER(mix_float64, double, double, AS_IS, -DBL_MAX, DBL_MAX, 0)

static void mix_values(const struct mixing *m, void *out)
{
    static void (*const mixers[JUDGE_TYPES])(const struct mixing *m, void *out) = {
        [JUDGE_INT8] = mix_int8,       [JUDGE_UINT8] = mix_uint8,   [JUDGE_INT16] = mix_int16,
        [JUDGE_UINT16] = mix_uint16,   [JUDGE_INT32] = mix_int32,   [JUDGE_UINT32] = mix_uint32,
        [JUDGE_INT64] = mix_int64,     [JUDGE_UINT64] = mix_uint64, [JUDGE_FLOAT32] = mix_float32,
        [JUDGE_FLOAT64] = mix_float64,
    };
    const struct judge_argument *a = m->argument;
    /* in float the sum of values near the ends of its range would be infinite */
    if (a->type == JUDGE_FLOAT32 && fmax(fabs(a->low), fabs(a->high)) > 0x1p100)
        mix_wide_float32(m, out);
    else if (mixers[a->type])
        mixers[a->type](m, out);
}

void judge_mix_input(const struct judge_argument *a, const void *pool, size_t n, uint64_t *state,
                     void *out)
{
    const size_t size = judge_types[a->type].size, most = n / 2 < ROW ? n / 2 : ROW;
    for (size_t at = 0; at < a->length;) {
        const size_t row = a->length - at < most ? a->length - at : most;
        const size_t first = judge_random(state) % (n - row + 1);
        const size_t second = judge_random(state) % (n - row + 1);
        const double sign = a->generator == JUDGE_NORMAL && (judge_random(state) & 1) ? -1 : 1;
        const struct mixing m = {.argument = a,
                                 .first = (const char *)pool + first * size,
                                 .second = (const char *)pool + second * size,
                                 .sign = sign,
                                 .n = row};
        mix_values(&m, (char *)out + at * size);
        at += row;
    }
}
