#include "export/live/run_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "engine/value/document.h"
#include "export/live/export_json.h"
#include "json/look.h"

enum { HEAD_BYTES = 4096, LOOK_BYTES = 4 << 20 /* to find the schema */, RUNS_MAX = 10000 };
static const size_t BYTES_MAX = (size_t)256 << 20;

/* --- writing --- */

static cJSON *number_json(const struct run_number *x)
{
    cJSON *j = cJSON_CreateObject();
    json_add_text(j, "id", x->id);
    json_add_text(j, "label", x->label);
    cJSON_AddStringToObject(j, "group", run_group_name((enum run_group)x->group));
    cJSON_AddStringToObject(j, "unit", unit_name((enum unit)x->unit));
    json_add_number(j, "value", x->within.mean);
    if (x->within.n > 1) {
        cJSON_AddNumberToObject(j, "of", (double)x->within.n);
        json_add_number(j, "sd", x->within.sd);
        json_add_number(j, "effective", x->within.effective);
    }
    if (!isnan(x->total))
        json_add_number(j, "total", x->total);
    if (!isnan(x->rate))
        json_add_number(j, "elements_per_s", x->rate);
    if (x->scaled && x->scaled < 100)
        cJSON_AddNumberToObject(j, "counted_percent", x->scaled);
    return j;
}

cJSON *run_json(const struct run *r)
{
    cJSON *j = cJSON_CreateObject(), *list;
    json_add_text(j, "command", r->command);
    json_add_text(j, "hostname", r->hostname);
    json_add_u64(j, "began_ns", r->wall_ns);
    json_add_number(j, "others", r->others);
    cJSON_AddBoolToObject(j, "whole", r->exact);
    cJSON_AddBoolToObject(j, "stopped", r->stopped);
    cJSON_AddNumberToObject(j, "status", r->status);
    list = cJSON_AddArrayToObject(j, "numbers");
    for (size_t i = 0; i < r->n; i++)
        cJSON_AddItemToArray(list, number_json(&r->numbers[i]));
    return j;
}

/* --- reading --- */

static double get_run_member(const cJSON *j, const char *key, double otherwise)
{
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(j, key);
    return cJSON_IsNumber(x) && isfinite(x->valuedouble) ? x->valuedouble : otherwise;
}

/* The index of a name, or n if there is no such name. */
static int index_of_name(const char *name, int n, const char *(*name_of)(int))
{
    for (int i = 0; i < n; i++)
        if (strcmp(name_of(i), name) == 0)
            return i;
    return n;
}

static const char *group_at(int i)
{
    return run_group_name((enum run_group)i);
}

static const char *unit_at(int i)
{
    return unit_name((enum unit)i);
}

static bool read_run_number(struct run *r, const cJSON *j)
{
    double v = get_run_member(j, "value", NAN), n = get_run_member(j, "of", 1);
    int group = index_of_name(json_get_text(j, "group"), RUN_GROUPS, group_at);
    int unit = index_of_name(json_get_text(j, "unit"), UNIT_COUNT_OF, unit_at);
    const char *id = json_get_text(j, "id");
    if (isnan(v) || !*id || group == RUN_GROUPS || unit == UNIT_COUNT_OF || !(n >= 1) || n > 1e18)
        return false;
    struct run_number *x =
        run_add(r, (enum run_group)group, id, json_get_text(j, "label"), (enum unit)unit, v);
    x->within.n = (size_t)n;
    x->within.sd = fmax(get_run_member(j, "sd", 0), 0);
    x->within.effective = fmin(fmax(get_run_member(j, "effective", n), 1), n);
    x->total = get_run_member(j, "total", NAN);
    x->rate = get_run_member(j, "elements_per_s", NAN);
    x->host = group == RUN_BRICK || group == RUN_KERNEL || strcmp(id, "bricks") == 0;
    x->scaled = (uint8_t)fmin(fmax(get_run_member(j, "counted_percent", 0), 0), 100);
    return true;
}

