/* Finds which of the groups that wait is the cause of the others, and the verdict. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/job/hang_impl.h"

/* Whether a member is why its group waits, and waits nowhere itself. */
static bool is_idle_culprit(const struct hang_member *m)
{
    return (m->place == HANG_ABSENT || m->place == HANG_NOT_BEGUN) && m->elsewhere == HANG_UNKNOWN;
}

static bool lacks_ranks_that_wait(const struct hang_group *g)
{
    uint32_t lacks = 0;
    for (uint32_t i = 0; i < g->nmembers; i++)
        lacks += (g->members[i].place == HANG_ABSENT || g->members[i].place == HANG_NOT_BEGUN) &&
                 !is_idle_culprit(&g->members[i]);
    return lacks > 0;
}

/* Counts the culprits of a group. explained: ranks that are culprits of a cause already; NULL: this
 * group is a cause by itself, and explains them. */
static void count_culprits(struct hang_group *g, const bool *explained, bool *explains)
{
    for (uint32_t i = 0; i < g->nmembers; i++) {
        const struct hang_member *m = &g->members[i];
        if (!is_idle_culprit(m) || (explained && explained[m->at]))
            continue;
        g->idle++;
        if (explains)
            explains[m->at] = true;
    }
}

/* A group that lacks ranks which wait elsewhere is an effect, unless it lacks one that no cause
 * lacks, or a rank is in it with another call. A rank that never came is lacking in all groups that
 * wait for it: the cause is the one that lacks only such. */
static void find_roots(struct hang *h)
{
    bool *explained = xcalloc(h->n + (size_t)1, sizeof *explained);
    bool *effects = xcalloc(h->ngroups + (size_t)1, sizeof *effects);
    for (uint32_t i = 0; i < h->ngroups; i++) {
        struct hang_group *g = &h->groups[i];
        if (g->sequence == HANG_NO_SEQUENCE)
            continue;
        effects[i] = lacks_ranks_that_wait(g);
        g->root = !effects[i];
        if (g->root)
            count_culprits(g, NULL, explained);
    }
    for (uint32_t i = 0; i < h->ngroups; i++) {
        struct hang_group *g = &h->groups[i];
        if (!effects[i])
            continue;
        count_culprits(g, explained, NULL);
        g->root = g->idle || g->count[HANG_DIFFERS];
    }
    free(effects);
    free(explained);
}

static enum hang_verdict judge_root(const struct hang_group *g)
{
    if (g->idle && g->count[HANG_ABSENT])
        return HANG_MISSING;
    if (g->count[HANG_DIFFERS])
        return HANG_MISMATCH;
    if (g->count[HANG_NO_DUMP])
        return HANG_DEAD;
    return g->count[HANG_NOT_BEGUN] ? HANG_GPU : HANG_INSIDE;
}

/* First what waits, then what has waited too long, then causes, then what is surest, then what is
 * not only enqueued behind another one, then what waited first. */
static int compare_hang_groups(const void *x, const void *y)
{
    const struct hang_group *a = *(const struct hang_group *const *)x,
                            *b = *(const struct hang_group *const *)y;
    const bool waits_a = a->sequence != HANG_NO_SEQUENCE, waits_b = b->sequence != HANG_NO_SEQUENCE;
    if (waits_a != waits_b)
        return waits_a ? -1 : 1;
    if (a->timed_out != b->timed_out)
        return a->timed_out ? -1 : 1;
    if (a->root != b->root)
        return a->root ? -1 : 1;
    if (waits_a && judge_root(a) != judge_root(b))
        return judge_root(a) < judge_root(b) ? -1 : 1;
    if (a->foremost != b->foremost)
        return a->foremost ? -1 : 1;
    if (a->since != b->since && a->since && b->since)
        return a->since < b->since ? -1 : 1;
    if (a->count[HANG_WAITS] != b->count[HANG_WAITS])
        return a->count[HANG_WAITS] > b->count[HANG_WAITS] ? -1 : 1;
    return (a > b) - (a < b);
}

static void order_hang_groups(struct hang *h)
{
    const struct hang_group **sorted = xcalloc(h->ngroups + (size_t)1, sizeof(void *));
    h->order = xcalloc(h->ngroups + (size_t)1, sizeof *h->order);
    for (uint32_t i = 0; i < h->ngroups; i++)
        sorted[i] = &h->groups[i];
    if (h->ngroups)
        qsort(sorted, h->ngroups, sizeof *sorted, compare_hang_groups);
    for (uint32_t i = 0; i < h->ngroups; i++) {
        h->order[i] = (uint32_t)(sorted[i] - h->groups);
        h->nwaiting += sorted[i]->sequence != HANG_NO_SEQUENCE;
    }
    free(sorted);
}

