#include "cli/run/otlp_output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "base/watch.h"
#include "cli/options/exit.h"
#include "cli/run/signals.h"
#include "engine/bricks/bricks.h"
#include "export/otlp/otlp_graph.h"
#include "export/otlp/otlp_syscalls.h"

enum { LINE = 2048 };

/* Where nobody can wait, what finds no room is counted and the program goes on. */
static int take(void *ctx, const struct otlp_message *m, struct error *err)
{
    struct otlp_output *x = ctx;
    const void *part[SPOOL_PARTS] = {m->part[0], m->part[1], m->part[2]};
    const int rc = delivery_add(x->delivery, part, m->size, m->spans, x->wait, err);
    return x->wait ? rc : 0;
}

static int open_delivery(struct otlp_output *x, const struct options *o, struct error *err)
{
    struct delivery_config config = {.endpoint = &x->endpoint,
                                     .spool = o->otlp.spool,
                                     .wait_ns = (uint64_t)(o->otlp.wait_s * 1e9)};
    int rc = o->otlp.spool_size
                 ? options_bytes("--otlp-spool-size", o->otlp.spool_size, &config.spool_bytes, err)
                 : 0;
    return rc != 0 ? rc : delivery_open(&x->delivery, &config, err);
}

int otlp_output_open(struct otlp_output *x, const struct options *o, const char *service, bool live,
                     uint64_t key, struct error *err)
{
    *x = (struct otlp_output){0};
    if (!o->otlp.url)
        return 0;
    int rc = endpoint_open(&x->endpoint, o->otlp.url, o->otlp.protocol, err);
    if (live)
        otlp_context_new(&x->context);
    else
        otlp_context_of(&x->context, key);
    otlp_context_id(&x->context, OTLP_COMMAND, x->command);
    if (rc == 0 && o->argv)
        otlp_context_pass(&x->context, x->command);
    if (rc == 0)
        rc = open_delivery(x, o, err);
    if (rc != 0) {
        endpoint_close(&x->endpoint);
        return rc;
    }
    otlp_resource_open(&x->resource, service, live);
    x->batch = (struct otlp_batch){.format = x->endpoint.protocol == ENDPOINT_JSON ? &otlp_json
                                                                                   : &otlp_protobuf,
                                   .resource = &x->resource.attrs,
                                   .take = take,
                                   .ctx = x};
    x->open = true;
    x->wait = !live;
    return 0;
}

const char *otlp_output_service(const struct options *o)
{
    const char *slash = o->argv ? strrchr(o->argv[0], '/') : NULL;
    return !o->argv ? NULL : slash && slash[1] ? slash + 1 : o->argv[0];
}

int otlp_output_trace(struct otlp_output *x, const struct trace *t, int32_t command_pid,
                      struct error *err)
{
    if (!x->open)
        return 0;
    struct otlp_graph graph = {.trace = t,
                               .context = &x->context,
                               .batch = &x->batch,
                               .command = command_pid >= 0 ? x->command : NULL,
                               .command_pid = command_pid > 0 ? command_pid : 0};
    const int rc = otlp_graph_write(&graph, err);
    otlp_graph_notes(&graph, t);
    return rc;
}

int otlp_output_snapshot(struct otlp_output *x, const struct options *o, const struct snapshot *s,
                         uint64_t began_ns, struct error *err)
{
    const int32_t pid = s->command.pid;
    const struct bricks *b = s->bricks;
    if (!x->open)
        return 0;
    if (o->argv)
        otlp_command_write(&x->context, &x->batch,
                           &(struct otlp_command){
                               .id = x->command,
                               .pid = pid,
                               .argv = (const char *const *)o->argv,
                               .begin_ns = began_ns,
                               .end_ns = env_wall_ns(),
                               .wait_status = s->command.running ? -1 : s->command.wait_status});
    if (!b || b->nprograms == 0)
        return 0;
    const char **paths = xcalloc(b->nprograms, sizeof *paths);
    struct trace trace = {.sums = NULL};
    for (uint32_t i = 0; i < b->nprograms; i++)
        paths[i] = b->programs[i].path;
    int rc = trace_open(&trace, paths, b->nprograms, err);
    if (rc == 0)
        rc = otlp_output_trace(x, &trace, o->argv ? pid : -1, err);
    trace_free(&trace);
    free(paths);
    return rc;
}

void otlp_graph_notes(const struct otlp_graph *graph, const struct trace *t)
{
    char line[LINE];
    if (graph->undated)
        exit_note("the profile does not say the time of day: its spans end when its file was "
                  "written");
    if (graph->unended) {
        snprintf(line, sizeof line, "%" PRIu64 " spans have no end and were left out",
                 graph->unended);
        exit_note(line);
    }
    if (t->lost) {
        snprintf(line, sizeof line,
                 "%" PRIu64 " of %" PRIu64 " spans are only known as sums and were left out",
                 t->lost, t->spans);
        exit_note(line);
    }
}

/* --- the end --- */

void otlp_report_notes(const struct delivery_report *r, const char *url)
{
    char line[LINE], shown[ENDPOINT_URL];
    endpoint_shown(url, shown, sizeof shown);
    if (r->rejected) {
        print_line(line, sizeof line, "%s rejected %llu spans%s%s", shown,
                   (unsigned long long)r->rejected, r->rejected_why[0] ? ": " : "",
                   r->rejected_why);
        exit_note(line);
    } else if (r->rejected_why[0] && !r->refused) {
        print_line(line, sizeof line, "%s took all spans, and says: %s", shown, r->rejected_why);
        exit_note(line);
    }
    if (r->damaged) {
        print_line(line, sizeof line,
                   "%llu damaged files in %s were not sent: their names end in .damaged",
                   (unsigned long long)r->damaged, r->folder);
        exit_note(line);
    }
    if (r->waiting) {
        print_line(line, sizeof line,
                   "%llu spans wait in %s, since %s%s%s; rooftop otlp sends them, or the next run",
                   (unsigned long long)r->waiting, r->folder, shown,
                   r->why[0] ? " took none: " : " did not answer in time", r->why);
        exit_note(line);
    }
}

int otlp_report_error(const struct delivery_report *r, const char *url, struct error *err)
{
    char shown[160];
    endpoint_shown(url, shown, sizeof shown);
    if (r->refused)
        return error_set(err, ERROR_OUTPUT, EPROTO, NULL, shown,
                         "%" PRIu64 " spans were refused: %.150s", r->refused, r->rejected_why);
    if (r->lost)
        return error_set(err, ERROR_OUTPUT, ENOSPC,
                         "allow more with --otlp-spool-size, or make room there", r->folder,
                         "%" PRIu64 " spans are lost: the spool took no more", r->lost);
    return 0;
}

int otlp_output_end(struct otlp_output *x, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct delivery_report report;
    struct error spool = ERROR_INIT;
    if (!x->open)
        return 0;
    const int full = otlp_batch_end(&x->batch, &spool);
    const struct watch *before = watch_set(&watch);
    delivery_end(x->delivery, &report);
    watch_set(before);
    otlp_report_notes(&report, x->endpoint.url);
    int rc = otlp_report_error(&report, x->endpoint.url, err);
    if (full != 0) {
        *err = spool;
        rc = full;
    }
    otlp_resource_close(&x->resource);
    endpoint_close(&x->endpoint);
    x->open = false;
    return rc;
}
