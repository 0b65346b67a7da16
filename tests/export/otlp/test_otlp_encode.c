/*
 * Spans as Protocol Buffers are read back by an independent decoder, and where it is installed by
 * protoc; as JSON by a JSON parser. Identifiers, TRACEPARENT, resources and the size of messages.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include "base/ids.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"
#include "export/otlp/otlp_resource.h"
#include "support/otlp_read.h"
#include "support/program.h"
#include "support/skip.h"
#include "support/temp_folder.h"
#include "support/test.h"

struct taken {
    struct otlp_bytes all;
    size_t messages, largest;
    uint64_t spans;
    const char *only; /* NULL: keep all bytes; else count only */
};

static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct taken *t = ctx;
    size_t n = 0;
    (void)err;
    for (size_t i = 0; i < 3; i++) {
        n += m->size[i];
        if (!t->only)
            otlp_put(&t->all, m->part[i], m->size[i]);
    }
    t->messages++;
    t->spans += m->spans;
    t->largest = n > t->largest ? n : t->largest;
    return 0;
}

/* One span with everything. */
static void write_full(struct otlp_batch *b)
{
    static struct otlp_attrs attrs, event;
    attrs = event = (struct otlp_attrs){.n = 0};
    otlp_text(&attrs, "text", "a \"b\" \xff\xc0\xaf \xed\xa0\x80 \xf0\x9f\x98\x80 end");
    otlp_texts(&attrs, "list", "one\0two\0\0four", 13);
    otlp_int(&attrs, "least", INT64_MIN);
    otlp_uint(&attrs, "most", UINT64_MAX);
    otlp_double(&attrs, "real", -0.5);
    otlp_double(&attrs, "none", NAN);
    otlp_bool(&attrs, "yes", true);
    otlp_text(&attrs, "absent", NULL);
    otlp_text(&attrs, "empty", "");
    otlp_text(&event, "what", "exec");
    const struct otlp_event events[] = {{1500000000000000005, "first", &event},
                                        {1500000000000000006, "second", NULL}};
    struct otlp_span s = {.trace = {0x0a, 1},
                          .id = {0xb0, 2},
                          .parent = {0, 0, 0, 0, 0, 0, 0, 1},
                          .state = "k=v",
                          .kind = OTLP_CLIENT,
                          .name = "name \x80",
                          .begin_ns = 1500000000000000001,
                          .end_ns = 1500000000000000009,
                          .attrs = &attrs,
                          .events = events,
                          .nevents = 2,
                          .dropped_events = 300,
                          .status = OTLP_ERROR,
                          .message = "exit status 3"};
    otlp_batch_add(b, &s);
    s = (struct otlp_span){.trace = {1}, .id = {2}, .kind = OTLP_INTERNAL, .name = ""};
    otlp_batch_add(b, &s);
}

static void make(const struct otlp_format *format, struct taken *t)
{
    struct error err = ERROR_INIT;
    struct otlp_attrs resource = {.n = 0};
    otlp_text(&resource, "service.name", "made");
    struct otlp_batch b = {.format = format, .resource = &resource, .take = take, .ctx = t};
    write_full(&b);
    assert_int_equal(otlp_batch_end(&b, &err), 0);
}

