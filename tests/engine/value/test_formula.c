#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/value/formula.h"
#include "support/test.h"

/* a=7 b=2 c=0 and 'x-y'=5 */
static int bind(void *ctx, const char *name, char why[192])
{
    static const char *const names[] = {"a", "b", "c", "x-y", "s.t"};
    (void)ctx;
    for (int i = 0; i < 5; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    snprintf(why, 192, "no '%s' here", name);
    return -1;
}
static const double values[] = {7, 2, 0, 5, 11};

static double value_of(const char *text)
{
    struct formula *f;
    struct error err = ERROR_INIT;
    const char *why = NULL;
    double v = -1;
    if (formula_compile(&f, text, bind, NULL, &err))
        fail_msg("%s: %s: %s", text, err.what, err.why);
    assert_int_equal(formula_evaluate(f, values, &v, &why), 0);
    formula_free(f);
    return v;
}

TEST(arithmetic_follows_precedence)
{
    static const struct {
        const char *text;
        double v;
    } cases[] = {
        {"1", 1},          {"a + b * 3", 13},    {"(a + b) * 3", 27},
        {"a - b - 1", 4},  {"a / b / 2", 1.75},  {"-a + 1", -6},
        {"a * -b", -14},   {"- - a", 7},         {"-(a+b)*2", -18},
        {"min(a,b)", 2},   {"max(a,b,9, 1)", 9}, {"min(max(a, b), 3 + 1)", 4},
        {"'x-y' - a", -2}, {"s.t", 11},          {"1.5e3", 1500},
        {"25e-2", 0.25},   {".5", 0.5},          {"1e-9", 1e-9},
        {"a-b", 5},        {"min ( a , b )", 2}, {"\n a\t+ b ", 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (value_of(cases[i].text) != cases[i].v)
            fail_msg("%s = %g", cases[i].text, value_of(cases[i].text));
}

TEST(mistakes_name_their_column)
{
    static const struct {
        const char *text, *column, *why;
    } cases[] = {
        {"", "column 1", "ends"},           {"a +", "column 4", "ends"},
        {"a b", "column 3", "operator"},    {"(a", "column 3", "')'"},
        {"a)", "column 2", "closes"},       {"a + q", "column 5", "no 'q'"},
        {"sin(a)", "column 1", "function"}, {"min(a)", "column 6", "two"},
        {"(a, b)", "column 3", "comma"},    {"min(a,,b)", "column 7", "number"},
        {"'x", "column 1", "no end"},       {"''", "column 1", "empty"},
        {"1e", "column 3", "exponent"},     {"1e999", "column 1", "range"},
        {".", "column 1", "digit"},         {"()", "column 2", "number"},
        {"a $ b", "column 3", "operator"},  {"a, b", "column 2", "comma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct formula *f;
        struct error err = ERROR_INIT;
        assert_int_equal(formula_compile(&f, cases[i].text, bind, NULL, &err), -EINVAL);
        assert_null(f);
        if (strcmp(err.what, cases[i].column) != 0 || !strstr(err.why, cases[i].why))
            fail_msg("'%s': %s: %s", cases[i].text, err.what, err.why);
    }
}

TEST(division_by_zero_says_by_what)
{
    struct formula *f;
    const char *why = NULL;
    double v;
    assert_int_equal(formula_compile(&f, "a / c", bind, NULL, NULL), 0);
    assert_int_equal(formula_evaluate(f, values, &v, &why), -ERANGE);
    assert_string_equal(why, "no c in this interval");
    formula_free(f);
    assert_int_equal(formula_compile(&f, "a / (b - b)", bind, NULL, NULL), 0);
    assert_int_equal(formula_evaluate(f, values, &v, &why), -ERANGE);
    assert_string_equal(why, "division by 0 in this interval");
    formula_free(f);
}

TEST(nesting_and_length_are_bounded)
{
    char text[4000];
    struct formula *f;
    struct error err = ERROR_INIT;
    memset(text, '(', 40);
    strcpy(text + 40, "a");
    assert_int_equal(formula_compile(&f, text, bind, NULL, &err), -EINVAL);
    assert_non_null(strstr(err.why, "deep"));
    text[0] = 0;
    for (int i = 0; i < 200; i++)
        strcat(text, "a+");
    strcat(text, "a");
    assert_int_equal(formula_compile(&f, text, bind, NULL, &err), -EINVAL);
    assert_non_null(strstr(err.why, "long"));
    memset(text, '-', 300);
    strcpy(text + 300, "a");
    assert_int_equal(formula_compile(&f, text, bind, NULL, &err), -EINVAL);
    text[0] = 0;
    for (int i = 0; i < 40; i++)
        strcat(text, "1+(");
    assert_int_equal(formula_compile(&f, text, bind, NULL, &err), -EINVAL);
}

/* Depth is limited, not the number of parentheses. */
TEST(parentheses_beside_each_other_are_not_deep)
{
    char text[4000] = "1";
    for (int i = 0; i < 40; i++)
        strcat(text, "+(1)");
    assert_true(value_of(text) == 41);
    strcpy(text, "1");
    for (int i = 0; i < 20; i++)
        strcat(text, "+max(1,2)");
    assert_true(value_of(text) == 41);
}

TEST(slots_are_listed_once)
{
    struct formula *f;
    size_t n;
    assert_int_equal(formula_compile(&f, "b + a * b / a", bind, NULL, NULL), 0);
    const int *slots = formula_slots(f, &n);
    assert_int_equal(n, 2);
    assert_int_equal(slots[0], 1);
    assert_int_equal(slots[1], 0);
    formula_free(f);
}
