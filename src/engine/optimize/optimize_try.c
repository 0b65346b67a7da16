/* One candidate: asked for, read, guarded, built, judged; and its repairs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/hash.h"
#include "base/temporary.h"
#include "base/watch.h"
#include "engine/optimize/diff.h"
#include "engine/optimize/optimize_impl.h"
#include "engine/source_guards/source_guard_ops.h"
#include "engine/reproduce/copy_tree.h"

int optimize_make_attempt(const struct optimizing *o, struct attempt *a, uint32_t number,
                          struct error *err)
{
    const char *folder = o->plan->folder, *source = o->plan->source;
    snprintf(a->folder, sizeof a->folder, "%.300s/%04u", folder, number);
    optimize_path(a->source, folder, number, source);
    optimize_object(o, number, false, a->object);
    temporary_remove_folder(a->folder); /* what a run that was ended has left */
    if (mkdir(a->folder, 0700) == 0 || errno == EEXIST)
        return 0;
    const int code = errno;
    return error_set(err, ERROR_OUTPUT, code, NULL, a->folder, "%s", strerror(code));
}

/* --- the question --- */

/* program: a command checked the candidates, and the evidence may have what they said. */
static void fill_past(const struct optimize_log *l, bool program, struct proposal_past *out)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct optimize_record *r = &l->list[i];
        struct proposal_past *p = &out[i];
        p->number = r->number;
        p->factor = r->warm.estimate;
        memcpy(p->proposer, r->proposer, sizeof p->proposer);
        memcpy(p->guard, r->guard, sizeof p->guard);
        memcpy(p->evidence, r->evidence, sizeof p->evidence);
        memcpy(p->note, r->note, sizeof p->note);
        if (program && (strcmp(r->guard, judge_guard_name(GUARD_OUTPUT)) == 0 ||
                        strcmp(r->guard, judge_guard_name(GUARD_BUILD)) == 0))
            outgoing_evidence(p->evidence);
        snprintf(p->verdict, sizeof p->verdict, "%s", optimize_outcome_name(r->outcome));
    }
}

/* Ends the attempt with this outcome, unless files cannot be written, such as on a full disk:
 * that is not the candidate's fault, and ends the run. 1, or -errno with err. */
static int attempt_fails(struct attempt *a, enum optimize_outcome outcome,
                         const struct error *failed, struct error *err)
{
    char text[512];
    if (failed->kind != ERROR_OUTPUT)
        return attempt_ends(a, outcome, "", "%s", error_format(failed, text, sizeof text));
    *err = *failed;
    return failed->code ? -failed->code : -EIO;
}

/* Asks, and turns the answer into the whole text of a->text. 0; 1 where it ended; 2: the proposer
 * has no more; -errno. */
static int ask_proposer(struct optimizing *o, struct attempt *a, const struct proposer *p,
                        const struct attempt *broken, struct error *err)
{
    const struct optimize_plan *plan = o->plan;
    const struct optimize_base *base = a->base;
    struct proposal_past *past = xcalloc(o->result->log.n + 1, sizeof *past);
    struct proposal_answer answer = {.kind = PROPOSAL_NONE};
    struct error failed = ERROR_INIT;
    char text[512];
    fill_past(&o->result->log, strcmp(plan->target->name, "run") == 0, past);
    const struct proposal_request request = {.number = a->record.number,
                                             .path = plan->source,
                                             .text = base->text,
                                             .n = base->n,
                                             .base = base->number,
                                             .original = o->result->original,
                                             .n_original = o->result->n_original,
                                             .function = plan->target->function,
                                             .build = plan->build,
                                             .harness = plan->target->harness,
                                             .block = plan->target->block[0] ? plan->target->block
                                                                             : NULL,
                                             .amd = plan->target->amd,
                                             .min_gain = plan->min_gain,
                                             .profile = plan->profile,
                                             .past = past,
                                             .npast = o->result->log.n,
                                             .broken = broken ? broken->text : NULL,
                                             .messages = broken ? broken->build.messages : NULL,
                                             .folder = a->folder,
                                             .limit_s = plan->answer_s};
    const int rc = p->ops->ask(p->state, &request, &answer, &failed);
    free(past);
    if (watch_given_up()) {
        free(answer.text);
        return watch_check("optimize", err);
    }
    if (rc != 0)
        return attempt_fails(a, OPTIMIZE_NO_ANSWER, &failed, err);
    if (answer.kind == PROPOSAL_NONE)
        return 2;
    snprintf(a->record.note, sizeof a->record.note, "%s", answer.note);
    if (answer.kind == PROPOSAL_FILE) {
        a->text = answer.text;
        a->n = answer.n;
        return 0;
    }
    const int applied = diff_apply(plan->source, base->text, base->n, answer.text, answer.n,
                                   PROPOSAL_BYTES, &a->text, &a->n, &failed);
    free(answer.text);
    return applied == 0 ? 0
                        : attempt_ends(a, OPTIMIZE_NO_ANSWER, "", "%s",
                                       error_format(&failed, text, sizeof text));
}

