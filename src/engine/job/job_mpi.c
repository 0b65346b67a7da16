/* The ranks of an MPI job, from the calls that they recorded (engine/mpi). A rank computes while it
 * is in no call of MPI; what it waited is known from clocks that messages align. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/job/job_impl.h"
#include "format/mpi_record.h"

/* --- a rank --- */

struct mpi_span {
    uint64_t begin, end;
};

static int compare_mpi_spans(const void *x, const void *y)
{
    const struct mpi_span *a = x, *b = y;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* The time in which at least one thread is in a call, and the time from the first to the last. */
static uint64_t find_time_in_mpi(const struct trace *t, uint64_t *wall)
{
    struct mpi_span *list = xcalloc(t->nmpi + 1, sizeof *list);
    uint64_t in = 0, to = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->nmpi; i++)
        if (t->mpi[i].what & MPI_RECORD_SPAN && t->mpi[i].call != MPI_RECORD_Finalize)
            list[n++] = (struct mpi_span){t->mpi[i].begin, t->mpi[i].end};
    if (n)
        qsort(list, n, sizeof *list, compare_mpi_spans);
    for (size_t i = 0; i < n; i++) {
        const uint64_t from = list[i].begin > to ? list[i].begin : to;
        in += list[i].end > from ? list[i].end - from : 0;
        to = list[i].end > to ? list[i].end : to;
    }
    *wall = n ? to - list[0].begin : 0;
    free(list);
    return in;
}

void job_add_mpi(struct job *j, const struct trace *t)
{
    struct job_private *p = j->priv;
    struct device_use *u = &j->ranks[j->n - 1].use;
    const struct trace_clock *clock = t->nfiles ? &t->files[0].clock : NULL;
    const bool named = clock && clock->name != GRAPH_NONE;
    if (!j->mpi)
        j->mpi = xcalloc(1, sizeof *j->mpi);
    uint32_t n = j->mpi->nranks;
    const uint32_t rank = mpi_add_rank(j->mpi, named ? graph_text(t->calls, clock->name) : "",
                                       clock ? clock->unix_ns : 0);
    LIST_ADD(p->mpi_ranks, n, p->mpi_room, j->n - 1);
    for (size_t i = 0; i < t->nmpi; i++) {
        struct mpi_call c = t->mpi[i];
        c.rank = rank;
        if (!mpi_add(j->mpi, &c))
            break;
    }
    u->communication = find_time_in_mpi(t, &u->wall);
    u->compute = u->wall - u->communication;
    u->kernels = u->busy = u->wall;
}

/* --- the job --- */

static enum collective_op find_op_of_call(uint8_t call)
{
    switch ((enum mpi_record_call)call) {
    case MPI_RECORD_Barrier:
    case MPI_RECORD_Ibarrier:
        return COLLECTIVE_BARRIER;
    case MPI_RECORD_Bcast:
    case MPI_RECORD_Ibcast:
        return COLLECTIVE_BROADCAST;
    case MPI_RECORD_Reduce:
    case MPI_RECORD_Ireduce:
        return COLLECTIVE_REDUCE;
    case MPI_RECORD_Allreduce:
    case MPI_RECORD_Iallreduce:
        return COLLECTIVE_ALL_REDUCE;
    case MPI_RECORD_Reduce_scatter:
    case MPI_RECORD_Ireduce_scatter:
    case MPI_RECORD_Reduce_scatter_block:
    case MPI_RECORD_Ireduce_scatter_block:
        return COLLECTIVE_REDUCE_SCATTER;
    case MPI_RECORD_Gather:
    case MPI_RECORD_Igather:
    case MPI_RECORD_Gatherv:
    case MPI_RECORD_Igatherv:
        return COLLECTIVE_GATHER;
    case MPI_RECORD_Scatter:
    case MPI_RECORD_Iscatter:
    case MPI_RECORD_Scatterv:
    case MPI_RECORD_Iscatterv:
        return COLLECTIVE_SCATTER;
    case MPI_RECORD_Allgather:
    case MPI_RECORD_Iallgather:
    case MPI_RECORD_Allgatherv:
    case MPI_RECORD_Iallgatherv:
        return COLLECTIVE_ALL_GATHER;
    case MPI_RECORD_Alltoall:
    case MPI_RECORD_Ialltoall:
    case MPI_RECORD_Alltoallv:
    case MPI_RECORD_Ialltoallv:
    case MPI_RECORD_Alltoallw:
    case MPI_RECORD_Ialltoallw:
        return COLLECTIVE_ALL_TO_ALL;
    default:
        return COLLECTIVE_SOME;
    }
}

