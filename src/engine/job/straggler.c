/* The verdict: whether one rank holds the others up, and by what. job.h has the rule. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/job/job_impl.h"
#include "engine/statistics/ranks.h"
#include "engine/value/stats.h"

static int compare_order(const void *x, const void *y)
{
    const struct collective_call *a = x, *b = y;
    return (a->order > b->order) - (a->order < b->order);
}

static bool is_matched_call_of(const struct collective_call *c, uint32_t was)
{
    return c->rank == was && !isnan(c->late);
}

/* How late the rank came to each of its collectives, in their order. The caller frees the list. */
static double *list_lateness(struct job *j, uint32_t was, size_t *n)
{
    struct job_private *p = j->priv;
    *n = 0;
    for (size_t i = 0; i < p->ncalls; i++)
        *n += is_matched_call_of(&p->calls[i], was);
    struct collective_call *own = xcalloc(*n + 1, sizeof *own);
    double *late = xcalloc(*n + 1, sizeof *late);
    for (size_t i = 0, k = 0; i < p->ncalls; i++)
        if (is_matched_call_of(&p->calls[i], was))
            own[k++] = p->calls[i];
    if (*n)
        qsort(own, *n, sizeof *own, compare_order);
    for (size_t i = 0; i < *n; i++)
        late[i] = own[i].late;
    free(own);
    return late;
}

/* The probability of a mean as far above 0, if these come from a process whose mean is 0. 1 with
 * fewer independent samples than least. */
static double find_chance_of_mean(const double *v, size_t n, double least)
{
    const struct stats s = stats_of(v, n);
    if (s.effective < least || s.mean <= 0)
        return 1;
    if (s.sd <= 0)
        return 0;
    return stats_t_p(s.mean / (s.sd / sqrt(s.effective)), s.effective - 1) / 2;
}

/*
 * The probability that one of equal ranks is so late by chance. Ranks that wait for each other all
 * the time are late independently at each collective; then the mean of the lateness tells. Hosts
 * that run ahead drift apart by chance and stay apart; then only the mean of what is added from one
 * collective to the next tells. The better of both counts, times two, times the number of ranks.
 * A walk by chance has about four to ten independent samples, whatever its length.
 */
enum { INDEPENDENT_LEAST = 12 };
static double find_chance(struct job *j, uint32_t was)
{
    size_t n;
    double *late = list_lateness(j, was, &n);
    const double apart = find_chance_of_mean(late, n, INDEPENDENT_LEAST);
    for (size_t i = 1; i < n; i++)
        late[i - 1] = late[i] - late[i - 1];
    const double drift = n > 1 ? find_chance_of_mean(late, n - 1, STATS_LEAST) : 1;
    free(late);
    return fmin(1, 2.0 * j->n * fmin(apart, drift));
}

/* --- of waits in MPI --- */

enum { CLIPPED_SPREADS = 3 };

/* In each stretch of the waits: what others waited for this rank beyond what they waited for the
 * second. What is far from the median, as the wait for a rank that started late, is cut off. The
 * caller frees the list. */
static double *list_caused_beyond(const struct mpi_job *m, uint32_t rank, uint32_t second)
{
    const uint32_t n = m->stretches;
    double *more = xcalloc(n + (size_t)1, sizeof *more);
    for (uint32_t k = 0; k < n; k++)
        more[k] = (double)m->caused_in[(size_t)rank * n + k] -
                  (double)m->caused_in[(size_t)second * n + k];
    const double median = median_of(more, n);
    const double most = CLIPPED_SPREADS * mad_spread(more, n, median);
    for (uint32_t k = 0; k < n && most > 0; k++)
        more[k] = fmax(median - most, fmin(median + most, more[k]));
    return more;
}

/*
 * The probability that others wait so much more for one of equal ranks than for the second. Each
 * wait is for what came late since the ranks last met: so the waits of one stretch tell nothing of
 * the next one, but for what the machine does to a rank for longer, which makes fewer independent
 * samples. Of two ranks either may be the first: times two. The more ranks there are, the nearer
 * the second one is by chance.
 */
