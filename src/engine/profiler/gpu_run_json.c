/* Writes and reads the manifest (JSON) of a folder that `rooftop gpu profile` made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cjson/cJSON.h>

#include "engine/profiler/gpu_run.h"
#include "engine/value/document.h"

#define SCHEMA "rooftop.run/1"

enum { LIST_MAX = 65536 };

/* --- writing --- */

static void add_manifest_text(cJSON *to, const char *key, const char *text)
{
    cJSON_AddStringToObject(to, key, text);
}

static void add_manifest_list(cJSON *to, const char *key, const char **list, uint32_t n)
{
    cJSON *array = cJSON_AddArrayToObject(to, key);
    for (uint32_t i = 0; list && i < n; i++)
        cJSON_AddItemToArray(array, cJSON_CreateString(list[i]));
}

static uint32_t count_words(const char **argv)
{
    uint32_t n = 0;
    while (argv && argv[n])
        n++;
    return n;
}

static void add_manifest_time(cJSON *to, const char *key, uint64_t ns)
{
    char text[40];
    if (ns)
        cJSON_AddStringToObject(to, key, utc_text(ns, text));
    else
        cJSON_AddNullToObject(to, key);
}

static void put_pass(cJSON *list, const struct run_pass *p)
{
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    add_manifest_text(o, "name", p->name);
    add_manifest_text(o, "kind", run_kind_name(p->kind));
    add_manifest_text(o, "state", run_state_name(p->state));
    add_manifest_list(o, "command", p->argv, count_words(p->argv));
    if (p->ncounters)
        add_manifest_list(o, "counters", p->counters, p->ncounters);
    if (p->input_path)
        add_manifest_text(o, "input", p->input_path);
    if (p->wait_status >= 0 && WIFSIGNALED(p->wait_status))
        cJSON_AddNumberToObject(o, "signal", WTERMSIG(p->wait_status));
    else if (p->wait_status >= 0)
        cJSON_AddNumberToObject(o, "exit", WEXITSTATUS(p->wait_status));
    if (p->why)
        add_manifest_text(o, "why", p->why);
    add_manifest_time(o, "started", p->started_ns);
    add_manifest_time(o, "ended", p->ended_ns);
    if (p->started_ns && p->ended_ns >= p->started_ns)
        cJSON_AddNumberToObject(o, "seconds", (double)(p->ended_ns - p->started_ns) / 1e9);
    add_manifest_list(o, "files", p->files, p->nfiles);
}

char *gpu_run_json(const struct gpu_run *r)
{
    cJSON *o = document_begin(SCHEMA);
    add_manifest_text(o, "generator", r->generator);
    add_manifest_text(o, "state", run_state_name(r->state));
    add_manifest_text(o, "tool", r->tool);
    add_manifest_text(o, "tool_path", r->tool_path);
    add_manifest_text(o, "tool_version", r->tool_version);
    add_manifest_text(o, "directory", r->directory);
    add_manifest_list(o, "command", r->argv, count_words(r->argv));
    add_manifest_text(o, "gpu", r->gpu);
    cJSON *passes = cJSON_AddArrayToObject(o, "passes");
    for (uint32_t i = 0; i < r->npasses; i++)
        put_pass(passes, &r->passes[i]);
    char *text = json_document(o, true);
    cJSON_Delete(o);
    /* callers free with free(); cJSON may have its own allocator */
    char *mine = xstrdup(text ? text : "{}");
    cJSON_free(text);
    return mine;
}

/* --- reading --- */

struct gpu_run_reading {
    struct gpu_run *r;
    const char *path;
    struct error *err;
};

static int refuse_manifest(const struct gpu_run_reading *in, const char *what)
{
    return error_set(in->err, ERROR_INPUT, EINVAL, "profile again", in->path, "%s", what);
}

static const char *read_manifest_text(const struct gpu_run_reading *in, const cJSON *o,
                                      const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, key));
    return arena_strdup(&in->r->memory, text ? text : "");
}

/* Reads a list of strings. *out is NULL-terminated; n may be NULL. */
static int read_manifest_list(const struct gpu_run_reading *in, const cJSON *o, const char *key,
                              const char ***out, uint32_t *n)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(o, key), *item;
    uint32_t size = 0, used = 0;
    cJSON_ArrayForEach(item, array)
    {
        size++;
    }
    if (size > LIST_MAX)
        return refuse_manifest(in, "a list of it is too long");
    *out = arena_alloc(&in->r->memory, (size + 1u) * sizeof **out);
    cJSON_ArrayForEach(item, array)
    {
        const char *text = cJSON_GetStringValue(item);
        if (!text)
            return refuse_manifest(in, "a list of it holds something that is no text");
        (*out)[used++] = arena_strdup(&in->r->memory, text);
    }
    if (n)
        *n = used;
    return 0;
}

