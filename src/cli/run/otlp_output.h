/*
 * --otlp: sends spans to a collector while a command works, and says at the end what became of
 * them.
 */
#ifndef ROOFTOP_CLI_RUN_OTLP_OUTPUT_H
#define ROOFTOP_CLI_RUN_OTLP_OUTPUT_H

#include "cli/options/options.h"
#include "engine/live/snapshot.h"
#include "engine/trace/trace.h"
#include "export/delivery/delivery.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"
#include "export/otlp/otlp_resource.h"

struct otlp_output {
    bool open;
    bool wait; /* where the spool is full: the command can wait for room */
    struct endpoint endpoint;
    struct delivery *delivery;
    struct otlp_resource resource;
    struct otlp_context context;
    struct otlp_batch batch;
    uint8_t command[OTLP_SPAN_ID]; /* of the span of the command that is run */
};

/* Does nothing without --otlp. live: spans of this run of this machine; else of a profile with this
 * key. A command that is started later gets TRACEPARENT. Call it while there is one thread. 0 or
 * -errno with err. */
int otlp_output_open(struct otlp_output *x, const struct options *o, const char *service, bool live,
                     uint64_t key, struct error *err);
/* The service that the options name: the command. NULL: none. */
const char *otlp_output_service(const struct options *o);
/* Adds the spans of a trace. command_pid: of the command that was run, whose span is
 * otlp_output.command; 0 unknown, -1: no command was run. Does nothing if x is not open. */
int otlp_output_trace(struct otlp_output *x, const struct trace *t, int32_t command_pid,
                      struct error *err);
/* Adds the spans of a command and of the programs with bricks that a snapshot shows. began_ns: when
 * the command was started, time of day. Does nothing if x is not open. */
int otlp_output_snapshot(struct otlp_output *x, const struct options *o, const struct snapshot *s,
                         uint64_t began_ns, struct error *err);
/* Sends the rest, prints notes, and closes x. 0, or -errno with err where spans are lost or were
 * refused. */
int otlp_output_end(struct otlp_output *x, struct error *err);

/* --- for commands that do without otlp_output --- */

struct otlp_graph;
/* Prints what a trace's spans lack, and what became of those that were sent. */
void otlp_graph_notes(const struct otlp_graph *graph, const struct trace *t);
void otlp_report_notes(const struct delivery_report *r, const char *url);
/* 0, or -errno with err where spans were lost or refused. */
int otlp_report_error(const struct delivery_report *r, const char *url, struct error *err);

#endif
