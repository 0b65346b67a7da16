/* Differences of golden traces are accepted and rejected with keys. Draws only: not for TSan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/golden/golden_impl.h"
#include "tui/canvas/render.h"
#include "tui/input/keys.h"
#include "support/test.h"

static struct golden stored, run;
static struct golden_diff d;
static struct golden_review r;
static struct canvas c;
static char *screen;

static void fill(struct golden *g, const char *const *lines)
{
    g->sections = xcalloc(1, sizeof *g->sections);
    g->n = g->cap = 1;
    g->sections[0].title = xstrdup("effects");
    for (size_t i = 0; lines[i]; i++) {
        g->sections[0].lines = xrealloc(g->sections[0].lines, i + 1, sizeof(char *));
        g->sections[0].lines[i] = xstrdup(lines[i]);
        g->sections[0].n = g->sections[0].cap = i + 1;
    }
}

FIXTURE(begin)
{
    static const char *const before[] = {"one",   "two",   "three", "four", "five", "six",
                                         "seven", "eight", "nine",  "ten",  NULL};
    static const char *const after[] = {"ONE", "two",   "three", "four", "five", "NEW",
                                        "six", "seven", "eight", "nine", NULL};
    stored = run = (struct golden){0};
    fill(&stored, before);
    fill(&run, after);
    golden_compare(&stored, &run, &d);
    golden_review_begin(&r, "sort", &stored, &run, &d);
    canvas_init(&c);
    canvas_resize(&c, 80, 24);
}

FIXTURE(end)
{
    golden_review_end(&r);
    golden_diff_free(&d);
    golden_free(&stored);
    golden_free(&run);
    canvas_free(&c);
    free(screen);
    screen = NULL;
}

static void press(uint32_t key)
{
    golden_review_key(&r, key);
}

static void expect(const char *text)
{
    size_t len = 0;
    free(screen);
    golden_review_draw(&r, &c);
    FILE *f = open_memstream(&screen, &len);
    render_text(f, &c);
    fclose(f);
    if (!strstr(screen, text))
        fail_msg("'%s' is not in\n%s", text, screen);
}

/* The stored lines, with a blank between them. */
static void expect_stored(const char *lines)
{
    char text[256] = "";
    golden_review_take(&r, &stored);
    const struct golden_section *s = golden_section_find(&stored, "effects");
    for (size_t i = 0; i < s->n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
                 s->lines[i]);
    assert_string_equal(text, lines);
}

TEST_WITH(each_is_shown_with_its_lines, begin, end)
{
    assert_int_equal(d.n, 3);
    expect("golden trace sort: 3 differences, 0 accepted, 0 rejected");
    expect("- one");
    expect("+ ONE");
    press('j');
    expect("+ NEW");
    press(KEY_DOWN_);
    expect("- ten");
    press('j'); /* there is no more */
    expect("- ten");
    press('k');
    expect("+ NEW");
}

TEST_WITH(accepted_ones_are_taken_and_others_are_not, begin, end)
{
    press('a'); /* and goes on to the next */
    press('r');
    press('a');
    expect("2 accepted, 1 rejected");
    press('w');
    assert_true(r.over && r.store);
    expect_stored("ONE two three four five six seven eight nine");
}

TEST_WITH(the_middle_one_alone, begin, end)
{
    press('j');
    press('a');
    expect_stored("one two three four five NEW six seven eight nine ten");
}

TEST_WITH(a_verdict_can_be_undone, begin, end)
{
    press('A');
    expect("3 accepted");
    press('u');
    expect("2 accepted");
    expect_stored("one two three four five NEW six seven eight nine");
}

TEST_WITH(leaving_stores_nothing, begin, end)
{
    static const uint32_t keys[] = {'q', KEY_ESCAPE, 3};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        r.over = false;
        press('A');
        press(keys[i]);
        assert_true(r.over);
        assert_false(r.store);
    }
}

/* Any size, and text scrolled past its end, is drawn. */
TEST_WITH(any_size_is_drawn, begin, end)
{
    for (int rows = 1; rows < 12; rows++)
        for (int cols = 1; cols < 100; cols += 33) {
            canvas_resize(&c, cols, rows);
            for (int i = 0; i < 5; i++)
                press(KEY_PGDN);
            golden_review_draw(&r, &c);
            press(KEY_PGUP);
            golden_review_draw(&r, &c);
        }
    canvas_resize(&c, 80, 10);
    for (int i = 0; i < 9; i++)
        press(KEY_PGUP);
    expect("@@ effects");
}

/* Nothing differs: there is nothing to show, and keys decide nothing. On a terminal of any size. */
TEST_WITH(no_difference_breaks_nothing, begin, end)
{
    static const uint32_t keys[] = {'a', 'r', 'u', 'j', 'k', 'A', ' ', KEY_DOWN_, KEY_UP_, 'w'};
    struct golden_diff none = {0};
    struct golden_review empty;
    golden_review_begin(&empty, "sort", &stored, &stored, &none);
    for (int rows = 1; rows <= 24; rows++)
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            canvas_resize(&c, rows < 4 ? 1 : 80, rows);
            golden_review_draw(&empty, &c);
            golden_review_draw(&empty, &c);
            golden_review_key(&empty, keys[i]);
            assert_int_equal(empty.at, 0);
            for (int v = 0; v <= GOLDEN_REJECTED; v++)
                assert_int_equal(golden_review_count(&empty, v), 0);
            golden_review_draw(&r, &c); /* and one with differences */
        }
    canvas_resize(&c, 80, 24);
    golden_review_take(&empty, &stored);
    golden_review_end(&empty);
    expect_stored("one two three four five six seven eight nine ten");
}
