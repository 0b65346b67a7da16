#include "engine/judge/judge_inputs.h"

#include <math.h>
#include <string.h>

/* The most values of a row that is repeated; values of an array that are made one by one; bytes of
 * a pattern that are copied at once. */
enum { ROW = 4096, NEW_VALUES = 1 << 18, PATTERN = 64 };

const char *judge_distribution_name(enum judge_distribution d)
{
    static const char *const names[JUDGE_DISTRIBUTIONS] = {
        [JUDGE_AS_SAID] = "inputs as the harness says",
        [JUDGE_BITS] = "inputs of zeros and ones",
        [JUDGE_ZEROS] = "inputs of zeros",
        [JUDGE_WIDE] = "inputs of very different sizes",
        [JUDGE_SPARSE] = "inputs that are zero nine times of ten",
        [JUDGE_NANS] = "inputs with NaN",
        [JUDGE_INFINITE] = "inputs with infinities",
        [JUDGE_TINY] = "denormal inputs and negative zeros",
        [JUDGE_HUGE] = "a huge input",
    };
    return names[d];
}

bool judge_is_special(enum judge_distribution d)
{
    return d >= JUDGE_NANS;
}

static bool takes_special(const struct judge_argument *a)
{
    return judge_is_input(a) && judge_types[a->type].real && a->generator == JUDGE_NORMAL;
}

bool judge_takes_special(const struct harness *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (takes_special(&h->arguments[i]))
            return true;
    return false;
}

/* SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
uint64_t judge_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 included, 1 not. */
static double next_share(uint64_t *state)
{
    return (double)(judge_random(state) >> 11) * 0x1p-53;
}

/* Normal, with mean 0 and deviation 1: G. Box, M. Muller, Ann. Math. Stat. 29, 1958. */
static double next_normal(uint64_t *state)
{
    const double r = sqrt(-2 * log(1 - next_share(state)));
    return r * cos(6.283185307179586 * next_share(state));
}

static double next_as_said(const struct judge_argument *a, uint64_t *state)
{
    if (judge_types[a->type].real)
        return a->generator == JUDGE_NORMAL ? next_normal(state)
                                            : a->low + (a->high - a->low) * next_share(state);
    if (a->generator == JUDGE_NORMAL) /* whole numbers near 0, as far as the type has them */
        return nearbyint(20 * next_normal(state));
    return fmin(a->low + floor((a->high - a->low + 1) * next_share(state)), a->high);
}

static double next_value(const struct judge_argument *a, enum judge_distribution d, uint64_t *state)
{
    double v = 0;
    switch (d) {
    case JUDGE_BITS:
        v = (double)(judge_random(state) & 1);
        break;
    case JUDGE_ZEROS:
        v = 0;
        break;
    case JUDGE_WIDE: /* of one sign: where large values cancel, only their rounding would be left */
        v = judge_types[a->type].real
                ? ldexp(fabs(next_normal(state)), (int)(judge_random(state) % 41) - 20)
                : next_as_said(a, state);
        break;
    case JUDGE_SPARSE:
        v = judge_random(state) % 10 ? 0 : next_as_said(a, state);
        break;
    default:
        v = next_as_said(a, state);
    }
    return a->generator == JUDGE_UNIFORM ? fmin(fmax(v, a->low), a->high) : v;
}

#define STORE(type, least, most)                                                                   \
    for (size_t i = 0; i < a->length; i++)                                                         \
        ((type *)out)[i] = (type)fmin(fmax(next_value(a, d, &state), least), most);                \
    break

/* Fills from..length with rows of what stands before `from`. */
static void repeat_rows(const struct judge_argument *a, size_t from, uint64_t *state, void *out)
{
    const size_t size = judge_types[a->type].size;
    for (size_t at = from; at < a->length;) {
        const size_t left = a->length - at, row = 1 + judge_random(state) % ROW;
        const size_t n = row < left ? row : left, begin = judge_random(state) % (from - n + 1);
        memcpy((char *)out + at * size, (const char *)out + begin * size, n * size);
        at += n;
    }
}

