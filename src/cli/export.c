#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/nearby.h"
#include "cli/run/otlp_output.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "cli/run/progress_note.h"
#include "cli/run/written.h"
#include "engine/analysis/analysis.h"
#include "engine/functions/hot_profile.h"
#include "engine/trace/left_out.h"
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

/* The document while it is written. */
struct written_part {
    struct output out;
    struct progress_note note;
    uint64_t bytes;
    struct error *err;
};

static ssize_t write_exported_part(void *ctx, const char *data, size_t n)
{
    struct written_part *w = ctx;
    char line[400], size[VALUE_TEXT_MAX];
    if (output_write(&w->out, data, n, w->err) != 0)
        return 0;
    w->bytes += n;
    if (*w->out.path && progress_note_due(&w->note)) {
        const struct value v = value_ok((double)w->bytes, UNIT_BYTES);
        print_line(line, sizeof line, "writing: %s, %.300s", value_format(&v, true, size),
                   w->out.path);
        progress_note_show(&w->note, line);
    }
    return (ssize_t)n;
}

/* e NULL: spans of OpenTelemetry. Nodes are written one after the other; the document is never
 * whole in memory. */
static int write_exported_graph(struct written_part *w, const struct graph_export *e,
                                const struct analysis *a, struct error *err)
{
    enum { PART = 1 << 16 };
    const struct graph_export_options how = {
        .root = GRAPH_NONE, .path = &a->path, .trace = &a->trace};
    FILE *f = fopencookie(w, "w", (cookie_io_functions_t){.write = write_exported_part});
    int rc = 0;
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    setvbuf(f, NULL, _IOFBF, PART);
    if (e && e->write_stacks && a->trace.samples && a->trace.calls->nnodes == 0)
        e->write_stacks(f, &a->trace.samples->stacks);
    else if (e)
        rc = graph_export_write(e, f, a->trace.calls, &how, err);
    else
        rc = write_spans(f, a, err);
    const bool whole = fflush(f) == 0 && !ferror(f);
    fclose(f);
    if (rc == 0 && !whole) /* write_exported_part has set the error */
        rc = -EIO;
    return rc;
}

static uint64_t count_ranked_files(const struct trace *t)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->nfiles; i++)
        n += t->files[i].clock.rank != GRAPH_NONE;
    return n;
}

/* Adds what the document holds, and what of the files it does not. */
static void describe_exported(struct written *w, const struct analysis *a, const char *format)
{
    const struct trace *t = &a->trace;
    char line[BRIEF_TEXT];
    if (trace_left_out(t, line, sizeof line))
        brief_evidence(&w->brief, "%s", line);
    if (t->lost)
        brief_evidence(&w->brief,
                       "%" PRIu64 " of %" PRIu64 " spans are kept only in sums: "
                       "--max-memory sets how many are kept",
                       t->lost, t->spans);
    for (uint32_t i = 0; i < t->nnotes; i++)
        if (strcmp(t->notes[i], line) != 0)
            brief_evidence(&w->brief, "%s", t->notes[i]);
    brief_row(&w->brief, "format", "%s", format);
    written_count(w, "files read", t->nfiles);
    written_count(w, "ranks", count_ranked_files(t));
    written_count(w, "spans", t->spans - t->lost);
    written_count(w, "dispatches", t->ndispatches);
    if (t->samples) {
        written_count(w, "samples", t->samples->taken);
        written_count(w, "samples of other events, left out", t->samples->left_out);
    }
}

static int tell_exported(const struct options *o, const struct analysis *a, const char *format,
                         uint64_t began_ns, struct error *err)
{
    struct error none = ERROR_INIT;
    struct written w;
    written_begin(&w, o->output, (double)(env_now_ns() - began_ns) / 1e9);
    describe_exported(&w, a, format);
    if (o->output && trace_reader(o->output, &none))
        written_opens(&w);
    return written_tell(&w, o, err);
}

static int write_graph_document(const struct options *o, const char *format,
                                const struct analysis *a, struct error *err)
{
    const struct graph_export *e = graph_export_find(format); /* NULL: spans */
    struct written_part w = {.err = err};
    const uint64_t began_ns = env_now_ns();
    int rc = output_open(&w.out, o->output, STDOUT_FILENO, false, err);
    if (rc != 0)
        return rc;
    progress_note_begin_ended_by_signals(&w.note);
    progress_note_guards(*w.out.temp ? w.out.temp : NULL);
    rc = write_exported_graph(&w, e, a, err);
    const int closed = output_close(&w.out, rc == 0, rc == 0 ? err : NULL);
    progress_note_guards(NULL);
    progress_note_end(&w.note);
    if (rc == 0)
        rc = closed;
    return rc == 0 ? tell_exported(o, a, format, began_ns, err) : rc;
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
                       nearby_profiles("rooftop export [--format F] FILE...", nearby_profile, help,
                                       sizeof help),
                       "export", "no file is named");
    if (rc == 0 && o->brief && o->otlp.url && !o->format && !o->output)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "leave it out, or give -o FILE", "--brief",
                       "it says what was written, and spans that are sent are not");
    if (rc == 0)
        rc = progress_analysis_open(&a, (const char *const *)o->operands, o->noperands, &err);
    if (rc == 0 && !(e && e->write_stacks))
        rc = progress_refuse_samples(&a.trace, o->operands[0], &err);
    for (uint32_t i = 0; rc == 0 && !o->brief && i < a.trace.nnotes; i++)
        exit_note(a.trace.notes[i]);
    /* spans are sent; a document is written only if that was asked for, too */
    if (rc == 0 && (!o->otlp.url || o->format || o->output))
        rc = write_graph_document(o, format, &a, &err);
    if (rc == 0)
        rc = send_spans(o, &a, &err);
    analysis_close(&a);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(FORMAT, .choices = "chrome|dot|csv|json|svg|folded|speedscope|pprof|otlp"),
    TAKES(OUTPUT),
    TAKES(BRIEF),
    TAKES_OTLP,
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_export = {
    .name = "export",
    .summary = "convert a profile for other tools: spans, dependencies, critical path and slack",
    .usage = "rooftop export [--brief] [--format FORMAT] [-o FILE] [--otlp URL] FILE...",
    .run = export_run,
    .files = true,
    .converts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop export results.db -o trace.json", "a trace for Perfetto, with its critical path"},
        {"rooftop export --otlp http://localhost:4318 results.db",
         "its spans to a collector of OpenTelemetry"},
        {"rooftop export --format svg -o flame.svg perf.data",
         "a flame graph of what perf recorded"}),
};
