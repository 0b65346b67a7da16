/* Draws only: not for TSan. */
/* The first row: tabs that can be read at every width, and the target or the opened files. */
#include <ctype.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "support/own_home.h"
#include "support/stage.h"
#include "support/subjects.h"
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

static void shows(const char *view)
{
    if (strcmp(views[app_view(s.a)]->name, view) != 0)
        fail_msg("%s is shown, not %s", views[app_view(s.a)]->name, view);
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
            const struct view_tab *tab = &view_tabs[view_tab(v)];
            char want[32], narrow[32], key[16];
            widen(cols);
            snprintf(want, sizeof want, "%s %s", app_first_key(tab->select, key), tab->name);
            snprintf(narrow, sizeof narrow, "%s %s", key, tab->narrow);
            if (!strstr(stage_row(&s, 0), want) && !strstr(s.row, narrow))
                fail_msg("%d columns: the tab of the chosen view, %s, is not in '%s'", cols, want,
                         s.row);
            if (has_bare_key(s.row))
                fail_msg("%d columns: a key without a title in '%s'", cols, s.row);
        }
    }
}

/* If not all tabs fit, the row says so. */
TEST_WITH(more_tabs_are_told, NULL, teardown)
{
    stage_open(&s, "bricks", 40, 24, 3);
    stage_key(&s, 'f'); /* one more */
    stage_key(&s, '1');
    assert_non_null(strstr(stage_row(&s, 0), "›"));
    stage_key(&s, KEY_BACKTAB); /* the last one */
    assert_non_null(strstr(stage_row(&s, 0), "‹"));
    widen(200);
    assert_null(strstr(stage_row(&s, 0), "‹"));
    assert_null(strstr(s.row, "›"));
    stage_key(&s, 'E');
    widen(40);
    assert_non_null(strstr(stage_row(&s, 0), "< "));
}

/* The places of all tabs in the row; returns how many are there. */
static int places_of_tabs(int out[TABS])
{
    int n = 0;
    for (int i = 0; i < TABS; i++) {
        char text[32], key[16];
        snprintf(text, sizeof text, "%s %s", app_first_key(view_tabs[i].select, key),
                 view_tabs[i].name);
        const char *at = strstr(stage_row(&s, 0), text);
        snprintf(text, sizeof text, "%s %s", key, view_tabs[i].narrow);
        at = at ? at : strstr(s.row, text);
        out[i] = at ? (int)(at - s.row) : -1;
        n += at != NULL;
    }
    return n;
}

/* Nor does what is beside them: whatever is shown, the row differs by its styles only. */
TEST_WITH(tabs_have_one_width_and_do_not_move, NULL, teardown)
{
    static const int widths[] = {80, 120, 200};
    stage_open(&s, "bricks", 80, 24, 3);
    stage_key(&s, 'f'); /* a tab more; its view stays */
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        int at[TABS], now[TABS], last = -1, width = 0;
        char row[sizeof s.row];
        stage_key(&s, '1');
        widen(widths[i]);
        snprintf(row, sizeof row, "%s", stage_row(&s, 0));
        assert_int_equal(places_of_tabs(at), 6);
        for (int t = 0; t < TABS; t++) {
            if (at[t] < 0)
                continue;
            if (last >= 0 && width)
                assert_int_equal(at[t] - last, width);
            width = last >= 0 ? at[t] - last : 0;
            last = at[t];
        }
        for (int v = 0; views[v]; v++) {
            if (!app_view_listed(s.a, v))
                continue;
            app_show_view(s.a, v);
            stage_look(&s);
            assert_string_equal(stage_row(&s, 0), row);
        }
        for (int digit = '0'; digit < '9'; digit++) { /* nor for a tab that has nothing */
            stage_key(&s, digit);
            stage_look(&s);
            places_of_tabs(now);
            for (int t = 0; t < TABS; t++)
                if (at[t] >= 0)
                    if (now[t] != at[t])
                        fail_msg("%d columns, key %c: %s", widths[i], digit, s.row);
        }
        stage_key(&s, '1'); /* 9 would read the history, and have something from then on */
        stage_key(&s, 'p'); /* PAUSED has a place of its own */
        places_of_tabs(now);
        assert_memory_equal(at, now, sizeof at);
        assert_non_null(strstr(s.row, " PAUSED "));
        stage_key(&s, 'p');
    }
}

