/*
 * Lines (distance and drift) between bounds from below and above: the one in their middle, and how
 * far others are from it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "engine/mpi/mpi_impl.h"

void mpi_add_bound(struct mpi_bounds *b, bool low, uint64_t x, int64_t to)
{
    const int64_t y = (int64_t)((uint64_t)to - x);
    if (b->nlow + b->nhigh == 0) {
        b->x0 = x;
        b->y0 = y;
    }
    const struct mpi_bound at = {(double)(int64_t)(x - b->x0),
                                 (double)(int64_t)((uint64_t)y - (uint64_t)b->y0)};
    if (low)
        LIST_ADD(b->low, b->nlow, b->low_room, at);
    else
        LIST_ADD(b->high, b->nhigh, b->high_room, at);
}

static int compare_bounds(const void *x, const void *y)
{
    const struct mpi_bound *a = x, *b = y;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* Keeps the bounds that a line can touch: the hull above low ones (side 1), below high ones (-1).
 */
static size_t keep_hull(struct mpi_bound *list, size_t n, double side)
{
    size_t kept = 0;
    if (n)
        qsort(list, n, sizeof *list, compare_bounds);
    for (size_t i = 0; i < n; i++) {
        while (kept > 1) {
            const struct mpi_bound *a = &list[kept - 2], *b = &list[kept - 1], *c = &list[i];
            const double turn = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
            if (side * turn < 0)
                break;
            kept--;
        }
        list[kept++] = list[i];
    }
    return kept;
}

void mpi_keep_hulls(struct mpi_bounds *b)
{
    b->nlow = keep_hull(b->low, b->nlow, 1);
    b->nhigh = keep_hull(b->high, b->nhigh, -1);
}

void mpi_free_bounds(struct mpi_bounds *b)
{
    free(b->low);
    free(b->high);
}

double mpi_find_lowest(const struct mpi_bounds *b, double slope)
{
    double most = -INFINITY;
    for (size_t i = 0; b->low && i < b->nlow; i++)
        most = fmax(most, b->low[i].y - slope * b->low[i].x);
    return most;
}

double mpi_find_highest(const struct mpi_bounds *b, double slope)
{
    double least = INFINITY;
    for (size_t i = 0; b->high && i < b->nhigh; i++)
        least = fmin(least, b->high[i].y - slope * b->high[i].x);
    return least;
}

/* Functions of the slope that have one highest point. */
struct reach {
    const struct mpi_bounds *b;
    double x;
};
static double find_gap(const struct reach *r, double slope)
{
    return mpi_find_highest(r->b, slope) - mpi_find_lowest(r->b, slope);
}
static double reach_up(const struct reach *r, double slope)
{
    return mpi_find_highest(r->b, slope) + slope * r->x;
}
static double reach_down(const struct reach *r, double slope)
{
    return -(mpi_find_lowest(r->b, slope) + slope * r->x);
}

enum { STEPS = 100 };
static double find_top(double (*f)(const struct reach *, double), const struct reach *r,
                       double from, double to)
{
    for (int i = 0; i < STEPS; i++) {
        const double a = from + (to - from) / 3, b = to - (to - from) / 3;
        if (f(r, a) < f(r, b))
            from = a;
        else
            to = b;
    }
    return (from + to) / 2;
}

/* The slope furthest from good that still has a line, towards end. */
static double find_last_slope(const struct reach *r, double good, double end)
{
    for (int i = 0; i < STEPS; i++) {
        const double half = (good + end) / 2;
        if (find_gap(r, half) >= 0)
            good = half;
        else
            end = half;
    }
    return good;
}

double mpi_find_slope(const struct mpi_bounds *b)
{
    const struct reach r = {b, 0};
    const double best = find_top(find_gap, &r, -MPI_SLOPE_MOST, MPI_SLOPE_MOST);
    return find_gap(&r, 0) >= find_gap(&r, best) - 1 ? 0 : best;
}

double mpi_find_error(const struct mpi_bounds *b, double slope, double height, const double ends[2])
{
    const struct reach gap = {b, 0};
    const double good = find_top(find_gap, &gap, -MPI_SLOPE_MOST, MPI_SLOPE_MOST);
    double most = 0;
    if (find_gap(&gap, good) < 0)
        return -find_gap(&gap, good);
    const double first = find_last_slope(&gap, good, -MPI_SLOPE_MOST);
    const double last = find_last_slope(&gap, good, MPI_SLOPE_MOST);
    for (int i = 0; i < 2; i++) {
        const struct reach r = {b, ends[i]};
        const double own = height + slope * ends[i];
        const double up = reach_up(&r, find_top(reach_up, &r, first, last)) - own;
        const double down = own + reach_down(&r, find_top(reach_down, &r, first, last));
        most = fmax(most, fmax(up, down));
    }
    return most;
}
