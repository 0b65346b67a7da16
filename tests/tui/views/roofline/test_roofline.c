/* The roofline view: which points it shows, where, and what can be done with them. (One thread: not
 * for TSan.) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bricks/bricks.h"
#include "export/roofline_export.h"
#include "support/stage.h"
#include "support/test.h"

static struct stage s;

FIXTURE(set_up)
{
    stage_open(&s, "bricks", 160, 44, 3);
    stage_key(&s, '5');
}

FIXTURE(tear_down)
{
    stage_close(&s);
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

TEST_WITH(the_head_says_what_was_measured, set_up, tear_down)
{
    canvas_resize(&s.c, 80, 24);
    stage_look(&s);
    const char *head = stage_row(&s, 2);
    assert_non_null(strstr(head, "measured: times"));
    assert_non_null(strstr(head, "!: above its roof"));
    assert_null(strstr(head, "…"));
}

/* 3 layers of 12.58 MB and 6.29 MFLOP in 520 us under 36 GB/s: 12.1 of 18 GFLOP/s. */
TEST_WITH(a_point_is_its_work_over_its_time, set_up, tear_down)
{
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

TEST_WITH(backends_one_after_the_other, set_up, tear_down)
{
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

TEST_WITH(sorting_keeps_the_letters, set_up, tear_down)
{
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

TEST_WITH(a_mark_can_be_clicked, set_up, tear_down)
{
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

TEST_WITH(zooming_goes_around_the_selected_point, set_up, tear_down)
{
    assert_true(stage_sees(&s, "100G┤"));
    for (int i = 0; i < 4; i++)
        stage_key(&s, '+');
    assert_false(stage_sees(&s, "100G┤"));
    assert_true(stage_sees(&s, "DownProjection"));
    stage_key(&s, KEY_BACKSPACE_);
    assert_true(stage_sees(&s, "100G┤"));
}

TEST_WITH(filter_and_menu, set_up, tear_down)
{
    stage_command(&s, "filter backend=avx512 and reached>50");
    assert_true(stage_sees(&s, "f DownProjection") || stage_sees(&s, "a DownProjection"));
    assert_false(stage_sees(&s, "RmsNorm"));
    stage_key(&s, KEY_ENTER_);
    assert_true(stage_sees(&s, "zoom in on it"));
    stage_key(&s, KEY_ESCAPE);
    stage_feed(&s, "vm", 9);
    assert_true(stage_sees(&s, "rooftop_stop_work(t, elements, bytes, flops);"));
}

/* The cell in the middle of a mark of the plot; rank: of the point in the list. */
static void mark_at(int rank, int *x, int *y)
{
    for (int i = 0; i < s.c.nzones; i++) {
        const struct zone *z = &s.c.zones[i];
        if (z->action == ACTION_POINT_FRAME && z->arg == rank) {
            *x = z->r.x + z->r.w / 2;
            *y = z->r.y;
            return;
        }
    }
    fail_msg("no mark %d on\n%s", rank, s.screen);
}

/* DownProjection moves as much as the roof's memory does, RmsNorm computes as much as another. */
static void forget_half(void)
{
    struct roof_point *a = (struct roof_point *)point("DownProjection", "avx2");
    struct roof_point *j = (struct roof_point *)point("RmsNorm", "avx2");
    a->bytes = 36e9;
    a->flops = a->intensity = a->bound = (double)NAN;
    j->flops = point("AttentionScore", "avx2")->flops;
    j->bytes = j->intensity = j->bound = (double)NAN;
    stage_look(&s);
}

/* A brick without FLOPs stands at the left end of the line of its bandwidth, one without bytes at
 * the right end of the line of its FLOP/s. */
TEST_WITH(what_is_half_known_stands_at_the_edge, set_up, tear_down)
{
    int x = 0, y = 0, right = 0, level = 0, same = 0, axis = 0;
    forget_half();
    assert_true(stage_sees(&s, "at the edge: no FLOP/B, d: why"));
    assert_true(stage_find(&s, "100G┤", &axis, &y));
    mark_at(0, &x, &y);
    assert_in_range(x, axis + 5, axis + 6);
    bool on_roof = false; /* the roof's line begins there */
    for (int col = x; col <= x + 1; col++)
        for (int row = y - 1; row <= y; row++)
            on_roof |= s.c.cells[row * s.c.cols + col].ch >> 8 == 0x28; /* braille */
    assert_true(on_roof);
    mark_at(9, &right, &level);
    mark_at(4, &x, &same); /* AttentionScore */
    assert_int_equal(level, same);
    for (int i = 0; i < s.c.nzones; i++)
        if (s.c.zones[i].action == ACTION_POINT_FRAME)
            assert_true(s.c.zones[i].r.x <= right);
    stage_key(&s, 'd');
    assert_true(stage_sees(&s, "36.0 GB/s; it declares bytes only"));
}

/* --- the same as a picture --- */

struct circle {
    double x, y;
};

static struct circle circle_of(const char *svg, const char *title)
{
    char want[64];
    struct circle c = {NAN, NAN};
    snprintf(want, sizeof want, "<title>%s: ", title);
    const char *at = strstr(svg, want);
    at = at ? strstr(at, "<circle cx=") : NULL;
    if (!at || sscanf(at, "<circle cx=\"%lf\" cy=\"%lf\"", &c.x, &c.y) != 2)
        fail_msg("no %s in %s", title, svg);
    return c;
}

TEST_WITH(in_a_picture_it_lies_on_the_line_of_what_is_known, set_up, tear_down)
{
    char *svg = NULL;
    size_t len = 0;
    forget_half();
    FILE *f = open_memstream(&svg, &len);
    roofline_export_svg(f, &(struct roofline_doc){.r = &s.a->model.snap->bricks->roofline});
    fclose(f);
    /* the scales, by two circles whose values are known */
    const struct roof_point *p = point("gemv_down", "avx512"), *q = point("AttentionScore", "avx2");
    struct circle a = circle_of(svg, p->name), b = circle_of(svg, q->name);
    double across = (b.x - a.x) / log10(q->intensity / p->intensity);
    double up = (b.y - a.y) / log10(q->flops / p->flops);
    struct circle c = circle_of(svg, "DownProjection"), d = circle_of(svg, "RmsNorm");
    double intensity = p->intensity * pow(10, (c.x - a.x) / across);
    double flops = p->flops * pow(10, (c.y - a.y) / up);
    assert_float_equal(flops / intensity / 1e9, 36, 0.2); /* a coordinate has one decimal */
    assert_true(c.x < a.x && c.x < b.x && d.x > a.x && d.x > b.x);
    assert_float_equal(d.y, b.y, 0.1);
    assert_non_null(strstr(svg, "DownProjection: 36 GB/s"));
    assert_non_null(strstr(svg, "it declares FLOPs only"));
    free(svg);
}

/* --- random keys --- */

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

TEST_WITH(random_keys_do_no_harm, set_up, tear_down)
{
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
