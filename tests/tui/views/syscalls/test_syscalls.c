/* Draws only: not for TSan. */
/* The view of system calls: its lists, when it traces, and what it says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/proc_rows.h"
#include "engine/syscalls/snapshot/calls_profile.h"
#include "engine/syscalls/snapshot/gather.h"
#include "support/scenes.h"
#include "support/stage.h"
#include "support/syscalls_snapshot_scene.h"
#include "support/test.h"

static struct stage s;

static void open_with(enum syscalls_state state, int rounds)
{
    stage_open(&s, "vm", 120, 40, 2);
    app_set_syscalls(s.a, syscalls_snapshot_scene(state, rounds));
    stage_key(&s, 'Y');
}

FIXTURE(teardown)
{
    stage_close(&s);
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

TEST_WITH(m_goes_through_all_lists, NULL, teardown)
{
    static const char *const seen[][2] = {{"by call", "recvfrom"},
                                          {"by process", "reader"},
                                          {"by file and socket", "/etc/services"},
                                          {"as they come", "poll("},
                                          {"anti-patterns", "Reads of one byte"}};
    open_with(SYSCALLS_TRACING, 4);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        expect(seen[i][0]);
        expect(seen[i][1]);
        stage_key(&s, 'm');
    }
    expect("by call");
}

/* poll has most of the time and costs nothing: it is the last row, says so, and so does the head.
 */
TEST_WITH(calls_that_wait_are_below_those_that_cost, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 4);
    expect(" waiting");
    const char *poll = strstr(s.screen, "\u2502 poll "), *fsync = strstr(s.screen, "\u2502 fsync ");
    if (!poll || !fsync || poll < fsync)
        fail_msg("poll is not below fsync:\n%s", s.screen);
    const char *waits = poll ? strstr(poll, "waits") : NULL;
    if (!waits || memchr(poll, '\n', (size_t)(waits - poll)))
        fail_msg("it does not say that poll waits:\n%s", s.screen);
}

/* Each list has its own fields: a filter of one means nothing in the next. */
TEST_WITH(a_filter_is_of_its_list, NULL, teardown)
{
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
TEST_WITH(each_list_keeps_its_order, NULL, teardown)
{
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
TEST_WITH(the_cursor_stays_on_its_call, NULL, teardown)
{
    char row[1024];
    int x, y;
    open_with(SYSCALLS_TRACING, 4);
    for (int i = 0; i < 3; i++)
        stage_key(&s, 'm');
    stage_key(&s, 'j');
    stage_key(&s, 'j');
    stage_key(&s, 'i');
    assert_true(stage_find(&s, "explain", &x, &y));
    snprintf(row, sizeof row, "%s", s.a->state[s.a->view].selected_key);
    stage_key(&s, 0x1b);
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_TRACING, 5));
    stage_look(&s);
    assert_string_equal(s.a->state[s.a->view].selected_key, row);
}

/* Single calls go by; a chosen one stays, with all that is said of it, until the cursor is back. */
TEST_WITH(a_chosen_call_holds_the_list, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 4);
    for (int i = 0; i < 3; i++)
        stage_key(&s, 'm');
    expect_not("stands still");
    stage_key(&s, 'j');
    expect("stands still");
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_TRACING, 40));
    stage_key(&s, 'i');
    expect_not("not here any more");
    stage_key(&s, 0x1b);
    expect("1230 calls");
    stage_key(&s, 'g');
    stage_look(&s);
    expect_not("1230 calls");
    expect_not("stands still");
}

/* What is behind the call is seen without another key: who made it, and its whole text. */
TEST_WITH(a_single_call_is_shown_in_full, NULL, teardown)
{
    stage_open(&s, "vm", 80, 24, 2);
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_TRACING, 4));
    stage_key(&s, 'Y');
    for (int i = 0; i < 3; i++)
        stage_key(&s, 'm');
    expect("PROGRAM");
    expect("server, process 202, thread 202, at ");
    expect(", took 40.0 ms");
    stage_key(&s, 'd');
    expect_not("server, process 202");
}

