/* Sums over a moving window; compared with a slow sum, which writes out the window's intervals as
 * stacks, sorts and counts them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/functions/functions.h"
#include "engine/functions/hot_calls.h"
#include "engine/functions/hot_sum.h"
#include "support/hot_scene.h"
#include "support/test.h"

enum { MANY = 400000, SECOND = 1000000000 };

/* --- the slow way --- */

struct line {
    char *text;
    uint64_t n;
};
static struct line lines[MANY];
static size_t nlines;

static void note(char *text, uint64_t n)
{
    assert_true(nlines < MANY);
    lines[nlines++] = (struct line){text, n};
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct line *)a)->text, ((const struct line *)b)->text);
}

/* The stacks sorted, with equal ones added up, as one text. */
static char *fold(void)
{
    char *out = NULL;
    size_t len = 0, n = 0;
    FILE *f = open_memstream(&out, &len);
    qsort(lines, nlines, sizeof *lines, by_text);
    for (size_t i = 0; i < nlines; i++) {
        n += lines[i].n;
        if (i + 1 < nlines && strcmp(lines[i].text, lines[i + 1].text) == 0)
            continue;
        fprintf(f, "%s %zu\n", lines[i].text, n);
        n = 0;
    }
    for (size_t i = 0; i < nlines; i++)
        free(lines[i].text);
    nlines = 0;
    fclose(f);
    return out;
}

static void print_symbol(FILE *f, const struct hot_symbol *s)
{
    fprintf(f, "%s|%s|%s|%d", s->name, s->module, s->file, s->inlined);
}

static void print_stack(FILE *f, const struct hot_stacks *p, int32_t at)
{
    if (p->nodes[at].parent >= 0) {
        print_stack(f, p, p->nodes[at].parent);
        fputc(';', f);
    }
    print_symbol(f, &p->symbols[p->nodes[at].symbol]);
}

static void note_profile(const struct hot_stacks *p)
{
    for (size_t i = 0; i < p->nnodes + p->nplaces; i++) {
        const struct hot_place *q = i < p->nnodes ? NULL : &p->places[i - p->nnodes];
        uint64_t n = q ? q->samples : p->nodes[i].self;
        if (n == 0)
            continue;
        char *text = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&text, &len);
        if (q) {
            fprintf(f, "at %#llx %s:%d ", (unsigned long long)q->address, q->file, q->line);
            print_symbol(f, &p->symbols[q->symbol]);
        } else {
            print_stack(f, p, (int32_t)i);
        }
        fclose(f);
        note(text, n);
    }
}

/* --- random windows --- */

static void same_as_slowly(struct hot_sum *ps, struct hot_stacks *const *all, int newest,
                           int window)
{
    int first = window == 0 || window > newest + 1 ? 0 : newest + 1 - window;
    uint64_t samples = 0, lost = 0;
    for (int i = first; i <= newest; i++) {
        note_profile(all[i]);
        samples += all[i]->samples;
        lost += all[i]->lost;
    }
    char *want = fold();
    hot_sum_set_window(ps, window);
    const struct hot_stacks *v = hot_sum_view(ps);
    note_profile(v);
    char *got = fold();
    assert_string_equal(got, want);
    assert_int_equal(v->samples, samples);
    assert_int_equal(v->lost, lost);
    assert_true(v->seconds > newest + 1 - first - 0.001 && v->seconds < newest + 1.001 - first);
    free(want);
    free(got);
}

TEST(any_window_is_the_sum_of_its_intervals)
{
    enum { TICKS = 150 };
    static const int windows[] = {1, 5, 10, 60, 0};
    struct arena a = {0};
    struct hot_stacks *all[TICKS];
    struct hot_sum *ps = hot_sum_new(0);
    for (int t = 0; t < TICKS; t++) {
        all[t] = random_stacks(&a, (unsigned)t, 30, 60, 8);
        hot_sum_add(ps, all[t], (uint64_t)(t + 1) * SECOND);
        same_as_slowly(ps, all, t, windows[t * 7 % 5]);
        if (t % 10 == 9)
            for (int i = 0; i < 5; i++)
                same_as_slowly(ps, all, t, windows[i]);
    }
    hot_sum_free(ps);
    arena_free(&a);
}