/* --- before it is built --- */

static int check_text_is_new(const struct optimizing *o, struct attempt *a)
{
    const struct optimize_log *l = &o->result->log;
    if (a->n == 0 || a->n > PROPOSAL_BYTES || memchr(a->text, '\0', a->n))
        return attempt_ends(a, OPTIMIZE_NO_ANSWER, "", "it is no text of 1 byte to 1 MiB");
    a->record.hash = hash_bytes(0, a->text, a->n);
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].hash == a->record.hash)
            return attempt_ends(a, OPTIMIZE_SEEN, "", "the same text as %s%.0u",
                                l->list[i].number ? "candidate " : "the source", l->list[i].number);
    return 0;
}

/* A text that the parser cannot read counts as not building: the parser's message goes back to
 * the proposer. The compiler does not get it, because no guard has checked it. */
static int end_as_unreadable(struct attempt *a, const struct source_refusal *refused)
{
    snprintf(a->build.messages, sizeof a->build.messages, "%s\n", refused->evidence);
    return attempt_ends(a, OPTIMIZE_NO_BUILD, refused->guard, "%s", refused->evidence);
}

static int guard_source(const struct optimizing *o, struct attempt *a, struct error *err)
{
    const struct source_pair pair = {.path = o->plan->source,
                                     .function = o->plan->target->function,
                                     .build = o->plan->build,
                                     .original = o->result->original,
                                     .candidate = a->text,
                                     .n_original = o->result->n_original,
                                     .n_candidate = a->n,
                                     .amd = o->plan->target->amd,
                                     .allow = o->plan->allow_words};
    for (size_t i = 0; source_guards[i]; i++) {
        struct source_refusal refused = {.guard = ""};
        struct error why = ERROR_INIT;
        if (!source_guards[i]->available(&why))
            continue; /* the command says so, once */
        const int rc = source_guards[i]->check(&pair, &refused, err);
        if (rc == 1 && refused.unreadable)
            return end_as_unreadable(a, &refused);
        if (rc == 1)
            return attempt_ends(a, OPTIMIZE_REFUSED, refused.guard, "%s", refused.evidence);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int write_source(const struct attempt *a, struct error *err)
{
    return copy_text(a->text, a->n, a->source, 0600, err);
}

/* The compiler's full output is kept in the candidate's folder. */
static void keep_messages(const struct attempt *a)
{
    char path[OPTIMIZE_PATH];
    struct error ignored = ERROR_INIT;
    snprintf(path, sizeof path, "%.400s/build.txt", a->folder);
    if (a->build.messages[0])
        copy_text(a->build.messages, strlen(a->build.messages), path, 0600, &ignored);
}

static int build_attempt(const struct optimizing *o, struct attempt *a, struct error *err)
{
    optimize_now(o, OPTIMIZE_BUILDS, &a->record, NULL);
    o->plan->hands.build(o->plan->hands.ctx, a->source, a->object, &a->build);
    keep_messages(a);
    outgoing_messages(a->build.messages, a->source);
    if (watch_given_up())
        return watch_check("optimize", err);
    if (!a->build.ok || access(a->object, R_OK) != 0) {
        const int rc = optimize_check_space(o, err);
        if (rc)
            return rc;
        return attempt_ends(a, OPTIMIZE_NO_BUILD, judge_guard_name(GUARD_BUILD), "%s",
                            a->build.ok ? "the command made no {out}" : a->build.status);
    }
    struct error failed = ERROR_INIT;
    a->record.object = optimize_code_hash(o, a->object, &failed);
    if (a->record.object)
        return 0;
    a->build.ok = false;
    error_format(&failed, a->build.messages, sizeof a->build.messages);
    return attempt_ends(a, OPTIMIZE_NO_BUILD, judge_guard_name(GUARD_BUILD), "%.300s", failed.why);
}

static int judge_attempt(struct optimizing *o, struct attempt *a, struct error *err)
{
    char best[OPTIMIZE_PATH], why[OPTIMIZE_WHY];
    optimize_object(o, o->bases[0].number, false, best);
    if (a->record.object == o->bases[0].object) {
        const bool explained = optimize_compare(best, a->object, true, why) == BUILD_EXPLAINED;
        return attempt_ends(a, OPTIMIZE_EQUIVALENT, "", "the machine code is the same%s%s",
                            explained ? "; the files differ only in " : "", explained ? why : "");
    }
    for (size_t i = 1; i < o->nbases; i++)
        if (a->record.object == o->bases[i].object)
            return attempt_ends(a, OPTIMIZE_SEEN, "", "the same machine code as %s%.0u",
                                o->bases[i].number ? "candidate " : "the source",
                                o->bases[i].number);
    const double left = o->plan->for_s - (double)(env_now_ns() - o->begin_ns) / 1e9;
    struct error failed = ERROR_INIT;
    const int rc = attempt_judge(
        o, best, a->object, left < o->plan->each_s ? left : o->plan->each_s, &a->record, &failed);
    if (watch_given_up())
        return watch_check("optimize", err);
    /* The source was judged without an error: so it is about what stands in its place now. */
    return rc == 0 ? 0 : attempt_fails(a, OPTIMIZE_NOT_DECIDED, &failed, err);
}

/* --- the whole --- */

static int begin_attempt(struct optimizing *o, struct attempt *a, const struct proposer *p,
                         struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    a->record = (struct optimize_record){.step = OPTIMIZE_CANDIDATE,
                                         .number = o->last + 1,
                                         .base = a->base->number,
                                         .against = o->bases[0].number,
                                         .warm = none,
                                         .cold = none,
                                         .confirmed = none,
                                         .baseline_ns = NAN,
                                         .candidate_ns = NAN};
    snprintf(a->record.proposer, sizeof a->record.proposer, "%s", p->ops->name);
    if (o->plan->hands.tell)
        o->plan->hands.tell(o->plan->hands.ctx, NULL, p->ops->name);
    optimize_now(o, OPTIMIZE_ASKS, &a->record, NULL);
    return optimize_make_attempt(o, a, a->record.number, err);
}

/* As ask_proposer. */
static int run_attempt(struct optimizing *o, struct attempt *a, const struct proposer *p,
                       const struct attempt *broken, struct error *err)
{
    int rc = begin_attempt(o, a, p, err);
    if (rc == 0)
        rc = ask_proposer(o, a, p, broken, err);
    if (rc == 0)
        rc = check_text_is_new(o, a);
    if (rc == 0)
        rc = write_source(a, err);
    if (rc == 0)
        rc = guard_source(o, a, err);
    if (rc == 0)
        rc = build_attempt(o, a, err);
    if (rc == 0)
        rc = judge_attempt(o, a, err);
    if (rc < 0 || rc == 2) {
        if (rc == 2)
            temporary_remove_folder(a->folder);
        return rc;
    }
    o->last = a->record.number;
    o->without_gain = a->record.outcome == OPTIMIZE_FASTER ? 0 : o->without_gain + 1;
    rc = optimize_add(o, &a->record, err);
    if (rc == 0 && a->record.outcome != OPTIMIZE_NO_BUILD) {
        optimize_base_add(o, &a->record, a->text, a->n);
        a->text = NULL;
    }
    return rc;
}

int optimize_try(struct optimizing *o, size_t proposer, struct error *err)
{
    const struct proposer *p = &o->plan->proposers[proposer];
    struct attempt all[1 + OPTIMIZE_REPAIRS] = {{.n = 0}};
    const size_t base = optimize_base_next(o, proposer);
    int rc = 0;
    size_t i = 0;
    do {
        all[i].base = &o->bases[base];
        rc = run_attempt(o, &all[i], p, i ? &all[i - 1] : NULL, err);
        if (rc == 2 && i == 0)
            o->bases[base].none |= (uint32_t)1 << proposer;
    } while (rc == 0 && all[i].record.outcome == OPTIMIZE_NO_BUILD && ++i <= OPTIMIZE_REPAIRS &&
             o->last < o->plan->iterations);
    for (i = 0; i <= OPTIMIZE_REPAIRS; i++)
        free(all[i].text);
    return rc == 2 ? 0 : rc;
}
