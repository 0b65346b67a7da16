/*
 * Reads messages of OTLP as a collector would: a decoder of Protocol Buffers of its own, which
 * knows nothing of the one that writes them. Whatever is not as opentelemetry-proto says fails the
 * test.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct read_span {
    char trace[33], id[17], parent[17]; /* hexadecimal; parent "" none */
    char name[256], state[64], message[128];
    uint64_t begin, end, kind, status;
    uint64_t dropped_attributes, dropped_events;
    char attrs[8192];  /* "key=value" a line; numbers as they are, lists as [a|b] */
    char events[2048]; /* names and their attributes, a line each */
};

struct read_spans {
    struct read_span *list;
    size_t n;
    char resource[8192]; /* attributes of the last message */
    char scope[128], schema[128];
};

/* Adds the spans of a message. */
void otlp_read(struct read_spans *s, const void *data, size_t n);
void otlp_read_free(struct read_spans *s);
/* The span of this name; fails the test if there is none, or if there are several. */
const struct read_span *otlp_named(const struct read_spans *s, const char *name);
/* Fails the test unless the line "key=value" is among the attributes. */
void otlp_has(const char *attrs, const char *line);