TEST(test_protobuf)
{
    struct taken t = {.messages = 0};
    struct read_spans read = {.n = 0};
    make(&otlp_protobuf, &t);
    otlp_read(&read, t.all.data, t.all.n);
    assert_int_equal(read.n, 2);
    const struct read_span *s = &read.list[0];
    assert_string_equal(s->trace, "0a010000000000000000000000000000");
    assert_string_equal(s->id, "b002000000000000");
    assert_string_equal(s->parent, "0000000000000001");
    assert_string_equal(s->state, "k=v");
    assert_string_equal(s->name, "name \xef\xbf\xbd");
    assert_int_equal(s->kind, 3);
    assert_true(s->begin == 1500000000000000001 && s->end == 1500000000000000009);
    assert_string_equal(s->attrs, "text=a \"b\" \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
                                  "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xf0\x9f\x98\x80 end\n"
                                  "list=[one|two||four]\nleast=-9223372036854775808\n"
                                  "most=9223372036854775807\nreal=-0.5\nyes=1\nempty=\n");
    assert_string_equal(s->events, "first\nwhat=exec\nsecond\n");
    assert_int_equal(s->dropped_events, 300);
    assert_int_equal(s->status, 2);
    assert_string_equal(s->message, "exit status 3");
    assert_string_equal(read.list[1].parent, "");
    assert_string_equal(read.resource, "service.name=made\n");
    assert_true(strncmp(read.scope, "rooftop ", 8) == 0);
    assert_string_equal(read.schema, OTLP_SCHEMA);
    otlp_read_free(&read);
    otlp_bytes_free(&t.all);
}

/* protoc takes the bytes too, and its own text of them has our values at the fields of the .proto
 * files. */
TEST_WITH(test_protoc, temp_folder_make, temp_folder_remove)
{
    struct program p;
    struct taken t = {.messages = 0};
    char line[200], path[128];
    if (system("protoc --version >/dev/null 2>&1") != 0)
        skip_because("protoc is not installed: apt-get install protobuf-compiler");
    make(&otlp_protobuf, &t);
    snprintf(path, sizeof path, "%s/message", temp_folder);
    FILE *f = fopen(path, "wb");
    assert_int_equal(fwrite(t.all.data, 1, t.all.n, f), t.all.n);
    fclose(f);
    snprintf(line, sizeof line, "protoc --decode_raw <%s", path);
    program_run(&p, line);
    assert_int_equal(p.status, 0);
    static const char *const seen[] = {
        "7: 0x14d1120d7b160001", "8: 0x14d1120d7b160009", "6: 3", "10: ", "3: 2", "12: 300"};
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        if (i != 3 && !strstr(p.out, seen[i]))
            fail_msg("%s is not in\n%s", seen[i], p.out);
    program_free(&p);
    otlp_bytes_free(&t.all);
}

static const cJSON *member(const cJSON *j, const char *path)
{
    char copy[200], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *key = strtok_r(copy, "/", &rest); key; key = strtok_r(NULL, "/", &rest))
        j = *key >= '0' && *key <= '9' ? cJSON_GetArrayItem(j, atoi(key))
                                       : cJSON_GetObjectItemCaseSensitive(j, key);
    if (!j)
        fail_msg("%s is missing", path);
    return j;
}

static void is(const cJSON *j, const char *path, const char *text)
{
    const cJSON *m = member(j, path);
    if (!cJSON_IsString(m) || strcmp(m->valuestring, text) != 0)
        fail_msg("%s is %s, not %s", path, m->valuestring, text);
}

TEST(test_json)
{
    struct taken t = {.messages = 0};
    make(&otlp_json, &t);
    assert_null(memchr(t.all.data, '\n', t.all.n)); /* a message is a line */
    cJSON *doc = cJSON_ParseWithLength((const char *)t.all.data, t.all.n);
    assert_non_null(doc);
    is(doc, "resourceSpans/0/resource/attributes/0/value/stringValue", "made");
    is(doc, "resourceSpans/0/scopeSpans/0/scope/name", "rooftop");
    is(doc, "resourceSpans/0/schemaUrl", OTLP_SCHEMA);
    const cJSON *s = member(doc, "resourceSpans/0/scopeSpans/0/spans/0");
    is(s, "traceId", "0a010000000000000000000000000000");
    is(s, "parentSpanId", "0000000000000001");
    is(s, "startTimeUnixNano", "1500000000000000001");
    is(s, "endTimeUnixNano", "1500000000000000009");
    is(s, "attributes/1/value/arrayValue/values/3/stringValue", "four");
    is(s, "attributes/2/value/intValue", "-9223372036854775808");
    is(s, "events/0/attributes/0/value/stringValue", "exec");
    is(s, "status/message", "exit status 3");
    assert_int_equal(member(s, "kind")->valueint, 3);
    assert_int_equal(member(s, "status/code")->valueint, 2);
    assert_true(member(s, "attributes/4/value/doubleValue")->valuedouble == -0.5);
    assert_true(cJSON_IsTrue(member(s, "attributes/5/value/boolValue")));
    s = member(doc, "resourceSpans/0/scopeSpans/0/spans/1");
    assert_null(cJSON_GetObjectItemCaseSensitive(s, "parentSpanId"));
    assert_null(cJSON_GetObjectItemCaseSensitive(s, "status"));
    cJSON_Delete(doc);
    otlp_bytes_free(&t.all);
}

