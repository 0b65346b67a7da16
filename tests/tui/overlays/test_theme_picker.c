/* Draws only: not for TSan. */
/* Choosing a theme while the screen shows it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/scenes.h"
#include "tui/app/app_state.h"
#include "tui/canvas/render.h"
#include "support/test.h"

static struct app *a;
static struct canvas c;
static char *screen;

static void look(void)
{
    static size_t n;
    free(screen);
    FILE *f = open_memstream(&screen, &n);
    app_draw(a, &c);
    render_text(f, &c);
    fclose(f);
}

static unsigned key(uint32_t k)
{
    unsigned asked = app_key(a, &(struct key_event){.key = k});
    look();
    return asked;
}

FIXTURE(set_up)
{
    setenv("HOME", "/nonexistent", 1);
    unsetenv("XDG_CONFIG_HOME");
    a = app_new(1, false, "rooftop-light");
    canvas_init(&c);
    canvas_resize(&c, 100, 30);
    struct snapshot *s = scene("vm", 2);
    app_update(a, s);
    snapshot_unref(s);
    look();
}

FIXTURE(tear_down)
{
    app_free(a);
    canvas_free(&c);
    free(screen);
    screen = NULL;
}

static void type(const char *text)
{
    while (*text)
        key((unsigned char)*text++);
}

TEST_WITH(moving_wears_and_escape_undoes, set_up, tear_down)
{
    look();
    key('t');
    assert_non_null(strstr(screen, "─ themes ─"));
    assert_non_null(strstr(screen, "rooftop-safe-dark"));
    assert_int_equal(key(KEY_DOWN_) & APP_THEME, APP_THEME);
    assert_string_not_equal(app_theme(a), "rooftop-light");
    key(KEY_UP_);
    assert_string_equal(app_theme(a), "rooftop-light");
    key(KEY_END_);
    assert_string_not_equal(app_theme(a), "rooftop-light");
    assert_int_equal(key(KEY_ESCAPE) & APP_THEME, APP_THEME);
    assert_string_equal(app_theme(a), "rooftop-light");
    assert_null(strstr(screen, "─ themes ─"));
}

TEST_WITH(letters_narrow_and_enter_keeps, set_up, tear_down)
{
    key('t');
    type("colour-blind");
    assert_non_null(strstr(screen, "themes: colour-blind"));
    assert_null(strstr(screen, "rooftop-paper"));
    key(KEY_BACKSPACE_);
    type("d saf");
    key(KEY_DOWN_);
    assert_non_null(strstr(app_theme(a), "safe"));
    char chosen[192];
    snprintf(chosen, sizeof chosen, "%s", app_theme(a));
    key(KEY_ENTER_);
    assert_string_equal(app_theme(a), chosen);
    assert_null(a->overlay);
    assert_non_null(strstr(screen, chosen)); /* and how to make it permanent */
    assert_non_null(strstr(screen, "^S keeps it"));
}

/* The key of :save takes the theme under the cursor and asks for it to be kept, in one. */
TEST_WITH(one_key_chooses_and_saves, set_up, tear_down)
{
    key('t');
    key(KEY_DOWN_);
    char chosen[192];
    snprintf(chosen, sizeof chosen, "%s", app_theme(a));
    assert_int_equal(key('S' - '@') & APP_SAVE, APP_SAVE);
    assert_string_equal(app_theme(a), chosen);
    assert_null(a->overlay);
    key('t');
    app_set_readonly(a, true);
    assert_int_equal(key('S' - '@') & APP_SAVE, 0);
    assert_non_null(strstr(screen, "save: "));
}

TEST_WITH(what_is_not_there, set_up, tear_down)
{
    key('t');
    type("zzzz");
    assert_non_null(strstr(screen, "no name of a theme contains that"));
    key(KEY_DOWN_);
    assert_string_not_equal(app_theme(a), "");
    key(KEY_ESCAPE); /* first forgets the typed letters */
    assert_non_null(strstr(screen, "rooftop-paper"));
    key(KEY_ESCAPE);
    assert_string_equal(app_theme(a), "rooftop-light");
}

TEST_WITH(small_screens_and_clicks, set_up, tear_down)
{
    for (int cols = 40; cols < 120; cols += 13)
        for (int rows = 10; rows < 50; rows += 7) {
            canvas_resize(&c, cols, rows);
            look();
            key('t');
            key(KEY_PGDN);
            key(KEY_ESCAPE);
        }
    canvas_resize(&c, 100, 30);
    key('t');
    struct rect l = a->overlay_state.list;
    struct key_event click = {.key = KEY_MOUSE_, .button = MOUSE_LEFT, .x = l.x + 4, .y = l.y + 1};
    app_key(a, &click);
    look();
    assert_int_equal(a->overlay_state.selected, 1);
    assert_string_not_equal(app_theme(a), "rooftop-light");
    app_key(a, &click);
    assert_null(a->overlay);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
