/* Reads dispatch.json, in the forms of rooftop, rocm-perf-lab and kerncap. */
#include <stdio.h>
#include <string.h>

#include "engine/capture/capture_impl.h"
#include "format/capture.h"

enum { WORKGROUP_MAX = 65535, KERNARG_MAX = 16 << 20 };

/* --- which of the three it is --- */

static int read_version(const struct json_doc *d)
{
    uint64_t version = 0;
    char what[96];
    int rc = json_whole(d, d->root, "", "version", JSON_MUST, json_most, &version);
    if (rc || version == CAPTURE_VERSION)
        return rc;
    snprintf(what, sizeof what, "%llu is %s; this rooftop reads %d", (unsigned long long)version,
             version > CAPTURE_VERSION ? "of a later rooftop" : "not known", CAPTURE_VERSION);
    return json_doc_refuse(d, "", "version", what);
}

static int read_origin(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const char *format = NULL;
    int rc = doc_text(d, d->root, "", "format", JSON_MAY, &format);
    if (rc)
        return rc;
    c->origin = CAPTURE_ROOFTOP;
    if (!format) {
        c->origin = capture_file_is(d->o, "metadata.json") ? CAPTURE_KERNCAP : CAPTURE_SEED;
        return 0;
    }
    if (strcmp(format, CAPTURE_FORMAT) != 0)
        return json_doc_refuse(d, "", "format", "not a capture of rooftop");
    return read_version(d);
}

/* --- what was launched --- */

static const char *strip_name_ending(const struct json_doc *d, const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);
    return n > k && strcmp(name + n - k, end) == 0 ? arena_strndup(&d->o->memory, name, n - k)
                                                   : name;
}

static int read_names(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    int rc = doc_text(d, d->root, "", "mangled_name", JSON_MUST, &c->mangled_name);
    if (rc == 0 && *c->mangled_name == '\0')
        rc = json_doc_refuse(d, "", "mangled_name", "is empty");
    if (rc == 0)
        rc = doc_text(d, d->root, "", "demangled_name", JSON_MAY, &c->demangled_name);
    c->mangled_name = strip_name_ending(d, c->mangled_name, ".kd");
    c->demangled_name =
        strip_name_ending(d, strip_name_ending(d, c->demangled_name, " [clone .kd]"), ".kd");
    if (*c->demangled_name == '\0')
        c->demangled_name = c->mangled_name;
    return rc;
}

static int read_three(const struct json_doc *d, const char *key, uint64_t most, uint32_t out[3])
{
    static const char *const axes[] = {"[0]", "[1]", "[2]"};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(d->root, key);
    char place[32], what[80];
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 3)
        return json_doc_refuse(d, "", key, list ? "not a list of three numbers" : "is missing");
    for (int i = 0; i < 3; i++) {
        const cJSON *v = cJSON_GetArrayItem(list, i);
        double x = v->valuedouble;
        if (!cJSON_IsNumber(v) || !(x >= 1) || x > (double)most || x != (double)(uint32_t)x) {
            snprintf(place, sizeof place, "%s%s", key, axes[i]);
            snprintf(what, sizeof what, "not a whole number from 1 to %llu",
                     (unsigned long long)most);
            return json_doc_refuse(d, "", place, what);
        }
        out[i] = (uint32_t)x;
    }
    return 0;
}

static int read_sizes(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    int rc = read_three(d, "grid", UINT32_MAX, c->grid);
    if (rc == 0)
        rc = read_three(d, "block", WORKGROUP_MAX, c->block);
    if (rc == 0)
        rc = json_whole(d, d->root, "", "kernarg_size", JSON_MUST, KERNARG_MAX, &c->kernarg_size);
    return rc;
}

static int read_dispatch_numbers(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const struct {
        const char *key;
        uint64_t *to;
    } wide[] = {{"kernel_object", &c->kernel_object},
                {"kernarg_address", &c->kernarg_address},
                {"dispatch_index", &c->dispatch_index},
                {"pid", &c->pid},
                {"queue_id", &c->queue_id},
                {"gpu_ns", &c->gpu_ns},
                {"pause_ns", &c->pause_ns}};
    const struct {
        const char *key;
        uint32_t *to;
    } narrow[] = {{"wavefront_size", &c->wavefront_size},
                  {"group_segment_size", &c->group_segment_size},
                  {"private_segment_size", &c->private_segment_size},
                  {"header", &c->header},
                  {"setup", &c->setup}};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof wide / sizeof *wide; i++)
        rc = json_whole(d, d->root, "", wide[i].key, JSON_MAY, json_most, wide[i].to);
    for (size_t i = 0; rc == 0 && i < sizeof narrow / sizeof *narrow; i++)
        rc = json_whole32(d, d->root, "", narrow[i].key, JSON_MAY, narrow[i].to);
    if (rc == 0 && (c->header > UINT16_MAX || c->setup > UINT16_MAX))
        rc = json_doc_refuse(d, "", c->header > UINT16_MAX ? "header" : "setup", "above 65535");
    return rc;
}

