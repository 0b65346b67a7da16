/*
 * Finds the calls that waited. A rank that receives waits from the begin of the call until the
 * sender has begun to send; one that sends, as far as its call lasts, until the receiver has asked
 * for the message; one in a collective until the last of those that it waits for has come. (Names
 * as in Scalasca's patterns: late sender, late receiver, wait at a collective.)
 *
 * The cause: the other rank may be late because it waited itself, for a third one, since the two
 * last met. As much of the wait as it waited more than this one is the third one's fault, and so
 * on. (The idea: Boehme and others, Identifying the root causes of wait states, 2010.)
 */
#include <stdlib.h>

#include "base/list.h"
#include "base/search.h"
#include "engine/mpi/mpi_impl.h"
#include "format/mpi_record.h"

/* --- waits --- */

void mpi_add_wait(struct mpi_job *m, uint32_t call, uint32_t other, uint64_t from, uint64_t until,
                  enum mpi_why why)
{
    const struct mpi_call *c = &m->calls[call];
    const uint64_t begin = from > c->begin ? from : c->begin;
    const uint64_t end = until < c->end ? until : c->end;
    if (end <= begin)
        return;
    LIST_ADD(m->waits, m->nwaits, m->waits_room,
             (struct mpi_wait){.call = call,
                               .rank = c->rank,
                               .for_ = other,
                               .cause = MPI_NOBODY,
                               .begin = begin,
                               .ns = end - begin,
                               .why = (uint8_t)why});
}

/* A send that went on after the receiver had asked for it may have waited for that; one that was
 * over by then was buffered. completion: the call that ended it, or itself. */
static void add_waits_of_message(struct mpi_job *m, const struct mpi_message *msg,
                                 uint32_t completion)
{
    const struct mpi_call *s = &m->calls[msg->send], *r = &m->calls[msg->receive];
    const struct mpi_call *over = &m->calls[completion];
    mpi_add_wait(m, msg->receive, s->rank, 0, s->order,
                 s->tag < -1 ? MPI_LATE_WINDOW : MPI_LATE_SENDER);
    if (over->end > r->order)
        mpi_add_wait(m, completion, r->rank, 0, r->order, MPI_LATE_RECEIVER);
}

/* The calls that ended sends, by rank and the time when the send was begun. */
struct completions {
    uint32_t *list;
    size_t n, room;
    const struct mpi_call *calls;
};

static int compare_sends(const struct mpi_call *a, const struct mpi_call *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_completions(const void *x, const void *y, void *calls)
{
    const struct mpi_call *list = calls;
    return compare_sends(&list[*(const uint32_t *)x], &list[*(const uint32_t *)y]);
}

static struct completions list_completions(const struct mpi_job *m)
{
    struct completions c = {.calls = m->calls};
    for (size_t i = 0; i < m->n; i++)
        if (m->calls[i].what & MPI_RECORD_COMPLETED)
            LIST_ADD(c.list, c.n, c.room, (uint32_t)i);
    if (c.n)
        qsort_r(c.list, c.n, sizeof *c.list, compare_completions, m->calls);
    return c;
}

static uint32_t find_completion(const struct completions *c, uint32_t send)
{
    const struct mpi_call *s = &c->calls[send];
    size_t at = 0;
    SEARCH_FIRST(at, c->n, compare_sends(&c->calls[c->list[at]], s) < 0);
    return at < c->n && compare_sends(&c->calls[c->list[at]], s) == 0 ? c->list[at] : send;
}

/* --- collectives --- */

static bool is_later_for_sure(const struct mpi_job *m, const struct mpi_call *last,
                              const struct mpi_call *c)
{
    const uint64_t by = last->begin > c->begin ? last->begin - c->begin : 0;
    return by > MPI_APART_NS && by - MPI_APART_NS > mpi_error(m, last->rank, c->rank);
}

/* Whether the call came after all others that count, and somebody waited for it, by more than what
 * is not known of the clocks. */
static bool is_last_for_sure(const struct mpi_job *m, const struct mpi_together *t)
{
    const struct mpi_call *last = &m->calls[t->last];
    bool waited = false;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct mpi_call *c = &m->calls[m->members[t->from + i]];
        if (c == last)
            continue;
        if (mpi_gives(m, t, i) && !is_later_for_sure(m, last, c))
            return false;
        waited |= mpi_takes(m, t, i) && is_later_for_sure(m, last, &m->calls[m->ends[t->from + i]]);
    }
    return waited;
}

