/* Draws only: not for TSan. */
/* The boxes of a view: shown, hidden, expanded, and presets. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support/scenes.h"
#include "support/stage.h"
#include "tui/input/presets.h"
#include "support/test.h"

static struct stage s;

FIXTURE(zen4)
{
    stage_open(&s, "zen4", 160, 48, 4);
}

FIXTURE(teardown)
{
    stage_close(&s);
}

static struct view_state *st(void)
{
    return &s.a->state[s.a->view];
}

TEST_WITH(letters_are_unique_in_their_view, zen4, teardown)
{
    for (int v = 0; views[v]; v++)
        for (const struct view_box *b = views[v]->boxes; b && b->name; b++) {
            assert_true(islower((unsigned char)b->letter) && b->what[0]);
            if (strchr("hjkq", b->letter)) /* these letters move in the picker, and close it */
                fail_msg("box %s of %s has '%c'", b->name, views[v]->name, b->letter);
            for (const struct view_box *o = views[v]->boxes; o < b; o++)
                if (o->letter == b->letter || strcmp(o->name, b->name) == 0)
                    fail_msg("%s: two boxes '%c' %s", views[v]->name, b->letter, b->name);
        }
}

/* The letter of each box expands it to the whole view; Esc or e undoes that. */
TEST_WITH(every_box_expands_and_comes_back, zen4, teardown)
{
    static const char *const titles[] = {
        "─ cpu ",         "─ memory ",      "─ g IPC ",
        "─ w ",           "─ cpus ",        "memory, network, disks ",
        "─ key numbers ", "─ top-down ",    "─ bricks ",
        "─ x gpus ",      "─ processes by "};
    for (int i = 0; i < BOX_COUNT; i++) {
        stage_key(&s, 'b');
        assert_true(stage_sees(&s, "─ boxes of this view ─"));
        stage_key(&s, (unsigned char)views[view_named("overview")]->boxes[i].letter);
        assert_int_equal(st()->expanded, i + 1);
        if (!stage_sees(&s, titles[i]))
            fail_msg("%s\n%s", titles[i], s.screen);
        for (int k = 0; k < BOX_COUNT; k++)
            if (k != i && stage_sees(&s, titles[k]))
                fail_msg("%s is still there beside %s\n%s", titles[k], titles[i], s.screen);
        stage_key(&s, i % 2 ? 'e' : KEY_ESCAPE);
        assert_int_equal(st()->expanded, 0);
        assert_true(stage_sees(&s, titles[0]) && stage_sees(&s, titles[BOX_PROCS]));
    }
    stage_key(&s, 'e'); /* the one that was expanded last */
    assert_int_equal(st()->expanded, BOX_PROCS + 1);
}

TEST_WITH(boxes_are_hidden_and_shown, zen4, teardown)
{
    stage_key(&s, 'b');
    stage_key(&s, ' '); /* cpu, the first */
    stage_key(&s, KEY_ESCAPE);
    assert_false(stage_sees(&s, "─ cpu "));
    assert_true(stage_sees(&s, "─ memory "));
    stage_command(&s, "box cpu show");
    assert_true(stage_sees(&s, "─ cpu "));
    stage_command(&s, "box processes hide");
    assert_false(stage_sees(&s, "─ processes by "));
    assert_int_equal(st()->rows, 0);
    stage_key(&s, 'a'); /* no row is shown, so there is none to attach to */
    assert_int_equal(s.asked & APP_ATTACH, 0);
    stage_key(&s, KEY_ENTER_);
    assert_null(s.a->overlay);
    stage_command(&s, "box processes"); /* without a name: the current one */
    assert_int_equal(st()->expanded, BOX_PROCS + 1);
}

TEST_WITH(the_last_box_stays, zen4, teardown)
{
    for (int i = 0; i < BOX_COUNT - 1; i++)
        assert_true(app_box_set(s.a, i, 'h'));
    assert_false(app_box_set(s.a, BOX_PROCS, 'h'));
    stage_command(&s, "box processes hide");
    assert_true(stage_sees(&s, "it is the last one shown"));
    assert_true(st()->rows > 0);
}

TEST_WITH(presets_go_round, zen4, teardown)
{
    size_t n = 0;
    struct error err = ERROR_INIT;
    while (preset_table[n].name)
        n++;
    assert_true(n >= 4);
    for (size_t i = 0; n > 0 && i <= n; i++) {
        stage_key(&s, 'P');
        char said[64];
        snprintf(said, sizeof said, "preset %s", preset_table[i % n].name);
        if (!stage_sees(&s, said))
            fail_msg("not '%s'\n%s", said, s.screen);
    }
    assert_int_equal(st()->hidden, 0); /* all boxes again */
    stage_command(&s, "preset processes");
    assert_false(stage_sees(&s, "─ cpu "));
    assert_true(stage_sees(&s, "─ processes by "));
    stage_command(&s, "preset graphs");
    assert_true(stage_sees(&s, "─ cpu ") && !stage_sees(&s, "─ processes by "));
    stage_command(&s, "preset counters");
    assert_true(stage_sees(&s, "counters by section"));
    /* presets of the configuration come before the built-in ones, and wrong names are reported */
    static const struct preset mine[] = {{"mine", "overview: memory; counters: events"},
                                         {"bad", "overview: memroy"}};
    app_set_presets(s.a, mine, 2);
    stage_command(&s, "preset mine");
    assert_true(stage_sees(&s, "─ memory ") && !stage_sees(&s, "─ cpu "));
    int counters = 0;
    while (strcmp(views[counters]->name, "counters") != 0)
        counters++;
    assert_int_equal(s.a->state[counters].hidden, 13); /* metrics, absent, ports */
    assert_true(app_preset_apply(s.a, &mine[1], &err) < 0);
    assert_non_null(strstr(err.why, "memroy"));
    stage_key(&s, 'P');
    assert_true(stage_sees(&s, "preset bad") || stage_sees(&s, "preset 'bad'"));
}

