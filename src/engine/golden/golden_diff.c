#include "engine/golden/golden_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/edits.h"
#include "base/list.h"
#include "engine/golden/golden_impl.h"

const struct golden_section *golden_section_find(const struct golden *g, const char *title)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->sections[i].title, title) == 0)
            return &g->sections[i];
    return NULL;
}

static bool is_line_same(const void *sections, size_t a, size_t b)
{
    const struct golden_section *const *of = sections;
    return strcmp(of[0]->lines[a], of[1]->lines[b]) == 0;
}

/* Adds what differs between a stored section and the run's. */
static void compare_sections(struct golden_diff *d, const char *title,
                             const struct golden_section *stored, const struct golden_section *run)
{
    const struct golden_section *of[2] = {stored, run};
    struct edits edits;
    edits_find(stored ? stored->n : 0, run ? run->n : 0, GOLDEN_EDITS, is_line_same, of, &edits);
    for (size_t i = 0; i < edits.n; i++) {
        const struct edit *e = &edits.list[i];
        LIST_ADD(d->list, d->n, d->cap,
                 (struct golden_hunk){.title = title,
                                      .stored_from = e->a,
                                      .stored_n = e->na,
                                      .run_from = e->b,
                                      .run_n = e->nb});
    }
    edits_free(&edits);
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
