/*
 * A span of OpenTelemetry and its encodings. Each format has a file here, with a struct
 * otlp_format. Source: opentelemetry-proto 1.9 (common.proto, resource.proto, trace.proto,
 *   trace_service.proto); the JSON form as "OTLP Specification, JSON Protobuf Encoding" defines it.
 * Texts are borrowed. They need not be UTF-8: bytes that are not become U+FFFD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum otlp_type { OTLP_TEXT, OTLP_TEXTS, OTLP_INT, OTLP_DOUBLE, OTLP_BOOL };

struct otlp_attr {
    const char *key; /* rooftop's own, or checked */
    enum otlp_type type;
    const char *text; /* OTLP_TEXT; OTLP_TEXTS: several, each ended by NUL */
    size_t n;         /* bytes of text */
    int64_t number;   /* OTLP_INT, OTLP_BOOL */
    double real;
};

enum { OTLP_ATTRS = 32, OTLP_EVENTS = 16, OTLP_LONGEST = 4096 /* bytes of a text */ };

/* A list that the functions below fill; attributes beyond its capacity are counted. */
struct otlp_attrs {
    struct otlp_attr list[OTLP_ATTRS];
    uint32_t n, dropped;
};
/* Adds nothing if text is NULL. */
void otlp_text(struct otlp_attrs *a, const char *key, const char *text);
void otlp_text_n(struct otlp_attrs *a, const char *key, const char *text, size_t n);
void otlp_texts(struct otlp_attrs *a, const char *key, const char *texts, size_t n);
void otlp_int(struct otlp_attrs *a, const char *key, int64_t number);
void otlp_uint(struct otlp_attrs *a, const char *key, uint64_t number); /* at most INT64_MAX */
void otlp_double(struct otlp_attrs *a, const char *key, double real);   /* NAN: nothing */
void otlp_bool(struct otlp_attrs *a, const char *key, bool is);

struct otlp_event {
    uint64_t unix_ns;
    const char *name;
    const struct otlp_attrs *attrs; /* may be NULL */
};

enum otlp_kind { OTLP_INTERNAL = 1, OTLP_SERVER, OTLP_CLIENT, OTLP_PRODUCER, OTLP_CONSUMER };
enum otlp_status { OTLP_UNSET, OTLP_OK, OTLP_ERROR };
enum { OTLP_TRACE_ID = 16, OTLP_SPAN_ID = 8, OTLP_STATE = 512 };

struct otlp_span {
    uint8_t trace[OTLP_TRACE_ID], id[OTLP_SPAN_ID], parent[OTLP_SPAN_ID]; /* parent 0: none */
    const char *state;                                                    /* NULL or "": none */
    enum otlp_kind kind;
    const char *name;
    uint64_t begin_ns, end_ns; /* since 1970 */
    const struct otlp_attrs *attrs;
    const struct otlp_event *events;
    uint32_t nevents, dropped_events;
    enum otlp_status status;
    const char *message; /* message of the status, or NULL */
};

/* Bytes that grow. */
struct otlp_bytes {
    uint8_t *data;
    size_t n, cap;
};
void otlp_put(struct otlp_bytes *b, const void *data, size_t n);
void otlp_bytes_free(struct otlp_bytes *b);

/* A message ready to be sent: head, spans, tail, one after the other. */
struct otlp_message {
    const struct otlp_format *format;
    const uint8_t *part[3];
    size_t size[3];
    uint32_t spans;
};

struct otlp_format {
    const char *name; /* "protobuf" */
    /* Appends a span to those of a message. first: it is the first one. */
    void (*span)(struct otlp_bytes *to, const struct otlp_span *s, bool first);
    /* Writes the parts of the message before and after its nspans bytes of spans. */
    void (*wrap)(struct otlp_bytes *head, struct otlp_bytes *tail,
                 const struct otlp_attrs *resource, size_t nspans);
};
extern const struct otlp_format otlp_protobuf, otlp_json;

/* The name and address of the conventions that the attributes follow. */
#define OTLP_SCHEMA "https://opentelemetry.io/schemas/1.37.0"
