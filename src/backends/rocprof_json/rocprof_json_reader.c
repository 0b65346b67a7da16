/*
 * Reads the JSON of rocprofv3. Source of the layout: files that it wrote, and the tests of
 * rocprofiler-sdk (tests/rocprofv3, validate.py), which read them.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocprof_json/rows.h"
#include "base/list.h"
#include "engine/trace/trace_json.h"
#include "json/look.h"

enum { PATH = 128, ROWS_BETWEEN_LOOKS = 4096 };
static const char document_key[] = "rocprofiler-sdk-tool";

struct json_reading {
    struct trace_json in;
    struct json_tokens json;
    struct trace *t;
    struct rocm_timeline line;
    struct process p;
    char path[PATH]; /* members that lead to the value: "dispatch_info.agent_id.handle" */
    bool found;
    int rc;
};

static bool is_rocprof_json(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    return json_look_member((const char *)head, size, document_key, NULL) == JSON_LOOK_YES;
}

/* --- values --- */

static int64_t read_json_number(const struct json_tokens *j, enum json_token t)
{
    int64_t v;
    bool good = (t == JSON_NUMBER || t == JSON_STRING) && json_scaled(j->text, j->size, 0, &v);
    return good ? v : ROCM_UNKNOWN;
}

static const char *keep_json_text(struct json_reading *r, enum json_token t)
{
    return t == JSON_STRING ? arena_strndup(&r->p.texts, r->json.text, r->json.size) : NULL;
}

/* Handles a value that is no object; it may read an array. */
typedef enum json_token (*value_fn)(struct json_reading *r, enum json_token t, void *item);

/* Reads an object, after its start, and the objects in it. */
static enum json_token read_object(struct json_reading *r, value_fn value, void *item)
{
    struct json_tokens *j = &r->json;
    const size_t before = strlen(r->path);
    enum json_token t;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        const bool fits = before + j->size + 2 < PATH;
        if (fits) {
            memcpy(r->path + before, ".", before > 0 ? 1 : 0);
            memcpy(r->path + before + (before > 0), j->text, j->size);
            r->path[before + (before > 0) + j->size] = '\0';
        }
        t = json_tokens_next(j);
        if (!fits)
            t = json_tokens_skip(j, t);
        else
            t = t == JSON_OBJECT ? read_object(r, value, item) : value(r, t, item);
        r->path[before] = '\0';
        if (json_token_broken(t))
            break;
    }
    return t;
}

/* Reads the objects of an array, each as one item. */
static enum json_token read_object_list(struct json_reading *r, enum json_token t,
                                        enum json_token (*each)(struct json_reading *r, void *ctx),
                                        void *ctx)
{
    char path[PATH];
    if (t != JSON_ARRAY)
        return json_tokens_skip(&r->json, t);
    strcpy(path, r->path);
    while ((t = json_tokens_next(&r->json)) != JSON_ARRAY_END) {
        r->path[0] = '\0';
        t = t == JSON_OBJECT ? each(r, ctx) : json_tokens_skip(&r->json, t);
        if (json_token_broken(t))
            break;
    }
    strcpy(r->path, path);
    return t;
}

struct field {
    const char *path;
    size_t at; /* offset of an int64_t in the item */
};

static void set_row_number(const struct json_reading *r, enum json_token t,
                           const struct field *fields, size_t n, void *item)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(r->path, fields[i].path) == 0)
            *(int64_t *)((char *)item + fields[i].at) = read_json_number(&r->json, t);
}
#define SET_NUMBER(r, t, fields, item)                                                             \
    set_row_number(r, t, fields, sizeof(fields) / sizeof *(fields), item)

/* --- tables --- */

static enum json_token symbol_value(struct json_reading *r, enum json_token t, void *item)
{
    static const struct field fields[] = {
        {"kernel_id", offsetof(struct row_symbol, id)},
        {"arch_vgpr_count", offsetof(struct row_symbol, vgprs)},
        {"accum_vgpr_count", offsetof(struct row_symbol, accum_vgprs)},
        {"sgpr_count", offsetof(struct row_symbol, sgprs)},
        {"group_segment_size", offsetof(struct row_symbol, lds)},
        {"private_segment_size", offsetof(struct row_symbol, scratch)},
    };
    struct row_symbol *y = item;
    SET_NUMBER(r, t, fields, item);
    if (strcmp(r->path, "kernel_name") == 0)
        y->name = keep_json_text(r, t);
    else if (strcmp(r->path, "formatted_kernel_name") == 0)
        y->formatted = keep_json_text(r, t);
    return json_tokens_skip(&r->json, t);
}

