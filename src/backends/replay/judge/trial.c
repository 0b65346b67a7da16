#include "backends/replay/judge/trial.h"

#include <stdlib.h>
#include <string.h>

#include "backends/replay/result.h"
#include "engine/value/document.h"
#include "engine/value/record.h"

static cJSON *series_json(const struct gpu_series *s)
{
    cJSON *j = cJSON_CreateObject();
    json_add_doubles(j, "baseline", s->of[0], s->n);
    json_add_doubles(j, "candidate", s->of[1], s->n);
    return j;
}

static void add_inputs(cJSON *to, const struct trial *k)
{
    cJSON *list = cJSON_AddArrayToObject(to, "fresh_inputs");
    for (size_t i = 0; i < k->inputs.n; i++) {
        const struct gpu_input *in = &k->inputs.input[i];
        cJSON *j = cJSON_CreateObject();
        cJSON_AddNumberToObject(j, "argument", in->argument);
        cJSON_AddStringToObject(j, "type", memory_type_name(in->type));
        json_add_u64(j, "bytes", in->size);
        cJSON_AddBoolToObject(j, "said", in->said);
        cJSON_AddItemToArray(list, j);
    }
}

static void add_work(cJSON *to, const struct trial *k)
{
    static const char *const names[] = {"baseline_work", "candidate_work"};
    cJSON *need = record_object(gpu_need_record, &k->need);
    json_add_u64(need, "changed_lines", k->changed_lines);
    cJSON_AddItemToObject(to, "need", need);
    for (int side = 0; side < TRIAL_SIDES; side++)
        if (k->work[side].counted)
            cJSON_AddItemToObject(to, names[side], record_object(gpu_done_record, &k->work[side]));
    json_add_u64(to, "flushed", k->flush.size);
}

static void tell_trial_result(struct trial *k, bool refused)
{
    cJSON *j = cJSON_CreateObject();
    size_t poisoned = 0, changed = 0;
    for (size_t i = 0; i < k->s.c->nregions && k->poisonable; i++) {
        poisoned += k->poisonable[i];
        changed += k->changed[i];
    }
    replay_result_common(j, &k->s, NULL);
    cJSON_AddStringToObject(j, "guard", refused ? judge_guard_name(k->refused.guard) : "");
    json_add_text(j, "evidence", refused ? k->refused.evidence : "");
    cJSON_AddBoolToObject(j, "modelled", trial_is_modelled(k));
    cJSON_AddNumberToObject(j, "checks", k->checks);
    cJSON_AddNumberToObject(j, "launches", k->launches);
    cJSON_AddNumberToObject(j, "outputs", (double)changed);
    cJSON_AddNumberToObject(j, "poisoned", (double)poisoned);
    json_add_number(j, "worst", k->worst);
    add_inputs(j, k);
    add_work(j, k);
    cJSON_AddItemToObject(j, "first", series_json(&k->series[0][0]));
    cJSON_AddItemToObject(j, "first_cold", series_json(&k->series[0][1]));
    cJSON_AddItemToObject(j, "second", series_json(&k->series[1][0]));
    cJSON_AddItemToObject(j, "second_cold", series_json(&k->series[1][1]));
    replay_event_result(&k->s.events, j);
}

static int open_trial_session(struct trial *k, FILE *events, struct replay_failure *f)
{
    return replay_session_check(&k->s, &k->q, events, true, f) != 0 ||
                   replay_session_hold(&k->s, NULL, f) != 0 || replay_session_open(&k->s, f) != 0
               ? -1
               : 0;
}

static void close_all(struct trial *k)
{
    replay_output_free(k->before);
    replay_output_free(k->right);
    trial_flush_close(k);
    replay_session_close(&k->s);
    for (int i = 0; i < 4; i++)
        gpu_series_free(&k->series[i / 2][i % 2]);
    free(k->changed);
    free(k->poisonable);
    free(k->variables);
}

int gpu_trial_run(const struct gpu_trial_task *t, FILE *events)
{
    struct replay_failure f = {.err = ERROR_INIT};
    struct trial k = {.t = t,
                      .q = {.capture = t->capture,
                            .iterations = 2, /* contents are restored again and again */
                            .recopy = true,
                            .rule = t->rule,
                            .timeout_s = t->timeout_s,
                            .agent = t->agent,
                            .code = t->code,
                            .ncode = TRIAL_SIDES}};
    int rc = open_trial_session(&k, events, &f);
    if (rc == 0) {
        replay_event_stage(&k.s.events, REPLAY_STAGE_VERIFY);
        trial_flush_open(&k);
    }
    if (rc == 0)
        rc = trial_learn(&k, &f);
    if (rc == 0)
        rc = trial_twins(&k, &f);
    if (rc == 0)
        rc = trial_check(&k, &f);
    if (rc == 0)
        replay_event_stage(&k.s.events, REPLAY_STAGE_RUN);
    if (rc == 0)
        rc = trial_time(&k, &f);
    if (rc >= 0) {
        tell_trial_result(&k, rc == 1);
    } else {
        replay_session_explain(&k.s, &f);
        replay_event_error(&k.s.events, &f, &k.s.notes, k.probe);
    }
    close_all(&k);
    return rc < 0 ? replay_kind_exit(f.kind) : 0;
}
