/* Finds the collective in which each group waits, and what each of its members does there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/list.h"
#include "base/order.h"
#include "base/search.h"
#include "engine/job/hang_impl.h"

/* A member of a group, seen from its rank. */
struct membership {
    uint32_t at, group, member;
};

/* Clocks of hosts differ by less. */
#define HANG_CLOCKS_NS (UINT64_C(60) * 1000000000)

struct hang_judging {
    struct hang *h;
    struct membership *all; /* by rank */
    uint32_t nall, room;
    uint32_t *member_of; /* of the present rank: 1 + its member in each group, or 0 */
};

/* --- what no longer counts --- */

/* What comes after the present call, in the same group of the same rank. */
struct later_calls {
    uint64_t sequence; /* of the next one; HANG_NO_SEQUENCE */
    uint64_t batch;    /* of sends and receives that ended together; HANG_NO_SEQUENCE */
    bool restarted;    /* the numbers began again after this call: the group was made anew */
    bool ended;        /* a later collective has ended, or the rest of its batch */
};

/* A group's collectives end in their order, so one before another that has ended has ended, too:
 * its end was not recorded. PyTorch never records that of a single call in a batch, but only that
 * of the entry "coalesced" which closes the batch. anew: when the group was made anew; 0 never. */
static void settle_hang_call(const struct hang *h, struct hang_call *c, struct later_calls *later,
                             uint64_t anew)
{
    const bool ended = c->state == HANG_COMPLETED;
    if (c->pair) {
        if (ended && strcmp(h->signatures[c->signature].op, "coalesced") == 0)
            later->batch = c->sequence;
        if (later->restarted || c->sequence == later->batch)
            c->state = HANG_COMPLETED;
        return;
    }
    /* a number may come before the one below it where two threads call; the first one is 1 */
    if (later->sequence <= 1 && c->sequence > later->sequence + 1)
        later->restarted = true;
    /* the rank's last call there: it has not come to the new group. One that has not ended may wait
     * in that group, on a host whose clock is behind. */
    const uint64_t doubt = ended ? 0 : HANG_CLOCKS_NS;
    if (later->sequence == HANG_NO_SEQUENCE && anew > doubt && c->created < anew - doubt)
        later->restarted = true;
    later->sequence = c->sequence;
    c->stale = later->restarted;
    if (later->ended || c->stale)
        c->state = HANG_COMPLETED;
    later->ended = later->ended || ended;
}

/* anew: of each group. */
static void settle_hang_calls(struct hang *h, const uint64_t *anew)
{
    const struct later_calls none = {.sequence = HANG_NO_SEQUENCE, .batch = HANG_NO_SEQUENCE};
    struct later_calls *later = xcalloc(h->ngroups + (size_t)1, sizeof *later);
    for (uint32_t i = 0; i < h->n; i++) {
        struct hang_call *calls = h->ranks[i].calls;
        for (uint32_t k = 0; k < h->ranks[i].ncalls; k++)
            later[calls[k].group] = none;
        for (uint32_t k = h->ranks[i].ncalls; k-- > 0;)
            settle_hang_call(h, &calls[k], &later[calls[k].group], anew[calls[k].group]);
    }
    free(later);
}

/* The newest call of each group that is known to be of an earlier one. Returns whether there is
 * one.
 */
static bool find_newest_stale_calls(const struct hang *h, uint64_t *newest)
{
    bool found = false;
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t k = 0; k < h->ranks[i].ncalls; k++) {
            const struct hang_call *c = &h->ranks[i].calls[k];
            if (c->stale && c->created > newest[c->group])
                newest[c->group] = c->created;
            found |= c->stale;
        }
    return found;
}

/* Finds when each group was made anew for the last time: the first call after `stale` of those
 * ranks whose files show that it was. */
static void find_new_groups(const struct hang *h, const uint64_t *stale, uint64_t *anew)
{
    uint32_t *shown = xcalloc(h->ngroups + (size_t)1, sizeof *shown); /* by this rank, + 1 */
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t k = 0; k < h->ranks[i].ncalls; k++) {
            const struct hang_call *c = &h->ranks[i].calls[k];
            uint64_t *first = &anew[c->group];
            if (c->stale)
                shown[c->group] = i + 1;
            else if (!c->pair && shown[c->group] == i + 1 && c->created > stale[c->group])
                *first = *first == 0 || c->created < *first ? c->created : *first;
        }
    free(shown);
}

/* Settles what no longer counts: first by what each rank shows, then also of ranks that never came
 * to a group which others made anew. */
