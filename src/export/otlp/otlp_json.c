/*
 * OTLP/JSON: Protobuf's JSON form, but identifiers in hexadecimal and enumerations as numbers;
 * 64-bit numbers are texts. Written without a line break: one message is one line of a file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "export/otlp/otlp_span.h"

static void put_otlp_json_text(FILE *out, const char *text, size_t n)
{
    fputc('"', out);
    print_put_n(out, PRINT_JSON, text, n < OTLP_LONGEST ? n : OTLP_LONGEST);
    fputc('"', out);
}

static void put_id(FILE *out, const char *key, const uint8_t *id, size_t n)
{
    print_json(out, "\"%s\":\"", key);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", id[i]);
    fputs("\",", out);
}

static void put_otlp_json_array(FILE *out, const char *texts, size_t n)
{
    bool any = false;
    fputs("\"arrayValue\":{\"values\":[", out);
    for (size_t i = 0; i < n; any = true) {
        const size_t len = strnlen(texts + i, n - i);
        fputs(any ? ",{\"stringValue\":" : "{\"stringValue\":", out);
        put_otlp_json_text(out, texts + i, len);
        fputc('}', out);
        i += len + 1;
    }
    fputs("]}", out);
}

static void put_otlp_json_value(FILE *out, const struct otlp_attr *a)
{
    switch (a->type) {
    case OTLP_TEXT:
        fputs("\"stringValue\":", out);
        put_otlp_json_text(out, a->text, a->n);
        break;
    case OTLP_TEXTS:
        put_otlp_json_array(out, a->text, a->n);
        break;
    case OTLP_INT:
        fprintf(out, "\"intValue\":\"%" PRId64 "\"", a->number);
        break;
    case OTLP_BOOL:
        print_json(out, "\"boolValue\":%s", a->number ? "true" : "false");
        break;
    case OTLP_DOUBLE:
        fprintf(out, "\"doubleValue\":%.17g", a->real);
        break;
    }
}

static void put_otlp_json_attrs(FILE *out, const struct otlp_attrs *a)
{
    fputs("\"attributes\":[", out);
    for (uint32_t i = 0; a && i < a->n; i++) {
        fputs(i ? ",{\"key\":" : "{\"key\":", out);
        put_otlp_json_text(out, a->list[i].key, strlen(a->list[i].key));
        fputs(",\"value\":{", out);
        put_otlp_json_value(out, &a->list[i]);
        fputs("}}", out);
    }
    fputc(']', out);
}

static void put_otlp_json_event(FILE *out, const struct otlp_event *e)
{
    fprintf(out, "{\"timeUnixNano\":\"%" PRIu64 "\",\"name\":", e->unix_ns);
    put_otlp_json_text(out, e->name, strlen(e->name));
    fputc(',', out);
    put_otlp_json_attrs(out, e->attrs);
    fputc('}', out);
}

static void put_otlp_json_span(FILE *out, const struct otlp_span *s)
{
    static const uint8_t none[OTLP_SPAN_ID];
    fputc('{', out);
    put_id(out, "traceId", s->trace, sizeof s->trace);
    put_id(out, "spanId", s->id, sizeof s->id);
    if (s->state && s->state[0])
        print_json(out, "\"traceState\":\"%s\",", s->state);
    if (memcmp(s->parent, none, sizeof none) != 0)
        put_id(out, "parentSpanId", s->parent, sizeof s->parent);
    fputs("\"name\":", out);
    put_otlp_json_text(out, s->name, strlen(s->name));
    fprintf(out,
            ",\"kind\":%d,\"startTimeUnixNano\":\"%" PRIu64 "\",\"endTimeUnixNano\":\"%" PRIu64
            "\",\"flags\":1,",
            (int)s->kind, s->begin_ns, s->end_ns);
    put_otlp_json_attrs(out, s->attrs);
    if (s->attrs && s->attrs->dropped)
        fprintf(out, ",\"droppedAttributesCount\":%u", s->attrs->dropped);
    for (uint32_t i = 0; i < s->nevents; i++) {
        fputs(i ? "," : ",\"events\":[", out);
        put_otlp_json_event(out, &s->events[i]);
    }
    fputs(s->nevents ? "]" : "", out);
    if (s->dropped_events)
        fprintf(out, ",\"droppedEventsCount\":%u", s->dropped_events);
    if (s->status != OTLP_UNSET)
        fprintf(out, ",\"status\":{\"code\":%d", (int)s->status);
    if (s->status != OTLP_UNSET && s->message && s->message[0]) {
        fputs(",\"message\":", out);
        put_otlp_json_text(out, s->message, strlen(s->message));
    }
    fputs(s->status != OTLP_UNSET ? "}}" : "}", out);
}

/* Appends the text that was written to the FILE. */
static void append_written(struct otlp_bytes *to, FILE *f, char **text, const size_t *n)
{
    fclose(f);
    otlp_put(to, *text, *n);
    free(*text);
}

static FILE *open_text(char **text, size_t *n)
{
    FILE *f = open_memstream(text, n);
    if (!f)
        abort();
    return f;
}

static void span(struct otlp_bytes *to, const struct otlp_span *s, bool first)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_text(&text, &n);
    if (!first)
        fputc(',', f);
    put_otlp_json_span(f, s);
    append_written(to, f, &text, &n);
}

static void wrap(struct otlp_bytes *head, struct otlp_bytes *tail,
                 const struct otlp_attrs *resource, size_t nspans)
{
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_text(&text, &n);
    (void)nspans;
    fputs("{\"resourceSpans\":[{\"resource\":{", f);
    put_otlp_json_attrs(f, resource);
    print_json(f,
               "},\"scopeSpans\":[{\"scope\":{\"name\":\"rooftop\",\"version\":\"%s\"},\"spans\":[",
               ROOFTOP_VERSION);
    append_written(head, f, &text, &n);
    static const char end[] =
        "],\"schemaUrl\":\"" OTLP_SCHEMA "\"}],\"schemaUrl\":\"" OTLP_SCHEMA "\"}]}";
    otlp_put(tail, end, sizeof end - 1);
}

const struct otlp_format otlp_json = {.name = "json", .span = span, .wrap = wrap};
