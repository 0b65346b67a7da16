#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"
#include "export/path/path_export.h"

/* What documents of the path show. */
struct path_found {
    struct critical_path path;
    struct path_shares shares;
    struct what_if_best best[WHAT_IF_BEST];
    uint32_t nbest;
    struct what_if what_if;
};

static int ask_what_if(struct path_found *f, const struct graph *g, const char *asked,
                       struct error *err)
{
    struct what_if_change *changes = xcalloc(WHAT_IF_MOST, sizeof *changes);
    char *lines = xstrdup(asked), *rest = lines;
    size_t n = 0;
    int rc = 0;
    for (char *line = strsep(&rest, "\n"); line && rc == 0; line = strsep(&rest, "\n")) {
        if (n == WHAT_IF_MOST)
            rc = error_set(err, ERROR_USAGE, E2BIG, NULL, "--what-if", "more than %d of them",
                           WHAT_IF_MOST);
        else
            rc = what_if_parse(&changes[n++], line, err);
    }
    if (rc == 0)
        rc = what_if_find(g, &f->path, changes, n, &f->what_if, err);
    free(lines);
    free(changes);
    return rc;
}

/* gains: also find out what doubling the speed of each name would gain. */
struct path_options {
    const char *what_if; /* NAME=FACTOR, a line each; NULL: none */
};

static int find_path_and_gains(struct path_found *f, const struct trace *t, const struct options *o,
                               bool gains, struct error *err)
{
    const struct path_options *own = o->own;
    f->nbest = gains ? WHAT_IF_BEST : 0;
    int rc = what_if_path(t, &f->path, &f->shares, f->best, &f->nbest, err);
    if (rc == 0 && own->what_if)
        rc = ask_what_if(f, t->calls, own->what_if, err);
    return rc;
}

static void write_path_brief(FILE *out, const struct path_document *d, const struct options *o)
{
    static const char *const next[] = {"rooftop report", "rooftop report timeline",
                                       "rooftop --view path", NULL};
    struct brief b = {.command = o->words};
    path_brief(&b, d);
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static int write_path_document(FILE *out, const struct trace_input *in, const struct options *o,
                               struct error *err)
{
    const struct path_options *own = o->own;
    const char *format = o->format ? o->format : "text";
    const struct path_export *e = path_export_find(format);
    struct path_found f = {0};
    bool gains = strcmp(format, "text") == 0 || strcmp(format, "json") == 0 || options_brief(o);
    int rc = find_path_and_gains(&f, &in->trace, o, gains, err);
    if (rc == 0) {
        struct path_document d = {.trace = &in->trace,
                                  .path = &f.path,
                                  .shares = &f.shares,
                                  .best = f.best,
                                  .nbest = f.nbest,
                                  .what_if = own->what_if ? &f.what_if : NULL,
                                  .asked = own->what_if,
                                  .ascii = trace_ascii(o)};
        if (options_brief(o))
            write_path_brief(out, &d, o);
        else
            e->write(out, &d);
        if (strcmp(format, "text") == 0 && !o->brief && in->trace.lost)
            fprintf(out,
                    "\n%llu older spans were no longer known: the path is that of the last ones\n",
                    (unsigned long long)in->trace.lost);
    }
    what_if_free(&f.what_if);
    path_shares_free(&f.shares);
    critical_path_free(&f.path);
    return rc;
}

static int path_run(struct options *o)
{
    return trace_command(o, write_path_document);
}

static const struct command_option options[] = {
    OWN(.name = "what-if", OWN_AT(path_options, what_if), .type = OPTION_LIST, .arg = "NAME=FACTOR",
        .help = "what the path would be if all of that name were FACTOR times as fast, or gone "
                "(NAME=gone); ~REGEX=FACTOR for parts of names, #NODE=FACTOR for one; may be given "
                "several times"),
    TAKES_TRACED,
    TAKES_CALLS,
    TAKES_AS(FORMAT, .choices = "text|json|csv|dot|svg"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_OPENED,
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_path = {
    .name = "path",
    .summary = "the critical path of instrumented programs, and the slack beside it",
    .usage =
        "rooftop report path [--brief] [--what-if NAME=FACTOR] [--format text|json|csv|dot|svg] "
        "[FILE... | -p "
        "PID | -- COMMAND...]",
    .run = path_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop report path -- ./prog", "run a program and print its critical path"},
                 {"rooftop report path --what-if gemm=2 trace.json.gz",
                  "what a gemm of twice the speed would gain"}),
    .exits = EXITS_TRACED,
};
