/* Signals and nice values from the list of processes: what the question says, and what is
 * requested then. */
#include <signal.h>
#include <string.h>

#include "support/stage.h"
#include "tui/app/app_state.h"
#include "tui/overlays/confirm.h"
#include "support/test.h"

static struct stage s;

FIXTURE(setup)
{
    stage_open(&s, "procs", 100, 30, 3);
    stage_key(&s, 's'); /* sorts by memory, so that PID 1 is not the first */
    stage_key(&s, 's');
}

FIXTURE(teardown)
{
    stage_close(&s);
}

static void select_pid(const char *pid)
{
    struct error err = ERROR_INIT;
    char filter[32] = "pid=";
    assert_int_equal(app_set_filter(s.a, strcat(filter, pid), &err), 0);
    stage_key(&s, 'g');
}

static unsigned press(uint32_t key)
{
    stage_key(&s, key);
    return s.asked & APP_CONTROL;
}

TEST_WITH(signal_is_chosen_then_asked_then_sent, setup, teardown)
{
    select_pid("520");
    stage_key(&s, KEY_F9);
    assert_true(stage_sees(&s, "signal to 520 vim"));
    stage_key(&s, KEY_DOWN_);
    assert_int_equal(press(KEY_ENTER_), 0);
    assert_true(stage_sees(&s, "SIGKILL to 520 vim"));
    assert_true(stage_sees(&s, "vim src/kernel.c"));
    assert_true(press('y'));
    const struct app_control *k = app_control(s.a);
    assert_int_equal(k->kind, APP_CONTROL_SIGNAL);
    assert_int_equal(k->of[0].pid, 520);
    assert_int_equal(k->of[0].start_ticks, 520);
    assert_int_equal(k->of[0].value, SIGKILL);
    assert_true(k->agreed);
}

/* As in the question: y sends the selected signal. */
TEST_WITH(signal_is_sent_from_the_list, setup, teardown)
{
    select_pid("520");
    stage_key(&s, KEY_F9);
    stage_key(&s, KEY_DOWN_);
    assert_true(press('y'));
    const struct app_control *k = app_control(s.a);
    assert_int_equal(k->of[0].pid, 520);
    assert_int_equal(k->of[0].value, SIGKILL);
    assert_true(k->agreed);
    assert_null(s.a->overlay);
}

TEST_WITH(other_letters_in_the_list_send_nothing, setup, teardown)
{
    select_pid("520");
    stage_key(&s, KEY_F9);
    assert_int_equal(press('Y'), 0);
    assert_false(app_control(s.a)->agreed);
}

/* In a tree, ancestors of processes that pass a filter are shown too: a signal never reaches
 * them. */
TEST_WITH(ancestors_that_a_filter_keeps_are_not_selected, setup, teardown)
{
    select_pid("511");
    stage_key(&s, KEY_F5);
    assert_true(stage_sees(&s, "/sbin/init")); /* it is there, dimmed */
    assert_string_equal(s.a->state[s.a->view].selected_key, "511");
    stage_key(&s, 'g');
    assert_string_equal(s.a->state[s.a->view].selected_key, "511");
    stage_key(&s, KEY_UP_);
    assert_string_equal(s.a->state[s.a->view].selected_key, "511");
    stage_key(&s, KEY_F9);
    assert_true(stage_sees(&s, "signal to 511 cc1"));
}

TEST_WITH(any_other_key_sends_nothing, setup, teardown)
{
    static const uint32_t keys[] = {'n', KEY_ENTER_, KEY_ESCAPE, ' ', 'Y'};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        select_pid("520");
        stage_key(&s, KEY_F9);
        stage_key(&s, KEY_ENTER_);
        assert_true(s.a->overlay == &overlay_confirm);
        assert_int_equal(press(keys[i]), 0);
        assert_false(app_control(s.a)->agreed);
        assert_null(s.a->overlay);
    }
}

static unsigned command(const char *line, struct error *err)
{
    *err = (struct error)ERROR_INIT;
    return app_command(s.a, line, err);
}

TEST_WITH(kill_takes_names_and_numbers, setup, teardown)
{
    struct error err;
    command("kill HUP 511", &err);
    assert_int_equal(err.kind, ERROR_NONE);
    assert_true(s.a->overlay == &overlay_confirm);
    assert_string_equal(s.a->confirm.what, "SIGHUP to 511 cc1");
    stage_key(&s, 'n');
    select_pid("500");
    command("kill sigint", &err);
    assert_string_equal(s.a->confirm.what, "SIGINT to 500 make");
    stage_key(&s, 'n');
    command("kill TREM 511", &err);
    assert_non_null(strstr(err.help, "TERM"));
    assert_null(s.a->overlay);
    command("kill TERM 12345", &err);
    assert_int_equal(err.kind, ERROR_TARGET);
    command("kill TERM x", &err);
    assert_int_equal(err.kind, ERROR_USAGE);
    command("kill TERM 17", &err);
    assert_string_equal(err.why, "17 ksoftirqd/0 is a kernel thread");
    assert_null(s.a->overlay);
}

