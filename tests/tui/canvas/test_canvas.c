/* Draws only: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/canvas/canvas.h"
#include "tui/canvas/render.h"
#include "support/test.h"

static struct canvas c;

FIXTURE(setup)
{
    canvas_init(&c);
    canvas_resize(&c, 10, 3);
}

FIXTURE(teardown)
{
    canvas_free(&c);
}

/* A wide character has both halves, and no half is alone. */
static void no_halves(int y)
{
    for (int x = 0; x < c.cols; x++) {
        uint32_t ch = c.cells[y * c.cols + x].ch;
        bool wide = ch && text_char_width(ch) == 2;
        bool behind = x > 0 && c.cells[y * c.cols + x - 1].ch &&
                      text_char_width(c.cells[y * c.cols + x - 1].ch) == 2;
        if ((ch == 0) != behind || (wide && x + 1 == c.cols))
            fail_msg("half a character at %d, %d", x, y);
    }
}

/* The row without blanks at its end. */
static void row_is(int y, const char *want)
{
    char got[256] = "";
    size_t n = 0;
    no_halves(y);
    for (int x = 0; x < c.cols; x++)
        if (c.cells[y * c.cols + x].ch)
            n += text_encode(c.cells[y * c.cols + x].ch, got + n);
    while (n && got[n - 1] == ' ')
        n--;
    got[n] = '\0';
    assert_string_equal(got, want);
}

TEST_WITH(malformed_utf8_is_replaced_and_skipped, setup, teardown)
{
    static const struct {
        const char *bytes;
        unsigned want[4]; /* then 0 */
    } cases[] = {
        {"a", {'a'}},
        {"\xc3\xa9", {0xe9}},
        {"\xe2\x82\xac", {0x20ac}},
        {"\xf0\x9f\x98\x80", {0x1f600}},
        {"\xff", {0xfffd}},
        {"\x80z", {0xfffd, 'z'}},
        {"\xc3z", {0xfffd, 'z'}},       /* the sequence is incomplete */
        {"\xe2\x82", {0xfffd}},         /* the text ends within it */
        {"\xc0\xaf", {0xfffd, 0xfffd}}, /* overlong '/' */
        {"\xe0\x80\xaf", {0xfffd}},     /* overlong, three bytes */
        {"\xed\xa0\x80", {0xfffd}},     /* a surrogate */
        {"\xf4\x90\x80\x80", {0xfffd}}, /* beyond U+10FFFF */
        {"\xf5z", {0xfffd, 'z'}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *p = cases[i].bytes;
        for (int k = 0; cases[i].want[k]; k++)
            assert_int_equal(text_next(&p), cases[i].want[k]);
        assert_int_equal(*p, 0);
    }
}

TEST_WITH(every_code_point_survives_encoding, setup, teardown)
{
    for (uint32_t ch = 1; ch <= 0x10ffff; ch += ch < 0x3000 ? 1 : 97) {
        char buf[5] = "";
        if (ch >= 0xd800 && ch < 0xe000)
            continue;
        buf[text_encode(ch, buf)] = '\0';
        const char *p = buf;
        assert_int_equal(text_next(&p), ch);
        assert_int_equal(*p, 0);
    }
}

TEST_WITH(widths, setup, teardown)
{
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width("漢字"), 4);
    assert_int_equal(text_width("e\xcc\x81"), 1); /* combining */
    assert_int_equal(text_width("⣿│…"), 3);
    assert_int_equal(text_width("😀"), 2);
}

TEST_WITH(drawing_outside_changes_nothing, setup, teardown)
{
    struct canvas before;
    canvas_init(&before);
    canvas_resize(&before, 10, 3);
    struct style st = STYLE(STYLE_CRIT);
    canvas_put(&c, -1, 0, 'x', st);
    canvas_put(&c, 10, 0, 'x', st);
    canvas_put(&c, 0, -1, 'x', st);
    canvas_put(&c, 0, 3, 'x', st);
    canvas_text(&c, 20, 1, 5, "hello", st);
    canvas_text(&c, 0, 99, 5, "hello", st);
    canvas_fill(&c, (struct rect){-5, -5, 4, 4}, 'x', st);
    canvas_fill(&c, (struct rect){2147483600, 0, 2000000000, 5}, 'x', st);
    canvas_box(&c, (struct rect){50, 50, 10, 10}, st, "t", "r");
    canvas_restyle(&c, (struct rect){-3, -3, 2, 2}, st);
    assert_true(canvas_equal(&c, &before));
    canvas_free(&before);
}

