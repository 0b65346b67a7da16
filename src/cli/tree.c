#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/trace_input.h"
#include "engine/bricks/brick_report.h"
#include "engine/value/timeline_scale.h"
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
    bool calls;      /* not summed by name */
    long depth;      /* 0: not given */
    const char *min; /* NULL: not given */
};

enum { AROUND = 4 /* lines of a terminal for what is around the tree */, LEAST_LINES = 8 };

/* --- what is left out --- */

/* A share of the whole, "1%", or a time, "10us". */
static int parse_least(uint64_t *ns, const char *text, const struct graph *g, uint32_t root,
                       struct error *err)
{
    char *end;
    const double percent = strtod(text, &end);
    struct graph_shown all;
    if (end == text || strcmp(end, "%") != 0)
        return strcmp(text, "0") == 0 ? 0 : timeline_parse_time(ns, text, "--min", err);
    if (!(percent >= 0 && percent <= 100))
        return error_set(err, ERROR_USAGE, EINVAL, "a share from 0% to 100%, or a time: 10us",
                         "--min", "'%s' is out of range", text);
    graph_shown_make(&all, g, root, &(struct graph_bound){.depth = 0});
    *ns = (uint64_t)((double)all.all_ns * percent / 100);
    graph_shown_free(&all);
    return 0;
}

/* The lines that the terminal has for a tree; 0: the document goes to no terminal. */
static size_t count_tree_lines(const struct trace_input *in, const struct options *o)
{
    struct winsize ws;
    if (o->output || o->format || !isatty(in->out_fd) || ioctl(in->out_fd, TIOCGWINSZ, &ws) != 0 ||
        ws.ws_row == 0)
        return 0;
    return ws.ws_row > AROUND + LEAST_LINES ? ws.ws_row - AROUND : LEAST_LINES;
}

static int find_tree_bound(struct graph_bound *b, const struct trace_input *in,
                           const struct options *o, const struct graph *g, uint32_t root,
                           struct error *err)
{
    const struct tree_options *own = o->own;
    const bool asked = own->depth || own->min;
    *b = (struct graph_bound){.depth = (unsigned)own->depth,
                              .lines = asked ? 0 : count_tree_lines(in, o)};
    if (asked && o->format && strcmp(o->format, "text") != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "leave it out: documents have all",
                         own->min ? "--min" : "--depth", "it is for text");
    return own->min ? parse_least(&b->least_ns, own->min, g, root, err) : 0;
}

/* --- the command --- */

static void write_tree_brief(FILE *out, const struct graph *g, const struct options *o)
{
    static const char *const next[] = {"rooftop report path", "rooftop report tree",
                                       "rooftop --view tree", NULL};
    struct brief b = {.command = o->words};
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
    struct graph_bound bound;
    struct graph_shown shown = {.keep = NULL};
    rc = find_tree_bound(&bound, in, o, g, how.root, err);
    if (rc == 0 && (bound.depth || bound.least_ns || bound.lines)) {
        graph_shown_make(&shown, g, how.root, &bound);
        how.shown = &shown;
    }
    if (rc == 0)
        rc = graph_export_write(e, out, g, &how, err);
    graph_shown_free(&shown);
    return rc;
}

static int tree_run(struct options *o)
{
    return trace_command(o, write_tree);
}

static const struct command_option options[] = {
    OWN(.name = "calls", OWN_AT(tree_options, calls), .type = OPTION_FLAG,
        .help = "every call that is still known by itself, instead of sums of all calls"),
    OWN(.name = "depth", OWN_AT(tree_options, depth), .type = OPTION_INT, .arg = "N", .min = 1,
        .max = 10000, .help = "text: only the first N levels; the rest is counted"),
    OWN(.name = "min", OWN_AT(tree_options, min), .type = OPTION_STRING, .arg = "SHARE|TIME",
        .help = "text: only what takes this share of the whole (1%), or this time (10us), with "
                "what is above it; 0: all. Unless given, a terminal shows what takes longest, as "
                "much as it has lines"),
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
    .usage = "rooftop report tree [--brief] [--depth N] [--min SHARE|TIME] [--format F] [--calls] "
             "[FILE... | -p PID | -- COMMAND...]",
    .run = tree_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report tree -- ./prog", "run a program and print its tree"},
                         {"rooftop report tree --format svg -o tree.svg trace.json.gz",
                          "draw the tree of a trace as a flame graph"}),
    .exits = EXITS_TRACED,
};
