/* Differences of golden traces: shortest, complete, and accepted one by one or together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/golden/golden_diff.h"
#include "export/golden/golden_export.h"
#include "engine/golden/golden_impl.h"
#include "support/longest_common.h"
#include "support/test.h"

/* A trace with effects and one process, whose lines are the letters of the text. */
static struct golden of(const char *effects, const char *calls)
{
    struct golden g = {.level = GOLDEN_ORDER};
    const char *texts[] = {effects, calls};
    const char *titles[] = {"effects", "process 1"};
    for (int i = 0; i < 2; i++) {
        struct golden_section *s = golden_section_new(&g, titles[i]);
        for (const char *p = texts[i]; *p; p++) {
            char line[2] = {*p, 0};
            golden_section_add(s, xstrdup(line));
        }
    }
    return g;
}

static void expect_lines(const struct golden *g, const char *title, const char *text)
{
    const struct golden_section *s = golden_section_find(g, title);
    assert_non_null(s);
    assert_int_equal(s->n, strlen(text));
    for (size_t i = 0; i < s->n; i++)
        assert_int_equal(s->lines[i][0], text[i]);
}

static void random_text(char *out, unsigned *seed)
{
    size_t n = (size_t)rand_r(seed) % 40;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)('a' + rand_r(seed) % 4);
    out[n] = 0;
}

TEST(test_against_the_textbook)
{
    unsigned seed = 7;
    for (int round = 0; round < 3000; round++) {
        char a[64], b[64];
        random_text(a, &seed);
        random_text(b, &seed);
        struct golden x = of("e", a), y = of("e", b);
        struct golden_diff d;
        size_t changed = 0;
        golden_compare(&x, &y, &d);
        for (size_t i = 0; i < d.n; i++)
            changed += d.list[i].stored_n + d.list[i].run_n;
        if (changed != strlen(a) + strlen(b) - 2 * longest_common(a, strlen(a), b, strlen(b), 1))
            fail_msg("%s to %s: %zu changes", a, b, changed);
        for (size_t i = d.n; i > 0; i--)
            golden_accept(&x, &y, &d, i - 1);
        expect_lines(&x, "process 1", b);
        golden_diff_free(&d);
        golden_compare(&x, &y, &d);
        assert_int_equal(d.n, 0);
        golden_diff_free(&d);
        golden_free(&x);
        golden_free(&y);
    }
}

TEST(test_one_hunk_of_several)
{
    struct golden x = of("e", "abcdefgh"), y = of("f", "aXcdefYh");
    struct golden_diff d;
    golden_compare(&x, &y, &d);
    assert_int_equal(d.n, 3);
    assert_string_equal(d.list[0].title, "effects");
    golden_accept(&x, &y, &d, 2);
    expect_lines(&x, "process 1", "abcdefYh");
    expect_lines(&x, "effects", "e");
    golden_diff_free(&d);
    golden_free(&x);
    golden_free(&y);
}

TEST(test_sections_that_one_side_lacks)
{
    struct golden x = of("e", "ab"), y = of("e", "ab");
    golden_section_add(golden_section_new(&y, "process 1.1"), xstrdup("z"));
    struct golden_diff d;
    golden_compare(&x, &y, &d);
    assert_int_equal(d.n, 1);
    assert_string_equal(d.list[0].title, "process 1.1");
    golden_accept(&x, &y, &d, 0);
    expect_lines(&x, "process 1.1", "z");
    golden_diff_free(&d);
    golden_compare(&y, &x, &d);
    assert_int_equal(d.n, 0);
    x.level = GOLDEN_EFFECTS;
    golden_section_add(golden_section_new(&x, "process 7"), xstrdup("q"));
    golden_compare(&x, &y, &d);
    assert_int_equal(d.n, 0); /* only effects are compared */
    golden_free(&x);
    golden_free(&y);
}

TEST(test_what_is_very_different_is_one_hunk)
{
    struct golden x = of("e", ""), y = of("e", "");
    for (int i = 0; i < 3000; i++) {
        char line[16];
        snprintf(line, sizeof line, "x%d", i);
        golden_section_add(&x.sections[1], xstrdup(line));
        line[0] = 'y';
        golden_section_add(&y.sections[1], xstrdup(line));
    }
    struct golden_diff d;
    golden_compare(&x, &y, &d);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.list[0].stored_n, 3000);
    golden_diff_free(&d);
    golden_free(&x);
    golden_free(&y);
}

