/*
 * Which part of a rank's CPU time goes into communication. Libraries of communication wait by
 * asking again and again, so a rank that waits for another one uses as much CPU time as one that
 * computes: only its call stacks tell them apart.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/job/rank_impl.h"
#include "base/arena.h"

/* Begins of file names. Open MPI, its components and what it is built on; MPICH and its children;
 * transports (UCX, libfabric, PSM, verbs); NCCL and RCCL; OpenSHMEM. */
static const char *const libraries[] = {
    "libmpi",     "libopen-", "mca_",    "libpmix",   "libprrte", "libmpich",
    "libfabric",  "libuc",    "libpsm",  "libhcoll",  "libsharp", "libmlx",
    "libibverbs", "libnccl",  "librccl", "liboshmem", "libgloo",
};

/* Begins and parts of names of functions that wait, where they are linked into the program. */
static const char *const functions[] = {"MPI_", "PMPI_", "MPIR_", "MPID", "ncclKernel"};
static const char *const waits[] = {"sched_yield", "epoll_wait", "sys_poll", "__poll"};

static bool is_communication(const struct hot_symbol *y)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (strncmp(y->module, libraries[i], strlen(libraries[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(y->name, functions[i], strlen(functions[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (strstr(y->name, waits[i]))
            return true;
    return false;
}

/* A caller comes before those it calls, so each node knows of its caller's. */
void rank_stacks_see(struct rank_stacks *r, const struct hot_stacks *p)
{
    bool *within = xcalloc(p->nnodes + 1, sizeof *within);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *n = &p->nodes[i];
        const struct hot_symbol *y = &p->symbols[n->symbol];
        within[i] = (n->parent >= 0 && within[n->parent]) || is_communication(y);
        const enum rank_place place = y->where == HOT_KERNEL ? RANK_KERNEL : RANK_USER;
        r->samples[place] += n->self;
        r->within[place] += within[i] ? n->self : 0;
    }
    free(within);
}