static double find_chance_of_waits(const struct mpi_job *m, uint32_t id)
{
    uint32_t rank = 0, second = MPI_NOBODY;
    while (m->ranks[rank].id != id)
        rank++;
    for (uint32_t i = 0; i < m->nranks; i++)
        if (i != rank && (second == MPI_NOBODY || m->ranks[i].caused > m->ranks[second].caused))
            second = i;
    if (second == MPI_NOBODY)
        return 1;
    double *more = list_caused_beyond(m, rank, second);
    const double chance = find_chance_of_mean(more, m->stretches, STATS_LEAST);
    free(more);
    return fmin(1, 2 * chance);
}

/* --- the verdict --- */

static uint64_t get_part(const struct device_use *u, enum job_cause c)
{
    switch (c) {
    case JOB_COMPUTES:
        return u->compute;
    case JOB_COPIES:
        return u->copying;
    case JOB_HOST_LATE:
        return u->late;
    default:
        return 0;
    }
}

/* How much longer than the median of the others the rank takes in this part. */
static double find_excess(const struct job *j, uint32_t rank, enum job_cause c, double *others)
{
    size_t n = 0;
    for (uint32_t i = 0; i < j->n; i++)
        if (i != rank)
            others[n++] = (double)get_part(&j->ranks[i].use, c);
    const struct stats s = stats_of(others, n);
    return (double)get_part(&j->ranks[rank].use, c) - s.median;
}

static void find_cause(struct job *j)
{
    struct job_straggler *s = &j->straggler;
    double *others = xcalloc(j->n + (size_t)1, sizeof *others), most = 0;
    for (int c = JOB_NOT_SEEN + 1; c < JOB_CAUSES; c++) {
        const double excess = find_excess(j, s->rank, (enum job_cause)c, others);
        if (excess > most && excess >= (double)s->lost / 2) {
            most = excess;
            s->cause = (enum job_cause)c;
        }
    }
    s->excess = (uint64_t)most;
    free(others);
}

/* The rank for which the others waited longest; TRACE_UNKNOWN: they waited for none. */
static uint32_t find_most_waited_for(const struct job *j, uint64_t *all)
{
    uint32_t most = TRACE_UNKNOWN;
    *all = 0;
    for (uint32_t i = 0; i < j->n; i++) {
        const uint64_t caused = j->ranks[i].caused;
        *all += caused;
        if (caused && (most == TRACE_UNKNOWN || caused > j->ranks[most].caused))
            most = i;
    }
    return most;
}

void job_judge(struct job *j, const uint32_t *place)
{
    struct job_straggler *s = &j->straggler;
    uint64_t all;
    uint32_t was = 0;
    *s = (struct job_straggler){
        .rank = TRACE_UNKNOWN, .most = TRACE_UNKNOWN, .chance = NAN, .share = NAN};
    const uint32_t rank = find_most_waited_for(j, &all);
    s->most = rank;
    if (rank == TRACE_UNKNOWN || j->n < 2 || j->wall == 0)
        return;
    const struct job_rank *r = &j->ranks[rank];
    while (place[was] != rank)
        was++;
    s->lost = r->caused / (j->n - 1);
    s->share = (double)s->lost / (double)j->wall;
    s->chance = j->mpi ? find_chance_of_waits(j->mpi, rank) : find_chance(j, was);
    if (s->chance > 1.0 / JOB_CHANCE || (double)r->caused < JOB_SHARE * (double)all ||
        s->share < JOB_LOST)
        return;
    s->rank = rank;
    find_cause(j);
}

const char *job_cause_name(enum job_cause c)
{
    static const char *const names[JOB_CAUSES] = {"", "computes", "copies", "host late"};
    return (unsigned)c < JOB_CAUSES ? names[c] : "";
}

const char *job_cause_text(enum job_cause c)
{
    static const char *const texts[JOB_CAUSES] = {
        "its profile does not show why",
        "it computes longer",
        "it copies longer",
        "its host launches work later",
    };
    return (unsigned)c < JOB_CAUSES ? texts[c] : "";
}