static enum json_token read_symbol(struct json_reading *r, void *ctx)
{
    struct row_symbol y = {.id = ROCM_UNKNOWN,
                           .vgprs = ROCM_UNKNOWN,
                           .accum_vgprs = ROCM_UNKNOWN,
                           .sgprs = ROCM_UNKNOWN,
                           .lds = ROCM_UNKNOWN,
                           .scratch = ROCM_UNKNOWN};
    (void)ctx;
    enum json_token t = read_object(r, symbol_value, &y);
    LIST_ADD(r->p.symbols.at, r->p.symbols.n, r->p.symbols.cap, y);
    return t;
}

struct bank {
    int64_t heap, bytes;
};

static enum json_token bank_value(struct json_reading *r, enum json_token t, void *item)
{
    static const struct field fields[] = {{"heap_type", offsetof(struct bank, heap)},
                                          {"size_in_bytes", offsetof(struct bank, bytes)}};
    SET_NUMBER(r, t, fields, item);
    return json_tokens_skip(&r->json, t);
}

/* HSA's heap types 1 (public) and 2 (private) are the frame buffer. */
static enum json_token read_bank(struct json_reading *r, void *agent)
{
    struct bank b = {.heap = 0};
    struct row_agent *a = agent;
    enum json_token t = read_object(r, bank_value, &b);
    if ((b.heap == 1 || b.heap == 2) && b.bytes > 0 && b.bytes < INT64_MAX - a->memory)
        a->memory += b.bytes;
    return t;
}

static enum json_token agent_value(struct json_reading *r, enum json_token t, void *item)
{
    static const struct field fields[] = {
        {"id.handle", offsetof(struct row_agent, id)},
        {"type", offsetof(struct row_agent, type)},
        {"node_id", offsetof(struct row_agent, node)},
        {"cu_count", offsetof(struct row_agent, units)},
        {"max_engine_clk_fcompute", offsetof(struct row_agent, clock)},
    };
    struct row_agent *a = item;
    if (t == JSON_ARRAY && strcmp(r->path, "mem_banks") == 0)
        return read_object_list(r, t, read_bank, a);
    SET_NUMBER(r, t, fields, item);
    if (strcmp(r->path, "name") == 0)
        a->name = keep_json_text(r, t);
    else if (strcmp(r->path, "product_name") == 0)
        a->product = keep_json_text(r, t);
    else if (strcmp(r->path, "model_name") == 0)
        a->model = keep_json_text(r, t);
    return json_tokens_skip(&r->json, t);
}

static enum json_token read_agent(struct json_reading *r, void *ctx)
{
    struct row_agent a = {.id = ROCM_UNKNOWN, .node = ROCM_UNKNOWN, .index = TRACE_UNKNOWN};
    (void)ctx;
    enum json_token t = read_object(r, agent_value, &a);
    LIST_ADD(r->p.agents.at, r->p.agents.n, r->p.agents.cap, a);
    return t;
}

