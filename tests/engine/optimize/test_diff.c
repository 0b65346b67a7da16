/* A diff is applied as it says, or refused; nothing is searched for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/optimize/diff.h"
#include "support/test.h"

#define HEAD "--- a/src/x.c\n+++ b/src/x.c\n"

static int apply(const char *text, const char *diff, size_t most, char **out, struct error *err)
{
    size_t n = 0;
    const int rc =
        diff_apply("src/x.c", text, strlen(text), diff, strlen(diff), most, out, &n, err);
    if (rc == 0)
        assert_int_equal(n, strlen(*out));
    else
        assert_null(*out);
    return rc;
}

TEST(what_is_applied)
{
    static const struct {
        const char *text, *diff, *wanted;
    } cases[] = {
        {"a\nb\nc\n", HEAD "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
        {"a\nb\nc\n", HEAD "@@ -2 +2 @@ int f()\n-b\n+B\n", "a\nB\nc\n"},
        {"a\nb\n",
         "diff --git a/src/x.c b/src/x.c\nindex 1..2 100644\n" HEAD "@@ -1,0 +2,2 @@\n+x\n+y\n",
         "a\nx\ny\nb\n"},
        {"a\nb\n", "--- x.c\t2026-01-01 00:00\n+++ x.c\n@@ -2 +1,0 @@\n-b\n", "a\n"},
        {"", HEAD "@@ -0,0 +1 @@\n+a\n", "a\n"},
        {"a\n\nb\n", HEAD "@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n", "a\n\nc\n"},
        {"a", HEAD "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"},
        {"a\n", HEAD "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", "b"},
        {"a\nb\nc\nd\n", HEAD "@@ -1 +1,2 @@\n a\n+x\n@@ -4 +5 @@\n-d\n+D\n", "a\nx\nb\nc\nD\n"},
        {"-- x\n", HEAD "@@ -1 +1 @@\n--- x\n+++ x\n", "++ x\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        char *out = NULL;
        if (apply(cases[i].text, cases[i].diff, 1000, &out, &err) != 0)
            fail_msg("case %zu: %s: %s", i, err.what, err.why);
        assert_string_equal(out, cases[i].wanted);
        free(out);
    }
}

TEST(what_is_refused)
{
    static const struct {
        const char *diff, *why;
    } cases[] = {
        {"", "'--- FILE' is missing"},
        {"Here is the diff:\n" HEAD, "'--- FILE' is missing"},
        {"--- a/src/y.c\n+++ b/src/x.c\n@@ -1 +1 @@\n-a\n+b\n", "another file"},
        {"--- a/src/x.c\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "another file"},
        {"--- a/src/x.c\n+++ b/../src/x.c\n@@ -1 +1 @@\n-a\n+b\n", "another file"},
        {"--- /dev/null\n+++ b/src/x.c\n@@ -0,0 +1 @@\n+b\n", "another file"},
        {"--- a/src/x.c\n", "'+++ FILE' is missing"},
        {HEAD, "no hunk"},
        {HEAD "@@ -1 +1 @@\n-b\n+x\n", "another line there"},
        {HEAD "@@ -2 +2 @@\n-a\n+x\n", "another line there"},
        {HEAD "@@ -1,2 +1 @@\n-a\n", "cut off"},
        {HEAD "@@ -1 +1 @@\n-a\n+x\n+y\n", "is expected"},
        {HEAD "@@ -1 +1 @@\n-a\n-b\n", "more lines"},
        {HEAD "@@ -1 +2 @@\n-a\n+x\n", "does not follow"},
        {HEAD "@@ -2 +2 @@\n-b\n+x\n@@ -1 +1 @@\n-a\n+y\n", "ascending"},
        {HEAD "@@ -9 +9 @@\n-a\n+x\n", "behind the end"},
        {HEAD "@@ -0 +0 @@\n-a\n+x\n", "ascending"},
        {HEAD "@@ -99999999999999999999 +1 @@\n-a\n+x\n", "is expected"},
        {HEAD "@@ -1 +1 @@\n-a\n*x\n", "begins so"},
        {HEAD "@@ -1 +1 @@\n-a\n+x\nrename to y\n", "is expected"},
        {HEAD "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+x\n", "end of the source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = ERROR_INIT;
        char *out = NULL;
        if (apply("a\nb\n", cases[i].diff, 1000, &out, &err) != -EINVAL)
            fail_msg("case %zu was applied", i);
        if (!strstr(err.why, cases[i].why))
            fail_msg("case %zu: %s: %s, not %s", i, err.what, err.why, cases[i].why);
    }
}

TEST(limits)
{
    struct error err = ERROR_INIT;
    char *out = NULL;
    size_t n = 0;
    assert_int_equal(apply("a\n", HEAD "@@ -1 +1 @@\n-a\n+bbbbbbbb\n", 4, &out, &err), -EFBIG);
    static const char zero[] = HEAD "@@ -1 +1 @@\n-a\n+b\0\n";
    assert_int_equal(diff_apply("src/x.c", "a\n", 2, zero, sizeof zero - 1, 100, &out, &n, &err),
                     -EINVAL);
    assert_true(diff_is(HEAD, 4) && diff_is("diff --git a b", 14));
    assert_false(diff_is("int x;", 6) || diff_is("---", 3) || diff_is("", 0));
}
