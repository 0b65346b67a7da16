/* The short answer of a critical path: what it consists of, and what would shorten it most. */
#include <stdlib.h>

#include "base/order.h"
#include "engine/code/kernel_brief.h"
#include "engine/value/value.h"
#include "export/path/path_export.h"

static void say_parts(struct brief *b, const struct path_document *d)
{
    const struct path_mix *m = &d->shares->all;
    char length[VALUE_TEXT_MAX];
    int most = 0;
    for (int i = 1; i < PATH_PARTS; i++)
        if (m->ns[i] > m->ns[most])
            most = i;
    brief_verdict(b, "the path takes %s, %.1f %% of it %s",
                  value_time((double)d->path->length, d->ascii, length),
                  (double)m->share[most] / (PATH_WHOLE / 100.0),
                  path_part_label((enum path_part)most));
    for (int i = 0; i < PATH_PARTS; i++)
        if (i != most && m->ns[i])
            brief_evidence(b, "%s: %.1f %%", path_part_label((enum path_part)i),
                           (double)m->share[i] / (PATH_WHOLE / 100.0));
}

static int compare_gains(const void *a, const void *b)
{
    const struct what_if_best *x = a, *y = b;
    return x->gain != y->gain ? order_uint64(&y->gain, &x->gain) : order_uint32(&x->row, &y->row);
}

void path_brief(struct brief *b, const struct path_document *d)
{
    enum { NAME_CELLS = 60, NAME_BYTES = 512 };
    struct what_if_best best[WHAT_IF_BEST] = {{0}};
    say_parts(b, d);
    for (uint32_t i = 0; i < d->nbest; i++)
        best[i] = d->best[i];
    qsort(best, d->nbest, sizeof *best, compare_gains);
    for (uint32_t i = 0; i < d->nbest; i++) {
        const struct path_name *n = &d->shares->names[best[i].row];
        char name[NAME_BYTES], ns[VALUE_TEXT_MAX], gain[VALUE_TEXT_MAX];
        const char *whole = graph_text(d->trace->calls, n->name);
        brief_row(b,
                  n->kind == NODE_KERNEL
                      ? briefs_fit(d->trace->briefs, whole, NAME_CELLS, d->ascii, name, sizeof name)
                      : whole,
                  "%s on the path; twice as fast saves %s", value_time((double)n->ns, d->ascii, ns),
                  value_time((double)best[i].gain, d->ascii, gain));
    }
}
