/* A trace as a file of OTLP/JSON with a message on each line, as OpenTelemetry's exporter writes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/otlp/otlp_graph.h"
#include "export/otlp/otlp_resource.h"

static int write_line(void *ctx, const struct otlp_message *m, struct error *err)
{
    FILE *out = ctx;
    for (size_t i = 0; i < sizeof m->part / sizeof *m->part; i++)
        fwrite(m->part[i], 1, m->size[i], out); /* raw: otlp_json escapes all texts */
    fputc('\n', out);
    if (!ferror(out))
        return 0;
    const int code = errno ? errno : EIO;
    return error_set(err, ERROR_OUTPUT, code, NULL, "write the spans", "%s", strerror(code));
}

const char *otlp_graph_service(const struct trace *t)
{
    const struct graph *g = t->calls;
    return g->first_root != GRAPH_NONE && g->kind[g->first_root] == NODE_PROGRAM
               ? graph_name(g, g->first_root)
               : NULL;
}

int otlp_graph_file(FILE *out, const struct trace *t, struct otlp_graph *of, struct error *err)
{
    struct otlp_context context;
    struct otlp_resource resource;
    otlp_context_of(&context, otlp_graph_key(t));
    otlp_resource_open(&resource, otlp_graph_service(t), false);
    struct otlp_batch batch = {
        .format = &otlp_json, .resource = &resource.attrs, .take = write_line, .ctx = out};
    *of = (struct otlp_graph){.trace = t, .context = &context, .batch = &batch};
    int rc = otlp_graph_write(of, err);
    struct error unused = ERROR_INIT;
    const int ended = otlp_batch_end(&batch, rc ? &unused : err);
    otlp_resource_close(&resource);
    of->context = NULL;
    of->batch = NULL;
    return rc ? rc : ended;
}
