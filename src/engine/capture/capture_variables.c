/* Reads module variables: from dispatch.json, or from kerncap's separate document. */
#include <stdio.h>
#include <string.h>

#include "engine/capture/capture_impl.h"

#define FOREIGN      "module_variables.json"
#define FOREIGN_META "metadata.json"

enum { DOCUMENT_MAX = 64 << 20 };

static const uint64_t bytes_most = UINT64_C(1) << 40;

static int list_of(const struct json_doc *d, const cJSON **list)
{
    struct capture *c = &d->o->c;
    const cJSON *in;
    size_t n = 0;
    *list = cJSON_GetObjectItemCaseSensitive(d->root, "variables");
    if (!*list)
        return 0;
    if (!cJSON_IsArray(*list))
        return json_doc_refuse(d, "", "variables", "not a list");
    cJSON_ArrayForEach(in, *list)
    {
        n++;
    }
    if (n > CAPTURE_VARIABLES_MAX)
        return json_doc_refuse(d, "", "variables", "too many");
    c->variables = arena_alloc(&d->o->memory, n * sizeof *c->variables);
    return 0;
}

static int read_common(const struct json_doc *d, const cJSON *in, const char *where,
                       const char *file_key, struct capture_variable *v)
{
    *v = (struct capture_variable){.name = ""};
    if (!cJSON_IsObject(in))
        return json_doc_refuse(d, where, "", "not an object");
    int rc = doc_text(d, in, where, "name", JSON_MUST, &v->name);
    if (rc == 0)
        rc = json_whole(d, in, where, "address", JSON_MAY, json_most, &v->address);
    if (rc == 0)
        rc = json_whole(d, in, where, "size", JSON_MUST, bytes_most, &v->size);
    if (rc == 0)
        rc = doc_text(d, in, where, file_key, JSON_MAY, &v->blob.file);
    v->blob.stored = v->size;
    return rc;
}

int capture_read_variables(const struct json_doc *d)
{
    struct capture *c = &d->o->c;
    const cJSON *list, *in;
    char where[40];
    int rc = list_of(d, &list);
    cJSON_ArrayForEach(in, list)
    {
        struct capture_variable *v = &c->variables[c->nvariables];
        if (rc)
            break;
        snprintf(where, sizeof where, "variables[%zu]", c->nvariables++);
        rc = read_common(d, in, where, "file", v);
        if (rc == 0)
            rc = json_sum(d, in, where, "checksum", v->blob.file ? JSON_MUST : JSON_MAY,
                          &v->blob.checksum, &v->blob.has_checksum);
        if (rc == 0 && v->blob.file)
            rc = capture_file_check(d->o, &v->blob, v->size, d->err);
        if (rc == 0 && !v->blob.file)
            capture_note(d->o, "the module variable %s could not be read", v->name);
    }
    return rc;
}

/* --- kerncap lists the variables of all loaded code objects, by each one's hash --- */

/* The hash of the code object that has the kernel; "" = unknown. */
static int own_hash(struct capture_own *o, const char **hash, struct error *err)
{
    struct json_doc d = {.o = o, .file = FOREIGN_META, .err = err};
    char *text;
    size_t n;
    *hash = "";
    int rc = capture_file_read(o, d.file, DOCUMENT_MAX, &text, &n, err);
    if (rc == 0)
        rc = json_doc_parse(&d, text, n, false);
    if (rc == 0)
        rc = doc_text(&d, d.root, "", "hsaco_sha256", JSON_MAY, hash);
    json_doc_free(&d);
    return rc;
}

static int read_foreign(const struct json_doc *d, const char *hash)
{
    struct capture *c = &d->o->c;
    const cJSON *list, *in;
    char where[40];
    size_t i = 0, others = 0;
    int rc = list_of(d, &list);
    cJSON_ArrayForEach(in, list)
    {
        struct capture_variable *v = &c->variables[c->nvariables];
        const char *of = "";
        if (rc)
            break;
        snprintf(where, sizeof where, "variables[%zu]", i++);
        rc = read_common(d, in, where, "blob", v);
        if (rc == 0)
            rc = doc_text(d, in, where, "executable_sha256", JSON_MAY, &of);
        bool wanted = !*hash || !*of || strcmp(hash, of) == 0;
        if (rc == 0 && wanted && v->blob.file)
            rc = capture_file_check(d->o, &v->blob, v->size, d->err);
        c->nvariables += wanted;
        others += !wanted;
    }
    if (rc == 0 && others)
        capture_note(d->o, "%zu module variables of other code objects are left out", others);
    if (rc == 0 && c->nvariables)
        capture_note(d->o, "module variables have no addresses: they are found by their names");
    return rc;
}

int capture_read_foreign_variables(struct capture_own *o, struct error *err)
{
    struct json_doc d = {.o = o, .file = FOREIGN, .err = err};
    const char *hash;
    char *text;
    size_t n;
    if (!capture_file_is(o, d.file))
        return 0;
    int rc = own_hash(o, &hash, err);
    if (rc == 0)
        rc = capture_file_read(o, d.file, DOCUMENT_MAX, &text, &n, err);
    if (rc == 0)
        rc = json_doc_parse(&d, text, n, false);
    if (rc == 0)
        rc = read_foreign(&d, hash);
    json_doc_free(&d);
    return rc;
}