/* The row of a collective's operation and the ranks that take part: communicators of the same ranks
 * share it. */
static uint32_t find_group_of(struct job *j, const struct mpi_together *t, const uint32_t *place)
{
    const struct mpi_call *c = &j->mpi->calls[j->mpi->members[t->from]];
    char name[48] = "world";
    if (c->communicator != MPI_RECORD_WORLD) /* its first rank, and a mark of all */
        snprintf(name, sizeof name, "from rank %" PRIu32 " #%04x",
                 j->ranks[place[j->priv->mpi_ranks[c->rank]]].number,
                 (unsigned)(c->communicator >> MPI_RECORD_TIMES_BITS & 0xffff));
    return job_find_group(j, find_op_of_call(c->call), name, t->n);
}

static void add_to_job_group(struct job_group *g, const struct mpi_together *t)
{
    g->members = t->n;
    g->together++;
    g->undecided += !t->decided;
    g->skew += t->skew;
    g->skew_most = t->skew > g->skew_most ? t->skew : g->skew_most;
    g->transfer += t->transfer;
}

/* Who came last most often in each group. */
static void find_latest_of_groups(struct job *j, const uint32_t *place, const uint32_t *groups)
{
    const struct mpi_job *m = j->mpi;
    uint64_t *times = xcalloc((size_t)j->ngroups * j->n + 1, sizeof *times);
    for (size_t i = 0; i < m->ntogether; i++) {
        const struct mpi_together *t = &m->together[i];
        if (groups[i] == TRACE_UNKNOWN || !t->decided)
            continue;
        struct job_group *g = &j->groups[groups[i]];
        const uint32_t rank = place[j->priv->mpi_ranks[m->calls[t->last].rank]];
        const uint64_t n = ++times[(size_t)groups[i] * j->n + rank];
        if (n > g->latest_times) {
            g->latest_times = n;
            g->latest = rank;
        }
    }
    free(times);
}

static void fill_groups_of_mpi(struct job *j, const uint32_t *place)
{
    const struct mpi_job *m = j->mpi;
    uint32_t *groups = xcalloc(m->ntogether + 1, sizeof *groups);
    for (size_t i = 0; i < m->ntogether; i++) {
        groups[i] = TRACE_UNKNOWN;
        if (m->together[i].last == MPI_NOBODY)
            continue;
        groups[i] = find_group_of(j, &m->together[i], place);
        add_to_job_group(&j->groups[groups[i]], &m->together[i]);
    }
    find_latest_of_groups(j, place, groups);
    free(groups);
    job_sort_groups(j);
}

void job_match_mpi(struct job *j, const uint32_t *place)
{
    struct mpi_job *m = j->mpi;
    mpi_match(m);
    mpi_align(m);
    mpi_find_waits(m);
    fill_groups_of_mpi(j, place);
    for (uint32_t i = 0; i < m->nranks; i++) {
        m->ranks[i].id = place[j->priv->mpi_ranks[i]];
        struct job_rank *r = &j->ranks[m->ranks[i].id];
        r->judged = true;
        r->together = m->ranks[i].together;
        r->last = m->ranks[i].last;
        r->waited = m->ranks[i].waited;
        r->caused = m->ranks[i].caused;
    }
    if (m->nmessages + m->ntogether == 0)
        j->why_not = "no message and no collective is recorded by all ranks that take part in it";
}
