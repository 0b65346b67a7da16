/*
 * Finds how far the clocks of hosts are apart: as Duda, Harrus, Haddad, Bernard, Estimating global
 * time in distributed systems (1987), by the bounds that messages in both directions give. mpi.h
 * says which line is taken.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/mpi/mpi_impl.h"
#include "format/mpi_record.h"

/* --- what bounds the clocks --- */

/* When the ranks whose clocks are placed had begun a message or collective, and when they ended it,
 * on the clock of rank 0. */
struct reached {
    int64_t begun, ended; /* INT64_MIN, INT64_MAX: not known */
};

struct parts {
    struct mpi_part *list;
    size_t n, room, groups;
    size_t *by_clock, *first;      /* indices of the parts of clock k: first[k] to first[k + 1] */
    struct reached *by_all, *by_0; /* of each group: by the clocks that are placed; by the first */
    struct reached *by_later;      /* of each part: by those of later clocks; NULL: by none */
    struct side {
        bool placed, low, high; /* low, high: by_all bounds it from there */
    } * clocks;
    uint32_t *order; /* in which the clocks were placed */
    uint32_t placed;
};

/* end: the call that ended what this one began, or itself. */
static void add_clock_part(struct parts *out, const struct mpi_job *m, uint32_t call, uint32_t end,
                           bool gives, bool takes)
{
    const struct mpi_call *c = &m->calls[call];
    LIST_ADD(out->list, out->n, out->room,
             (struct mpi_part){.clock = m->ranks[c->rank].clock,
                               .gives = gives,
                               .takes = takes,
                               .group = out->groups,
                               .begin = c->begin,
                               .end = takes ? m->calls[end].end : c->end});
}

