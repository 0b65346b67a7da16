#include "cli/path.h"

#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/trace_input.h"
#include "engine/path_export.h"

static int write_path(FILE *out, const struct trace_input *in, const struct options *o,
                      struct error *err)
{
    const char *format = o->format ? o->format : "text";
    const struct graph *g = in->trace.calls;
    struct critical_path p;
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0 && strcmp(format, "csv") != 0 &&
        strcmp(format, "dot") != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "use text, json, csv or dot", "--format",
                         "a path is not written as %s", format);
    int rc = critical_path_find(g, &p, err);
    if (rc != 0)
        return rc;
    if (strcmp(format, "json") == 0)
        path_export_json(out, g, &p);
    else if (strcmp(format, "csv") == 0)
        path_export_csv(out, g, &p);
    else if (strcmp(format, "dot") == 0)
        path_export_dot(out, g, &p);
    else
        path_export_text(out, g, &p, trace_ascii(o));
    if (strcmp(format, "text") == 0 && in->trace.lost)
        fprintf(out, "\n%llu older spans were no longer known: the path is that of the last ones\n",
                (unsigned long long)in->trace.lost);
    critical_path_free(&p);
    return 0;
}

int path_run(struct options *o)
{
    return trace_command(o, write_path);
}
