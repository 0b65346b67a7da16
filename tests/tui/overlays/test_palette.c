/* Draws only: not for TSan. */
/* The command line: matches while typing, completion, running, history, errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/stage.h"
#include "tui/app/commands.h"
#include "tui/input/typed_lines.h"
#include "tui/input/fuzzy.h"
#include "support/test.h"

static struct stage s;
enum { CTRL_N = 14, CTRL_P = 16 };

FIXTURE(vm)
{
    stage_open(&s, "vm", 120, 40, 3);
}

FIXTURE(teardown)
{
    stage_close(&s);
}

static bool is_open(void)
{
    return s.a->overlay == &overlay_palette;
}

TEST(the_best_match_comes_first)
{
    assert_true(fuzzy_score("theme", "theme") > fuzzy_score("theme", "theme-next"));
    assert_true(fuzzy_score("the", "theme") > fuzzy_score("the", "brothers"));
    assert_true(fuzzy_score("sn", "sort-next") > fuzzy_score("sn", "session"));
    assert_true(fuzzy_score("vo", "view-overview") > 0);
    assert_int_equal(fuzzy_score("xyz", "theme"), -1);
    assert_int_equal(fuzzy_score("themex", "theme"), -1);
    assert_int_equal(fuzzy_score("", "theme"), 0);
    assert_true(fuzzy_score("THEME", "theme") > 0);
}

/* Every action is found by its name, with its keys; those for the mouse only are not. */
TEST_WITH(every_action_and_command_is_found, vm, teardown)
{
    for (int i = 1; i < ACTION_COUNT; i++) {
        if (action_table[i].contexts == CONTEXT_MOUSE)
            continue;
        stage_key(&s, ':');
        stage_type(&s, action_table[i].name);
        char want[64];
        snprintf(want, sizeof want, "│ %s", action_table[i].name);
        if (!stage_sees(&s, want))
            fail_msg(":%s is not offered\n%s", action_table[i].name, s.screen);
        stage_key(&s, KEY_ESCAPE);
        assert_false(is_open());
    }
    for (const struct palette_command *k = command_table; k->name; k++) {
        assert_true(k->help[0] != '\0' && k->args && k->run);
        for (const struct palette_command *o = command_table; o < k; o++)
            assert_string_not_equal(o->name, k->name);
    }
}

TEST_WITH(names_are_completed_and_run, vm, teardown)
{
    stage_key(&s, ':');
    stage_type(&s, "vie");
    stage_key(&s, KEY_TAB);
    assert_true(stage_sees(&s, ":view "));
    stage_type(&s, "cou");
    stage_key(&s, KEY_TAB);
    assert_true(stage_sees(&s, ":view counters"));
    stage_key(&s, KEY_ENTER_);
    assert_false(is_open());
    assert_true(stage_sees(&s, "counters by section"));
    /* there is no such command, and nothing is offered that Enter could take */
    stage_command(&s, "pausex");
    assert_true(is_open());
    assert_true(stage_sees(&s, "did you mean 'pause'?"));
    stage_key(&s, KEY_BACKSPACE_);
    assert_false(stage_sees(&s, "did you mean"));
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "PAUSED"));
}

TEST_WITH(the_list_is_chosen_from, vm, teardown)
{
    stage_key(&s, ':');
    stage_type(&s, "view ");
    for (int i = 0; i < 6; i++) /* past the views of the first tab */
        stage_key(&s, KEY_DOWN_);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "counters by section"));
    stage_key(&s, ':');
    stage_key(&s, KEY_UP_); /* wraps around to the last one */
    assert_int_equal(s.a->overlay_state.selected, s.a->overlay_state.rows - 1);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, ':');
    stage_key(&s, KEY_BACKSPACE_); /* nothing is left: closes */
    assert_false(is_open());
    stage_key(&s, ':');
    stage_key(&s, KEY_ENTER_); /* nothing was typed: does nothing */
    assert_false(is_open());
    stage_key(&s, ':');
    assert_int_equal((stage_key(&s, 3), s.asked) & APP_QUIT, APP_QUIT);
}

