#include "support/golden.h"

#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tui/canvas/render.h"

static unsigned written;

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static void write_anew(const char *path, const char *text)
{
    char folder[256];
    snprintf(folder, sizeof folder, "%s", path);
    mkdir(dirname(folder), 0755);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    fprintf(stderr, "written anew: %s\n", path);
    written++;
}

/* Prints the first line that differs, so that the log says what broke. */
static void fail_at_first_difference(const char *path, const char *want, const char *got)
{
    int line = 1;
    for (const char *p = want, *q = got; *p || *q; line++) {
        size_t n = strcspn(p, "\n"), m = strcspn(q, "\n");
        if (n != m || memcmp(p, q, n) != 0)
            fail_msg("%s:%d\n  was  %.*s\n  now  %.*s", path, line, (int)n, p, (int)m, q);
        p += n + (p[n] != 0);
        q += m + (q[m] != 0);
    }
    fail_msg("%s: the ends of lines differ", path);
}

void golden_is(const char *path, const char *text)
{
    char *want = slurp(path);
    if (want && strcmp(want, text) == 0) {
        free(want);
        return;
    }
    if (getenv("UPDATE_GOLDEN"))
        write_anew(path, text);
    else if (!want)
        fail_msg("%s is missing: run with UPDATE_GOLDEN=1 and look at it", path);
    else
        fail_at_first_difference(path, want, text);
    free(want);
}

void golden_add_screen(FILE *f, const struct canvas *utf8, const struct canvas *ascii)
{
    fprintf(f, "--- text %dx%d\n", utf8->cols, utf8->rows);
    assert_int_equal(render_text(f, utf8), 0);
    fprintf(f, "--- styles %dx%d\n", utf8->cols, utf8->rows);
    assert_int_equal(render_styles(f, utf8), 0);
    fprintf(f, "--- ASCII %dx%d\n", ascii->cols, ascii->rows);
    assert_int_equal(render_text(f, ascii), 0);
}

int golden_end(int failed)
{
    if (written == 0)
        return failed;
    fprintf(stderr,
            "UPDATE_GOLDEN: %u files were written anew. Look at the difference, then run again "
            "without it.\n",
            written);
    return 1;
}
