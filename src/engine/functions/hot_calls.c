#include "engine/functions/hot_calls.h"

#include <stdlib.h>

#include "base/arena.h"

void hot_node_totals(const struct hot_stacks *p, uint64_t *out)
{
    for (size_t i = 0; i < p->nnodes; i++)
        out[i] = p->nodes[i].self;
    for (size_t i = p->nnodes; i-- > 0;)
        if (p->nodes[i].parent >= 0)
            out[p->nodes[i].parent] += out[i];
}

static int compare_hot_shares(const void *a, const void *b)
{
    const struct hot_share *p = a, *q = b;
    if (p->samples != q->samples)
        return p->samples > q->samples ? -1 : 1;
    return p->symbol < q->symbol ? -1 : p->symbol > q->symbol;
}

/* Rows of sum[0..n] that have samples, sorted; the last one stands for no caller. */
static size_t collect_shares(const uint64_t *sum, size_t n, struct hot_share *out)
{
    size_t rows = 0;
    for (size_t i = 0; i <= n; i++)
        if (sum[i])
            out[rows++] = (struct hot_share){.symbol = i == n ? HOT_NO_CALLER : (uint32_t)i,
                                             .samples = sum[i]};
    if (rows)
        qsort(out, rows, sizeof *out, compare_hot_shares);
    return rows;
}

size_t hot_callers(const struct hot_stacks *p, const uint64_t *node_total, uint32_t symbol,
                   struct hot_share *out)
{
    uint64_t *sum = xcalloc(p->nsymbols + 1, sizeof *sum);
    /* Whether the function is in the node's stack; a caller stands before whom it calls. */
    bool *inside = xcalloc(p->nnodes + 1, sizeof *inside);
    for (size_t i = 0; i < p->nnodes; i++) {
        const struct hot_node *f = &p->nodes[i];
        const bool above = f->parent >= 0 && inside[f->parent];
        inside[i] = above || f->symbol == symbol;
        if (f->symbol == symbol && !above)
            sum[f->parent < 0 ? p->nsymbols : p->nodes[f->parent].symbol] += node_total[i];
    }
    size_t n = collect_shares(sum, p->nsymbols, out);
    free(inside);
    free(sum);
    return n;
}

size_t hot_callees(const struct hot_stacks *p, uint32_t symbol, struct hot_share *out)
{
    uint64_t *sum = xcalloc(p->nsymbols + 1, sizeof *sum);
    uint64_t *below = xcalloc(p->nnodes, sizeof *below); /* without what lies below another one */
    for (size_t i = p->nnodes; i-- > 0;) {
        const struct hot_node *f = &p->nodes[i];
        below[i] += f->self;
        if (f->parent < 0 || f->symbol == symbol)
            continue;
        if (p->nodes[f->parent].symbol == symbol)
            sum[f->symbol] += below[i];
        below[f->parent] += below[i];
    }
    size_t n = collect_shares(sum, p->nsymbols, out);
    free(below);
    free(sum);
    return n;
}
