#include "backends/nsys/nsys_impl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"

void nsys_spans_add(struct span_list *s, const struct nsys_span *span)
{
    LIST_ADD(s->list, s->n, s->cap, *span);
}

void nsys_spans_free(struct span_list *s)
{
    free(s->list);
    *s = (struct span_list){0};
}

static bool is_span_before(const struct nsys_span *a, const struct nsys_span *b)
{
    return a->start != b->start ? a->start < b->start : a->end > b->end;
}

/* The end of the sorted run that begins at i. */
static size_t find_run_end(const struct nsys_span *a, size_t i, size_t n)
{
    while (++i < n && !is_span_before(&a[i], &a[i - 1]))
        ;
    return i;
}

static void merge_span_runs(struct nsys_span *out, const struct nsys_span *a, size_t i,
                            size_t middle, size_t end)
{
    size_t j = middle;
    while (i < middle && j < end)
        *out++ = is_span_before(&a[j], &a[i]) ? a[j++] : a[i++];
    memcpy(out, a + i, (middle - i) * sizeof *a);
    memcpy(out + (middle - i), a + j, (end - j) * sizeof *a);
}

/* Merges the sorted runs: an export's tables are nearly in order. */
static void sort_nsys_spans(struct nsys_span *a, struct nsys_span *spare, size_t n)
{
    struct nsys_span *from = a, *to = spare;
    for (size_t runs = 2; runs > 1;) {
        runs = 0;
        for (size_t i = 0; i < n; runs++) {
            size_t middle = find_run_end(from, i, n);
            if (i == 0 && middle == n)
                break; /* everything is in order */
            size_t end = middle < n ? find_run_end(from, middle, n) : n;
            merge_span_runs(to + i, from, i, middle, end);
            i = end;
        }
        if (runs > 0) {
            struct nsys_span *swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != a && n)
        memcpy(a, from, n * sizeof *a);
}

/* Separates the threads first: rows of several threads alternate, but each thread is nearly in
 * order. */
void nsys_spans_sort(struct span_list *s, const uint32_t *order, uint32_t nthreads)
{
    if (s->n == 0)
        return;
    size_t *at = xcalloc(nthreads + 1u, sizeof *at);
    struct nsys_span *sorted = xcalloc(s->n + 1, sizeof *sorted);
    for (size_t i = 0; i < s->n; i++)
        at[order[s->list[i].thread] + 1]++;
    for (uint32_t t = 0; t < nthreads; t++)
        at[t + 1] += at[t];
    for (size_t i = 0; i < s->n; i++)
        sorted[at[order[s->list[i].thread]]++] = s->list[i];
    /* at[t] is now the end of the t-th thread */
    for (uint32_t t = 0; t < nthreads; t++) {
        size_t first = t ? at[t - 1] : 0;
        sort_nsys_spans(sorted + first, s->list + first, at[t] - first);
    }
    free(s->list);
    s->list = sorted;
    s->cap = s->n + 1;
    free(at);
}