static void settle_earlier_calls(struct hang *h)
{
    uint64_t *stale = xcalloc(h->ngroups + (size_t)1, sizeof *stale);
    uint64_t *anew = xcalloc(h->ngroups + (size_t)1, sizeof *anew);
    settle_hang_calls(h, anew);
    if (find_newest_stale_calls(h, stale)) {
        find_new_groups(h, stale, anew);
        settle_hang_calls(h, anew);
    }
    free(anew);
    free(stale);
}

/* --- who is in which group --- */

/* The index of the first rank with this number or a greater one. */
static uint32_t find_hang_rank(const struct hang *h, uint32_t number)
{
    uint32_t low = 0;
    SEARCH_FIRST(low, h->n, h->ranks[low].number < number);
    return low;
}

/* Gives a group whose ranks no file says those that have calls in it. */
static void add_seen_members(struct hang *h)
{
    uint32_t *room = xcalloc(h->ngroups + (size_t)1, sizeof *room);
    for (uint32_t i = 0; i < h->n; i++)
        for (uint32_t k = 0; k < h->ranks[i].ncalls; k++) {
            struct hang_group *g = &h->groups[h->ranks[i].calls[k].group];
            const uint32_t rank = h->ranks[i].number;
            if (g->known || (g->nmembers && g->members[g->nmembers - 1].rank == rank))
                continue;
            LIST_ADD(g->members, g->nmembers, room[g - h->groups],
                     (struct hang_member){.rank = rank,
                                          .call = HANG_UNKNOWN,
                                          .last = HANG_UNKNOWN,
                                          .elsewhere = HANG_UNKNOWN});
        }
    free(room);
}

