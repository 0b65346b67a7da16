/*
 * A trace's graph of calls as spans: programs, layers, bricks, kernels, copies, ranges, functions,
 * tasks. Threads and queues are attributes of their spans. A kernel is the child of the call that
 * launched it.
 */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "engine/trace/trace.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"

struct otlp_graph {
    const struct trace *trace;
    const struct otlp_context *context;
    struct otlp_batch *batch;
    uint64_t unended, undated; /* out: spans without an end; 1 = times of day are unknown */
};

/* Writes all spans. 0, or -ECANCELED with err; errors of the batch are in the batch. */
int otlp_graph_write(struct otlp_graph *o, struct error *err);
/* A number that is always the same for the same profile. */
uint64_t otlp_graph_key(const struct trace *t);
/* The name of the first program, or NULL. */
const char *otlp_graph_service(const struct trace *t);
/* Writes a file of OTLP/JSON. Afterwards only `unended` and `undated` of `of` are valid. 0 or
 * -errno with err. */
int otlp_graph_file(FILE *out, const struct trace *t, struct otlp_graph *of, struct error *err);
