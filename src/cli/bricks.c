#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/run/brief_output.h"
#include "cli/run/nearby.h"
#include "cli/run/trace_input.h"
#include "engine/bricks/brick_syscalls.h"
#include "engine/bricks/brick_fields.h"
#include "engine/code/kernel_brief.h"
#include "engine/trace/left_out.h"
#include "engine/value/list_field_document.h"
#include "engine/value/stats.h"
#include "export/graph/graph_export.h"
#include "export/left_out_json.h"

enum { VARIANTS_MAX = 8, NAME = 22, NAME_MOST = 48, NAME_BYTES = 256, VARIANT_LEAST = 7 };

/* --- text --- */

static void print_brick_time(FILE *out, double ns)
{
    char text[VALUE_TEXT_MAX];
    print_text(out, " %7s", value_time(ns, true, text));
}

static void print_unit_cell(FILE *out, int width, double v, enum unit unit)
{
    char text[VALUE_TEXT_MAX];
    print_text(out, " %*s", width, value_text(v, unit, true, text));
}

static double time_or_nan(uint64_t ns)
{
    return ns == GRAPH_UNKNOWN ? NAN : (double)ns;
}

static void print_time_share(FILE *out, uint64_t ns, uint64_t of)
{
    print_unit_cell(out, 7, of ? 100.0 * (double)ns / (double)of : NAN, UNIT_PERCENT);
}

/* The name of a row, shortened to `cells` cells. */
static const char *fit_row_name(const struct trace *t, const struct brick_row *r, int cells,
                                char out[NAME_BYTES])
{
    return briefs_fit(r->kind == NODE_KERNEL ? t->briefs : NULL, r->name, cells, false, out,
                      NAME_BYTES);
}

/* Width of the column of names for rows of this kind, at most NAME_MOST; longer names are cut. */
static int name_width(const struct brick_report *b, const struct trace *t, uint8_t kind)
{
    char name[NAME_BYTES];
    int most = NAME;
    for (uint32_t i = 0; i < b->nrows; i++) {
        int w =
            b->rows[i].kind == kind ? text_width(fit_row_name(t, &b->rows[i], NAME_MOST, name)) : 0;
        most = w > most ? w : most;
    }
    return most;
}

static void print_brick_row(FILE *out, const struct brick_row *r, const struct brick_report *b,
                            const char *name, int width, int variant)
{
    char budget[VALUE_TEXT_MAX];
    print_text(out, "%-*s %8" PRIu64, width, name, r->sum.count);
    print_brick_time(out, r->timed ? (double)r->sum.total : NAN);
    print_brick_time(out, r->mean);
    print_brick_time(out, r->timed ? time_or_nan(r->sum.min) : NAN);
    print_brick_time(out, r->timed ? time_or_nan(r->sum.max) : NAN);
    print_brick_time(out, r->deviation);
    print_brick_time(out, r->p50);
    print_brick_time(out, r->p95);
    print_brick_time(out, r->p99);
    print_unit_cell(out, 8, r->elements_per_s, UNIT_COUNT_PER_S);
    print_time_share(out, r->sum.total, r->timed ? b->total : 0);
    print_time_share(out, r->self, r->timed ? b->total : 0);
    if (variant)
        print_text(out, "  %-*.*s", r->over_budget ? variant : 0, variant,
                   *r->variant ? r->variant : "-");
    if (r->over_budget)
        print_text(out, "  OVER its budget of %s",
                   value_time((double)r->extra.budget, true, budget));
    fputc('\n', out);
}

/* Width of the column of backends (or programs); 0: no row has one. */
static int variant_width(const struct brick_report *b)
{
    int most = 0;
    for (uint32_t i = 0; i < b->nrows; i++) {
        int w = (int)strnlen(b->rows[i].variant, NAME);
        most = w > most ? w : most;
    }
    return most && most < VARIANT_LEAST ? VARIANT_LEAST : most;
}

