/* Compares a run with the golden trace of its program. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/shell_word.h"
#include "engine/budgets/budgets_impl.h"
#include "engine/compare/compare.h"
#include "engine/golden/golden.h"
#include "engine/syscalls/calls.h"

bool budget_needs_golden(const struct budget *b)
{
    return b->kind->measure == budget_time_regression || b->kind->measure == budget_call_regression;
}

static bool has_golden(const struct budget_run *run, struct budget_verdict *out)
{
    if (run->golden)
        return true;
    out->state = BUDGET_NO_GOLDEN;
    char *name = shell_path(run->program);
    print_line(out->why, sizeof out->why,
               "no golden trace to compare with: rooftop check golden capture %s", name);
    free(name);
    return false;
}

static void set_regression_unknown(struct budget_verdict *out, const char *why)
{
    out->state = BUDGET_UNKNOWN;
    snprintf(out->why, sizeof out->why, "%s", why);
}

/* --- time --- */

static void add_wall(struct runs *side, double seconds)
{
    struct run *r = runs_add(side);
    r->others = NAN; /* the load by other programs was not measured */
    run_add(r, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS, seconds);
}

static void tell_times(const struct compare_row *row, struct budget_verdict *out)
{
    const double mean = row->a.mean;
    char sure[96] = "no interval", now[VALUE_TEXT_MAX], golden[VALUE_TEXT_MAX];
    if (row->d.low <= row->d.high)
        snprintf(sure, sizeof sure, "%+.1f to %+.1f %% with 95 %% confidence%s",
                 100 * row->d.low / mean, 100 * row->d.high / mean,
                 row->basis == COMPARE_BY_ASSUMED ? " (spread of runs assumed: --repeat)" : "");
    snprintf(out->where, sizeof out->where,
             "%s in %zu runs, %s in %zu runs of the golden trace: %s",
             value_time(row->b.mean * 1e9, true, now), row->runs[1],
             value_time(mean * 1e9, true, golden), row->runs[0], sure);
}

void budget_time_regression(const struct budget *b, const struct budget_run *run,
                            struct budget_verdict *out)
{
    struct runs golden = {0}, now = {0};
    if (!has_golden(run, out))
        return;
    for (size_t i = 0; i < run->golden->nwall; i++)
        if (run->golden->wall_ms[i] > 0)
            add_wall(&golden, run->golden->wall_ms[i] / 1e3);
    for (size_t i = 0; i < run->nwalls; i++)
        add_wall(&now, (double)run->walls_ns[i] / 1e9);
    const struct run_facts *f = run->facts;
    if (run->nwalls == 0 && (run->wall_ns || f->has_times))
        add_wall(&now, (double)(run->wall_ns ? run->wall_ns : f->end_ns - f->begin_ns) / 1e9);
    if (golden.n == 0 || now.n == 0)
        set_regression_unknown(out, golden.n ? "the trace has no wall time"
                                             : "the golden trace has no wall time");
    else {
        struct comparison *c = compare_runs(&golden, &now);
        const struct compare_row *row = compare_find(c, "elapsed");
        out->measured = row->change;
        out->unsure = row->change > b->most && row->verdict != COMPARE_MORE;
        tell_times(row, out);
        comparison_free(c);
    }
    runs_free(&golden);
    runs_free(&now);
}

/* --- calls --- */

static uint64_t calls_now(const struct run_facts *f, const char *name)
{
    uint64_t n = 0;
    for (size_t i = 0; i < f->sums.n; i++)
        if (strcmp(syscall_name(f->sums.list[i].abi, f->sums.list[i].number), name) == 0)
            n += f->sums.list[i].calls;
    return n;
}

static uint64_t calls_then(const struct golden *g, const char *name)
{
    uint64_t n = 0;
    for (size_t i = 0; i < g->ncounts; i++)
        if (strcmp(g->counts[i].name, name) == 0)
            n += g->counts[i].calls;
    return n;
}

/* Names the call whose time grew most. */
static void tell_growth(const struct budget_run *run, struct budget_verdict *out)
{
    const struct run_facts *f = run->facts;
    uint64_t most = 0;
    for (size_t i = 0; i < f->sums.n; i++) {
        const char *name = syscall_name(f->sums.list[i].abi, f->sums.list[i].number);
        const uint64_t now = calls_now(f, name), then = calls_then(run->golden, name);
        if (now <= then || now - then <= most)
            continue;
        most = now - then;
        print_line(out->where, sizeof out->where, "%s: %llu calls, %llu in the golden trace", name,
                   (unsigned long long)now, (unsigned long long)then);
    }
}

void budget_call_regression(const struct budget *b, const struct budget_run *run,
                            struct budget_verdict *out)
{
    (void)b;
    if (!has_golden(run, out))
        return;
    if (run->golden->calls == 0) {
        set_regression_unknown(out, "the golden trace does not say how many calls there were");
        return;
    }
    const double then = (double)run->golden->calls;
    out->measured = 100 * ((double)run->facts->calls - then) / then;
    tell_growth(run, out);
}
