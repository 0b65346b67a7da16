/* The log-log plot: axes, lines, positions of points. */
#include <math.h>
#include <string.h>

#include "tui/widgets/plot.h"
#include "support/test.h"

static struct canvas c;

FIXTURE(set_up)
{
    canvas_init(&c);
    canvas_resize(&c, 60, 20);
    canvas_clear(&c);
}

FIXTURE(tear_down)
{
    canvas_free(&c);
}

static uint32_t at(int x, int y)
{
    return c.cells[y * c.cols + x].ch;
}

TEST_WITH(numbers_are_decades_with_prefixes, set_up, tear_down)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0.01, "0.01"}, {1, "1"},    {100, "100"},  {1e3, "1k"},
                 {1e8, "100M"},  {1e9, "1G"}, {1e13, "10T"}, {1e15, "1P"}};
    char text[16];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plot_number(cases[i].v, text);
        assert_string_equal(text, cases[i].text);
    }
}

static double twice(const void *ctx, double x)
{
    (void)ctx;
    return 2 * x;
}

static double flat(const void *ctx, double x)
{
    (void)x;
    return *(const double *)ctx;
}

static struct style plain(const void *ctx, int line)
{
    (void)ctx;
    (void)line;
    return STYLE(STYLE_TEXT);
}

/* A point on a line is in a cell of that line. */
TEST_WITH(points_fall_on_their_line, set_up, tear_down)
{
    struct plot p = {.x0 = 0.1, .x1 = 1000, .y0 = 0.1, .y1 = 10000, .x_title = "x", .y_title = "y"};
    assert_true(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}));
    plot_line(&p, 0, twice, NULL, false);
    plot_end(&p, &c, plain, NULL);
    assert_null(p.dots);
    for (int i = -9; i < 29; i++) {
        int x, y;
        double v = pow(10, i / 10.0);
        assert_true(plot_cell(&p, v, 2 * v, &x, &y));
        assert_true(at(x, y) > 0x2800 || at(x, y + 1) > 0x2800 || at(x, y - 1) > 0x2800);
    }
}

TEST_WITH(outside_is_not_drawn, set_up, tear_down)
{
    int x, y;
    double high = 1e6;
    struct plot p = {.x0 = 1, .x1 = 100, .y0 = 1, .y1 = 100, .x_title = "x", .y_title = "y"};
    assert_true(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}));
    plot_line(&p, 0, flat, &high, false);
    plot_end(&p, &c, plain, NULL);
    for (int i = 0; i < c.rows * c.cols; i++)
        assert_true(c.cells[i].ch < 0x2801 || c.cells[i].ch > 0x28ff);
    assert_false(plot_cell(&p, 0.5, 10, &x, &y));
    assert_false(plot_cell(&p, 10, 200, &x, &y));
    assert_false(plot_cell(&p, 0, 10, &x, &y));
    assert_false(plot_cell(&p, -1, NAN, &x, &y));
}

TEST_WITH(too_small_or_senseless_is_refused, set_up, tear_down)
{
    struct plot p = {.x0 = 1, .x1 = 100, .y0 = 1, .y1 = 100, .x_title = "x", .y_title = "y"};
    assert_false(plot_begin(&p, &c, (struct rect){0, 0, 20, 20}));
    assert_false(plot_begin(&p, &c, (struct rect){0, 0, 60, 5}));
    p.x0 = 0;
    assert_false(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}));
    p.x0 = 200;
    assert_false(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}));
    p.x0 = NAN;
    assert_false(plot_begin(&p, &c, (struct rect){0, 0, 60, 20}));
}