static enum json_token domain_value(struct json_reading *r, enum json_token t, void *item)
{
    struct row_domain *d = item;
    if (strcmp(r->path, "kind") == 0)
        d->name = keep_json_text(r, t);
    if (t != JSON_ARRAY || strcmp(r->path, "operations") != 0)
        return json_tokens_skip(&r->json, t);
    while ((t = json_tokens_next(&r->json)) != JSON_ARRAY_END) {
        LIST_ADD(d->operations, d->n, d->cap, keep_json_text(r, t));
        t = json_tokens_skip(&r->json, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

static enum json_token read_domain(struct json_reading *r, void *ctx)
{
    struct row_domain d = {.name = NULL};
    (void)ctx;
    enum json_token t = read_object(r, domain_value, &d);
    d.name = d.name ? d.name : "";
    LIST_ADD(r->p.domains.at, r->p.domains.n, r->p.domains.cap, d);
    return t;
}

/* {"key": 1, "value": "text"} of a marker, {"id": {"handle": 1}, "name": "text"} of a counter. */
static enum json_token text_value(struct json_reading *r, enum json_token t, void *item)
{
    struct row_text *x = item;
    if (strcmp(r->path, "key") == 0 || strcmp(r->path, "id.handle") == 0)
        x->id = read_json_number(&r->json, t);
    else if (strcmp(r->path, "value") == 0 || strcmp(r->path, "name") == 0)
        x->text = keep_json_text(r, t);
    return json_tokens_skip(&r->json, t);
}

static enum json_token read_row_text(struct json_reading *r, void *ctx)
{
    const bool counter = ctx != NULL;
    struct row_text x = {.id = ROCM_UNKNOWN};
    enum json_token t = read_object(r, text_value, &x);
    if (!x.text)
        return t;
    if (counter) {
        LIST_ADD(r->p.counters.at, r->p.counters.n, r->p.counters.cap, x);
    } else {
        LIST_ADD(r->p.markers.at, r->p.markers.n, r->p.markers.cap, x);
    }
    return t;
}

/* --- rows --- */

static enum json_token counter_value(struct json_reading *r, enum json_token t, void *item)
{
    struct row_counter *v = item;
    char digits[64] = "";
    if (strcmp(r->path, "counter_id.handle") == 0)
        v->counter = read_json_number(&r->json, t);
    if (strcmp(r->path, "value") == 0 && t == JSON_NUMBER && r->json.size < sizeof digits) {
        memcpy(digits, r->json.text, r->json.size);
        v->value = strtod(digits, NULL);
    }
    return json_tokens_skip(&r->json, t);
}

static enum json_token read_counter(struct json_reading *r, void *ctx)
{
    struct row_counter v = {.row = r->p.rows.n, .counter = ROCM_UNKNOWN};
    (void)ctx;
    enum json_token t = read_object(r, counter_value, &v);
    LIST_ADD(r->p.values.at, r->p.values.n, r->p.values.cap, v);
    return t;
}

static enum json_token read_row_value(struct json_reading *r, enum json_token t, void *item)
{
    static const struct field fields[] = {
        {"kind", offsetof(struct row, kind)},
        {"operation", offsetof(struct row, operation)},
        {"thread_id", offsetof(struct row, thread)},
        {"start_timestamp", offsetof(struct row, start)},
        {"end_timestamp", offsetof(struct row, end)},
        {"correlation_id.internal", offsetof(struct row, correlation)},
        {"stream_id.handle", offsetof(struct row, stream)},
        {"dispatch_info.agent_id.handle", offsetof(struct row, agent)},
        {"dispatch_info.queue_id.handle", offsetof(struct row, queue)},
        {"dispatch_info.kernel_id", offsetof(struct row, kernel)},
        {"dispatch_info.dispatch_id", offsetof(struct row, dispatch)},
        {"dispatch_info.private_segment_size", offsetof(struct row, scratch)},
        {"dispatch_info.group_segment_size", offsetof(struct row, lds)},
        {"dispatch_info.workgroup_size.x", offsetof(struct row, group[0])},
        {"dispatch_info.workgroup_size.y", offsetof(struct row, group[1])},
        {"dispatch_info.workgroup_size.z", offsetof(struct row, group[2])},
        {"dispatch_info.grid_size.x", offsetof(struct row, items[0])},
        {"dispatch_info.grid_size.y", offsetof(struct row, items[1])},
        {"dispatch_info.grid_size.z", offsetof(struct row, items[2])},
        {"bytes", offsetof(struct row, bytes)},
        {"src_agent_id.handle", offsetof(struct row, from)},
        {"dst_agent_id.handle", offsetof(struct row, to)},
    };
    static const char outer[] =
        "dispatch_data."; /* counters: prefix of the members of a dispatch */
    if (t == JSON_ARRAY && strcmp(r->path, "records") == 0)
        return read_object_list(r, t, read_counter, NULL);
    const size_t skip = strncmp(r->path, outer, sizeof outer - 1) == 0 ? sizeof outer - 1 : 0;
    const int64_t v = read_json_number(&r->json, t);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (strcmp(r->path + skip, fields[i].path) == 0)
            *(int64_t *)((char *)item + fields[i].at) = v;
    return json_tokens_skip(&r->json, t);
}

static enum json_token read_json_row(struct json_reading *r, void *what)
{
    struct process *p = &r->p;
    struct row row;
    int64_t *numbers = (int64_t *)&row;
    for (size_t i = 0; i < offsetof(struct row, what) / sizeof *numbers; i++)
        numbers[i] = ROCM_UNKNOWN;
    row.what = *(const enum row_kind *)what;
    enum json_token t = read_object(r, read_row_value, &row);
    if (t != JSON_OBJECT_END)
        return t;
    LIST_ADD(p->rows.at, p->rows.n, p->rows.cap, row);
    r->t->so_far++;
    if (p->rows.n % ROWS_BETWEEN_LOOKS == 0)
        r->rc = trace_check_memory(r->t, p->rows.n, r->in.text.path, r->in.err);
    return r->rc == 0 ? t : JSON_BAD;
}

/* The kind of rows of a list below "buffer_records": "kernel_dispatch", "memory_copy", "hip_api".
 */
static enum row_kind kind_of_list(const char *name)
{
    const size_t n = strlen(name);
    if (strcmp(name, "kernel_dispatch") == 0)
        return ROW_KERNEL;
    if (strcmp(name, "memory_copy") == 0)
        return ROW_COPY;
    if (strcmp(name, "marker_api") == 0)
        return ROW_MARKER;
    return n > 4 && strcmp(name + n - 4, "_api") == 0 ? ROW_CALL : ROW_NONE;
}

/* --- the document --- */

/* The command line: an array of words. */
static enum json_token read_command_line(struct json_reading *r)
{
    char *line = NULL;
    size_t size;
    enum json_token t;
    FILE *f = open_memstream(&line, &size);
    if (!f)
        return json_tokens_skip(&r->json, JSON_ARRAY);
    while ((t = json_tokens_next(&r->json)) != JSON_ARRAY_END) {
        if (t == JSON_STRING)
            fprintf(f, "%s%.*s", ftell(f) > 0 ? " " : "", (int)r->json.size, r->json.text);
        t = json_tokens_skip(&r->json, t);
        if (json_token_broken(t))
            break;
    }
    fclose(f);
    free(r->p.command);
    r->p.command = line;
    return t;
}

static enum json_token process_value(struct json_reading *r, enum json_token t, void *item)
{
    static const char counted[] = "callback_records.counter_collection",
                      buffers[] = "buffer_records.";
    static bool counter = true;
    (void)item;
    if (strcmp(r->path, "metadata.pid") == 0)
        r->p.pid = read_json_number(&r->json, t);
    else if (strcmp(r->path, "metadata.node.hostname") == 0)
        r->p.host = keep_json_text(r, t);
    if (t != JSON_ARRAY)
        return json_tokens_skip(&r->json, t);
    if (strcmp(r->path, "metadata.command") == 0)
        return read_command_line(r);
    if (strcmp(r->path, "agents") == 0)
        return read_object_list(r, t, read_agent, NULL);
    if (strcmp(r->path, "kernel_symbols") == 0)
        return read_object_list(r, t, read_symbol, NULL);
    if (strcmp(r->path, "strings.buffer_records") == 0)
        return read_object_list(r, t, read_domain, NULL);
    if (strcmp(r->path, "strings.marker_api") == 0)
        return read_object_list(r, t, read_row_text, NULL);
    if (strcmp(r->path, "counters") == 0)
        return read_object_list(r, t, read_row_text, &counter);
    enum row_kind kind = strcmp(r->path, counted) == 0 ? ROW_COUNTED : ROW_NONE;
    if (strncmp(r->path, buffers, sizeof buffers - 1) == 0)
        kind = kind_of_list(r->path + sizeof buffers - 1);
    return kind == ROW_NONE ? json_tokens_skip(&r->json, t)
                            : read_object_list(r, t, read_json_row, &kind);
}

static enum json_token read_json_process(struct json_reading *r, void *ctx)
{
    (void)ctx;
    r->found = true;
    r->path[0] = '\0';
    enum json_token t = read_object(r, process_value, NULL);
    if (t == JSON_OBJECT_END || t == JSON_CUT)
        rocprof_json_build(&r->p, &r->line);
    rocprof_json_free(&r->p);
    return t;
}

static enum json_token read_rocprof_document(struct json_reading *r)
{
    struct json_tokens *j = &r->json;
    enum json_token t = json_tokens_next(j);
    if (t != JSON_OBJECT)
        return JSON_BAD;
    while ((t = json_tokens_next(j)) == JSON_KEY) {
        const bool wanted =
            j->size == sizeof document_key - 1 && memcmp(j->text, document_key, j->size) == 0;
        t = json_tokens_next(j);
        if (wanted && t == JSON_OBJECT)
            t = read_json_process(r, NULL);
        else
            t = wanted ? read_object_list(r, t, read_json_process, NULL) : json_tokens_skip(j, t);
        if (json_token_broken(t))
            break;
    }
    return t;
}

static int read_rocprof_json(const char *path, struct trace *t, struct error *err)
{
    struct json_reading *r = xcalloc(1, sizeof *r);
    r->t = t;
    r->p.pid = ROCM_UNKNOWN;
    rocm_timeline_init(&r->line, t);
    int rc = trace_json_open(&r->in, path, t, err);
    if (rc == 0) {
        json_tokens_open(&r->json, &r->in.text);
        enum json_token last = read_rocprof_document(r);
        rc = r->rc;
        if (rc == 0 && last == JSON_BAD)
            rc = json_tokens_error(&r->json, err);
        else if (rc == 0 && !r->found)
            rc = error_set(err, ERROR_INPUT, EINVAL, "profile again with rocprofv3 -f json", path,
                           "it has no process");
        if (rc == 0 && last == JSON_CUT)
            trace_note(t, "%s ends in the middle: its last records are missing", path);
        json_tokens_close(&r->json);
    }
    if (rc == 0)
        rocm_timeline_finish(&r->line);
    rocprof_json_free(&r->p);
    rocm_timeline_free(&r->line);
    trace_json_close(&r->in);
    free(r);
    return rc;
}

const struct reader_ops reader_rocprof_json = {
    .name = "rocprofv3 JSON",
    .summary = "rocprofv3 (.json)",
    .streams = true,
    .recognise = is_rocprof_json,
    .read = read_rocprof_json,
};
