/* Matches messages: those of one communicator, sender, receiver and tag do not overtake each other,
 * so the k-th that was sent is the k-th that was asked for. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/search.h"
#include "engine/mpi/mpi.h"
#include "format/mpi_record.h"

static uint32_t find_or_add_mpi_clock(struct mpi_job *m, const char *name, uint64_t unix_ns)
{
    struct mpi_clock c = {.unix_ns = unix_ns};
    strncat(c.name, name, sizeof c.name - 1);
    const uint64_t hash = hash_bytes(0, c.name, strlen(c.name));
    HASH_EACH (&m->by_name, hash, i)
        if (strcmp(m->clocks[i].name, c.name) == 0)
            return i;
    hash_table_add(&m->by_name, hash, m->nclocks);
    LIST_ADD(m->clocks, m->nclocks, m->clocks_room, c);
    return m->nclocks - 1;
}

uint32_t mpi_add_rank(struct mpi_job *m, const char *clock, uint64_t unix_ns)
{
    const uint32_t i = find_or_add_mpi_clock(m, clock, unix_ns);
    LIST_ADD(m->ranks, m->nranks, m->ranks_room, (struct mpi_rank){.clock = i});
    return m->nranks - 1;
}

bool mpi_add(struct mpi_job *m, const struct mpi_call *c)
{
    if (m->n >= UINT32_MAX)
        return false;
    LIST_ADD(m->calls, m->n, m->room, *c);
    return true;
}

void mpi_free(struct mpi_job *m)
{
    free(m->calls);
    free(m->ranks);
    for (uint32_t i = 0; i < m->nclocks; i++)
        free(m->clocks[i].shifts);
    free(m->clocks);
    hash_table_free(&m->by_name);
    free(m->messages);
    free(m->members);
    free(m->ends);
    free(m->together);
    free(m->waits);
    free(m->caused_in);
    *m = (struct mpi_job){0};
}

/* --- members of communicators --- */

struct member {
    uint64_t communicator;
    uint32_t ranks; /* of the communicator */
    int32_t member;
    uint32_t rank; /* index */
};

struct members {
    struct member *by_member, *by_rank; /* the same list in two orders */
    size_t n, room;
};

