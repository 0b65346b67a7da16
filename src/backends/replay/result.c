#include "backends/replay/result.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "engine/value/document.h"
#include "engine/value/record.h"
#include "engine/value/record_rows.h"
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

static void add_difference_address(cJSON *to, const char *name, const void *difference)
{
    const struct memory_difference *d = difference;
    json_add_u64(to, name, d->region + d->offset);
}

#define TYPE struct memory_difference
static const struct fields difference_record =
    RECORD_OF(ROW(U64, region), ROW(U64, offset), ADDED(U64, add_difference_address, "address"),
              ROW(U64, expected), ROW(U64, found), ROW(U64, count), ROW(DOUBLE, max_absolute),
              ROW(DOUBLE, max_relative));
#undef TYPE

static void add_compared_type(cJSON *to, const char *name, const void *verdict)
{
    const struct replay_verdict *v = verdict;
    cJSON_AddStringToObject(to, name, memory_type_name(v->rule.type));
}

#define TYPE struct replay_verdict
const struct fields replay_verdict_record =
    RECORD_OF(ROW(BOOL, equal), ADDED(TEXT, add_compared_type, "type"),
              NAMED(BOOL, rule.tolerance.exact, "exact"), NAMED(U64, regions, "regions_compared"),
              NAMED(U64, skipped, "regions_skipped"), NAMED(U64, bytes, "bytes_compared"),
              LIST(differences, n, "differences", &difference_record));
#undef TYPE

static void add_execution(cJSON *to, const struct replay_session *s, const struct replay_code *code)
{
    cJSON *j = cJSON_AddObjectToObject(to, "execution");
    cJSON_AddNumberToObject(j, "iterations", (double)s->q->iterations);
    cJSON_AddNumberToObject(j, "warmup", (double)s->q->warmup);
    cJSON_AddStringToObject(j, "mode", s->q->recopy ? "stateless" : "stateful");
    json_add_three(j, "grid", s->c->grid);
    json_add_three(j, "block", s->c->block);
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
