/* docs/BUDGETS.md is whole: every type with its keys and choices, every name of an expression,
 * every anti-pattern with its marks and remedy. */
#include <stdio.h>
#include <string.h>

#include "engine/budgets/budgets_impl.h"
#include "support/test.h"

static char doc[1 << 17];

FIXTURE_STATUS(load)
{
    FILE *f = fopen("docs/BUDGETS.md", "r");
    if (!f)
        return -1;
    doc[fread(doc, 1, sizeof doc - 1, f)] = 0;
    fclose(f);
    return 0;
}

/* The row of a table that begins with `name`, in row[0..size). */
static void row_of(const char *name, char *row, size_t size)
{
    char begin[128];
    snprintf(begin, sizeof begin, "\n| `%s`", name);
    const char *at = strstr(doc, begin);
    if (!at) {
        fail_msg("docs/BUDGETS.md has no row for %s", name);
        return;
    }
    snprintf(row, size, "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
}

static void has(const char *row, const char *text, const char *of)
{
    if (!strstr(row, text))
        fail_msg("docs/BUDGETS.md, row of %s: %s is missing in\n%s", of, text, row);
}

/* Each word of a list, as `word`. */
static void has_each(const char *row, const char *list, const char *separators, const char *format,
                     const char *of)
{
    for (const char *at = list; at && *at;) {
        int n = (int)strcspn(at, separators);
        char word[96], quoted[112];
        snprintf(word, sizeof word, "%.*s", n, at);
        snprintf(quoted, sizeof quoted, format, word);
        has(row, quoted, of);
        at += n + (at[n] != 0);
    }
}

TEST(every_type_and_key_is_there)
{
    char row[2048];
    for (size_t i = 0; i < budget_kinds_count; i++) {
        const struct budget_kind *k = &budget_kinds[i];
        row_of(k->name, row, sizeof row);
        has_each(row, k->aliases, " ", "`%s`", k->name);
        for (const struct budget_field *f = k->fields; f->key; f++) {
            char key[96];
            snprintf(key, sizeof key, f->needed ? "**`%s`**" : " `%s`", f->key);
            has(row, key, k->name);
            has_each(row, f->choices, "|", "`\"%s\"`", k->name);
        }
    }
}

TEST(every_anti_pattern_is_there)
{
    for (size_t i = 0; i < antipattern_count; i++) {
        const struct antipattern_rule *r = &antipattern_table[i];
        char row[2048], marks[96];
        row_of(r->id, row, sizeof row);
        has_each(row, r->aliases, " ", "`%s`", r->id);
        snprintf(marks, sizeof marks, "| %.15g | %.15g |", r->low, r->high);
        has(row, marks, r->id);
        has(row, r->remedy, r->id);
    }
}

/* Whether an expression may name it. */
static bool is_name(const char *name)
{
    char text[160];
    struct error err = ERROR_INIT;
    snprintf(text, sizeof text, "%s >= 0", name);
    return budget_expression(text, NULL, NULL, &err) == 0;
}

TEST(every_name_of_an_expression_is_there)
{
    const char *list = strstr(doc, "### Expressions"), *end = strstr(doc, "## The other tables");
    char part[8192], quoted[64];
    assert_non_null(list);
    assert_non_null(end);
    snprintf(part, sizeof part, "%.*s", (int)(end - list), list);
    const char *name;
    for (size_t i = 0; (name = budget_expression_name(i)); i++) {
        snprintf(quoted, sizeof quoted, "`%s`", name);
        has(part, quoted, "expressions");
        if (strncmp(name, "CALL.", 5) != 0)
            assert_true(is_name(name));
    }
    assert_true(is_name("openat.p99_ms"));
    assert_false(is_name("openat.p98_ms"));
}

TEST_MAIN(load, NULL)
