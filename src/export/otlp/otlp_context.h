/*
 * The trace that spans belong to, and their identifiers. TRACEPARENT and TRACESTATE name it where
 * rooftop runs inside of something that is traced already.
 *   Source: W3C, "Trace Context", Level 1.
 */
#pragma once

#include "export/otlp/otlp_span.h"

struct otlp_context {
    uint8_t trace[OTLP_TRACE_ID], parent[OTLP_SPAN_ID]; /* parent 0: none */
    char state[OTLP_STATE];
    uint64_t salt; /* of the span identifiers */
};

enum { OTLP_TRACEPARENT = 56 };

/* Numbers of span identifiers, so that no two spans of a run have the same. */
#define OTLP_COMMAND       UINT64_C(0) /* the command that rooftop runs */
#define OTLP_FIRST_NODE    (UINT64_C(1) << 60)
#define OTLP_FIRST_PROCESS (UINT64_C(2) << 60)
#define OTLP_FIRST_CALL    (UINT64_C(3) << 60)

/* The context of a run: the trace that TRACEPARENT names if it is valid, else a new one. */
void otlp_context_new(struct otlp_context *c);
/* The context of a profile: as above, but without TRACEPARENT the identifiers are made from the
 * key. So they are the same each time that the same profile is exported. */
void otlp_context_of(struct otlp_context *c, uint64_t key);
/* The identifier of a span that a program numbers itself. The numbers of one program never give the
 * same; 0 is the program. */
void otlp_context_id_in(const struct otlp_context *c, uint64_t program, uint64_t n,
                        uint8_t id[OTLP_SPAN_ID]);
/* The identifier of the n-th span; two numbers never give the same. */
void otlp_context_id(const struct otlp_context *c, uint64_t n, uint8_t id[OTLP_SPAN_ID]);
/* Makes TRACEPARENT and TRACESTATE for programs that are started: their spans are children of this
 * one. Call it only while there is one thread. */
void otlp_context_pass(const struct otlp_context *c, const uint8_t id[OTLP_SPAN_ID]);
/* Reads "00-TRACE-PARENT-FLAGS". False where it is not valid. */
bool otlp_traceparent(const char *text, uint8_t trace[OTLP_TRACE_ID], uint8_t parent[OTLP_SPAN_ID]);