TEST_WITH(parts_of_the_counters, zen4, teardown)
{
    stage_key(&s, '2');
    int all = st()->rows;
    stage_key(&s, 'b');
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "metrics by section"));
    int metrics = st()->rows;
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "box events expand");
    int events = st()->rows;
    stage_key(&s, 'e');
    stage_command(&s, "box ports expand");
    assert_true(stage_sees(&s, "ports by section") && stage_sees(&s, "D fp ops"));
    assert_true(stage_sees(&s, "ports_memory events"));
    assert_false(stage_sees(&s, "IPC ") || stage_sees(&s, "core events"));
    int ports = st()->rows;
    stage_key(&s, 'e');
    enum { IN_RATES = 12 }; /* events whose count stands in the row of their rate */
    assert_int_equal(metrics + events + ports - IN_RATES, all);
    stage_command(&s, "box absent hide");
    assert_true(st()->rows < all);
}

/* Events that the user named are shown even if they could not be counted; events of the default
 * sets that are missing are hidden. */
TEST_WITH(events_of_the_user_are_never_put_away, zen4, teardown)
{
    struct snapshot *snap = scene("vm", 3);
    static const char *const sets[] = {"user", "lacking"};
    for (int i = 0; i < 2; i++) {
        struct counter *k = snapshot_add_counter(snap);
        *k = (struct counter){.name = i ? "nobody_asked" : "asked_for",
                              .spec = "",
                              .desc = "",
                              .source = "perf",
                              .set = sets[i],
                              .user = i == 0,
                              .group = -1,
                              .rate = value_missing("no PMU here", UNIT_COUNT),
                              .delta = value_missing("no PMU here", UNIT_COUNT)};
    }
    canvas_resize(&s.c, 120, 250);
    app_update(s.a, snap);
    stage_key(&s, '2');
    stage_command(&s, "box absent show");
    assert_true(stage_sees(&s, "asked_for") && stage_sees(&s, "nobody_asked"));
    stage_command(&s, "box absent hide");
    assert_true(stage_sees(&s, "asked_for"));
    assert_false(stage_sees(&s, "nobody_asked"));
    stage_key(&s, '1'); /* go there before the counters are freed */
    stage_feed(&s, "vm", 4);
    snapshot_unref(snap);
}

TEST_WITH(no_two_sections_have_one_title, zen4, teardown)
{
    static const char *const machines[] = {"vm", "zen4"};
    canvas_resize(&s.c, 120, 250);
    stage_key(&s, '2');
    for (size_t i = 0; i < 2; i++) {
        char seen[64][32];
        int n = 0;
        stage_feed(&s, machines[i], 5);
        for (int y = 0; y < 248; y++) {
            const char *row = stage_row(&s, y), *line = strstr(row, " ───");
            if (!line || strncmp(row, "│", 3) != 0 || n == 64)
                continue;
            snprintf(seen[n], sizeof seen[n], "%.*s", (int)(line - row - 3), row + 3);
            for (int k = 0; k < n; k++)
                assert_string_not_equal(seen[k], seen[n]);
            n++;
        }
        assert_true(n > 5);
    }
}

/* Every combination of hidden boxes at every size: no overlap, and everything on the screen. */
TEST(layouts_of_every_choice)
{
    for (int w = 40; w < 220; w += 30)
        for (int h = 8; h < 60; h += 9)
            for (unsigned hidden = 0; hidden < 255; hidden++)
                for (int expanded = 0; expanded <= BOX_COUNT; expanded += 3) {
                    struct overview_layout o;
                    struct rect area = {0, 1, w, h};
                    layout_overview(area,
                                    &(struct overview_facts){.cpu_rows = 3,
                                                             .nmetrics = 12,
                                                             .topdown = true,
                                                             .hidden = hidden,
                                                             .expanded = expanded},
                                    &o);
                    struct rect all[] = {o.host, o.graph[0], o.graph[1], o.graph[2], o.graph[3],
                                         o.cpus, o.metrics,  o.topdown,  o.procs};
                    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
                        struct rect r = all[i];
                        if (r.h == 0)
                            continue;
                        assert_true(r.x >= 0 && r.y >= 1 && r.x + r.w <= w && r.y + r.h <= h + 1);
                        for (size_t k = 0; k < i; k++)
                            assert_true(all[k].h == 0 || all[k].x + all[k].w <= r.x ||
                                        r.x + r.w <= all[k].x || all[k].y + all[k].h <= r.y ||
                                        r.y + r.h <= all[k].y);
                    }
                }
}

/* If there is no room for a graph of all CPUs, the line below has the totals. */
TEST_WITH(many_cpus_leave_room_for_the_totals, zen4, teardown)
{
    canvas_resize(&s.c, 80, 24);
    stage_feed(&s, "many", 3);
    assert_true(stage_sees(&s, "512 cpus ") && stage_sees(&s, "memory 2"));
    assert_true(stage_sees(&s, "processes by"));
}
