/* The slope of a series, against lines whose slope is known and against chance. */
#include <math.h>
#include <stdlib.h>

#include "engine/statistics/noise.h"
#include "engine/statistics/slope.h"
#include "support/test.h"

enum { N = 20 };

static void make_line(double *x, double *y, double slope)
{
    for (int i = 0; i < N; i++) {
        x[i] = 0.5 * i + (i % 3) * 0.1; /* unequal steps */
        y[i] = 100 + slope * x[i];
    }
}

TEST(a_line_has_its_slope)
{
    double x[N], y[N];
    make_line(x, y, -7);
    struct slope s = slope_of(x, y, N);
    assert_float_equal(s.per_x, -7, 1e-9);
    assert_true(s.sure);
}

/* Theil and Sen: up to 29 % of the points may be anywhere. */
TEST(points_far_off_do_not_move_it)
{
    double x[N], y[N];
    make_line(x, y, 50);
    for (int i = 0; i < N; i += 4)
        y[i] = i % 8 ? -1e9 : 1e9;
    struct slope s = slope_of(x, y, N);
    assert_true(s.per_x > 40 && s.per_x < 60);
}

TEST(what_stays_has_no_slope)
{
    double x[N], y[N];
    make_line(x, y, 0);
    assert_false(slope_of(x, y, N).sure);
    assert_float_equal(slope_of(x, y, N).per_x, 0, 1e-12);
}

TEST(few_points_say_nothing)
{
    const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 2, 3, 4, 5}, same[] = {2, 2};
    assert_true(isnan(slope_of(x, y, 0).per_x));
    assert_true(isnan(slope_of(same, y, 2).per_x));
    assert_false(slope_of(x, y, 4).sure);
    assert_true(slope_of(x, y, 5).sure); /* all ten pairs rise: 1 of 60 by chance */
}

/* The last points count where there are more than it takes. */
TEST(more_points_than_it_takes)
{
    enum { MANY = 3 * SLOPE_POINTS_MAX };
    double x[MANY], y[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = i < MANY - SLOPE_POINTS_MAX ? -1000.0 * i : 3.0 * i;
    }
    assert_float_equal(slope_of(x, y, MANY).per_x, 3, 1e-9);
}

/* Among series of pure noise, about 2 % are wrongly taken for rising or falling. */
TEST(chance_is_seldom_sure)
{
    enum { SERIES = 2000 };
    int sure = 0;
    double x[N], y[N];
    noise_seed = 7;
    for (int k = 0; k < SERIES; k++) {
        noise_fill(HEAVY, y, N);
        for (int i = 0; i < N; i++)
            x[i] = i;
        sure += slope_of(x, y, N).sure;
    }
    if (sure < SERIES / 200 || sure > SERIES / 25)
        fail_msg("%d of %d series", sure, SERIES);
}
