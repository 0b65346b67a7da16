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

/* A part in a message or collective that several clocks have in common. What takes ends after all
 * that give have begun. */
struct part {
    uint32_t clock;
    bool gives, takes;
    size_t group; /* the number of that message or collective; its parts follow each other */
    uint64_t begin, end;
};

/* Of a message or collective, as far as its clocks are placed, on the clock of rank 0. */
struct reached {
    int64_t begun, ended; /* INT64_MIN, INT64_MAX: not known */
};

struct parts {
    struct part *list;
    size_t n, room, groups;
    size_t *by_clock, *first;      /* indices of the parts of clock k: first[k] to first[k + 1] */
    struct reached *by_all, *by_0; /* of each group: by the clocks that are placed; by the first */
    struct side {
        bool placed, low, high; /* low, high: by_all bounds it from there */
    } * clocks;
    uint64_t error; /* the largest of the clocks that are placed */
};

/* end: the call that ended what this one began, or itself. */
static void add_clock_part(struct parts *out, const struct mpi_job *m, uint32_t call, uint32_t end,
                           bool gives, bool takes)
{
    const struct mpi_call *c = &m->calls[call];
    LIST_ADD(out->list, out->n, out->room,
             (struct part){.clock = m->ranks[c->rank].clock,
                           .gives = gives,
                           .takes = takes,
                           .group = out->groups,
                           .begin = c->begin,
                           .end = takes ? m->calls[end].end : c->end});
}

/* Ends a group, whose parts begin at first. It is kept if more than one clock has some. */
static void end_group(struct parts *out, size_t first)
{
    size_t i = first;
    while (i < out->n && out->list[i].clock == out->list[first].clock)
        i++;
    if (i == out->n)
        out->n = first; /* also if there is none: scans */
    else
        out->groups++;
}

static void list_parts(struct parts *out, const struct mpi_job *m)
{
    for (size_t i = 0; i < m->nmessages; i++) {
        const size_t first = out->n;
        const struct mpi_message *msg = &m->messages[i];
        add_clock_part(out, m, msg->send, msg->send, true, false);
        add_clock_part(out, m, msg->receive, msg->receive, false, true);
        end_group(out, first);
    }
    for (size_t i = 0; i < m->ntogether; i++) {
        const struct mpi_together *t = &m->together[i];
        const size_t first = out->n;
        for (uint32_t k = 0; k < t->n; k++)
            if (m->calls[m->members[t->from + k]].kind != MPI_OTHER)
                add_clock_part(out, m, m->members[t->from + k], m->ends[t->from + k],
                               mpi_gives(m, t, k), mpi_takes(m, t, k));
        end_group(out, first);
    }
}

/* Sorts the parts by their clocks, in the order in which they were added. */
static void index_parts(struct parts *p, uint32_t clocks)
{
    size_t *next = xcalloc(clocks + (size_t)1, sizeof *next);
    p->by_clock = xcalloc(p->n, sizeof *p->by_clock);
    p->first = xcalloc(clocks + (size_t)1, sizeof *p->first);
    for (size_t i = 0; i < p->n; i++)
        p->first[p->list[i].clock + 1]++;
    for (uint32_t k = 0; k < clocks; k++) {
        p->first[k + 1] += p->first[k];
        next[k] = p->first[k];
    }
    for (size_t i = 0; i < p->n; i++)
        p->by_clock[next[p->list[i].clock]++] = i;
    free(next);
}

