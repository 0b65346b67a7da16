/* Lengths that follow from numbers of a call, and harnesses with other ones. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/judge/judge_shapes.h"
#include "support/test.h"

/* "m=96" is a whole number, "*9216" an array. */
static struct harness harness_of(const char *text)
{
    struct harness h = {.other_lengths = true};
    char word[32];
    for (int used = 0; sscanf(text, "%31s%n", word, &used) == 1; text += used) {
        struct judge_argument *a = &h.arguments[h.n++];
        *a = (struct judge_argument){.type = JUDGE_INT64, .array = *word == '*'};
        double number = 0;
        assert_int_equal(sscanf(word + 1, "%lf", &number), 1);
        if (a->array)
            a->length = (size_t)number;
        a->value = a->values[0] = a->array ? 0 : number;
        a->nvalues = !a->array;
    }
    judge_shapes_mark(&h);
    return h;
}

/* "1" for a length, "-" for none, one of each argument. */
static void lengths_are(const char *text, const char *wanted)
{
    const struct harness h = harness_of(text);
    assert_int_equal(strlen(wanted), h.n);
    for (size_t i = 0; i < h.n; i++)
        if (h.arguments[i].is_length != (wanted[i] == '1'))
            fail_msg("argument %zu of '%s'", i, text);
}

TEST(lengths_are_recognised)
{
    lengths_are("=1021 *1021 *1021", "1--");
    lengths_are("=96 *9216 *9216 *9216", "1---");  /* n * n */
    lengths_are("=4 =5 =6 *20 *30 *24", "111---"); /* m * n, n * k, m * k */
    lengths_are("=7 *343", "1-");                  /* n * n * n */
    lengths_are("=100 *300", "1-");                /* three values each */
    lengths_are("=100 *102 *98", "1--");           /* a border */
    lengths_are("=4 *32", "--");                   /* small numbers match by chance */
    lengths_are("=10 *13", "--");
    lengths_are("=1 *1", "--");
    lengths_are("=1021 =3 *1021", "1--");
    lengths_are("=64 =64 *64", "11-"); /* which of both it is nobody knows */
}

static void a_shape_is(const char *text, size_t argument, double value, const char *lengths)
{
    const struct harness h = harness_of(text);
    struct harness other;
    char got[128] = "";
    if (!judge_shape(&h, argument, value, &other))
        snprintf(got, sizeof got, "none");
    else
        for (size_t i = 0; i < h.n; i++) {
            const struct judge_argument *a = &other.arguments[i];
            const size_t n = strlen(got);
            snprintf(got + n, sizeof got - n, "%s%c%g", i ? " " : "", a->array ? '*' : '=',
                     a->array ? (double)a->length : a->value);
        }
    assert_string_equal(got, lengths);
}

TEST(arrays_follow_their_numbers)
{
    a_shape_is("=1021 *1021 *5", 0, 7, "=7 *7 *5");
    a_shape_is("=96 *9216", 0, 3, "=3 *9");
    a_shape_is("=4 =5 =6 *20 *30 *24", 1, 2, "=4 =2 =6 *8 *12 *24");
    a_shape_is("=100 *102 *98", 0, 10, "=10 *12 *8");
    a_shape_is("=100 *102 *98", 0, 2, "none"); /* an array would have no values */
    a_shape_is("=64 =64 *64", 1, 8, "=8 =8 *8");
    a_shape_is("=100 *100", 0, 101, "none"); /* more than the file says */
}

TEST(leads_are_the_first_of_their_value)
{
    const struct harness h = harness_of("=64 =9 =64 *64 =32 *32");
    assert_true(judge_shapes_lead(&h, 0));
    assert_false(judge_shapes_lead(&h, 1));
    assert_false(judge_shapes_lead(&h, 2));
    assert_true(judge_shapes_lead(&h, 4));
}

static bool has(const double *values, size_t n, double v)
{
    for (size_t i = 0; i < n; i++)
        if (values[i] == v)
            return true;
    return false;
}

TEST(values_are_around_blocks)
{
    static const double wanted[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65};
    const struct harness h = harness_of("=1021 *1021"), small = harness_of("=9 *9");
    double values[JUDGE_SHAPES];
    for (uint64_t seed = 0; seed < 100; seed++) {
        const size_t n = judge_shapes_values(&h, 0, seed, values);
        assert_in_range(n, 14, JUDGE_SHAPES);
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            assert_true(has(values, n, wanted[i]));
        for (size_t i = 0; i < n; i++) {
            assert_true(values[i] >= 1 && values[i] < 1021 && values[i] == (double)(int)values[i]);
            assert_false(has(values, i, values[i]));
        }
        const size_t few = judge_shapes_values(&small, 0, seed, values);
        assert_true(has(values, few, 1) && has(values, few, 8) && !has(values, few, 9));
    }
}

/* What the harness says: the largest is the length that is timed, the others are checked. */
TEST(values_of_the_harness_are_taken)
{
    struct harness h = harness_of("=0 *1000");
    struct judge_argument *a = &h.arguments[0];
    const double said[] = {17, 1000, 500};
    double values[JUDGE_SHAPES];
    memcpy(a->values, said, sizeof said);
    a->nvalues = 3;
    a->value = 17;
    judge_shapes_mark(&h);
    assert_true(a->is_length && a->value == 1000 && !judge_is_varied(a));
    assert_int_equal(judge_shapes_values(&h, 0, 1, values), 2);
    assert_true(values[0] == 17 && values[1] == 500);
}

/* Then calls get one value after the other, and arrays stay as they are. */
TEST(a_harness_may_want_none)
{
    struct harness h = harness_of("=0 *1000");
    struct judge_argument *a = &h.arguments[0];
    const double said[] = {1000, 500};
    memcpy(a->values, said, sizeof said);
    a->nvalues = 2;
    a->value = 1000;
    h.other_lengths = false;
    judge_shapes_mark(&h);
    assert_false(a->is_length || judge_shapes_lead(&h, 0));
    assert_true(judge_is_varied(a));
}
