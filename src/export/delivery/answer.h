/*
 * A collector's answer, and what follows from it.
 *   Source: "OTLP Specification 1.9": "Failures", "Partial Success", "OTLP/HTTP Response",
 *   "OTLP/gRPC Response"; RFC 9110, 10.2.3 (Retry-After).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/delivery/endpoint.h"

enum outcome {
    OUTCOME_TAKEN,   /* also if some of its spans were rejected */
    OUTCOME_LATER,   /* the collector is away or busy: the message is sent again */
    OUTCOME_REFUSED, /* the collector will never take this message: bad data */
    OUTCOME_STOP     /* address, path or rights are wrong: only the user can help */
};

enum { ANSWER_BODY = 64 * 1024, ANSWER_TEXT = 256 };

/* Filled by http.h, in order of arrival; zeroed at first. */
struct answer {
    int status;                  /* status of HTTP; 0 = no answer */
    int grpc;                    /* grpc-status; -1 = no answer */
    char grpc_text[ANSWER_TEXT]; /* grpc-message, unchanged */
    char type[64];               /* content-type */
    char location[ANSWER_TEXT];  /* target of a redirection */
    uint64_t retry_ns;           /* how long the collector asks to wait; 0 = it does not ask */
    uint8_t body[ANSWER_BODY];
    size_t n;
    bool huge;                /* the body did not fit */
    char broken[ANSWER_TEXT]; /* why the answer is incomplete; "" = it is complete */
    bool address; /* another attempt would fail too: no such host, or no trusted certificate */
};

struct verdict {
    enum outcome outcome;
    uint64_t rejected;      /* rejected spans of a message that was taken */
    char text[ANSWER_TEXT]; /* the reason, as a clause; "" if there is nothing to report */
};

/* Takes a header line without its end: "retry-after: 5". wall_ns: the time of day. */
void answer_header(struct answer *a, const char *line, size_t n, uint64_t wall_ns);
void answer_judge(const struct answer *a, enum endpoint_protocol protocol, struct verdict *out);
