#include "engine/optimize/optimize_impl.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/list.h"
#include "base/watch.h"
#include "engine/value/text_file.h"

static const double BATCH_S = 0.002, LEAST_S = 0.5;
enum { OBJECT_MOST = 256 << 20 };

void optimize_path(char out[OPTIMIZE_PATH], const char *folder, uint32_t number, const char *source,
                   const char *name)
{
    const char *last = strrchr(source, '/');
    snprintf(out, OPTIMIZE_PATH, "%.300s/%04u/%.180s", folder, number,
             name   ? name
             : last ? last + 1
                    : source);
}

int optimize_text(const struct optimizing *o, uint32_t number, char **text, size_t *n,
                  struct error *err)
{
    char path[OPTIMIZE_PATH];
    optimize_path(path, o->plan->folder, number, o->plan->source, NULL);
    return text_file_read_most(text, n, path, PROPOSAL_BYTES, err);
}

uint64_t optimize_file_hash(const char *path, struct error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    const int rc = text_file_read_most(&bytes, &n, path, OBJECT_MOST, err);
    const uint64_t hash = rc == 0 ? hash_bytes(0, bytes, n) : 0;
    free(bytes);
    return hash;
}

int attempt_ends(struct attempt *a, enum optimize_outcome outcome, const char *guard,
                 const char *format, ...)
{
    va_list args;
    struct optimize_record *r = &a->record;
    r->outcome = outcome;
    snprintf(r->guard, sizeof r->guard, "%s", guard);
    va_start(args, format);
    vsnprintf(r->evidence, sizeof r->evidence, format, args);
    va_end(args);
    return 1;
}

int attempt_judge(const struct optimizing *o, const char *baseline, const char *candidate,
                  double for_s, struct optimize_record *record, struct error *err)
{
    struct judge_plan plan = {.harness = o->plan->harness,
                              .baseline = baseline,
                              .candidate = candidate,
                              .for_s = for_s > LEAST_S ? for_s : LEAST_S,
                              .margin = o->plan->min_gain,
                              .confidence = o->plan->confidence,
                              .wanted_s = BATCH_S,
                              .floor = o->plan->floor};
    struct judge_result result;
    memcpy(plan.allow, o->plan->allow, sizeof plan.allow);
    const int rc = o->plan->hands.judge(&plan, &result, err);
    if (rc != 0)
        return rc;
    record->outcome = (enum optimize_outcome)result.verdict;
    if (result.verdict == JUDGE_REFUSED) {
        snprintf(record->guard, sizeof record->guard, "%s", judge_guard_name(result.refusal.guard));
        snprintf(record->evidence, sizeof record->evidence, "%s", result.refusal.evidence);
    }
    record->warm = result.warm;
    record->cold = result.cold;
    record->confirmed = result.confirmed;
    record->baseline_ns = result.baseline_ns;
    record->candidate_ns = result.candidate_ns;
    record->pairs = result.pairs + result.confirming_pairs;
    return 0;
}

int optimize_add(struct optimizing *o, const struct optimize_record *r, struct error *err)
{
    struct optimize_log *l = &o->result->log;
    const int rc = optimize_log_record(o->log, r, err);
    if (rc != 0)
        return rc;
    LIST_ROOM(l->list, l->n, l->cap);
    l->list[l->n++] = *r;
    if (o->plan->hands.tell)
        o->plan->hands.tell(o->plan->hands.ctx, r, NULL);
    return 0;
}

/* --- the loop --- */

static double seconds_left(const struct optimizing *o)
{
    return o->plan->for_s - (double)(env_now_ns() - o->begin_ns) / 1e9;
}

/* The proposer whose turn it is; nproposers: none has more. */
static size_t next_proposer(struct optimizing *o)
{
    const size_t n = o->plan->nproposers;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (o->turn + i) % n;
        if (!o->exhausted[at]) {
            o->turn = at + 1;
            return at;
        }
    }
    return n;
}

static enum optimize_end ended(struct optimizing *o, size_t *proposer)
{
    const struct optimize_log *l = &o->result->log;
    const struct optimize_record *r = l->n ? &l->list[l->n - 1] : NULL;
    if (watch_given_up())
        return OPTIMIZE_END_INTERRUPTED;
    if (r && r->outcome == OPTIMIZE_REFUSED &&
        strcmp(r->guard, judge_guard_name(GUARD_BLIND)) == 0) {
        snprintf(o->result->why, sizeof o->result->why, "%s", r->evidence);
        return OPTIMIZE_END_BLIND;
    }
    if (o->last >= o->plan->iterations)
        return OPTIMIZE_END_ITERATIONS;
    if (o->without_gain >= o->plan->tries)
        return OPTIMIZE_END_TRIES;
    if (seconds_left(o) <= 0)
        return OPTIMIZE_END_TIME;
    *proposer = next_proposer(o);
    return *proposer == o->plan->nproposers ? OPTIMIZE_END_POOL : OPTIMIZE_RUNS;
}

static int loop(struct optimizing *o, struct error *err)
{
    size_t proposer = 0;
    int rc = optimize_prepare(o, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    while ((o->result->end = ended(o, &proposer)) == OPTIMIZE_RUNS) {
        rc = optimize_try(o, proposer, err);
        if (rc != 0)
            return rc;
    }
    if (o->best && o->result->end != OPTIMIZE_END_INTERRUPTED &&
        o->result->end != OPTIMIZE_END_BLIND)
        rc = optimize_confirm(o, err);
    return rc;
}

int optimize_run(const struct optimize_plan *plan, struct optimize_result *out, struct error *err)
{
    *out = (struct optimize_result){.factor = NAN, .log = {.factor = NAN}};
    struct optimizing o = {.plan = plan,
                           .result = out,
                           .log = -1,
                           .begin_ns = env_now_ns(),
                           .exhausted = xcalloc(plan->nproposers + 1, sizeof(bool))};
    int rc = loop(&o, err);
    if (rc == -ECANCELED && watch_given_up()) {
        out->end = OPTIMIZE_END_INTERRUPTED;
        out->winner = 0;
        rc = 0;
    }
    if (rc == 0)
        rc = optimize_log_end(o.log, out->end, out->winner, out->factor, err);
    if (rc == 0 && out->winner)
        rc = optimize_text(&o, out->winner, &out->text, &out->n, err);
    if (o.log >= 0)
        close(o.log);
    free(o.best_text);
    free(o.exhausted);
    return rc;
}

void optimize_free(struct optimize_result *r)
{
    optimize_log_free(&r->log);
    free(r->text);
    free(r->original);
}