static void print_brick_kind(FILE *out, const struct brick_report *b, const struct trace *t,
                             uint8_t kind, const char *title)
{
    char name[NAME_BYTES];
    int variant = variant_width(b), width = name_width(b, t, kind);
    bool any = false;
    for (uint32_t i = 0; i < b->nrows; i++) {
        if (b->rows[i].kind != kind)
            continue;
        if (!any) {
            print_text(out, "%-*s %8s %7s %7s %7s %7s %7s %7s %7s %7s %8s %7s %7s", width, title,
                       "calls", "total", "mean", "min", "max", "stddev", "p50", "p95", "p99",
                       "elements", "time", "self");
            const char *last = b->by_program ? "  program" : "  backend";
            print_text(out, "%s\n", variant ? last : "");
        }
        any = true;
        print_brick_row(out, &b->rows[i], b, fit_row_name(t, &b->rows[i], width, name), width,
                        variant);
    }
    if (any)
        fputc('\n', out);
}

static void print_part_time(FILE *out, const char *name, uint64_t ns, uint64_t all)
{
    print_text(out, "%-*s", NAME, name);
    print_brick_time(out, (double)ns);
    print_time_share(out, ns, all);
}

static void print_part(FILE *out, const char *name, uint64_t ns, uint64_t samples, uint64_t all)
{
    print_part_time(out, name, ns, all);
    print_brick_time(out, samples ? (double)ns / (double)samples : NAN);
    print_text(out, " %9" PRIu64 "\n", samples);
}

/* Prints the time of each category. Time in nested bricks is not counted, so that the categories
 * add up. */
static void print_categories(FILE *out, const struct brick_report *b)
{
    const uint64_t all = b->total ? b->total : 1;
    print_text(out, "%-*s %7s %7s %7s %9s\n", NAME, "Category", "own", "time", "mean", "samples");
    for (int c = 0; c < CATEGORIES; c++)
        print_part(out, node_category_name((enum node_category)c), b->category[c], b->samples[c],
                   all);
    print_part_time(out, "between bricks", b->between, all);
    fputc('\n', out);
    print_part_time(out, "all", b->total, all);
    fputc('\n', out);
}

/* --- system calls inside --- */

static void print_calls_row(FILE *out, const char *name, int width, const struct call_sum *s,
                            uint64_t total)
{
    char most[VALUE_TEXT_MAX];
    print_text(out, "%-*s %8" PRIu64 " %7" PRIu64, width, name, s->n.calls, s->n.errors);
    print_brick_time(out, (double)s->n.ns);
    if (total)
        print_time_share(out, s->n.ns, total);
    else
        print_text(out, " %7s", "");
    print_unit_cell(out, 8, (double)s->n.read, UNIT_BYTES);
    print_unit_cell(out, 8, (double)s->n.written, UNIT_BYTES);
    if (s->most_in)
        print_text(out, "  %s %s", s->most_in, value_time((double)s->most_ns, true, most));
    fputc('\n', out);
}

static void print_brick_calls(FILE *out, const struct brick_report *b, const struct trace *t)
{
    char name[NAME_BYTES];
    const int bricks = name_width(b, t, NODE_BRICK), kernels = name_width(b, t, NODE_KERNEL);
    const int width = bricks > kernels ? bricks : kernels;
    if (!b->has_calls)
        return;
    print_text(out, "\n%-*s %8s %7s %7s %7s %8s %8s  %s\n", width, "System calls in", "calls",
               "errors", "total", "time", "read", "written", "most in");
    for (uint32_t i = 0; i < b->nrows; i++)
        if (b->rows[i].calls.n.calls)
            print_calls_row(out, fit_row_name(t, &b->rows[i], width, name), width,
                            &b->rows[i].calls, b->rows[i].timed ? b->rows[i].sum.total : 0);
    print_calls_row(out, "outside any brick", width, &b->outside, 0);
    print_calls_row(out, "all", width, &b->all_calls, 0);
    if (b->outlasting)
        print_text(out, "%" PRIu64 " call%s not ended when the brick did: the rest is outside\n",
                   b->outlasting, b->outlasting == 1 ? " had" : "s had");
}

/* --- what counters counted --- */

enum { COUNT_WIDTH = 12 };

/* One page fault in 300 calls must not be shown as 0.00. */
static void print_count_cell(FILE *out, int width, double each)
{
    if (each > 0 && each < 1)
        print_text(out, " %*.3g", width, each);
    else
        print_unit_cell(out, width, each, UNIT_COUNT);
}

/* A rate is shown if its events were asked for. */
static const struct {
    enum graph_rate rate;
    enum unit unit;
    const char *title;
} rate_columns[] = {{GRAPH_IPC, UNIT_NONE, "IPC"},
                    {GRAPH_MISSES, UNIT_PERCENT, "misses"},
                    {GRAPH_MISPREDICTS, UNIT_PERCENT, "mispr"}};

