/* The summary of a file of CPU samples: the hot functions, and what the file does not know. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/functions/functions.h"
#include "engine/functions/hot_hint.h"
#include "engine/functions/hot_profile.h"
#include "engine/summary/summary_impl.h"

enum {
    HOTTEST = 5,
    NAME_CELLS = 48,
    ONE_PERCENT = 50,   /* rule: one function with so much of the samples is the place to look at */
    UNKNOWN_PERCENT = 5 /* rule: so many samples without a name are worth a line of help */
};

/* Names that stand for code without one, as perf and others write it. */
static bool has_no_name(const struct hot_symbol *f)
{
    return f->where == HOT_UNKNOWN || strcmp(f->name, "[unknown]") == 0 ||
           text_begins(f->name, "0x");
}

static const char *name_function(struct summary *s, const struct hot_symbol *f, bool ascii)
{
    char name[4 * NAME_CELLS + 8];
    text_cut_middle(name, sizeof name, f->name, NAME_CELLS, ascii ? "~" : "…");
    return arena_strdup(&s->memory, name);
}

/* The number of functions that together have half of the samples. */
static size_t count_half(const struct hot_stacks *p, const struct function_row *rows, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += rows[i].self;
        if (sum >= p->samples - sum)
            return i + 1;
    }
    return n;
}

static void add_hot_verdict(struct summary *s, const struct hot_stacks *p,
                            const struct function_row *rows, size_t n, bool ascii)
{
    static const char how[] = "By the time in each function itself, without what it calls. One "
                              "function with 50 % or more "
                              "is the place to look at; else the number of functions that have "
                              "half of it says how far it "
                              "is spread.";
    if (p->samples == 0 || n == 0) {
        summary_verdict(s, "functions", how, "n/a: it has no samples");
        return;
    }
    const double percent = functions_percent(p, rows[0].self);
    const size_t half = count_half(p, rows, n);
    if (has_no_name(&p->symbols[rows[0].symbol]))
        summary_verdict(s, "functions", how, "not known: %.1f %% is in code without a name",
                        percent);
    else if (percent >= ONE_PERCENT)
        summary_verdict(s, "functions", how,
                        "one hot function: %s has %.1f %% in itself (rule: %d %% or more)",
                        name_function(s, &p->symbols[rows[0].symbol], ascii), percent, ONE_PERCENT);
    else
        summary_verdict(
            s, "functions", how,
            "no single hot function: %s of %zu have half of it, the hottest has %.1f %% "
            "(rule: less than %d %%)",
            summary_count(s, half, "function", "functions"), n, percent, ONE_PERCENT);
}

static void add_hot_functions(struct summary *s, const struct hot_stacks *p,
                              const struct function_row *rows, size_t n, bool ascii)
{
    char self[HOT_AMOUNT_MAX];
    for (size_t i = 0; i < n && i < HOTTEST && rows[i].self; i++) {
        const struct hot_symbol *f = &p->symbols[rows[i].symbol];
        summary_say(s, i == 0 ? "hottest" : "", "functions",
                    "Self: in the function itself. Total: with all that it calls; a recursion "
                    "counts once.",
                    "%s: self %.1f %%, %s; total %.1f %%%s%s", name_function(s, f, ascii),
                    functions_percent(p, rows[i].self), hot_amount(p, rows[i].self, ascii, self),
                    functions_percent(p, rows[i].total), *f->module ? "; " : "", f->module);
    }
}

static uint64_t count_unknown(const struct hot_stacks *p, const struct function_row *rows, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (has_no_name(&p->symbols[rows[i].symbol]))
            sum += rows[i].self;
    return sum;
}

static void add_unknown_names(struct summary *s, const struct hot_stacks *p,
                              const struct function_row *rows, size_t n)
{
    static const char how[] = "Samples whose innermost function has no name in the file.";
    const double percent = functions_percent(p, count_unknown(p, rows, n));
    if (p->samples)
        summary_say(s, "without name", "functions", how, "%.1f %% of it%s", percent,
                    percent >= UNKNOWN_PERCENT
                        ? " (rule: 5 % or more); what helps: symbols of the program and its "
                          "libraries (-g, or debuginfod) where the file is written"
                        : "");
}

static void add_sample_limits(struct summary *s, const struct hot_profile *p)
{
    struct hot_hint hint;
    hot_hint(&p->stacks, &hint);
    if (*hint.text)
        summary_say(s, "would help", NULL, "From the modules and the ends of the stacks.", "%s",
                    hint.text);
    if (p->left_out)
        summary_say(s, "left out", NULL, "One event of a file is shown.",
                    "%" PRIu64 " samples of other events", p->left_out);
    if (p->stacks.lost)
        summary_say(s, "lost", NULL, "As the profiler that wrote the file has counted.",
                    "%" PRIu64 " records", p->stacks.lost);
}

void summary_add_samples(struct summary *s, const struct trace *t, bool ascii)
{
    const struct hot_profile *p = t->samples;
    const struct hot_stacks *k = &p->stacks;
    struct function_row *rows = NULL;
    char amount[HOT_AMOUNT_MAX];
    const size_t n = functions_list(k, &rows);
    const bool named = strcmp(k->event, "samples") != 0; /* of what they are samples */
    summary_head(s, arena_printf(&s->memory, "samples of a CPU%s%s", named ? ": " : "",
                                 named ? k->event : ""));
    summary_head(s, arena_strdup(&s->memory, hot_amount(k, k->samples, ascii, amount)));
    if (k->weight != HOT_SAMPLES)
        summary_head(s, summary_count(s, p->taken, "sample", "samples"));
    summary_head(s, summary_count(s, n, "function", "functions"));
    if (t->nfiles > 1)
        summary_head(s, summary_count(s, t->nfiles, "file", "files"));
    add_hot_verdict(s, k, rows, n, ascii);
    add_hot_functions(s, k, rows, n, ascii);
    add_unknown_names(s, k, rows, n);
    add_sample_limits(s, p);
    free(rows);
}
