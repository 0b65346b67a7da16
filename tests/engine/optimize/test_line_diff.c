/* Differences of texts: what is written turns one into the other (diff_apply is the oracle), with
 * as few lines as a table of longest common subsequences says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/diff.h"
#include "engine/optimize/optimize_impl.h"
#include "support/longest_common.h"
#include "support/test.h"

static char *diff_of(const char *a, size_t na, const char *b, size_t nb, size_t *n)
{
    char *text = NULL;
    FILE *f = open_memstream(&text, n);
    assert_non_null(f);
    line_diff_write(f, "x.c", a, na, b, nb);
    fclose(f);
    return text;
}

static void expect_turns(const char *a, size_t na, const char *b, size_t nb)
{
    size_t n = 0, got = 0;
    char *text = diff_of(a, na, b, nb, &n), *out = NULL;
    struct error err = ERROR_INIT;
    if (na == nb && memcmp(a, b, na) == 0) {
        assert_int_equal(n, 0);
    } else {
        if (diff_apply("x.c", a, na, text, n, 1 << 22, &out, &got, &err) != 0)
            fail_msg("%s: %s\nfrom <%s> to <%s>:\n%s", err.what, err.why, a, b, text);
        if (got != nb || memcmp(out, b, nb) != 0)
            fail_msg("from <%s> to <%s>:\n%s", a, b, text);
    }
    free(out);
    free(text);
}

static uint32_t seed = 7;
static uint32_t chance(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Lines of one letter; the last may have no end. Returns the bytes. */
static size_t make(char *out, size_t lines, bool ended)
{
    size_t n = 0;
    for (size_t i = 0; i < lines; i++) {
        out[n++] = (char)('a' + (int)chance(3));
        out[n++] = '\n';
    }
    n -= n > 0 && !ended;
    out[n] = '\0';
    return n;
}

TEST(it_is_undone_by_the_reader_of_diffs)
{
    char a[64], b[64];
    for (int i = 0; i < 20000; i++) {
        const size_t la = chance(28), lb = chance(28);
        const size_t na = make(a, la, chance(4) != 0), nb = make(b, lb, chance(4) != 0);
        expect_turns(a, na, b, nb);
    }
}

TEST(no_line_more_than_needed)
{
    char a[64], b[64];
    for (int i = 0; i < 5000; i++) {
        const size_t la = chance(28), lb = chance(28);
        const size_t na = make(a, la, true), nb = make(b, lb, true);
        size_t n = 0, edits = 0;
        char *text = diff_of(a, na, b, nb, &n);
        for (const char *at = n ? strstr(text, "@@ ") : NULL; at; at = strchr(at, '\n')) {
            at += *at == '\n';
            edits += *at == '-' || *at == '+';
            if (!*at)
                break;
        }
        assert_int_equal(edits, la + lb - 2 * longest_common(a, la, b, lb, 2));
        free(text);
    }
}

/* More edits than are searched for: all from the first line that differs to the last. */
TEST(large_texts_that_share_nothing)
{
    enum { LINES = 30000 };
    char *a = malloc(LINES * 8), *b = malloc(LINES * 8);
    size_t na = 0, nb = 0;
    for (int i = 0; i < LINES; i++) {
        na += (size_t)snprintf(a + na, 8, "%d\n", i);
        nb += (size_t)snprintf(b + nb, 8, "%d\n", i == 0 ? i : -i);
    }
    expect_turns(a, na, b, nb);
    free(a);
    free(b);
}