static int compare_memberships(const void *x, const void *y)
{
    const struct membership *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* Counts the ranks that groups name and that have left no file. */
static void count_missing_dumps(struct hang *h)
{
    uint32_t *numbers = NULL, n = 0, room = 0;
    for (uint32_t i = 0; i < h->ngroups; i++)
        for (uint32_t k = 0; k < h->groups[i].nmembers; k++)
            if (h->groups[i].members[k].at == HANG_UNKNOWN)
                LIST_ADD(numbers, n, room, h->groups[i].members[k].rank);
    if (n)
        qsort(numbers, n, sizeof *numbers, order_uint32);
    h->first_missing = n ? numbers[0] : HANG_UNKNOWN;
    for (uint32_t i = 0; i < n; i++)
        h->missing += i == 0 || numbers[i] != numbers[i - 1];
    free(numbers);
}

static void find_memberships(struct hang_judging *j)
{
    struct hang *h = j->h;
    add_seen_members(h);
    for (uint32_t i = 0; i < h->ngroups; i++)
        for (uint32_t k = 0; k < h->groups[i].nmembers; k++) {
            struct hang_member *m = &h->groups[i].members[k];
            const uint32_t at = find_hang_rank(h, m->rank);
            m->at = at < h->n && h->ranks[at].number == m->rank ? at : HANG_UNKNOWN;
            if (m->at != HANG_UNKNOWN)
                LIST_ADD(j->all, j->nall, j->room, (struct membership){m->at, i, k});
        }
    if (j->nall)
        qsort(j->all, j->nall, sizeof *j->all, compare_memberships);
    j->member_of = xcalloc(h->ngroups + (size_t)1, sizeof *j->member_of);
    count_missing_dumps(h);
}

/* --- walks over all calls --- */

typedef void (*visit_call)(struct hang *h, struct hang_group *g, struct hang_member *m,
                           uint32_t call);

static void visit_calls(struct hang_judging *j, visit_call visit)
{
    struct hang *h = j->h;
    for (uint32_t i = 0, end; i < j->nall; i = end) {
        const struct hang_rank *r = &h->ranks[j->all[i].at];
        for (end = i; end < j->nall && j->all[end].at == j->all[i].at; end++)
            j->member_of[j->all[end].group] = j->all[end].member + 1;
        for (uint32_t k = 0; k < r->ncalls; k++) {
            struct hang_group *g = &h->groups[r->calls[k].group];
            const uint32_t member = j->member_of[r->calls[k].group];
            if (member && !r->calls[k].pair && !r->calls[k].stale)
                visit(h, g, &g->members[member - 1], k);
        }
        for (uint32_t k = i; k < end; k++)
            j->member_of[j->all[k].group] = 0;
    }
}

static void find_front(struct hang *h, struct hang_group *g, struct hang_member *m, uint32_t call)
{
    const struct hang_call *c = hang_find_call(h, m, call);
    if (m->last == HANG_UNKNOWN || c->sequence >= hang_find_call(h, m, m->last)->sequence)
        m->last = call;
    if (c->state != HANG_COMPLETED && c->sequence < g->sequence)
        g->sequence = c->sequence;
}

static void find_call_at_front(struct hang *h, struct hang_group *g, struct hang_member *m,
                               uint32_t call)
{
    const struct hang_call *c = hang_find_call(h, m, call);
    if (c->sequence == g->sequence && m->call == HANG_UNKNOWN)
        m->call = call;
}

/* The first call of each rank that waits in another group than this one, or in a send or receive.
 */
static void find_elsewhere(struct hang_judging *j)
{
    const struct hang *h = j->h;
    for (uint32_t i = 0, end; i < j->nall; i = end) {
        const struct hang_rank *r = &h->ranks[j->all[i].at];
        uint32_t first = HANG_UNKNOWN, other = HANG_UNKNOWN;
        for (uint32_t k = 0; k < r->ncalls && other == HANG_UNKNOWN; k++) {
            if (r->calls[k].state == HANG_COMPLETED)
                continue;
            if (first == HANG_UNKNOWN)
                first = k;
            else if (r->calls[k].group != r->calls[first].group ||
                     r->calls[k].pair != r->calls[first].pair)
                other = k;
        }
        for (end = i; end < j->nall && j->all[end].at == j->all[i].at; end++) {
            struct hang_group *g = &h->groups[j->all[end].group];
            struct hang_member *m = &g->members[j->all[end].member];
            const bool here = first != HANG_UNKNOWN && !r->calls[first].pair &&
                              r->calls[first].group == j->all[end].group;
            m->elsewhere = here ? other : first;
            g->foremost |= here;
        }
    }
}

/* --- the collective at which a group waits --- */

/* Whether a member without a call there cannot have had one that was overwritten: its file goes
 * back to before the others came. Times of different hosts are compared here, but a hang lasts
 * longer than their clocks differ. */
static bool is_surely_absent(const struct hang *h, const struct hang_group *g,
                             const struct hang_member *m)
{
    const struct hang_rank *r = &h->ranks[m->at];
    if (r->written && r->written + HANG_CLOCKS_NS < g->since)
        return false; /* an older file than the hang: of another run, or copied before */
    if (!r->wrapped)
        return true;
    if (m->last != HANG_UNKNOWN && hang_find_call(h, m, m->last)->sequence < g->sequence)
        return true;
    return r->calls && r->ncalls && r->calls[0].created != HANG_NO_TIME && g->since &&
           r->calls[0].created < g->since;
}

static enum hang_place find_member_place(const struct hang *h, const struct hang_group *g,
                                         const struct hang_member *m)
{
    const struct hang_call *c = hang_find_call(h, m, m->call),
                           *last = hang_find_call(h, m, m->last);
    if (m->at == HANG_UNKNOWN)
        return HANG_NO_DUMP;
    if (c)
        return c->state == HANG_COMPLETED ? HANG_PASSED : HANG_WAITS;
    if (last && last->sequence > g->sequence)
        return HANG_PASSED;
    return is_surely_absent(h, g, m) ? HANG_ABSENT : HANG_UNCLEAR;
}

/* Adds what one rank says about how long it has waited. */
static void add_member_wait(const struct hang *h, struct hang_group *g, const struct hang_member *m)
{
    const struct hang_rank *r = &h->ranks[m->at];
    const struct hang_call *c = hang_find_call(h, m, m->call);
    const uint64_t limit = (c->timeout_ms ? c->timeout_ms : HANG_TIMEOUT_MS) * UINT64_C(1000000);
    const uint64_t end = r->written > r->newest ? r->written : r->newest;
    const uint64_t waited = c->created != HANG_NO_TIME && end > c->created ? end - c->created : 0;
    const bool sure = c->retired || (r->newest > c->created && r->newest - c->created >= limit);
    if (c->timeout_ms > g->timeout_ms)
        g->timeout_ms = c->timeout_ms;
    if (waited > g->waited || g->since == 0) {
        g->waited = waited;
        g->since = c->created == HANG_NO_TIME ? 0 : c->created;
    }
    if (sure || waited >= limit) {
        g->doubtful = (!g->timed_out || g->doubtful) && !sure && waited / 2 > limit;
        g->timed_out = true;
    }
}

/* A hash of all that the member called with the number of the collective: several calls if they
 * were coalesced. */
static uint64_t hash_calls_there(const struct hang *h, const struct hang_group *g,
                                 const struct hang_member *m)
{
    const struct hang_rank *r = &h->ranks[m->at];
    uint64_t hash = 0;
    for (uint32_t k = m->call; r->calls && k < r->ncalls; k++) {
        const struct hang_call *c = &r->calls[k];
        if (c->pair || &h->groups[c->group] != g)
            continue;
        if (c->sequence != g->sequence)
            break;
        hash = hash_number(hash, h->priv->keys[c->signature]);
    }
    return hash;
}

struct vote {
    uint64_t hash;
    uint32_t member;
};

static int compare_votes(const void *x, const void *y)
{
    const struct vote *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->member > b->member) - (a->member < b->member);
}

