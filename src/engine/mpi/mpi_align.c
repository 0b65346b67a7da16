/*
 * Finds how far the clocks of hosts are apart: as Duda, Harrus, Haddad, Bernard, Estimating global
 * time in distributed systems (1987), by the bounds that messages in both directions give. mpi.h
 * says which line is taken.
 */
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "engine/mpi/mpi.h"
#include "format/mpi_record.h"

/* --- what bounds the clocks --- */

/* A part in something that several clocks have in common. What takes ends after all that give have
 * begun. */
struct part {
    uint32_t clock;
    bool gives, takes, more; /* more: the next part is of the same */
    uint64_t begin, end;
};

struct parts {
    struct part *list;
    size_t n, room;
};

static struct part make_clock_part(const struct mpi_job *m, uint32_t call, bool gives, bool takes)
{
    const struct mpi_call *c = &m->calls[call];
    return (struct part){.clock = m->ranks[c->rank].clock,
                         .gives = gives,
                         .takes = takes,
                         .more = true,
                         .begin = c->begin,
                         .end = c->end};
}

/* Adds the parts of one collective, if more than one clock has some. */
static void add_together(struct parts *out, const struct mpi_job *m, const struct mpi_together *t)
{
    const size_t first = out->n;
    bool several = false;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t call = m->members[t->from + i];
        if (m->calls[call].kind == MPI_OTHER)
            continue;
        LIST_ADD(out->list, out->n, out->room,
                 make_clock_part(m, call, mpi_gives(m, t, i), mpi_takes(m, t, i)));
        several |= out->list[out->n - 1].clock != out->list[first].clock;
    }
    if (!several)
        out->n = first; /* also if there is none: scans */
    else
        out->list[out->n - 1].more = false;
}

static struct parts list_parts(const struct mpi_job *m)
{
    struct parts out = {0};
    for (size_t i = 0; i < m->nmessages && m->nclocks > 1; i++) {
        struct part a = make_clock_part(m, m->messages[i].send, true, false);
        struct part b = make_clock_part(m, m->messages[i].receive, false, true);
        b.more = false;
        if (a.clock == b.clock)
            continue;
        LIST_ADD(out.list, out.n, out.room, a);
        LIST_ADD(out.list, out.n, out.room, b);
    }
    for (size_t i = 0; i < m->ntogether && m->nclocks > 1; i++)
        add_together(&out, m, &m->together[i]);
    return out;
}