/* Where a call came from: below the list as much as fits, the rest in its explanation. */
TEST_WITH(a_calls_stack_is_shown, NULL, teardown)
{
    static struct syscall_frame frames[12];
    const struct syscall_frame *places[12];
    char names[12][16];
    for (int i = 0; i < 12; i++) {
        snprintf(names[i], sizeof names[i], "func\033%d", i);
        frames[i] = (struct syscall_frame){
            .function = names[i], .module = "/bin/prog", .file = "/src/a.c", .line = 100 + i};
        places[i] = &frames[i];
    }
    const struct syscall_stack stack = {.n = 12, .frames = places};
    struct syscall_event e = {.kind = SYSCALL_CALL,
                              .abi = SYSCALL_X86_64,
                              .pid = 1,
                              .tid = 1,
                              .number = 39,
                              .begin_ns = 1000,
                              .end_ns = 2000,
                              .result = 1,
                              .stack = &stack};
    struct syscalls_gather *g = syscalls_gather_new(&syscalls_limits_live);
    syscalls_gather_add(g, &e);
    struct syscalls_snapshot *p = syscalls_gather_snapshot(g, 0);
    syscalls_gather_free(g);
    memset(frames, 0, sizeof frames); /* the picture has its own */
    p->state = SYSCALLS_SAVED;
    calls_profile_add(p);
    stage_open(&s, "vm", 80, 24, 2);
    app_set_syscalls(s.a, p);
    stage_key(&s, 'Y');
    for (int i = 0; i < 4; i++)
        stage_key(&s, 'm');
    expect("(a.c:100)");
    expect("more: i shows them");
    expect_not("(a.c:111)");
    assert_null(strchr(s.screen, '\033'));
    stage_key(&s, 'i');
    stage_key(&s, 'G');
    expect("(a.c:111)");
}

static void open_with_origins(int cols, int rows)
{
    stage_open(&s, "vm", cols, rows, 2);
    app_set_syscalls(s.a, syscalls_stacks_scene());
    stage_key(&s, 'Y');
}

/* Below the list of calls: which functions made the selected one, and how much of it each. */
TEST_WITH(a_call_says_where_it_came_from, NULL, teardown)
{
    open_with_origins(80, 24);
    expect("WHERE write CAME FROM");
    expect(" 80.0 %   4.00 us      10x  load (b.c:70)");
    expect(" 20.0 %   1.00 us      10x  save?[7m (a.c:7) < run < main");
    assert_null(strchr(s.screen, '\033'));
    stage_key(&s, 'j');
    expect("WHERE fsync CAME FROM");
    expect("100.0 %   2.00 us      20x  save?[7m (a.c:7)");
    stage_key(&s, 'd');
    expect_not("CAME FROM");
}

/* The view of functions shows the stacks of an opened trace: by time, by number, as a flame graph.
 */
TEST_WITH(functions_are_those_of_the_opened_trace, NULL, teardown)
{
    open_with_origins(100, 30);
    stage_key(&s, 'f');
    expect("functions in system calls: flat list");
    expect("40 system calls, 7.00 us in them");
    expect("by time in calls");
    expect("   71.4     71.4  5.00 us k write");
    expect("    0.0     57.1      0 s   load");
    stage_key(&s, ']');
    expect("by calls");
    expect("   50.0     50.0       20 k write");
    expect("    0.0     75.0        0   save?[7m");
    stage_key(&s, '[');
    stage_key(&s, 'm');
    expect("TIME CALLED FUNCTION");
    stage_key(&s, 'm');
    expect("width: share of the time in calls");
    assert_null(strchr(s.screen, '\033'));
    stage_key(&s, 'F');
    expect("only what runs can be sampled");
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_TRACING, 2));
    stage_look(&s);
    expect("hot functions: "); /* of what runs, samples */
}

/* c opens the list of one call's origins, and goes back to the call; m shows those of all calls. */
TEST_WITH(c_shows_the_origins_of_a_call, NULL, teardown)
{
    open_with_origins(100, 30);
    stage_key(&s, 'j');
    stage_key(&s, 'c');
    expect("system calls: where fsync came from");
    expect("save?[7m (a.c:7) < run < main");
    expect("fsync: its stack");
    expect_not("load (b.c:70)");
    stage_key(&s, 'c');
    expect("WHERE fsync CAME FROM"); /* the cursor is where it was */
    stage_key(&s, 'm');
    expect("system calls: where they came from");
    expect("load (b.c:70)");
    expect("save?[7m (a.c:7) < run < main");
    stage_command(&s, "filter source~b.c and calls=10");
    expect_not("save?[7m");
    stage_command(&s, "sort calls");
    expect("by calls");
    stage_key(&s, 'i');
    expect("/src/b.c:70");
    assert_null(strchr(s.screen, '\033'));
}

/* Each column of each list has an order. */
TEST(each_column_of_calls_can_be_sorted)
{
    for (int list = 0; list < SYSCALLS_LISTS; list++) {
        const struct list_field *columns[FIELDS_MAX];
        const int n = list_fields(syscalls_lists[list].fields, FIELD_COLUMNS, columns);
        for (int i = 0; i < n; i++)
            if (!columns[i]->sort.at && !columns[i]->column.sort)
                fail_msg("%s: no order by %s", syscalls_lists[list].name, columns[i]->name);
    }
}