TEST_WITH(cut_text_ends_in_an_ellipsis, setup, teardown)
{
    assert_int_equal(canvas_text(&c, 0, 0, 5, "abcdefgh", STYLE(STYLE_TEXT)), 5);
    row_is(0, "abcd…");
    assert_int_equal(canvas_text(&c, 0, 1, 5, "abcde", STYLE(STYLE_TEXT)), 5);
    row_is(1, "abcde");
    assert_int_equal(canvas_text(&c, 0, 2, 5, "漢字漢字", STYLE(STYLE_TEXT)), 5);
    row_is(2, "漢字…");
    canvas_clear(&c);
    /* half a character would fit */
    assert_int_equal(canvas_text(&c, 0, 0, 4, "漢字漢", STYLE(STYLE_TEXT)), 3);
    row_is(0, "漢…");
    assert_int_equal(canvas_text(&c, 0, 1, 0, "x", STYLE(STYLE_TEXT)), 0);
    canvas_text_right(&c, 0, 2, 10, "42 %", STYLE(STYLE_TEXT));
    row_is(2, "      42 %");
}

TEST_WITH(wide_characters_leave_no_halves, setup, teardown)
{
    canvas_put(&c, 2, 0, 0x6f22, STYLE(STYLE_TEXT));
    assert_int_equal(c.cells[3].ch, 0);
    canvas_put(&c, 3, 0, 'x', STYLE(STYLE_TEXT)); /* replaces its right half */
    canvas_put(&c, 2, 0, 'y', STYLE(STYLE_TEXT));
    row_is(0, "  yx");
    canvas_put(&c, 2, 0, 0x6f22, STYLE(STYLE_TEXT));
    canvas_put(&c, 2, 0, 'z', STYLE(STYLE_TEXT)); /* replaces its left half */
    row_is(0, "  z");
    canvas_text(&c, 2, 0, 4, "漢字", STYLE(STYLE_TEXT));
    /* replaces the right half of one and the left half of the next */
    canvas_put(&c, 3, 0, 0x5b57, STYLE(STYLE_TEXT));
    row_is(0, "   字");
    canvas_put(&c, 9, 1, 'x', STYLE(STYLE_TEXT));
    canvas_put(&c, 9, 1, 0x6f22, STYLE(STYLE_TEXT)); /* there is no room on the right */
    assert_int_equal(c.cells[19].ch, ' ');
    row_is(1, "");
}

TEST_WITH(control_characters_never_reach_the_terminal, setup, teardown)
{
    canvas_text(&c, 0, 0, 10,
                "a\033[31m\x7f\xc2\x9b"
                "b",
                STYLE(STYLE_TEXT));
    for (int x = 0; x < c.cols; x++)
        assert_true(c.cells[x].ch >= ' ' && c.cells[x].ch < 0x7f);
}

/* Names that differ only in invisible characters must look different. */
TEST_WITH(what_is_not_seen_is_marked, setup, teardown)
{
    /* zero-width space, right-to-left override, byte order mark, tag */
    assert_int_equal(canvas_text(&c, 0, 0, 10,
                                 "a\xe2\x80\x8b\xe2\x80\xae\xef\xbb\xbf\xf3\xa0\x81\x81z",
                                 STYLE(STYLE_TEXT)),
                     6);
    row_is(0, "a????z");
    canvas_put(&c, 0, 1, 0x202e, STYLE(STYLE_TEXT));
    row_is(1, "?");
    canvas_box(&c, (struct rect){0, 0, 10, 3}, STYLE(STYLE_BOX_CPU), "a\xe2\x80\xae", NULL);
    row_is(0, "╭─ a? ───╮");
}

TEST_WITH(ascii_canvas_holds_ascii_whatever_is_drawn, setup, teardown)
{
    c.ascii = true;
    for (uint32_t ch = 1; ch < 0x30000; ch++) {
        canvas_put(&c, 4, 1, ch, STYLE(STYLE_TEXT));
        for (int i = 0; i < c.cols * c.rows; i++)
            assert_true(c.cells[i].ch >= ' ' && c.cells[i].ch < 0x7f);
    }
    canvas_clear(&c);
    canvas_text(&c, 0, 0, 10, "█▄▁⣿⡀…→×µ", STYLE(STYLE_TEXT));
    row_is(0, "@=.@.~>xu");
    canvas_box(&c, (struct rect){0, 0, 10, 3}, STYLE(STYLE_BOX_CPU), NULL, NULL);
    row_is(0, "+--------+");
    row_is(1, "|        |");
}

