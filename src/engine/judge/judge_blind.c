/* Whether a check can tell right from wrong: wrong answers of several kinds are shown to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/judge/judge_impl.h"
#include "engine/statistics/ranks.h"

/* VALUES_ENOUGH: of an output, in all calls together. SIZES: values of an output whose size is
 * kept. */
enum { CALLS_LEAST = 2, CALLS_MOST = 16, VALUES_ENOUGH = 64, SIZES = 4096 };

/* Half of an output's values are at least that many times the absolute tolerance. */
static const double TIMES_ABSOLUTE = 16;

const char *judge_mutant_name(enum judge_mutant t)
{
    static const char *const names[JUDGE_MUTANTS] = {
        [JUDGE_NOTHING] = "does nothing",
        [JUDGE_COPY] = "copies its first input",
        [JUDGE_LOWER] = "computes with lower precision",
        [JUDGE_OTHER] = "answers what it did for other inputs",
    };
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
            uint64_t bits;
            memcpy(&bits, (const char *)right + 8 * i, 8);
            bits = (bits + (UINT64_C(1) << 28)) & ~((UINT64_C(1) << 29) - 1);
            memcpy((char *)out + 8 * i, &bits, 8);
        }
}

bool judge_mutant_make(enum judge_mutant t, const struct judge_argument *a,
                       const struct judge_mutant_from *from, void *out)
{
    const size_t bytes = judge_bytes(a);
    const void *whole = t == JUDGE_NOTHING ? from->before : from->other;
    switch (t) {
    case JUDGE_NOTHING:
    case JUDGE_OTHER:
        if (whole)
            memcpy(out, whole, bytes);
        return whole != NULL;
    case JUDGE_COPY:
        if (!from->input || from->ninput == 0)
            return false;
        for (size_t at = 0; at < bytes; at += from->ninput)
            memcpy((char *)out + at, from->input,
                   from->ninput < bytes - at ? from->ninput : bytes - at);
        return true;
    case JUDGE_LOWER:
        if (!judge_types[a->type].real)
            return false;
        lower_precision(a, from->right, out);
        return true;
    default:
        return false;
    }
}

/* What was counted of one output. */
struct seen {
    /* For each mutant, how many of its values are wrong, and how many of these the check finds. */
    size_t wrong[JUDGE_MUTANTS], caught[JUDGE_MUTANTS];
    void *other;   /* what the call before gave; NULL: there was none */
    double *sizes; /* of values that are not 0 */
    size_t nsizes;
};

struct judge_blind {
    const struct harness *harness;
    struct seen of[JUDGE_ARGUMENTS + 1];
    void *mutant;
    size_t calls;
};

struct judge_blind *judge_blind_new(const struct harness *h)
{
    struct judge_blind *b = xcalloc(1, sizeof *b);
    size_t most = 1;
    b->harness = h;
    for (size_t i = 0; i < harness_buffers(h); i++)
        most = judge_bytes(&h->arguments[i]) > most ? judge_bytes(&h->arguments[i]) : most;
    b->mutant = xcalloc(1, most);
    return b;
}

void judge_blind_free(struct judge_blind *b)
{
    for (size_t i = 0; b && i <= JUDGE_ARGUMENTS; i++) {
        free(b->of[i].other);
        free(b->of[i].sizes);
    }
    if (b)
        free(b->mutant);
    free(b);
}

size_t judge_blind_calls(const struct harness *h)
{
    size_t least = VALUES_ENOUGH;
    for (size_t i = 0; i < harness_buffers(h); i++)
        if (judge_is_output(&h->arguments[i]) && h->arguments[i].length < least)
            least = h->arguments[i].length;
    const size_t n = (VALUES_ENOUGH + least - 1) / least;
    if (n > CALLS_MOST)
        return CALLS_MOST;
    return n > CALLS_LEAST ? n : CALLS_LEAST;
}

static size_t count_differing_values(const struct judge_argument *a, const void *x, const void *y)
{
    const size_t size = judge_types[a->type].size;
    size_t n = 0;
    for (size_t i = 0; i < a->length; i++)
        n += memcmp((const char *)x + i * size, (const char *)y + i * size, size) != 0;
    return n;
}

static void add_sizes(struct seen *s, const struct judge_argument *a, const void *right)
{
    if (!s->sizes)
        s->sizes = xcalloc(SIZES, sizeof *s->sizes);
    for (size_t i = 0; i < a->length && s->nsizes < SIZES; i++) {
        const double v = fabs(judge_value(a->type, right, i));
        if (v > 0 && isfinite(v))
            s->sizes[s->nsizes++] = v;
    }
}

