/* Draws only: not for TSan. */
#include <stdlib.h>
#include <string.h>

#include "tui/canvas/render.h"
#include "tui/widgets/wrap.h"
#include "support/test.h"

static char *wrapped(const char *text, int w, int h, int *rows)
{
    char *out = NULL;
    size_t len = 0;
    struct canvas c;
    canvas_init(&c);
    canvas_resize(&c, w, h);
    *rows = wrap_draw(&c, (struct rect){0, 0, w, h}, text, STYLE(STYLE_TEXT));
    FILE *f = open_memstream(&out, &len);
    render_text(f, &c);
    fclose(f);
    canvas_free(&c);
    return out;
}

static void check(const char *text, int w, int h, const char *want)
{
    int rows, want_rows = 0;
    char *got = wrapped(text, w, h, &rows);
    for (const char *p = want; *p; p++)
        want_rows += *p == '\n';
    while (got[0] && strlen(got) > 1 && strcmp(got + strlen(got) - 2, "\n\n") == 0)
        got[strlen(got) - 1] = '\0'; /* rows without text */
    assert_string_equal(got, want);
    assert_int_equal(rows, want_rows);
    assert_int_equal(wrap_draw(NULL, (struct rect){0, 0, w, h}, text, STYLE(STYLE_TEXT)), rows);
    free(got);
}

TEST(rows_break_at_blanks)
{
    check("one two three", 9, 4, "one two\nthree\n");
    check("one two three", 13, 4, "one two three\n");
    check("one  two", 4, 4, "one\ntwo\n");
    check("unbreakable", 4, 4, "unbr\neaka\nble\n");
    check("one two three four", 9, 2, "one two\nthree fo…\n");
    check("漢字漢字", 5, 4, "漢字\n漢字\n");
}

TEST(a_number_keeps_its_unit)
{
    check("it saves 16.3 % of all", 14, 4, "it saves\n16.3 % of all\n");
    check("the others: 0.10 s)", 16, 4, "the others:\n0.10 s)\n");
    check("it has 12 GiB/s, and", 9, 4, "it has\n12 GiB/s,\nand\n");
    check("node 12 sends", 7, 4, "node 12\nsends\n");
}