/* Counts the ranks that wait in a send or receive. */
static void count_waiting_pairs(struct hang *h)
{
    for (uint32_t i = 0; i < h->n; i++) {
        const struct hang_rank *r = &h->ranks[i];
        uint32_t k = 0;
        while (k < r->ncalls && !(r->calls[k].pair && r->calls[k].state != HANG_COMPLETED))
            k++;
        if (k == r->ncalls)
            continue;
        if (h->pairs++ == 0) {
            h->pair_at = i;
            h->pair_call = k;
        }
    }
}

/* Whether a rank that the group lacks waits in a send or receive. */
static bool waits_for_pair(const struct hang *h, const struct hang_group *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->nmembers && !found; i++) {
        const struct hang_member *m = &g->members[i];
        found = (m->place == HANG_ABSENT || m->place == HANG_NOT_BEGUN) &&
                m->elsewhere != HANG_UNKNOWN && h->ranks[m->at].calls[m->elsewhere].pair;
    }
    return found;
}

static enum hang_verdict find_verdict(const struct hang *h)
{
    if (h->nwaiting == 0)
        return h->pairs ? HANG_PAIRS : HANG_NONE;
    const struct hang_group *g = &h->groups[h->order[0]];
    if (!g->timed_out)
        return HANG_RUNNING;
    if (g->root)
        return judge_root(g);
    return waits_for_pair(h, g) ? HANG_PAIRS : HANG_CIRCLE;
}

/* A group is called by its description, with its name where others are described alike. */
static void name_hang_groups(struct hang *h)
{
    struct hash_table described = {.n = 0};
    for (uint32_t i = 0; i < h->ngroups; i++) {
        struct hang_group *g = &h->groups[i];
        const uint64_t hash = hash_text(0, g->description);
        bool alone = true;
        HASH_EACH (&described, hash, k)
            if (h->groups[k].description == g->description) {
                h->groups[k].alike = g->alike = true;
                alone = false;
                break;
            }
        if (alone)
            hash_table_add(&described, hash, i);
    }
    hash_table_free(&described);
    for (uint32_t i = 0; i < h->ngroups; i++) {
        struct hang_group *g = &h->groups[i];
        const bool said = *g->description && strcmp(g->description, "undefined") != 0;
        g->label = said ? g->description : g->name;
        if (said && g->alike)
            g->label = arena_printf(&h->priv->texts, "%s %s", g->description, g->name);
    }
}

void hang_find_cause(struct hang *h)
{
    find_roots(h);
    order_hang_groups(h);
    name_hang_groups(h);
    count_waiting_pairs(h);
    h->verdict = find_verdict(h);
}

/* --- names --- */

const char *hang_verdict_name(enum hang_verdict v)
{
    static const char *const names[HANG_VERDICTS] = {
        [HANG_NONE] = "none",         [HANG_RUNNING] = "running", [HANG_MISSING] = "missing",
        [HANG_MISMATCH] = "mismatch", [HANG_DEAD] = "no dump",    [HANG_GPU] = "gpu",
        [HANG_INSIDE] = "inside",     [HANG_CIRCLE] = "circle",   [HANG_PAIRS] = "send or receive",
    };
    return names[v];
}

const char *hang_place_name(enum hang_place p)
{
    static const char *const names[HANG_PLACES] = {
        [HANG_WAITS] = "waits",     [HANG_PASSED] = "completed",    [HANG_ABSENT] = "absent",
        [HANG_DIFFERS] = "differs", [HANG_NOT_BEGUN] = "not begun", [HANG_NO_DUMP] = "no dump",
        [HANG_UNCLEAR] = "unclear",
    };
    return names[p];
}

const char *hang_difference_name(enum hang_difference d)
{
    static const char *const names[] = {
        [HANG_SAME] = "none",
        [HANG_OP] = "operation",
        [HANG_SIZES] = "sizes",
        [HANG_TYPES] = "types",
    };
    return names[d];
}

const char *hang_state_name(enum hang_state s)
{
    static const char *const names[] = {
        [HANG_SCHEDULED] = "scheduled",
        [HANG_STARTED] = "started",
        [HANG_COMPLETED] = "completed",
    };
    return names[s];
}
