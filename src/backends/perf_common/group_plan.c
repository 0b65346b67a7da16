#include "backends/perf_common/group_plan.h"

#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "base/arena.h"

/* Whether both are the same event for the kernel, so that one count can serve both requests. */
static bool same_event(const struct perf_encoding *a, const struct perf_encoding *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2 && a->exclude_user == b->exclude_user &&
           a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
           !strcmp(a->pmu, b->pmu) && !strcmp(a->cpumask, b->cpumask);
}

static enum plan_domain event_plan_domain(const struct perf_encoding *e)
{
    if (e->scope == EVENT_UNCORE)
        return PLAN_UNCORE;
    if (e->type == PERF_TYPE_SOFTWARE || e->type == PERF_TYPE_TRACEPOINT ||
        e->type == PERF_TYPE_BREAKPOINT)
        return PLAN_SOFTWARE;
    return PLAN_CORE;
}

/* Source: Intel SDM vol. 3, "Performance Metrics": pseudo event 0x00, umask 0x04 is slots,
 * 0x80..0x87 are metrics. */
static bool core_pseudo(const struct perf_encoding *e)
{
    return event_plan_domain(e) == PLAN_CORE && e->type != PERF_TYPE_HARDWARE &&
           e->type != PERF_TYPE_HW_CACHE && (e->config & 0xff) == 0;
}

/* Whether this is Intel's topdown event "slots" (event 0, umask 4), which must lead its group;
 * metric events follow it. */
static bool plan_is_slots(const struct perf_encoding *e)
{
    return core_pseudo(e) && (e->config & 0xffff) == 0x0400;
}

static bool is_topdown_metric(const struct perf_encoding *e)
{
    return core_pseudo(e) && (e->config & 0xffff) >= 0x8000 && (e->config & 0xffff) <= 0x8700;
}

/* Whether an event may join the group: same PMU, or a software event in a core group. */
static bool may_share(const struct plan_group *g, const struct perf_encoding *e)
{
    enum plan_domain d = event_plan_domain(e);
    const struct perf_encoding *lead = &g->members[0];
    if (g->domain == PLAN_CORE && d == PLAN_SOFTWARE)
        return true;
    if (g->domain != d)
        return false;
    if (d == PLAN_SOFTWARE)
        return true;
    return !strcmp(lead->pmu, e->pmu) && !strcmp(lead->cpumask, e->cpumask);
}

static int count_free_counters(enum plan_domain d, const struct plan_limits *l)
{
    int n = 0;
    if (d == PLAN_CORE)
        n = l->counters ? l->counters - l->taken : 0;
    else if (d == PLAN_UNCORE)
        n = l->uncore;
    if (d == PLAN_CORE && l->counters && n < 1)
        n = 1;
    return n > 0 ? n : 1000;
}

static int find_group_member(const struct plan_group *g, const struct perf_encoding *e)
{
    for (size_t i = 0; i < g->n; i++)
        if (same_event(&g->members[i], e))
            return (int)i;
    return -1;
}

static void append_member(struct plan_group *g, const struct perf_encoding *e)
{
    g->members = xrealloc(g->members, g->n + 1, sizeof *g->members);
    g->members[g->n++] = *e;
    g->cost += e->counters;
}

static struct plan_group *new_group(struct group_plan *p, const struct perf_encoding *leader)
{
    p->groups = xrealloc(p->groups, p->ngroups + 1, sizeof *p->groups);
    struct plan_group *g = &p->groups[p->ngroups++];
    *g = (struct plan_group){.domain = event_plan_domain(leader), .metrics = plan_is_slots(leader)};
    append_member(g, leader);
    return g;
}

/* Whether g can take e. 1: yes, or it is already a member; 0: no space; -1: another PMU. */
static int group_takes(const struct plan_group *g, const struct perf_encoding *e,
                       const struct plan_limits *l)
{
    if (!may_share(g, e))
        return -1;
    if (find_group_member(g, e) >= 0)
        return 1;
    if (is_topdown_metric(e) && !g->metrics)
        return -1;
    return g->cost + e->counters <= count_free_counters(g->domain, l) && g->n < PLAN_GROUP_MAX;
}

/* The order in a group: slots first, then core events, then software events (which cannot lead core
 * events). */
static int group_member_rank(const struct perf_encoding *e)
{
    if (plan_is_slots(e))
        return 0;
    if (is_topdown_metric(e))
        return 1;
    return event_plan_domain(e) == PLAN_SOFTWARE ? 3 : 2;
}

/* Puts an event into one of its set's groups, which begin at `from`, or into a new group. */
static bool place_event(struct group_plan *p, size_t from, const struct perf_encoding *e,
                        const struct plan_limits *l)
{
    bool same_pmu_full = false;
    for (size_t g = from; g < p->ngroups; g++) {
        int t = group_takes(&p->groups[g], e, l);
        if (t > 0) {
            if (find_group_member(&p->groups[g], e) < 0)
                append_member(&p->groups[g], e);
            return false;
        }
        same_pmu_full |= t == 0;
    }
    new_group(p, e);
    return same_pmu_full;
}

static void plan_set(struct group_plan *p, const struct plan_event *ev, size_t n, size_t start,
                     bool *done, const struct plan_limits *l)
{
    size_t from = p->ngroups;
    bool split = false;
    for (int r = 0; r <= 3; r++) {
        for (size_t i = start; i < n; i++) {
            bool mine = i == start || (ev[start].set >= 0 && ev[i].set == ev[start].set);
            if (done[i] || !mine || group_member_rank(ev[i].enc) != r)
                continue;
            split |= place_event(p, from, ev[i].enc, l);
            done[i] = true;
        }
    }
    p->sets_split += split;
}