/* However small the screen is, lists stay inside the frame. */
TEST_WITH(nothing_is_drawn_beside_the_frame, NULL, teardown)
{
    stage_open(&s, "vm", 40, 10, 2);
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_TRACING, 4));
    stage_key(&s, 'Y');
    for (int list = 0; list < 5; list++) {
        for (int y = 2; y < 8; y++)
            if (s.c.cells[y * s.c.cols + 39].ch != 0x2502)
                fail_msg("list %d, row %d of\n%s", list, y, s.screen);
        stage_key(&s, 'm');
    }
}

/* The newest part of the time line is short: a rate is the mean of the last second. */
TEST_WITH(the_rate_is_that_of_a_second, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 4);
    struct syscalls_snapshot *p = syscalls_snapshot_scene(SYSCALLS_TRACING, 4);
    p->rates = (struct syscalls_rates){.begin_ns = p->begin_ns, .width_ns = 10000000, .n = 200};
    p->end_ns = p->begin_ns + 2000000000;
    for (int i = 0; i < 150; i++)
        p->rates.calls[i] = 8;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    expect("calls 400 /s");
}

TEST_WITH(explain_says_what_is_known, NULL, teardown)
{
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
    expect("god_process");
}

TEST_WITH(explain_without_times_has_no_share_of_them, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 4);
    struct syscalls_snapshot *p = syscalls_snapshot_scene(SYSCALLS_TRACING, 4);
    p->has_times = false;
    for (size_t i = 0; i < p->ncalls; i++)
        p->calls[i].share = p->calls[i].mean = p->calls[i].p50 = p->calls[i].p90 = NAN;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    stage_key(&s, 'g');
    stage_key(&s, 'i');
    expect("n/a: the trace has no times");
    expect_not("of the time in all calls");
}

/* Text of the traced program never reaches the screen raw. */
TEST_WITH(names_of_files_are_safe, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 4);
    stage_key(&s, 'm');
    stage_key(&s, 'm');
    expect("bad");
    assert_null(strchr(s.screen, '\033'));
    stage_key(&s, 'm');
    expect("\\33[31m");
    assert_null(strchr(s.screen, '\033'));
}

TEST_WITH(losses_and_failures_are_said, NULL, teardown)
{
    open_with(SYSCALLS_FAILED, 0);
    expect("gdb traces it already");
    struct syscalls_snapshot *p = syscalls_snapshot_scene(SYSCALLS_STOPPED, 2);
    p->lost = 12;
    p->rings = 2;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    expect("12 LOST");
    expect("io_uring is used: 2 rings");
    p = syscalls_snapshot_scene(SYSCALLS_TRACING, 2);
    p->full = true;
    app_set_syscalls(s.a, p);
    stage_look(&s);
    expect("the limit of memory is reached");
}

/* --- when it traces --- */

TEST_WITH(the_key_asks_to_trace_a_command_and_lets_it_go, NULL, teardown)
{
    stage_open(&s, "command", 120, 40, 2);
    stage_key(&s, 'Y');
    assert_true(s.asked & APP_SYSCALLS);
    assert_true(app_tracing(s.a));
    pid_t pid;
    assert_int_equal(proc_rows_watched(app_newest(s.a), &pid, 1), 1);
    stage_key(&s, 'Y');
    assert_true(s.asked & APP_SYSCALLS);
    assert_false(app_tracing(s.a));
}

TEST_WITH(without_a_target_it_says_what_to_do, NULL, teardown)
{
    stage_open(&s, "vm", 120, 40, 2);
    stage_key(&s, 'Y');
    assert_false(s.asked & APP_SYSCALLS);
    expect("watch a process first");
    expect("Nothing was traced");
}

TEST_WITH(readonly_does_not_trace, NULL, teardown)
{
    stage_open(&s, "command", 120, 40, 2);
    app_set_readonly(s.a, true);
    stage_key(&s, 'Y');
    assert_false(s.asked & APP_SYSCALLS);
    expect("--readonly");
}

/* Tab passes by without tracing, and there is no tab before something was traced. */
TEST_WITH(tab_does_not_trace, NULL, teardown)
{
    stage_open(&s, "command", 120, 40, 2);
    expect_not("syscalls");
    for (int i = 0; i < 20; i++) {
        stage_key(&s, '\t');
        assert_false(s.asked & APP_SYSCALLS);
        assert_false(app_shows_calls(s.a, false));
    }
}

/* Paused, the picture stands still; then it shows what came meanwhile. */
TEST_WITH(pause_freezes_the_picture, NULL, teardown)
{
    open_with(SYSCALLS_TRACING, 2);
    expect("tracing by ptrace");
    stage_key(&s, 'p');
    app_set_syscalls(s.a, syscalls_snapshot_scene(SYSCALLS_STOPPED, 3));
    stage_look(&s);
    expect("tracing by ptrace");
    stage_key(&s, 'p');
    stage_look(&s);
    expect("stopped by ptrace");
}