static void add_waits_of_together(struct mpi_job *m, struct mpi_together *t)
{
    uint64_t first = UINT64_MAX, last = 0, end = UINT64_MAX;
    t->last = MPI_NOBODY;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t call = m->members[t->from + i];
        const struct mpi_call *c = &m->calls[call];
        if (mpi_takes(m, t, i) && m->calls[m->ends[t->from + i]].begin < first)
            first = m->calls[m->ends[t->from + i]].begin;
        if (mpi_gives(m, t, i) && (t->last == MPI_NOBODY || c->begin > last)) {
            last = c->begin;
            t->last = call;
        }
    }
    if (t->last == MPI_NOBODY)
        return;
    t->skew = last > first ? last - first : 0;
    t->decided = is_last_for_sure(m, t);
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t over = m->ends[t->from + i];
        if (!mpi_takes(m, t, i))
            continue;
        end = m->calls[over].end < end ? m->calls[over].end : end;
        if (m->members[t->from + i] != t->last)
            mpi_add_wait(m, over, m->calls[t->last].rank, 0, last, MPI_LATE_COLLECTIVE);
    }
    t->transfer = end > last && end != UINT64_MAX ? end - last : 0;
}

static void count_together(struct mpi_job *m)
{
    for (size_t k = 0; k < m->ntogether; k++) {
        const struct mpi_together *t = &m->together[k];
        if (t->last == MPI_NOBODY)
            continue;
        for (uint32_t i = 0; i < t->n; i++)
            m->ranks[m->calls[m->members[t->from + i]].rank].together++;
        m->ranks[m->calls[t->last].rank].last += t->decided;
    }
}

/* --- one wait at a time --- */

static int compare_waits_by_begin(const void *x, const void *y)
{
    const struct mpi_wait *a = x, *b = y;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if (a->why != b->why)
        return a->why < b->why ? -1 : 1;
    return (a->for_ > b->for_) - (a->for_ < b->for_);
}

/* Cuts off the part of each wait in which its rank already waits in an earlier one, so that no time
 * counts twice: threads may wait at the same time, and one call may wait for several messages. */
static void separate_waits(struct mpi_job *m)
{
    size_t kept = 0;
    if (m->nwaits)
        qsort(m->waits, m->nwaits, sizeof *m->waits, compare_waits_by_begin);
    for (size_t i = 0; i < m->nwaits; i++) {
        const struct mpi_wait *before = kept ? &m->waits[kept - 1] : NULL;
        struct mpi_wait w = m->waits[i];
        const uint64_t end = w.begin + w.ns;
        if (before && before->rank == w.rank && before->begin + before->ns > w.begin)
            w.begin = before->begin + before->ns;
        if (end <= w.begin)
            continue;
        w.ns = end - w.begin;
        m->waits[kept++] = w;
    }
    m->nwaits = kept;
}

/* --- causes --- */

enum { LOOK_BACK = 64 }; /* so many waits are looked at */

/* The waits of a rank: they are a run of the list by rank and time. */
struct causes {
    struct mpi_job *m;
    uint32_t *by_end; /* indices into the waits */
    size_t *first;    /* of each rank, and one more */
    uint32_t stretch; /* that is given out now */
};

static void add_caused(const struct causes *c, uint32_t rank, uint64_t ns)
{
    c->m->ranks[rank].caused += ns;
    c->m->caused_in[(size_t)rank * c->m->stretches + c->stretch] += ns;
}

static int compare_wait_ends(const void *x, const void *y, void *job)
{
    const struct mpi_job *m = job;
    const uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
    const struct mpi_wait *a = &m->waits[i], *b = &m->waits[k];
    const uint64_t ea = a->begin + a->ns, eb = b->begin + b->ns;
    if (ea != eb)
        return ea < eb ? -1 : 1;
    return (i > k) - (i < k);
}

static uint64_t begin_of_wait(const struct mpi_job *m, size_t wait)
{
    return m->waits[wait].begin;
}

static uint64_t end_of_wait(const struct mpi_job *m, size_t wait)
{
    return m->waits[wait].begin + m->waits[wait].ns;
}

/* When the two ranks last were at the same place: the end of the last wait for that rank, or at a
 * collective. */
static uint64_t find_last_meeting(const struct causes *c, const struct mpi_wait *w)
{
    const struct mpi_job *m = c->m;
    const size_t first = c->first[w->rank], at = (size_t)(w - m->waits);
    size_t i = at;
    while (i > first && at - i < LOOK_BACK) {
        const struct mpi_wait *v = &m->waits[--i];
        if (v->for_ == w->for_ || v->why == MPI_LATE_COLLECTIVE)
            return end_of_wait(m, i);
    }
    return i > first ? begin_of_wait(m, i) : 0;
}

