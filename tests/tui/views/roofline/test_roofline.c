/* The roofline view: which points it shows, where, and what can be done with them. (One thread: not
 * for TSan.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/bricks/bricks.h"
#include "support/stage.h"

static struct stage s;

static int set_up(void **state)
{
    (void)state;
    stage_open(&s, "bricks", 160, 44, 3);
    stage_key(&s, '5');
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    stage_close(&s);
    return 0;
}

static const struct roof_point *point(const char *name, const char *roof)
{
    const struct roofline *r = &s.a->model.snap->bricks->roofline;
    for (uint32_t i = 0; i < r->npoints; i++)
        if (strcmp(r->points[i].name, name) == 0 && r->points[i].roof != GRAPH_NONE &&
            strcmp(r->roofs[r->points[i].roof].name, roof) == 0)
            return &r->points[i];
    fail_msg("no point %s under %s", name, roof);
    return NULL;
}

/* 3 layers of 12.58 MB and 6.29 MFLOP in 520 us under 36 GB/s: 12.1 of 18 GFLOP/s. */
static void a_point_is_its_work_over_its_time(void **state)
{
    (void)state;
    const struct roof_point *p = point("DownProjection", "avx2");
    assert_int_equal(p->places, 3);
    assert_float_equal(p->intensity, 0.5, 1e-9);
    assert_float_equal(p->flops / 1e9, 6.291456 / 0.520, 0.001);
    assert_float_equal(p->bound / 1e9, 18, 1e-6);
    assert_float_equal(p->distance, 1 - 6.291456 / 0.520 / 18, 1e-4);
    assert_true(p->memory_bound && p->declared);
    assert_true(stage_sees(&s, "a DownProjection        avx2"));
    assert_true(stage_sees(&s, "67 %"));
    /* 12.46 GFLOP/s where its roof is at 12: shown above the roof, as measured */
    assert_float_equal(point("gemv_down", "avx512")->distance, 1 - 6.291456 / 0.505 / 12, 1e-4);
}

static void backends_one_after_the_other(void **state)
{
    (void)state;
    assert_true(stage_sees(&s, "━━━ avx2: 128 GFLOP/s, 36.0 GB/s"));
    assert_true(stage_sees(&s, "- - avx512: 256 GFLOP/s"));
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "roofline: avx2"));
    assert_false(stage_sees(&s, "avx512: 256"));
    stage_key(&s, 'm');
    assert_true(stage_sees(&s, "roofline: avx512"));
    assert_true(stage_sees(&s, "256 GFLOP/s"));
    stage_key(&s, 'm');
    assert_false(stage_sees(&s, "roofline: "));
}

static void sorting_keeps_the_letters(void **state)
{
    (void)state;
    int x, y, first;
    stage_command(&s, "sort distance");
    assert_true(stage_find(&s, "j RmsNorm", &x, &first)); /* the one farthest from its roof */
    assert_true(stage_find(&s, "a DownProjection", &x, &y));
    assert_true(first < y);
    stage_key(&s, 'r');
    assert_true(stage_find(&s, "j RmsNorm", &x, &first));
    assert_true(stage_find(&s, "a DownProjection", &x, &y));
    assert_true(first > y);
}

static void a_mark_can_be_clicked(void **state)
{
    (void)state;
    int x, y, found = 0;
    assert_true(stage_find(&s, "FLOP/byte", &x, &y));
    for (int row = y; row < s.c.rows - 4 && !found; row++) /* the mark e, alone */
        for (int col = 10; col < x && !found; col++)
            if (s.c.cells[row * s.c.cols + col].ch == 'e' &&
                s.c.cells[row * s.c.cols + col - 1].ch == ' ' &&
                s.c.cells[row * s.c.cols + col + 1].ch == ' ') {
                stage_click(&s, col, row, MOUSE_LEFT);
                found = 1;
            }
    assert_true(found);
    /* its name is beside it, because it is selected */
    assert_true(stage_sees(&s, "e AttentionScore"));
    assert_int_equal(s.a->state[s.a->view].selected, 4);
}

static void zooming_goes_around_the_selected_point(void **state)
{
    (void)state;
    assert_true(stage_sees(&s, "100G┤"));
    for (int i = 0; i < 4; i++)
        stage_key(&s, '+');
    assert_false(stage_sees(&s, "100G┤"));
    assert_true(stage_sees(&s, "DownProjection"));
    stage_key(&s, KEY_BACKSPACE_);
    assert_true(stage_sees(&s, "100G┤"));
}

static void filter_and_menu(void **state)
{
    (void)state;
    stage_command(&s, "filter backend=avx512 and reached>50");
    assert_true(stage_sees(&s, "f DownProjection") || stage_sees(&s, "a DownProjection"));
    assert_false(stage_sees(&s, "RmsNorm"));
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "zoom in on it"));
    stage_key(&s, KEY_ESCAPE);
    stage_feed(&s, "vm", 9);
    assert_true(stage_sees(&s, "rooftop_stop_work(t, elements, bytes, flops);"));
}

/* --- random keys --- */

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void random_keys_do_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"bricks", "nasty", "vm", "hot"};
    static const uint32_t keys[] = {
        '3',        '4',        '5',        '3',        '4',           '5', 'm', 'm',     '+',
        '-',        KEY_LEFT_,  KEY_RIGHT_, KEY_UP_,    KEY_DOWN_,     'n', 'N', 's',     'r',
        'g',        'G',        KEY_ENTER_, KEY_ESCAPE, 'i',           '/', 'a', KEY_TAB, 'p',
        ' ',        KEY_PGDN,   KEY_PGUP,   'z',        'L',           'c', 'd', 'v',     '\\',
        KEY_MOUSE_, KEY_MOUSE_, KEY_HOME_,  KEY_END_,   KEY_BACKSPACE_};
    enum { STEPS = 6000, KEYS = sizeof keys / sizeof *keys };
    unsigned seed = 11;
    int tick = 3;
    for (int i = 0; i < STEPS; i++) {
        struct key_event ev = {.key = keys[next(&seed) % KEYS],
                               .x = (int)(next(&seed) % 200),
                               .y = (int)(next(&seed) % 50),
                               .button = (int)(1 + next(&seed) % 5)};
        app_key(s.a, &ev);
        if (next(&seed) % 4 == 0)
            stage_feed(&s, names[next(&seed) % 16 ? 0 : next(&seed) % 4], tick++);
        if (next(&seed) % 30 == 0)
            canvas_resize(&s.c, (int)(next(&seed) % 220), (int)(next(&seed) % 60));
        if (next(&seed) % 3)
            app_draw(s.a, &s.c);
        app_job_done(s.a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_point_is_its_work_over_its_time),
        TEST(backends_one_after_the_other),
        TEST(sorting_keeps_the_letters),
        TEST(a_mark_can_be_clicked),
        TEST(zooming_goes_around_the_selected_point),
        TEST(filter_and_menu),
        TEST(random_keys_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