static char *print_view(const struct hot_stacks *p)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    for (size_t i = 0; i < p->nsymbols; i++) {
        print_symbol(f, &p->symbols[i]);
        fputc('\n', f);
    }
    for (size_t i = 0; i < p->nnodes; i++)
        fprintf(f, "%d %u %" PRIu64 "\n", p->nodes[i].parent, p->nodes[i].symbol, p->nodes[i].self);
    for (size_t i = 0; i < p->nplaces; i++)
        fprintf(f, "%u %llx %s:%d %" PRIu64 "\n", p->places[i].symbol,
                (unsigned long long)p->places[i].address, p->places[i].file, p->places[i].line,
                p->places[i].samples);
    fclose(f);
    return text;
}

static void assert_same_view(struct hot_sum *x, struct hot_sum *y)
{
    char *p = print_view(hot_sum_view(x)), *q = print_view(hot_sum_view(y));
    assert_string_equal(p, q);
    free(p);
    free(q);
}

TEST(the_view_does_not_tell_what_came_before)
{
    struct arena a = {0};
    struct hot_sum *old = hot_sum_new(0), *fresh = hot_sum_new(0);
    hot_sum_set_window(old, 10);
    hot_sum_set_window(fresh, 10);
    for (int t = 0; t < 100; t++) {
        struct hot_stacks *p = random_stacks(&a, (unsigned)t, 40, 50, 6);
        hot_sum_add(old, p, (uint64_t)(t + 1) * SECOND);
        if (t >= 90)
            hot_sum_add(fresh, p, (uint64_t)(t + 1) * SECOND);
    }
    assert_same_view(old, fresh);
    hot_sum_free(old);
    hot_sum_free(fresh);
    arena_free(&a);
}

TEST(parents_come_first_and_siblings_by_name)
{
    struct arena a = {0};
    struct hot_sum *ps = hot_sum_new(0);
    for (int t = 0; t < 5; t++)
        hot_sum_add(ps, random_stacks(&a, (unsigned)t, 25, 40, 6), (uint64_t)(t + 1) * SECOND);
    const struct hot_stacks *v = hot_sum_view(ps);
    int32_t last[8192];
    for (size_t i = 0; i < v->nnodes; i++)
        last[i] = -1;
    int32_t last_root = -1;
    for (size_t i = 0; i < v->nnodes; i++) {
        int32_t parent = v->nodes[i].parent, *before = parent < 0 ? &last_root : &last[parent];
        assert_true(parent < (int32_t)i);
        assert_true(*before < (int32_t)v->nodes[i].symbol);
        *before = (int32_t)v->nodes[i].symbol;
    }
    hot_sum_free(ps);
    arena_free(&a);
}

/* --- limits --- */

static uint64_t self_sum(const struct hot_stacks *v, const char *only)
{
    uint64_t n = 0;
    for (size_t i = 0; i < v->nnodes; i++)
        if (!only || strcmp(v->symbols[v->nodes[i].symbol].name, only) == 0)
            n += v->nodes[i].self;
    return n;
}

TEST(too_many_paths_become_one_row)
{
    enum { LIMIT = 200, TICKS = 300 };
    struct arena a = {0};
    struct hot_sum *ps = hot_sum_new(LIMIT);
    uint64_t samples = 0;
    for (int t = 0; t < TICKS; t++) {
        struct hot_stacks *p = random_stacks(&a, (unsigned)t, 30, 20, 9);
        samples += p->samples;
        hot_sum_add(ps, p, (uint64_t)(t + 1) * SECOND);
        const struct hot_stacks *v = hot_sum_view(ps);
        assert_true(v->nnodes <= LIMIT + 1); /* and a row for all others */
        assert_true(v->nplaces <= LIMIT);
        assert_int_equal(self_sum(v, NULL), samples); /* no sample is lost, whatever was joined */
    }
    assert_true(self_sum(hot_sum_view(ps), HOT_OTHER) > 0);
    hot_sum_free(ps);
    arena_free(&a);
}

