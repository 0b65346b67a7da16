/*
 * Gathers spans into messages. Hands over a message when it is large enough or has waited long
 * enough, so memory stays bounded for any number of spans.
 */
#pragma once

#include "base/error.h"
#include "export/otlp/otlp_span.h"

/* A message is complete at one of these limits. gRPC servers take 4 MB by default. */
enum { OTLP_BATCH_BYTES = 512 * 1024, OTLP_BATCH_SPANS = 4096 };
#define OTLP_BATCH_NS UINT64_C(1000000000)

struct otlp_batch {
    const struct otlp_format *format;
    const struct otlp_attrs *resource;
    /* Takes a message; its bytes are valid until it returns. Returns 0, or -errno with err: then
     * the batch takes no more spans. */
    int (*take)(void *ctx, const struct otlp_message *m, struct error *err);
    void *ctx;
    struct otlp_bytes spans;
    uint32_t n;
    uint64_t total;    /* spans so far */
    uint64_t first_ns; /* when the message's first span was added, engine clock */
    int rc;
    struct error err;
};

void otlp_batch_add(struct otlp_batch *b, const struct otlp_span *s);
/* Hands over the message if its first span has waited for OTLP_BATCH_NS. */
void otlp_batch_tick(struct otlp_batch *b);
/* Hands over the rest and frees the memory. 0, or the first error. */
int otlp_batch_end(struct otlp_batch *b, struct error *err);
