/* Finds which calls of the ranks are the same collective, and who came last to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/job/job_impl.h"

/* --- the calls of a rank --- */

static bool same_group_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

uint32_t job_find_group(struct job *j, enum collective_op op, const char *name, uint32_t ranks)
{
    struct job_private *p = j->priv;
    const uint64_t hash = hash_text((uint64_t)op + 1, name ? name : "");
    HASH_EACH (&p->by_name, hash, i)
        if (j->groups[i].op == op && j->groups[i].ranks == ranks &&
            same_group_name(j->groups[i].group, name))
            return i;
    hash_table_add(&p->by_name, hash, j->ngroups);
    LIST_ADD(j->groups, j->ngroups, p->groups_room,
             (struct job_group){.op = op,
                                .group = name ? xstrdup(name) : NULL,
                                .ranks = ranks,
                                .bus = NAN,
                                .latest = TRACE_UNKNOWN});
    return j->ngroups - 1;
}

void job_add_call(struct job *j, enum collective_op op, const char *group, uint32_t ranks,
                  struct collective_call call)
{
    call.group = job_find_group(j, op, group, ranks);
    call.late = NAN;
    LIST_ADD(j->priv->calls, j->priv->ncalls, j->priv->calls_room, call);
}

static void add_call(struct job *j, const struct trace *t, uint32_t node, uint32_t rank)
{
    const struct trace_collective *c = trace_collective_of(t, node);
    const enum collective_op op =
        c ? (enum collective_op)c->op : collective_of(graph_name(t->calls, node));
    if (!collective_waits_for_all(op))
        return;
    const char *name = c && c->group != GRAPH_NONE ? graph_text(t->calls, c->group) : NULL;
    const bool numbered = c && c->sequence != GRAPH_UNKNOWN;
    job_add_call(j, op, name, c ? c->ranks : TRACE_UNKNOWN,
                 (struct collective_call){.sequence = numbered ? c->sequence : 0,
                                          .numbered = numbered,
                                          .duration = t->calls->duration[node],
                                          .bytes = c ? c->bytes : 0,
                                          .rank = rank});
}

void job_add_calls(struct job *j, const struct trace *t, const struct device_uses *u,
                   const uint32_t *ranks)
{
    for (uint32_t i = 0; i < u->ncollectives; i++)
        if (t->calls->kind[u->collectives[i].node] == NODE_KERNEL)
            add_call(j, t, u->collectives[i].node, ranks[u->collectives[i].row]);
}

/* --- matching --- */

/* The calls of one group: whether their places can stand for their numbers. */
static bool can_be_matched(const struct collective_call *calls, size_t n, uint32_t *members)
{
    size_t run = 0, each = 0;
    bool equal = true, numbered = calls[0].numbered, alike = true;
    *members = 0;
    for (size_t i = 0; i < n; i++) {
        run++;
        alike &= calls[i].numbered == numbered;
        if (i + 1 < n && calls[i + 1].rank == calls[i].rank)
            continue;
        equal &= each == 0 || run == each;
        each = run;
        run = 0;
        ++*members;
    }
    return alike && (numbered || equal);
}

static void find_lateness(struct collective_call *calls, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)calls[i].duration;
    for (size_t i = 0; i < n; i++) {
        const double own = (double)calls[i].duration;
        calls[i].late = (float)((sum - own) / (double)(n - 1) - own);
    }
}

static void judge_collective_of_ranks(struct job *j, struct job_group *g,
                                      const struct collective_call *calls, size_t n,
                                      const uint32_t *place)
{
    uint64_t least = UINT64_MAX, second = UINT64_MAX, most = 0;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t d = calls[i].duration;
        if (d < least) {
            second = least;
            least = d;
            last = i;
        } else if (d < second) {
            second = d;
        }
        most = d > most ? d : most;
    }
    g->together++;
    g->transfer += least;
    g->skew += most - least;
    g->skew_most = most - least > g->skew_most ? most - least : g->skew_most;
    const bool decided = second - least > JOB_APART_NS;
    struct job_rank *late = &j->ranks[place[calls[last].rank]];
    g->undecided += !decided;
    late->last += decided;
    for (size_t i = 0; i < n; i++) {
        struct job_rank *r = &j->ranks[place[calls[i].rank]];
        r->together++;
        r->judged = true;
        r->waited += calls[i].duration - least;
        late->caused += decided ? calls[i].duration - least : 0;
    }
}

