#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/nearby.h"
#include "cli/run/otlp_output.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "engine/analysis/analysis.h"
#include "engine/functions/hot_profile.h"
#include "export/graph/graph_export.h"
#include "export/otlp/otlp_graph.h"

static int write_spans(FILE *f, const struct analysis *a, struct error *err)
{
    struct otlp_graph graph;
    const int rc = otlp_graph_file(f, &a->trace, &graph, err);
    otlp_graph_notes(&graph, &a->trace);
    return rc;
}

static int send_spans(const struct options *o, const struct analysis *a, struct error *err)
{
    struct otlp_output otlp;
    struct error sending = ERROR_INIT;
    int rc = otlp_output_open(&otlp, o, otlp_graph_service(&a->trace), false,
                              otlp_graph_key(&a->trace), err);
    if (rc == 0)
        rc = otlp_output_trace(&otlp, &a->trace, err);
    const int sent = otlp_output_end(&otlp, &sending);
    if (rc == 0 && sent != 0)
        *err = sending;
    return rc ? rc : sent;
}

/* e NULL: spans of OpenTelemetry. Nodes are written one after the other; the document is never
 * whole in memory. */
static int write_graph_document(const struct options *o, const struct graph_export *e,
                                const struct analysis *a, struct error *err)
{
    struct output out;
    const struct graph_export_options how = {
        .root = GRAPH_NONE, .path = &a->path, .trace = &a->trace};
    int rc = output_open(&out, o->output, STDOUT_FILENO, false, err);
    if (rc != 0)
        return rc;
    int fd = dup(out.fd);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    int code = f ? 0 : errno;
    if (f) {
        if (e && e->write_stacks && a->trace.samples && a->trace.calls->nnodes == 0)
            e->write_stacks(f, &a->trace.samples->stacks);
        else if (e)
            rc = graph_export_write(e, f, a->trace.calls, &how, err);
        else
            rc = write_spans(f, a, err);
        if (fflush(f) != 0 || ferror(f))
            code = errno ? errno : EIO;
        if (fclose(f) != 0 && code == 0)
            code = errno;
    } else if (fd >= 0) {
        close(fd);
    }
    if (code != 0 && rc == 0)
        rc = error_set(err, ERROR_OUTPUT, code, NULL, o->output ? o->output : "standard output",
                       "%s", strerror(code));
    int closed = output_close(&out, rc == 0, rc == 0 ? err : NULL);
    return rc != 0 ? rc : closed;
}

static int export_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct analysis a = {0};
    const bool spans = o->format && strcmp(o->format, "otlp") == 0;
    const char *format = o->format ? o->format : "chrome";
    const struct graph_export *e = spans ? NULL : graph_export_find(format);
    char help[320];
    int rc = 0;
    if (o->noperands == 0)
        rc = error_set(&err, ERROR_USAGE, EINVAL,
                       nearby_profiles("rooftop export [--format F] FILE...", help, sizeof help),
                       "export", "no file is named");
    if (rc == 0)
        rc = progress_analysis_open(&a, (const char *const *)o->operands, o->noperands, &err);
    if (rc == 0 && !(e && e->write_stacks))
        rc = progress_refuse_samples(&a.trace, o->operands[0], &err);
    for (uint32_t i = 0; rc == 0 && i < a.trace.nnotes; i++)
        exit_note(a.trace.notes[i]);
    /* spans are sent; a document is written only if that was asked for, too */
    if (rc == 0 && (!o->otlp.url || o->format || o->output))
        rc = write_graph_document(o, e, &a, &err);
    if (rc == 0)
        rc = send_spans(o, &a, &err);
    analysis_close(&a);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(FORMAT, .choices = "chrome|dot|csv|json|svg|folded|speedscope|pprof|otlp"),
    TAKES(OUTPUT),
    TAKES_OTLP,
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_export = {
    .name = "export",
    .summary = "convert a profile for other tools: spans, dependencies, critical path and slack",
    .usage = "rooftop export [--format FORMAT] [-o FILE] [--otlp URL] FILE...",
    .run = export_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop export results.db -o trace.json", "a trace for Perfetto, with its critical path"},
        {"rooftop export --otlp http://localhost:4318 results.db",
         "its spans to a collector of OpenTelemetry"},
        {"rooftop export --format svg -o flame.svg perf.data",
         "a flame graph of what perf recorded"}),
};
