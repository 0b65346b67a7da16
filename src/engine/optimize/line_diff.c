#include "engine/optimize/optimize_impl.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
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

static bool are_lines_same(const struct line *a, const struct line *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

/* The part of both that differs: x lines from a, y from b. */
struct part {
    const struct line *a, *b;
    int x, y;
};

/* --- which lines stay --- */

static int follow_same_lines(const struct part *p, int x, int k)
{
    while (x < p->x && x - k < p->y && are_lines_same(&p->a[x], &p->b[x - k]))
        x++;
    return x;
}

/* Whether the path with d edits comes to the diagonal k by adding a line of b, not by leaving out
 * one of a; and where it then stands. past[k + d - 1]: how far d - 1 edits get on each diagonal. */
static bool comes_by_adding(const int *past, int k, int d, int *x)
{
    const int *at = past + d - 1;
    const bool adds = k == -d || (k != d && at[k - 1] < at[k + 1]);
    *x = adds ? at[k + 1] : at[k - 1] + 1;
    return adds;
}

/* Walks back from the end of both and marks common lines. */
static void walk_back(const struct part *p, int *const *reach, int d, bool *kept_a, bool *kept_b)
{
    int x = p->x, y = p->y;
    for (; d >= 0; d--) {
        int from = 0;
        const bool adds = d > 0 && comes_by_adding(reach[d - 1], x - y, d, &from);
        while (x > from) {
            kept_a[--x] = true;
            kept_b[--y] = true;
        }
        x -= d > 0 && !adds;
        y -= adds;
    }
}

/* Marks the common lines; none if there are too many edits. */
static void mark_kept_lines(const struct part *p, bool *kept_a, bool *kept_b)
{
    int *reach[EDITS_MOST + 1], d = 0;
    bool found = false;
    for (; d <= EDITS_MOST && !found; d++) {
        reach[d] = xcalloc(2 * (size_t)d + 1, sizeof *reach[d]);
        for (int k = -d; k <= d && !found; k += 2) {
            int x = 0;
            if (d > 0)
                comes_by_adding(reach[d - 1], k, d, &x);
            x = reach[d][k + d] = follow_same_lines(p, x, k);
            found = x >= p->x && x - k >= p->y;
        }
    }
    if (found)
        walk_back(p, reach, d - 1, kept_a, kept_b);
    while (d-- > 0)
        free(reach[d]);
}

/* --- written --- */

static void put_diff_line(FILE *out, char sign, const struct lines *lines, size_t i)
{
    if (!lines->list)
        return;
    const struct line *l = &lines->list[i];
    fputc(sign, out);            /* raw: one of our signs */
    fwrite(l->at, 1, l->n, out); /* raw: bytes as they are; see optimize_impl.h */
    if (l->n == 0 || l->at[l->n - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", out);
}

struct pair_of {
    struct lines a, b;
    bool *kept_a, *kept_b;
};

/* Advances both over common lines, at most `most`. Returns how many. */
static size_t over_kept(const struct pair_of *p, size_t *x, size_t *y, size_t most)
{
    size_t n = 0;
    while (n < most && *x < p->a.n && *y < p->b.n && p->kept_a[*x] && p->kept_b[*y]) {
        ++*x;
        ++*y;
        n++;
    }
    return n;
}

/* One past the hunk that begins at the change x, y, without the lines around it at the end. */
static void find_end(const struct pair_of *p, size_t *x, size_t *y)
{
    for (;;) {
        while (*x < p->a.n && !p->kept_a[*x])
            ++*x;
        while (*y < p->b.n && !p->kept_b[*y])
            ++*y;
        size_t nx = *x, ny = *y;
        over_kept(p, &nx, &ny, 2 * AROUND + 1);
        if (nx - *x > 2 * AROUND || (nx == p->a.n && ny == p->b.n))
            return;
        *x = nx;
        *y = ny;
    }
}

static void write_hunk(FILE *out, const struct pair_of *p, size_t x, size_t y, size_t end_x,
                       size_t end_y)
{
    const size_t nx = end_x - x, ny = end_y - y;
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", nx ? x + 1 : x, nx, ny ? y + 1 : y, ny);
    while (x < end_x || y < end_y) {
        if (x < end_x && !p->kept_a[x]) {
            put_diff_line(out, '-', &p->a, x++);
        } else if (y < end_y && !p->kept_b[y]) {
            put_diff_line(out, '+', &p->b, y++);
        } else {
            put_diff_line(out, ' ', &p->a, x++);
            y++;
        }
    }
}

static void write_all_hunks(FILE *out, const char *name, const struct pair_of *p)
{
    size_t x = 0, y = 0;
    fprintf(out, "--- a/%s\n+++ b/%s\n", name, name); /* raw: see optimize_impl.h */
    for (;;) {
        over_kept(p, &x, &y, SIZE_MAX);
        if (x == p->a.n && y == p->b.n)
            return;
        const size_t before = x < AROUND ? x : AROUND;
        size_t end_x = x, end_y = y;
        find_end(p, &end_x, &end_y);
        size_t next_x = end_x, next_y = end_y;
        over_kept(p, &next_x, &next_y, AROUND);
        write_hunk(out, p, x - before, y - before, next_x, next_y);
        x = next_x;
        y = next_y;
    }
}

void line_diff_write(FILE *out, const char *name, const char *before, size_t n_before,
                     const char *after, size_t n_after)
{
    struct pair_of p = {.a = {.n = 0}};
    list_text_lines(&p.a, before, n_before);
    list_text_lines(&p.b, after, n_after);
    p.kept_a = xcalloc(p.a.n + 1, sizeof(bool));
    p.kept_b = xcalloc(p.b.n + 1, sizeof(bool));
    size_t first = 0, a = p.a.n, b = p.b.n;
    while (first < a && first < b && are_lines_same(&p.a.list[first], &p.b.list[first])) {
        p.kept_a[first] = p.kept_b[first] = true;
        first++;
    }
    while (a > first && b > first && are_lines_same(&p.a.list[a - 1], &p.b.list[b - 1]))
        p.kept_a[--a] = p.kept_b[--b] = true;
    if (a > first || b > first) {
        const struct part part = {.a = p.a.list ? p.a.list + first : NULL,
                                  .b = p.b.list ? p.b.list + first : NULL,
                                  .x = (int)(a - first),
                                  .y = (int)(b - first)};
        mark_kept_lines(&part, p.kept_a + first, p.kept_b + first);
        write_all_hunks(out, name, &p);
    }
    free(p.a.list);
    free(p.b.list);
    free(p.kept_a);
    free(p.kept_b);
}
