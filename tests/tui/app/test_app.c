/* Draws only: not for TSan. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "support/scenes.h"
#include "support/stage.h"
#include "tui/app/app.h"
#include "tui/app/app_state.h"
#include "support/test.h"

static struct stage stage;

FIXTURE(teardown)
{
    stage_close(&stage);
}

FIXTURE(setup)
{
    stage_open(&stage, "vm", 120, 40, 2);
}

static unsigned key(uint32_t k)
{
    stage_key(&stage, k);
    return stage.asked;
}

static const struct view_state *list(void)
{
    return &stage.a->state[stage.a->view];
}

/* The text of the row with the cursor. */
static const char *selected(void)
{
    static char row[512];
    size_t n = 0;
    const struct view_state *st = list();
    int y = st->list.y + st->selected - st->scroll;
    for (int x = st->list.x; x < st->list.x + st->list.w; x++)
        if (stage.c.cells[y * stage.c.cols + x].ch)
            n += text_encode(stage.c.cells[y * stage.c.cols + x].ch, row + n);
    row[n] = '\0';
    return row;
}

TEST_WITH(sorting_goes_through_all_columns_and_back, setup, teardown)
{
    static const char *const order[] = {"memory", "time",    "threads", "pid",
                                        "user",   "command", "cpu"};
    assert_non_null(strstr(stage.screen, "processes by cpu"));
    assert_non_null(strstr(stage.screen, "CPU %▾"));
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        char title[64];
        key('s');
        snprintf(title, sizeof title, "processes by %s", order[i]);
        assert_non_null(strstr(stage.screen, title));
    }
    key('r');
    assert_non_null(strstr(stage.screen, "CPU %▴"));
    key('<');
    assert_non_null(strstr(stage.screen, "processes by command"));
}

TEST_WITH(the_cursor_stays_on_its_process, setup, teardown)
{
    key('j');
    key('j');
    char pid[VIEW_TEXT_MAX];
    snprintf(pid, sizeof pid, "%s", list()->selected_key);
    key('s'); /* sorts differently */
    assert_string_equal(list()->selected_key, pid);
    assert_non_null(strstr(selected(), pid));
    stage_feed(&stage, "vm", 2);
    stage_look(&stage);
    assert_string_equal(list()->selected_key, pid);
    key('G');
    assert_int_equal(list()->selected, list()->rows - 1);
    key('g');
    assert_int_equal(list()->selected, 0);
    key(KEY_PGDN);
    assert_true(list()->selected > 5);
    for (int i = 0; i < 100; i++)
        key(KEY_PGDN);
    assert_int_equal(list()->selected, list()->rows - 1);
}

TEST_WITH(headings_are_passed_over_both_ways, setup, teardown)
{
    enum { ROWS = 24 };
    char rows[ROWS][VIEW_TEXT_MAX];
    key('2');
    for (int i = 0; i < ROWS; i++) {
        snprintf(rows[i], sizeof rows[i], "%s", list()->selected_key);
        assert_true(i == 0 || strcmp(rows[i], rows[i - 1]) != 0);
        key('j');
    }
    for (int i = ROWS - 1; i >= 0; i--) {
        key('k');
        assert_string_equal(list()->selected_key, rows[i]);
    }
    key('k'); /* the cursor stays in the first row */
    assert_string_equal(list()->selected_key, rows[0]);
}

/* Events whose long names differ only at the end have their own rows and explanations. */
TEST_WITH(long_names_are_told_apart, setup, teardown)
{
    struct snapshot *s = scene("vm", 2);
    char name[3][80], wanted[32];
    for (int i = 0; i < 3; i++) {
        snprintf(name[i], sizeof name[i],
                 "cpu/event=0x44,umask=0x08,any_long_name_of_an_event=1,c=%d/", i);
        struct counter *k = snapshot_add_counter(s);
        *k = (struct counter){.name = name[i],
                              .spec = "",
                              .desc = "",
                              .source = "perf",
                              .set = "user",
                              .user = true,
                              .group = -1,
                              .rate = value_ok(i, UNIT_COUNT_PER_S),
                              .delta = value_ok(i, UNIT_COUNT)};
    }
    app_update(stage.a, s);
    key('2');
    key('\\');
    stage_type(&stage, "\"c=\"");
    key(KEY_ENTER_);
    for (int i = 0; i < 3; i++) {
        stage_look(&stage);
        key('i');
        snprintf(wanted, sizeof wanted, "c=%d/", i);
        assert_non_null(strstr(stage.screen, "counted alone"));
        assert_null(strstr(stage.screen, "-1"));
        assert_non_null(strstr(strstr(stage.screen, "─ explain ─"), wanted));
        key(KEY_ESCAPE);
        key('j');
    }
    key('1'); /* go there before the names are freed */
    stage_feed(&stage, "vm", 3);
    snapshot_unref(s);
}

