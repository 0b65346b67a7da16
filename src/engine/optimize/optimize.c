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
#include "base/list.h"
#include "base/watch.h"
#include "engine/value/text_file.h"

static const double LEAST_S = 0.5;
enum { OBJECT_MOST = 256 << 20 };

void optimize_path(char out[OPTIMIZE_PATH], const char *folder, uint32_t number, const char *source)
{
    const char *last = strrchr(source, '/');
    snprintf(out, OPTIMIZE_PATH, "%.300s/%04u/%.180s", folder, number, last ? last + 1 : source);
}

void optimize_object(const struct optimizing *o, uint32_t number, bool again,
                     char out[OPTIMIZE_PATH])
{
    snprintf(out, OPTIMIZE_PATH, "%.300s/%04u/%s%.16s", o->plan->folder, number,
             again ? "again" : "object", o->plan->target->object);
}

int optimize_text(const struct optimizing *o, uint32_t number, char **text, size_t *n,
                  struct error *err)
{
    char path[OPTIMIZE_PATH];
    optimize_path(path, o->plan->folder, number, o->plan->source);
    return text_file_read_most(text, n, path, PROPOSAL_BYTES, err);
}

uint64_t optimize_code_hash(const struct optimizing *o, const char *path, struct error *err)
{
    const struct optimize_target *t = o->plan->target;
    if (t->code)
        return t->code(t->state, path, err);
    char *bytes = NULL;
    size_t n = 0;
    const int rc = text_file_read_most(&bytes, &n, path, OBJECT_MOST, err);
    const uint64_t hash = rc == 0 ? build_hash(bytes, n) : 0;
    free(bytes);
    return hash;
}