static int compare_clock_parts(const void *x, const void *y)
{
    const struct mpi_part *a = x, *b = y;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Ends a group, whose parts begin at first. It is kept if more than one clock has some. */
static void end_group(struct parts *out, size_t first)
{
    if (out->n > first)
        qsort(out->list + first, out->n - first, sizeof *out->list, compare_clock_parts);
    if (out->n == first || out->list[first].clock == out->list[out->n - 1].clock)
        out->n = first; /* also if there is none: scans */
    else
        out->groups++;
}

/* Whether a rank waited there for what was posted, the MPI decides. */
static bool may_end_before_cause(const struct mpi_call *c)
{
    return c->tag == MPI_RECORD_POST_TO_START || c->tag == MPI_RECORD_POST_TO_COMPLETE;
}

static void list_parts(struct parts *out, const struct mpi_job *m)
{
    for (size_t i = 0; i < m->nmessages; i++) {
        const size_t first = out->n;
        const struct mpi_message *msg = &m->messages[i];
        if (may_end_before_cause(&m->calls[msg->receive]))
            continue;
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
    free(p->by_later);
    free(p->order);
    free(p->clocks);
}

static int64_t get_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t get_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Adds what a part says of its group, by where its clock is now. */
static void reach_part(struct reached *r, const struct mpi_job *m, const struct mpi_part *a)
{
    const struct mpi_clock *c = &m->clocks[a->clock];
    if (a->gives)
        r->begun = get_later(r->begun, mpi_move(c, a->begin));
    if (a->takes)
        r->ended = get_earlier(r->ended, mpi_move(c, a->end));
}

/* Times of damaged files may be any: sums wrap, as those of unsigned numbers do. */
static int64_t subtract_time(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The lines that clock k may have, by what the groups of its parts reached; the clocks that reached
 * that may be wrong by an error. */
static struct mpi_bounds find_bounds_of_clock(const struct parts *p, uint32_t k,
                                              const struct reached *by,
                                              const struct reached *by_later, double error)
{
    struct mpi_bounds b = {0};
    for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
        const struct mpi_part *a = &p->list[p->by_clock[i]];
        struct reached r = by[a->group];
        if (by_later) {
            r.begun = get_later(r.begun, by_later[p->by_clock[i]].begun);
            r.ended = get_earlier(r.ended, by_later[p->by_clock[i]].ended);
        }
        if (a->takes && r.begun != INT64_MIN)
            mpi_add_bound(&b, true, a->end, r.begun);
        if (a->gives && r.ended != INT64_MAX)
            mpi_add_bound(&b, false, a->begin, r.ended);
    }
    mpi_keep_hulls(&b);
    for (size_t i = 0; i < b.nlow; i++)
        b.low[i].y -= error;
    for (size_t i = 0; i < b.nhigh; i++)
        b.high[i].y += error;
    return b;
}

/* --- clocks --- */

static bool has_both(const struct mpi_bounds *b)
{
    return b->nlow && b->nhigh;
}

/* The group of this part is known from one side now: that bounds the clocks of its other parts. */
static void bound_clocks_of_group(struct parts *p, const struct mpi_part *a, bool low)
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
    p->clocks[k].placed = true;
    for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
        const struct mpi_part *a = &p->list[p->by_clock[i]];
        struct reached *r = &p->by_all[a->group];
        const struct reached was = *r;
        reach_part(r, m, a);
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

/* A clock of which only one side is bounded, or none: by the time of day, as far as the bounds
 * allow. */
static void guess_clock(struct mpi_job *m, const struct mpi_bounds *b, uint32_t k)
{
    struct mpi_clock *c = &m->clocks[k];
    c->offset = (int64_t)(c->unix_ns - m->clocks[0].unix_ns);
    c->base = b->x0;
    const double at = (double)subtract_time(c->offset, b->y0);
    if (b->nlow && at < mpi_find_lowest(b, 0))
        c->offset = (int64_t)((uint64_t)b->y0 + (uint64_t)llrint(mpi_find_lowest(b, 0)));
    if (b->nhigh && at > mpi_find_highest(b, 0))
        c->offset = (int64_t)((uint64_t)b->y0 + (uint64_t)llrint(mpi_find_highest(b, 0)));
}

/* Places a clock between the bounds that other ones give. */
static void place_clock(struct mpi_job *m, struct parts *p, uint32_t k)
{
    struct mpi_clock *c = &m->clocks[k];
    struct mpi_bounds b = find_bounds_of_clock(p, k, p->by_all, p->by_later, 0);
    if (has_both(&b)) {
        c->slope = mpi_find_slope(&b);
        const double height = (mpi_find_lowest(&b, c->slope) + mpi_find_highest(&b, c->slope)) / 2;
        c->base = b.x0;
        c->offset = (int64_t)((uint64_t)b.y0 + (uint64_t)llrint(height));
        c->bounds = (uint32_t)(b.nlow + b.nhigh);
    } else {
        guess_clock(m, &b, k);
    }
    mpi_free_bounds(&b);
    mark_placed(p, m, k);
}

/* How far a clock may be from the true one: by the bounds of the first clock alone, if that gives
 * both; else by those of the clocks before it, with their own error. */
static double find_error_of_clock(const struct mpi_job *m, const struct parts *p, uint32_t k,
                                  double others)
{
    const struct mpi_clock *c = &m->clocks[k];
    double ends[2] = {INFINITY, -INFINITY};
    struct mpi_bounds b = find_bounds_of_clock(p, k, p->by_0, NULL, 0);
    if (!has_both(&b)) {
        mpi_free_bounds(&b);
        b = find_bounds_of_clock(p, k, p->by_all, NULL, others);
    }
    for (size_t i = p->first[k]; i < p->first[k + 1]; i++) {
        const struct mpi_part *a = &p->list[p->by_clock[i]];
        const double begin = (double)(int64_t)(a->begin - b.x0),
                     end = (double)(int64_t)(a->end - b.x0);
        ends[0] = fmin(ends[0], a->gives ? begin : end);
        ends[1] = fmax(ends[1], a->takes ? end : begin);
    }
    const double height =
        (double)subtract_time(c->offset, b.y0) + c->slope * (double)(int64_t)(b.x0 - c->base);
    const double error = mpi_find_error(&b, c->slope, height, ends);
    mpi_free_bounds(&b);
    return error;
}

uint64_t mpi_time(const struct mpi_job *m, uint32_t rank, uint64_t ns)
{
    const int64_t at = mpi_move(&m->clocks[m->ranks[rank].clock], ns);
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

/* What still ends before its cause. */
static uint64_t count_backwards(const struct mpi_job *m, const struct parts *p)
{
    uint64_t n = 0;
    for (size_t i = 0, end; i < p->n; i = end) {
        struct reached r = {INT64_MIN, INT64_MAX};
        for (end = i; end < p->n && p->list[end].group == p->list[i].group; end++)
            reach_part(&r, m, &p->list[end]);
        n += r.ended < r.begun;
    }
    return n;
}

/* Forgets all clocks but the first. */
static void forget_clocks(struct parts *p)
{
    memcpy(p->by_all, p->by_0, p->groups * sizeof *p->by_all);
}

/* Places the first clock that is bounded from so many sides at least, or with two all of them. */
static bool place_bounded(struct mpi_job *m, struct parts *p, int sides, bool told)
{
    const uint32_t before = p->placed;
    for (uint32_t k = 1; k < m->nclocks && (sides == 2 || p->placed == before); k++) {
        const struct side *c = &p->clocks[k];
        if (c->placed || c->low + c->high < sides)
            continue;
        place_clock(m, p, k);
        m->clocks[k].told = told;
        p->order[p->placed++] = k;
    }
    return p->placed > before;
}

/* Places the clocks one after the other: those first that are bounded most. */
static void place_clocks(struct mpi_job *m, struct parts *p)
{
    mark_placed(p, m, 0);
    memcpy(p->by_0, p->by_all, p->groups * sizeof *p->by_0);
    bool told = true;
    for (int sides = 2; sides >= 0;) {
        told &= sides == 2;
        sides = place_bounded(m, p, sides, told) ? 2 : sides - 1;
    }
}

/* Places each clock again, between all others: the ones placed first may have left no room. Each
 * round brings them nearer to where all have room, which there is for even clocks. */
static void place_again(struct mpi_job *m, struct parts *p)
{
    forget_clocks(p);
    struct reached r = {INT64_MIN, INT64_MAX};
    for (size_t i = p->n, last = p->n; i-- > 0;) { /* last: where later clocks' parts begin */
        const struct mpi_part *a = &p->list[i];
        if (i + 1 == p->n || a->group != a[1].group) {
            r = (struct reached){INT64_MIN, INT64_MAX};
            last = i + 1;
        } else if (a->clock != a[1].clock) {
            while (last > i + 1)
                reach_part(&r, m, &p->list[--last]);
        }
        p->by_later[i] = r;
    }
    for (uint32_t k = 1; k < m->nclocks; k++)
        place_clock(m, p, k);
}

enum { ROUNDS = 50, LOOKED_BACK = 8 };

/* Ends where rounds no longer help: clocks that do not run evenly have no right places. */
static void place_until_right(struct mpi_job *m, struct parts *p)
{
    uint64_t before[LOOKED_BACK];
    p->by_later = xcalloc(p->n, sizeof *p->by_later);
    for (int i = 0; i < ROUNDS && m->backwards; i++) {
        if (i >= LOOKED_BACK && before[i % LOOKED_BACK] <= m->backwards)
            return;
        before[i % LOOKED_BACK] = m->backwards;
        place_again(m, p);
        m->backwards = count_backwards(m, p);
    }
}

/* Each clock's, but for what mpi_shift adds. */
static void find_errors(struct mpi_job *m, struct parts *p)
{
    double most = 0;
    forget_clocks(p);
    for (uint32_t i = 0; i < p->placed; i++) {
        const uint32_t k = p->order[i];
        const double error = m->clocks[k].told ? find_error_of_clock(m, p, k, most) : INFINITY;
        most = fmax(most, error);
        m->clocks[k].error_ns = round_error(error);
        mark_placed(p, m, k);
    }
}

/* Each part is looked at a few times a round, however many clocks there are. */
static void find_clocks(struct mpi_job *m)
{
    struct parts p = {0};
    list_parts(&p, m);
    index_parts(&p, m->nclocks);
    p.clocks = xcalloc(m->nclocks, sizeof *p.clocks);
    p.order = xcalloc(m->nclocks, sizeof *p.order);
    p.by_all = xcalloc(p.groups, sizeof *p.by_all);
    p.by_0 = xcalloc(p.groups, sizeof *p.by_0);
    for (size_t i = 0; i < p.groups; i++)
        p.by_all[i] = (struct reached){INT64_MIN, INT64_MAX};
    place_clocks(m, &p);
    m->backwards = count_backwards(m, &p);
    if (m->backwards && m->nclocks > 2)
        place_until_right(m, &p);
    find_errors(m, &p);
    if (m->backwards) {
        mpi_shift(m, p.list, p.n, p.groups);
        m->backwards = count_backwards(m, &p);
    }
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