TEST_WITH(filter_shows_what_matches_as_it_is_typed, setup, teardown)
{
    key('\\');
    stage_type(&stage, "trai");
    assert_non_null(strstr(stage.screen, "filter: trai"));
    assert_null(strstr(stage.screen, "/usr/bin/gemm"));
    key(KEY_ENTER_);
    assert_non_null(strstr(stage.screen, "match 'trai'"));
    assert_non_null(strstr(stage.screen, "python3 train.py"));
    key(KEY_ESCAPE);
    assert_non_null(strstr(stage.screen, "/usr/bin/gemm"));
    key('\\');
    stage_type(&stage, "no such process");
    assert_non_null(strstr(stage.screen, "no process matches"));
    key(KEY_ESCAPE); /* restores it */
    assert_non_null(strstr(stage.screen, "/usr/bin/gemm"));
}

/* An incomplete filter changes nothing; the mistake is shown beside it, and Enter does not accept
 * it. */
TEST_WITH(filters_are_queries, setup, teardown)
{
    key('\\');
    stage_type(&stage, "cmd~gemm");
    assert_null(strstr(stage.screen, "systemd"));
    assert_non_null(strstr(stage.screen, "/usr/bin/gemm"));
    stage_type(&stage, " (");
    assert_non_null(strstr(stage.screen, "something is missing"));
    assert_non_null(
        strstr(stage.screen, "/usr/bin/gemm")); /* the rows of the last complete filter */
    stage_type(&stage, "nmae~x)");
    assert_non_null(strstr(stage.screen, "column 11: no field 'nmae'; did you mean 'name'?"));
    key(KEY_ENTER_);
    assert_int_equal(stage.a->prompt, PROMPT_FILTER);
    key(21);
    stage_type(&stage, "not cmd~gemm and pid>0");
    key(KEY_ENTER_);
    assert_int_equal(stage.a->prompt, PROMPT_NONE);
    assert_null(strstr(stage.screen, "/usr/bin/gemm"));
    key('2');
    key('\\');
    stage_type(&stage, "missing=1 name~^I");
    key(KEY_ENTER_);
    assert_non_null(strstr(stage.screen, "IPC"));
    assert_null(strstr(stage.screen, "page faults"));
    key(KEY_ESCAPE);
    assert_non_null(strstr(stage.screen, "page faults"));
}

TEST_WITH(search_jumps_and_goes_on, setup, teardown)
{
    key('/');
    stage_type(&stage, "sshd");
    key(KEY_ENTER_);
    assert_non_null(strstr(selected(), "sshd: some"));
    int first = list()->selected;
    key('n');
    assert_non_null(strstr(selected(), "sshd: some"));
    assert_true(list()->selected > first);
    key('N');
    assert_int_equal(list()->selected, first);
}

TEST_WITH(prompts_edit_characters_not_bytes, setup, teardown)
{
    key('/');
    stage_type(&stage, "aé漢");
    key(KEY_BACKSPACE_);
    assert_non_null(strstr(stage.screen, "search: aé "));
    key(KEY_BACKSPACE_);
    key(KEY_BACKSPACE_);
    key(KEY_BACKSPACE_); /* one letter too many */
    stage_type(&stage, "xyz");
    key(21);
    assert_string_equal(stage.a->prompt_line.text, "");
    for (int i = 0; i < 500; i++)
        key(0x6f22);
    assert_true(strlen(stage.a->prompt_line.text) < VIEW_TEXT_MAX);
    assert_int_equal(key(3) & APP_QUIT, APP_QUIT);
}