static void print_counts_row(FILE *out, const struct brick_row *r, const char *name, int width)
{
    print_text(out, "%-*s %8" PRIu64, width, name, r->counts.calls);
    print_unit_cell(out, 7, 100 * graph_counts_share(&r->counts), UNIT_PERCENT);
    for (size_t i = 0; i < sizeof rate_columns / sizeof *rate_columns; i++)
        if (graph_rate_asked(r->counters, rate_columns[i].rate))
            print_unit_cell(out, 7, graph_rate(r->counters, &r->counts, rate_columns[i].rate),
                            rate_columns[i].unit);
    for (uint32_t i = 0; i < r->counters->n; i++) {
        const int n = (int)strlen(r->counters->list[i].name);
        print_count_cell(out, n > COUNT_WIDTH ? n : COUNT_WIDTH,
                         r->counts.value[i] / (double)r->counts.calls);
    }
    fputc('\n', out);
}

/* A row for each brick or kernel that was counted: rates, then each event in a call. */
static void print_counts(FILE *out, const struct brick_report *b, const struct trace *t)
{
    char name[NAME_BYTES];
    const struct graph_counters *of = t->sums->counters;
    const int bricks = name_width(b, t, NODE_BRICK), kernels = name_width(b, t, NODE_KERNEL);
    const int width = bricks > kernels ? bricks : kernels;
    if (!of)
        return;
    print_text(out, "\n%-*s %8s %7s", width, "Counted in a call of", "counted", "share");
    for (size_t i = 0; i < sizeof rate_columns / sizeof *rate_columns; i++)
        if (graph_rate_asked(of, rate_columns[i].rate))
            print_text(out, " %7s", rate_columns[i].title);
    for (uint32_t i = 0; i < of->n; i++)
        print_text(out, " %*s", COUNT_WIDTH, of->list[i].name);
    fputc('\n', out);
    for (uint32_t i = 0; i < b->nrows; i++)
        if (b->rows[i].counts.calls)
            print_counts_row(out, &b->rows[i], fit_row_name(t, &b->rows[i], width, name), width);
    graph_export_whys_text(out, of);
}

/* --- backends or programs side by side --- */

struct variant_comparison {
    const char *variants[VARIANTS_MAX];
    int nvariants;
    struct compared {
        const struct brick_row *row; /* NULL: the brick did not run there */
        struct brick_difference d;   /* difference from the first variant */
    } (*cells)[VARIANTS_MAX];
    uint32_t nrows;
};

static int variant_of(struct variant_comparison *c, const char *name)
{
    for (int i = 0; i < c->nvariants; i++)
        if (strcmp(c->variants[i], name) == 0)
            return i;
    if (c->nvariants == VARIANTS_MAX)
        return -1;
    c->variants[c->nvariants] = name;
    return c->nvariants++;
}

static uint32_t find_or_add_comparison_line(struct variant_comparison *c, const struct brick_row *r)
{
    for (uint32_t i = 0; i < c->nrows; i++)
        for (int v = 0; v < VARIANTS_MAX; v++) {
            const struct brick_row *x = c->cells[i][v].row;
            if (x && x->kind == r->kind && x->category == r->category &&
                strcmp(x->name, r->name) == 0)
                return i;
        }
    return c->nrows++;
}

static void compare_variants(struct variant_comparison *c, const struct brick_report *split)
{
    double *p = xcalloc((size_t)split->nrows * VARIANTS_MAX + 1, sizeof *p);
    size_t tests = 0, at = 0;
    c->cells = xcalloc(split->nrows + 1u, sizeof *c->cells);
    for (uint32_t i = 0; i < split->nrows; i++) {
        int v = *split->rows[i].variant ? variant_of(c, split->rows[i].variant) : -1;
        if (v >= 0)
            c->cells[find_or_add_comparison_line(c, &split->rows[i])][v].row = &split->rows[i];
    }
    for (uint32_t i = 0; i < c->nrows; i++)
        for (int v = 1; v < c->nvariants; v++) {
            struct compared *x = &c->cells[i][v];
            if (x->row && c->cells[i][0].row) {
                x->d = brick_compare(c->cells[i][0].row, x->row);
                p[tests++] = x->d.p;
            }
        }
    stats_adjust(p, tests); /* with many rows, some would differ by chance alone */
    for (uint32_t i = 0; i < c->nrows; i++)
        for (int v = 1; v < c->nvariants; v++)
            if (c->cells[i][v].row && c->cells[i][0].row)
                c->cells[i][v].d.p = p[at++];
    free(p);
}