static void add_output(struct judge_blind *b, size_t i, const struct judge_mutant_from *from)
{
    const struct judge_argument *a = &b->harness->arguments[i];
    struct seen *s = &b->of[i];
    struct judge_difference d;
    for (int t = 0; t < JUDGE_MUTANTS; t++) {
        if (!judge_mutant_make((enum judge_mutant)t, a, from, b->mutant))
            continue;
        s->wrong[t] += count_differing_values(a, from->right, b->mutant);
        judge_same(b->harness, a, from->right, b->mutant, JUDGE_EACH, &d);
        s->caught[t] += d.n;
    }
    if (judge_types[a->type].real)
        add_sizes(s, a, from->right);
    if (!s->other)
        s->other = xcalloc(1, judge_bytes(a));
    memcpy(s->other, from->right, judge_bytes(a));
}

void judge_blind_add(struct judge_blind *b, void *const *before, void *const *right,
                     const void *input, size_t ninput)
{
    b->calls++;
    for (size_t i = 0; i < harness_buffers(b->harness); i++) {
        const struct judge_mutant_from from = {.before = before[i],
                                               .right = right[i],
                                               .other = b->of[i].other,
                                               .input = input,
                                               .ninput = ninput};
        if (judge_is_output(&b->harness->arguments[i]))
            add_output(b, i, &from);
    }
}

/* A value that was left as it was is seen as such, for most of them; of other wrong answers some
 * value is. Where no value is wrong, the mutant is right, and is none. */
static bool is_mutant_missed(const struct seen *s, enum judge_mutant t)
{
    if (t == JUDGE_NOTHING)
        return 2 * s->caught[t] < s->wrong[t];
    return s->wrong[t] > 0 && s->caught[t] == 0;
}

static int refuse_missed_mutants(const struct judge_blind *b, size_t i,
                                 struct judge_refusal *refused)
{
    const struct seen *s = &b->of[i];
    for (int t = 0; t < JUDGE_MUTANTS; t++)
        if (is_mutant_missed(s, (enum judge_mutant)t))
            return judge_refuse(refused, GUARD_BLIND,
                                "a function that %s would pass: of %zu wrong values of %.60s %zu "
                                "are seen; the harness's tolerance or inputs are too weak",
                                judge_mutant_name((enum judge_mutant)t), s->wrong[t],
                                b->harness->arguments[i].name, s->caught[t]);
    return 0;
}

static int refuse_large_tolerance(const struct judge_blind *b, size_t i,
                                  struct judge_refusal *refused)
{
    const struct seen *s = &b->of[i];
    const double absolute = b->harness->absolute;
    const double median = s->nsizes ? median_of(s->sizes, s->nsizes) : INFINITY;
    if (absolute * TIMES_ABSOLUTE <= median)
        return 0;
    return judge_refuse(refused, GUARD_BLIND,
                        "the absolute tolerance %g is large beside %.60s, half of whose values are "
                        "smaller than %.3g: at most 1/%g of that sees what is wrong",
                        absolute, b->harness->arguments[i].name, median, TIMES_ABSOLUTE);
}

/* The number of values that some mutant changes, of all outputs. */
static size_t all_wrong(const struct judge_blind *b, enum judge_mutant t)
{
    size_t n = 0;
    for (size_t i = 0; i < harness_buffers(b->harness); i++)
        n += b->of[i].wrong[t];
    return n;
}

int judge_blind_refuse(const struct judge_blind *b, struct judge_refusal *refused)
{
    for (size_t i = 0; i < harness_buffers(b->harness); i++)
        if (refuse_missed_mutants(b, i, refused) != 0 || refuse_large_tolerance(b, i, refused) != 0)
            return 1;
    if (all_wrong(b, JUDGE_NOTHING) == 0)
        return judge_refuse(refused, GUARD_BLIND,
                            "a function that %s would pass: no output changes",
                            judge_mutant_name(JUDGE_NOTHING));
    if (b->calls > 1 && all_wrong(b, JUDGE_OTHER) == 0)
        return judge_refuse(refused, GUARD_BLIND,
                            "the baseline's answer was the same for all inputs of %zu calls: a "
                            "function that always says so would pass",
                            b->calls);
    return 0;
}
