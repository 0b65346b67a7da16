/* Draws only: not for TSan. */
/* What closes what: q, Esc and h close the topmost thing; q and other keys that quit close the
 * program, after a question if that ends the watched command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/stage.h"
#include "support/test.h"

enum { CTRL_C = 3 };
static struct stage s;

FIXTURE(teardown)
{
    stage_close(&s);
}

static void open_scene(const char *scene)
{
    stage_open(&s, scene, 120, 40, 3);
}

/* Every overlay that a key opens from the overview; the command line is left out, because letters
 * are typed into it. */
TEST_WITH(q_escape_and_h_close_the_topmost_overlay, NULL, teardown)
{
    static const char opens[] = "?Dbi"; /* the picker of themes takes h as a letter of a name */
    static const uint32_t closes[] = {'q', 'h', KEY_ESCAPE};
    open_scene("vm");
    for (const char *k = opens; *k; k++)
        for (size_t i = 0; i < sizeof closes / sizeof *closes; i++) {
            stage_key(&s, (unsigned char)*k);
            if (!s.a->overlay)
                fail_msg("%c opens nothing", *k);
            stage_key(&s, closes[i]);
            if (s.a->overlay || (s.asked & APP_QUIT))
                fail_msg("what %c opened: %s %s", *k,
                         s.a->overlay ? "left open by" : "left rooftop by",
                         i == 0   ? "q"
                         : i == 1 ? "h"
                                  : "Esc");
        }
    for (size_t i = 0; i < sizeof closes / sizeof *closes; i++) {
        stage_key(&s, KEY_ENTER_); /* the menu of the row */
        assert_non_null(s.a->overlay);
        stage_key(&s, closes[i]);
        assert_null(s.a->overlay);
    }
    stage_key(&s, 't');
    stage_key(&s, 'q');
    assert_null(s.a->overlay);
    stage_key(&s, 'q');
    assert_true(s.asked & APP_QUIT);
}

TEST_WITH(a_line_that_is_typed_into_takes_the_letters, NULL, teardown)
{
    open_scene("vm");
    stage_key(&s, ':');
    stage_type(&s, "qh");
    assert_true(stage_sees(&s, ":qh"));
    stage_key(&s, KEY_ESCAPE);
    assert_null(s.a->overlay);
    stage_key(&s, '/');
    stage_type(&s, "qh");
    assert_true(stage_sees(&s, "search: qh"));
    assert_false(s.asked & APP_QUIT);
}

/* A terminal sends Alt-x as Escape and x, so both typed at once arrive as one key. */
TEST_WITH(escape_and_a_key_typed_at_once_are_both_obeyed, NULL, teardown)
{
    static const char opens[] = "?Dbi:/";
    open_scene("vm");
    for (const char *k = opens; *k; k++) {
        stage_key(&s, '2');
        stage_key(&s, (unsigned char)*k);
        stage_key(&s, KEY_ALT + '1');
        assert_null(s.a->overlay);
        if (!stage_sees(&s, "─ cpu ─") || stage_sees(&s, "No file was opened"))
            fail_msg("after %c, Escape and 1: the overview is not shown", *k);
    }
    stage_key(&s, '2'); /* nothing is open on top of it */
    stage_key(&s, KEY_ALT + '1');
    assert_true(stage_sees(&s, "─ cpu ─"));
    stage_key(&s, '2'); /* a sequence that no key is known for */
    stage_key(&s, '?');
    stage_key(&s, KEY_ALT + '[');
    assert_non_null(s.a->overlay);
}

TEST_WITH(leaving_a_running_command_asks_once, NULL, teardown)
{
    static const uint32_t stays[] = {'q', 'h', 'n', KEY_ESCAPE, KEY_ENTER_};
    open_scene("command");
    for (size_t i = 0; i < sizeof stays / sizeof *stays; i++) {
        stage_key(&s, 'q');
        assert_false(s.asked & APP_QUIT);
        assert_true(stage_sees(&s, "leave rooftop?"));
        assert_true(stage_sees(&s, "still running (pid "));
        stage_key(&s, stays[i]);
        assert_false(s.asked & APP_QUIT);
        assert_false(stage_sees(&s, "leave rooftop?"));
    }
    stage_key(&s, KEY_F10);
    stage_key(&s, 'y');
    assert_true(s.asked & APP_QUIT);
}

TEST_WITH(a_key_that_insists_asks_nothing, NULL, teardown)
{
    open_scene("command");
    stage_key(&s, 'Q');
    assert_true(s.asked & APP_QUIT);
    stage_command(&s, "quit!");
    assert_true(s.asked & APP_QUIT);
    stage_command(&s, "quit");
    assert_false(s.asked & APP_QUIT);
    assert_true(stage_sees(&s, "leave rooftop?"));
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, '/'); /* ^C asks the same question everywhere, once */
    stage_key(&s, CTRL_C);
    assert_false(s.asked & APP_QUIT);
    stage_key(&s, CTRL_C);
    assert_true(s.asked & APP_QUIT);
}

TEST_WITH(a_command_that_ended_asks_nothing, NULL, teardown)
{
    open_scene("ended");
    stage_key(&s, 'q');
    assert_true(s.asked & APP_QUIT);
}
