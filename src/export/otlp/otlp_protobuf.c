/*
 * Protocol Buffers, written by hand: a field is a tag (number and wire type) and a value; numbers
 * are varints or 8 bytes little-endian; texts and messages have their length before them. The field
 * numbers are those of opentelemetry-proto 1.9.
 *   Source of the encoding: "Protocol Buffers, Encoding", protobuf.dev.
 */
#include <string.h>

#include "base/utf8.h"
#include "export/otlp/otlp_span.h"

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

enum { REQUEST_RESOURCE_SPANS = 1 };                             /* ExportTraceServiceRequest */
enum { RS_RESOURCE = 1, RS_SCOPE_SPANS = 2, RS_SCHEMA_URL = 3 }; /* ResourceSpans */
enum { RESOURCE_ATTRIBUTES = 1 };                                /* Resource */
enum { SS_SCOPE = 1, SS_SPANS = 2, SS_SCHEMA_URL = 3 };          /* ScopeSpans */
enum { SCOPE_NAME = 1, SCOPE_VERSION = 2 };                      /* InstrumentationScope */
enum {                                                           /* Span */
       SPAN_TRACE = 1,
       SPAN_ID = 2,
       SPAN_STATE = 3,
       SPAN_PARENT = 4,
       SPAN_NAME = 5,
       SPAN_KIND = 6,
       SPAN_START = 7,
       SPAN_END = 8,
       SPAN_ATTRIBUTES = 9,
       SPAN_DROPPED_ATTRIBUTES = 10,
       SPAN_EVENTS = 11,
       SPAN_DROPPED_EVENTS = 12,
       SPAN_STATUS = 15,
       SPAN_FLAGS = 16
};
enum { EVENT_TIME = 1, EVENT_NAME = 2, EVENT_ATTRIBUTES = 3 };                     /* Span.Event */
enum { STATUS_MESSAGE = 2, STATUS_CODE = 3 };                                      /* Status */
enum { KEY = 1, VALUE = 2 };                                                       /* KeyValue */
enum { ANY_STRING = 1, ANY_BOOL = 2, ANY_INT = 3, ANY_DOUBLE = 4, ANY_ARRAY = 5 }; /* AnyValue */
enum { ARRAY_VALUES = 1 };                                                         /* ArrayValue */
enum { SAMPLED = 1 }; /* a trace flag of the W3C */

static size_t encode_varint(uint8_t out[10], uint64_t v)
{
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        out[n++] = (uint8_t)(v | 0x80);
    out[n++] = (uint8_t)v;
    return n;
}

static void put_varint(struct otlp_bytes *b, uint64_t v)
{
    uint8_t bytes[10];
    otlp_put(b, bytes, encode_varint(bytes, v));
}

static void put_tag(struct otlp_bytes *b, unsigned field, enum wire wire)
{
    put_varint(b, field << 3 | wire);
}

static void put_protobuf_number(struct otlp_bytes *b, unsigned field, uint64_t v)
{
    put_tag(b, field, VARINT);
    put_varint(b, v);
}

static void put_little(struct otlp_bytes *b, uint64_t v, size_t n)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(v >> 8 * i);
    otlp_put(b, bytes, n);
}

static void put_fixed64(struct otlp_bytes *b, unsigned field, uint64_t v)
{
    put_tag(b, field, FIXED64);
    put_little(b, v, 8);
}

static void put_protobuf_bytes(struct otlp_bytes *b, unsigned field, const void *data, size_t n)
{
    put_tag(b, field, BYTES);
    put_varint(b, n);
    otlp_put(b, data, n);
}

/* A message is written after its tag, and then moved to make room for its length. */
static size_t open_message(struct otlp_bytes *b, unsigned field)
{
    put_tag(b, field, BYTES);
    return b->n;
}

static void close_message(struct otlp_bytes *b, size_t from)
{
    uint8_t length[10];
    const size_t size = b->n - from, n = encode_varint(length, size);
    otlp_put(b, length, n); /* room */
    memmove(b->data + from + n, b->data + from, size);
    memcpy(b->data + from, length, n);
}

/* How many bytes of a text to keep, so that its last character is whole. */
static size_t count_kept_bytes(const char *text, size_t n)
{
    size_t keep = n < OTLP_LONGEST ? n : OTLP_LONGEST;
    for (int i = 0; i < 3 && keep < n && (text[keep] & 0xc0) == 0x80; i++)
        keep--;
    return keep;
}

/* Writes a string as UTF-8, because a receiver refuses a whole message for one other string. */
static void put_protobuf_text(struct otlp_bytes *b, unsigned field, const char *text, size_t n)
{
    size_t good = 0;
    n = count_kept_bytes(text, n);
    while (good < n) {
        const size_t len = utf8_sequence(text + good, n - good);
        if (len == 0)
            break;
        good += len;
    }
    if (good == n) {
        put_protobuf_bytes(b, field, text, n);
        return;
    }
    const size_t at = open_message(b, field);
    for (size_t i = 0; i < n;) {
        const size_t len = utf8_sequence(text + i, n - i);
        otlp_put(b, len ? text + i : UTF8_REPLACEMENT, len ? len : sizeof UTF8_REPLACEMENT - 1);
        i += len ? len : 1;
    }
    close_message(b, at);
}

static void put_protobuf_array(struct otlp_bytes *b, const char *texts, size_t n)
{
    const size_t array = open_message(b, ANY_ARRAY);
    for (size_t i = 0; i < n;) {
        const size_t len = strnlen(texts + i, n - i);
        const size_t value = open_message(b, ARRAY_VALUES);
        put_protobuf_text(b, ANY_STRING, texts + i, len);
        close_message(b, value);
        i += len + 1;
    }
    close_message(b, array);
}

