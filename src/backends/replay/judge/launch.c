/* A launch of one side, and what it left compared with what the other side left. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/replay/judge/trial.h"
#include "engine/capture/memory_type.h"

int trial_refuse(struct trial *k, const struct judge_refusal *refusal)
{
    if (k->t->allow[refusal->guard])
        return 0;
    k->refused = *refusal;
    return 1;
}

int trial_prepare(struct trial *k, unsigned side, const struct trial_setup *setup,
                  struct replay_failure *f)
{
    if (replay_session_restore(&k->s, &k->s.code[side], f) != 0)
        return -1;
    for (size_t i = 0; setup->fresh && i < k->inputs.n; i++) {
        const struct gpu_input *in = &k->inputs.input[i];
        gpu_input_vary(in, trial_memory(k, in->region) + in->offset, setup->seed);
    }
    if (setup->part.size) {
        const struct gpu_input *in = setup->part.input;
        gpu_input_vary_part(in, trial_memory(k, in->region) + in->offset, setup->part.offset,
                            setup->part.size, setup->part.seed);
    }
    for (size_t i = 0; setup->poison >= 0 && i < k->s.c->nregions; i++)
        if (k->poisonable[i])
            trial_poison(k, i, setup->poison);
    trial_margins_set(k);
    return setup->cold ? trial_flush_run(k, f) : 0;
}

/* What the launch did, and its cost: by the model of gpu_trial.h, or its time. */
static double take_launch_work(struct trial *k, const struct emulated_counts *before,
                               const struct replay_launch *launch)
{
    struct emulated_counts now;
    k->last = (struct gpu_done){.counted = trial_counts(k, &now)};
    if (!k->last.counted)
        return launch->gpu_us;
    k->last.dispatches = now.dispatches - before->dispatches;
    k->last.instructions = now.instructions - before->instructions;
    k->last.loaded = now.loaded - before->loaded;
    k->last.stored = now.stored - before->stored;
    return (double)k->last.instructions + GPU_LINE_COST * (double)(now.lines - before->lines);
}

/* A candidate that faults is refused; so is one whose launch never ends. */
static int launch_failed(struct trial *k, struct replay_failure *f)
{
    char why[sizeof f->err];
    if (k->at == 0 || (f->kind != REPLAY_FAULT && f->kind != REPLAY_ILLEGAL &&
                       f->kind != REPLAY_QUEUE && f->kind != REPLAY_TIMEOUT))
        return -1;
    replay_session_explain(&k->s, f);
    return judge_refuse(&k->refused, f->kind == REPLAY_TIMEOUT ? GUARD_TIME : GUARD_CRASH, "%.300s",
                        error_format(&f->err, why, sizeof why));
}

/* What a launch forges, the GPU does again when it has ended: a launch of the baseline after the
 * candidate's may be the first to show it. */
static int forged_end(struct trial *k, const char *seen, struct replay_failure *f)
{
    static const char what[] = "it wrote to the signal of its end";
    if (!k->candidate_ran)
        return replay_fail(f, REPLAY_CAPTURE, NULL, "the baseline", "%s: %s", what, seen);
    return judge_refuse(&k->refused, GUARD_ANSWER, "%s: %s", what, seen);
}