static void read_run(struct run *r, const cJSON *j)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(j, "numbers"), *item;
    r->command = xstrdup(json_get_text(j, "command"));
    r->hostname = xstrdup(json_get_text(j, "hostname"));
    r->wall_ns = (uint64_t)fmin(fmax(get_run_member(j, "began_ns", 0), 0), 1.8e19);
    r->others = get_run_member(j, "others", NAN);
    r->exact = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "whole"));
    r->stopped = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "stopped"));
    r->status = (int)fmin(fmax(get_run_member(j, "status", 0), 0), 255);
    cJSON_ArrayForEach(item, list)
    {
        read_run_number(r, item);
    }
}

static void read_runs_document(struct runs *out, const cJSON *doc)
{
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(doc, "frames"), *item;
    cJSON_ArrayForEach(item, frames)
    {
        read_runs_document(out, item); /* recursion is limited by the parser's limit on depth */
    }
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(doc, "runs");
    cJSON_ArrayForEach(item, runs)
    {
        if (cJSON_IsObject(item) && out->n < RUNS_MAX)
            read_run(runs_add(out), item);
    }
}

bool run_json_recognise(const char *path)
{
    struct stat st; /* a pipe is read once, by who reads the rest of it, too */
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    char *head = NULL;
    size_t n = 0, size = HEAD_BYTES;
    enum json_look look = f ? JSON_LOOK_MORE : JSON_LOOK_NO;
    for (; look == JSON_LOOK_MORE && size <= LOOK_BYTES; size *= 2) {
        head = xrealloc(head, size, 1);
        const size_t got = fread(head + n, 1, size - n, f);
        n += got;
        look = json_look_member(head, n, "schema", EXPORT_JSON_SCHEMA);
        if (got == 0)
            break;
    }
    if (f)
        fclose(f);
    free(head);
    return look == JSON_LOOK_YES;
}

static char *read_runs_file(const char *path, size_t *n, struct error *err)
{
    FILE *f = fopen(path, "re");
    char *text = NULL;
    size_t size = 0, got = 1;
    *n = 0;
    if (!f) {
        error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
        return NULL;
    }
    while (got && size < BYTES_MAX) {
        size = size ? 2 * size : 1 << 16;
        text = xrealloc(text, size, 1);
        got = fread(text + *n, 1, size - *n, f);
        *n += got;
    }
    bool failed = ferror(f) || got;
    fclose(f);
    if (!failed)
        return text;
    free(text);
    error_set(err, ERROR_INPUT, EFBIG, NULL, path, "it cannot be read, or is larger than 256 MB");
    return NULL;
}

int run_json_parse(struct runs *out, const char *text, size_t n, const char *path,
                   struct error *err)
{
    const char *at = text, *end = text + n;
    size_t before = out->n;
    bool damaged = false;
    while (!damaged) { /* --format jsonl: one document on each line */
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
            at++;
        if (at >= end)
            break;
        const char *next = at;
        cJSON *doc = cJSON_ParseWithLengthOpts(at, (size_t)(end - at), &next, false);
        damaged = !doc || next <= at;
        if (doc && strcmp(json_get_text(doc, "schema"), EXPORT_JSON_SCHEMA) == 0)
            read_runs_document(out, doc);
        cJSON_Delete(doc);
        at = next;
    }
    if (damaged)
        return error_set(err, ERROR_INPUT, EINVAL, "write it again", path, "it is damaged JSON");
    if (out->n == before)
        return error_set(err, ERROR_INPUT, ENODATA,
                         "rooftop --headless --format json -- COMMAND, or rooftop record", path,
                         "it holds no run of a command");
    return 0;
}

int run_json_read(struct runs *out, const char *path, struct error *err)
{
    size_t n;
    char *text = read_runs_file(path, &n, err);
    int rc = text ? run_json_parse(out, text, n, path, err) : -EINVAL;
    free(text);
    return rc;
}