static void print_comparison(FILE *out, const struct variant_comparison *c)
{
    print_text(out,
               "\nSide by side: mean of a call, and how much faster than %s (= within chance)\n",
               c->variants[0]);
    print_text(out, "%-*s %7.7s", NAME, "", c->variants[0]);
    for (int v = 1; v < c->nvariants; v++)
        print_text(out, " %16.16s", c->variants[v]);
    fputc('\n', out);
    for (uint32_t i = 0; i < c->nrows; i++) {
        const struct brick_row *name = NULL;
        for (int v = 0; v < c->nvariants && !name; v++)
            name = c->cells[i][v].row;
        print_text(out, "%-*.*s", NAME, NAME, name ? name->name : "");
        print_brick_time(out, c->cells[i][0].row ? c->cells[i][0].row->mean : NAN);
        for (int v = 1; v < c->nvariants; v++) {
            const struct compared *x = &c->cells[i][v];
            print_brick_time(out, x->row ? x->row->mean : NAN);
            if (!x->row || !c->cells[i][0].row)
                print_text(out, " %8s", "");
            else if (x->d.p < 0.05)
                fprintf(out, " %7.2fx", 1 / x->d.ratio);
            else
                print_text(out, " %8s", "=");
        }
        fputc('\n', out);
    }
}

static void write_bricks_text(FILE *out, const struct brick_report *b,
                              const struct variant_comparison *c, const struct trace *t)
{
    print_brick_kind(out, b, t, NODE_BRICK, "Brick");
    print_brick_kind(out, b, t, NODE_KERNEL, "Kernel");
    print_categories(out, b);
    print_counts(out, b, t);
    print_brick_calls(out, b, t);
    if (c->nvariants > 1)
        print_comparison(out, c);
    char left[400];
    if (trace_left_out(t, left, sizeof left))
        print_text(out, "\n%s\n", left);
}

/* --- the short answer --- */

static void brief_brick_row(struct brief *b, const struct brick_report *r,
                            const struct brick_row *x, const char *name)
{
    char mean[VALUE_TEXT_MAX];
    brief_row(b, name, "%.1f %% of the time itself, %" PRIu64 " call%s of %s%s%s%s",
              r->total ? 100.0 * (double)x->self / (double)r->total : 0.0, x->sum.count,
              x->sum.count == 1 ? "" : "s", value_time(x->mean, true, mean),
              *x->variant ? " in " : "", x->variant, x->over_budget ? "; OVER its budget" : "");
}

static void write_bricks_brief(FILE *out, const struct brick_report *r, const struct trace *t,
                               const struct options *o)
{
    static const char *const next[] = {"rooftop report bricks", "rooftop report tree", NULL};
    struct brief b = {.command = o->words};
    struct brief_top top = {.n = 0};
    char name[NAME_BYTES], text[VALUE_TEXT_MAX];
    uint32_t over = 0, bricks = 0;
    for (uint32_t i = 0; i < r->nrows; i++) {
        over += r->rows[i].over_budget;
        bricks += r->rows[i].kind == NODE_BRICK;
        brief_top_add(&top, i, r->rows[i].over_budget ? INFINITY : (double)r->rows[i].self);
    }
    brief_verdict(&b, "%" PRIu32 " brick%s and kernels in %s; %" PRIu32 " over the budget",
                  r->nrows, r->nrows == 1 ? "" : "s", value_time((double)r->total, true, text),
                  over);
    if (r->total && bricks)
        brief_evidence(&b, "%.1f %% of the time is between bricks",
                       100.0 * (double)r->between / (double)r->total);
    for (size_t i = 0; i < top.n; i++) {
        const struct brick_row *x = &r->rows[top.index[i]];
        brief_brick_row(&b, r, x, fit_row_name(t, x, NAME_MOST, name));
    }
    b.left_out += top.left_out;
    brief_next_about(&b, o, next);
    brief_write(out, &b, o->format);
}

/* --- documents for programs --- */

static void write_bricks_csv(FILE *out, const struct brick_report *b)
{
    list_fields_csv(out, brick_fields, "\r\n", b->rows, b->nrows, sizeof *b->rows);
}