/* Times of damaged files may be any: sums wrap, as those of unsigned numbers do. */
static int64_t add_time(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract_time(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t move_to_first(const struct mpi_clock *c, uint64_t ns)
{
    const double past = (double)(int64_t)(ns - c->base);
    return add_time(add_time((int64_t)ns, c->offset), llrint(c->slope * past));
}

/* --- lines between bounds --- */

/* The clock must be moved by at least, or at most, y at its time x. */
struct bound {
    double x, y;
};

struct bounds {
    struct bound *low, *high;
    size_t nlow, nhigh, low_room, high_room;
    uint64_t x0; /* x and y are distances from these */
    int64_t y0;
};

static void add_bound(struct bounds *b, bool low, uint64_t x, int64_t to)
{
    const int64_t y = (int64_t)((uint64_t)to - x);
    if (b->nlow + b->nhigh == 0) {
        b->x0 = x;
        b->y0 = y;
    }
    const struct bound at = {(double)(int64_t)(x - b->x0),
                             (double)(int64_t)((uint64_t)y - (uint64_t)b->y0)};
    if (low)
        LIST_ADD(b->low, b->nlow, b->low_room, at);
    else
        LIST_ADD(b->high, b->nhigh, b->high_room, at);
}

static int compare_bounds(const void *x, const void *y)
{
    const struct bound *a = x, *b = y;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* Keeps the bounds that a line can touch: the hull above low ones (side 1), below high ones (-1).
 */
static size_t keep_hull(struct bound *list, size_t n, double side)
{
    size_t kept = 0;
    if (n)
        qsort(list, n, sizeof *list, compare_bounds);
    for (size_t i = 0; i < n; i++) {
        while (kept > 1) {
            const struct bound *a = &list[kept - 2], *b = &list[kept - 1], *c = &list[i];
            const double turn = (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
            if (side * turn < 0)
                break;
            kept--;
        }
        list[kept++] = list[i];
    }
    return kept;
}

/* The bounds of clock k by those that are marked. */
static struct bounds find_bounds_of_clock(const struct mpi_job *m, const struct parts *p,
                                          uint32_t k, const bool *by)
{
    struct bounds b = {0};
    for (size_t i = 0, end; i < p->n; i = end) {
        int64_t begun = INT64_MIN, ended = INT64_MAX;
        for (end = i; end == i || p->list[end - 1].more; end++) {
            const struct part *a = &p->list[end];
            if (!by[a->clock] || a->clock == k)
                continue;
            const int64_t begin = move_to_first(&m->clocks[a->clock], a->begin);
            const int64_t over = move_to_first(&m->clocks[a->clock], a->end);
            begun = a->gives && begin > begun ? begin : begun;
            ended = a->takes && over < ended ? over : ended;
        }
        for (size_t j = i; j < end; j++) {
            const struct part *a = &p->list[j];
            if (a->clock == k && a->takes && begun != INT64_MIN)
                add_bound(&b, true, a->end, begun);
            if (a->clock == k && a->gives && ended != INT64_MAX)
                add_bound(&b, false, a->begin, ended);
        }
    }
    return b;
}

static void free_bounds(struct bounds *b)
{
    free(b->low);
    free(b->high);
}

/* A line of this slope may pass x0 at this height, at least or at most. */
static double find_lowest(const struct bounds *b, double slope)
{
    double most = -INFINITY;
    for (size_t i = 0; b->low && i < b->nlow; i++)
        most = fmax(most, b->low[i].y - slope * b->low[i].x);
    return most;
}

static double find_highest(const struct bounds *b, double slope)
{
    double least = INFINITY;
    for (size_t i = 0; b->high && i < b->nhigh; i++)
        least = fmin(least, b->high[i].y - slope * b->high[i].x);
    return least;
}

/* Functions of the slope that have one highest point. */
struct reach {
    const struct bounds *b;
    double x;
};
static double find_gap(const struct reach *r, double slope)
{
    return find_highest(r->b, slope) - find_lowest(r->b, slope);
}
static double reach_up(const struct reach *r, double slope)
{
    return find_highest(r->b, slope) + slope * r->x;
}
static double reach_down(const struct reach *r, double slope)
{
    return -(find_lowest(r->b, slope) + slope * r->x);
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

/* The slope of the line furthest from all bounds; where no slope is better than none, none. */
static double find_slope(const struct bounds *b)
{
    const struct reach r = {b, 0};
    const double best = find_top(find_gap, &r, -MPI_SLOPE_MOST, MPI_SLOPE_MOST);
    return find_gap(&r, 0) >= find_gap(&r, best) - 1 ? 0 : best;
}

/* How far other lines between the bounds are from this one, in ns, at the times of the bounds. */
static double find_error(const struct bounds *b, double slope, double height)
{
    const struct reach gap = {b, 0};
    const double good = find_top(find_gap, &gap, -MPI_SLOPE_MOST, MPI_SLOPE_MOST);
    double most = 0;
    if (find_gap(&gap, good) < 0)
        return -find_gap(&gap, good);
    const double first = find_last_slope(&gap, good, -MPI_SLOPE_MOST);
    const double last = find_last_slope(&gap, good, MPI_SLOPE_MOST);
    const double ends[] = {fmin(b->low[0].x, b->high[0].x),
                           fmax(b->low[b->nlow - 1].x, b->high[b->nhigh - 1].x)};
    for (int i = 0; i < 2; i++) {
        const struct reach r = {b, ends[i]};
        const double own = height + slope * ends[i];
        const double up = reach_up(&r, find_top(reach_up, &r, first, last)) - own;
        const double down = own + reach_down(&r, find_top(reach_down, &r, first, last));
        most = fmax(most, fmax(up, down));
    }
    return most;
}

/* --- clocks --- */

static bool has_both(const struct bounds *b)
{
    return b->nlow && b->nhigh;
}

static struct bounds find_hulls_of_clock(const struct mpi_job *m, const struct parts *p, uint32_t k,
                                         const bool *by)
{
    struct bounds b = find_bounds_of_clock(m, p, k, by);
    b.nlow = keep_hull(b.low, b.nlow, 1);
    b.nhigh = keep_hull(b.high, b.nhigh, -1);
    return b;
}

static uint64_t round_error(double ns)
{
    return ns < 9e18 ? (uint64_t)ceil(ns) : UINT64_MAX;
}

/* Places a clock between the bounds that those in placed give; its error by those of the first one
 * alone, if that gives both. false: nothing bounds it from both sides. */
static bool place_clock(struct mpi_job *m, const struct parts *p, uint32_t k, const bool *placed)
{
    struct mpi_clock *c = &m->clocks[k];
    bool *first = xcalloc(m->nclocks, sizeof *first);
    first[0] = true;
    struct bounds all = find_hulls_of_clock(m, p, k, placed),
                  own = find_hulls_of_clock(m, p, k, first);
    const bool good = has_both(&all);
    uint64_t others = 0;
    for (uint32_t i = 0; i < m->nclocks && !has_both(&own); i++)
        others = placed[i] && m->clocks[i].error_ns > others ? m->clocks[i].error_ns : others;
    if (good) {
        const double slope = find_slope(&all);
        const double height = (find_lowest(&all, slope) + find_highest(&all, slope)) / 2;
        const struct bounds *judge = has_both(&own) ? &own : &all;
        const double shift = (double)subtract_time(all.y0, judge->y0) -
                             slope * (double)(int64_t)(all.x0 - judge->x0);
        c->base = all.x0;
        c->slope = slope;
        c->offset = add_time(all.y0, llrint(height));
        c->told = true;
        c->bounds = (uint32_t)(all.nlow + all.nhigh);
        const uint64_t error = round_error(find_error(judge, slope, height + shift));
        c->error_ns = error < UINT64_MAX - others ? others + error : UINT64_MAX;
    }
    free_bounds(&all);
    free_bounds(&own);
    free(first);
    return good;
}

/* A clock of which only one side is bounded, or none: by the time of day, as far as the bounds
 * allow. */
static void guess_clock(struct mpi_job *m, const struct parts *p, uint32_t k, const bool *placed)
{
    struct mpi_clock *c = &m->clocks[k];
    struct bounds b = find_hulls_of_clock(m, p, k, placed);
    c->offset = (int64_t)(c->unix_ns - m->clocks[0].unix_ns);
    c->base = b.x0;
    c->error_ns = UINT64_MAX;
    const double at = (double)subtract_time(c->offset, b.y0);
    if (b.nlow && at < find_lowest(&b, 0))
        c->offset = add_time(b.y0, llrint(find_lowest(&b, 0)));
    if (b.nhigh && at > find_highest(&b, 0))
        c->offset = add_time(b.y0, llrint(find_highest(&b, 0)));
    free_bounds(&b);
}

uint64_t mpi_time(const struct mpi_job *m, uint32_t rank, uint64_t ns)
{
    const int64_t at = move_to_first(&m->clocks[m->ranks[rank].clock], ns);
    return at > 0 ? (uint64_t)at : 0;
}

uint64_t mpi_error(const struct mpi_job *m, uint32_t a, uint32_t b)
{
    const uint32_t x = m->ranks[a].clock, y = m->ranks[b].clock;
    const uint64_t ex = m->clocks[x].error_ns, ey = m->clocks[y].error_ns;
    if (x == y)
        return 0;
    return ex == UINT64_MAX || ey == UINT64_MAX ? UINT64_MAX : ex + ey;
}

/* What still ends before its cause: bounds of clocks that do not run evenly. */
static uint64_t count_backwards(const struct mpi_job *m, const struct parts *p)
{
    uint64_t n = 0;
    for (size_t i = 0, end; i < p->n; i = end) {
        int64_t begun = INT64_MIN, ended = INT64_MAX;
        for (end = i; end == i || p->list[end - 1].more; end++) {
            const struct part *a = &p->list[end];
            const int64_t begin = move_to_first(&m->clocks[a->clock], a->begin);
            const int64_t over = move_to_first(&m->clocks[a->clock], a->end);
            begun = a->gives && begin > begun ? begin : begun;
            ended = a->takes && over < ended ? over : ended;
        }
        n += ended < begun;
    }
    return n;
}

void mpi_align(struct mpi_job *m)
{
    struct parts p = list_parts(m);
    bool *placed = xcalloc(m->nclocks + (size_t)1, sizeof *placed), more = m->nclocks > 1;
    placed[0] = true;
    if (m->nclocks)
        m->clocks[0].told = true;
    while (more) {
        more = false;
        for (uint32_t k = 1; k < m->nclocks; k++)
            if (!placed[k] && place_clock(m, &p, k, placed))
                placed[k] = more = true;
    }
    for (uint32_t k = 1; k < m->nclocks; k++)
        if (!placed[k])
            guess_clock(m, &p, k, placed);
    m->backwards = count_backwards(m, &p);
    for (size_t i = 0; i < m->n && m->nclocks > 1; i++) {
        struct mpi_call *c = &m->calls[i];
        c->begin = mpi_time(m, c->rank, c->begin);
        c->end = mpi_time(m, c->rank, c->end);
        if (!(c->what & MPI_RECORD_TOGETHER))
            c->order = mpi_time(m, c->rank, c->order);
    }
    free(placed);
    free(p.list);
}
