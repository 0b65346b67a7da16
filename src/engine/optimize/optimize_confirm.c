/* The confirmation at the end: the best candidate is built again, and judged against the user's
 * source. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "engine/optimize/optimize_impl.h"

static const struct optimize_record *record_of(const struct optimizing *o, uint32_t number)
{
    const struct optimize_log *l = &o->result->log;
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].step == OPTIMIZE_CANDIDATE && l->list[i].number == number)
            return &l->list[i];
    return NULL;
}

/* The best before this one; NULL: the source. */
static const struct optimize_record *find_best_before(const struct optimizing *o, uint32_t number)
{
    const struct optimize_log *l = &o->result->log;
    const struct optimize_record *found = NULL;
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].step == OPTIMIZE_CANDIDATE && l->list[i].outcome == OPTIMIZE_FASTER &&
            l->list[i].number < number)
            found = &l->list[i];
    return found;
}

/* Builds a candidate the second time. 0, 1 with a->record refused, or -errno with err. */
static int build_again(const struct optimizing *o, struct attempt *a, struct error *err)
{
    char first[OPTIMIZE_PATH], why[OPTIMIZE_WHY];
    optimize_path(a->source, o->plan->folder, a->record.number, o->plan->source);
    optimize_object(o, a->record.number, false, first);
    optimize_object(o, a->record.number, true, a->object);
    unlink(a->object);
    o->plan->hands.build(o->plan->hands.ctx, a->source, a->object, &a->build);
    if (watch_given_up())
        return watch_check("optimize", err);
    if (!a->build.ok) {
        const int rc = optimize_check_space(o, err);
        return rc ? rc
                  : attempt_ends(a, OPTIMIZE_REFUSED, "rebuild",
                                 "it does not build a second time: %s", a->build.status);
    }
    const bool same = optimize_code_hash(o, a->object, err) == a->record.object;
    const enum build_relation said = optimize_compare(first, a->object, same, why);
    if (!same) {
        *err = (struct error)ERROR_INIT;
        return attempt_ends(a, OPTIMIZE_REFUSED, "rebuild",
                            "the second build gave other code than the first%s%s",
                            said == BUILD_OTHER ? ": " : "", said == BUILD_OTHER ? why : "");
    }
    if (said == BUILD_EXPLAINED)
        snprintf(a->record.evidence, sizeof a->record.evidence,
                 "the second build differs only in %s", why);
    return 0;
}

/* Judges one. 0 with a->record. */
static int confirm_candidate(struct optimizing *o, struct attempt *a, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    char source[OPTIMIZE_PATH];
    a->record.step = OPTIMIZE_CONFIRMATION;
    a->record.warm = a->record.cold = a->record.confirmed = none;
    a->record.baseline_ns = a->record.candidate_ns = NAN;
    a->record.base = a->record.against = 0;
    optimize_object(o, 0, false, source);
    optimize_now(o, OPTIMIZE_BUILDS, &a->record, NULL);
    int rc = build_again(o, a, err);
    if (rc == 0)
        rc = attempt_judge(o, source, a->object, o->plan->each_s, &a->record, err);
    return rc < 0 ? rc : optimize_add(o, &a->record, err);
}

int optimize_confirm(struct optimizing *o, struct error *err)
{
    const struct optimize_record *r = record_of(o, o->bases[0].number);
    while (r) {
        struct attempt a = {.record = *r};
        if (o->plan->hands.tell)
            o->plan->hands.tell(o->plan->hands.ctx, NULL, "what was kept, against the source");
        const int rc = confirm_candidate(o, &a, err);
        if (rc != 0)
            return rc;
        if (a.record.outcome == OPTIMIZE_FASTER) {
            o->result->winner = a.record.number;
            o->result->factor = 1 / a.record.confirmed.estimate;
            return 0;
        }
        r = find_best_before(o, a.record.number);
    }
    return 0;
}
