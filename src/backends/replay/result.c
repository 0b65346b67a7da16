#include "backends/replay/result.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/value/document.h"
#include "engine/value/stats.h"

cJSON *replay_timing_json(const double *us, const double *host_us, size_t n)
{
    const struct stats s = stats_of(us, n);
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "unit", "microseconds");
    json_add_number(j, "average", s.mean);
    json_add_number(j, "min", s.min);
    json_add_number(j, "max", s.max);
    json_add_number(j, "stddev", s.sd);
    json_add_number(j, "median", s.median);
    if (host_us)
        json_add_number(j, "host_median", stats_of(host_us, n).median);
    cJSON_AddItemToObject(j, "samples", cJSON_CreateDoubleArray(us, (int)n));
    return j;
}

static cJSON *difference_json(const struct memory_difference *d)
{
    cJSON *j = cJSON_CreateObject();
    json_add_u64(j, "region", d->region);
    json_add_u64(j, "offset", d->offset);
    json_add_u64(j, "address", d->region + d->offset);
    json_add_u64(j, "expected", d->expected);
    json_add_u64(j, "found", d->found);
    json_add_u64(j, "count", d->count);
    json_add_number(j, "max_absolute", d->max_absolute);
    json_add_number(j, "max_relative", d->max_relative);
    return j;
}

cJSON *replay_verdict_json(const struct replay_verdict *v)
{
    cJSON *j = cJSON_CreateObject();
    cJSON_AddBoolToObject(j, "equal", v->equal);
    cJSON_AddStringToObject(j, "type", memory_type_name(v->rule.type));
    cJSON_AddBoolToObject(j, "exact", v->rule.tolerance.exact);
    json_add_u64(j, "regions_compared", v->regions);
    json_add_u64(j, "regions_skipped", v->skipped);
    json_add_u64(j, "bytes_compared", v->bytes);
    cJSON *list = cJSON_AddArrayToObject(j, "differences");
    for (size_t i = 0; i < v->n; i++)
        cJSON_AddItemToArray(list, difference_json(&v->differences[i]));
    return j;
}

static void add_three(cJSON *to, const char *key, const uint32_t v[3])
{
    cJSON *list = cJSON_AddArrayToObject(to, key);
    for (int i = 0; i < 3; i++)
        cJSON_AddItemToArray(list, cJSON_CreateNumber(v[i]));
}

static void add_execution(cJSON *to, const struct replay_session *s, const struct replay_code *code)
{
    cJSON *j = cJSON_AddObjectToObject(to, "execution");
    cJSON_AddNumberToObject(j, "iterations", (double)s->q->iterations);
    cJSON_AddNumberToObject(j, "warmup", (double)s->q->warmup);
    cJSON_AddStringToObject(j, "mode", s->q->recopy ? "stateless" : "stateful");
    add_three(j, "grid", s->c->grid);
    add_three(j, "block", s->c->block);
    if (code) {
        json_add_u64(j, "group_segment_size", code->group_size);
        json_add_u64(j, "private_segment_size", code->private_size);
    }
}

/*
 * Adds the restore times. Later restores copy what the first one read; they are those before each
 * iteration.
 */
static void add_restore(cJSON *to, const struct replay_session *s)
{
    const struct replay_clock *t = &s->restored;
    const double seconds = t->count > 1 ? stats_of(t->rest_s, t->count - 1).median : t->first_s;
    cJSON *j = cJSON_AddObjectToObject(to, "restore");
    json_add_u64(j, "regions", s->c->nregions);
    json_add_u64(j, "bytes", s->c->bytes);
    json_add_number(j, "seconds", seconds);
    json_add_number(j, "bytes_per_second", seconds > 0 ? (double)s->c->bytes / seconds : NAN);
    json_add_number(j, "first_seconds", t->first_s);
    json_add_number(j, "first_read_seconds", replay_restore_read_seconds(s->restore));
    const double speed = replay_restore_memcpy_speed(s->restore);
    if (speed > 0)
        json_add_number(j, "memcpy_bytes_per_second", speed);
    cJSON_AddNumberToObject(j, "count", (double)t->count);
    cJSON_AddNumberToObject(j, "threads", replay_workers_threads(s->workers));
}

static void add_capture_json(cJSON *to, const struct replay_session *s)
{
    cJSON *j = cJSON_AddObjectToObject(to, "capture");
    json_add_text(j, "path", s->c->path);
    json_add_u64(j, "dispatch_index", s->c->dispatch_index);
    json_add_text(j, "time", s->c->time);
}

static void add_environment(cJSON *to, const struct replay_session *s)
{
    const struct replay_device *d = &s->device;
    cJSON *j = cJSON_AddObjectToObject(to, "environment");
    json_add_text(j, "gpu_agent", d->name);
    json_add_text(j, "product_name", d->product);
    json_add_text(j, "isa", d->nisas ? d->isas[0] : "");
    json_add_text(j, "rocm_version", d->version);
    cJSON_AddNumberToObject(j, "pid", getpid());
    cJSON_AddBoolToObject(j, "emulated", strncmp(d->product, "EMULATED", 8) == 0);
}

void replay_result_common(cJSON *to, const struct replay_session *s, const struct replay_code *code)
{
    cJSON *kernel = cJSON_AddObjectToObject(to, "kernel");
    json_add_text(kernel, "name", s->c->demangled_name);
    json_add_text(kernel, "mangled_name", s->c->mangled_name);
    if (code)
        json_add_text(kernel, "hsaco_path", code->path ? code->path : "captured");
    add_execution(to, s, code);
    add_restore(to, s);
    json_add_number(to, "wall_seconds", (double)(env_now_ns() - s->began_ns) / 1e9);
    add_capture_json(to, s);
    add_environment(to, s);
    cJSON *notes = cJSON_AddArrayToObject(to, "notes");
    for (size_t i = 0; i < s->notes.n; i++)
        cJSON_AddItemToArray(notes, cJSON_CreateString(s->notes.text[i]));
}
