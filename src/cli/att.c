#include "cli/options/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/run/trace_input.h"
#include "export/att_export.h"

enum att_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

static int find_format(const char *name, enum att_format *out, struct error *err)
{
    static const char *const names[] = {"text", "json", "csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (enum att_format)i;
            return 0;
        }
    return error_set(err, ERROR_USAGE, EINVAL, "use text, json or csv", "--format",
                     "a thread trace is not written as %s", name);
}

static void write_one(FILE *out, const struct att *a, enum att_format format, bool first,
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

/* One after the other: they need not fit together. */
static int write_all(FILE *out, const struct att_places *p, const struct options *o,
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
            write_one(out, &a, format, i == 0, trace_ascii(o));
        att_free(&a);
    }
    if (format == FORMAT_JSON)
        fputs("\n]}\n", out);
    return rc;
}

int att_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct att_places p = {0};
    enum att_format format = FORMAT_TEXT;
    char *text = NULL;
    size_t len = 0;
    int rc = find_format(o->format ? o->format : "text", &format, &err);
    if (rc == 0 && o->noperands != 1)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop att FOLDER", "att",
                       "one folder of rocprofv3 --att is needed, %zu given", o->noperands);
    if (rc == 0)
        rc = att_reader.list(&p, o->operands[0], &err);
    FILE *f = rc == 0 ? open_memstream(&text, &len) : NULL;
    if (f) {
        rc = write_all(f, &p, o, format, &err);
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
