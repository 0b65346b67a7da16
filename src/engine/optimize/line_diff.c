#include "engine/optimize/optimize_impl.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/edits.h"
#include "base/list.h"

enum { AROUND = 3, EDITS_MOST = 800 };

struct line {
    const char *at;
    size_t n; /* with its end, if it has one */
};

struct lines {
    struct line *list;
    size_t n, cap;
};

static void list_text_lines(struct lines *l, const char *text, size_t n)
{
    for (const char *at = text, *end = text + n; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = stop ? (size_t)(stop - at) + 1 : (size_t)(end - at);
        LIST_ROOM(l->list, l->n, l->cap);
        l->list[l->n++] = (struct line){at, length};
        at += length;
    }
}

struct two_texts {
    struct lines a, b;
};

static bool are_lines_same(const void *texts, size_t a, size_t b)
{
    const struct two_texts *t = texts;
    const struct line *x = &t->a.list[a], *y = &t->b.list[b];
    return x->n == y->n && memcmp(x->at, y->at, x->n) == 0;
}

static void put_diff_lines(FILE *out, char sign, const struct lines *lines, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct line *l = &lines->list[i];
        fputc(sign, out);            /* raw: one of our signs */
        fwrite(l->at, 1, l->n, out); /* raw: bytes as they are; see optimize_impl.h */
        if (l->at[l->n - 1] != '\n')
            fputs("\n\\ No newline at end of file\n", out);
    }
}

/* Writes n edits as one hunk. */
static void write_hunk(FILE *out, const struct two_texts *t, const struct edit *e, size_t n)
{
    const struct edit *last = &e[n - 1];
    const size_t before = e->a < AROUND ? e->a : AROUND;
    const size_t rest = t->a.n - (last->a + last->na), after = rest < AROUND ? rest : AROUND;
    size_t x = e->a - before, y = e->b - before;
    const size_t nx = last->a + last->na + after - x, ny = last->b + last->nb + after - y;
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", nx ? x + 1 : x, nx, ny ? y + 1 : y, ny);
    for (; n > 0; n--, e++) {
        put_diff_lines(out, ' ', &t->a, x, e->a);
        put_diff_lines(out, '-', &t->a, e->a, e->a + e->na);
        put_diff_lines(out, '+', &t->b, e->b, e->b + e->nb);
        x = e->a + e->na;
    }
    put_diff_lines(out, ' ', &t->a, x, x + after);
}

/* How many of n edits, from the first on, go into one hunk: their lines around each other meet. */
static size_t count_edits_of_hunk(const struct edit *e, size_t n)
{
    size_t i = 1;
    while (i < n && e[i].a - (e[i - 1].a + e[i - 1].na) <= 2 * AROUND)
        i++;
    return i;
}

void line_diff_write(FILE *out, const char *name, const char *before, size_t n_before,
                     const char *after, size_t n_after)
{
    struct two_texts t = {.a = {.n = 0}};
    struct edits edits;
    list_text_lines(&t.a, before, n_before);
    list_text_lines(&t.b, after, n_after);
    edits_find(t.a.n, t.b.n, EDITS_MOST, are_lines_same, &t, &edits);
    if (edits.n > 0)
        fprintf(out, "--- a/%s\n+++ b/%s\n", name, name); /* raw: see optimize_impl.h */
    for (size_t i = 0, n = 0; i < edits.n; i += n) {
        n = count_edits_of_hunk(edits.list + i, edits.n - i);
        write_hunk(out, &t, edits.list + i, n);
    }
    edits_free(&edits);
    free(t.a.list);
    free(t.b.list);
}
