#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"
#include "engine/roofline/roofline.h"
#include "engine/roofline/roofline_open.h"
#include "export/roofline_export.h"

static const struct roofline_format {
    const char *name;
    void (*write)(FILE *out, const struct roofline_doc *d);
} formats[] = {
    {"text", roofline_export_text},
    {"json", roofline_export_json},
    {"csv", roofline_export_csv},
    {"svg", roofline_export_svg},
};

/* The name was checked when options were parsed. */
static const struct roofline_format *format_of(const char *name)
{
    size_t i = 0;
    while (i + 1 < sizeof formats / sizeof *formats && strcmp(formats[i].name, name) != 0)
        i++;
    return &formats[i];
}

struct roofline_options {
    const char *per; /* NULL: "kernel" */
};

static void write_roofline_brief(FILE *out, const struct roofline_doc *d, const struct options *o)
{
    static const char *const next[] = {"rooftop report roofline", "rooftop report",
                                       "rooftop --view roofline", NULL};
    struct brief b = {.command = o->words};
    roofline_brief(&b, d);
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static int write_roofline(FILE *out, const struct trace_input *in, const struct options *o,
                          struct error *err)
{
    const struct roofline_options *own = o->own;
    const struct roofline_format *f = format_of(o->format ? o->format : "text");
    struct arena memory = {0};
    struct roofline r;
    int rc = roofline_open(&r, &memory, &in->trace, o->roofs, err);
    if (rc == 0) {
        const struct roofline_doc doc = {.r = &r,
                                         .t = &in->trace,
                                         .dispatches =
                                             own->per && strcmp(own->per, "dispatch") == 0,
                                         .ascii = trace_ascii(o)};
        if (o->brief)
            write_roofline_brief(out, &doc, o);
        else
            f->write(out, &doc);
    }
    arena_free(&memory);
    return rc;
}

static int roofline_run(struct options *o)
{
    return trace_command(o, write_roofline);
}

static const struct command_option options[] = {
    OWN(.name = "per", OWN_AT(roofline_options, per), .type = OPTION_CHOICE, .arg = "WHAT",
        .choices = "kernel|dispatch",
        .help = "a point for each kernel, all its dispatches together, or for each dispatch"),
    TAKES_TRACED,
    TAKES_AS(FORMAT, .choices = "text|json|csv|svg"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_OPENED,
    TAKES(ROOFS),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_roofline = {
    .name = "roofline",
    .summary = "the roofline model of kernels and bricks: FLOP/s, bytes/s, what limits each",
    .usage = "rooftop report roofline [--brief] [--format text|json|csv|svg] [--roofs FILE] [--per "
             "kernel|dispatch] "
             "[FILE... | -p PID | -- COMMAND...]",
    .run = roofline_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop report roofline profile.db", "what binds each kernel of a profile"},
                 {"rooftop report roofline --format svg -o roofline.svg profile.db",
                  "the roofline as a picture"}),
    .exits = EXITS_TRACED,
};
