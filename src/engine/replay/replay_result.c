/* Parses the JSON document that a replay prints at its end. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "engine/replay/replay_json.h"
#include "engine/replay/replay_run.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

const char *replay_json_text(const cJSON *o, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(m) ? m->valuestring : NULL;
}

double replay_json_number(const cJSON *o, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsNumber(m) && isfinite(m->valuedouble) ? m->valuedouble : NAN;
}

bool replay_json_has(const cJSON *o, const char *key)
{
    return !isnan(replay_json_number(o, key));
}

uint64_t replay_json_u64(const cJSON *o, const char *key)
{
    double v = replay_json_number(o, key);
    return v >= 0 && v <= EXACT_MAX ? (uint64_t)v : 0;
}

static bool replay_json_true(const cJSON *o, const char *key)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(o, key));
}

static const cJSON *find_json_object(const cJSON *o, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsObject(m) ? m : NULL;
}

static const char *result_text(struct replay_result *r, const cJSON *o, const char *key)
{
    const char *s = replay_json_text(o, key);
    return s ? arena_strndup(&r->arena, s, 4096) : "";
}

static double known_number(const cJSON *o, const char *key)
{
    double v = replay_json_number(o, key);
    return isnan(v) || v < 0 ? 0 : v;
}

static void read_json_samples(struct replay_result *r, struct replay_timing *t, const cJSON *o)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "samples"), *s;
    size_t n = 0;
    cJSON_ArrayForEach(s, list) n += cJSON_IsNumber(s) && s->valuedouble >= 0;
    n = n < REPLAY_SAMPLES_MAX ? n : REPLAY_SAMPLES_MAX;
    if (n == 0)
        return;
    t->samples = arena_alloc(&r->arena, n * sizeof *t->samples);
    cJSON_ArrayForEach(s, list) if (cJSON_IsNumber(s) && s->valuedouble >= 0 &&
                                    isfinite(s->valuedouble) && t->n < n) t->samples[t->n++] =
        s->valuedouble;
}

static void read_timing(struct replay_result *r, struct replay_timing *t, const cJSON *o)
{
    read_json_samples(r, t, o);
    t->known = replay_json_has(o, "average");
    t->iterations = replay_json_u64(o, "iterations");
    t->average = known_number(o, "average");
    t->min = known_number(o, "min");
    t->max = known_number(o, "max");
    t->stddev = known_number(o, "stddev");
    t->median = replay_json_has(o, "median") ? known_number(o, "median") : t->average;
}

/* A member's value as text: the bits of an element as "0x…", or the text that stands there. */
static const char *text_member(struct replay_result *r, const cJSON *o, const char *key)
{
    if (!replay_json_has(o, key))
        return result_text(r, o, key);
    return arena_printf(&r->arena, "0x%llx", (unsigned long long)replay_json_u64(o, key));
}

enum replay_equality replay_equality_of(bool compared, bool equal, bool exact)
{
    if (!compared)
        return REPLAY_NOT_COMPARED;
    if (!equal)
        return REPLAY_DIFFERENT;
    return exact ? REPLAY_EQUAL : REPLAY_TOLERATED;
}

/* A verdict that does not mention a tolerance was exact. */
static bool is_exact(const cJSON *verdict)
{
    return !cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(verdict, "exact"));
}

static void read_verify(struct replay_result *r, const cJSON *o)
{
    struct replay_verify *v = &r->verify;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "differences"), *d;
    size_t n = (size_t)cJSON_GetArraySize(list);
    if (!o)
        return;
    v->reported = true;
    v->equal = replay_json_true(o, "equal");
    v->exact = is_exact(o);
    v->type = result_text(r, o, "type");
    v->regions = replay_json_u64(o, "regions_compared");
    v->bytes = replay_json_u64(o, "bytes_compared");
    n = n < REPLAY_DIFFERENCES_MAX ? n : REPLAY_DIFFERENCES_MAX;
    v->differences = n ? arena_alloc(&r->arena, n * sizeof *v->differences) : NULL;
    cJSON_ArrayForEach(d, list)
    {
        if (v->n == n)
            break;
        v->differences[v->n++] =
            (struct replay_difference){.region = replay_json_u64(d, "region"),
                                       .offset = replay_json_u64(d, "offset"),
                                       .address = replay_json_u64(d, "address"),
                                       .count = replay_json_u64(d, "count"),
                                       .expected = text_member(r, d, "expected"),
                                       .found = text_member(r, d, "found")};
    }
}

