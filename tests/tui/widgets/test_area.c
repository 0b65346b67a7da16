/* Graphs over time: the hue of a value is its share of its own limit, not of the scale. */
#include <math.h>
#include <string.h>

#include "tui/widgets/area.h"
#include "support/test.h"

static struct canvas c;

FIXTURE(set_up)
{
    canvas_init(&c);
    canvas_resize(&c, 40, 9);
    canvas_clear(&c);
}

FIXTURE(tear_down)
{
    canvas_free(&c);
}

/* The highest level of a role on the canvas; -1: the role is not there. */
static int highest_level(enum style_role role)
{
    int most = -1;
    for (int i = 0; i < c.rows * c.cols; i++)
        if (c.cells[i].style.role == role && c.cells[i].style.level > most)
            most = c.cells[i].style.level;
    return most;
}

static int drawn_level(float value, double max, double limit)
{
    float v[60];
    for (int i = 0; i < 60; i++)
        v[i] = value;
    canvas_clear(&c);
    area_draw(&c, (struct rect){0, 0, 40, 9},
              &(struct area){.v = v,
                             .n = 60,
                             .max = max,
                             .limit = limit,
                             .unit = UNIT_BYTES,
                             .role = STYLE_GRAD_USED});
    return highest_level(STYLE_GRAD_USED);
}

TEST_WITH(the_hue_is_the_share_of_the_limit, set_up, tear_down)
{
    const float gib = 1024.0F * 1024 * 1024;
    /* 3 of 64 GiB fill three quarters of a scale of 4 GiB, and are little memory */
    assert_in_range(drawn_level(3 * gib, 0, 64.0 * gib), 3, 7);
    assert_in_range(drawn_level(62 * gib, 0, 64.0 * gib), 90, 100);
    assert_in_range(drawn_level(50, 100, 0), 45, 55);
    assert_in_range(drawn_level(100, 100, 0), 95, 100);
}

TEST_WITH(without_a_limit_there_is_one_hue, set_up, tear_down)
{
    const int level = drawn_level(1000, 0, 0);
    assert_int_equal(drawn_level(3, 0, 0), level);
    assert_int_equal(drawn_level(1e9F, 0, 0), level);
    assert_in_range(level, 0, 40); /* none that warns */
}

TEST_WITH(small_graphs_have_the_same_hues, set_up, tear_down)
{
    const float v[4] = {1, 2, 3, 4};
    sparkline_draw(&c, 0, 0, 4, v, 4, 100, STYLE_GRAD_CPU);
    assert_in_range(highest_level(STYLE_GRAD_CPU), 3, 5);
    canvas_clear(&c);
    sparkline_draw(&c, 0, 0, 4, v, 4, 0, STYLE_GRAD_CPU);
    assert_in_range(highest_level(STYLE_GRAD_CPU), 0, 40);
    canvas_clear(&c);
    sparkline_draw(&c, 0, 0, 1, (const float[]){200}, 1, 100, STYLE_GRAD_CPU);
    assert_int_equal(highest_level(STYLE_GRAD_CPU), 100);
}

/* Whether the label of the top of a scale is this text. */
static void check_label(double max, enum unit unit, const char *want)
{
    const float v[2] = {0, 0};
    char label[16] = "";
    canvas_clear(&c);
    area_draw(&c, (struct rect){0, 0, 40, 9},
              &(struct area){.v = v, .n = 2, .max = max, .unit = unit, .role = STYLE_GRAD_CPU});
    for (int x = 0; x < AREA_LABEL_W - 1; x++)
        label[x] = (char)c.cells[x].ch;
    assert_string_equal(label + strspn(label, " "), want);
}

/* As all other numbers of the screen: a gap before the unit, and its whole name where it fits. */
TEST_WITH(labels_are_written_as_other_numbers, set_up, tear_down)
{
    check_label(100, UNIT_PERCENT, "100 %");
    check_label(2.0 * (1 << 30), UNIT_BYTES, "2 GiB");
    check_label(512.0 * (1 << 20), UNIT_BYTES, "512 MiB");
    check_label(50e3, UNIT_COUNT_PER_S, "50 k/s");
    check_label(2500, UNIT_COUNT_PER_S, "2.5 k/s");
    check_label(50e6, UNIT_BYTES_PER_S, "50 MB/s");
    check_label(500e6, UNIT_BYTES_PER_S, "500 M"); /* "500 MB/s" has no room */
    check_label(200e9, UNIT_FLOP_PER_S, "200 G");
    check_label(2, UNIT_PER_CYCLE, "2 /cyc");
    check_label(5, UNIT_COUNT, "5");
}

/* Without any sample there is no scale but a known one, and no time. */
TEST_WITH(what_was_not_measured_has_no_numbers, set_up, tear_down)
{
    const float v[2] = {NAN, NAN};
    struct area g = {.v = v, .n = 2, .unit = UNIT_BYTES, .role = STYLE_GRAD_USED, .span_s = 58};
    area_draw(&c, (struct rect){0, 0, 40, 9}, &g);
    for (int i = 0; i < c.rows * c.cols; i++)
        assert_false(c.cells[i].ch >= '0' && c.cells[i].ch <= '9');
    g.max = 100;
    g.unit = UNIT_PERCENT;
    area_draw(&c, (struct rect){0, 0, 40, 9}, &g);
    assert_int_equal(c.cells[2].ch, '1');
}