static enum hang_difference find_call_difference(const struct hang *h, uint32_t x, uint32_t y)
{
    const struct hang_signature *a = &h->signatures[x], *b = &h->signatures[y];
    if (a->op != b->op)
        return HANG_OP;
    return a->inputs != b->inputs || a->outputs != b->outputs ? HANG_SIZES : HANG_TYPES;
}

/* Lets the members decide by majority what the collective is. votes: of those that have a call. */
static void judge_votes(struct hang *h, struct hang_group *g, struct vote *votes, uint32_t n)
{
    uint32_t best = 0, most = 0;
    qsort(votes, n, sizeof *votes, compare_votes);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && votes[end].hash == votes[i].hash; end++)
            ;
        g->tied = end - i == most || (g->tied && end - i < most);
        if (end - i > most || (end - i == most && votes[i].member < votes[best].member)) {
            best = i;
            most = end - i;
        }
    }
    const struct hang_member *first = &g->members[votes[best].member];
    g->signature = hang_find_call(h, first, first->call)->signature;
    for (uint32_t i = 0; i < n; i++) {
        struct hang_member *m = &g->members[votes[i].member];
        if (votes[i].hash == votes[best].hash)
            continue;
        m->place = HANG_DIFFERS;
        if (g->difference == HANG_SAME)
            g->difference =
                find_call_difference(h, g->signature, hang_find_call(h, m, m->call)->signature);
    }
}

static void compare_calls_of_members(struct hang *h, struct hang_group *g)
{
    struct vote *votes = xcalloc(g->nmembers + (size_t)1, sizeof *votes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->nmembers; i++)
        if (g->members[i].call != HANG_UNKNOWN)
            votes[n++] = (struct vote){hash_calls_there(h, g, &g->members[i]), i};
    if (n)
        judge_votes(h, g, votes, n);
    free(votes);
}

/* If all are there, and the GPUs of some have begun it: those of the others are busy with something
 * else. */
static void find_not_begun(const struct hang *h, struct hang_group *g)
{
    uint32_t started = 0;
    for (uint32_t i = 0; i < g->nmembers; i++) {
        const struct hang_call *c = hang_find_call(h, &g->members[i], g->members[i].call);
        if (!c || g->members[i].place == HANG_DIFFERS)
            return;
        started += c->state == HANG_STARTED;
    }
    for (uint32_t i = 0; i < g->nmembers && started; i++) {
        struct hang_member *m = &g->members[i];
        if (hang_find_call(h, m, m->call)->state == HANG_SCHEDULED)
            m->place = HANG_NOT_BEGUN;
    }
}

static void judge_group(struct hang *h, struct hang_group *g)
{
    if (g->sequence == HANG_NO_SEQUENCE)
        return;
    for (uint32_t i = 0; i < g->nmembers; i++) {
        const struct hang_call *c = hang_find_call(h, &g->members[i], g->members[i].call);
        if (c && c->state != HANG_COMPLETED)
            add_member_wait(h, g, &g->members[i]);
    }
    for (uint32_t i = 0; i < g->nmembers; i++)
        g->members[i].place = find_member_place(h, g, &g->members[i]);
    compare_calls_of_members(h, g);
    find_not_begun(h, g);
    for (uint32_t i = 0; i < g->nmembers; i++)
        g->count[g->members[i].place]++;
}

void hang_judge(struct hang *h)
{
    struct hang_judging j = {.h = h};
    settle_earlier_calls(h);
    find_memberships(&j);
    visit_calls(&j, find_front);
    visit_calls(&j, find_call_at_front);
    find_elsewhere(&j);
    for (uint32_t i = 0; i < h->ngroups; i++)
        judge_group(h, &h->groups[i]);
    hang_find_cause(h);
    free(j.all);
    free(j.member_of);
}