static bool shares_event(const struct plan_group *a, const struct plan_group *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (find_group_member(a, &b->members[i]) >= 0)
            return true;
    return false;
}

static bool union_fits(const struct plan_group *a, const struct plan_group *b,
                       const struct plan_limits *l)
{
    int cost = a->cost;
    size_t n = a->n;
    for (size_t i = 0; i < b->n; i++) {
        if (!may_share(a, &b->members[i]) || (is_topdown_metric(&b->members[i]) && !a->metrics) ||
            (plan_is_slots(&b->members[i]) && !a->metrics))
            return false;
        if (find_group_member(a, &b->members[i]) < 0) {
            cost += b->members[i].counters;
            n++;
        }
    }
    return cost <= count_free_counters(a->domain, l) && n <= PLAN_GROUP_MAX;
}

static void merge_groups(struct group_plan *p, const struct plan_limits *l)
{
    for (size_t a = 0; a < p->ngroups; a++) {
        for (size_t b = a + 1; b < p->ngroups;) {
            struct plan_group *ga = &p->groups[a], *gb = &p->groups[b];
            /*
             * Software events need no counter; in another set's core group they would wait for one.
             */
            if (ga->domain != gb->domain || !shares_event(ga, gb) || !union_fits(ga, gb, l)) {
                b++;
                continue;
            }
            for (size_t i = 0; i < gb->n; i++)
                if (find_group_member(ga, &gb->members[i]) < 0)
                    append_member(ga, &gb->members[i]);
            free(gb->members);
            memmove(gb, gb + 1, (p->ngroups - b - 1) * sizeof *gb);
            p->ngroups--;
        }
    }
}

static void number_group_members(struct group_plan *p)
{
    p->nmembers = 0;
    for (size_t g = 0; g < p->ngroups; g++) {
        p->groups[g].first = p->nmembers;
        p->nmembers += p->groups[g].n;
    }
}

/* Finds the group that holds most of an event's set, so that the operands of a formula are
 * together. */
static int best_group(const struct group_plan *p, const struct plan_event *ev, size_t n, size_t i)
{
    int best = -1;
    size_t most = 0;
    for (size_t g = 0; g < p->ngroups; g++) {
        if (find_group_member(&p->groups[g], ev[i].enc) < 0)
            continue;
        size_t held = 0;
        for (size_t k = 0; k < n; k++)
            held += (k == i || (ev[i].set >= 0 && ev[k].set == ev[i].set)) &&
                    find_group_member(&p->groups[g], ev[k].enc) >= 0;
        if (best < 0 || held > most) {
            best = (int)g;
            most = held;
        }
    }
    return best;
}

struct group_plan *group_plan_new(const struct plan_event *events, size_t n,
                                  const struct plan_limits *limits)
{
    struct group_plan *p = xcalloc(1, sizeof *p);
    bool *done = xcalloc(n, sizeof *done);
    for (size_t i = 0; i < n; i++)
        if (!done[i])
            plan_set(p, events, n, i, done, limits);
    free(done);
    merge_groups(p, limits);
    number_group_members(p);
    p->nevents = n;
    p->where = xcalloc(n, sizeof *p->where);
    for (size_t i = 0; i < n; i++) {
        int g = best_group(p, events, n, i);
        p->where[i] =
            (struct plan_place){g, g < 0 ? -1 : find_group_member(&p->groups[g], events[i].enc)};
    }
    return p;
}

/* How many members stay when the group is split: those of half the cost; slots and its metrics stay
 * together. */
static size_t find_group_cut(const struct plan_group *g)
{
    size_t keep = (g->n + 1) / 2;
    if (g->metrics) {
        keep = 1;
        while (keep < g->n && is_topdown_metric(&g->members[keep]))
            keep++;
    }
    /* The part that is cut off needs a core event as leader, so software events come last. */
    return keep;
}

struct group_plan *group_plan_split(const struct group_plan *p, size_t group)
{
    if (group >= p->ngroups || p->groups[group].n < 2)
        return NULL;
    size_t keep = find_group_cut(&p->groups[group]);
    if (keep >= p->groups[group].n)
        return NULL;
    struct group_plan *q = xcalloc(1, sizeof *q);
    for (size_t g = 0; g < p->ngroups; g++) {
        const struct plan_group *from = &p->groups[g];
        new_group(q, &from->members[0]);
        for (size_t i = 1; i < (g == group ? keep : from->n); i++)
            append_member(&q->groups[g], &from->members[i]);
    }
    const struct plan_group *cut = &p->groups[group];
    new_group(q, &cut->members[keep]);
    for (size_t i = keep + 1; i < cut->n; i++)
        append_member(&q->groups[q->ngroups - 1], &cut->members[i]);
    number_group_members(q);
    q->nevents = p->nevents;
    q->sets_split = p->sets_split + 1;
    q->where = xcalloc(p->nevents, sizeof *q->where);
    for (size_t i = 0; i < p->nevents; i++) {
        q->where[i] = p->where[i];
        if (p->where[i].group == (int)group && p->where[i].member >= (int)keep)
            q->where[i] = (struct plan_place){(int)q->ngroups - 1, p->where[i].member - (int)keep};
    }
    return q;
}

void group_plan_free(struct group_plan *p)
{
    if (!p)
        return;
    for (size_t g = 0; g < p->ngroups; g++)
        free(p->groups[g].members);
    free(p->groups);
    free(p->where);
    free(p);
}
