/*
 * Where clocks do not run evenly, no line leaves all effects after their causes. What comes too
 * early is then moved behind its cause, with all that its clock says later; that wears off. The
 * idea: the controlled logical clock (Rabenseifner, The controlled logical clock, 1997), of hosts
 * instead of processes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/search.h"
#include "engine/mpi/mpi_impl.h"

enum {
    WEARS_OFF = 128,            /* a shift of 1 ns lasts so many ns */
    MOST_SHIFT_NS = 1000000000, /* what is further back is not the fault of a clock */
};

static int64_t find_shift(const struct mpi_clock *c, uint64_t ns)
{
    uint32_t at = 0;
    SEARCH_FIRST(at, c->nshifts, c->shifts[at].at <= ns);
    if (at == 0)
        return 0;
    const uint64_t worn = (ns - c->shifts[at - 1].at) / WEARS_OFF, was = c->shifts[at - 1].ns;
    return was > worn ? (int64_t)(was - worn) : 0;
}

/* Times of damaged files may be any: sums wrap, as those of unsigned numbers do. */
int64_t mpi_move(const struct mpi_clock *c, uint64_t ns)
{
    const double past = (double)(int64_t)(ns - c->base);
    const uint64_t drift = (uint64_t)llrint(c->slope * past);
    return (int64_t)(ns + (uint64_t)c->offset + drift + (uint64_t)find_shift(c, ns));
}

/* What the parts of one clock in a group give, when the last of them has begun, or take, when the
 * first one ends. */
struct event {
    uint32_t clock;
    bool takes;
    size_t group;
    uint64_t at;
    uint64_t own; /* what takes: when its own clock gives; 0: it does not */
};

struct replay {
    struct mpi_job *m;
    struct event *events; /* by clock and time */
    size_t n, room;
    size_t *next, *end; /* of each clock */
    struct waited {
        uint32_t clocks; /* that have to give still */
        int64_t begun;   /* when the last one gave so far */
    } * groups;
};

/* What takes comes before what gives at the same time: a shift moves both. */
static int compare_events(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->takes != b->takes)
        return a->takes ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* Adds the events of the parts from one on that are of the same clock and group. Returns where the
 * next ones begin. */
static size_t add_events(struct replay *r, const struct mpi_part *list, size_t n, size_t from)
{
    const struct mpi_part *first = &list[from];
    struct event gives = {.clock = first->clock, .group = first->group}, takes = gives;
    size_t i = from;
    bool any = false;
    takes.at = UINT64_MAX;
    for (; i < n && list[i].group == first->group && list[i].clock == first->clock; i++) {
        any |= list[i].gives;
        takes.takes |= list[i].takes;
        if (list[i].gives && list[i].begin > gives.at)
            gives.at = list[i].begin;
        if (list[i].takes && list[i].end < takes.at)
            takes.at = list[i].end;
    }
    takes.own = gives.at;
    if (any) {
        LIST_ADD(r->events, r->n, r->room, gives);
        r->groups[first->group].clocks++;
    }
    if (takes.takes)
        LIST_ADD(r->events, r->n, r->room, takes);
    return i;
}

static void index_events(struct replay *r)
{
    const uint32_t clocks = r->m->nclocks;
    r->next = xcalloc(clocks, sizeof *r->next);
    r->end = xcalloc(clocks, sizeof *r->end);
    qsort(r->events, r->n, sizeof *r->events, compare_events);
    for (size_t i = r->n; i-- > 0;)
        r->next[r->events[i].clock] = i;
    for (size_t i = 0; i < r->n; i++)
        r->end[r->events[i].clock] = i + 1;
}

static void shift_clock(struct mpi_clock *c, uint64_t at, uint64_t by)
{
    const uint64_t ns = (uint64_t)find_shift(c, at) + by;
    if (by > MOST_SHIFT_NS || ns > MOST_SHIFT_NS)
        return;
    LIST_ADD(c->shifts, c->nshifts, c->shifts_room, (struct mpi_forward){.at = at, .ns = ns});
    if (ns <= c->shifted_ns)
        return;
    if (c->error_ns < UINT64_MAX - MOST_SHIFT_NS)
        c->error_ns += ns - c->shifted_ns;
    c->shifted_ns = ns;
}

static void pass_event(struct replay *r, const struct event *e)
{
    struct mpi_clock *c = &r->m->clocks[e->clock];
    struct waited *g = &r->groups[e->group];
    const int64_t at = mpi_move(c, e->at);
    if (e->takes && at < g->begun)
        shift_clock(c, e->at, (uint64_t)g->begun - (uint64_t)at);
    if (e->takes)
        return;
    g->begun = at > g->begun ? at : g->begun;
    g->clocks--;
}

/* Goes on with a clock to the first event that waits for another clock; `one`: passes that, too. */
static bool pass_events(struct replay *r, uint32_t k, bool one)
{
    const size_t from = r->next[k];
    for (; r->next[k] < r->end[k]; r->next[k]++) {
        const struct event *e = &r->events[r->next[k]];
        const bool own = e->own >= e->at; /* comes later, and is not waited for */
        if (e->takes && r->groups[e->group].clocks > own && !one)
            break;
        one = false;
        pass_event(r, e);
    }
    return r->next[k] > from;
}

/* Records that contradict each other wait in a circle: then one event is passed all the same. */
static void replay_events(struct replay *r)
{
    const uint32_t n = r->m->nclocks;
    bool moved = true, up = false;
    for (bool stuck = false; moved || !stuck;) {
        stuck = !moved;
        moved = false;
        up = !up; /* chains of messages may go either way */
        for (uint32_t i = 0; i < n; i++)
            moved |= pass_events(r, up ? i : n - 1 - i, stuck && !moved);
    }
}

void mpi_shift(struct mpi_job *m, const struct mpi_part *list, size_t n, size_t groups)
{
    struct replay r = {.m = m, .groups = xcalloc(groups, sizeof *r.groups)};
    for (size_t i = 0; i < groups; i++)
        r.groups[i].begun = INT64_MIN;
    for (size_t i = 0; i < n;)
        i = add_events(&r, list, n, i);
    if (r.events) {
        index_events(&r);
        replay_events(&r);
    }
    free(r.events);
    free(r.next);
    free(r.end);
    free(r.groups);
}
