/* Draws only: not for TSan. */
#include <string.h>

#include "tui/model/layout.h"
#include "support/test.h"

static bool inside(struct rect r, struct rect in)
{
    return r.h == 0 || r.w == 0 ||
           (r.x >= in.x && r.y >= in.y && r.w > 0 && r.h > 0 && r.x + r.w <= in.x + in.w &&
            r.y + r.h <= in.y + in.h);
}

static bool apart(struct rect a, struct rect b)
{
    return a.h == 0 || b.h == 0 || a.w == 0 || b.w == 0 || a.x + a.w <= b.x || b.x + b.w <= a.x ||
           a.y + a.h <= b.y || b.y + b.h <= a.y;
}

static void check(int cols, int rows, const struct overview_facts *f)
{
    struct screen_layout s;
    struct overview_layout o, again;
    layout_screen(cols, rows, &s);
    struct rect screen = {0, 0, cols, rows};
    assert_true(inside(s.tabs, screen) && inside(s.view, screen) && inside(s.footer, screen));
    assert_true(apart(s.tabs, s.view) && apart(s.view, s.footer) && apart(s.tabs, s.footer));
    layout_overview(s.view, f, &o);
    layout_overview(s.view, f, &again);
    assert_memory_equal(&o, &again, sizeof o);
    struct rect all[LAYOUT_GRAPHS + 5] = {o.host, o.cpus, o.metrics, o.topdown, o.procs};
    memcpy(all + 5, o.graph, sizeof o.graph);
    int n = sizeof all / sizeof *all;
    for (int i = 0; i < n; i++) {
        if (!inside(all[i], s.view))
            fail_msg("%dx%d, %d rows of CPUs: part %d is outside", cols, rows, f->cpu_rows, i);
        for (int k = 0; k < i; k++)
            if (!apart(all[i], all[k]))
                fail_msg("%dx%d, %d rows of CPUs: parts %d and %d overlap", cols, rows, f->cpu_rows,
                         i, k);
    }
    /* boxes above the list never take more than half of its rows */
    assert_true(o.procs.h * 2 >= s.view.h);
}

TEST(every_size_and_machine)
{
    static const int cpus[] = {0, 1, 2, 3, 8, 40};
    for (int cols = 1; cols <= 300; cols++)
        for (int rows = 1; rows <= 120; rows++)
            for (size_t i = 0; i < sizeof cpus / sizeof *cpus; i++)
                for (int b = 0; b < 4; b++)
                    check(cols, rows,
                          &(struct overview_facts){.cpu_rows = cpus[i],
                                                   .nmetrics = (int)i * 4,
                                                   .topdown = b & 1,
                                                   .notice = b & 2});
}

TEST(eighty_by_twenty_four_is_whole)
{
    struct screen_layout s;
    struct overview_layout o;
    layout_screen(80, 24, &s);
    layout_overview(s.view, &(struct overview_facts){.cpu_rows = 1, .nmetrics = 6, .notice = true},
                    &o);
    assert_true(o.host.h == 1 && o.cpus.h == 1 && o.metrics.h == 2 && o.topdown.h == 1);
    assert_true(o.graph[0].h >= 5 && o.graph[1].h >= 5 && o.graph[2].h == 0);
    assert_true(o.procs.h >= 10);
}

TEST(wide_screens_have_four_graphs)
{
    struct screen_layout s;
    struct overview_layout o;
    layout_screen(160, 48, &s);
    layout_overview(s.view, &(struct overview_facts){.cpu_rows = 1, .nmetrics = 6}, &o);
    for (int i = 0; i < LAYOUT_GRAPHS; i++)
        assert_true(o.graph[i].h >= 10 && o.graph[i].w == 40);
}
