/*
 * The trace that spans belong to, and their identifiers. If rooftop itself runs inside a trace,
 * TRACEPARENT and TRACESTATE name that trace. Source: W3C, "Trace Context", Level 1.
 */
#pragma once

#include "export/otlp/otlp_span.h"

struct otlp_context {
    uint8_t trace[OTLP_TRACE_ID], parent[OTLP_SPAN_ID]; /* parent of zeroes: none */
    char state[OTLP_STATE];
    uint64_t salt; /* salt of the span identifiers */
};

enum { OTLP_TRACEPARENT = 56 };

/* Ranges of numbers for span identifiers, so that no two spans of a run have the same. */
#define OTLP_COMMAND       UINT64_C(0) /* the command that rooftop runs */
#define OTLP_FIRST_NODE    (UINT64_C(1) << 60)
#define OTLP_FIRST_PROCESS (UINT64_C(2) << 60)
#define OTLP_FIRST_CALL    (UINT64_C(3) << 60)

/* Makes the context of a run: the trace in TRACEPARENT if that is valid, else a new one. */
void otlp_context_new(struct otlp_context *c);
/* Makes the context of a profile: as above, but without TRACEPARENT the identifiers are computed
 * from the key, so that each export of a profile has the same ones. */
void otlp_context_of(struct otlp_context *c, uint64_t key);
/* The identifier of a span that a program numbers itself. Different numbers of a program give
 * different identifiers; number 0 is the program itself. */
void otlp_context_id_in(const struct otlp_context *c, uint64_t program, uint64_t n,
                        uint8_t id[OTLP_SPAN_ID]);
/* The identifier of span n; different numbers give different identifiers. */
void otlp_context_id(const struct otlp_context *c, uint64_t n, uint8_t id[OTLP_SPAN_ID]);
/* Sets TRACEPARENT and TRACESTATE for started programs, whose spans become children of this one.
 * Call it only while there is one thread. */
void otlp_context_pass(const struct otlp_context *c, const uint8_t id[OTLP_SPAN_ID]);
/* Reads "00-TRACE-PARENT-FLAGS". false if it is not valid. */
bool otlp_traceparent(const char *text, uint8_t trace[OTLP_TRACE_ID], uint8_t parent[OTLP_SPAN_ID]);
