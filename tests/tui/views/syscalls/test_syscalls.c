/* Draws only: not for TSan. */
/* The view of system calls: its lists, when it traces, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenes.h"
#include "support/stage.h"
#include "support/syscalls_picture_scene.h"

static struct stage s;

static void open_with(enum syscalls_state state, int rounds)
{
    stage_open(&s, "vm", 120, 40, 2);
    app_set_syscalls(s.a, syscalls_picture_scene(state, rounds));
    stage_key(&s, 'Y');
}

static int teardown(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

static void expect(const char *text)
{
    if (!stage_sees(&s, text))
        fail_msg("'%s' is not in\n%s", text, s.screen);
}

static void expect_not(const char *text)
{
    if (stage_sees(&s, text))
        fail_msg("'%s' is in\n%s", text, s.screen);
}

static void m_goes_through_all_lists(void **state)
{
    static const char *const seen[][2] = {{"by call", "recvfrom"},
                                          {"by process", "reader"},
                                          {"by file and socket", "/etc/services"},
                                          {"as they come", "poll("},
                                          {"anti-patterns", "Reads of one byte"}};
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        expect(seen[i][0]);
        expect(seen[i][1]);
        stage_key(&s, 'm');
    }
    expect("by call");
}

/* Each list has its own fields: a filter of one means nothing in the next. */
static void a_filter_is_of_its_list(void **state)
{
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    stage_key(&s, 'd'); /* no anti-patterns below, which name the same things */
    stage_command(&s, "filter errors>0");
    expect("openat");
    expect_not("recvfrom");
    stage_key(&s, 'm');
    expect_not("filter '");
    expect("server");
    stage_command(&s, "filter name=reader");
    expect("reader");
    expect_not("server");
    stage_key(&s, 'm');
    stage_command(&s, "filter kind=socket");
    expect("socket 1");
    expect_not("/etc/services");
    stage_key(&s, 'm');
    stage_command(&s, "filter call=fsync and time>1ms");
    expect("fsync(5) = 0");
    expect_not("poll(");
    stage_command(&s, "filter ENOENT");
    expect("/usr/lib/none.so");
    expect_not("fsync");
}

/* The order of a list is kept while another one is shown. */
static void each_list_keeps_its_order(void **state)
{
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    stage_command(&s, "sort calls");
    expect("by calls");
    stage_key(&s, 'm');
    expect("by time");
    for (int i = 0; i < 4; i++)
        stage_key(&s, 'm');
    expect("by calls");
    char *read = strstr(s.screen, "read "), *poll = strstr(s.screen, "poll ");
    assert_true(read && poll && read < poll);
}

/* New calls come on top; the row under the cursor stays the same call. */
static void the_cursor_stays_on_its_call(void **state)
{
    char row[1024];
    int x, y;
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    for (int i = 0; i < 3; i++)
        stage_key(&s, 'm');
    stage_key(&s, 'j');
    stage_key(&s, 'j');
    stage_key(&s, 'i');
    assert_true(stage_find(&s, "explain", &x, &y));
    snprintf(row, sizeof row, "%s", s.a->state[s.a->view].selected_key);
    stage_key(&s, 0x1b);
    app_set_syscalls(s.a, syscalls_picture_scene(SYSCALLS_TRACING, 5));
    stage_look(&s);
    assert_string_equal(s.a->state[s.a->view].selected_key, row);
}

static void explain_says_what_is_known(void **state)
{
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    stage_command(&s, "sort calls");
    stage_key(&s, 'g');
    stage_key(&s, 'i');
    expect("1200 returned, of those 0 failed");
    expect("percentiles");
    stage_key(&s, 0x1b);
    for (int i = 0; i < 4; i++)
        stage_key(&s, 'm');
    stage_key(&s, 'i');
    expect("what to do");
    expect("in budgets");
    expect("one_byte_reads");
}