static int find_name_index(const char *name, const char *(*name_of)(int i), int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, name_of(i)) == 0)
            return i;
    return -1;
}

static const char *kind_at(int i)
{
    return run_kind_name((enum run_kind)i);
}

static const char *state_at(int i)
{
    return run_state_name((enum run_state)i);
}

/* Whether a path stays in the folder: it is relative and has no "..". */
static bool stays_inside(const char *path)
{
    if (*path == '/' || *path == '\0')
        return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.')
            return false;
        p += n + (p[n] == '/');
    }
    return true;
}

static int read_wait_status(const cJSON *o)
{
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(o, "exit"),
                *signal = cJSON_GetObjectItemCaseSensitive(o, "signal");
    if (cJSON_IsNumber(signal))
        return signal->valueint & 0x7f;
    return cJSON_IsNumber(code) ? (code->valueint & 0xff) << 8 : -1;
}

static int read_run_pass(const struct gpu_run_reading *in, const cJSON *o)
{
    struct run_pass *p = &in->r->passes[in->r->npasses++];
    *p = (struct run_pass){.name = read_manifest_text(in, o, "name"),
                           .wait_status = read_wait_status(o)};
    int kind = find_name_index(read_manifest_text(in, o, "kind"), kind_at, RUN_KINDS),
        state = find_name_index(read_manifest_text(in, o, "state"), state_at, RUN_STATES);
    if (kind < 0 || state < 0)
        return refuse_manifest(in, "a pass of a kind or state that is not known");
    p->kind = (enum run_kind)kind;
    p->state = (enum run_state)state;
    if (*read_manifest_text(in, o, "why"))
        p->why = read_manifest_text(in, o, "why");
    int rc = read_manifest_list(in, o, "command", &p->argv, NULL);
    if (rc == 0)
        rc = read_manifest_list(in, o, "counters", &p->counters, &p->ncounters);
    if (rc == 0)
        rc = read_manifest_list(in, o, "files", &p->files, &p->nfiles);
    for (uint32_t i = 0; rc == 0 && i < p->nfiles; i++)
        if (!stays_inside(p->files[i]))
            rc = refuse_manifest(in, "a file of it is not in the folder");
    return rc;
}

static int read_manifest(const struct gpu_run_reading *in, const cJSON *o)
{
    struct gpu_run *r = in->r;
    const cJSON *passes = cJSON_GetObjectItemCaseSensitive(o, "passes"), *pass;
    int rc = strcmp(read_manifest_text(in, o, "schema"), SCHEMA) == 0
                 ? 0
                 : refuse_manifest(in, "no manifest of schema " SCHEMA);
    r->generator = read_manifest_text(in, o, "generator");
    r->tool = read_manifest_text(in, o, "tool");
    r->tool_path = read_manifest_text(in, o, "tool_path");
    r->tool_version = read_manifest_text(in, o, "tool_version");
    r->directory = read_manifest_text(in, o, "directory");
    r->gpu = read_manifest_text(in, o, "gpu");
    int state = find_name_index(read_manifest_text(in, o, "state"), state_at, RUN_STATES);
    if (rc == 0 && state < 0)
        rc = refuse_manifest(in, "its state is not known");
    r->state = state < 0 ? RUN_FAILED : (enum run_state)state;
    if (rc == 0)
        rc = read_manifest_list(in, o, "command", &r->argv, NULL);
    r->passes = arena_alloc(&r->memory, GPU_RUN_PASSES_MAX * sizeof *r->passes);
    cJSON_ArrayForEach(pass, passes)
    {
        if (rc == 0 && r->npasses == GPU_RUN_PASSES_MAX)
            rc = refuse_manifest(in, "too many passes");
        if (rc == 0)
            rc = read_run_pass(in, pass);
    }
    return rc;
}

int gpu_run_parse(struct gpu_run *out, const char *text, size_t size, const char *path,
                  struct error *err)
{
    *out = (struct gpu_run){0};
    const struct gpu_run_reading in = {out, path, err};
    cJSON *o = cJSON_ParseWithLength(text, size);
    int rc = cJSON_IsObject(o) ? read_manifest(&in, o) : refuse_manifest(&in, "no JSON object");
    cJSON_Delete(o);
    return rc;
}
