/* What the baseline does with memory: what it changes, of what its answer depends. */
#include <stdlib.h>
#include <string.h>

#include "backends/replay/judge/trial.h"
#include "base/arena.h"
#include "engine/judge/judge_inputs.h"
#include "format/capture.h"

static const struct trial_setup as_captured = {.poison = -1};

static struct replay_rule bits_of(const struct trial *k)
{
    struct replay_rule bits = k->t->rule;
    bits.tolerance = (struct memory_tolerance){.exact = true};
    return bits;
}

static int keep_trial_output(const struct trial *k, struct replay_output **out,
                             struct replay_failure *f)
{
    *out = replay_output_keep(k->s.c, k->s.workers);
    return *out ? 0
                : replay_fail(f, REPLAY_MEMORY, NULL, "the host's memory",
                              "a copy of the captured memory takes more than a third of what is "
                              "free");
}

/* Which regions differ from the captured ones. */
static int find_changed(struct trial *k, struct replay_failure *f)
{
    struct replay_verdict v;
    const struct replay_rule bits = bits_of(k);
    if (replay_output_compare(&v, k->before, &bits, f) != 0)
        return -1;
    const bool some = v.n > 0;
    for (size_t d = 0; d < v.n; d++)
        for (size_t i = 0; i < k->s.c->nregions; i++)
            k->changed[i] |= k->s.c->regions[i].base == v.differences[d].region;
    replay_verdict_free(&v);
    return some ? 0
                : replay_fail(f, REPLAY_CAPTURE, "capture another launch", "the baseline",
                              "it changes no memory: there is nothing to compare");
}

/* The baseline must do what was captured. */
static int same_as_captured(const struct trial *k, struct replay_failure *f)
{
    struct replay_verdict v;
    if (!k->s.c->has_after)
        return 0;
    if (replay_verify(&v, k->s.c, k->s.workers, &k->t->rule, NULL, NULL, f) != 0)
        return -1;
    const bool equal = v.equal;
    replay_verdict_free(&v);
    return equal ? 0
                 : replay_fail(f, REPLAY_CAPTURE,
                               "--baseline captured is the captured code; --tolerance says how far "
                               "values may differ",
                               "the baseline",
                               "it does not leave the memory that was captured "
                               "after the kernel");
}

static int same_again(struct trial *k, struct replay_failure *f)
{
    struct replay_verdict v;
    const struct replay_rule bits = bits_of(k);
    int rc = trial_launch(k, 0, &as_captured, NULL, f);
    if (rc != 0)
        return rc;
    if (replay_output_compare(&v, k->right, &bits, f) != 0)
        return -1;
    const bool equal = v.equal;
    replay_verdict_free(&v);
    if (equal || k->t->allow[GUARD_BITS])
        return 0;
    return replay_fail(f, REPLAY_CAPTURE, "--allow same-bits where atomics make its order random",
                       "the baseline", "two launches give different bits");
}

/* Each byte is the right one, or still the pattern: nobody wrote it. */
static bool is_right_or_pattern(const struct trial *k, size_t region, int pattern)
{
    const struct capture_region *r = &k->s.c->regions[region];
    const uint8_t *now = trial_memory(k, region);
    uint8_t *poison = xcalloc(CAPTURE_BLOCK, 1);
    bool same = true;
    for (uint64_t at = 0; at < r->size && same; at += CAPTURE_BLOCK) {
        const uint8_t *right = replay_output_bytes(k->right, region, at);
        const size_t n = (size_t)(r->size - at < CAPTURE_BLOCK ? r->size - at : CAPTURE_BLOCK);
        judge_poison(poison, n, (unsigned)pattern);
        for (size_t i = 0; i < n && same && right; i++)
            same = now[at + i] == right[i] || now[at + i] == poison[i];
    }
    free(poison);
    return same;
}