TEST_WITH(boxes_carry_titles, setup, teardown)
{
    canvas_resize(&c, 30, 3);
    canvas_box(&c, (struct rect){0, 0, 30, 3}, STYLE(STYLE_BOX_CPU), "_cpu", "42 %");
    row_is(0, "╭─ cpu ─────────────── 42 % ─╮");
    assert_int_equal(c.cells[3].style.role, STYLE_HOT);
    assert_int_equal(c.cells[4].style.role, STYLE_TITLE);
    /* too narrow: draws nothing */
    canvas_box(&c, (struct rect){0, 0, 1, 1}, STYLE(STYLE_BOX_CPU), "x", "y");
    canvas_box(&c, (struct rect){0, 0, 9, 3}, STYLE(STYLE_BOX_CPU), "long title", "right");
    row_is(2, "╰───────╯────────────────────╯");
}

/* A bar has a meaning by its hue; the text beside it takes the colours of the selection. */
TEST_WITH(bars_of_the_selected_row_keep_their_hue, setup, teardown)
{
    struct theme *t;
    struct error err = ERROR_INIT;
    assert_int_equal(theme_load(&t, "rooftop-dark", &err), 0);
    canvas_text(&c, 0, 0, 9, "██▌ 42.1", STYLE_LEVEL(STYLE_GRAD_CPU, 80));
    canvas_text(&c, 0, 1, 9, "██▌ 42.1", STYLE_LEVEL(STYLE_GRAD_CPU, 80));
    canvas_select(&c, (struct rect){0, 0, 10, 1});
    for (int x = 0; x < 10; x++)
        assert_int_equal(c.cells[x].style.role, x < 3 ? STYLE_GRAD_CPU : STYLE_SELECTED);
    assert_false(canvas_same_cell(&c.cells[0], &c.cells[c.cols]));
    for (int d = DEPTH_8; d <= DEPTH_TRUE; d++) {
        const struct look bar = theme_look(t, c.cells[0].style, (enum color_depth)d);
        const struct look other = theme_look(t, c.cells[c.cols].style, (enum color_depth)d);
        const struct look text = theme_look(t, c.cells[5].style, (enum color_depth)d);
        assert_true(bar.reverse == text.reverse);
        assert_int_equal(bar.reverse ? bar.bg : bar.fg, other.fg);
        assert_int_equal(bar.reverse ? bar.fg : bar.bg, bar.reverse ? text.fg : text.bg);
    }
    assert_true(theme_look(t, c.cells[0].style, DEPTH_NONE).reverse);
    theme_free(t);
}

TEST_WITH(renderings, setup, teardown)
{
    struct theme *t;
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t len = 0;
    assert_int_equal(theme_load(&t, "rooftop-dark", &err), 0);
    canvas_text(&c, 1, 1, 9, "<a&b>", STYLE(STYLE_CRIT));
    canvas_put(&c, 0, 0, 0x28ff, STYLE_LEVEL(STYLE_GRAD_CPU, 50));
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(render_text(f, &c), 0);
    assert_int_equal(render_styles(f, &c), 0);
    fclose(f);
    assert_string_equal(text, "⣿\n <a&b>\n\nC.........\n.ccccc....\n..........\n");
    free(text);
    f = open_memstream(&text, &len);
    render_ansi(f, &c, t, DEPTH_TRUE);
    fclose(f);
    assert_non_null(strstr(text, "\033[0;1;38;2;255;122;114m<a&b>"));
    assert_non_null(strstr(text, "\033[0m\n")); /* every line ends without colour */
    free(text);
    f = open_memstream(&text, &len);
    render_ansi(f, &c, t, DEPTH_NONE);
    fclose(f);
    assert_null(strstr(text, ";38"));
    free(text);
    f = open_memstream(&text, &len);
    render_svg(f, &c, t);
    fclose(f);
    assert_non_null(strstr(text, "&lt;a&amp;b&gt;"));
    assert_null(strstr(text, "⣿")); /* drawn as a shape, because fonts may lack it */
    assert_non_null(strstr(text, "<path"));
    free(text);
    theme_free(t);
}