static void free_clock_parts(struct parts *p)
{
    free(p->list);
    free(p->by_clock);
    free(p->first);
    free(p->by_all);
    free(p->by_0);
    free(p->clocks);
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

/* The bounds of clock k, which is not placed. */
static struct bounds find_bounds_of_clock(const struct parts *p, uint32_t k,
                                          const struct reached *by)
{
    struct bounds b = {0};
    for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
        const struct part *a = &p->list[p->by_clock[i]];
        const struct reached *r = &by[a->group];
        if (a->takes && r->begun != INT64_MIN)
            add_bound(&b, true, a->end, r->begun);
        if (a->gives && r->ended != INT64_MAX)
            add_bound(&b, false, a->begin, r->ended);
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

static struct bounds find_hulls_of_clock(const struct parts *p, uint32_t k,
                                         const struct reached *by)
{
    struct bounds b = find_bounds_of_clock(p, k, by);
    b.nlow = keep_hull(b.low, b.nlow, 1);
    b.nhigh = keep_hull(b.high, b.nhigh, -1);
    return b;
}

/* The group of this part is known from one side now: that bounds the clocks of its other parts. */
static void bound_clocks_of_group(struct parts *p, const struct part *a, bool low)
{
    const size_t group = a->group;
    while (a > p->list && a[-1].group == group)
        a--;
    for (; a < p->list + p->n && a->group == group; a++) {
        struct side *c = &p->clocks[a->clock];
        c->low |= low && a->takes;
        c->high |= !low && a->gives;
    }
}

/* The clock's times are known from now on. */
static void mark_placed(struct parts *p, const struct mpi_job *m, uint32_t k)
{
    const struct mpi_clock *c = &m->clocks[k];
    p->clocks[k].placed = true;
    p->error = c->error_ns > p->error ? c->error_ns : p->error;
    for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
        const struct part *a = &p->list[p->by_clock[i]];
        struct reached *r = &p->by_all[a->group];
        const struct reached was = *r;
        const int64_t begin = move_to_first(c, a->begin), end = move_to_first(c, a->end);
        r->begun = a->gives && begin > was.begun ? begin : was.begun;
        r->ended = a->takes && end < was.ended ? end : was.ended;
        if (was.begun == INT64_MIN && r->begun != INT64_MIN)
            bound_clocks_of_group(p, a, true);
        if (was.ended == INT64_MAX && r->ended != INT64_MAX)
            bound_clocks_of_group(p, a, false);
    }
}

static uint64_t round_error(double ns)
{
    return ns < 9e18 ? (uint64_t)ceil(ns) : UINT64_MAX;
}

/* Places a clock between the bounds that the placed ones give from both sides; its error by those
 * of the first one alone, if that gives both. */
static void place_clock(struct mpi_job *m, const struct parts *p, uint32_t k)
{
    struct mpi_clock *c = &m->clocks[k];
    struct bounds all = find_hulls_of_clock(p, k, p->by_all),
                  own = find_hulls_of_clock(p, k, p->by_0);
    const uint64_t others = has_both(&own) ? 0 : p->error;
    const struct bounds *judge = has_both(&own) ? &own : &all;
    const double slope = find_slope(&all);
    const double height = (find_lowest(&all, slope) + find_highest(&all, slope)) / 2;
    const double shift =
        (double)subtract_time(all.y0, judge->y0) - slope * (double)(int64_t)(all.x0 - judge->x0);
    c->base = all.x0;
    c->slope = slope;
    c->offset = add_time(all.y0, llrint(height));
    c->told = true;
    c->bounds = (uint32_t)(all.nlow + all.nhigh);
    const uint64_t error = round_error(find_error(judge, slope, height + shift));
    c->error_ns = error < UINT64_MAX - others ? others + error : UINT64_MAX;
    free_bounds(&all);
    free_bounds(&own);
}

/* A clock of which only one side is bounded, or none: by the time of day, as far as the bounds
 * allow. */
static void guess_clock(struct mpi_job *m, const struct parts *p, uint32_t k)
{
    struct mpi_clock *c = &m->clocks[k];
    struct bounds b = find_hulls_of_clock(p, k, p->by_all);
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
        for (end = i; end < p->n && p->list[end].group == p->list[i].group; end++) {
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

/* Each part is looked at a few times, however many clocks there are. */
static void find_clocks(struct mpi_job *m)
{
    struct parts p = {0};
    list_parts(&p, m);
    index_parts(&p, m->nclocks);
    p.clocks = xcalloc(m->nclocks, sizeof *p.clocks);
    p.by_all = xcalloc(p.groups, sizeof *p.by_all);
    p.by_0 = xcalloc(p.groups, sizeof *p.by_0);
    for (size_t i = 0; i < p.groups; i++)
        p.by_all[i] = (struct reached){INT64_MIN, INT64_MAX};
    mark_placed(&p, m, 0);
    for (size_t i = 0; i < p.groups; i++)
        p.by_0[i] = p.by_all[i];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t k = 1; k < m->nclocks; k++)
            if (!p.clocks[k].placed && p.clocks[k].low && p.clocks[k].high) {
                place_clock(m, &p, k);
                mark_placed(&p, m, k);
                more = true;
            }
    }
    for (uint32_t k = 1; k < m->nclocks; k++)
        if (!p.clocks[k].placed)
            guess_clock(m, &p, k);
    m->backwards = count_backwards(m, &p);
    free_clock_parts(&p);
}

void mpi_align(struct mpi_job *m)
{
    if (m->nclocks)
        m->clocks[0].told = true;
    if (m->nclocks < 2)
        return;
    find_clocks(m);
    for (size_t i = 0; i < m->n; i++) {
        struct mpi_call *c = &m->calls[i];
        c->begin = mpi_time(m, c->rank, c->begin);
        c->end = mpi_time(m, c->rank, c->end);
        if (!(c->what & (MPI_RECORD_TOGETHER | MPI_RECORD_APART)))
            c->order = mpi_time(m, c->rank, c->order);
    }
}