int trial_launch(struct trial *k, unsigned side, const struct trial_setup *setup, double *cost,
                 struct replay_failure *f)
{
    struct replay_launch launch;
    struct judge_refusal r;
    char forged[REPLAY_FORGED];
    k->at = side;
    if (trial_prepare(k, side, setup, f) != 0)
        return -1;
    struct emulated_counts before;
    struct emulated_races races;
    trial_counts(k, &before);
    trial_races(k, !k->timing, &races);
    k->launches++;
    k->candidate_ran |= side == 1;
    if (replay_queue_launch(&k->s.queue, &k->s.code[side], k->t->timeout_s, &launch, f) != 0 ||
        replay_queue_settle(&k->s.queue, k->t->timeout_s, forged, f) != 0)
        return launch_failed(k, f);
    if (*forged)
        return forged_end(k, forged, f);
    replay_event_progress(&k->s.events, k->launches, k->launches);
    const double took = take_launch_work(k, &before, &launch);
    trial_races(k, false, &races);
    if (races.races + races.parted > 0 && k->races[side].races + k->races[side].parted == 0)
        k->races[side] = races;
    if (cost)
        *cost = took;
    const struct capture_region *beside = trial_margins_changed(k);
    if (!beside)
        return 0;
    if (side == 0)
        return replay_fail(f, REPLAY_CAPTURE, NULL, "the baseline",
                           "it writes beside the region at 0x%llx of %llu bytes",
                           (unsigned long long)beside->base, (unsigned long long)beside->size);
    judge_refuse(&r, GUARD_MEMORY, "it writes beside the region at 0x%llx of %llu bytes",
                 (unsigned long long)beside->base, (unsigned long long)beside->size);
    return trial_refuse(k, &r);
}

/* --- comparing --- */

static size_t region_at(const struct trial *k, uint64_t base)
{
    size_t i = 0;
    while (i + 1 < k->s.c->nregions && k->s.c->regions[i].base != base)
        i++;
    return i;
}

static int refuse_difference(struct trial *k, const struct replay_verdict *v,
                             const struct memory_difference *d, enum judge_guard guard,
                             bool swapped, const char *when)
{
    struct judge_refusal r;
    char wanted[40], got[40];
    memory_format_one(v->rule.type, swapped ? d->found : d->expected, wanted, sizeof wanted);
    memory_format_one(v->rule.type, swapped ? d->expected : d->found, got, sizeof got);
    const unsigned long long n = d->count, base = d->region, offset = d->offset;
    const char *type = memory_type_name(v->rule.type);
    if (guard == GUARD_MEMORY)
        judge_refuse(&r, guard,
                     "it writes where the baseline does not: region 0x%llx, offset %llu is %s %s, "
                     "not %s; %llu differ %s",
                     base, offset, type, got, wanted, n, when);
    else
        judge_refuse(&r, guard,
                     "%llu values of region 0x%llx are wrong; at offset %llu is %s %s, "
                     "not %s %s",
                     n, base, offset, type, got, wanted, when);
    return trial_refuse(k, &r);
}

/* Where the baseline changes nothing, no tolerance counts. */
static int judge_differences(struct trial *k, const struct replay_verdict *v, bool exact,
                             bool swapped, bool stale, const char *when)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct memory_difference *d = &v->differences[i];
        const bool output = k->changed[region_at(k, d->region)];
        int rc = 0;
        if (!output && exact)
            rc = refuse_difference(k, v, d, GUARD_MEMORY, swapped, when);
        else if (output && !exact)
            rc = refuse_difference(k, v, d, stale ? GUARD_STALE : GUARD_OUTPUT, swapped, when);
        if (rc != 0)
            return rc;
    }
    return 0;
}

int trial_compare(struct trial *k, struct replay_output *kept, bool swapped, bool stale,
                  const char *when, struct replay_failure *f)
{
    struct replay_verdict exact, v;
    struct replay_rule bits = k->t->rule;
    bits.tolerance = (struct memory_tolerance){.exact = true};
    k->checks++;
    if (replay_output_compare(&exact, kept, &bits, f) != 0)
        return -1;
    int rc = judge_differences(k, &exact, true, swapped, stale, when);
    const bool same = exact.equal;
    for (size_t i = 0; i < exact.n; i++)
        if (exact.differences[i].max_absolute < INFINITY)
            k->worst = fmax(k->worst, exact.differences[i].max_absolute);
    replay_verdict_free(&exact);
    if (rc != 0 || same)
        return rc;
    if (replay_output_compare(&v, kept, &k->t->rule, f) != 0)
        return -1;
    rc = judge_differences(k, &v, false, swapped, stale, when);
    replay_verdict_free(&v);
    return rc;
}
