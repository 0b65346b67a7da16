#include "engine/judge_gpu/gpu_judgement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/judge_gpu/gpu_series.h"
#include "engine/judge_gpu/gpu_trial.h"
#include "engine/value/document.h"
#include "engine/value/record.h"

static const double FLOOR_SLACK = 1.25; /* as for functions: roofs are medians */
enum { TRIED_MOST = 4096 };

static double number_of_key(const cJSON *j, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(j, key);
    return cJSON_IsNumber(m) ? m->valuedouble : 0;
}

/* A whole number that a double holds; 0: it is none. */
static uint64_t count_of_key(const cJSON *j, const char *key)
{
    const double v = number_of_key(j, key);
    return v > 0 && v < 0x1p53 ? (uint64_t)v : 0;
}

static void series_of(struct gpu_series *s, const cJSON *result, const char *key)
{
    const cJSON *j = cJSON_GetObjectItemCaseSensitive(result, key);
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(j, "baseline");
    const cJSON *b = cJSON_GetObjectItemCaseSensitive(j, "candidate");
    a = cJSON_IsArray(a) ? a->child : NULL;
    b = cJSON_IsArray(b) ? b->child : NULL;
    for (; a && b; a = a->next, b = b->next)
        gpu_series_add(s, a->valuedouble, b->valuedouble);
}

static int refuse_unless_allowed(struct gpu_judgement *out, const struct judge_refusal *r)
{
    if (out->allow[r->guard])
        return 0;
    out->refusal = *r;
    out->verdict = JUDGE_REFUSED;
    return 1;
}

/* Where the baseline is below the floor, too, the roofs are not those of this GPU. */
static int refuse_below_floor(struct gpu_judgement *out)
{
    struct judge_refusal r;
    const double least = out->floor_us / FLOOR_SLACK;
    if (!(out->median[1] < least) || out->median[0] < least)
        return 0;
    char takes[VALUE_TEXT_MAX], floor[VALUE_TEXT_MAX];
    judge_refuse(&r, GUARD_FLOOR, "a launch takes %s; %s take %s",
                 value_time(1e3 * out->median[1], true, takes), out->floor_why,
                 value_time(1e3 * out->floor_us, true, floor));
    return refuse_unless_allowed(out, &r);
}

static int refuse_cold_cost(struct gpu_judgement *out, const struct gpu_series *cold)
{
    struct judge_refusal r;
    if (gpu_series_verdict(cold, out->confidence, out->margin) != JUDGE_SLOWER)
        return 0;
    judge_refuse(&r, GUARD_COLD, "with cold caches its cost is %.3f of the baseline's",
                 gpu_series_interval(cold, out->confidence).estimate);
    return refuse_unless_allowed(out, &r);
}

/* A candidate that is faster was asked for cold caches, too, where they can be made cold. */
static bool is_confirmed(const struct gpu_judgement *out, const struct gpu_series *second,
                         size_t cold)
{
    if (out->flushed && cold < GPU_FEWEST_COLD)
        return false;
    return gpu_series_verdict(second, out->confidence, out->margin) == JUDGE_FASTER;
}

static void take_series(struct gpu_judgement *out, const cJSON *result)
{
    struct gpu_series first = {.n = 0}, second = {.n = 0}, cold[2] = {{.n = 0}, {.n = 0}};
    series_of(&first, result, "first");
    series_of(&second, result, "second");
    series_of(&cold[0], result, "first_cold");
    series_of(&cold[1], result, "second_cold");
    const size_t first_cold = cold[0].n;
    out->pairs = first.n + first_cold;
    out->confirming_pairs = second.n + cold[1].n;
    out->cold_pairs = first_cold + cold[1].n;
    out->ratio = gpu_series_interval(&first, out->confidence);
    out->confirmed = gpu_series_interval(&second, out->confidence);
    for (int side = 0; side < 2; side++)
        out->median[side] = gpu_series_median(&first, side);
    out->verdict = gpu_series_verdict(&first, out->confidence, out->margin);
    if (out->verdict == JUDGE_FASTER && !refuse_below_floor(out) &&
        !refuse_cold_cost(out, &cold[0]) && !refuse_cold_cost(out, &cold[1]) &&
        !is_confirmed(out, &second, first_cold))
        out->verdict = JUDGE_NOT_DECIDED;
    for (size_t i = 0; i < cold[1].n; i++)
        gpu_series_add(&cold[0], cold[1].of[0][i], cold[1].of[1][i]);
    out->cold = gpu_series_interval(&cold[0], out->confidence);
    gpu_series_free(&first);
    gpu_series_free(&second);
    gpu_series_free(&cold[0]);
    gpu_series_free(&cold[1]);
}

