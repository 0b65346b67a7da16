/*
 * --otlp: sends spans to a collector while a command works, and says at the end what became of
 * them.
 */
#pragma once

#include <pthread.h>

#include "cli/options/options.h"
#include "engine/bricks/brick_stream.h"
#include "engine/live/snapshot.h"
#include "engine/trace/trace.h"
#include "export/delivery/delivery.h"
#include "export/otlp/otlp_batch.h"
#include "export/otlp/otlp_context.h"
#include "export/otlp/otlp_processes.h"
#include "export/otlp/otlp_resource.h"
#include "export/otlp/otlp_syscalls.h"

struct otlp_output {
    bool open;
    bool wait; /* if the spool is full, the command can wait for room */
    struct endpoint endpoint;
    struct delivery *delivery;
    struct otlp_resource resource;
    struct otlp_context context;
    struct otlp_batch batch;
    uint8_t command[OTLP_SPAN_ID]; /* of the span of the command that is run */
    bool away, lossy;              /* what otlp_output_news has told */
    bool command_written;
    struct otlp_command running; /* the command as last seen, for its span; pid 0: not seen */
    pthread_mutex_t lock;        /* of batch, while an engine samples on a thread of its own */
    uint64_t shift_ns;           /* added to the monotonic clock: time of day, without its steps */
    uint64_t began_ns;           /* when otlp_output_stream was called, time of day */
    struct brick_stream stream;
    struct otlp_bricks *bricks; /* NULL: otlp_output_stream was not called */
    struct otlp_processes *processes;
    uint64_t boot_ns; /* when the machine started, time of day; 0: not known yet */
};

/* Does nothing without --otlp. live: spans of this run of this machine; else of a profile with this
 * key. A command that is started later gets TRACEPARENT. Call it while there is one thread. 0 or
 * -errno with err. */
int otlp_output_open(struct otlp_output *x, const struct options *o, const char *service, bool live,
                     uint64_t key, struct error *err);
/* The service that the options name: the command. NULL: none. */
const char *otlp_output_service(const struct options *o);
/* Adds the spans of a trace. Does nothing if x is not open. */
int otlp_output_trace(struct otlp_output *x, const struct trace *t, struct error *err);
/*
 * Sends bricks as they end. Set engine_config.bricks to the result, which is NULL if x is not open.
 * all: also sends those that ended before now, as far as they are known. The engine must have been
 * freed before otlp_output_end. Call it once.
 */
struct brick_stream *otlp_output_stream(struct otlp_output *x, const struct options *o, bool all);
/* Adds the processes that a snapshot no longer shows, and the command once it has ended; those
 * that have not ended are added at the end. The command began when otlp_output_stream was
 * called. If the whole machine is watched, only processes that started since then are added.
 * Does nothing if x is not open. */
void otlp_output_look(struct otlp_output *x, const struct options *o, const struct snapshot *s);
/* News to show while the program runs: writes a sentence when the collector begins to refuse
 * spans, when it takes them again (*bad is then false), and when the first spans are lost.
 * Returns false if nothing is new. */
bool otlp_output_news(struct otlp_output *x, char *text, size_t size, bool *bad);
/* Sends the rest, prints notes, and closes x. 0, or -errno with err where spans are lost or were
 * refused. */
int otlp_output_end(struct otlp_output *x, struct error *err);
/* The same for commands whose status does not depend on it: reports the error. */
void otlp_output_finish(struct otlp_output *x);

/* --- for commands that do without otlp_output --- */

struct otlp_graph;
/* Prints what a trace's spans lack, and what became of those that were sent. */
void otlp_graph_notes(const struct otlp_graph *graph, const struct trace *t);
void otlp_report_notes(const struct delivery_report *r, const char *url);
/* 0, or -errno with err where spans were lost or refused. */
int otlp_report_error(const struct delivery_report *r, const char *url, struct error *err);
