#include "cli/options/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/run/progress.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "engine/analysis/analysis.h"
#include "export/graph_export.h"

/* Spans are written as they are met: no document is held in memory. */
static int write_document(const struct options *o, const struct graph_export *e,
                          const struct analysis *a, struct error *err)
{
    struct output out;
    const struct graph_export_options how = {.root = GRAPH_NONE, .path = &a->path};
    int rc = output_open(&out, o->output, STDOUT_FILENO, false, err);
    if (rc != 0)
        return rc;
    int fd = dup(out.fd);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    int code = f ? 0 : errno;
    if (f) {
        e->write(f, a->trace.calls, &how);
        code = fflush(f) != 0 || ferror(f) ? (errno ? errno : EIO) : 0;
        if (fclose(f) != 0 && code == 0)
            code = errno;
    } else if (fd >= 0) {
        close(fd);
    }
    if (code != 0)
        rc = error_set(err, ERROR_OUTPUT, code, NULL, o->output ? o->output : "standard output",
                       "%s", strerror(code));
    int closed = output_close(&out, rc == 0, rc == 0 ? err : NULL);
    return rc != 0 ? rc : closed;
}

static int find_format(const char *name, const struct graph_export **out, struct error *err)
{
    static const char *const names[] = {"chrome", "dot", "csv", "json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = graph_export_find(name);
            return 0;
        }
    return error_set(err, ERROR_USAGE, EINVAL, "use chrome, dot, csv or json", "--format",
                     "a profile is not exported as %s", name);
}

int export_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct analysis a = {0};
    const struct graph_export *e = NULL;
    int rc = find_format(o->format ? o->format : "chrome", &e, &err);
    if (rc == 0 && o->noperands == 0)
        rc = error_set(&err, ERROR_USAGE, EINVAL, "rooftop export [--format F] FILE...", "export",
                       "no file is named");
    if (rc == 0)
        rc = progress_analysis_open(&a, (const char *const *)o->operands, o->noperands, &err);
    for (uint32_t i = 0; rc == 0 && i < a.trace.nnotes; i++)
        exit_note(a.trace.notes[i]);
    if (rc == 0)
        rc = write_document(o, e, &a, &err);
    analysis_close(&a);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}
