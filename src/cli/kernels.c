#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/report.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"
#include "engine/att/kernel_att.h"
#include "engine/kernels/kernels_list.h"
#include "export/kernels/kernels_export.h"
#include "export/kernels/kernels_report.h"

/* The filter of the command line. A filter in the configuration is meant for views only. */
static const char *find_filter(const struct options *o)
{
    return options_layer(o, "filter") == LAYER_ARGS ? o->filter : NULL;
}

/* Adds the thread traces of --thread-trace, each to its kernel. */
static int add_traces(struct kernels *k, const char *folder, struct error *err)
{
    struct att_places p = {0};
    uint32_t rows = 0;
    int rc = att_reader.list(&p, folder, err);
    for (uint32_t i = 0; rc == 0 && i < p.n; i++) {
        struct att a = {0};
        rc = att_reader.read(&a, &p.list[i], err);
        if (rc == 0)
            rows += kernels_add_att(k, &a);
        att_free(&a);
    }
    att_places_free(&p);
    return rc != 0 || rows ? rc
                           : error_set(err, ERROR_INPUT, ENOENT, "trace a kernel of the profile",
                                       folder, "the profile has no kernel that was traced there");
}

static int make_kernels(struct kernels *k, const struct trace *t, const struct options *o,
                        struct error *err)
{
    struct critical_path path;
    int rc = critical_path_find(t->calls, &path, err);
    if (rc != 0)
        return rc;
    kernels_make(k, t, &path, NULL);
    critical_path_free(&path);
    return o->thread_trace ? add_traces(k, o->thread_trace, err) : 0;
}

static void write_kernels_as(FILE *out, const char *format, const struct trace *t,
                             const struct kernels *k, enum kernels_group group,
                             const uint32_t *rows, uint32_t n, bool ascii)
{
    if (strcmp(format, "json") == 0)
        kernels_export_json(out, t, k, group, rows, n);
    else if (strcmp(format, "csv") == 0)
        kernels_export_csv(out, &k->by[group], rows, n);
    else if (strcmp(format, "svg") == 0)
        kernels_export_svg(out, k, &k->by[group], rows, n);
    else
        kernels_export_text(out, &k->by[group], rows, n, ascii);
}

static void write_kernels_brief(FILE *out, const struct options *o, const struct kernels *k,
                                const struct trace *ranks, const struct kernel_table *table,
                                const uint32_t *rows, uint32_t n)
{
    static const char *const next[] = {"rooftop report path", "rooftop", NULL};
    struct brief b = {.command = o->words};
    kernels_brief(&b, k, ranks, table, rows, n, trace_ascii(o));
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

struct kernels_options {
    const char *sort;
};

static int write_kernels(FILE *out, const struct trace_input *in, const struct options *o,
                         struct error *err)
{
    const struct kernels_options *own = o->own;
    const char *format = o->format ? o->format : "text", *filter = find_filter(o);
    struct query *query = NULL;
    struct kernels k = {.total = {0}};
    enum kernels_group group = kernels_group_named(o->group);
    int rc = 0;
    if (filter)
        rc = query_compile(&query, filter, kernels_fields, err);
    if (rc == 0)
        rc = make_kernels(&k, &in->trace, o, err);
    if (rc == 0) {
        const struct kernel_table *table = &k.by[group];
        uint32_t *rows = xcalloc(table->n + 1u, sizeof *rows);
        uint32_t n = kernels_list(table, query,
                                  own->sort ? list_fields_sort_named(kernels_fields, own->sort) : 0,
                                  false, rows);
        if (options_brief(o))
            write_kernels_brief(out, o, &k, NULL, table, rows, n);
        else
            write_kernels_as(out, format, &in->trace, &k, group, rows, n, trace_ascii(o));
        free(rows);
    }
    kernels_free(&k);
    query_free(query);
    return rc;
}

static int kernels_run(struct options *o)
{
    return trace_command(o, write_kernels);
}

static int write_kernels_report(FILE *out, const struct trace_input *in, const struct options *o,
                                struct error *err)
{
    const char *format = o->format ? o->format : "text";
    struct kernels k = {.total = {0}};
    if (o->noperands && (in->trace.samples || in->trace.syscalls)) {
        struct analysis only = {.trace = in->trace}; /* its path is not searched for */
        if (strcmp(format, "text") == 0)
            only.trace.nnotes = 0; /* standard error has them */
        return report_write_subject(out, &(struct subject){.profile = &only}, o, err);
    }
    int rc = make_kernels(&k, &in->trace, o, err);
    if (rc != 0) {
        kernels_free(&k);
        return rc;
    }
    const char *const *paths = (const char *const *)o->operands;
    const struct kernel_table *table = &k.by[KERNELS_BY_NAME];
    if (options_brief(o))
        write_kernels_brief(out, o, &k, &in->trace, table, NULL, table->n);
    else if (strcmp(format, "json") == 0)
        kernels_report_json(out, &in->trace, &k, paths, o->noperands);
    else if (strcmp(format, "csv") == 0)
        kernels_report_csv(out, &in->trace, &k);
    else if (strcmp(format, "svg") == 0)
        kernels_report_svg(out, &k);
    else
        kernels_report_text(out, &in->trace, &k, paths, o->noperands, trace_ascii(o));
    kernels_free(&k);
    return 0;
}

static int report_run(struct options *o)
{
    if (report_takes(o))
        return report_subject(o);
    return trace_command(o, write_kernels_report);
}

static const struct command_option kernels_options[] = {
    OWN(.name = "sort", OWN_AT(kernels_options, sort), .type = OPTION_CHOICE, .arg = "COLUMN",
        .sorts = kernels_fields, .fallback = "time",
        .help = "the column that kernels are sorted by, most first"),
    TAKES(FILTER),
    TAKES(GROUP),
    TAKES(THREAD_TRACE),
    TAKES_AS(FORMAT, .choices = "text|json|csv|svg|markdown"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_kernels = {
    .name = "kernels",
    .summary = "the kernels of a profile: times, registers, occupancy, what bounds each",
    .usage = "rooftop report kernels [--group G] [--sort C] [--filter Q] [--brief] [--format "
             "text|json|csv|svg|markdown] "
             "FILE... | -- COMMAND...",
    .run = kernels_run,
    .files = true,
    .starts = true,
    .options = kernels_options,
    .examples = EXAMPLES(
        {"rooftop report kernels results.db", "where the time of a profile went, kernel by kernel"},
        {"rooftop report kernels --sort occupancy --filter 'time>1ms' results.db",
         "long kernels, by occupancy"}),
    .exits = EXITS({.code = EXIT_TARGET, .text = "the command that was run has no bricks"}),
};

static const struct command_option report_options[] = {
    TAKES(THREAD_TRACE), TAKES_AS(FORMAT, .choices = "text|json|csv|svg|markdown"),
    TAKES(BRIEF),        TAKES(OUTPUT),
    TAKES_OPENED,        TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_report = {
    .name = "report",
    .summary = "what a file is and says: a profile, session, samples, capture, …",
    .usage =
        "rooftop report [--brief] [--format text|json|csv|svg|markdown] FILE... | -- COMMAND...",
    .run = report_run,
    .files = true,
    .starts = true,
    .options = report_options,
    .examples = EXAMPLES(
        {"rooftop report results.db", "the summary of a profile"},
        {"rooftop report trace.json.gz --range 'ProfilerStep#101'", "that of one training step"}),
    .exits = EXITS({.code = EXIT_TARGET, .text = "the command that was run has no bricks"}),
};