TEST_WITH(commands_do_what_they_say, vm, teardown)
{
    struct view_state *st = &s.a->state[view_named("overview")];
    stage_command(&s, "interval 500ms");
    assert_int_equal(s.asked & APP_INTERVAL, APP_INTERVAL);
    assert_true(app_interval(s.a) == 0.5);
    stage_command(&s, "attach 38");
    assert_int_equal(s.asked & APP_ATTACH, APP_ATTACH);
    assert_int_equal(app_attach_pid(s.a), 38);
    stage_command(&s, "detach");
    assert_int_equal(app_attach_pid(s.a), 0);
    stage_command(&s, "filter train");
    assert_string_equal(st->filter, "train");
    /* a ';' in quotes does not separate commands */
    stage_command(&s, "filter name=\"a;b\" or train; sort memory");
    assert_string_equal(st->filter, "name=\"a;b\" or train");
    assert_true(stage_sees(&s, "processes by memory"));
    stage_command(&s, "sort memory");
    assert_true(st->reverse);
    stage_command(&s, "theme rooftop-light");
    assert_int_equal(s.asked & APP_THEME, APP_THEME);
    assert_string_equal(app_theme(s.a), "rooftop-light");
    stage_command(&s, "ascii on");
    assert_true(app_ascii(s.a));
    stage_command(&s, "ascii off");
    assert_false(app_ascii(s.a));
    stage_command(&s, "write /tmp/picture");
    assert_int_equal(s.asked & APP_WRITE, APP_WRITE);
    assert_string_equal(app_path(s.a), "/tmp/picture");
    stage_command(&s, "explain switch_rate");
    assert_true(stage_sees(&s, "─ explain ─"));
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "help sort");
    assert_true(stage_sees(&s, "─ help: sort ─"));
    assert_false(stage_sees(&s, "first line"));
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "view counters; pause");
    assert_true(stage_sees(&s, "counters by section") && stage_sees(&s, "PAUSED"));
    stage_command(&s, "quit");
    assert_int_equal(s.asked & APP_QUIT, APP_QUIT);
}

/* A command runs if its name, or the beginning of only one name, was typed: a similar name is not
 * run. */