/* The style of the cell of a text in the first row. */
static enum style_role style_of(const char *text)
{
    int x, y;
    assert_true(stage_find(&s, text, &x, &y));
    assert_int_equal(y, 0);
    return s.c.cells[x].style.role;
}

TEST_WITH(the_chosen_tab_is_told_by_reverse_only, NULL, teardown)
{
    stage_open(&s, "bricks", 120, 40, 3);
    stage_key(&s, '4');
    assert_int_equal(style_of("path"), STYLE_SELECTED);
    assert_int_equal(style_of("4 path"), STYLE_SELECTED);
    assert_int_equal(style_of("tree"), STYLE_TEXT);
    stage_key(&s, '3');
    assert_int_equal(style_of("tree"), STYLE_SELECTED);
    assert_int_equal(style_of("path"), STYLE_TEXT);
}

/* A click on a tab is its digit, and a click on a view beside the shown one chooses that. */
TEST_WITH(tabs_and_the_views_in_them_are_clicked, NULL, teardown)
{
    int x, y;
    stage_open(&s, "bricks", 80, 24, 3);
    assert_true(stage_find(&s, "4 path", &x, &y));
    stage_click(&s, x, y, MOUSE_LEFT);
    shows("path");
    stage_click(&s, x, y, MOUSE_LEFT);
    shows("timeline");
    assert_true(stage_find(&s, "path │ timeline", &x, &y));
    assert_int_equal(y, 1);
    stage_click(&s, x, y, MOUSE_LEFT);
    shows("path");
    stage_click(&s, x + 9, y, MOUSE_LEFT);
    shows("timeline");
}

/* --- the digits --- */

TEST_WITH(a_digit_goes_on_to_the_next_view_of_its_tab, NULL, teardown)
{
    stage_open(&s, "bricks", 80, 24, 3);
    stage_key(&s, '4');
    shows("path");
    stage_key(&s, '4');
    shows("timeline");
    stage_key(&s, '3');
    shows("tree");
    stage_key(&s, '4'); /* the one last looked at */
    shows("timeline");
    stage_key(&s, '4');
    shows("path");
    stage_key(&s, '?'); /* what is open over the view is closed first */
    stage_key(&s, '4');
    shows("path");
}

/* Views with nothing to show are passed while another one has something; else each says what would
 * fill it. */
TEST_WITH(empty_views_are_passed_or_say_what_would_fill_them, NULL, teardown)
{
    static const char *const third[] = {"kernels", "steps", "att", "kernels"};
    stage_open(&s, "command", 120, 40, 3);
    stage_key(&s, '1');
    shows("overview");
    stage_key(&s, '1');
    shows("output");
    stage_key(&s, '1'); /* not the summary of a file: none is open */
    shows("watched");
    for (size_t i = 0; i < sizeof third / sizeof *third; i++) {
        stage_key(&s, '6');
        shows(third[i]);
    }
    stage_key(&s, 'C'); /* nothing is compared */
    stage_key(&s, '3');
    stage_key(&s, '9');
    shows("compare");
}

/* Y would begin a trace, and f would sample. */
TEST_WITH(a_digit_begins_nothing, NULL, teardown)
{
    stage_open(&s, "command", 120, 40, 3);
    stage_key(&s, '7');
    shows("syscalls");
    stage_key(&s, '7');
    assert_false(s.asked & APP_SYSCALLS);
    assert_false(app_tracing(s.a));
    assert_true(stage_sees(&s, "Y traces the watched program"));
    stage_key(&s, '8');
    shows("functions");
    assert_false(s.asked & APP_SAMPLING);
    stage_key(&s, 'f');
    assert_true(s.asked & APP_SAMPLING);
}

/* At the right end of the view's first row, where it leaves room: the views that share its tab. */
TEST_WITH(the_views_of_a_tab_stand_in_its_head, NULL, teardown)
{
    stage_open(&s, "bricks", 80, 24, 3);
    stage_key(&s, '3');
    assert_null(strstr(stage_row(&s, 1), "│ "));
    stage_key(&s, '4');
    assert_non_null(strstr(stage_row(&s, 1), " 4 path │ timeline "));
    stage_key(&s, 'E');
    assert_non_null(strstr(stage_row(&s, 1), " 4 path | timeline "));
    for (int cols = LAYOUT_MIN_COLS; cols <= 200; cols += 7)
        widen(cols);
}

