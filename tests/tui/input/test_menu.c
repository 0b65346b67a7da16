/* Draws only: not for TSan. */
/* The menu of a row, by key and by mouse. */
#include <stdio.h>
#include <string.h>

#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(vm)
{
    stage_open(&s, "vm", 120, 40, 3);
}

FIXTURE(teardown)
{
    stage_close(&s);
}

static const struct view_state *list(void)
{
    return &s.a->state[s.a->view];
}

static const struct menu_entry *entry(char letter)
{
    for (int i = 0; i < s.a->menu.n; i++)
        if (s.a->menu.entries[i].letter == letter)
            return &s.a->menu.entries[i];
    fail_msg("no entry '%c'", letter);
    return NULL;
}

TEST_WITH(letters_are_unique_and_no_keys_of_lists, vm, teardown)
{
    static const char *const views_[] = {"1", "2"};
    for (size_t v = 0; v < 2; v++) {
        stage_type(&s, views_[v]);
        stage_key(&s, 'j');
        stage_key(&s, KEY_ENTER_);
        assert_true(s.a->overlay == &overlay_menu);
        assert_true(s.a->menu.n > 4);
        for (int i = 0; i < s.a->menu.n; i++) {
            const struct menu_entry *e = &s.a->menu.entries[i];
            if (strchr("hjkgGq?:", e->letter))
                fail_msg("'%c' moves or leaves", e->letter);
            for (int k = 0; k < i; k++)
                if (s.a->menu.entries[k].letter == e->letter)
                    fail_msg("two entries have '%c'", e->letter);
            assert_true(e->label[0] != '\0');
            assert_true((e->action != ACTION_NONE) != (e->command[0] != '\0') || e->copy);
        }
        stage_key(&s, KEY_ESCAPE);
        assert_null(s.a->overlay);
    }
}

TEST_WITH(explain_and_attach, vm, teardown)
{
    stage_key(&s, 'j');
    stage_key(&s, KEY_ENTER_);
    assert_non_null(strstr(s.a->menu.title, "38 "));
    assert_true(stage_sees(&s, s.a->menu.title));
    stage_key(&s, 'i');
    assert_true(stage_sees(&s, "─ explain ─"));
    assert_true(stage_sees(&s, "38, parent"));
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'a');
    assert_int_equal(s.asked & APP_ATTACH, APP_ATTACH);
    assert_int_equal(app_attach_pid(s.a), 38);
    assert_null(s.a->overlay);
}

/* The menu's cursor moves to an entry, and Enter carries it out. */
TEST_WITH(entries_are_chosen_with_the_cursor, vm, teardown)
{
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, KEY_UP_); /* wraps around to the last */
    assert_int_equal(s.a->overlay_state.selected, s.a->menu.n - 1);
    stage_key(&s, KEY_DOWN_);
    assert_int_equal(s.a->overlay_state.selected, 0);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "─ explain ─"));
}

/* The list keeps changing its order under the menu: the action applies to the row for which it was
 * opened. */
TEST_WITH(it_is_about_its_row_whatever_the_list_does, vm, teardown)
{
    stage_key(&s, 'j');
    char pid[VIEW_TEXT_MAX];
    snprintf(pid, sizeof pid, "%s", list()->selected_key);
    stage_key(&s, KEY_ENTER_);
    s.a->state[s.a->view].sort = 4; /* by PID, reversed */
    s.a->state[s.a->view].reverse = true;
    stage_feed(&s, "vm", 4);
    assert_string_equal(s.a->overlay_key, pid);
    stage_key(&s, 'a');
    char attached[16];
    snprintf(attached, sizeof attached, "%d", app_attach_pid(s.a));
    assert_string_equal(attached, pid);
}

TEST_WITH(a_row_that_is_gone_can_no_longer_be_acted_on, vm, teardown)
{
    stage_key(&s, 'j');
    stage_key(&s, KEY_ENTER_);
    stage_feed(&s, "empty", 0);
    assert_true(stage_sees(&s, "it is not here any more"));
    stage_key(&s, 'a');
    assert_int_equal(s.asked & APP_ATTACH, 0);
    stage_feed(&s, "vm", 5);
}

