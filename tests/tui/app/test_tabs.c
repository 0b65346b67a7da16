/* Draws only: not for TSan. */
/* The first row: tabs that can be read at every width, and the target or the opened files. */
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/own_home.h"
#include "support/stage.h"
#include "tui/model/layout.h"
#include "support/test.h"

static struct stage s;

FIXTURE(teardown)
{
    stage_close(&s);
}

static void widen(int cols)
{
    canvas_resize(&s.c, cols, 24);
    stage_look(&s);
}

/* Whether the row has the key of a tab without its word. */
static bool has_bare_key(const char *row)
{
    for (const char *p = row; *p && p[1] && strncmp(p, " · ", 4) != 0; p++)
        if (p[0] == ' ' && isalnum((unsigned char)p[1]) && p[2] == ' ' &&
            !isalpha((unsigned char)p[3]))
            return true;
    return false;
}

TEST_WITH(no_tab_is_a_bare_digit, NULL, teardown)
{
    stage_open(&s, "bricks", 80, 24, 3);
    for (int v = 0; views[v]; v++) {
        app_show_view(s.a, v);
        for (int cols = LAYOUT_MIN_COLS; cols <= 220; cols++) {
            char want[32];
            widen(cols);
            snprintf(want, sizeof want, " %s ", views[v]->title);
            if (!strstr(stage_row(&s, 0), want))
                fail_msg("%d columns: the chosen view %s is not in '%s'", cols, want, s.row);
            if (has_bare_key(s.row))
                fail_msg("%d columns: a key without a title in '%s'", cols, s.row);
        }
    }
}

/* If not all tabs fit, the row says so. */
TEST_WITH(more_tabs_are_told, NULL, teardown)
{
    stage_open(&s, "bricks", 50, 24, 3);
    stage_key(&s, 'f'); /* one more */
    stage_key(&s, '1');
    assert_non_null(strstr(stage_row(&s, 0), "›"));
    stage_key(&s, KEY_BACKTAB); /* the last one */
    assert_non_null(strstr(stage_row(&s, 0), "‹"));
    widen(200);
    assert_null(strstr(stage_row(&s, 0), "‹"));
    assert_null(strstr(s.row, "›"));
    stage_key(&s, 'u');
    widen(50);
    assert_non_null(strstr(stage_row(&s, 0), " < "));
}

/* The scene's command is "./gemm --m 4096 …": if it is too long, its folder is cut first, then
 * titles, and the name last. */
TEST_WITH(the_command_is_shortened_to_its_base_name_first, NULL, teardown)
{
    bool whole = false;
    stage_open(&s, "command", 80, 24, 3);
    for (int cols = 76; cols <= 220; cols++) {
        widen(cols);
        whole |= strstr(stage_row(&s, 0), "./gemm --m 4096") != NULL;
        if (!strstr(s.row, "gemm"))
            fail_msg("%d columns: who is watched is not in '%s'", cols, s.row);
        if (strstr(s.row, " ./gem…"))
            fail_msg("%d columns: cut before it lost its folder in '%s'", cols, s.row);
    }
    assert_true(whole);
}

TEST_WITH(the_file_that_was_opened_is_named, NULL, teardown)
{
    static const char *const one[] = {"/data/runs/results.db"},
                             *const more[] = {"a/rank0.json", "a/rank1.json", "a/rank2.json"},
                             *const folder[] = {"/data/ui_output_agent_1_dispatch_2/"};
    stage_open(&s, "vm", 80, 24, 3);
    assert_non_null(strstr(stage_row(&s, 0), " this host · 1 s"));
    app_set_file(s.a, one, 1);
    for (int cols = 60; cols <= 220; cols++) {
        widen(cols);
        if (!strstr(stage_row(&s, 0), "results.db"))
            fail_msg("%d columns: the file is not in '%s'", cols, s.row);
        assert_null(strstr(s.row, "/data"));
    }
    assert_non_null(strstr(s.row, "results.db · this host · 1 s"));
    app_set_file(s.a, more, 3);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), "rank0.json +2 · this host"));
    app_set_file(s.a, folder, 1);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), " ui_output_agent_1_dispatch_2 · this host"));
}

static bool has_tab(const struct view_ops *v)
{
    char tab[48], key[16];
    snprintf(tab, sizeof tab, " %s %s ", app_first_key(v->select, key), v->title);
    return strstr(stage_row(&s, 0), tab) != NULL;
}

static int view_named(const char *name)
{
    int v = 0;
    while (strcmp(views[v]->name, name) != 0)
        v++;
    return v;
}

