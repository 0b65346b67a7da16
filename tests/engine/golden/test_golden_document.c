/* docs/GOLDEN.md has the whole table of rules: calls, paths and reason of each. */
#include <stdio.h>
#include <string.h>

#include "engine/golden/golden_impl.h"
#include "support/test.h"

/* The words of a list, each in quotes: a cell of the table. */
static void cell(const char *list, char *out, size_t size)
{
    size_t n = 0;
    *out = 0;
    if (!list)
        snprintf(out, size, "any");
    for (const char *at = list; at && *at;) {
        int len = (int)strcspn(at, " ");
        n += (size_t)snprintf(out + n, size - n, "%s`%.*s`", n ? " " : "", len, at);
        assert_true(n < size);
        at += len + (at[len] == ' ');
    }
}

TEST(every_rule_is_there)
{
    static char doc[1 << 17];
    FILE *f = fopen("docs/GOLDEN.md", "r");
    assert_non_null(f);
    doc[fread(doc, 1, sizeof doc - 1, f)] = 0;
    fclose(f);
    for (size_t i = 0; i < golden_rules_count; i++) {
        const struct golden_rule *r = &golden_rules[i];
        char calls[1024], paths[1024], row[3072];
        cell(r->calls, calls, sizeof calls);
        cell(r->paths, paths, sizeof paths);
        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", r->id, calls, paths, r->reason);
        if (!strstr(doc, row))
            fail_msg("docs/GOLDEN.md lacks this row:%s", row);
    }
    char version[32];
    snprintf(version, sizeof version, "`\"rules\": %d`", GOLDEN_RULES_VERSION);
    if (!strstr(doc, version))
        fail_msg("docs/GOLDEN.md names another version of the rules than %s", version);
}
