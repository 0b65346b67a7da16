#include "engine/trace/trace_mpi.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "engine/graph/rank_edges.h"
#include "engine/trace/trace.h"

/* --- clocks --- */

/* Each file is a rank. Those without calls of MPI are there for their clocks. */
static void add_files_as_ranks(struct mpi_job *m, const struct trace *t)
{
    char unnamed[32];
    for (uint32_t i = 0; i < t->nfiles; i++) {
        const struct trace_clock *c = &t->files[i].clock;
        snprintf(unnamed, sizeof unnamed, "file %" PRIu32, i);
        mpi_add_rank(m, c->name != GRAPH_NONE ? graph_text(t->calls, c->name) : unnamed,
                     c->unix_ns != GRAPH_UNKNOWN ? c->unix_ns : 0);
    }
}

/* Moves the file's spans: each by its own time, as clocks drift. */
static void move_file_by_messages(struct trace *t, const struct mpi_job *m, uint32_t file)
{
    struct trace_file *f = &t->files[file];
    const struct mpi_clock *c = &m->clocks[m->ranks[file].clock];
    for (uint32_t v = f->from; v < f->to; v++)
        if (t->calls->start[v] != GRAPH_UNKNOWN)
            t->calls->start[v] =
                mpi_time(m, file, t->calls->start[v]) - (uint64_t)c->offset; /* the drift */
    f->how = c->told ? TRACE_MESSAGES : TRACE_TIME_OF_DAY;
    f->offset_ns = c->offset;
    f->matched = c->bounds;
    f->uncertainty_ns = c->told ? c->error_ns : GRAPH_UNKNOWN;
}

static uint32_t count_files_with_mpi(const struct trace *t)
{
    uint32_t files = 0, last = TRACE_UNKNOWN;
    for (size_t i = 0; i < t->nmpi; i++) { /* in order of files */
        files += t->mpi[i].rank != last;
        last = t->mpi[i].rank;
    }
    return files;
}

/* Without a time of day on both sides, trace_align places the file. */
static bool is_clock_known(const struct mpi_job *m, uint32_t clock)
{
    const struct mpi_clock *c = &m->clocks[clock];
    return c->told || (c->unix_ns && m->clocks[0].unix_ns);
}

void trace_match_mpi(struct trace *t, struct mpi_job *m)
{
    *m = (struct mpi_job){.n = 0};
    if (count_files_with_mpi(t) < 2)
        return;
    m->calls = t->mpi; /* lent, as a job may have many */
    m->n = t->nmpi;
    add_files_as_ranks(m, t);
    mpi_match(m);
    bool *used = xcalloc(m->nclocks + (size_t)1, sizeof *used);
    for (size_t i = 0; i < m->n; i++)
        used[m->ranks[m->calls[i].rank].clock] = true;
    mpi_align(m);
    for (uint32_t i = 1; i < t->nfiles; i++)
        if (m->ranks[i].clock != 0 && used[m->ranks[i].clock] &&
            is_clock_known(m, m->ranks[i].clock))
            move_file_by_messages(t, m, i);
    free(used);
}

/* --- edges --- */

static uint32_t find_last_to_begin(const struct mpi_job *m, const struct mpi_together *t)
{
    uint32_t last = 0;
    for (uint32_t i = 1; i < t->n; i++)
        if (m->calls[m->members[t->from + i]].begin > m->calls[m->members[t->from + last]].begin)
            last = i;
    return last;
}

/* The call could end only after the node had begun. */
static void connect_call(const struct mpi_job *m, struct graph *g, uint32_t node, uint32_t call)
{
    if (node != GRAPH_NONE && m->calls[call].node != GRAPH_NONE)
        graph_message(g, node, m->calls[call].node);
}

static void connect_collective(const struct mpi_job *m, const struct mpi_together *t,
                               struct graph *g, uint32_t *nodes)
{
    const uint8_t kind = m->calls[m->members[t->from]].kind;
    uint32_t root = MPI_NOBODY;
    for (uint32_t i = 0; i < t->n; i++) {
        nodes[i] = m->calls[m->members[t->from + i]].node;
        root = mpi_is_root(m, t, i) ? i : root;
    }
    if (kind == MPI_ALL && m->ends[t->from] == m->members[t->from])
        graph_meet(g, nodes, t->n);
    else if (kind == MPI_ALL)
        root = find_last_to_begin(m, t); /* the others wait for it as for a root */
    for (uint32_t i = 0; i < t->n && root != MPI_NOBODY; i++) {
        if (i == root)
            continue;
        if (mpi_takes(m, t, i))
            connect_call(m, g, nodes[root], m->ends[t->from + i]);
        else if (mpi_gives(m, t, i) && mpi_takes(m, t, root))
            connect_call(m, g, nodes[i], m->ends[t->from + root]);
    }
}

void trace_meet_mpi(struct trace *t, struct mpi_job *m)
{
    uint32_t *nodes = xcalloc(m->nranks + (size_t)1, sizeof *nodes);
    for (size_t i = 0; i < m->nmessages; i++) {
        const struct mpi_message *msg = &m->messages[i];
        const bool after = m->calls[msg->receive].end >= m->calls[msg->send].begin;
        if (m->calls[msg->send].tag >= -1 || after) /* a window's call may not have waited */
            connect_call(m, t->calls, m->calls[msg->send].node, msg->receive);
    }
    for (size_t i = 0; i < m->ntogether; i++)
        connect_collective(m, &m->together[i], t->calls, nodes);
    free(nodes);
    if (m->calls) { /* the edges say it all, and the calls take as much memory as the spans */
        t->mpi = NULL;
        t->nmpi = 0;
    }
    mpi_free(m);
}
