/*
 * Several builds of a kernel, launched in turn from the captured state: in each round each build
 * once, in a random order, so that changes over time affect all of them equally.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/replay/result.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/exit_code.h"
#include "engine/replay/replay_ratio.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/stats.h"

#define SEED 0x5eed5eed5eed5eedull

struct variant {
    double *us;
    struct replay_verdict oracle, first;
    bool has_oracle, has_first;
};

struct bout {
    struct replay_session s;
    struct variant *v;
    size_t n;
    struct replay_output *output; /* of the first build */
    size_t at;                    /* the present build, for messages */
};

static uint64_t
next_order_random(uint64_t *state) /* xorshift64: G. Marsaglia, J. Stat. Softw. 8, 2003 */
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void shuffle_order(size_t *order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(next_order_random(state) % i), other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
}

static int launch_variant(struct bout *b, size_t i, bool restore, struct replay_launch *out,
                          struct replay_failure *f)
{
    b->at = i;
    if (restore && replay_session_restore(&b->s, &b->s.code[i], f) != 0)
        return -1;
    return replay_queue_launch(&b->s.queue, &b->s.code[i], b->s.q->timeout_s, out, f);
}

/* Launches each build once and compares the outputs; this is also the warm-up. */
static int compare_build_outputs(struct bout *b, struct replay_failure *f)
{
    struct replay_launch launch;
    struct replay_session *s = &b->s;
    for (size_t i = 0; i < b->n; i++) {
        struct variant *v = &b->v[i];
        if (launch_variant(b, i, true, &launch, f) != 0)
            return -1;
        if (s->c->has_after &&
            replay_verify(&v->oracle, s->c, s->workers, &s->q->rule, NULL, NULL, f) != 0)
            return -1;
        v->has_oracle = s->c->has_after;
        if (i == 0)
            b->output = replay_output_keep(s->c, s->workers);
        else if (b->output && replay_output_compare(&v->first, b->output, &s->q->rule, f) != 0)
            return -1;
        v->has_first = i > 0 && b->output;
    }
    if (!b->output)
        replay_note(&s->notes, "outputs are not compared with each other: they would take more "
                               "memory than is free");
    if (!s->c->has_after)
        replay_note(&s->notes, "the capture has no memory after the kernel (capture --post): "
                               "outputs are compared with the first variant's only");
    return 0;
}

static int measure_bout(struct bout *b, struct replay_failure *f)
{
    struct replay_launch launch;
    uint64_t state = SEED;
    size_t *order = xcalloc(b->n, sizeof *order);
    const long rounds = b->s.q->warmup + b->s.q->iterations;
    int rc = 0;
    for (size_t i = 0; i < b->n; i++)
        order[i] = i;
    replay_event_stage(&b->s.events, REPLAY_STAGE_RUN);
    for (long round = -b->s.q->warmup; round < rounds - b->s.q->warmup && rc == 0; round++) {
        shuffle_order(order, b->n, &state);
        for (size_t k = 0; k < b->n && rc == 0; k++) {
            const size_t i = order[k];
            rc = launch_variant(b, i, b->s.q->recopy, &launch, f);
            if (rc != 0 || round < 0)
                continue;
            b->v[i].us[round] = launch.gpu_us;
            replay_event_iteration(&b->s.events, round, (int)i, launch.gpu_us);
        }
        if (rc == 0 && round >= 0)
            replay_event_progress(&b->s.events, (uint64_t)round + 1, (uint64_t)b->s.q->iterations);
    }
    free(order);
    return rc;
}

/* --- the document --- */

static cJSON *variant_json(const struct bout *b, size_t i)
{
    const struct variant *v = &b->v[i];
    const struct replay_code *k = &b->s.code[i];
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "name", k->path ? k->path : "captured");
    cJSON_AddNumberToObject(j, "group_segment_size", k->group_size);
    cJSON_AddNumberToObject(j, "private_segment_size", k->private_size);
    cJSON_AddItemToObject(j, "timing", replay_timing_json(v->us, NULL, (size_t)b->s.q->iterations));
    if (v->has_oracle)
        cJSON_AddItemToObject(j, "verify", record_object(replay_verdict_record, &v->oracle));
    if (v->has_first)
        cJSON_AddItemToObject(j, "against_first", record_object(replay_verdict_record, &v->first));
    return j;
}