/* In this scene, a host without GPUs, profiles, captures and instrumented programs is watched. */
TEST_WITH(views_with_nothing_to_show_are_no_tabs, NULL, teardown)
{
    static const char *const filled[] = {"overview", "counters"};
    stage_open(&s, "vm", 200, 50, 3);
    for (int v = 0; views[v]; v++) {
        bool want = false;
        for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
            want |= strcmp(filled[i], views[v]->name) == 0;
        if (has_tab(views[v]) != want)
            fail_msg("%s: %s in '%s'", views[v]->name, want ? "is not" : "is", s.row);
    }
    for (int i = 0; i < 2; i++)
        stage_key(&s, KEY_TAB);
    assert_string_equal(views[app_view(s.a)]->name, "overview");
    stage_key(&s, KEY_BACKTAB);
    assert_string_equal(views[app_view(s.a)]->name, "counters");
}

TEST_WITH(a_view_is_a_tab_once_it_has_something, NULL, teardown)
{
    static const char *const filled[] = {"tree", "path", "roofline", "timeline"};
    stage_open(&s, "bricks", 200, 50, 3);
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
        if (!has_tab(views[view_named(filled[i])]))
            fail_msg("%s is not in '%s'", filled[i], s.row);
    assert_false(has_tab(views[view_named("functions")]));
    stage_key(&s, 'f'); /* turns sampling on */
    stage_key(&s, '1');
    assert_true(has_tab(views[view_named("functions")]));
}

/* Handles what threads of the app have read, until the screen has this text. */
static bool comes_to_say(const char *text)
{
    for (int i = 0; i < 300 && !stage_sees(&s, text); i++) {
        struct pollfd p = {.fd = app_job_fd(s.a), .events = POLLIN};
        if (p.fd < 0)
            break;
        poll(&p, 1, 100);
        app_job_done(s.a);
        stage_look(&s);
    }
    return stage_sees(&s, text);
}

/* The key of a view without data opens it; the view says what would fill it, and has a tab while
 * it is shown. */
TEST_WITH(the_key_of_an_empty_view_opens_it_and_says_what_would_fill_it, NULL, teardown)
{
    static const struct {
        const char *view, *says;
    } empty[] = {
        {"tree", "No instrumented program was found yet"},
        {"path", "No instrumented program was found yet"},
        {"roofline", "A brick or kernel is drawn here when"},
        {"replay", "replay: captures"},
        {"att", "No thread trace was opened: rooftop FOLDER"},
        {"timeline", "There are no spans: open a profile"},
        {"gpu", "This recording has no GPUs in it"},
        {"functions", "Where CPU time goes, by function"},
        {"kernels", "No profile with kernels was opened: rooftop FILE"},
        {"output", "There is no output: start a command with"},
        {"steps", "No profile with steps or devices was opened"},
        {"compare", "Nothing is compared: rooftop compare A B"},
        {"history", "No benchmark was stored yet: rooftop compare"},
    };
    stage_open(&s, "vm", 200, 50, 3);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        char key[16];
        int v = view_named(empty[i].view);
        stage_key(&s, key_parse(app_first_key(views[v]->select, key)));
        assert_int_equal(app_view(s.a), v);
        if (!stage_sees(&s, empty[i].says) &&
            !(strcmp(empty[i].view, "history") == 0 && comes_to_say(empty[i].says)))
            fail_msg("%s does not say '%s':\n%s", empty[i].view, empty[i].says, s.screen);
        if (!has_tab(views[v]))
            fail_msg("%s is shown and has no tab in '%s'", empty[i].view, s.row);
        if (i == 0) { /* Tab continues from there, past views without data */
            stage_key(&s, KEY_TAB);
            assert_string_equal(views[app_view(s.a)]->name, "overview");
            assert_false(has_tab(views[v]));
        }
    }
}

/* The key for explanations names the one for details where a view has these. */
TEST_WITH(what_has_details_instead_of_an_explanation_says_so, NULL, teardown)
{
    static const char *const shown[] = {"tree", "path", "roofline"};
    stage_open(&s, "bricks", 120, 40, 3);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        app_show_view(s.a, view_named(shown[i]));
        stage_look(&s);
        stage_key(&s, 'i');
        if (!stage_sees(&s, "d shows the details of the row"))
            fail_msg("%s:\n%s", shown[i], s.screen);
    }
}

/* Nothing is selected, whatever key is pressed. */
TEST_WITH(an_empty_view_survives_every_key, NULL, teardown)
{
    stage_open(&s, "vm", 100, 30, 3);
    for (int v = 0; views[v]; v++)
        for (int act = 1; act < ACTION_COUNT; act++) {
            app_show_view(s.a, v);
            stage_look(&s);
            app_perform(s.a, (enum action)act, 0);
            stage_look(&s);
            stage_key(&s, KEY_ESCAPE); /* closes what the key opened */
            stage_key(&s, KEY_ESCAPE);
        }
}

int main(void)
{
    own_home(); /* no benchmarks of the user */
    return tests_run(NULL, NULL);
}
