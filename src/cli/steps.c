#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/progress.h"
#include "cli/run/trace_input.h"
#include "export/kernels/steps_export.h"

static void write_steps_brief(FILE *out, const struct steps *s, const struct options *o)
{
    static const char *const next[] = {"rooftop report steps", "rooftop report path", NULL};
    struct brief b = {.command = o->words};
    steps_brief(&b, s, trace_ascii(o));
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static int write_steps(FILE *out, const struct trace_input *in, const struct options *o,
                       struct error *err)
{
    const char *format = o->format ? o->format : "text";
    bool json = strcmp(format, "json") == 0, csv = strcmp(format, "csv") == 0;
    struct steps s = {.n = 0};
    struct window w;
    int rc = window_parse(&w, o->from, o->to, o->range, err);
    if (rc == 0)
        rc = steps_find(&s, &in->trace, &w, err);
    if (rc == 0 && o->brief)
        write_steps_brief(out, &s, o);
    else if (rc == 0 && json)
        steps_export_json(out, &in->trace, &s);
    else if (rc == 0 && csv)
        steps_export_csv(out, &s);
    else if (rc == 0)
        steps_export_text(out, &s, trace_ascii(o));
    steps_free(&s);
    window_free(&w);
    return rc;
}

static int steps_run(struct options *o)
{
    struct error err = ERROR_INIT;
    /* the whole profile is read; --from and --to choose rows */
    progress_want(&(struct options){.command = ""}, &err);
    return trace_command(o, write_steps);
}

static const struct command_option options[] = {
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_steps = {
    .name = "steps",
    .summary =
        "repeated ranges (training steps, iterations): the duration and critical path of each",
    .usage = "rooftop report steps [--brief] [--range NAME] [--format text|json|csv] FILE... | -- "
             "COMMAND...",
    .run = steps_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report steps trace.json.gz", "the steps of a training run"},
                         {"rooftop report steps --range decode --format csv trace.json.gz",
                          "ranges of that name, as a table"}),
    .exits = EXITS({.code = EXIT_TARGET, .text = "the command that was run has no bricks"}),
};
