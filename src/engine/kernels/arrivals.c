#include "engine/kernels/arrivals.h"

#include <stdlib.h>

#include "base/arena.h"
#include "engine/trace/collective.h"

struct matching {
    struct arrivals *out;
    const struct trace *t;
    const struct graph *g;
};

/* Whether the clocks of the rows' files agree, and how closely; false if this is unknown. */
static bool clocks_agree(const struct trace *t, const struct arrival *list, uint32_t n,
                         uint64_t *uncertainty)
{
    *uncertainty = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct trace_file *f = trace_file_of(t, list[i].node);
        if (!f || f->how == TRACE_FIRST)
            continue;
        if (f->how == TRACE_BEGINS || f->uncertainty_ns == GRAPH_UNKNOWN)
            return false;
        *uncertainty = f->uncertainty_ns > *uncertainty ? f->uncertainty_ns : *uncertainty;
    }
    return true;
}

static int by_kernel_name(const void *x, const void *y, void *ctx)
{
    const struct graph *g = ctx;
    const struct arrival *a = x, *b = y;
    if (g->name[a->node] != g->name[b->node])
        return g->name[a->node] < g->name[b->node] ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (g->start[a->node] != g->start[b->node])
        return g->start[a->node] < g->start[b->node] ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* The number of ranks in the group, from the trace, or TRACE_UNKNOWN. */
static uint32_t ranks_of(const struct trace *t, uint32_t node)
{
    const struct trace_collective *c = trace_collective_of(t, node);
    return c ? c->ranks : TRACE_UNKNOWN;
}

static bool have_ranks_one_group(const struct matching *m, const struct arrival *list, uint32_t n,
                                 uint32_t each)
{
    for (uint32_t d = 0; d < n; d++) {
        uint32_t ranks = ranks_of(m->t, list[d * each].node);
        if (ranks != TRACE_UNKNOWN && ranks != n)
            return false;
    }
    return true;
}

/* Judges one collective of n devices, whose calls are every each-th entry of the list. false if the
 * calls do not belong together. */
static bool judge_collective(struct matching *m, const struct arrival *list, uint32_t n,
                             uint32_t each)
{
    const struct graph *g = m->g;
    uint64_t last = 0, second = 0, end = UINT64_MAX;
    uint32_t who = 0;
    for (uint32_t d = 0; d < n; d++) {
        uint32_t v = list[d * each].node;
        uint64_t start = g->start[v];
        end = start + g->duration[v] < end ? start + g->duration[v] : end;
        if (d == 0 || start > last) {
            second = last;
            last = start;
            who = list[d * each].row;
        } else if (start > second) {
            second = start;
        }
    }
    if (last > end && last - end > m->out->uncertainty_ns)
        return false;
    m->out->together++;
    if (last - second <= m->out->uncertainty_ns) {
        m->out->undecided++;
        return true;
    }
    m->out->of[who].times++;
    for (uint32_t d = 0; d < n; d++) {
        uint64_t wait = last - g->start[list[d * each].node];
        m->out->of[list[d * each].row].waited += wait;
        m->out->of[who].caused += wait;
        m->out->waited += wait;
    }
    return true;
}

/* Matches the n calls of one name; each device has `each` of them. */
static void match_arrivals(struct matching *m, const struct arrival *list, uint32_t n,
                           uint32_t each)
{
    uint32_t devices = n / each;
    for (uint32_t k = 0; k < each; k++)
        if (!have_ranks_one_group(m, list + k, devices, each) ||
            !judge_collective(m, list + k, devices, each))
            m->out->unmatched += devices;
}

/* How many calls each device has; 0 if the counts differ, or there is only one device. */
static uint32_t as_many(const struct arrival *list, uint32_t n)
{
    uint32_t each = 0, run = 0;
    for (uint32_t i = 0; i < n; i++) {
        run++;
        if (i + 1 < n && list[i + 1].row == list[i].row)
            continue;
        if (each && run != each)
            return 0;
        each = run;
        run = 0;
    }
    return each < n ? each : 0;
}

static void find_latest(struct arrivals *a, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        const struct arrival_row *r = &a->of[i],
                                 *best = a->latest == TRACE_UNKNOWN ? NULL : &a->of[a->latest];
        if (r->times && (!best || r->times > best->times ||
                         (r->times == best->times && r->caused > best->caused)))
            a->latest = i;
    }
}

static bool any_waits(const struct graph *g, const struct arrival *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (collective_waits_for_all(collective_of(graph_name(g, list[i].node))))
            return true;
    return false;
}

static bool several_rows(const struct arrival *list, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (list[i].row != list[0].row)
            return true;
    return false;
}

void arrivals_find(struct arrivals *out, const struct trace *t, struct arrival *list, uint32_t n,
                   uint32_t rows)
{
    struct matching m = {.out = out, .t = t, .g = t->calls};
    *out = (struct arrivals){.latest = TRACE_UNKNOWN,
                             .of = xcalloc(rows + (size_t)1, sizeof *out->of)};
    if (!several_rows(list, n))
        out->why_not = n ? "only one device communicates" : "nothing communicates";
    else if (!any_waits(t->calls, list, n))
        out->why_not = "none of these waits for all: sends between two, broadcasts, gathers";
    else if (!clocks_agree(t, list, n, &out->uncertainty_ns))
        out->why_not = "how far the clocks of the files are apart is not known";
    if (out->why_not)
        return;
    qsort_r(list, n, sizeof *list, by_kernel_name, (void *)t->calls);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t name = m.g->name[list[i].node], each;
        for (end = i + 1; end < n && m.g->name[list[end].node] == name; end++)
            ;
        bool all = collective_waits_for_all(collective_of(graph_text(m.g, name)));
        if (all && (each = as_many(list + i, end - i)) > 0)
            match_arrivals(&m, list + i, end - i, each);
        else
            out->unmatched += end - i;
    }
    find_latest(out, rows);
    if (!out->together)
        out->why_not = "no collective of all of them is known to be the same on each: groups of "
                       "some of them, or parts that were not recorded";
}

void arrivals_free(struct arrivals *a)
{
    free(a->of);
    *a = (struct arrivals){.of = NULL};
}