static void write_json_calls(FILE *out, const char *name, const struct call_sum *s)
{
    print_json(out,
               ",\"%s\":{\"syscalls\":%" PRIu64 ",\"syscall_errors\":%" PRIu64
               ",\"syscalls_ns\":%" PRIu64 ",\"read_bytes\":%" PRIu64 ",\"written_bytes\":%" PRIu64
               "}",
               name, s->n.calls, s->n.errors, s->n.ns, s->n.read, s->n.written);
}

static void write_bricks_json(FILE *out, const struct brick_report *b, const struct trace *t)
{
    struct list_members members;
    list_members(&members, brick_fields);
    fputs("{\"schema\":\"rooftop.bricks/2\"", out);
    left_out_json_write(out, t);
    fprintf(out, ",\"total_ns\":%" PRIu64, b->total);
    fputs(",\"categories\":{", out);
    for (int c = 0; c < CATEGORIES; c++)
        print_json(out, "\"%s\":%" PRIu64 ",", node_category_name((enum node_category)c),
                   b->category[c]);
    fprintf(out, "\"between\":%" PRIu64 "},\"samples\":{", b->between);
    for (int c = 0; c < CATEGORIES; c++)
        print_json(out, "%s\"%s\":%" PRIu64, c ? "," : "",
                   node_category_name((enum node_category)c), b->samples[c]);
    fputc('}', out);
    if (b->has_calls) {
        write_json_calls(out, "outside", &b->outside);
        write_json_calls(out, "syscalls", &b->all_calls);
        fprintf(out, ",\"outlasting\":%" PRIu64, b->outlasting);
    }
    fputc(',', out);
    graph_export_counters_json(out, t->sums->counters);
    fputs("\"rows\":[", out);
    for (uint32_t i = 0; i < b->nrows; i++) {
        bool budget = b->rows[i].extra.budget;
        fputs(i ? ",\n{" : "\n{", out);
        list_fields_json_write(out, &members, &b->rows[i], 1,
                               budget ? UINT8_MAX : BRICK_WITHOUT_BUDGET);
        graph_export_counts_json(out, t->sums->counters, &b->rows[i].counts);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
}

static int write_bricks(FILE *out, const struct trace_input *in, const struct options *o,
                        struct error *err)
{
    const char *format = o->format ? o->format : "text";
    int rc = o->budgets ? brick_budgets_load(in->trace.sums, o->budgets, err) : 0;
    if (rc != 0) {
        nearby_help(err, nearby_file);
        return rc;
    }
    struct arena memory = {0};
    struct brick_report split;
    struct variant_comparison c = {.nvariants = 0};
    brick_report_make(&split, &memory, in->trace.sums, true);
    if (in->trace.sums->syscalls)
        brick_report_syscalls(&split, in->trace.sums);
    compare_variants(&c, &split);
    if (o->brief)
        write_bricks_brief(out, &split, &in->trace, o);
    else if (strcmp(format, "json") == 0)
        write_bricks_json(out, &split, &in->trace);
    else if (strcmp(format, "csv") == 0)
        write_bricks_csv(out, &split);
    else
        write_bricks_text(out, &split, &c, &in->trace);
    free(c.cells);
    arena_free(&memory);
    return 0;
}

static int bricks_run(struct options *o)
{
    return trace_command(o, write_bricks);
}

static const struct command_option options[] = {
    TAKES_TRACED,   TAKES_CALLS,   TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),   TAKES(OUTPUT), TAKES_OPENED,
    TAKES(BUDGETS), TAKES_DRAWN,   TAKES_GENERAL,
};

const struct command command_bricks = {
    .name = "bricks",
    .summary = "statistics of bricks and kernels, by category, backends side by side",
    .usage = "rooftop report bricks [--brief] [--format text|json|csv] [--budgets FILE] "
             "[--syscalls [FILE]] "
             "[FILE... "
             "| -p PID | -- "
             "COMMAND...]",
    .run = bricks_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES({"rooftop report bricks -- ./prog", "run a program and print its bricks"},
                         {"rooftop report bricks --syscalls -- ./prog",
                          "what each brick asked of the system, and where it waited"},
                         {"rooftop report bricks --budgets budgets.toml trace.json.gz",
                          "which bricks take longer than they should"}),
    .exits = EXITS_TRACED,
};