enum build_relation optimize_compare(const char *object, const char *other, bool same,
                                     char why[OPTIMIZE_WHY])
{
    struct error ignored = ERROR_INIT;
    char *a = NULL, *b = NULL, where[BUILD_DIFFERENCE] = "";
    size_t na = 0, nb = 0;
    enum build_relation said = BUILD_SAME;
    if (text_file_read_most(&a, &na, object, OBJECT_MOST, &ignored) == 0 &&
        text_file_read_most(&b, &nb, other, OBJECT_MOST, &ignored) == 0)
        said = build_compare(a, na, b, nb, where);
    const bool explained = same && said == BUILD_OTHER;
    snprintf(why, OPTIMIZE_WHY, "%s%s",
             explained ? "what nothing reads, as the mark of a module; the first place is " : "",
             where);
    free(a);
    free(b);
    if (explained)
        return BUILD_EXPLAINED;
    return said;
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

/* --- progress --- */

static double seconds_left(const struct optimizing *o)
{
    return o->plan->for_s - (double)(env_now_ns() - o->begin_ns) / 1e9;
}

void optimize_now(const struct optimizing *o, enum optimize_stage stage,
                  const struct optimize_record *record, const struct judge_progress *pairs)
{
    struct optimize_progress p = {.stage = stage,
                                  .step = record->step,
                                  .number = record->number,
                                  .base = record->base,
                                  .factor = {NAN, NAN, NAN},
                                  .left_s = fmax(seconds_left(o), 0),
                                  .iterations = o->plan->iterations,
                                  .without_gain = o->without_gain,
                                  .tries = o->plan->tries};
    memcpy(p.proposer, record->proposer, sizeof p.proposer);
    if (pairs) {
        p.factor = pairs->factor;
        p.pairs = pairs->pairs;
        p.modelled = pairs->modelled;
    }
    optimize_progress_write(o->plan->folder, &p);
    if (o->plan->hands.now)
        o->plan->hands.now(o->plan->hands.ctx, &p);
}

struct judged_now {
    const struct optimizing *o;
    const struct optimize_record *record;
};

static void pass_pair_progress(void *ctx, const struct judge_progress *p)
{
    const struct judged_now *j = ctx;
    optimize_now(j->o, p->confirms ? OPTIMIZE_CONFIRMS : OPTIMIZE_PAIRS, j->record, p);
}

int attempt_judge(const struct optimizing *o, const char *baseline, const char *candidate,
                  double for_s, struct optimize_record *record, struct error *err)
{
    const struct optimize_target *t = o->plan->target;
    struct judged_now now = {o, record};
    const struct target_trial trial = {.baseline = baseline,
                                       .candidate = candidate,
                                       .for_s = for_s > LEAST_S ? for_s : LEAST_S,
                                       .margin = o->plan->min_gain,
                                       .confidence = o->plan->confidence,
                                       .on_progress = pass_pair_progress,
                                       .progress_ctx = &now};
    struct target_judgement said;
    optimize_now(o, OPTIMIZE_CHECKS, record, NULL);
    const int rc = t->judge(t->state, &trial, &said, err);
    if (rc != 0)
        return rc;
    record->outcome = (enum optimize_outcome)said.verdict;
    /* Certainly faster, but possibly by less than the margin: that is no gain. */
    if (said.verdict == JUDGE_FASTER && said.warm.estimate > 1 / (1 + o->plan->min_gain))
        record->outcome = OPTIMIZE_NOT_DECIDED;
    if (said.verdict == JUDGE_REFUSED) {
        snprintf(record->guard, sizeof record->guard, "%s", judge_guard_name(said.refusal.guard));
        snprintf(record->evidence, sizeof record->evidence, "%s", said.refusal.evidence);
    }
    record->warm = said.warm;
    record->cold = said.cold;
    record->confirmed = said.confirmed;
    record->baseline_ns = said.baseline_ns;
    record->candidate_ns = said.candidate_ns;
    record->pairs = said.pairs;
    record->modelled = said.modelled;
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

/* The proposer to ask next; nproposers: none has another candidate. */
static size_t next_proposer(struct optimizing *o)
{
    const size_t n = o->plan->nproposers;
    for (size_t i = 0; i < n; i++) {
        const size_t at = (o->turn + i) % n;
        if (optimize_base_next(o, at) < o->nbases) {
            o->turn = at + 1;
            return at;
        }
    }
    return n;
}

static enum optimize_stop decide_run_stop(struct optimizing *o, size_t *proposer)
{
    const struct optimize_log *l = &o->result->log;
    const struct optimize_record *r = l->n ? &l->list[l->n - 1] : NULL;
    if (watch_given_up())
        return OPTIMIZE_STOP_INTERRUPTED;
    if (r && r->outcome == OPTIMIZE_REFUSED &&
        strcmp(r->guard, judge_guard_name(GUARD_BLIND)) == 0) {
        snprintf(o->result->why, sizeof o->result->why, "%s", r->evidence);
        return OPTIMIZE_STOP_BLIND;
    }
    if (o->last >= o->plan->iterations)
        return OPTIMIZE_STOP_ITERATIONS;
    if (o->without_gain >= o->plan->tries)
        return OPTIMIZE_STOP_TRIES;
    if (seconds_left(o) <= 0)
        return OPTIMIZE_STOP_TIME;
    *proposer = next_proposer(o);
    return *proposer == o->plan->nproposers ? OPTIMIZE_STOP_POOL : OPTIMIZE_RUNS;
}

static int try_candidates(struct optimizing *o, struct error *err)
{
    size_t proposer = 0;
    int rc = optimize_prepare(o, err);
    if (rc != 0)
        return rc < 0 ? rc : 0;
    while ((o->result->stop = decide_run_stop(o, &proposer)) == OPTIMIZE_RUNS) {
        rc = optimize_try(o, proposer, err);
        if (rc != 0)
            return rc;
    }
    if (o->bases[0].number && o->result->stop != OPTIMIZE_STOP_INTERRUPTED &&
        o->result->stop != OPTIMIZE_STOP_BLIND)
        rc = optimize_confirm(o, err);
    return rc;
}

int optimize_run(const struct optimize_plan *plan, struct optimize_result *out, struct error *err)
{
    *out = (struct optimize_result){.factor = NAN, .log = {.factor = NAN}};
    struct optimizing o = {.plan = plan, .result = out, .log = -1, .begin_ns = env_now_ns()};
    int rc = try_candidates(&o, err);
    if (rc == -ECANCELED && watch_given_up()) {
        out->stop = OPTIMIZE_STOP_INTERRUPTED;
        out->winner = 0;
        rc = 0;
    }
    if (rc == 0)
        rc = optimize_log_end(o.log, out->stop, out->winner, out->factor, err);
    if (rc == 0 && out->winner)
        rc = optimize_text(&o, out->winner, &out->text, &out->n, err);
    if (o.log >= 0) {
        optimize_progress_remove(plan->folder);
        close(o.log);
    }
    for (size_t i = 0; i < o.nbases; i++)
        free(o.bases[i].text);
    return rc;
}

void optimize_free(struct optimize_result *r)
{
    optimize_log_free(&r->log);
    free(r->text);
    free(r->original);
}