/* Adds up what the links carried while they transferred. */
struct carried {
    double bytes;
    uint64_t ns;
    struct job_transfer *each;
    size_t n, room;
};

static void add_carried(struct carried *c, const struct job_group *g,
                        const struct collective_call *calls, size_t n)
{
    const double factor = collective_bus_factor(g->op, g->ranks);
    uint64_t least = UINT64_MAX, bytes = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        least = calls[i].duration < least ? calls[i].duration : least;
        bytes = calls[i].bytes < bytes ? calls[i].bytes : bytes;
    }
    if (isnan(factor) || bytes == 0 || least == 0)
        return;
    c->bytes += (double)bytes * factor;
    c->ns += least;
    LIST_ADD(c->each, c->n, c->room,
             (struct job_transfer){bytes, (double)bytes * factor * 1e9 / (double)least});
}

/* Finds who was last most often: times has an entry for each rank. */
static void find_latest_of_group(struct job_group *g, const uint64_t *times, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (times[i] > g->latest_times) {
            g->latest = i;
            g->latest_times = times[i];
        }
}

/* How many calls make one collective. A group of unknown size may have the ranks that are missing,
 * and one of those may be the last. */
static uint32_t count_ranks_of_group(const struct job *j, const struct job_group *g)
{
    if (g->ranks != TRACE_UNKNOWN)
        return g->ranks;
    return j->missing ? j->n + j->missing : g->members;
}

/* Matches the calls of one group, sorted by rank. */
static void match_group(struct job *j, struct collective_call *calls, size_t n,
                        const uint32_t *place)
{
    struct job_group *g = &j->groups[calls[0].group];
    struct carried carried = {0};
    if (!can_be_matched(calls, n, &g->members) || g->members < 2 || g->ranks < 2) {
        g->unmatched += n;
        return;
    }
    const uint32_t want = count_ranks_of_group(j, g);
    uint64_t *times = xcalloc(j->n + (size_t)1, sizeof *times), *before;
    collective_calls_join(calls, n);
    before = xcalloc(j->n + (size_t)1, sizeof *before);
    for (uint32_t i = 0; i < j->n; i++)
        before[i] = j->ranks[i].last;
    for (size_t i = 0, end; i < n; i = end) {
        end = collective_calls_end(calls, n, i);
        if (end - i != want) {
            g->unmatched += end - i;
            continue;
        }
        find_lateness(calls + i, end - i);
        judge_collective_of_ranks(j, g, calls + i, end - i, place);
        add_carried(&carried, g, calls + i, end - i);
    }
    for (uint32_t i = 0; i < j->n; i++)
        times[i] = j->ranks[i].last - before[i];
    find_latest_of_group(g, times, j->n);
    g->bus = carried.ns ? carried.bytes * 1e9 / (double)carried.ns : NAN;
    job_sum_up_sizes(g, carried.each, carried.n);
    free(carried.each);
    free(before);
    free(times);
}

static int compare_job_groups(const void *x, const void *y)
{
    const struct job_group *a = x, *b = y;
    if (a->skew != b->skew)
        return a->skew > b->skew ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return strcmp(a->group ? a->group : "", b->group ? b->group : "");
}

void job_sort_groups(struct job *j)
{
    if (j->ngroups)
        qsort(j->groups, j->ngroups, sizeof *j->groups, compare_job_groups);
}

static const char *why_nothing_matched(const struct job *j)
{
    uint64_t together = 0;
    for (uint32_t i = 0; i < j->ngroups; i++)
        together += j->groups[i].together;
    if (together)
        return NULL;
    return j->ngroups ? "no collective is known to be the same in all ranks of its group: profiles "
                        "are missing, or were taken of different steps"
                      : "no collective that waits for all was recorded, only sends, broadcasts and "
                        "gathers if any";
}

void job_match(struct job *j, const uint32_t *place)
{
    struct job_private *p = j->priv;
    collective_calls_number(p->calls, p->ncalls, false);
    for (size_t i = 0, end; i < p->ncalls; i = end) {
        for (end = i + 1; end < p->ncalls && p->calls[end].group == p->calls[i].group; end++)
            ;
        match_group(j, p->calls + i, end - i, place);
    }
    job_sort_groups(j);
    j->why_not = why_nothing_matched(j);
}