/* Where there is no room for all, the next one is named; its place does not depend on numbers. */
TEST_WITH(the_next_view_is_named_where_there_is_little_room, NULL, teardown)
{
    int x, y, at;
    stage_open(&s, "command", 80, 24, 3);
    assert_true(stage_find(&s, "1 → overview", &x, &y));
    for (int tick = 4; tick < 12; tick++) {
        stage_feed(&s, "command", tick);
        stage_look(&s);
        assert_true(stage_find(&s, "1 → overview", &at, &y));
        assert_int_equal(at, x);
    }
    stage_click(&s, x + 4, y, MOUSE_LEFT);
    shows("overview");
}

/* Where a view is named, a tab is understood too. */
TEST_WITH(a_tab_is_typed_in_place_of_a_view, NULL, teardown)
{
    struct error err = ERROR_INIT;
    stage_open(&s, "bricks", 120, 40, 3);
    assert_true(app_set_view(s.a, "bench", &err));
    shows("history");
    assert_false(app_set_view(s.a, "benches", &err));
    assert_non_null(strstr(err.help, "replay, bench"));
    stage_command(&s, "view path");
    stage_command(&s, "view bench");
    shows("history");
    stage_key(&s, ':');
    stage_type(&s, "view be");
    assert_true(stage_sees(&s, "benchmarks: their history"));
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, ':');
    stage_type(&s, "help rang"); /* a command that is no action */
    assert_true(stage_sees(&s, "only what ran in ranges of that name"));
}

TEST_WITH(names_of_tabs_fit_and_each_view_has_a_key, NULL, NULL)
{
    char key[16];
    for (int i = 0; i < TABS; i++) {
        assert_in_range(strlen(view_tabs[i].name), 3, 9);
        assert_in_range(strlen(view_tabs[i].narrow), 2, 4);
    }
    for (int v = 0; views[v]; v++)
        if (!*view_key(views[v]->name, key))
            fail_msg("no key leads to %s", views[v]->name);
    assert_string_equal(view_key("path", key), "4");
    assert_string_equal(view_key("timeline", key), "Alt-t");
    assert_string_equal(view_key("kernels", key), "K");
    assert_string_equal(view_key("gpu", key), "0");
    assert_string_equal(view_key("none", key), "");
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
                             *const brief[] = {"tests/data/att"},
                             *const rank[] = {"run1/rank-00007/session.rooftop"},
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
    app_set_file(s.a, rank, 1);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), " rank-00007 · this host"));
    app_set_file(s.a, folder, 1);
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), " ui_output_agent_1_dispatch_2 · this host"));
    /* what shows the file has nothing of the host in its head */
    stage_command(&s, "view kernels");
    assert_non_null(strstr(stage_row(&s, 0), " ui_output_agent_1_dispatch_2 "));
    assert_null(strstr(s.row, "this host"));
    assert_null(strstr(s.row, "· 1 s"));
    stage_command(&s, "view counters");
    assert_non_null(strstr(stage_row(&s, 0), " ui_output_agent_1_dispatch_2 · this host · 1 s"));
    stage_command(&s, "view kernels");
    app_set_file(s.a, brief, 1); /* three letters are a name, too */
    widen(160);
    assert_non_null(strstr(stage_row(&s, 0), " att "));
}

static bool has_tab(int view)
{
    const struct view_tab *tab = &view_tabs[view_tab(view)];
    char text[48], key[16];
    snprintf(text, sizeof text, " %s %s ", app_first_key(tab->select, key), tab->name);
    return strstr(stage_row(&s, 0), text) != NULL;
}