static int read_dispatch_texts(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const struct {
        const char *key, **to;
    } texts[] = {{"agent_name", &c->agent_name},
                 {"isa_name", &c->isa_name},
                 {"product_name", &c->product_name},
                 {"host", &c->host},
                 {"time", &c->time},
                 {"runtime_version", &c->runtime_version},
                 {"tool_version", &c->tool_version}};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof texts / sizeof *texts; i++)
        rc = doc_text(d, d->root, "", texts[i].key, JSON_MAY, texts[i].to);
    if (rc == 0)
        rc = capture_read_command(d, &c->command);
    if (rc == 0)
        rc = json_truth(d, d->root, "", "drained", &c->drained);
    return rc;
}

static int read_code_object(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const cJSON *code = cJSON_GetObjectItemCaseSensitive(d->root, "code_object");
    if (!code)
        return 0;
    if (!cJSON_IsObject(code))
        return json_doc_refuse(d, "", "code_object", "not an object");
    int rc = json_whole(d, code, "code_object", "base", JSON_MUST, json_most, &c->code_base);
    if (rc == 0)
        rc = json_whole(d, code, "code_object", "size", JSON_MUST, json_most, &c->code_size);
    return rc;
}

/* --- a command line, quoted where a shell would split or change a word --- */

static void put_quoted(char **to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=+./:,@%";
    char *p = *to;
    if (*word && word[strspn(word, plain)] == '\0') {
        p = stpcpy(p, word);
    } else {
        *p++ = '\'';
        for (; *word; word++) {
            if (*word == '\'')
                p = stpcpy(p, "'\\'");
            *p++ = *word;
        }
        *p++ = '\'';
    }
    *to = p;
}

int capture_read_command(const struct json_doc *d, const char **out)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(d->root, "command"), *word;
    size_t room = 1;
    if (!list)
        return 0;
    if (!cJSON_IsArray(list))
        return json_doc_refuse(d, "", "command", "not a list");
    cJSON_ArrayForEach(word, list)
    {
        if (!cJSON_IsString(word))
            return json_doc_refuse(d, "", "command", "a word of it is not a string");
        room += 4 * strlen(word->valuestring) + 3;
    }
    char *text = arena_alloc(&d->o->memory, room), *p = text;
    cJSON_ArrayForEach(word, list)
    {
        if (p > text)
            *p++ = ' ';
        put_quoted(&p, word->valuestring);
    }
    *out = text;
    return 0;
}

/* --- the whole document --- */

static int read_sums(const struct json_doc *d)
{
    struct capture_own *o = d->o;
    const cJSON *sums = cJSON_GetObjectItemCaseSensitive(d->root, "checksums");
    if (!cJSON_IsObject(sums))
        return json_doc_refuse(d, "", "checksums", sums ? "not an object" : "is missing");
    int rc = json_sum(d, sums, "checksums", CAPTURE_KERNARG, JSON_MUST, &o->kernarg_sum,
                      &o->has_kernarg_sum);
    if (rc == 0)
        rc =
            json_sum(d, sums, "checksums", CAPTURE_CODE, JSON_MUST, &o->code_sum, &o->has_code_sum);
    return rc;
}

static int read_own(const struct json_doc *d)
{
    int rc = read_code_object(d);
    if (rc == 0)
        rc = read_sums(d);
    return rc ? rc : capture_read_variables(d);
}

int capture_read_dispatch(struct capture_own *o, const char *text, size_t n, struct error *err)
{
    struct json_doc d = {.o = o, .file = CAPTURE_DISPATCH, .err = err};
    int rc = json_doc_parse(&d, text, n, false);
    if (rc == 0)
        rc = read_origin(&d);
    if (rc == 0)
        rc = read_names(&d);
    if (rc == 0)
        rc = read_sizes(&d);
    if (rc == 0)
        rc = read_dispatch_numbers(&d);
    if (rc == 0)
        rc = read_dispatch_texts(&d);
    if (rc == 0 && o->c.origin == CAPTURE_ROOFTOP)
        rc = read_own(&d);
    json_doc_free(&d);
    return rc;
}
