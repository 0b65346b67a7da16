#include "engine/judge_gpu/gpu_judgement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/judge_gpu/gpu_series.h"

static double number_of(const cJSON *j, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(j, key);
    return cJSON_IsNumber(m) ? m->valuedouble : 0;
}

static const char *text_of(const cJSON *j, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, key));
    return text ? text : "";
}

static struct gpu_series series_of(const cJSON *result, const char *key)
{
    struct gpu_series s = {.n = 0};
    const cJSON *j = cJSON_GetObjectItemCaseSensitive(result, key);
    const cJSON *a = cJSON_GetObjectItemCaseSensitive(j, "baseline");
    const cJSON *b = cJSON_GetObjectItemCaseSensitive(j, "candidate");
    a = cJSON_IsArray(a) ? a->child : NULL;
    b = cJSON_IsArray(b) ? b->child : NULL;
    for (; a && b; a = a->next, b = b->next)
        gpu_series_add(&s, a->valuedouble, b->valuedouble);
    return s;
}

static void take_series(struct gpu_judgement *out, const cJSON *result)
{
    struct gpu_series first = series_of(result, "first"), second = series_of(result, "second");
    out->pairs = first.n;
    out->confirming_pairs = second.n;
    out->ratio = gpu_series_interval(&first, out->confidence);
    out->confirmed = gpu_series_interval(&second, out->confidence);
    for (int side = 0; side < 2; side++)
        out->median[side] = gpu_series_median(&first, side);
    out->verdict = gpu_series_verdict(&first, out->confidence, out->margin);
    if (out->verdict == JUDGE_FASTER &&
        gpu_series_verdict(&second, out->confidence, out->margin) != JUDGE_FASTER)
        out->verdict = JUDGE_NOT_DECIDED;
    gpu_series_free(&first);
    gpu_series_free(&second);
}

static void take_lists(struct gpu_judgement *out, const cJSON *result)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(result, "fresh_inputs"))
    {
        if (out->nfresh == GPU_INPUTS)
            break;
        out->fresh[out->nfresh].argument = (unsigned)number_of(item, "argument");
        memory_type_find(text_of(item, "type"), &out->fresh[out->nfresh].type);
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
    const enum judge_guard guard = judge_guard_named(text_of(result, "guard"));
    out->tried = true;
    out->modelled = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(result, "modelled"));
    out->checks = (unsigned)number_of(result, "checks");
    out->launches = (unsigned)number_of(result, "launches");
    out->outputs = (size_t)number_of(result, "outputs");
    out->poisoned = (size_t)number_of(result, "poisoned");
    out->worst = number_of(result, "worst");
    const char *product = text_of(machine, "product_name");
    snprintf(out->gpu, sizeof out->gpu, "%s", *product ? product : text_of(machine, "gpu_agent"));
    take_lists(out, result);
    take_series(out, result);
    if (guard == JUDGE_NO_GUARD)
        return;
    out->verdict = JUDGE_REFUSED;
    judge_refuse(&out->refusal, guard, "%s", text_of(result, "evidence"));
}