static int compare_members_by_number(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    if (a->member != b->member)
        return a->member < b->member ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_members_by_rank(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static void list_mpi_members(struct members *out, const struct mpi_job *m)
{
    *out = (struct members){0};
    for (size_t i = 0; i < m->n; i++) {
        const struct mpi_call *c = &m->calls[i];
        if (c->what & MPI_RECORD_MEMBER && c->communicator)
            LIST_ADD(out->by_member, out->n, out->room,
                     (struct member){.communicator = c->communicator,
                                     .ranks = (uint32_t)c->bytes,
                                     .member = c->peer,
                                     .rank = c->rank});
    }
    out->by_rank = xcalloc(out->n + 1, sizeof *out->by_rank);
    if (out->n == 0)
        return;
    memcpy(out->by_rank, out->by_member, out->n * sizeof *out->by_rank);
    qsort(out->by_member, out->n, sizeof *out->by_member, compare_members_by_number);
    qsort(out->by_rank, out->n, sizeof *out->by_rank, compare_members_by_rank);
}

static void free_members(struct members *s)
{
    free(s->by_member);
    free(s->by_rank);
}

/* The rank that is this member; MPI_NOBODY if its file is not here. */
static uint32_t find_rank_of_member(const struct members *s, uint64_t communicator, int32_t member)
{
    const struct member want = {.communicator = communicator, .member = member};
    size_t at = 0;
    SEARCH_FIRST(at, s->n, compare_members_by_number(&s->by_member[at], &want) < 0);
    const bool found = at < s->n && s->by_member[at].communicator == communicator &&
                       s->by_member[at].member == member;
    return found ? s->by_member[at].rank : MPI_NOBODY;
}

/* How many ranks the communicator has; 0: the rank is not known to be one of them. */
static uint32_t count_ranks_of(const struct members *s, uint64_t communicator, uint32_t rank)
{
    const struct member want = {.communicator = communicator, .rank = rank};
    size_t at = 0;
    SEARCH_FIRST(at, s->n, compare_members_by_rank(&s->by_rank[at], &want) < 0);
    const bool found = at < s->n && compare_members_by_rank(&s->by_rank[at], &want) == 0;
    return found ? s->by_rank[at].ranks : 0;
}

/* --- messages --- */

struct message_end {
    uint64_t communicator, order;
    uint32_t from, to; /* ranks */
    int32_t tag;
    uint32_t call;
};

struct message_ends {
    struct message_end *list;
    size_t n, room;
};

static int compare_lanes(const struct message_end *a, const struct message_end *b)
{
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static int compare_message_ends(const void *x, const void *y)
{
    const struct message_end *a = x, *b = y;
    const int c = compare_lanes(a, b);
    if (c != 0)
        return c;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->call > b->call) - (a->call < b->call);
}

/* Lists the sends, or the receives, sorted. Those whose other rank is not here are counted. */
static void list_message_ends(struct message_ends *out, struct mpi_job *m, const struct members *s,
                              bool sends)
{
    const uint8_t what = sends ? MPI_RECORD_SENT : MPI_RECORD_RECEIVED;
    *out = (struct message_ends){0};
    for (size_t i = 0; i < m->n; i++) {
        const struct mpi_call *c = &m->calls[i];
        if (!(c->what & what))
            continue;
        const uint32_t other = find_rank_of_member(s, c->communicator, c->peer);
        struct mpi_rank *r = &m->ranks[c->rank];
        if (other == MPI_NOBODY) {
            r->unsent += sends;
            r->ungotten += !sends;
            continue;
        }
        LIST_ADD(out->list, out->n, out->room,
                 (struct message_end){.communicator = c->communicator,
                                      .order = c->order,
                                      .from = sends ? c->rank : other,
                                      .to = sends ? other : c->rank,
                                      .tag = c->tag,
                                      .call = (uint32_t)i});
    }
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, compare_message_ends);
}

static void match_messages(struct mpi_job *m, const struct members *s)
{
    struct message_ends sent, got;
    size_t i = 0, k = 0;
    list_message_ends(&sent, m, s, true);
    list_message_ends(&got, m, s, false);
    while (i < sent.n || k < got.n) {
        int c = i < sent.n ? -1 : 1;
        if (i < sent.n && k < got.n)
            c = compare_lanes(&sent.list[i], &got.list[k]);
        if (c < 0) {
            m->ranks[sent.list[i++].from].unsent++;
        } else if (c > 0) {
            m->ranks[got.list[k++].to].ungotten++;
        } else {
            m->ranks[sent.list[i].from].sent++;
            m->ranks[sent.list[i].to].received++;
            m->epochs += sent.list[i].tag < -1;
            LIST_ADD(m->messages, m->nmessages, m->messages_room,
                     (struct mpi_message){sent.list[i++].call, got.list[k++].call});
        }
    }
    free(sent.list);
    free(got.list);
}

/* --- collectives --- */

static int compare_together(const void *x, const void *y, void *calls)
{
    const struct mpi_call *a = (const struct mpi_call *)calls + *(const uint32_t *)x;
    const struct mpi_call *b = (const struct mpi_call *)calls + *(const uint32_t *)y;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* Whether these calls of one number are one collective: each rank of the communicator once, with
 * the same operation. */
static bool is_whole_collective(const struct mpi_job *m, const struct members *s,
                                const uint32_t *list, size_t n)
{
    const struct mpi_call *first = &m->calls[list[0]];
    for (size_t i = 1; i < n; i++) {
        const struct mpi_call *c = &m->calls[list[i]];
        if (c->call != first->call || c->peer != first->peer)
            return false;
        if (c->rank == m->calls[list[i - 1]].rank)
            return false;
    }
    return n > 1 && n == count_ranks_of(s, first->communicator, first->rank);
}

/* Lists the calls that did `what` of these, by communicator, number and rank. */
static uint32_t *list_together(const struct mpi_job *m, uint8_t these, uint8_t what, size_t *n)
{
    uint32_t *list = NULL;
    size_t room = 0;
    for (size_t i = 0; i < m->n; i++)
        if ((m->calls[i].what & these) == what)
            LIST_ADD(list, *n, room, (uint32_t)i);
    if (list)
        qsort_r(list, *n, sizeof *list, compare_together, m->calls);
    return list;
}

/* The call that ended each member: itself, unless it only began the collective. */
static void find_collective_ends(struct mpi_job *m)
{
    size_t n = 0, k = 0;
    uint32_t *list = list_together(m, MPI_RECORD_TOGETHER | MPI_RECORD_APART, MPI_RECORD_APART, &n);
    m->ends = xcalloc(m->nmembers + 1, sizeof *m->ends);
    for (size_t i = 0; i < m->nmembers; i++) {
        m->ends[i] = m->members[i];
        if (!(m->calls[m->members[i]].what & MPI_RECORD_APART))
            continue;
        while (k < n && compare_together(&list[k], &m->members[i], m->calls) < 0)
            k++;
        const bool ended = k < n && compare_together(&list[k], &m->members[i], m->calls) == 0;
        m->ends[i] = ended ? list[k] : MPI_NOBODY;
    }
    free(list);
}

static void match_mpi_collectives(struct mpi_job *m, const struct members *s)
{
    m->members = list_together(m, MPI_RECORD_TOGETHER, MPI_RECORD_TOGETHER, &m->nmembers);
    find_collective_ends(m);
    for (size_t i = 0, end; i < m->nmembers; i = end) {
        const struct mpi_call *c = &m->calls[m->members[i]];
        for (end = i + 1; end < m->nmembers; end++) {
            const struct mpi_call *next = &m->calls[m->members[end]];
            if (next->communicator != c->communicator || next->order != c->order)
                break;
        }
        if (is_whole_collective(m, s, m->members + i, end - i))
            LIST_ADD(
                m->together, m->ntogether, m->together_room,
                (struct mpi_together){.from = (uint32_t)i,
                                      .n = (uint32_t)(end - i),
                                      .root = find_rank_of_member(s, c->communicator, c->peer)});
        else if (count_ranks_of(s, c->communicator, c->rank) !=
                 1) /* one alone waits for no other */
            m->unmatched += end - i;
    }
}

void mpi_match(struct mpi_job *m)
{
    struct members s;
    list_mpi_members(&s, m);
    match_messages(m, &s);
    match_mpi_collectives(m, &s);
    free_members(&s);
}