/* A million spans: each is in a message, and none is larger than it may be. */
TEST(test_million)
{
    enum { SPANS = 1000000 };
    struct error err = ERROR_INIT;
    struct taken t = {.only = ""};
    struct otlp_attrs attrs = {.n = 0}, resource = {.n = 0};
    struct otlp_batch b = {
        .format = &otlp_protobuf, .resource = &resource, .take = take, .ctx = &t};
    otlp_text(&attrs, "rooftop.kind", "kernel");
    for (uint32_t i = 0; i < SPANS; i++) {
        const struct otlp_span s = {
            .trace = {1}, .id = {2}, .kind = OTLP_INTERNAL, .name = "gemm", .attrs = &attrs};
        otlp_batch_add(&b, &s);
        if (b.spans.cap > 4 * OTLP_BATCH_BYTES)
            fail_msg("%zu bytes are held", b.spans.cap);
    }
    assert_int_equal(otlp_batch_end(&b, &err), 0);
    assert_int_equal(t.spans, SPANS);
    assert_true(t.largest < OTLP_BATCH_BYTES + 8192);
    assert_true(t.messages >= SPANS / OTLP_BATCH_SPANS);
}

/* A text of a megabyte is cut within a character's bounds; too many attributes are counted. */
TEST(test_large)
{
    enum { LONG = 1 << 20 };
    struct error err = ERROR_INIT;
    struct taken t = {.messages = 0};
    struct read_spans read = {.n = 0};
    struct otlp_attrs attrs = {.n = 0}, resource = {.n = 0};
    char *text = malloc(LONG + 1);
    for (int i = 0; i < LONG; i += 4)
        memcpy(text + i, "\xf0\x9f\x98\x80", 4);
    text[LONG] = '\0';
    text[0] = 'x';
    text[1] = 'y';
    text[2] = text[3] = 'z';
    for (int i = 0; i < OTLP_ATTRS + 5; i++)
        otlp_text(&attrs, "key", i ? "" : text + 1);
    struct otlp_batch b = {
        .format = &otlp_protobuf, .resource = &resource, .take = take, .ctx = &t};
    const struct otlp_span s = {
        .trace = {1}, .id = {2}, .kind = OTLP_INTERNAL, .name = "n", .attrs = &attrs};
    otlp_batch_add(&b, &s);
    assert_int_equal(otlp_batch_end(&b, &err), 0);
    otlp_read(&read, t.all.data, t.all.n); /* fails where a character is cut */
    assert_int_equal(read.list[0].dropped_attributes, 5);
    assert_true(t.all.n < 2 * OTLP_LONGEST);
    otlp_read_free(&read);
    otlp_bytes_free(&t.all);
    free(text);
}

/* --- identifiers --- */