TEST_WITH(pause_freezes_picture_and_graphs, setup, teardown)
{
    static char before[65536];
    key('p');
    assert_non_null(strstr(stage.screen, "PAUSED"));
    snprintf(before, sizeof before, "%s", stage.screen);
    for (int t = 2; t < 20; t++)
        stage_feed(&stage, "vm", t);
    assert_string_equal(stage_look(&stage), before);
    key('p');
    assert_null(strstr(stage.screen, "PAUSED"));
    assert_int_equal(stage.a->model.snap->seq, 20); /* back at now */
    assert_int_equal(live_series_len(stage.a->model.series), 20);
}

TEST_WITH(interval_steps, setup, teardown)
{
    static const double down[] = {0.5, 0.2, 0.1, 0.1}, up[] = {0.2, 0.5, 1, 2, 5, 10, 10};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(key('-') & APP_INTERVAL, APP_INTERVAL);
        assert_true(app_interval(stage.a) == down[i]);
    }
    for (size_t i = 0; i < 7; i++) {
        key('+');
        assert_true(app_interval(stage.a) == up[i]);
    }
    stage.a->interval_s = 3; /* as if given on the command line */
    key('-');
    assert_true(app_interval(stage.a) == 2);
    stage.a->interval_s = 3;
    key('+');
    assert_true(app_interval(stage.a) == 5);
}

TEST_WITH(requests_reach_the_driver, setup, teardown)
{
    assert_int_equal(key('a') & APP_ATTACH, APP_ATTACH);
    assert_int_equal(app_attach_pid(stage.a), 1);
    assert_int_equal(key('A') & APP_ATTACH, APP_ATTACH);
    assert_int_equal(app_attach_pid(stage.a), 0);
    assert_int_equal(key('T') & APP_THEME, APP_THEME);
    assert_string_not_equal(app_theme(stage.a), "rooftop-dark");
    assert_int_equal(key('E') & APP_ASCII, APP_ASCII);
    assert_true(app_ascii(stage.a));
    assert_int_equal(key(12) & APP_REPAINT, APP_REPAINT);
    key('w');
    assert_non_null(strstr(stage.screen, "rooftop-2025"));
    assert_int_equal(key(KEY_ENTER_) & APP_WRITE, APP_WRITE);
    assert_int_equal(strncmp(app_path(stage.a), "rooftop-2025112", 15), 0);
    assert_int_equal(key('q') & APP_QUIT, APP_QUIT);
    assert_int_equal(key('o'), APP_REDRAW); /* there is no command: a message says so */
    assert_non_null(strstr(stage.screen, "rooftop -- CMD"));
}

TEST_WITH(views_and_overlays, setup, teardown)
{
    struct error err = ERROR_INIT;
    key('2');
    assert_non_null(strstr(stage.screen, "counters by section"));
    key(KEY_TAB); /* past the tabs that have nothing to show */
    assert_non_null(strstr(stage.screen, "processes by"));
    key('3');
    assert_non_null(strstr(stage.screen, "bricks: tree"));
    key('4');
    assert_non_null(strstr(stage.screen, "critical path"));
    key('5');
    assert_non_null(strstr(stage.screen, "─ roofline ─"));
    key('f');
    assert_non_null(strstr(stage.screen, "hot functions"));
    key('5');
    for (int i = 0; i < 2; i++)
        key(KEY_TAB); /* functions, which is a tab because it samples now; then overview */
    assert_non_null(strstr(stage.screen, "processes by"));
    for (int i = 0; i < 2; i++)
        key(KEY_BACKTAB);
    assert_non_null(strstr(stage.screen, "counters by section"));
    key('?');
    assert_non_null(strstr(stage.screen, "─ help ─"));
    key('q' - 'q' + KEY_ESCAPE);
    assert_null(strstr(stage.screen, "─ help ─"));
    key('i');
    assert_non_null(strstr(stage.screen, "─ explain ─"));
    key('i');
    assert_null(strstr(stage.screen, "─ explain ─"));
    assert_true(app_set_view(stage.a, "overview", &err));
    assert_false(app_set_view(stage.a, "nonsense", &err));
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.help, "counters"));
    app_message(stage.a, true, "something went wrong");
    assert_non_null(strstr(stage_look(&stage), "something went wrong"));
    key('j');
    assert_null(strstr(stage.screen, "something went wrong"));
}