/* Making room must leave the parts that were not folded as they were. */
TEST(room_is_made_by_folding_the_old)
{
    struct arena a = {0};
    struct hot_sum *ps = hot_sum_new(400), *fresh = hot_sum_new(0);
    hot_sum_set_window(ps, 10);
    hot_sum_set_window(fresh, 10);
    for (int t = 0; t < 20; t++) /* call paths that never occur again */
        hot_sum_add(ps, random_stacks(&a, (unsigned)t, 200, 40, 9), (uint64_t)(t + 1) * SECOND);
    for (int t = 0; t < 200; t++) {
        struct hot_stacks *p = random_stacks(&a, (unsigned)(t % 3), 10, 10, 5);
        hot_sum_add(ps, p, (uint64_t)(t + 100) * SECOND);
        hot_sum_add(fresh, p, (uint64_t)(t + 100) * SECOND);
    }
    assert_same_view(ps, fresh);
    hot_sum_free(ps);
    hot_sum_free(fresh);
    arena_free(&a);
}

TEST(going_back_in_time_starts_anew)
{
    struct arena a = {0};
    struct hot_sum *ps = hot_sum_new(0);
    assert_null(hot_sum_view(ps));
    struct hot_stacks *p = random_stacks(&a, 1, 10, 20, 5), *q = random_stacks(&a, 2, 10, 20, 5);
    hot_sum_add(ps, p, (uint64_t)50 * SECOND);
    hot_sum_add(ps, q, (uint64_t)20 * SECOND);
    assert_int_equal(hot_sum_view(ps)->samples, q->samples);
    hot_sum_reset(ps);
    assert_null(hot_sum_view(ps));
    hot_sum_free(ps);
    arena_free(&a);
}

/* --- functions in windows --- */

/* Whether the stack of node i holds the symbol. */
static bool in_stack(const struct hot_stacks *p, int32_t at, uint32_t symbol)
{
    for (; at >= 0; at = p->nodes[at].parent)
        if (p->nodes[at].symbol == symbol)
            return true;
    return false;
}

TEST(shares_agree_with_the_stacks)
{
    struct arena a = {0};
    for (unsigned seed = 0; seed < 20; seed++) {
        const struct hot_stacks *p = random_stacks(&a, seed, 12, 80, 9); /* recursion everywhere */
        uint64_t total[8192];
        struct hot_share row[13];
        struct function_row *flat;
        hot_node_totals(p, total);
        size_t n = functions_list(p, &flat);
        assert_true(n > 5);
        for (size_t k = 0; k < n; k++) {
            uint64_t self = 0, all = 0, callers = 0, callees = 0;
            for (size_t i = 0; i < p->nnodes; i++) {
                self += p->nodes[i].symbol == flat[k].symbol ? p->nodes[i].self : 0;
                all += in_stack(p, (int32_t)i, flat[k].symbol) ? p->nodes[i].self : 0;
            }
            assert_int_equal(flat[k].self, self);
            assert_int_equal(flat[k].total, all);
            size_t m = hot_callers(p, total, flat[k].symbol, row);
            for (size_t i = 0; i < m; i++)
                callers += row[i].samples;
            assert_int_equal(callers, all);
            m = hot_callees(p, flat[k].symbol, row);
            for (size_t i = 0; i < m; i++)
                callees += row[i].samples;
            assert_int_equal(callees + self, all);
        }
        free(flat);
    }
    arena_free(&a);
}
