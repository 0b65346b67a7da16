#include "cli/optimize/target.h"

#include <string.h>

#include "engine/judge/sandbox.h"

void target_plan(struct judge_plan *plan, const struct target_trial *t, const bool *allow)
{
    *plan = (struct judge_plan){.sandboxes = &sandboxes,
                                .baseline = t->baseline,
                                .candidate = t->candidate,
                                .for_s = t->for_s,
                                .margin = t->margin,
                                .confidence = t->confidence,
                                .on_progress = t->on_progress,
                                .progress_ctx = t->progress_ctx};
    memcpy(plan->allow, allow, sizeof plan->allow);
}

void target_take(struct target_judgement *out, const struct judge_result *r)
{
    *out = (struct target_judgement){.verdict = r->verdict,
                                     .refusal = r->refusal,
                                     .warm = r->warm,
                                     .cold = r->cold,
                                     .confirmed = r->confirmed,
                                     .baseline_ns = r->baseline_ns,
                                     .candidate_ns = r->candidate_ns,
                                     .pairs = r->pairs + r->confirming_pairs};
}
