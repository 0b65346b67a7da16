#include "engine/judge/judge_shapes.h"

#include "engine/judge/judge_inputs.h"

/* DEGREE: numbers in a product. TIMES: the most by which a product may be multiplied, BESIDE: what
 * may be added to one number, both where it is at least LARGE: small numbers match by chance. */
enum { DEGREE = 3, TIMES = 8, BESIDE = 8, LARGE = 32 };

/* length = times * product of the numbers + beside */
struct tie {
    size_t n, of[DEGREE];
    double times, beside;
};

/* known: lengths were marked. */
static bool may_be_length(const struct judge_argument *a, bool known)
{
    return !a->array && !judge_types[a->type].real && a->value >= 2 && (a->is_length || !known);
}

static bool take_tie(struct tie *out, size_t n, const size_t *of, double times, double beside)
{
    *out = (struct tie){.n = n, .times = times, .beside = beside};
    for (size_t i = 0; i < n; i++)
        out->of[i] = of[i];
    return true;
}

/* Products of n numbers, each of the last one's or those after it. */
static bool find_product(const struct harness *h, double length, bool known, size_t n, size_t *of,
                         size_t depth, struct tie *out)
{
    double product = 1;
    if (depth == n) {
        for (size_t i = 0; i < n; i++)
            product *= h->arguments[of[i]].value;
        for (int times = 1; times <= (n < DEGREE && product >= LARGE ? TIMES : 1); times++)
            if (product * times == length)
                return take_tie(out, n, of, times, 0);
        return false;
    }
    for (size_t i = depth ? of[depth - 1] : 0; i < h->n; i++) {
        of[depth] = i;
        if (may_be_length(&h->arguments[i], known) &&
            find_product(h, length, known, n, of, depth + 1, out))
            return true;
    }
    return false;
}

static bool find_tie(const struct harness *h, double length, bool known, struct tie *out)
{
    size_t of[DEGREE];
    for (size_t n = 1; n <= DEGREE; n++)
        if (find_product(h, length, known, n, of, 0, out))
            return true;
    for (size_t i = 0; i < h->n; i++) {
        const double v = h->arguments[i].value, beside = length - v;
        if (may_be_length(&h->arguments[i], known) && v >= LARGE && beside >= -BESIDE &&
            beside <= BESIDE)
            return take_tie(out, 1, &i, 1, beside);
    }
    return false;
}

static bool same_number(const struct harness *h, size_t i, size_t k)
{
    return may_be_length(&h->arguments[i], false) && h->arguments[i].value == h->arguments[k].value;
}

void judge_shapes_mark(struct harness *h)
{
    double first[JUDGE_ARGUMENTS];
    if (!h->other_lengths)
        return;
    for (size_t i = 0; i < h->n; i++) {
        struct judge_argument *a = &h->arguments[i];
        first[i] = a->value;
        for (size_t k = 0; k < a->nvalues; k++)
            a->value = a->values[k] > a->value ? a->values[k] : a->value;
    }
    for (size_t i = 0; i < h->n; i++) {
        struct tie t;
        if (!h->arguments[i].array || !find_tie(h, (double)h->arguments[i].length, false, &t))
            continue;
        for (size_t f = 0; f < t.n; f++)
            for (size_t k = 0; k < h->n; k++)
                h->arguments[k].is_length |= same_number(h, k, t.of[f]);
    }
    for (size_t i = 0; i < h->n; i++)
        if (!h->arguments[i].is_length)
            h->arguments[i].value = first[i];
}

bool judge_shapes_lead(const struct harness *h, size_t argument)
{
    if (!h->arguments[argument].is_length)
        return false;
    for (size_t i = 0; i < argument; i++)
        if (h->arguments[i].is_length && same_number(h, i, argument))
            return false;
    return true;
}

static size_t add_value(double v, double below, double out[JUDGE_SHAPES], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (out[i] == v)
            return n;
    if (v >= below || n >= JUDGE_SHAPES)
        return n;
    out[n] = v;
    return n + 1;
}

size_t judge_shapes_values(const struct harness *h, size_t argument, uint64_t seed,
                           double out[JUDGE_SHAPES])
{
    enum { ANY = 3, LARGEST_BLOCK = 64, SMALLEST_BLOCK = 8 };
    const struct judge_argument *a = &h->arguments[argument];
    size_t n = 0;
    for (size_t i = 0; i < a->nvalues; i++)
        n = add_value(a->values[i], a->value, out, n);
    if (a->nvalues > 1)
        return n;
    n = add_value(1, a->value, out, n);
    for (int block = SMALLEST_BLOCK; block <= LARGEST_BLOCK; block *= 2) {
        for (int beside = -1; beside <= 1; beside++)
            n = add_value(block + beside, a->value, out, n);
    }
    for (int i = 0; i < ANY && a->value >= 3; i++) {
        const uint64_t room = (uint64_t)a->value - 2; /* from 2 to its own less 1 */
        n = add_value(2 + (double)(judge_random(&seed) % room), a->value, out, n);
    }
    return n;
}

bool judge_shape(const struct harness *h, size_t argument, double value, struct harness *out)
{
    *out = *h;
    for (size_t i = 0; i < h->n; i++)
        if (h->arguments[i].is_length && same_number(h, i, argument))
            out->arguments[i].value = value;
    for (size_t i = 0; i < h->n; i++) {
        const struct judge_argument *a = &h->arguments[i];
        struct tie t;
        if (!a->array || !find_tie(h, (double)a->length, true, &t))
            continue;
        double length = t.times;
        for (size_t f = 0; f < t.n; f++)
            length *= out->arguments[t.of[f]].value;
        length += t.beside;
        if (!(length >= 1) || length > (double)a->length)
            return false;
        out->arguments[i].length = (size_t)length;
    }
    return true;
}