TEST_WITH(nothing_else_is_run_than_what_was_typed, vm, teardown)
{
    static const struct {
        const char *line, *says;
    } refused[] = {
        {"srtnxt", "there is none of that name"}, /* "sort-next" contains these letters */
        {"leave", "there is none of that name"},  /* the description of "quit" contains it */
        {"sort-", "did you mean 'sort', 'sort-next' or 'sort-prev'?"},
        {"detahc", "did you mean 'detach'"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        stage_key(&s, ':');
        stage_type(&s, refused[i].line);
        stage_key(&s, KEY_ENTER_);
        if (s.asked & ~(unsigned)APP_REDRAW || !is_open() || !stage_sees(&s, refused[i].says))
            fail_msg(":%s is not refused with '%s'\n%s", refused[i].line, refused[i].says,
                     s.screen);
        stage_key(&s, KEY_ESCAPE);
    }
    assert_int_equal(s.a->state[view_named("overview")].sort, 0);
    stage_command(&s, "paus"); /* the beginning of only one name */
    assert_true(stage_sees(&s, "PAUSED"));
    stage_key(&s, 'p');
    stage_key(&s, ':');
    stage_type(&s, "srtnxt");
    stage_key(&s, KEY_DOWN_); /* choosing in the list is enough */
    stage_key(&s, KEY_UP_);
    stage_key(&s, KEY_ENTER_);
    assert_false(is_open());
    assert_int_equal(s.a->state[view_named("overview")].sort, 1);
}

TEST_WITH(errors_are_said_in_place, vm, teardown)
{
    static const struct {
        const char *line, *says;
    } wrong[] = {
        {"view countres", "did you mean 'counters'?"},
        {"theme roftop-dark", "did you mean 'rooftop-dark'?"},
        {"sort memry", "did you mean 'memory'?"},
        {"attach x12", "is not the number of a process"},
        {"attach 0", "is not the number of a process"},
        {"interval never", "0.05 to 3600 seconds"},
        {"interval 1e9", "0.05 to 3600 seconds"},
        {"box memroy hide", "did you mean 'memory'?"},
        {"box memory burn", "show, hide or expand"},
        {"preset grafs", "did you mean 'graphs'?"},
        {"ascii perhaps", "is not on or off"},
        {"explain ip", "none of that name"},
        {"pause now", "takes no argument"},
        {"bind qiut X", "did you mean 'quit'?"},
        {"bind quit", "its keys are: q F10"},
        {"bind quit Strg-x", "'Strg-x' is no key"},
        {"bind quit j", "bound to both"},
        {"save-output", "does not apply to anything"},
        {"viewx counters", "did you mean 'view'?"},
        {"quit; nonsense here", "none of that name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stage_key(&s, ':');
        stage_type(&s, wrong[i].line);
        stage_key(&s, KEY_ENTER_);
        if (!is_open() || !stage_sees(&s, wrong[i].says))
            fail_msg(":%s does not say '%s'\n%s", wrong[i].line, wrong[i].says, s.screen);
        stage_key(&s, KEY_ESCAPE);
    }
    app_set_readonly(s.a, true);
    stage_command(&s, "attach 38");
    assert_true(stage_sees(&s, "--readonly"));
    assert_int_equal(s.asked & APP_ATTACH, 0);
}

TEST_WITH(pids_are_found_by_name, vm, teardown)
{
    stage_key(&s, ':');
    stage_type(&s, "attach train");
    assert_true(s.a->overlay_state.rows > 0);
    stage_key(&s, KEY_TAB);
    stage_key(&s, KEY_ENTER_);
    assert_int_equal(s.asked & APP_ATTACH, APP_ATTACH);
    assert_int_equal(app_attach_pid(s.a), 38);
}

TEST_WITH(history_is_recalled, vm, teardown)
{
    stage_command(&s, "view counters");
    stage_command(&s, "view overview");
    stage_key(&s, ':');
    stage_type(&s, "typed");
    stage_key(&s, CTRL_P);
    assert_true(stage_sees(&s, ":view overview"));
    stage_key(&s, CTRL_P);
    assert_true(stage_sees(&s, ":view counters"));
    stage_key(&s, CTRL_P); /* there is no older command */
    assert_true(stage_sees(&s, ":view counters"));
    stage_key(&s, CTRL_N);
    stage_key(&s, CTRL_N);
    assert_true(stage_sees(&s, ":typed"));
}

TEST_WITH(history_is_kept_in_its_file, vm, teardown)
{
    char dir[] = "/tmp/rooftop-history-XXXXXX", deep[64], path[96];
    struct stat st;
    assert_non_null(mkdtemp(dir));
    snprintf(deep, sizeof deep, "%s/a/rooftop", dir);
    snprintf(path, sizeof path, "%s/history", deep);
    app_set_state_dir(s.a, deep);
    app_set_readonly(s.a, true);
    stage_command(&s, "view counters");
    assert_int_not_equal(stat(path, &st), 0); /* no file was written */
    app_set_readonly(s.a, false);
    stage_command(&s, "view overview");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    stage_close(&s);
    stage_open(&s, "vm", 120, 40, 3); /* the next session */
    app_set_state_dir(s.a, deep);
    stage_key(&s, ':');
    stage_key(&s, CTRL_P);
    assert_true(stage_sees(&s, ":view overview"));
    stage_key(&s, KEY_ESCAPE);
    unlink(path);
    rmdir(deep);
    snprintf(deep, sizeof deep, "%s/a", dir);
    rmdir(deep);
    rmdir(dir);
}

TEST(history_is_bounded)
{
    struct typed_lines *h = typed_lines_new();
    char line[400];
    for (int i = 0; i < 700; i++) {
        snprintf(line, sizeof line, "command %d", i);
        typed_lines_add(h, line);
    }
    assert_int_equal(typed_lines_len(h), TYPED_LINES_MAX);
    assert_string_equal(typed_lines_get(h, 0), "command 699");
    assert_string_equal(typed_lines_get(h, TYPED_LINES_MAX - 1), "command 200");
    assert_string_equal(typed_lines_get(h, TYPED_LINES_MAX), "");
    typed_lines_add(h, "command 300"); /* again: it is there once, as the newest */
    assert_int_equal(typed_lines_len(h), TYPED_LINES_MAX);
    assert_string_equal(typed_lines_get(h, 0), "command 300");
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    typed_lines_add(h, line); /* longer than a command can be */
    typed_lines_add(h, "with a \033 in it");
    typed_lines_add(h, "");
    assert_string_equal(typed_lines_get(h, 0), "command 300");
    static const char file[] = "one\n\0two\nb\xff"
                               "d\nthree\n\nfour";
    typed_lines_parse(h, file, sizeof file - 1);
    assert_string_equal(typed_lines_get(h, 0), "four");
    assert_string_equal(typed_lines_get(h, 1), "three");
    assert_string_equal(typed_lines_get(h, 2), "one");
    typed_lines_free(h);
}

TEST(the_line_is_edited_in_the_middle)
{
    struct line_edit e = {0};
    line_edit_set(&e, "aé漢b");
    assert_int_equal(line_edit_key(&e, KEY_LEFT_), LINE_EDIT_MOVED);
    assert_int_equal(line_edit_key(&e, KEY_BACKSPACE_), LINE_EDIT_CHANGED);
    assert_string_equal(e.text, "aéb");
    line_edit_key(&e, KEY_HOME_);
    line_edit_key(&e, 'X');
    assert_string_equal(e.text, "Xaéb");
    line_edit_key(&e, KEY_DELETE);
    assert_string_equal(e.text, "Xéb");
    line_edit_key(&e, 5); /* ^E */
    line_edit_key(&e, ' ');
    line_edit_key(&e, 'w');
    line_edit_key(&e, 23); /* ^W */
    assert_string_equal(e.text, "Xéb ");
    line_edit_key(&e, 1);
    line_edit_key(&e, KEY_RIGHT_);
    line_edit_key(&e, 11); /* ^K */
    assert_string_equal(e.text, "X");
    line_edit_key(&e, 21); /* ^U */
    assert_string_equal(e.text, "");
    assert_int_equal(line_edit_key(&e, KEY_BACKSPACE_), LINE_EDIT_MOVED);
    assert_int_equal(line_edit_key(&e, KEY_F1), LINE_EDIT_IGNORED);
    line_edit_key(&e, 'e');
    line_edit_key(&e, 0x301); /* a combining accent is deleted with its letter */
    assert_int_equal(line_edit_key(&e, KEY_BACKSPACE_), LINE_EDIT_CHANGED);
    assert_string_equal(e.text, "");
    for (int i = 0; i < 400; i++)
        line_edit_key(&e, 0x6f22);
    assert_true(strlen(e.text) < LINE_EDIT_MAX && strlen(e.text) % 3 == 0);
}

TEST_WITH(a_long_line_scrolls_to_its_cursor, vm, teardown)
{
    stage_key(&s, ':');
    for (int i = 0; i < 200; i++)
        stage_key(&s, '0' + (uint32_t)(i % 10));
    stage_key(&s, 'Z');
    assert_true(stage_sees(&s, "6789Z"));
    stage_key(&s, KEY_HOME_);
    assert_true(stage_sees(&s, ":0123456789"));
    assert_false(stage_sees(&s, "Z"));
}
