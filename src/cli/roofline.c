#include "cli/options/commands.h"

#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/run/trace_input.h"
#include "engine/roofline/roofline.h"
#include "export/roofline_export.h"
#include "engine/roofline/roofline_gpu.h"

static const struct format {
    const char *name;
    void (*write)(FILE *out, const struct roofline_doc *d);
} formats[] = {
    {"text", roofline_export_text},
    {"json", roofline_export_json},
    {"csv", roofline_export_csv},
    {"svg", roofline_export_svg},
};

static const struct format *format_of(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int write_roofline(FILE *out, const struct trace_input *in, const struct options *o,
                          struct error *err)
{
    const struct format *f = format_of(o->format ? o->format : "text");
    struct arena memory = {0};
    struct roofline r;
    if (!f)
        return error_set(err, ERROR_USAGE, EINVAL, "use text, json, csv or svg", "--format",
                         "a roofline is not written as %s", o->format);
    roofline_fill(&r, &memory, in->trace.sums);
    int rc = roofline_gpu_open(&r, &memory, &in->trace, o->roofs, err);
    if (rc == 0) {
        const struct roofline_doc doc = {.r = &r,
                                         .t = &in->trace,
                                         .dispatches = o->per && strcmp(o->per, "dispatch") == 0,
                                         .ascii = trace_ascii(o)};
        f->write(out, &doc);
    }
    arena_free(&memory);
    return rc;
}

int roofline_run(struct options *o)
{
    return trace_command(o, write_roofline);
}