/* A key that the shown view does not have says where it works; one that works nowhere does not. */
TEST_WITH(keys_of_other_views_say_whose_they_are, setup, teardown)
{
    key('2');
    key('u');
    assert_non_null(strstr(stage.screen, "u (users) is a key in the process list"));
    key('3'); /* nothing to show yet */
    key('~');
    assert_null(strstr(stage.screen, " ~ "));
    key('o');
    key('u');
    assert_non_null(strstr(stage.screen, "u (users)"));
    key('1');
    key('u'); /* here it opens the list of users */
    assert_non_null(strstr(stage.screen, "all users"));
    key('m'); /* over a view letters belong to what is open */
    assert_null(strstr(stage.screen, "is a key"));
}

TEST_WITH(an_empty_view_offers_no_search, setup, teardown)
{
    assert_non_null(strstr(stage.screen, "/ Search"));
    key('6');
    assert_null(strstr(stage.screen, "/ Search"));
    key('/');
    assert_non_null(strstr(stage.screen, "nothing to search"));
    key('2');
    assert_non_null(strstr(stage.screen, "/ Search"));
    key('/');
    assert_non_null(strstr(stage.screen, "search: "));
}

TEST_WITH(its_own_cost_is_told, setup, teardown)
{
    canvas_resize(&stage.c, 120, 50);
    struct app_cost *cost = app_cost(stage.a);
    for (int i = 1; i <= 3; i++) {
        cost_add(&cost->draw_us[app_view(stage.a)], 100 * i);
        cost_add(&cost->bytes, 1000 * i);
    }
    key('D');
    assert_non_null(strstr(stage.screen, "300.0 us; mean 200.0, largest 300.0"));
    assert_non_null(strstr(stage.screen, "3000.0 B; mean 2000.0, largest 3000.0"));
    assert_non_null(strstr(stage.screen, "does not answer"));
    assert_non_null(strstr(stage.screen, "sleeping ones stay asleep"));
    cost->link_answers = cost->link_slow = true;
    cost->link_bytes_per_s = 960;
    stage_look(&stage);
    assert_non_null(strstr(stage.screen, "960 B/s at least: slow"));
    key(KEY_ESCAPE);
    assert_null(strstr(stage.screen, "what rooftop itself costs"));
}

/* A key of several views is in the section of each of them, so that nobody has to look in another
 * view's section. Keys of all lists come once, before them. */
TEST_WITH(help_of_a_view_tells_all_its_keys, setup, teardown)
{
    static const struct {
        unsigned context;
        const char *title;
    } sections[] = {
        {CONTEXT_TREE, "In the execution tree"}, {CONTEXT_PLOT, "In critical path and roofline"},
        {CONTEXT_TIMELINE, "In the timeline"},   {CONTEXT_KERNELS, "In the table of kernels"},
        {CONTEXT_STEPS, "In the steps"},         {CONTEXT_REPLAY, "In the replay menu"},
        {CONTEXT_FUNCTIONS, "In hot functions"}, {CONTEXT_PROC_TREE, "In the process tree"},
    };
    canvas_resize(&stage.c, 79, 700); /* everything in one column */
    key('?');
    for (int i = 0; i < 9 && !strstr(stage.screen, sections[0].title); i++)
        key(KEY_TAB);
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        const char *at = strstr(stage.screen, sections[s].title);
        if (!at) {
            fail_msg("help has no '%s'", sections[s].title);
            return;
        }
        const char *end = strstr(at, "│  In ");
        char *part = strndup(at, end ? (size_t)(end - at) : strlen(at));
        for (size_t i = 1; i < ACTION_COUNT; i++) {
            const unsigned contexts = action_table[i].contexts;
            char start[24];
            snprintf(start, sizeof start, "%s", action_table[i].help);
            if ((contexts & sections[s].context) && !(contexts & (CONTEXT_GLOBAL | CONTEXT_LIST)) &&
                !strstr(part, start))
                fail_msg("'%s' does not tell of %s", sections[s].title, action_table[i].name);
        }
        free(part);
    }
}