/* Text of the traced program never reaches the screen raw. */
static void names_of_files_are_safe(void **state)
{
    (void)state;
    open_with(SYSCALLS_TRACING, 4);
    stage_key(&s, 'm');
    stage_key(&s, 'm');
    expect("bad");
    assert_null(strchr(s.screen, '\033'));
    stage_key(&s, 'm');
    expect("\\33[31m");
    assert_null(strchr(s.screen, '\033'));
}

static void losses_and_failures_are_said(void **state)
{
    (void)state;
    open_with(SYSCALLS_FAILED, 0);
    expect("gdb traces it already");
    struct syscalls_picture *p = syscalls_picture_scene(SYSCALLS_STOPPED, 2);
    p->lost = 12;
    p->rings = 2;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    expect("12 LOST");
    expect("io_uring is used: 2 rings");
    p = syscalls_picture_scene(SYSCALLS_TRACING, 2);
    p->full = true;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    expect("memory is bounded");
}

/* --- when it traces --- */

static void the_key_asks_to_trace_a_command_and_lets_it_go(void **state)
{
    (void)state;
    stage_open(&s, "command", 120, 40, 2);
    stage_key(&s, 'Y');
    assert_true(s.asked & APP_SYSCALLS);
    assert_true(app_syscalls_wanted(s.a));
    pid_t pid;
    assert_int_equal(app_syscalls_pids(s.a, &pid, 1), 1);
    stage_key(&s, 'Y');
    assert_true(s.asked & APP_SYSCALLS);
    assert_false(app_syscalls_wanted(s.a));
}

static void without_a_target_it_says_what_to_do(void **state)
{
    (void)state;
    stage_open(&s, "vm", 120, 40, 2);
    stage_key(&s, 'Y');
    assert_false(s.asked & APP_SYSCALLS);
    expect("watch a process first");
    expect("Nothing was traced");
}

static void readonly_does_not_trace(void **state)
{
    (void)state;
    stage_open(&s, "command", 120, 40, 2);
    app_set_readonly(s.a, true);
    stage_key(&s, 'Y');
    assert_false(s.asked & APP_SYSCALLS);
    expect("--readonly");
}

/* Tab passes by without tracing, and there is no tab before something was traced. */
static void tab_does_not_trace(void **state)
{
    (void)state;
    stage_open(&s, "command", 120, 40, 2);
    expect_not("syscalls");
    for (int i = 0; i < 20; i++) {
        stage_key(&s, '\t');
        assert_false(s.asked & APP_SYSCALLS);
        assert_false(app_syscalls_shown(s.a));
    }
}

/* Paused, the picture stands still; then it shows what came meanwhile. */
static void pause_freezes_the_picture(void **state)
{
    (void)state;
    open_with(SYSCALLS_TRACING, 2);
    expect("tracing by ptrace");
    stage_key(&s, 'p');
    app_set_syscalls(s.a, syscalls_picture_scene(SYSCALLS_STOPPED, 3));
    stage_look(&s);
    expect("tracing by ptrace");
    stage_key(&s, 'p');
    stage_look(&s);
    expect("stopped by ptrace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(m_goes_through_all_lists, teardown),
        cmocka_unit_test_teardown(a_filter_is_of_its_list, teardown),
        cmocka_unit_test_teardown(each_list_keeps_its_order, teardown),
        cmocka_unit_test_teardown(the_cursor_stays_on_its_call, teardown),
        cmocka_unit_test_teardown(explain_says_what_is_known, teardown),
        cmocka_unit_test_teardown(names_of_files_are_safe, teardown),
        cmocka_unit_test_teardown(losses_and_failures_are_said, teardown),
        cmocka_unit_test_teardown(the_key_asks_to_trace_a_command_and_lets_it_go, teardown),
        cmocka_unit_test_teardown(without_a_target_it_says_what_to_do, teardown),
        cmocka_unit_test_teardown(readonly_does_not_trace, teardown),
        cmocka_unit_test_teardown(tab_does_not_trace, teardown),
        cmocka_unit_test_teardown(pause_freezes_the_picture, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