/* In this scene, a host without GPUs, profiles, captures and instrumented programs is watched. */
TEST_WITH(views_with_nothing_to_show_are_no_tabs, NULL, teardown)
{
    static const char *const filled[] = {"overview", "counters"};
    stage_open(&s, "vm", 200, 50, 3);
    for (int v = 0; views[v]; v++) {
        bool want = false;
        for (size_t i = 0; i < sizeof filled / sizeof *filled; i++)
            want |= view_tab(view_named(filled[i])) == view_tab(v);
        if (has_tab(v) != want)
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
        if (!has_tab(view_named(filled[i])))
            fail_msg("%s is not in '%s'", filled[i], s.row);
    assert_false(has_tab(view_named("functions")));
    stage_key(&s, 'f'); /* turns sampling on */
    stage_key(&s, '1');
    assert_true(has_tab(view_named("functions")));
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
        int v = view_named(empty[i].view);
        stage_view(&s, empty[i].view);
        assert_int_equal(app_view(s.a), v);
        if (!stage_sees(&s, empty[i].says) &&
            !(strcmp(empty[i].view, "history") == 0 && comes_to_say(empty[i].says)))
            fail_msg("%s does not say '%s':\n%s", empty[i].view, empty[i].says, s.screen);
        if (!has_tab(v))
            fail_msg("%s is shown and has no tab in '%s'", empty[i].view, s.row);
        if (i == 0) { /* Tab continues from there, past views without data */
            stage_key(&s, KEY_TAB);
            assert_string_equal(views[app_view(s.a)]->name, "overview");
            assert_false(has_tab(v));
        }
    }
}

/* A saved trace of system calls has no kernels, and steps are not expected in it. */
TEST(a_trace_of_system_calls_has_no_tab_of_kernels)
{
    static const char *const path = "tests/data/renacer/pipe.json";
    struct analysis opened = {0};
    assert_int_equal(analysis_open(&opened, &path, 1, NULL), 0);
    stage_open(&s, "vm", 200, 50, 3);
    app_set_profile(s.a, &opened);
    stage_look(&s);
    assert_true(has_tab(view_named("syscalls")));
    assert_false(has_tab(view_named("kernels")));
    stage_close(&s);
    analysis_close(&opened);
}

/* Samples of a CPU have no times: nothing there began, and nobody waits for a pass to end. */
TEST(an_empty_view_of_a_file_speaks_of_the_file)
{
    static const char *const path = "tests/data/samples/go_cpu.pprof";
    static const struct {
        const char *view, *says;
    } empty[] = {
        {"tree", "Nothing in the opened file began and ended"},
        {"path", "Nothing in the opened file began and ended"},
        {"timeline", "The opened file has nothing for this view."},
        {"kernels", "The opened file has nothing for this view."},
        {"steps", "The opened file has nothing for this view."},
    };
    struct analysis opened = {0};
    assert_int_equal(analysis_open(&opened, &path, 1, NULL), 0);
    stage_open(&s, "vm", 200, 50, 3);
    app_set_profile(s.a, &opened);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        stage_view(&s, empty[i].view);
        if (!stage_sees(&s, empty[i].says))
            fail_msg("%s does not say '%s':\n%s", empty[i].view, empty[i].says, s.screen);
    }
    stage_close(&s);
    analysis_close(&opened);
}

/* A program with bricks runs on this host while a capture, a job or another file is looked at. */
TEST(an_opened_file_shows_no_bricks_of_this_host)
{
    static const char *const subjects[] = {"capture", "job", "code object", "thread trace"};
    static const char *const shown[] = {"tree", "path", "timeline", "roofline"};
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        subject_stage_open(&s, subjects[i], 200, 50);
        for (int t = 4; t < 8; t++)
            stage_feed(&s, "bricks", t);
        for (size_t v = 0; v < sizeof shown / sizeof *shown; v++)
            assert_false(has_tab(view_named(shown[v])));
        for (size_t v = 0; v < sizeof shown / sizeof *shown; v++) {
            stage_view(&s, shown[v]);
            if (stage_sees(&s, "gemv_down") || stage_sees(&s, "QkvProjection"))
                fail_msg("%s, %s:\n%s", subjects[i], shown[v], s.screen);
        }
        subject_stage_close(&s);
    }
}

/* A session is of the host that recorded it; also where it is drawn once, for a document. */
TEST_WITH(the_head_of_a_session_is_not_this_host, NULL, teardown)
{
    static const char *const path = "tests/data/session/frames-4.rooftop";
    static const char *const shown[] = {"overview", "counters"};
    stage_open(&s, "vm", 120, 30, 3);
    app_set_file(s.a, &path, 1);
    stage_view(&s, "overview");
    assert_non_null(strstr(stage_row(&s, 0), "frames-4.rooftop · this host"));
    app_set_playback(s.a);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        stage_view(&s, shown[i]);
        assert_non_null(strstr(stage_row(&s, 0), "frames-4.rooftop · 1 s"));
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
