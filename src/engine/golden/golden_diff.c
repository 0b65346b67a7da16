#include "engine/golden/golden_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "engine/golden/golden_impl.h"

/* Two lists of lines without their common beginning and end. */
struct pair {
    char *const *a, *const *b;
    long na, nb;
    size_t skipped; /* lines of the common beginning */
};

const struct golden_section *golden_section_find(const struct golden *g, const char *title)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->sections[i].title, title) == 0)
            return &g->sections[i];
    return NULL;
}

static struct pair trim_equal_ends(const struct golden_section *a, const struct golden_section *b)
{
    struct pair p = {.a = a ? a->lines : NULL,
                     .b = b ? b->lines : NULL,
                     .na = a ? (long)a->n : 0,
                     .nb = b ? (long)b->n : 0};
    while (p.na && p.nb && strcmp(p.a[0], p.b[0]) == 0) {
        p.a++;
        p.b++;
        p.na--;
        p.nb--;
        p.skipped++;
    }
    while (p.na && p.nb && strcmp(p.a[p.na - 1], p.b[p.nb - 1]) == 0) {
        p.na--;
        p.nb--;
    }
    return p;
}

static void hunk_add(struct golden_diff *d, const char *title, const struct pair *p, long a,
                     long a_end, long b, long b_end)
{
    struct golden_hunk *last = d->n ? &d->list[d->n - 1] : NULL;
    size_t from_a = p->skipped + (size_t)a, from_b = p->skipped + (size_t)b;
    if (last && last->title == title && last->stored_from + last->stored_n == from_a &&
        last->run_from + last->run_n == from_b) {
        last->stored_n += (size_t)(a_end - a);
        last->run_n += (size_t)(b_end - b);
        return;
    }
    LIST_ROOM(d->list, d->n, d->cap);
    d->list[d->n++] = (struct golden_hunk){.title = title,
                                           .stored_from = from_a,
                                           .stored_n = (size_t)(a_end - a),
                                           .run_from = from_b,
                                           .run_n = (size_t)(b_end - b)};
}

/*
 * Finds the furthest point on each diagonal for 0, 1, 2 ... edits. steps[d] keeps the points before
 * step d, 2d + 1 of them from diagonal -d on. Returns the number of edits; -1: more than the limit.
 */
static long search_fewest_edits(const struct pair *p, long **steps)
{
    long *best = xcalloc(2 * GOLDEN_EDITS + 3, sizeof *best);
    long *at = best + GOLDEN_EDITS + 1;
    for (long d = 0; d <= GOLDEN_EDITS; d++) {
        steps[d] = xcalloc((size_t)(2 * d + 1), sizeof **steps);
        memcpy(steps[d], at - d, (size_t)(2 * d + 1) * sizeof **steps);
        for (long k = -d; k <= d; k += 2) {
            long x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1] : at[k - 1] + 1;
            while (x < p->na && x - k < p->nb && x >= 0 && x - k >= 0 &&
                   strcmp(p->a[x], p->b[x - k]) == 0)
                x++;
            at[k] = x;
            if (x >= p->na && x - k >= p->nb) {
                free(best);
                return d;
            }
        }
    }
    free(best);
    return -1;
}

struct edit {
    long a, a_end, b, b_end;
};

/* Walks back from the end; edits come last first. */
static size_t trace_back(const struct pair *p, long *const *steps, long edits, struct edit *out)
{
    size_t n = 0;
    long x = p->na, y = p->nb;
    for (long d = edits; d > 0; d--) {
        const long *before = steps[d] + d; /* by diagonal */
        long k = x - y;
        bool down = k == -d || (k != d && before[k - 1] < before[k + 1]);
        long from_k = down ? k + 1 : k - 1, from_x = before[from_k], from_y = from_x - from_k;
        out[n++] = down ? (struct edit){from_x, from_x, from_y, from_y + 1}
                        : (struct edit){from_x, from_x + 1, from_y, from_y};
        x = from_x;
        y = from_y;
    }
    return n;
}

static void compare_sections(struct golden_diff *d, const char *title,
                             const struct golden_section *a, const struct golden_section *b)
{
    struct pair p = trim_equal_ends(a, b);
    if (!p.na && !p.nb)
        return;
    if (!p.na || !p.nb) {
        hunk_add(d, title, &p, 0, p.na, 0, p.nb);
        return;
    }
    long **steps = xcalloc(GOLDEN_EDITS + 1, sizeof *steps);
    long edits = search_fewest_edits(&p, steps);
    if (edits < 0) {
        hunk_add(d, title, &p, 0, p.na, 0, p.nb);
    } else {
        struct edit *list = xcalloc((size_t)edits + 1, sizeof *list);
        for (size_t i = trace_back(&p, steps, edits, list); i > 0; i--)
            hunk_add(d, title, &p, list[i - 1].a, list[i - 1].a_end, list[i - 1].b,
                     list[i - 1].b_end);
        free(list);
    }
    for (long i = 0; i <= GOLDEN_EDITS; i++)
        free(steps[i]);
    free(steps);
}

void golden_compare(const struct golden *stored, const struct golden *run, struct golden_diff *out)
{
    *out = (struct golden_diff){0};
    bool order = stored->level == GOLDEN_ORDER && run->level == GOLDEN_ORDER;
    for (size_t i = 0; i < stored->n; i++) {
        const struct golden_section *s = &stored->sections[i];
        if (order || strcmp(s->title, "effects") == 0)
            compare_sections(out, s->title, s, golden_section_find(run, s->title));
    }
    for (size_t i = 0; order && i < run->n; i++)
        if (!golden_section_find(stored, run->sections[i].title))
            compare_sections(out, run->sections[i].title, NULL, &run->sections[i]);
}

void golden_diff_free(struct golden_diff *d)
{
    free(d->list);
    *d = (struct golden_diff){0};
}

void golden_accept(struct golden *stored, const struct golden *run, const struct golden_diff *d,
                   size_t i)
{
    const struct golden_hunk *h = &d->list[i];
    const struct golden_section *from = golden_section_find(run, h->title);
    struct golden_section *to = (struct golden_section *)golden_section_find(stored, h->title);
    if (!to)
        to = golden_section_new(stored, h->title);
    for (size_t k = 0; k < h->stored_n; k++)
        free(to->lines[h->stored_from + k]);
    size_t n = to->n - h->stored_n + h->run_n;
    char **lines = xcalloc(n + 1, sizeof *lines);
    if (h->stored_from)
        memcpy(lines, to->lines, h->stored_from * sizeof *lines);
    for (size_t k = 0; k < h->run_n; k++)
        lines[h->stored_from + k] = xstrdup(from->lines[h->run_from + k]);
    if (to->n > h->stored_from + h->stored_n)
        memcpy(lines + h->stored_from + h->run_n, to->lines + h->stored_from + h->stored_n,
               (to->n - h->stored_from - h->stored_n) * sizeof *lines);
    free(to->lines);
    to->lines = lines;
    to->n = n;
    to->cap = n + 1;
}