TEST_WITH(help_tells_every_action, setup, teardown)
{
    bool told[ACTION_COUNT] = {false};
    canvas_resize(&stage.c, 120, 300);
    key('?');
    for (int sheet = 0; sheet < 9; sheet++, key(KEY_TAB))
        for (int i = 1; i < ACTION_COUNT; i++) {
            char part[24]; /* long lines wrap */
            snprintf(part, sizeof part, "%s", action_table[i].help);
            told[i] = told[i] || strstr(stage.screen, part);
        }
    for (int i = 1; i < ACTION_COUNT; i++)
        if (!told[i])
            fail_msg("help does not say '%s'", action_table[i].help);
}

TEST_WITH(mouse_selects_switches_and_scrolls, setup, teardown)
{
    struct rect l = list()->list;
    struct key_event ev = {.key = KEY_MOUSE_, .x = l.x + 3, .y = l.y + 4, .button = MOUSE_LEFT};
    app_key(stage.a, &ev);
    stage_look(&stage);
    assert_int_equal(list()->selected, 4);
    app_key(stage.a, &ev); /* clicked again: opens the menu of the row */
    assert_non_null(strstr(stage_look(&stage), "explain: what is known of it"));
    key(KEY_ESCAPE);
    ev.button = MOUSE_WHEEL_DOWN;
    app_key(stage.a, &ev);
    stage_look(&stage);
    assert_int_equal(list()->selected, 7);
    const char *tab = strstr(stage.screen, "2 counters");
    assert_non_null(tab);
    ev = (struct key_event){
        .key = KEY_MOUSE_, .x = (int)(tab - stage.screen), .y = 0, .button = MOUSE_LEFT};
    app_key(stage.a, &ev);
    assert_non_null(strstr(stage_look(&stage), "counters by section"));
    ev.x = ev.y = 5000;
    app_key(stage.a, &ev); /* nowhere */
}

TEST_WITH(small_screens_say_what_they_need, setup, teardown)
{
    canvas_resize(&stage.c, 39, 9);
    assert_non_null(strstr(stage_look(&stage), "40x10"));
    for (int w = 0; w < 45; w++)
        for (int h = 0; h < 15; h++) {
            canvas_resize(&stage.c, w, h);
            app_draw(stage.a, &stage.c);
        }
}

/* Random keys, sizes and machines, for the sanitizers. */
TEST_WITH(random_keys_sizes_and_machines, setup, teardown)
{
    uint32_t seed = 12345;
    static const uint32_t special[] = {
        KEY_UP_,    KEY_DOWN_, KEY_PGUP,    KEY_PGDN,  KEY_HOME_,  KEY_END_,       KEY_ESCAPE,
        KEY_ENTER_, KEY_TAB,   KEY_BACKTAB, KEY_LEFT_, KEY_RIGHT_, KEY_BACKSPACE_, KEY_MOUSE_};
    static const char *const lines[] = {":view counters\r",
                                        ":box cpus expand\r",
                                        ":preset graphs\r",
                                        ":sort memory\r",
                                        ":help sort\r",
                                        ":attach \t\r",
                                        ":theme\t",
                                        ":seek -3s\r",
                                        "\r",
                                        "b ",
                                        "bn",
                                        "2b a"};
    const char *line = "";
    const char *asked = env_get("RANDOM_STEPS"); /* more steps, for a night */
    int steps = asked ? atoi(asked) : 20000;
    for (int i = 0; i < steps; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t r = seed >> 8;
        if (i % 50 == 0)
            stage_feed(&stage, scene_names[r % 7], (int)(r / 7 % 50));
        if (i % 7 == 0)
            canvas_resize(&stage.c, (int)(r % 210), (int)(r / 211 % 60));
        struct key_event ev = {.key = r % 3 ? 32 + r % 95 : special[r / 3 % 14],
                               .x = (int)(r % 220),
                               .y = (int)(r / 3 % 70),
                               .button = 1 + (int)(r % 5)};
        if (i % 97 == 0) /* now and then a sequence that makes sense */
            line = lines[r % (sizeof lines / sizeof *lines)];
        if (*line)
            ev.key = text_next(&line);
        else if (r % 11 == 0)
            ev.key = r / 11 % 32; /* control keys */
        else if (r % 13 == 0)
            ev.key = KEY_INSERT + r / 13 % 14;
        if (i % 501 == 0)
            app_set_readonly(stage.a, i % 1002 == 0);
        app_key(stage.a, &ev);
        if (i % 3 == 0)
            app_draw(stage.a, &stage.c);
    }
}