static void put_protobuf_value(struct otlp_bytes *b, const struct otlp_attr *a)
{
    uint64_t bits;
    switch (a->type) {
    case OTLP_TEXT:
        put_protobuf_text(b, ANY_STRING, a->text, a->n);
        break;
    case OTLP_TEXTS:
        put_protobuf_array(b, a->text, a->n);
        break;
    case OTLP_INT:
        put_protobuf_number(b, ANY_INT, (uint64_t)a->number);
        break;
    case OTLP_BOOL:
        put_protobuf_number(b, ANY_BOOL, a->number != 0);
        break;
    case OTLP_DOUBLE:
        memcpy(&bits, &a->real, sizeof bits);
        put_fixed64(b, ANY_DOUBLE, bits);
        break;
    }
}

static void put_protobuf_attrs(struct otlp_bytes *b, unsigned field, const struct otlp_attrs *a)
{
    for (uint32_t i = 0; a && i < a->n; i++) {
        const size_t pair = open_message(b, field);
        put_protobuf_text(b, KEY, a->list[i].key, strlen(a->list[i].key));
        const size_t value = open_message(b, VALUE);
        put_protobuf_value(b, &a->list[i]);
        close_message(b, value);
        close_message(b, pair);
    }
}

static void put_protobuf_event(struct otlp_bytes *b, const struct otlp_event *e)
{
    const size_t at = open_message(b, SPAN_EVENTS);
    put_fixed64(b, EVENT_TIME, e->unix_ns);
    put_protobuf_text(b, EVENT_NAME, e->name, strlen(e->name));
    put_protobuf_attrs(b, EVENT_ATTRIBUTES, e->attrs);
    close_message(b, at);
}

static void put_status(struct otlp_bytes *b, const struct otlp_span *s)
{
    if (s->status == OTLP_UNSET)
        return;
    const size_t at = open_message(b, SPAN_STATUS);
    if (s->message && s->message[0])
        put_protobuf_text(b, STATUS_MESSAGE, s->message, strlen(s->message));
    put_protobuf_number(b, STATUS_CODE, s->status);
    close_message(b, at);
}

static bool is_span_id_set(const uint8_t id[OTLP_SPAN_ID])
{
    static const uint8_t zero[OTLP_SPAN_ID];
    return memcmp(id, zero, sizeof zero) != 0;
}

static void span(struct otlp_bytes *b, const struct otlp_span *s, bool first)
{
    (void)first;
    const size_t at = open_message(b, SS_SPANS);
    put_protobuf_bytes(b, SPAN_TRACE, s->trace, sizeof s->trace);
    put_protobuf_bytes(b, SPAN_ID, s->id, sizeof s->id);
    if (s->state && s->state[0])
        put_protobuf_text(b, SPAN_STATE, s->state, strlen(s->state));
    if (is_span_id_set(s->parent))
        put_protobuf_bytes(b, SPAN_PARENT, s->parent, sizeof s->parent);
    put_protobuf_text(b, SPAN_NAME, s->name, strlen(s->name));
    put_protobuf_number(b, SPAN_KIND, s->kind);
    put_fixed64(b, SPAN_START, s->begin_ns);
    put_fixed64(b, SPAN_END, s->end_ns);
    put_protobuf_attrs(b, SPAN_ATTRIBUTES, s->attrs);
    if (s->attrs && s->attrs->dropped)
        put_protobuf_number(b, SPAN_DROPPED_ATTRIBUTES, s->attrs->dropped);
    for (uint32_t i = 0; i < s->nevents; i++)
        put_protobuf_event(b, &s->events[i]);
    if (s->dropped_events)
        put_protobuf_number(b, SPAN_DROPPED_EVENTS, s->dropped_events);
    put_status(b, s);
    put_tag(b, SPAN_FLAGS, FIXED32);
    put_little(b, SAMPLED, 4);
    close_message(b, at);
}

/* Writes what encloses the spans: resource and scope before them, the addresses of the conventions
 * after them. Call it when the spans are complete, because the lengths include them. */
static void wrap(struct otlp_bytes *head, struct otlp_bytes *tail,
                 const struct otlp_attrs *resource, size_t nspans)
{
    struct otlp_bytes scope = {0}, first = {0}, last = {0};
    const size_t at = open_message(&scope, SS_SCOPE);
    put_protobuf_text(&scope, SCOPE_NAME, "rooftop", strlen("rooftop"));
    put_protobuf_text(&scope, SCOPE_VERSION, ROOFTOP_VERSION, strlen(ROOFTOP_VERSION));
    close_message(&scope, at);
    put_protobuf_text(&last, SS_SCHEMA_URL, OTLP_SCHEMA, strlen(OTLP_SCHEMA));
    const size_t all = open_message(&first, RS_RESOURCE);
    put_protobuf_attrs(&first, RESOURCE_ATTRIBUTES, resource);
    close_message(&first, all);
    put_tag(&first, RS_SCOPE_SPANS, BYTES);
    put_varint(&first, scope.n + nspans + last.n);
    otlp_put(&first, scope.data, scope.n);
    put_protobuf_text(&last, RS_SCHEMA_URL, OTLP_SCHEMA, strlen(OTLP_SCHEMA));
    put_tag(head, REQUEST_RESOURCE_SPANS, BYTES);
    put_varint(head, first.n + nspans + last.n);
    otlp_put(head, first.data, first.n);
    otlp_put(tail, last.data, last.n);
    otlp_bytes_free(&scope);
    otlp_bytes_free(&first);
    otlp_bytes_free(&last);
}

const struct otlp_format otlp_protobuf = {.name = "protobuf", .span = span, .wrap = wrap};