TEST_WITH(nice_asks_once_a_process, setup, teardown)
{
    const struct app_control *k = app_control(s.a);
    struct error err;
    select_pid("511");
    assert_int_equal(press(KEY_F8), 0);
    assert_string_equal(s.a->confirm.what, "nice 6 instead of 5 for 511 cc1");
    assert_true(press('y'));
    assert_int_equal(k->of[0].value, 6);
    assert_true(press(KEY_F8)); /* the list still shows 5 */
    assert_int_equal(k->of[0].value, 7);
    assert_true(press(KEY_F7));
    assert_int_equal(k->of[0].value, 6);
    select_pid("500"); /* for another process the question is asked again */
    assert_int_equal(press(KEY_F7), 0);
    assert_string_equal(s.a->confirm.what, "nice 4 instead of 5 for 500 make");
    stage_key(&s, 'n');
    command("nice 19 520", &err);
    assert_string_equal(s.a->confirm.what, "nice 19 instead of 0 for 520 vim");
    stage_key(&s, 'y');
    assert_int_equal(k->of[0].value, 19);
    assert_true(stage_sees(&s, "processes"));
    command("nice 20 520", &err);
    assert_int_equal(err.kind, ERROR_USAGE);
    command("nice x", &err);
    assert_int_equal(err.kind, ERROR_USAGE);
}

static void tag(const char *pid)
{
    select_pid(pid);
    stage_key(&s, 'x');
}

TEST_WITH(what_is_tagged_is_meant, setup, teardown)
{
    const struct app_control *k = app_control(s.a);
    struct error err;
    tag("520");
    tag("511");
    tag("500");
    tag("511"); /* it is no longer tagged */
    tag("17");  /* a kernel thread */
    select_pid("410");
    assert_int_equal(app_set_filter(s.a, "", &err), 0);
    stage_key(&s, 'g');
    assert_true(stage_sees(&s, "✓"));
    stage_key(&s, KEY_F9);
    assert_true(stage_sees(&s, "signal to 2 tagged processes"));
    stage_key(&s, KEY_ENTER_);
    assert_string_equal(s.a->confirm.what, "SIGTERM to 2 tagged processes");
    assert_string_equal(s.a->confirm.about, "500 make, 520 vim");
    assert_true(press('y'));
    assert_int_equal(k->n, 2);
    assert_int_equal(k->of[0].pid, 500);
    assert_int_equal(k->of[1].pid, 520);
    assert_int_equal(k->of[1].start_ticks, 520);
    assert_int_equal(k->of[1].value, SIGTERM);
    assert_int_equal(press(KEY_F8), 0); /* each is changed from its own value */
    assert_string_equal(s.a->confirm.what, "+1 to the nice value of 2 tagged processes");
    assert_true(press('y'));
    assert_int_equal(k->of[0].value, 6);
    assert_int_equal(k->of[1].value, 1);
    assert_true(press(KEY_F8));
    assert_int_equal(k->of[0].value, 7);
    assert_int_equal(k->of[1].value, 2);
    command("kill HUP 511", &err); /* only the named process, not those that are tagged */
    assert_string_equal(s.a->confirm.what, "SIGHUP to 511 cc1");
    stage_key(&s, 'n');
    stage_key(&s, 'U');
    select_pid("520");
    command("kill HUP", &err);
    assert_string_equal(s.a->confirm.what, "SIGHUP to 520 vim");
}

TEST_WITH(readonly_and_recordings_refuse, setup, teardown)
{
    struct error err;
    select_pid("520");
    app_set_readonly(s.a, true);
    stage_key(&s, KEY_F9);
    assert_null(s.a->overlay);
    assert_non_null(strstr(s.a->message, "--readonly"));
    stage_key(&s, KEY_F8);
    assert_null(s.a->overlay);
    assert_non_null(strstr(s.a->message, "--readonly"));
    command("kill TERM 520", &err);
    assert_int_equal(err.kind, ERROR_PERMISSION);
    command("nice 5 520", &err);
    assert_int_equal(err.kind, ERROR_PERMISSION);
    app_set_readonly(s.a, false);
    s.a->model.playback = true;
    command("nice 5 520", &err);
    assert_non_null(strstr(err.why, "recording"));
    stage_key(&s, KEY_F9);
    assert_null(s.a->overlay);
}