TEST(test_traceparent)
{
    static const struct {
        const char *text;
        bool valid;
    } cases[] = {
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", true},
        {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later", true},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-later", false},
        {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01later", false},
        {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
        {"00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
        {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
        {"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", false},
        {"00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01", false},
        {"", false},
        {NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t trace[OTLP_TRACE_ID], parent[OTLP_SPAN_ID];
        if (otlp_traceparent(cases[i].text, trace, parent) != cases[i].valid)
            fail_msg("%s is %s", cases[i].text, cases[i].valid ? "refused" : "taken");
    }
}

TEST(test_passes_on)
{
    struct otlp_context c, inner;
    uint8_t id[OTLP_SPAN_ID];
    setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", 1);
    setenv("TRACESTATE", "a=b", 1);
    otlp_context_new(&c);
    assert_int_equal(c.trace[0], 0x0a);
    assert_int_equal(c.parent[0], 0xb7);
    assert_string_equal(c.state, "a=b");
    otlp_context_id(&c, 7, id);
    otlp_context_pass(&c, id);
    otlp_context_new(&inner); /* as the program that is started reads it */
    assert_memory_equal(inner.trace, c.trace, OTLP_TRACE_ID);
    assert_memory_equal(inner.parent, id, OTLP_SPAN_ID);
    assert_string_equal(inner.state, "a=b");
    setenv("TRACEPARENT", "nonsense", 1);
    otlp_context_new(&c);
    otlp_context_new(&inner);
    assert_int_equal(c.parent[0], 0);
    assert_string_equal(c.state, "");
    assert_memory_not_equal(c.trace, inner.trace, OTLP_TRACE_ID);
    unsetenv("TRACEPARENT");
    unsetenv("TRACESTATE");
    otlp_context_of(&c, 42); /* the same profile, the same identifiers */
    otlp_context_of(&inner, 42);
    assert_memory_equal(&c.trace, &inner.trace, sizeof c.trace);
    assert_true(c.salt == inner.salt);
}

TEST(test_ids_differ)
{
    enum { EACH = 100000 };
    static const uint64_t from[] = {OTLP_COMMAND, OTLP_FIRST_NODE, OTLP_FIRST_PROCESS,
                                    OTLP_FIRST_CALL};
    struct ids seen = {.n = 0};
    struct otlp_context c;
    otlp_context_new(&c);
    for (size_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < EACH; i++) {
            uint8_t id[OTLP_SPAN_ID];
            uint64_t v;
            otlp_context_id(&c, from[k] + i, id);
            memcpy(&v, id, sizeof v);
            if (v == 0 || !ids_add(&seen, v, i))
                fail_msg("an identifier comes twice");
        }
    ids_free(&seen);
}

/* --- the resource --- */

static const char *value_of(const struct otlp_resource *r, const char *key)
{
    for (uint32_t i = 0; i < r->attrs.n; i++)
        if (strcmp(r->attrs.list[i].key, key) == 0)
            return r->attrs.list[i].text;
    return NULL;
}

TEST(test_resource)
{
    struct otlp_resource r;
    setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=theirs, team=gpu%20kernels,host.name=h", 1);
    otlp_resource_open(&r, "prog", true);
    assert_string_equal(value_of(&r, "service.name"), "theirs");
    assert_string_equal(value_of(&r, "team"), "gpu kernels");
    assert_string_equal(value_of(&r, "host.name"), "h");
    assert_string_equal(value_of(&r, "os.type"), "linux");
    assert_non_null(value_of(&r, "host.arch"));
    otlp_resource_close(&r);
    setenv("OTEL_SERVICE_NAME", "ours", 1);
    setenv("OTEL_RESOURCE_ATTRIBUTES", "team=a,broken", 1); /* as a whole not used */
    otlp_resource_open(&r, "prog", false);
    assert_string_equal(value_of(&r, "service.name"), "ours");
    assert_null(value_of(&r, "team"));
    assert_null(value_of(&r, "host.name"));
    otlp_resource_close(&r);
    unsetenv("OTEL_SERVICE_NAME");
    unsetenv("OTEL_RESOURCE_ATTRIBUTES");
    otlp_resource_open(&r, NULL, false);
    assert_string_equal(value_of(&r, "service.name"), "unknown_service");
    otlp_resource_close(&r);
}