static void fill_values(const struct judge_argument *a, enum judge_distribution d, uint64_t state,
                        void *out)
{
    switch (a->type) {
    case JUDGE_INT8:
        STORE(int8_t, INT8_MIN, INT8_MAX);
    case JUDGE_UINT8:
        STORE(uint8_t, 0, UINT8_MAX);
    case JUDGE_INT16:
        STORE(int16_t, INT16_MIN, INT16_MAX);
    case JUDGE_UINT16:
        STORE(uint16_t, 0, UINT16_MAX);
    case JUDGE_INT32:
        STORE(int32_t, INT32_MIN, INT32_MAX);
    case JUDGE_UINT32:
        STORE(uint32_t, 0, UINT32_MAX);
    case JUDGE_INT64: /* the greatest double below 2^63, and below 2^64 */
        STORE(int64_t, -0x1p63, 0x1.fffffffffffffp62);
    case JUDGE_UINT64:
        STORE(uint64_t, 0, 0x1.fffffffffffffp63);
    case JUDGE_FLOAT32:
        STORE(float, -INFINITY, INFINITY);
    case JUDGE_FLOAT64:
        STORE(double, -INFINITY, INFINITY);
    default:
        break;
    }
}

/* --- special values --- */

static double tiny_value(const struct judge_argument *a, uint64_t *state)
{
    const int denormal = a->type == JUDGE_FLOAT32 ? -135 : -1040;
    return judge_random(state) % 8 ? ldexp(next_normal(state), denormal) : -0.0;
}

static double special_value(const struct judge_argument *a, enum judge_distribution d,
                            uint64_t *state)
{
    const double sign = judge_random(state) & 1 ? 1 : -1;
    switch (d) {
    case JUDGE_NANS:
        return (double)NAN;
    case JUDGE_INFINITE:
        return sign * (double)INFINITY;
    case JUDGE_HUGE:
        return ldexp(sign, a->type == JUDGE_FLOAT32 ? 100 : 900);
    default:
        return tiny_value(a, state);
    }
}

/* How many values are special. */
static size_t special_count(const struct judge_argument *a, enum judge_distribution d,
                            uint64_t *state)
{
    const bool many = judge_random(state) & 1;
    if (d == JUDGE_TINY)
        return many ? a->length : a->length / 2 + 1;
    return many && d != JUDGE_HUGE ? 1 + a->length / 32 : 1;
}

static void add_special(const struct judge_argument *a, enum judge_distribution d, uint64_t *state,
                        void *out)
{
    const size_t size = judge_types[a->type].size, count = special_count(a, d, state);
    for (size_t i = 0; i < count; i++) {
        const size_t at = count == a->length ? i : judge_random(state) % a->length;
        judge_store(a->type, special_value(a, d, state), (char *)out + at * size);
    }
}

void judge_fill(const struct judge_argument *a, size_t argument, enum judge_distribution d,
                uint64_t seed, void *out)
{
    uint64_t state = seed ^ (argument + 1) * UINT64_C(0xd1342543de82ef95);
    struct judge_argument beginning = *a;
    beginning.length = a->length < NEW_VALUES ? a->length : NEW_VALUES;
    fill_values(&beginning, d, state, out);
    if (beginning.length < a->length)
        repeat_rows(a, beginning.length, &state, out);
    if (judge_is_special(d) && takes_special(a))
        add_special(a, d, &state, out);
}

/* As float32 and float64 both are NaNs with a payload of their own, as whole numbers they are odd
 * ones. */
void judge_poison(void *out, size_t n, unsigned which)
{
    static const uint8_t pattern[2][4] = {{0x5b, 0xa7, 0xf3, 0xff}, {0xb4, 0x59, 0xfc, 0x7f}};
    uint8_t block[PATTERN];
    for (size_t i = 0; i < PATTERN; i++)
        block[i] = pattern[which & 1][i & 3];
    for (size_t at = 0; at < n; at += PATTERN)
        memcpy((uint8_t *)out + at, block, n - at < PATTERN ? n - at : PATTERN);
}
