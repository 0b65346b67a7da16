#include "base/edits.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/list.h"

/* What lies between the common beginning and the common end. */
struct middle {
    edits_same_fn *same;
    const void *sequences;
    size_t skipped; /* elements of the common beginning */
    size_t na, nb;
};

/*
 * How many elements of the first sequence a path with d edits gets past, for each d from 0 on and
 * each diagonal: those with a - b = -d, -d + 2 ... d, so d + 1 numbers.
 */
struct reach {
    uint32_t *list;
    size_t cap;
};

static uint32_t *diagonals_of(const struct reach *r, size_t d)
{
    return r->list + d * (d + 1) / 2;
}

static struct middle trim_common_ends(size_t na, size_t nb, edits_same_fn *same,
                                      const void *sequences)
{
    size_t first = 0;
    while (first < na && first < nb && same(sequences, first, first))
        first++;
    while (na > first && nb > first && same(sequences, na - 1, nb - 1)) {
        na--;
        nb--;
    }
    return (struct middle){same, sequences, first, na - first, nb - first};
}

/* Whether the furthest path with d edits to its diagonal i comes by adding an element of the
 * second sequence, not by removing one of the first. past: how far d - 1 edits get. */
static bool comes_by_adding(const uint32_t *past, size_t d, size_t i)
{
    return i == 0 || (i != d && past[i - 1] < past[i]);
}

/* Extends the paths by one edit each, and then over common elements. True if one is at the end. */
static bool extend_paths(const struct middle *m, struct reach *r, size_t d)
{
    LIST_FIT(r->list, (d + 1) * (d + 2) / 2, r->cap);
    uint32_t *now = diagonals_of(r, d);
    const uint32_t *past = d ? diagonals_of(r, d - 1) : NULL;
    for (size_t i = 0; i <= d; i++) {
        size_t a = 0;
        if (d > 0)
            a = comes_by_adding(past, d, i) ? past[i] : past[i - 1] + (size_t)1;
        size_t b = a + d - 2 * i;
        while (a < m->na && b < m->nb && m->same(m->sequences, m->skipped + a, m->skipped + b)) {
            a++;
            b++;
        }
        now[i] = (uint32_t)a;
        if (a >= m->na && b >= m->nb)
            return true;
    }
    return false;
}

static void add_edit(struct edits *e, struct edit next)
{
    struct edit *last = e->n ? &e->list[e->n - 1] : NULL;
    if (last && last->a + last->na == next.a && last->b + last->nb == next.b) {
        last->na += next.na;
        last->nb += next.nb;
        return;
    }
    LIST_ADD(e->list, e->n, e->cap, next);
}

/* Walks the path of d edits back from the end, and adds its steps from the beginning on. */
static void add_path(const struct middle *m, const struct reach *r, size_t d, struct edits *out)
{
    struct edit *steps = xcalloc(d + 1, sizeof *steps);
    size_t i = (d + m->na - m->nb) / 2;
    for (size_t left = d; left > 0; left--) {
        const uint32_t *past = diagonals_of(r, left - 1);
        const bool adds = comes_by_adding(past, left, i);
        if (!adds)
            i--;
        const size_t a = past[i], b = a + left - 1 - 2 * i;
        steps[left - 1] = (struct edit){m->skipped + a, !adds, m->skipped + b, adds};
    }
    for (size_t k = 0; k < d; k++)
        add_edit(out, steps[k]);
    free(steps);
}

void edits_find(size_t na, size_t nb, size_t most, edits_same_fn *same, const void *sequences,
                struct edits *out)
{
    *out = (struct edits){0};
    const struct middle m = trim_common_ends(na, nb, same, sequences);
    if (m.na == 0 && m.nb == 0)
        return;
    struct reach r = {0};
    bool found = false;
    size_t d = 0;
    if (m.na > 0 && m.nb > 0 && m.na < UINT32_MAX && m.nb < UINT32_MAX)
        for (; d <= most && !found; d++)
            found = extend_paths(&m, &r, d);
    if (found)
        add_path(&m, &r, d - 1, out);
    else
        add_edit(out, (struct edit){m.skipped, m.na, m.skipped, m.nb});
    free(r.list);
}

void edits_free(struct edits *e)
{
    free(e->list);
    *e = (struct edits){0};
}
