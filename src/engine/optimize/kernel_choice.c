#include "engine/optimize/kernel_choice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

const struct kernel_threshold_row kernel_thresholds[KERNEL_THRESHOLDS] = {
#define THRESHOLD(id, name, least, text, source) {name, least, text, source},
#include "engine/optimize/kernel_thresholds.def"
#undef THRESHOLD
};

/* The fraction of its roof that a kernel reaches; NaN: it has no counters for that. */
static double roof_share(const struct facts *f)
{
    const double ridge = f->v[FACT_RIDGE];
    if (isnan(ridge))
        return NAN;
    return ridge < 1 ? f->v[FACT_BYTES] : f->v[FACT_FLOPS];
}

static struct kernel_choice choice_of(const struct kernel_row *r)
{
    struct kernel_choice c = {.row = r, .lacks = KERNEL_THRESHOLDS};
    const double share = roof_share(&r->facts);
    c.value[THRESHOLD_PATH] = r->criticality;
    c.value[THRESHOLD_HEADROOM] = share > 1 ? 0 : 1 - share;
    c.value[THRESHOLD_PRIORITY] = c.value[THRESHOLD_HEADROOM] * r->criticality;
    for (int t = KERNEL_THRESHOLDS - 1; t >= 0; t--)
        if (!(c.value[t] >= kernel_thresholds[t].least))
            c.lacks = (enum kernel_threshold)t;
    return c;
}

static double or_zero(double v)
{
    return isnan(v) ? 0 : v;
}

static int by_worth(const void *pa, const void *pb)
{
    const struct kernel_choice *a = pa, *b = pb;
    const bool good_a = a->lacks == KERNEL_THRESHOLDS, good_b = b->lacks == KERNEL_THRESHOLDS;
    const enum kernel_threshold by = good_a ? THRESHOLD_PRIORITY : THRESHOLD_PATH;
    if (good_a != good_b)
        return good_a ? -1 : 1;
    const double va = or_zero(a->value[by]), vb = or_zero(b->value[by]);
    if (va != vb)
        return va > vb ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

struct kernel_choice *kernel_choices(const struct kernel_table *table, size_t *n)
{
    struct kernel_choice *list = NULL;
    *n = 0;
    if (table->n)
        list = xcalloc(table->n, sizeof *list);
    for (uint32_t i = 0; i < table->n; i++)
        if (table->rows[i].kind == NODE_KERNEL && !table->rows[i].collective)
            list[(*n)++] = choice_of(&table->rows[i]);
    if (*n > 1)
        qsort(list, *n, sizeof *list, by_worth);
    return list;
}

void kernel_choice_profile(const struct kernel_choice *c, struct proposal_profile *out)
{
    const struct bottleneck *label = &c->row->label;
    char term[160];
    size_t n = 0;
    *out = (struct proposal_profile){.path_share = c->value[THRESHOLD_PATH],
                                     .roof_share = 1 - c->value[THRESHOLD_HEADROOM]};
    snprintf(out->kernel, sizeof out->kernel, "%s", c->row->name);
    snprintf(out->bottleneck, sizeof out->bottleneck, "%s",
             label->label == LABEL_NONE ? "" : bottleneck_id(label->label));
    for (int i = 0; label->rule && i < label->rule->nterms && n < sizeof out->evidence; i++)
        n += (size_t)snprintf(
            out->evidence + n, sizeof out->evidence - n, "%s%s", i ? "; " : "",
            bottleneck_term_text(&label->rule->terms[i], &c->row->facts, true, term, sizeof term));
}
