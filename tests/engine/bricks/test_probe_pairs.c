/* Which probes form pairs, by their names and by the patterns asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/bricks/probe_pairs.h"
#include "support/test.h"

static const struct probe_name names[] = {
    {"pg", "query__start"},   {"pg", "query__done"},     {"pg", "query__parse"},
    {"pg", "sort__begin"},    {"pg", "sort__end"},       {"pg", "lone__start"},
    {"py", "function_entry"}, {"py", "function_return"}, {"py", "gc__start"},
    {"py", "gc__end"},        {"py", "gc__done"},        {"web", "start"},
    {"web", "end"},           {"web", "accept"},         {"web", "reply"},
    {"we", "x__start"},       {"web", "x__end"},
};
enum { NAMES = sizeof names / sizeof *names };

/* The names of the pairs in order, each followed by a blank. */
static const char *pairs_of(const char *patterns)
{
    static char text[1024];
    struct probe_patterns p;
    struct error err = ERROR_INIT;
    struct probe_pair found[PROBE_PAIRS_MAX];
    if (probe_patterns_parse(&p, patterns, &err) != 0)
        fail_msg("%s %s", err.what, err.why);
    size_t n = probe_pairs_find(&p, names, NAMES, found, PROBE_PAIRS_MAX), at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s ", found[i].name);
    return text;
}

TEST(the_usual_words_make_pairs)
{
    assert_string_equal(pairs_of("pg"), "pg:query pg:sort ");
    assert_string_equal(pairs_of("py:*"), "py:function py:gc ");
    /* "start" and "end" without a name; not across providers */
    assert_string_equal(pairs_of("web"), "web ");
    assert_string_equal(pairs_of("p?:[gqs]*"), "pg:query pg:sort py:gc ");
}

TEST(a_name_may_be_what_they_share_or_one_of_them)
{
    assert_string_equal(pairs_of("pg:query"), "pg:query ");
    assert_string_equal(pairs_of("pg:query__start"), "pg:query ");
    assert_string_equal(pairs_of("pg:*__done"), "pg:query ");
    assert_string_equal(pairs_of("pg:que"), "");
    assert_string_equal(pairs_of("pg:query__parse"), "");
    /* each pair once */
    assert_string_equal(pairs_of("pg:sort,pg:query,pg:*"), "pg:query pg:sort ");
}

TEST(the_first_of_several_end_names_counts)
{
    struct probe_patterns p;
    struct probe_pair found[4];
    assert_int_equal(probe_patterns_parse(&p, "py:gc", NULL), 0);
    assert_int_equal(probe_pairs_find(&p, names, NAMES, found, 4), 1);
    assert_string_equal(names[found[0].begin].name, "gc__start");
    assert_string_equal(names[found[0].end].name, "gc__end");
}

TEST(any_two_can_be_named)
{
    assert_string_equal(pairs_of("web:accept..reply"), "web:accept..reply ");
    assert_string_equal(pairs_of("web:reply..reply"), "web:reply..reply ");
    assert_string_equal(pairs_of("web:accept..nosuch"), "");
    assert_string_equal(pairs_of("web:accept..reply,web:accept..reply"), "web:accept..reply ");
}

TEST(bad_patterns_are_refused)
{
    char much[4096], many[4096] = "a";
    memset(much, 'x', sizeof much);
    much[PROBE_PATTERN_LENGTH] = '\0';
    for (int i = 0; i < PROBE_PATTERNS_MAX; i++)
        strcat(many, ",a");
    const char *const bad[] = {"",        ":",       ":name", "p:", "p:a..", "p:..b",
                               "p:a*..b", "p*:a..b", "a,",    ",a", much,    many};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct probe_patterns p;
        struct error err = ERROR_INIT;
        if (probe_patterns_parse(&p, bad[i], &err) == 0)
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(err.kind, ERROR_USAGE);
        assert_true(err.why[0] && err.help[0]);
    }
}

/* Many names with a common beginning: pairing is quick, and limited to the room there is. */
TEST(many_names_are_no_trouble)
{
    enum { MANY = 20000 };
    struct probe_patterns p;
    struct probe_pair found[PROBE_PAIRS_MAX];
    struct probe_name *list = xcalloc(MANY, sizeof *list);
    char(*text)[32] = xcalloc(MANY, sizeof *text);
    for (int i = 0; i < MANY; i++) {
        snprintf(text[i], sizeof text[i], "n%d__%s", i / 2, i % 2 ? "done" : "start");
        list[i] = (struct probe_name){"p", text[i]};
    }
    assert_int_equal(probe_patterns_parse(&p, "p", NULL), 0);
    assert_int_equal(probe_pairs_find(&p, list, MANY, found, PROBE_PAIRS_MAX), PROBE_PAIRS_MAX);
    assert_int_equal(probe_pairs_find(&p, list, 0, found, PROBE_PAIRS_MAX), 0);
    assert_int_equal(probe_pairs_find(&p, list, MANY, found, 3), 3);
    free(text);
    free(list);
}