TEST(test_as_text)
{
    struct golden x = of("e", "abcdefgh"), y = of("e", "abcXefgh");
    struct golden_diff d;
    char *text = NULL;
    size_t size = 0;
    golden_compare(&x, &y, &d);
    FILE *out = open_memstream(&text, &size);
    golden_diff_write(out, &x, &y, &d, 2);
    fclose(out);
    assert_string_equal(text, "@@ process 1, line 4 @@\n  b\n  c\n- d\n+ X\n  e\n  f\n");
    free(text);
    golden_diff_free(&d);
    golden_free(&x);
    golden_free(&y);
}

/* A long line is shown by its head and the place where the two lines differ. */
TEST(test_long_lines_show_where_they_differ)
{
    struct golden x = of("", "a"), y = of("", "a");
    char *long_lines[2], *text = NULL;
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        long_lines[i] = xcalloc(2001, 1);
        for (int k = 0; k < 2000;
             k += 2) /* characters of two bytes, so that cuts could halve one */
            memcpy(long_lines[i] + k, "\xc3\xa9", 2);
        memcpy(long_lines[i] + 1500, i ? "RUNx" : "OLDx", 4);
        golden_section_add(golden_section_new(i ? &y : &x, "process 2"), long_lines[i]);
    }
    struct golden_diff d;
    golden_compare(&x, &y, &d);
    FILE *out = open_memstream(&text, &size);
    golden_diff_write(out, &x, &y, &d, 2);
    fclose(out);
    char *old = strstr(text, "\n- "), *run = strstr(text, "\n+ ");
    assert_non_null(old);
    assert_non_null(run);
    assert_non_null(strstr(old, "OLDx"));
    assert_non_null(strstr(run, "RUNx"));
    if (size >= 900)
        fail_msg("%zu bytes: %s", size, text);
    assert_null(strstr(text, "\\x")); /* no character was cut */
    free(text);
    golden_diff_free(&d);
    golden_free(&x);
    golden_free(&y);
}

TEST(test_json_both_ways)
{
    struct golden x = of("e", "ab"), y;
    char *text = NULL;
    size_t size = 0;
    x.name = xstrdup("a \"name\"\n");
    x.calls = 12;
    x.wall_ms = xcalloc(1, sizeof *x.wall_ms);
    x.wall_ms[x.nwall++] = 1.5;
    golden_section_add(&x.sections[1], xstrdup("write(<stdout>, \"\\33[0m\", 4) = 4"));
    FILE *out = open_memstream(&text, &size);
    golden_write(out, &x);
    fclose(out);
    assert_int_equal(golden_parse(&y, "x.json", text, size, NULL), 0);
    struct golden_diff d;
    golden_compare(&x, &y, &d);
    assert_int_equal(d.n, 0);
    assert_string_equal(y.name, x.name);
    assert_true(y.nwall == 1 && y.wall_ms[0] == 1.5 && y.calls == 12);
    golden_diff_free(&d);
    golden_free(&y);
    for (size_t cut = 0; cut + 3 < size; cut++) { /* no shorter text is a golden trace */
        struct error err = ERROR_INIT;
        if (golden_parse(&y, "x.json", text, cut, &err) == 0)
            fail_msg("accepted when cut at %zu", cut);
        assert_int_equal(err.kind, ERROR_INPUT);
    }
    free(text);
    golden_free(&x);
}

TEST(test_what_is_no_golden_trace)
{
    static const char no_line[] = "{\"format\": \"rooftop-golden/1\", \"rules\": 1, "
                                  "\"sections\": [{\"title\": \"x\", \"lines\": [7]}]}";
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"format\": \"renacer-json-v1\"}",
        "{\"format\": \"rooftop-golden/1\", \"rules\": 1, \"sections\": []}",
        "{\"format\": \"rooftop-golden/1\", \"rules\": 99, \"sections\": [{}]}",
        "{\"format\": \"rooftop-golden/1\", \"rules\": 1, \"sections\": [{\"title\": 5}]}",
        no_line,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct golden g;
        struct error err = ERROR_INIT;
        if (golden_parse(&g, "x.json", texts[i], strlen(texts[i]), &err) == 0)
            fail_msg("accepted: %s", texts[i]);
        assert_int_equal(err.kind, ERROR_INPUT);
    }
}
