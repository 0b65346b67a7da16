/* The view of what is watched, driven by keys. Draws only: not for TSan. */
#include <string.h>

#include "base/arena.h"
#include "engine/syscalls/snapshot/syscalls_snapshot.h"
#include "support/stage.h"
#include "support/scenes.h"
#include "support/test.h"

static struct stage s;

FIXTURE(a_command)
{
    stage_open(&s, "command", 80, 24, 6);
}

FIXTURE(a_command_with_counters)
{
    stage_open(&s, "asked-command", 80, 24, 6);
}

FIXTURE(a_command_that_ended)
{
    stage_open(&s, "ended", 80, 24, 6);
}

FIXTURE(the_host)
{
    stage_open(&s, "vm", 80, 24, 3);
}

FIXTURE(closed)
{
    stage_close(&s);
}

static void expect(const char *text, bool there)
{
    if (stage_sees(&s, text) != there)
        fail_msg("%s'%s' on\n%s", there ? "no " : "", text, s.screen);
}

TEST_WITH(the_first_screen_is_about_the_command, a_command, closed)
{
    expect("1 summary", true);
    expect("./gemm --m 4096 · running 5.5 s", true);
    expect("host: cpu 18 % (others 12 %)  mem 40 %", true);
    expect("╭─ cpu ───── 743 % ─╮╭─ mem ──── 501 MiB +50 MiB/s ▲ ─╮╭─ faults ─── 12.8 k/s ─╮",
           true);
    expect("threads 17   calls not traced: Y traces them", true);
    expect("process tree by cpu", true);
    expect("└─sshd: someone", true); /* the child of the first */
    expect("python3 train.py", false);
    expect("of the host", false);
}

/* -e branch-misses,minor-faults: who asks for a counter sees its graph. */
TEST_WITH(counters_that_were_asked_for_have_graphs, a_command_with_counters, closed)
{
    char now[VALUE_TEXT_MAX];
    expect("branch-misses ", true);
    canvas_resize(&s.c, 200, 50);
    stage_look(&s);
    const double events = snapshot_counter(s.a->model.snap, "user", "branch-misses")->rate.v;
    expect("its branch-misses ", true);
    expect(value_text(events, UNIT_COUNT_PER_S, false, now), true);
    expect("its minor-faults ", true);
    stage_key(&s, 'h'); /* nor does the host hide what was asked for */
    expect("its branch-misses ", true);
    expect("its minor-faults ", true);
}

TEST_WITH(h_widens_to_the_host_and_back, a_command, closed)
{
    expect("h Host", true);
    stage_key(&s, 'h');
    expect("cpu of the host", true);
    expect("python3 train.py", true);
    expect("743 %", false);
    expect("h Host", true);
    stage_feed(&s, "command", 7); /* a new sample leaves the choice alone */
    expect("cpu of the host", true);
    stage_key(&s, 'h');
    expect("cpu ───── 743 %", true);
    stage_key(&s, '2');
    stage_key(&s, '1');
    expect("cpu ───── 743 %", true);
    stage_key(&s, '1'); /* the next view of the tab: the host */
    expect("cpu of the host", true);
}

/* What is done with a row of the overview is done with these. */
TEST_WITH(rows_are_those_of_the_overview, a_command, closed)
{
    stage_key(&s, KEY_ENTER_);
    expect("send it a signal", true);
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "filter pid = 112");
    expect("1 of 2 match", true);
    expect("└─sshd: someone", true);
    stage_command(&s, "filter pid = 38"); /* a process that is not watched */
    expect("0 of 2 match", true);
    stage_key(&s, KEY_ESCAPE);
    stage_command(&s, "sort pid");
    expect("process tree by pid", true);
    stage_key(&s, KEY_F5);
    expect("processes by pid", true);
    stage_key(&s, 'i');
    expect("gemm", true);
}

TEST_WITH(the_end_says_how_it_went, a_command_that_ended, closed)
{
    expect("./gemm --m 4096 · ended with status 3 after 5.5 s", true);
    expect("how its processes ended", true);
    expect("301 MiB in one process", true);
    expect("user 35.0 s, system 2.00 s", true);
    expect("2 of them from disk", true);
    expect("it waited 120 times, was made to wait 33 times", true);
    expect("70 B: o shows it", true);
    expect("others", false);
    stage_key(&s, 'o');
    expect("pass 1", true);
}

/* An attached process comes first, and leaves the screen to the host when it is let go. */
TEST_WITH(attaching_and_letting_go, the_host, closed)
{
    expect("processes by", true);
    expect("h Host", false);
    stage_key(&s, 'a');
    assert_true(s.asked & APP_ATTACH);
    stage_feed(&s, "command", 4);
    expect("cpu ───── 743 %", true);
    stage_key(&s, 'A');
    assert_true(s.asked & APP_ATTACH);
    stage_feed(&s, "vm", 5);
    expect("processes by", true);
    expect("743 %", false);
}

TEST_WITH(a_view_that_was_chosen_stays, the_host, closed)
{
    stage_key(&s, '2');
    stage_feed(&s, "command", 4);
    expect("counters by section", true);
    stage_key(&s, '1');
    expect("cpu ───── 743 %", true);
}

TEST_WITH(without_anything_watched_it_says_so, the_host, closed)
{
    stage_command(&s, "view watched");
    expect("The whole host is watched", true);
}

TEST_WITH(boxes_are_expanded, a_command, closed)
{
    stage_command(&s, "box memory expand");
    expect("its memory", true);
    expect("743 %", false);
    stage_command(&s, "box host expand");
    expect("cpu0", true);
    stage_command(&s, "box calls expand");
    expect("not traced: Y traces them", true);
    stage_key(&s, KEY_ESCAPE);
    expect("cpu ───── 743 %", true);
}

