/* The regular expressions of the capture library; compared with those of the C library. */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "format/pattern.h"
#include "support/test.h"

static struct pattern compiled;

static bool ours(const char *expression, const char *text)
{
    char why[128];
    if (!pattern_compile(&compiled, expression, why, sizeof why))
        fail_msg("%s: %s", expression, why);
    return pattern_matches(&compiled, text);
}

static bool theirs(const char *expression, const char *text)
{
    regex_t r;
    assert_int_equal(regcomp(&r, expression, REG_EXTENDED | REG_NOSUB), 0);
    const bool yes = regexec(&r, text, 0, NULL, 0) == 0;
    regfree(&r);
    return yes;
}

static const char *const expressions[] = {"add",
                                          "^add$",
                                          "^$",
                                          "",
                                          "a|b",
                                          "a|",
                                          "(a|b)*c",
                                          "(a|b)+c$",
                                          "x?y",
                                          "a{2}",
                                          "a{2,}b",
                                          "a{1,3}b",
                                          "^a{1,3}$",
                                          "^a{0,2}$",
                                          "^a{2}$",
                                          "^a{2,3}b$",
                                          "^a{3,}b$",
                                          "^(ab){1,2}$",
                                          "(ab){2}",
                                          "(ab){0,2}c",
                                          "[a-c]x",
                                          "[^a-c]x",
                                          "[]x]",
                                          "[^]x]",
                                          "[a-]",
                                          "[[:alpha:]]+[[:digit:]]",
                                          "[[:space:][:punct:]]",
                                          "a.c",
                                          "\\.",
                                          "\\(int",
                                          "(^a|b$)",
                                          "a(b|(c|d)e)f",
                                          "(a*)*b",
                                          "(a*)+b",
                                          "((a|ab)(bc|c))d",
                                          "vector_(add|sub)<float>",
                                          "void .*kernel",
                                          "\\w+\\s\\w+",
                                          "\\W",
                                          "a**",
                                          "(a?){3}b",
                                          "^(foo|bar)(_[0-9]+)?$"};
static const char *const texts[] = {"",
                                    "a",
                                    "aa",
                                    "aaa",
                                    "aaaa",
                                    "ab",
                                    "b",
                                    "c",
                                    "add",
                                    "adda",
                                    "aab",
                                    "aaab",
                                    "aaaab",
                                    "abab",
                                    "ababc",
                                    "abc",
                                    "abcd",
                                    "ax",
                                    "dx",
                                    "]",
                                    "x",
                                    "-",
                                    "abc9",
                                    "a c",
                                    "a.c",
                                    ".",
                                    "f(int)",
                                    "abf",
                                    "acef",
                                    "adef",
                                    "b!",
                                    "vector_add<float>",
                                    "vector_mul<float>",
                                    "void my::kernel<4>(float*)",
                                    "one two",
                                    "foo_12",
                                    "bar",
                                    "foo_",
                                    "ababcd",
                                    "xy",
                                    "y",
                                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaac"};

TEST(test_like_the_c_library)
{
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            if (ours(expressions[e], texts[t]) != theirs(expressions[e], texts[t]))
                fail_msg("/%s/ on \"%s\"", expressions[e], texts[t]);
}

/* Random expressions over a small alphabet, so that many match. */
static void make(uint32_t *seed, char *out, size_t room, const char *from)
{
    size_t n = 0, letters = strlen(from);
    while (n + 1 < room && (*seed = *seed * 1664525 + 1013904223) >> 28)
        out[n++] = from[(*seed >> 8) % letters];
    out[n] = '\0';
}

TEST(test_random_expressions)
{
    uint32_t seed = 7;
    unsigned compared = 0, matched = 0;
    for (int k = 0; k < 20000; k++) {
        char expression[16], text[24], why[128];
        regex_t r;
        make(&seed, expression, sizeof expression, "ab(|)*+?.^$[]");
        make(&seed, text, sizeof text, "aab");
        if (!pattern_compile(&compiled, expression, why, sizeof why) || strstr(expression, "()") ||
            strstr(expression, ")(") || regcomp(&r, expression, REG_EXTENDED | REG_NOSUB) != 0)
            continue;
        const bool yes = regexec(&r, text, 0, NULL, 0) == 0;
        regfree(&r);
        if (pattern_matches(&compiled, text) != yes)
            fail_msg("/%s/ on \"%s\"", expression, text);
        compared++;
        matched += yes;
    }
    assert_true(compared > 1000 && matched > 300);
}

TEST(test_what_is_refused)
{
    static const char *const bad[][2] = {
        {"(", "unmatched ( at 1"},    {"a[b", "unmatched [ at 4"},
        {"*a", "nothing to repeat"},  {"a\\", "a backslash at the end"},
        {"\\q", "an unknown escape"}, {"[b-a]", "a range backwards"},
        {"a{3,1}", "bad bounds"},     {"[[:no:]]", "unknown class"},
        {"(a{200}){200}", "too long"}};
    char why[128];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(pattern_compile(&compiled, bad[i][0], why, sizeof why));
        if (!strstr(why, bad[i][1]))
            fail_msg("%s: %s", bad[i][0], why);
    }
}

/* Time grows linearly with the text, whatever the number of ways to match it. */
TEST(test_no_blow_up)
{
    static char text[4001];
    memset(text, 'a', sizeof text - 1);
    assert_false(ours("(a|a)*(a|a)*(a|a)*(a|a)*(a|a)*b", text));
}