static cJSON *comparison_json(size_t i, const struct replay_ratio *r)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddNumberToObject(j, "variant", (double)i);
    cJSON_AddNumberToObject(j, "against", 0);
    json_add_number(j, "ratio", r->ratio);
    if (replay_ratio_tested(r)) {
        cJSON_AddNumberToObject(j, "low", r->low);
        cJSON_AddNumberToObject(j, "high", r->high);
        cJSON_AddNumberToObject(j, "p", r->p);
    }
    cJSON_AddStringToObject(j, "verdict", replay_ratio_verdict(r));
    return j;
}

static void add_comparisons(cJSON *to, const struct bout *b)
{
    const size_t n = (size_t)b->s.q->iterations;
    struct replay_ratio *r = xcalloc(b->n, sizeof *r);
    double *p = xcalloc(b->n, sizeof *p);
    for (size_t i = 1; i < b->n; i++) {
        r[i] = replay_ratio_of(b->v[0].us, n, b->v[i].us, n);
        p[i] = r[i].p;
    }
    if (b->n > 1)
        stats_adjust(p + 1, b->n - 1);
    cJSON *list = cJSON_AddArrayToObject(to, "comparisons");
    for (size_t i = 1; i < b->n; i++) {
        r[i].p = p[i];
        cJSON_AddItemToArray(list, comparison_json(i, &r[i]));
    }
    free(r);
    free(p);
}

static bool all_equal(const struct bout *b)
{
    bool equal = true;
    for (size_t i = 0; i < b->n; i++)
        equal = equal && (!b->v[i].has_oracle || b->v[i].oracle.equal) &&
                (!b->v[i].has_first || b->v[i].first.equal);
    return equal;
}

static void tell_bout_result(struct bout *b)
{
    cJSON *result = cJSON_CreateObject();
    replay_result_common(result, &b->s, NULL);
    cJSON *list = cJSON_AddArrayToObject(result, "variants");
    for (size_t i = 0; i < b->n; i++)
        cJSON_AddItemToArray(list, variant_json(b, i));
    add_comparisons(result, b);
    cJSON_AddBoolToObject(result, "equal", all_equal(b));
    replay_event_result(&b->s.events, result);
}

static int open_bout_session(struct bout *b, const struct replay_task *q, FILE *events,
                             struct replay_failure *f)
{
    return replay_session_check(&b->s, q, events, true, f) != 0 ||
                   replay_session_hold(&b->s, NULL, f) != 0 || replay_session_open(&b->s, f) != 0
               ? -1
               : 0;
}

/* The build that an error belongs to: during launches the present one. */
static const char *find_culprit(const struct bout *b)
{
    const char *stage = b->s.events.stage;
    if (!stage || (strcmp(stage, "verify") != 0 && strcmp(stage, "run") != 0))
        return NULL;
    return b->s.q->code[b->at] ? b->s.q->code[b->at] : "captured";
}

int replay_variants(const struct replay_task *q, FILE *events)
{
    struct bout b = {.n = q->ncode, .v = xcalloc(q->ncode, sizeof *b.v)};
    struct replay_failure f = {.err = ERROR_INIT};
    for (size_t i = 0; i < b.n; i++) {
        b.v[i].us = xcalloc((size_t)q->iterations, sizeof(double));
    }
    int rc = open_bout_session(&b, q, events, &f);
    if (rc == 0) {
        replay_event_stage(&b.s.events, REPLAY_STAGE_VERIFY);
        rc = compare_build_outputs(&b, &f);
    }
    if (rc == 0)
        rc = measure_bout(&b, &f);
    const bool equal = all_equal(&b);
    if (rc == 0) {
        tell_bout_result(&b);
    } else {
        replay_session_explain(&b.s, &f);
        replay_event_error(&b.s.events, &f, &b.s.notes, find_culprit(&b));
    }
    replay_output_free(b.output);
    replay_session_close(&b.s);
    for (size_t i = 0; i < b.n; i++) {
        replay_verdict_free(&b.v[i].oracle);
        replay_verdict_free(&b.v[i].first);
        free(b.v[i].us);
    }
    free(b.v);
    if (rc != 0)
        return replay_kind_exit(f.kind);
    return equal ? 0 : EXIT_DIFFERS;
}