static int probe_poison(struct trial *k, struct replay_failure *f)
{
    bool *kept = xcalloc(k->s.c->nregions + 1, sizeof *kept);
    int rc = 0;
    k->probe = GPU_PROBE_POISON;
    for (size_t i = 0; i < k->s.c->nregions; i++)
        k->poisonable[i] = kept[i] = k->changed[i] && !k->s.c->regions[i].contains_kernarg;
    for (int pattern = 0; pattern < 2 && rc == 0; pattern++) {
        const struct trial_setup setup = {.poison = pattern};
        rc = trial_launch(k, 0, &setup, NULL, f);
        for (size_t i = 0; i < k->s.c->nregions && rc == 0; i++)
            kept[i] = kept[i] && is_right_or_pattern(k, i, pattern);
    }
    for (size_t i = 0; i < k->s.c->nregions; i++)
        k->poisonable[i] = kept[i];
    free(kept);
    k->probe = NULL;
    return rc;
}

/* Memory holds the captured contents. */
static int choose_inputs(struct trial *k, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    struct gpu_inputs all;
    const enum memory_type wanted =
        !k->t->rule.tolerance.exact && memory_type_is_float(k->t->rule.type) ? k->t->rule.type
                                                                             : MEMORY_TYPES;
    if (gpu_inputs_find(&all, k->s.c, k->s.captured, k->t->vary, &err) != 0)
        return replay_fail_as(f, REPLAY_USAGE, &err);
    for (size_t i = 0; i < all.n; i++) {
        struct gpu_input *in = &all.input[i];
        if ((in->said || !k->changed[in->region]) &&
            gpu_input_bears(in, trial_memory(k, in->region) + in->offset, wanted))
            k->inputs.input[k->inputs.n++] = *in;
    }
    return 0;
}

/* Whether fresh inputs give another answer than the captured one. */
static int probe_fresh(struct trial *k, struct replay_failure *f)
{
    struct replay_verdict v;
    const struct trial_setup setup = {.fresh = true, .poison = -1, .seed = 1};
    if (k->inputs.n == 0)
        return 0;
    k->probe = GPU_PROBE_FRESH;
    int rc = trial_launch(k, 0, &setup, NULL, f);
    k->probe = NULL;
    if (rc != 0)
        return rc;
    if (replay_output_compare(&v, k->right, &k->t->rule, f) != 0)
        return -1;
    for (size_t d = 0; d < v.n; d++)
        for (size_t i = 0; i < k->s.c->nregions; i++)
            k->reached |= k->changed[i] && k->s.c->regions[i].base == v.differences[d].region;
    replay_verdict_free(&v);
    return 0;
}

int trial_learn(struct trial *k, struct replay_failure *f)
{
    k->changed = xcalloc(k->s.c->nregions + 1, sizeof *k->changed);
    k->poisonable = xcalloc(k->s.c->nregions + 1, sizeof *k->poisonable);
    if (replay_session_restore(&k->s, &k->s.code[0], f) != 0 ||
        keep_trial_output(k, &k->before, f) != 0)
        return -1;
    int rc = trial_launch(k, 0, &as_captured, NULL, f);
    if (rc == 0)
        rc = find_changed(k, f);
    if (rc == 0) {
        k->changed_lines = trial_changed_lines(k);
        k->work[0] = k->last;
    }
    if (rc == 0)
        rc = same_as_captured(k, f);
    if (rc == 0)
        rc = keep_trial_output(k, &k->right, f);
    if (rc == 0)
        k->variables = trial_variables(k, 0);
    if (rc == 0)
        rc = same_again(k, f);
    if (rc == 0 && !k->t->no_poison)
        rc = probe_poison(k, f);
    if (rc == 0)
        rc = replay_session_restore(&k->s, &k->s.code[0], f);
    if (rc == 0 && !k->t->no_fresh)
        rc = choose_inputs(k, f);
    if (rc == 0)
        rc = probe_fresh(k, f);
    return rc ? rc : trial_need(k, f);
}
