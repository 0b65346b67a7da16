#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "export/code/att_export.h"

enum att_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

/* The names were checked when options were parsed. */
static enum att_format find_att_format(const char *name)
{
    if (name && strcmp(name, "json") == 0)
        return FORMAT_JSON;
    return name && strcmp(name, "csv") == 0 ? FORMAT_CSV : FORMAT_TEXT;
}

static void write_att_dispatch(FILE *out, const struct att *a, enum att_format format, bool first,
                               bool ascii)
{
    if (format == FORMAT_JSON) {
        fputs(first ? "\n" : ",\n", out);
        att_export_json(out, a);
    } else if (format == FORMAT_CSV) {
        att_export_csv(out, a);
    } else {
        fputs(first ? "" : "\n\n", out);
        att_export_text(out, a, ascii);
    }
}

/* Writes all dispatches of a folder one after the other, without requiring that they fit
 * together. */
static int write_att_dispatches(FILE *out, const struct att_places *p, const struct options *o,
                                enum att_format format, struct error *err)
{
    int rc = 0;
    if (format == FORMAT_JSON)
        fputs("{\"schema\":\"rooftop.att/1\",\"dispatches\":[", out);
    else if (format == FORMAT_CSV)
        att_export_csv_head(out);
    for (uint32_t i = 0; i < p->n && rc == 0; i++) {
        struct att a = {0};
        rc = att_reader.read(&a, &p->list[i], err);
        if (rc == 0)
            write_att_dispatch(out, &a, format, i == 0, trace_ascii(o));
        att_free(&a);
    }
    if (format == FORMAT_JSON)
        fputs("\n]}\n", out);
    return rc;
}

static uint64_t measure_att(const struct att *a)
{
    struct att_totals t;
    att_totals(a, &t);
    return att_sum_weight(&t, &t.all).time;
}

/* Writes the short answer of the dispatch that took longest. */
static int write_att_brief(FILE *out, const struct att_places *p, const struct options *o,
                           struct error *err)
{
    static const char *const next[] = {"rooftop report waves", "rooftop", NULL};
    struct brief b = {.command = o->words};
    struct att longest = {0};
    uint64_t most = 0;
    int rc = 0;
    for (uint32_t i = 0; i < p->n && rc == 0; i++) {
        struct att a = {0};
        rc = att_reader.read(&a, &p->list[i], err);
        const uint64_t time = rc == 0 ? measure_att(&a) : 0;
        if (rc == 0 && (i == 0 || time > most)) {
            att_free(&longest);
            longest = a;
            most = time;
        } else {
            att_free(&a);
        }
    }
    if (rc == 0) {
        att_brief(&b, &longest);
        if (p->n > 1)
            brief_evidence(&b, "of %u traced dispatches, the one that took longest", p->n);
        brief_next_about(&b, o, next);
        brief_write(out, &b, o->format);
    }
    att_free(&longest);
    return rc;
}

static int att_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct att_places p = {0};
    const enum att_format format = find_att_format(o->format);
    char *text = NULL;
    size_t len = 0;
    int rc = 0;
    if (o->noperands != 1)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop report FOLDER waves", "report waves",
                       "one folder of rocprofv3 --att is needed, %zu given", o->noperands);
    if (rc == 0)
        rc = att_reader.list(&p, o->operands[0], &err);
    FILE *f = rc == 0 ? open_memstream(&text, &len) : NULL;
    if (f) {
        rc = o->brief ? write_att_brief(f, &p, o, &err)
                      : write_att_dispatches(f, &p, o, format, &err);
        fclose(f);
    } else if (rc == 0) {
        rc = error_set(&err, ERROR_INTERNAL, errno, NULL, "write", "%s", strerror(errno));
    }
    if (rc == 0)
        rc = output_file(o->output, text, len, &err);
    free(text);
    att_places_free(&p);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_att = {
    .name = "att",
    .summary = "a thread trace of rocprofv3 --att: hot instructions, stalls, what waves did",
    .usage = "rooftop report waves [--brief] [--format text|json|csv] [-o FILE] FOLDER",
    .run = att_run,
    .files = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report waves ui_output_agent_1_dispatch_2",
                          "the hot instructions of a traced dispatch"}),
};
