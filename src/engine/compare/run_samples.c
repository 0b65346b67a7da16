#include "engine/compare/run_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/functions/functions.h"

struct named_share {
    const char *name;
    uint64_t self;
};

static int by_function_name(const void *a, const void *b)
{
    return strcmp(((const struct named_share *)a)->name, ((const struct named_share *)b)->name);
}

static int by_self_samples(const void *a, const void *b)
{
    const struct named_share *x = a, *y = b;
    if (x->self != y->self)
        return x->self < y->self ? 1 : -1;
    return by_function_name(a, b);
}

/* The functions, each name once, the largest first. Returns their number. */
static size_t list_named_shares(const struct hot_stacks *p, struct named_share **out)
{
    struct function_row *rows;
    size_t n = functions_list(p, &rows), kept = 0;
    struct named_share *all = xcalloc(n + 1, sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct named_share){p->symbols[rows[i].symbol].name, rows[i].self};
    free(rows);
    qsort(all, n, sizeof *all, by_function_name);
    for (size_t i = 0; i < n; i++) {
        if (kept > 0 && strcmp(all[kept - 1].name, all[i].name) == 0)
            all[kept - 1].self += all[i].self;
        else
            all[kept++] = all[i];
    }
    qsort(all, kept, sizeof *all, by_self_samples);
    *out = all;
    return kept;
}

/* Each sample either is in the function or is not: the spread of a share follows from their
 * number (the binomial distribution). */
static void add_function_share(struct run *out, const struct named_share *f, double of,
                               uint64_t samples, double effective)
{
    char *id = NULL;
    if (asprintf(&id, "f:%s", f->name) < 0)
        abort();
    const double share = (double)f->self / of;
    struct run_number *x = run_add(out, RUN_WORK, id, f->name, UNIT_PERCENT, 100 * share);
    x->within.n = (size_t)samples;
    x->within.sd = 100 * sqrt(share * (1 - share));
    x->within.effective = effective;
    free(id);
}

/* Samples of unequal weights say less than their number: as much as (sum of weights)^2 / (sum of
 * their squares) equal ones do (Kish's effective sample size). */
void run_of_samples(struct run *out, const struct hot_profile *p)
{
    struct named_share *all;
    const size_t n = list_named_shares(&p->stacks, &all);
    const bool counted = p->stacks.weight == HOT_SAMPLES && !p->unit_unknown;
    const uint64_t samples = counted ? p->stacks.samples : p->taken;
    const double all_events = (double)p->stacks.samples;
    double effective = (double)samples;
    if (p->stacks.weight == HOT_EVENTS && p->squares > 0)
        effective = all_events * all_events / p->squares;
    out->others = NAN;
    out->exact = false;
    for (size_t i = 0; i < n && i < RUN_FUNCTIONS_MOST && all[i].self > 0; i++)
        add_function_share(out, &all[i], all_events, samples, effective);
    free(all);
}