TEST_WITH(what_cannot_be_done_says_why, vm, teardown)
{
    app_set_readonly(s.a, true);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "started with --readonly"));
    assert_string_equal(entry('a')->why_not, "started with --readonly");
    stage_key(&s, 'a');
    assert_int_equal(s.asked & APP_ATTACH, 0);
    assert_non_null(s.a->overlay); /* the menu stays and shows the reason */
    assert_true(strstr(s.a->message, "--readonly") != NULL);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, 'a'); /* its key does not carry it out, either */
    assert_int_equal(s.asked & APP_ATTACH, 0);
    assert_true(stage_sees(&s, "--readonly"));
    stage_key(&s, 'w');
    assert_true(s.a->prompt == PROMPT_NONE);
    app_set_readonly(s.a, false);
    s.a->model.playback = true;
    stage_key(&s, KEY_ENTER_);
    assert_true(strstr(entry('a')->why_not, "recording") != NULL);
}

TEST_WITH(filter_copy_and_sort, vm, teardown)
{
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'f');
    assert_int_equal(list()->rows, 1);
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'y');
    assert_int_equal(s.asked & APP_COPY, APP_COPY);
    assert_non_null(strstr(app_copied(s.a), "pid 1 "));
    assert_non_null(strstr(app_copied(s.a), "/usr/bin/gemm"));
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'p');
    assert_string_equal(app_copied(s.a), "1");
    stage_key(&s, 'y'); /* by key, without the menu */
    assert_non_null(strstr(app_copied(s.a), "pid 1 "));
    /* what is copied must be a single line without invisible characters, because it may be pasted
     * into a shell */
    assert_int_equal(app_copy(s.a, "k\nrm x\033[201~\xc2\x9b\xe2\x80\xae\xe2\x80\x8b\xff"),
                     APP_REDRAW | APP_COPY);
    assert_string_equal(app_copied(s.a), "k?rm x?[201~????");
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 't'); /* asks for the column */
    assert_true(s.a->overlay == &overlay_palette);
    stage_type(&s, "mem");
    stage_key(&s, KEY_TAB);
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "processes by memory"));
}

TEST_WITH(following_is_marked_and_ends_with_the_cursor, vm, teardown)
{
    stage_key(&s, 'j');
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'F');
    assert_true(list()->pinned);
    assert_true(stage_sees(&s, "◆"));
    char pid[VIEW_TEXT_MAX];
    snprintf(pid, sizeof pid, "%s", list()->selected_key);
    stage_key(&s, 'r'); /* sorts differently */
    assert_string_equal(list()->selected_key, pid);
    stage_key(&s, 'k');
    assert_false(list()->pinned);
    assert_false(stage_sees(&s, "◆"));
    stage_key(&s, 'F');
    assert_true(list()->pinned);
    stage_key(&s, KEY_ESCAPE);
    assert_false(list()->pinned);
}

/* Names are quoted in filters, whatever they contain. */
TEST_WITH(filters_of_hostile_names, vm, teardown)
{
    stage_close(&s);
    stage_open(&s, "hostile", 120, 40, 3);
    for (int i = 0; i < list()->rows; i++) {
        char key[VIEW_TEXT_MAX];
        snprintf(key, sizeof key, "%s", list()->selected_key);
        for (const char *l = "nuf"; *l; l++) {
            stage_key(&s, KEY_ENTER_);
            bool can = !entry(*l)->why_not[0];
            stage_key(&s, (unsigned char)*l);
            if (s.a->overlay || !can) {
                stage_key(&s, KEY_ESCAPE);
                continue;
            }
            if (s.a->message_is_error && s.a->message[0])
                fail_msg("row %d, '%c': %s", i, *l, s.a->message);
            assert_true(list()->rows >= 1);
            assert_string_equal(list()->selected_key, key);
            stage_key(&s, KEY_ESCAPE);
        }
        stage_key(&s, 'j');
    }
}

TEST_WITH(of_counters_and_metrics, vm, teardown)
{
    stage_key(&s, '2');
    stage_key(&s, KEY_ENTER_);
    stage_key(&s, 'v');
    assert_int_equal(s.asked & APP_COPY, APP_COPY);
    assert_true(app_copied(s.a)[0] >= '0' && app_copied(s.a)[0] <= '9');
    stage_key(&s, 'G'); /* something that this machine does not have */
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(entry('v')->why_not, "it was not measured");
    stage_key(&s, 's');
    assert_true(list()->filter[0] != '\0');
    assert_true(list()->rows > 0);
}

TEST_WITH(it_stays_inside_small_screens, vm, teardown)
{
    for (int w = 40; w < 90; w += 7)
        for (int h = 10; h < 30; h++) {
            canvas_resize(&s.c, w, h);
            stage_look(&s);
            stage_key(&s, KEY_ENTER_);
            stage_key(&s, 'G');
            stage_key(&s, KEY_ESCAPE);
        }
}