/* The rank's first wait that ends after a time, and the sum of those from there to a time. */
static size_t find_waits_between(const struct causes *c, uint32_t rank, uint64_t from, uint64_t to,
                                 size_t *end, uint64_t *sum)
{
    const struct mpi_job *m = c->m;
    size_t first = c->first[rank], last = c->first[rank];
    SEARCH_FIRST(last, c->first[rank + 1], begin_of_wait(m, last) < to);
    SEARCH_FIRST(first, last, end_of_wait(m, first) <= from);
    first = last - first > LOOK_BACK ? last - LOOK_BACK : first;
    *sum = 0;
    for (size_t i = first; i < last; i++)
        *sum += end_of_wait(m, i) - (begin_of_wait(m, i) > from ? begin_of_wait(m, i) : from);
    *end = last;
    return first;
}

/* Gives out a wait to those who caused it: as much as the other rank waited more than this one,
 * since they last met, is the fault of those that it waited for. Returns who caused most. */
static uint32_t share_mpi_wait(const struct causes *c, const struct mpi_wait *w)
{
    struct mpi_job *m = c->m;
    const uint64_t to = w->begin + w->ns, from = find_last_meeting(c, w);
    uint64_t own, others, most = 0, given = 0;
    uint32_t cause = w->for_;
    size_t end;
    find_waits_between(c, w->rank, from, w->begin, &end, &own);
    const size_t first = find_waits_between(c, w->for_, from, to, &end, &others);
    uint64_t share = others > own ? others - own : 0;
    share = share < w->ns ? share : w->ns;
    for (size_t i = end; i > first && given < share; i--) { /* the newest first */
        const struct mpi_wait *v = &m->waits[i - 1];
        const uint64_t part = v->ns < share - given ? v->ns : share - given;
        if (v->cause == MPI_NOBODY)
            continue;
        given += part;
        if (v->cause != w->rank) /* what it caused comes back to it, and is the fault of no rank */
            add_caused(c, v->cause, part);
        if (part > most) {
            most = part;
            cause = v->cause;
        }
    }
    add_caused(c, w->for_, w->ns - given);
    return w->ns - given >= most ? w->for_ : cause;
}

static void find_causes(struct mpi_job *m)
{
    struct causes c = {.m = m};
    m->stretches = m->nwaits < MPI_STRETCHES ? (uint32_t)m->nwaits : MPI_STRETCHES;
    m->caused_in = xcalloc((size_t)m->nranks * m->stretches + 1, sizeof *m->caused_in);
    c.by_end = xcalloc(m->nwaits + 1, sizeof *c.by_end);
    c.first = xcalloc(m->nranks + (size_t)2, sizeof *c.first);
    for (size_t i = 0; i < m->nwaits; i++) {
        c.by_end[i] = (uint32_t)i;
        c.first[m->waits[i].rank + 1]++;
    }
    for (uint32_t r = 0; r < m->nranks; r++)
        c.first[r + 1] += c.first[r];
    if (m->nwaits)
        qsort_r(c.by_end, m->nwaits, sizeof *c.by_end, compare_wait_ends, m);
    for (size_t i = 0; i < m->nwaits; i++) {
        struct mpi_wait *w = &m->waits[c.by_end[i]];
        const uint64_t error = mpi_error(m, w->rank, w->for_);
        c.stretch = (uint32_t)(i * m->stretches / m->nwaits);
        m->ranks[w->rank].waited += w->ns;
        m->ranks[w->rank].by[w->why] += w->ns;
        if (w->ns > MPI_APART_NS && w->ns - MPI_APART_NS > error)
            w->cause = share_mpi_wait(&c, w);
    }
    free(c.by_end);
    free(c.first);
}

void mpi_find_waits(struct mpi_job *m)
{
    struct completions c = list_completions(m);
    for (size_t i = 0; i < m->nmessages; i++)
        add_waits_of_message(m, &m->messages[i], find_completion(&c, m->messages[i].send));
    free(c.list);
    for (size_t i = 0; i < m->ntogether; i++)
        add_waits_of_together(m, &m->together[i]);
    mpi_find_waits_for_locks(m);
    count_together(m);
    separate_waits(m);
    find_causes(m);
}