static void read_variants(struct replay_result *r, const cJSON *list)
{
    const cJSON *o;
    size_t n = (size_t)cJSON_GetArraySize(list);
    n = n < REPLAY_VARIANTS_MAX ? n : REPLAY_VARIANTS_MAX;
    if (n == 0)
        return;
    r->variants = arena_alloc(&r->arena, n * sizeof *r->variants);
    cJSON_ArrayForEach(o, list)
    {
        if (r->nvariants == n)
            break;
        struct replay_variant *v = &r->variants[r->nvariants++];
        const cJSON *verdict = find_json_object(o, "verify") ? find_json_object(o, "verify")
                                                             : find_json_object(o, "against_first");
        const cJSON *equal = cJSON_GetObjectItemCaseSensitive(verdict, "equal");
        v->ratio = NAN;
        v->verdict = "";
        v->path = result_text(r, o, "name");
        v->why = result_text(r, o, "error");
        v->equal = replay_equality_of(cJSON_IsBool(equal), cJSON_IsTrue(equal), is_exact(verdict));
        read_timing(r, &v->timing, find_json_object(o, "timing"));
    }
}

/* Takes the ratio of a pair from the document: a ratio of the mean times would be a different
 * number. */
static void read_comparisons(struct replay_result *r, const cJSON *list)
{
    const cJSON *o;
    cJSON_ArrayForEach(o, list)
    {
        const uint64_t i = replay_json_u64(o, "variant");
        if (i == 0 || i >= r->nvariants)
            continue;
        r->variants[i].ratio = replay_json_number(o, "ratio");
        r->variants[i].verdict = result_text(r, o, "verdict");
    }
}

/* In the document of reserve-check these members are at the top level. */
static void read_reserve(struct replay_result *r, const cJSON *o)
{
    uint64_t total = replay_json_u64(o, "regions"), moved = replay_json_u64(o, "relocated");
    uint64_t failed = replay_json_u64(o, "failed");
    if (!replay_json_has(o, "regions") || moved > total || failed > total - moved)
        return;
    r->reserve = (struct replay_reserve){.reported = true,
                                         .total = total,
                                         .exact = total - moved - failed,
                                         .relocated = moved,
                                         .failed = failed};
}

static void read_environment(struct replay_result *r, const cJSON *o)
{
    r->agent = result_text(r, o, "gpu_agent");
    r->product = result_text(r, o, "product_name");
    r->isa = result_text(r, o, "isa");
    r->rocm = result_text(r, o, "rocm_version");
    r->emulated = replay_json_true(o, "emulated");
}

static void read_restore(struct replay_result *r, const cJSON *o)
{
    if (!o)
        return;
    r->restore_reported = true;
    r->restore_regions = replay_json_u64(o, "regions");
    r->restore_rate = known_number(o, "bytes_per_second");
}

int replay_result_parse(struct replay_result *out, const char *json, size_t n)
{
    *out = (struct replay_result){0};
    cJSON *o = cJSON_ParseWithLength(json, n);
    if (!cJSON_IsObject(o)) {
        cJSON_Delete(o);
        out->kernel = out->mangled_name = out->hsaco = out->mode = out->json = "";
        out->agent = out->product = out->isa = out->rocm = "";
        return -EINVAL;
    }
    const cJSON *kernel = find_json_object(o, "kernel"),
                *execution = find_json_object(o, "execution");
    out->json = arena_strndup(&out->arena, json, n);
    out->kernel = result_text(out, kernel, "name");
    out->mangled_name = result_text(out, kernel, "mangled_name");
    out->hsaco = result_text(out, kernel, "hsaco_path");
    out->mode = result_text(out, execution, "mode");
    out->iterations = replay_json_u64(execution, "iterations");
    read_timing(out, &out->timing, find_json_object(o, "timing"));
    read_restore(out, find_json_object(o, "restore"));
    read_verify(out, find_json_object(o, "verify"));
    read_variants(out, cJSON_GetObjectItemCaseSensitive(o, "variants"));
    read_comparisons(out, cJSON_GetObjectItemCaseSensitive(o, "comparisons"));
    read_reserve(out, o);
    read_environment(out, find_json_object(o, "environment"));
    cJSON_Delete(o);
    return 0;
}

void replay_result_free(struct replay_result *r)
{
    arena_free(&r->arena);
    *r = (struct replay_result){0};
}
