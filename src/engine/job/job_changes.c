#include "engine/job/job_changes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/job/rank_fields.h"
#include "engine/statistics/ranks.h"

#define CHANGE_SPREADS 2
#define CHANGE_LEAST   0.01 /* of the number before */
#define APART_SPREADS  6

static const int compared_fields[JOB_CHANGES] = {
    RANK_FIELD_wall,   RANK_FIELD_user,     RANK_FIELD_system, RANK_FIELD_waited,
    RANK_FIELD_idle,   RANK_FIELD_faults,   RANK_FIELD_major,  RANK_FIELD_memory,
    RANK_FIELD_forced, RANK_FIELD_voluntary};

struct rank_pair {
    const struct job_member *of[2];
};

/* The rank whose change is farthest from that of the others, if it is far. */
static void find_apart(struct job_change *c, const struct rank_pair *pairs, const double *diff,
                       double least)
{
    const double spread = fmax(mad_spread(diff, c->n, c->change), least);
    double most = APART_SPREADS * spread;
    c->apart = JOB_NONE;
    for (uint32_t i = 0; i < c->n && c->n > 2; i++) {
        if (fabs(diff[i] - c->change) <= most)
            continue;
        most = fabs(diff[i] - c->change);
        c->apart = pairs[i].of[0]->s.rank;
        c->apart_by = diff[i];
    }
}

static void find_change(struct job_change *c, const struct rank_pair *all, uint32_t n)
{
    double *v = xcalloc(3 * (n + (size_t)1), sizeof *v), *side[2] = {v, v + n}, *diff = v + 2 * n;
    struct rank_pair *known = xcalloc(n + (size_t)1, sizeof *known);
    for (uint32_t i = 0; i < n; i++) {
        const double a = list_field_raw(c->field, all[i].of[0]);
        const double b = list_field_raw(c->field, all[i].of[1]);
        if (isnan(a) || isnan(b))
            continue;
        side[0][c->n] = a;
        side[1][c->n] = b;
        diff[c->n] = b - a;
        known[c->n++] = all[i];
    }
    c->before = median_of(side[0], c->n);
    c->after = median_of(side[1], c->n);
    c->change = median_of(diff, c->n);
    c->spread = NAN;
    if (c->n > 1)
        c->spread = fmax(mad_spread(side[0], c->n, c->before), mad_spread(side[1], c->n, c->after));
    const double least = CHANGE_LEAST * fabs(c->before);
    const bool within = fabs(c->change) <= CHANGE_SPREADS * c->spread; /* false: NaN, too */
    c->changed = !within && fabs(c->change) > least;
    find_apart(c, known, diff, least);
    free(known);
    free(v);
}

/* Both lists are sorted by number; of a rank that is there twice the later one counts. */
static uint32_t match_ranks(struct job_changes *out, struct rank_pair *pairs,
                            const struct job_folder *a, const struct job_folder *b)
{
    uint32_t n = 0, i = 0, k = 0;
    while (i < a->n || k < b->n) {
        const uint32_t x = i < a->n ? a->ranks[i].s.rank : UINT32_MAX;
        const uint32_t y = k < b->n ? b->ranks[k].s.rank : UINT32_MAX;
        if (x == y) {
            pairs[n++] = (struct rank_pair){{&a->ranks[i], &b->ranks[k]}};
            out->moved += strcmp(a->ranks[i].s.host, b->ranks[k].s.host) != 0;
            out->other_program += strcmp(a->ranks[i].s.build_id, b->ranks[k].s.build_id) != 0 ||
                                  strcmp(a->ranks[i].s.command, b->ranks[k].s.command) != 0;
            i++;
            k++;
        } else if (x < y) {
            out->alone[0]++;
            i++;
        } else {
            out->alone[1]++;
            k++;
        }
    }
    return n;
}

int job_changes_find(struct job_changes *out, const struct job_folder *before,
                     const struct job_folder *after, struct error *err)
{
    struct rank_pair *pairs = xcalloc(before->n + (size_t)1, sizeof *pairs);
    *out = (struct job_changes){.matched = 0};
    out->matched = match_ranks(out, pairs, before, after);
    for (int i = 0; i < JOB_CHANGES; i++) {
        out->list[i].field = &rank_fields[compared_fields[i]];
        find_change(&out->list[i], pairs, out->matched);
    }
    free(pairs);
    if (out->matched)
        return 0;
    return error_set(err, ERROR_INPUT, EINVAL, NULL, before->path, "it shares no rank with %.150s",
                     after->path);
}
