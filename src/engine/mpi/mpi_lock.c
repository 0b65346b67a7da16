/*
 * Who kept a rank from another one's memory. Locks of one rank's memory in one window of which one
 * is exclusive are held one after the other, in the order in which they are given back. So a call
 * of the later one that lasts until the earlier one is given back waited for that. It may be any
 * call between MPI_Win_lock and MPI_Win_unlock: the MPI decides when it takes the lock.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/mpi/mpi_impl.h"
#include "format/mpi_record.h"

enum { LOCKS_LOOKED_BACK = 64 };

/* A lock that a rank had: its calls are steps[first] to steps[first + n - 1]. */
struct lock {
    size_t first, n;
    uint64_t end; /* when it was given back */
};

struct locks {
    struct mpi_job *m;
    uint32_t *steps; /* calls, by window, memory, rank and time */
    size_t nsteps, steps_room;
    struct lock *list; /* by window, memory and end */
    size_t n, room;
};

static const struct mpi_call *get_step(const struct locks *l, size_t i)
{
    return &l->m->calls[l->steps[i]];
}

static int compare_memory(const struct mpi_call *a, const struct mpi_call *b)
{
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    return (a->peer > b->peer) - (a->peer < b->peer);
}

static int compare_steps(const void *x, const void *y, void *calls)
{
    const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const struct mpi_call *a = (const struct mpi_call *)calls + i;
    const struct mpi_call *b = (const struct mpi_call *)calls + k;
    const int c = compare_memory(a, b);
    if (c != 0)
        return c;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (i > k) - (i < k);
}

static int compare_locks(const void *x, const void *y, void *ctx)
{
    const struct lock *a = x, *b = y;
    const int c = compare_memory(get_step(ctx, a->first), get_step(ctx, b->first));
    if (c != 0)
        return c;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The calls about others' memory, if any of them locks it. */
static void list_steps(struct locks *l)
{
    const struct mpi_job *m = l->m;
    bool any = false;
    for (size_t i = 0; i < m->n && !any; i++)
        any = m->calls[i].call == MPI_RECORD_Win_lock;
    for (size_t i = 0; i < m->n && any; i++)
        if (m->calls[i].call >= MPI_RECORD_Put && m->calls[i].what == MPI_RECORD_SPAN &&
            m->calls[i].peer >= 0)
            LIST_ADD(l->steps, l->nsteps, l->steps_room, (uint32_t)i);
    if (l->nsteps)
        qsort_r(l->steps, l->nsteps, sizeof *l->steps, compare_steps, m->calls);
}

static void list_locks(struct locks *l)
{
    size_t first = 0;
    bool open = false;
    for (size_t i = 0; i < l->nsteps; i++) {
        const struct mpi_call *c = get_step(l, i), *begun = get_step(l, first);
        if (c->call == MPI_RECORD_Win_lock) {
            first = i;
            open = true;
        }
        if (c->call != MPI_RECORD_Win_unlock || !open || compare_memory(begun, c) != 0 ||
            begun->rank != c->rank)
            continue;
        LIST_ADD(l->list, l->n, l->room,
                 (struct lock){.first = first, .n = i + 1 - first, .end = c->end});
        open = false;
    }
    if (l->n)
        qsort_r(l->list, l->n, sizeof *l->list, compare_locks, l);
}

/* What the call waited for locks that were given back before its own, which is list[at]. */
static void add_waits_of_step(const struct locks *l, size_t at, uint32_t call)
{
    const struct mpi_call *c = &l->m->calls[call];
    const struct mpi_call *own = get_step(l, l->list[at].first);
    uint64_t until = c->end;
    for (size_t i = at; i-- > 0 && at - i <= LOCKS_LOOKED_BACK && until > c->begin;) {
        const struct mpi_call *other = get_step(l, l->list[i].first);
        const uint64_t end = l->list[i].end < until ? l->list[i].end : until;
        if (compare_memory(own, other) != 0 || l->list[i].end <= c->begin)
            return;
        if (other->rank == own->rank || !(other->tag > 0 || own->tag > 0))
            continue;
        const uint64_t from = i && compare_memory(own, get_step(l, l->list[i - 1].first)) == 0
                                  ? l->list[i - 1].end
                                  : 0;
        mpi_add_wait(l->m, call, other->rank, from, end, MPI_LATE_WINDOW);
        until = from;
    }
}

void mpi_find_waits_for_locks(struct mpi_job *m)
{
    struct locks l = {.m = m};
    list_steps(&l);
    list_locks(&l);
    for (size_t i = 0; i < l.n; i++)
        for (size_t k = 0; k < l.list[i].n; k++)
            add_waits_of_step(&l, i, l.steps[l.list[i].first + k]);
    free(l.steps);
    free(l.list);
}
