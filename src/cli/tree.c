#include <errno.h>
#include <string.h>

#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"
#include "engine/bricks/brick_report.h"
#include "export/graph/graph_export.h"

/* The node to begin at: a single program with a single thread needs no line of its own, and
 * without its PID the output is the same in every run. */
static uint32_t only_program(const struct graph *g)
{
    uint32_t first = g->first_root;
    if (first == GRAPH_NONE || g->next_sibling[first] != GRAPH_NONE ||
        g->kind[first] != NODE_PROGRAM)
        return GRAPH_NONE;
    uint32_t child = g->first_child[first];
    bool thread = child != GRAPH_NONE && g->kind[child] == NODE_THREAD &&
                  g->next_sibling[child] == GRAPH_NONE;
    return thread ? child : first;
}

struct tree_options {
    bool calls; /* not summed by name */
};

static void write_tree_brief(FILE *out, const struct graph *g, const struct options *o)
{
    static const char *const next[] = {"rooftop report path", "rooftop report tree",
                                       "rooftop --view tree", NULL};
    struct brief b = {.command = o->command};
    tree_brief(&b, g, trace_ascii(o));
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

static int write_tree(FILE *out, const struct trace_input *in, const struct options *o,
                      struct error *err)
{
    const struct tree_options *own = o->own;
    const char *name = o->format ? o->format : "text";
    const struct graph_export *e = graph_export_find(name);
    int rc = o->budgets ? brick_budgets_load(in->trace.sums, o->budgets, err) : 0;
    if (rc != 0)
        return rc;
    /* the Chrome format shows calls at their real times */
    bool calls = own->calls || strcmp(name, "chrome") == 0;
    const struct graph *g = calls ? in->trace.calls : in->trace.sums;
    if (o->brief) {
        write_tree_brief(out, g, o);
        return 0;
    }
    struct graph_export_options how = {.ascii = strcmp(name, "text") == 0 && trace_ascii(o),
                                       .root = strcmp(name, "chrome") == 0 ? GRAPH_NONE
                                                                           : only_program(g),
                                       .trace = &in->trace};
    return graph_export_write(e, out, g, &how, err);
}

static int tree_run(struct options *o)
{
    return trace_command(o, write_tree);
}

static const struct command_option options[] = {
    OWN(.name = "calls", OWN_AT(tree_options, calls), .type = OPTION_FLAG,
        .help = "every call that is still known by itself, instead of sums of all calls"),
    TAKES_TRACED,
    TAKES_CALLS,
    TAKES_AS(FORMAT, .choices = "text|json|csv|dot|chrome|svg|folded|speedscope|pprof"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_OTLP,
    TAKES_OPENED,
    TAKES(BUDGETS),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_tree = {
    .name = "tree",
    .summary = "the execution tree of instrumented programs, down to the kernel launch",
    .usage =
        "rooftop report tree [--brief] [--format F] [--calls] [FILE... | -p PID | -- COMMAND...]",
    .run = tree_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report tree -- ./prog", "run a program and print its tree"},
                         {"rooftop report tree --format svg -o tree.svg trace.json.gz",
                          "draw the tree of a trace as a flame graph"}),
    .exits = EXITS_TRACED,
};