static void take_work(struct gpu_done *out, const cJSON *j)
{
    out->counted = cJSON_IsObject(j);
    record_take(j, gpu_done_record, out);
}

static void take_needed_work(struct gpu_judgement *out, const cJSON *result)
{
    char bytes[VALUE_TEXT_MAX], rate[VALUE_TEXT_MAX];
    const cJSON *need = cJSON_GetObjectItemCaseSensitive(result, "need");
    take_work(&out->work[0], cJSON_GetObjectItemCaseSensitive(result, "baseline_work"));
    take_work(&out->work[1], cJSON_GetObjectItemCaseSensitive(result, "candidate_work"));
    record_take(need, gpu_need_record, &out->need);
    if (out->need.tried > TRIED_MOST)
        out->need.tried = TRIED_MOST;
    out->changed_lines = count_of_key(need, "changed_lines");
    const double lines = (double)(gpu_need_loaded(&out->need) + out->changed_lines);
    out->floor_us = out->modelled ? NAN : gpu_floor_us(&out->need, out->changed_lines, out->roof);
    if (out->modelled)
        snprintf(out->floor_why, sizeof out->floor_why,
                 "costs are modelled, of which roofs say nothing");
    else if (!(out->roof > 0))
        snprintf(out->floor_why, sizeof out->floor_why,
                 "no roofs of this GPU: --roofs names a roofline.csv of rocprof-compute");
    else
        snprintf(out->floor_why, sizeof out->floor_why, "%s at %s",
                 value_text(lines * GPU_LINE, UNIT_BYTES, true, bytes),
                 value_text(out->roof, UNIT_BYTES_PER_S, true, rate));
}

static void take_lists(struct gpu_judgement *out, const cJSON *result)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(result, "fresh_inputs"))
    {
        if (out->nfresh == GPU_INPUTS)
            break;
        out->fresh[out->nfresh].argument = (unsigned)number_of_key(item, "argument");
        memory_type_find(json_get_text(item, "type"), &out->fresh[out->nfresh].type);
        out->fresh[out->nfresh++].said =
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "said"));
    }
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(result, "notes"))
    {
        const char *text = cJSON_GetStringValue(item);
        /* the compiler's mark of a module differs from build to build, and nothing reads it */
        if (text && !strstr(text, " __hip_cuid_") && out->nnotes < GPU_NOTES)
            snprintf(out->notes[out->nnotes++], sizeof *out->notes, "%s", text);
    }
}

void gpu_judgement_take(struct gpu_judgement *out, const cJSON *result)
{
    const cJSON *machine = cJSON_GetObjectItemCaseSensitive(result, "environment");
    const enum judge_guard guard = judge_guard_named(json_get_text(result, "guard"));
    out->tried = true;
    out->modelled = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "modelled"));
    out->checks = (unsigned)number_of_key(result, "checks");
    out->launches = (unsigned)number_of_key(result, "launches");
    out->outputs = (size_t)number_of_key(result, "outputs");
    out->poisoned = (size_t)number_of_key(result, "poisoned");
    out->worst = number_of_key(result, "worst");
    const char *product = json_get_text(machine, "product_name");
    snprintf(out->gpu, sizeof out->gpu, "%s",
             *product ? product : json_get_text(machine, "gpu_agent"));
    out->flushed = count_of_key(result, "flushed");
    take_lists(out, result);
    take_needed_work(out, result);
    take_series(out, result);
    if (guard == JUDGE_NO_GUARD)
        return;
    out->verdict = JUDGE_REFUSED;
    judge_refuse(&out->refusal, guard, "%s", json_get_text(result, "evidence"));
}