/* Before the first sample, and where the filter leaves no row, nothing was there that could have
 * ended; and what comes later is not what was meant. */
TEST_WITH(without_a_row_there_is_nobody_to_signal, NULL, closed)
{
    stage_open(&s, "command", 80, 24, 0);
    stage_command(&s, "view watched");
    stage_key(&s, KEY_F9);
    expect("it has ended", false);
    stage_feed(&s, "command", 0);
    expect("it has ended", false);
    expect("signal to", false);
    stage_feed(&s, "command", 1);
    stage_command(&s, "filter pid = 38");
    stage_key(&s, KEY_F9);
    expect("it has ended", false);
    expect("no process is under the cursor", true);
    stage_key(&s, KEY_ESCAPE);
    stage_key(&s, 's');
    stage_key(&s, KEY_F9);
    expect("─ signal to 1", true);
}

/* 50 calls in each tenth of a second. */
static const struct syscalls_snapshot *trace_steadily(void)
{
    struct syscalls_snapshot *p = xcalloc(1, sizeof *p);
    p->refs = 1;
    p->state = SYSCALLS_TRACING;
    p->has_times = true;
    p->count = 1000;
    p->end_ns = 2000000000;
    p->rates = (struct syscalls_rates){.width_ns = 100000000, .n = 20};
    for (int i = 0; i < 20; i++)
        p->rates.calls[i] = 50;
    return p;
}

TEST_WITH(calls_that_are_traced_have_a_graph, a_command, closed)
{
    app_set_syscalls(s.a, trace_steadily());
    stage_look(&s);
    expect("─╮╭─ f calls ──── 500 /s ─╮", true);
    expect("└-2.0 s", true);
    expect("threads 17   calls 500 /s", true);
}

/* The scene of a host with a PMU, as if a process of it was watched. */
TEST_WITH(what_is_counted_has_a_graph, NULL, closed)
{
    stage_open(&s, "vm", 160, 48, 0);
    for (int tick = 0; tick < 3; tick++) {
        struct snapshot *m = scene("zen4", tick);
        m->target_kind = TARGET_PIDS;
        app_update(s.a, m);
        snapshot_unref(m);
        stage_look(&s);
    }
    expect("its IPC", true);
    expect("its faults", true);
    expect("its threads", false);
}

/* A cgroup where nothing can be counted: no row waits for numbers. */
TEST_WITH(without_key_numbers_there_is_no_row_for_them, NULL, closed)
{
    stage_open(&s, "vm", 80, 24, 0);
    for (int tick = 0; tick < 3; tick++) {
        struct snapshot *m = scene("vm", tick);
        m->target_kind = TARGET_CGROUP;
        m->nmetrics = 0;
        app_update(s.a, m);
        snapshot_unref(m);
        stage_look(&s);
    }
    for (int y = 0; y < 24; y++) {
        const char *row = stage_row(&s, y);
        row += strspn(row, " ");
        if (strncmp(row, "… ", strlen("… ")) == 0)
            fail_msg("row %d waits on\n%s", y, s.screen);
    }
    expect("process tree by cpu", true);
}

/* It is no command: a process may come later. */
TEST_WITH(a_cgroup_without_processes_does_not_run, NULL, closed)
{
    stage_open(&s, "vm", 80, 24, 0);
    for (int tick = 0; tick < 2; tick++) {
        struct snapshot *m = scene(tick ? "ended" : "command", 3 + tick);
        m->target_kind = TARGET_CGROUP;
        m->target_gone = false;
        m->target = "cgroup job";
        app_update(s.a, m);
        snapshot_unref(m);
        stage_look(&s);
        expect("cgroup job · running 3.5 s", tick == 0);
        expect("cgroup job · no process in it", tick == 1);
        expect("running", tick == 0);
    }
}

/* What -p leaves out, and what would watch it. */
TEST_WITH(children_that_are_not_watched_are_told, NULL, closed)
{
    stage_open(&s, "vm", 80, 24, 0);
    for (int told = 0; told < 2; told++) {
        struct snapshot *m = scene("command", 3);
        m->target_kind = TARGET_PIDS;
        if (told)
            snapshot_add_notice(m, NOTICE_INFO, "proc.children", "3 children not watched", NULL);
        app_update(s.a, m);
        snapshot_unref(m);
        stage_look(&s);
        expect("3 children not watched, :children all · 2 processes", told);
        stage_command(&s, "sort memory"); /* a longer title leaves less room */
        expect("3 children not watched · 2 processes", told);
        stage_command(&s, "sort cpu");
    }
}

/* A session may say of its target whatever it likes. */
TEST_WITH(a_target_longer_than_the_head_is_cut, NULL, closed)
{
    static char target[700];
    memset(target, '7', sizeof target - 1);
    stage_open(&s, "vm", 160, 24, 0);
    struct snapshot *m = scene("vm", 0);
    m->target_kind = TARGET_PIDS;
    m->target = target;
    app_update(s.a, m);
    stage_look(&s);
    expect("7…7", true);
    snapshot_unref(m);
}

/* Nothing is drawn beside its place, whatever the size. */
TEST_WITH(any_size, NULL, NULL)
{
    for (int cols = 40; cols <= 200; cols += 40)
        for (int rows = 10; rows <= 50; rows += 8) {
            stage_open(&s, "command", cols, rows, 3);
            expect(stage_sees(&s, "1 summary") ? "1 summary" : "1 main", true);
            expect("host:", cols >= 80);
            stage_close(&s);
        }
}
