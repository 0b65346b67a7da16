/* rooftop report of what is no profile of a GPU: the lines of its first view. */
#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "engine/summary/summary.h"
#include "engine/trace/trace_folder.h"
#include "export/summary_export.h"

struct summary_document { /* what is written, and how */
    const struct summary *summary;
    const struct options *o;
};

static void write_summary_document(FILE *out, const void *ctx)
{
    const struct summary_document *d = ctx;
    const char *path = d->o->operands[0], *format = d->o->format ? d->o->format : "text";
    struct brief b = {.command = d->o->words};
    if (options_brief(d->o)) {
        summary_brief(&b, d->summary, path);
        brief_write(out, &b, d->o->format);
    } else if (strcmp(format, "json") == 0) {
        summary_export_json(out, d->summary, path);
    } else if (strcmp(format, "csv") == 0) {
        summary_export_csv(out, d->summary);
    } else {
        summary_export_text(out, d->summary, path);
    }
}

static int refuse_picture(const struct options *o, struct error *err)
{
    if (o->format && strcmp(o->format, "svg") == 0)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "text, json, csv or markdown; rooftop --format svg FILE draws the view",
                         o->operands[0], "only profiles of GPUs have this picture");
    return 0;
}

int report_write_subject(FILE *out, const struct subject *of, const struct options *o,
                         struct error *err)
{
    struct summary s;
    int rc = refuse_picture(o, err);
    if (rc != 0)
        return rc;
    summary_make(&s, of, trace_ascii(o));
    write_summary_document(out, &(struct summary_document){&s, o});
    summary_free(&s);
    return 0;
}

static int open_report_subject(struct subject *out, struct att_set *traces, enum subject_kind kind,
                               const char *path, struct error *err)
{
    enum { TRACES_MAX = 16 };
    *out = (struct subject){.path = NULL};
    if (kind != SUBJECT_TRACES)
        return subject_open(out, kind, path, err);
    out->traces = traces;
    return att_set_open(traces, path, TRACES_MAX, err);
}

/* Whether the files tell of ranks and of nothing else: dumps of a hang, or a folder of records of
 * collectives. */
static bool are_files_of_ranks(const struct options *o, enum subject_kind kind)
{
    const struct reader_ops *first =
        kind == SUBJECT_PROFILE ? trace_folder_first(o->operands[0]) : NULL;
    return kind == SUBJECT_HANG || (first && first->ranks);
}

bool report_takes(const struct options *o)
{
    if (!o->noperands)
        return false;
    const enum subject_kind kind = subject_recognise(o->operands[0]);
    return are_files_of_ranks(o, kind) || (o->noperands == 1 && kind != SUBJECT_PROFILE);
}

/* The same answer as that of report ranks. */
static int report_ranks(struct options *o)
{
    struct error err = ERROR_INIT;
    int rc = refuse_picture(o, &err);
    if (rc == 0)
        rc = options_own(o, &command_ranks, &err);
    return rc == 0 ? command_ranks.run(o) : exit_report(&err);
}

int report_subject(struct options *o)
{
    struct error err = ERROR_INIT;
    struct subject of;
    struct att_set traces = {.n = 0};
    struct summary s = {.n = 0};
    const enum subject_kind kind = subject_recognise(o->operands[0]);
    if (are_files_of_ranks(o, kind))
        return report_ranks(o);
    int rc = open_report_subject(&of, &traces, kind, o->operands[0], &err);
    if (rc == 0)
        rc = refuse_picture(o, &err);
    if (rc == 0) {
        summary_make(&s, &of, trace_ascii(o));
        rc =
            output_made(o->output, write_summary_document, &(struct summary_document){&s, o}, &err);
    }
    summary_free(&s);
    subject_free(&of);
    att_set_free(&traces);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}
