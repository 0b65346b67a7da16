#include "export/stacks/export_flame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/print.h"
#include "engine/functions/hot_calls.h"
#include "export/svg.h"

enum { WIDTH = 1200, ROW = 20, MARGIN = 10, HEAD = 24, LEAST = 1, CHAR = 7, LEVELS = 1000 };

static const char *const fills[] = {
    [HOT_USER] = "#f0c75e", [HOT_KERNEL] = "#e79a6f",  [HOT_JIT] = "#79c28b",
    [HOT_VDSO] = "#7fb2e5", [HOT_UNKNOWN] = "#c7c7c7",
};

struct flame {
    const struct hot_stacks *p;
    uint64_t *totals; /* of the nodes, with their callees */
    double *x, *width, *used;
    unsigned *depth;
    double *before; /* share of the same call path, 0..1; NULL: nothing to compare with */
    double most;    /* largest difference of two shares */
    double gone;    /* share of `before` in paths that are no longer there */
};

static double flame_share(const struct flame *f, size_t node)
{
    return f->p->samples ? (double)f->totals[node] / (double)f->p->samples : 0;
}

/* --- the same call paths in another profile --- */

static uint64_t hash_of_path(int32_t parent, const struct hot_symbol *s)
{
    return hash_text(hash_text(hash_number(0, (uint64_t)(int64_t)parent), s->name), s->module);
}

static bool is_same_call_frame(const struct hot_symbol *a, const struct hot_symbol *b)
{
    return a->inlined == b->inlined && strcmp(a->name, b->name) == 0 &&
           strcmp(a->module, b->module) == 0;
}

/* The node of `of` for each node of f->p, or -1. */
static int32_t *match_paths(const struct flame *f, const struct hot_stacks *of)
{
    struct hash_table table = {0};
    int32_t *same = xcalloc(f->p->nnodes + 1, sizeof *same);
    for (size_t i = 0; i < of->nnodes; i++)
        hash_table_add(&table, hash_of_path(of->nodes[i].parent, &of->symbols[of->nodes[i].symbol]),
                       i);
    for (size_t i = 0; i < f->p->nnodes; i++) {
        const struct hot_node *n = &f->p->nodes[i];
        const struct hot_symbol *s = &f->p->symbols[n->symbol];
        const int32_t parent = n->parent < 0 ? -1 : same[n->parent];
        same[i] = -1;
        if (n->parent >= 0 && parent < 0)
            continue;
        HASH_EACH (&table, hash_of_path(parent, s), k)
            if (of->nodes[k].parent == parent &&
                is_same_call_frame(&of->symbols[of->nodes[k].symbol], s))
                same[i] = (int32_t)k;
    }
    hash_table_free(&table);
    return same;
}

static void compare_flames(struct flame *f, const struct hot_stacks *before)
{
    uint64_t *totals = xcalloc(before->nnodes + 1, sizeof *totals), kept = 0;
    int32_t *same = match_paths(f, before);
    const double all = before->samples ? (double)before->samples : 1;
    hot_node_totals(before, totals);
    f->before = xcalloc(f->p->nnodes + 1, sizeof *f->before);
    for (size_t i = 0; i < f->p->nnodes; i++) {
        if (same[i] >= 0) {
            f->before[i] = (double)totals[same[i]] / all;
            kept += before->nodes[same[i]].self;
        }
        f->most = fmax(f->most, fabs(flame_share(f, i) - f->before[i]));
    }
    f->gone = before->samples ? 1 - (double)kept / all : 0;
    free(same);
    free(totals);
}

/* --- the picture --- */

/* Callers stand before their callees in the list of nodes. Returns the number of rows. */
static unsigned place_flame(struct flame *f)
{
    unsigned rows = 0;
    double roots = 0;
    for (size_t i = 0; i < f->p->nnodes; i++) {
        const int32_t up = f->p->nodes[i].parent;
        double *used = up < 0 ? &roots : &f->used[up];
        f->width[i] = (WIDTH - 2 * MARGIN) * flame_share(f, i);
        f->depth[i] = up < 0 ? 0 : f->depth[up] + 1;
        f->x[i] = (up < 0 ? MARGIN : f->x[up]) + *used;
        *used += f->width[i];
        if (f->width[i] >= LEAST && f->depth[i] >= rows)
            rows = f->depth[i] + 1;
    }
    return rows < LEVELS ? rows : LEVELS;
}

static void print_flame_fill(FILE *out, const struct flame *f, size_t node)
{
    const uint8_t where = f->p->symbols[f->p->nodes[node].symbol].where;
    const double change = f->before ? flame_share(f, node) - f->before[node] : 0;
    const int pale = f->most > 0 ? 240 - (int)lround(120 * fabs(change) / f->most) : 240;
    const int red = change < 0 ? pale : 240;
    const int blue = change > 0 ? pale : 240;
    if (!f->before)
        print_xml(out, "%s", fills[where <= HOT_UNKNOWN ? where : HOT_UNKNOWN]);
    else
        fprintf(out, "#%02x%02x%02x", red, pale, blue);
}

static void print_flame_box(FILE *out, const struct flame *f, size_t node)
{
    const struct hot_symbol *s = &f->p->symbols[f->p->nodes[node].symbol];
    const unsigned y = MARGIN + HEAD + f->depth[node] * ROW;
    char amount[HOT_AMOUNT_MAX];
    fputs("<g><title>", out);
    print_xml(out, "%s%s%s%s  %s, %.2f %%", s->name, s->module[0] ? " (" : "", s->module,
              s->module[0] ? ")" : "", hot_amount(f->p, f->totals[node], false, amount),
              100 * flame_share(f, node));
    if (f->before)
        fprintf(out, ", before %.2f %%", 100 * f->before[node]);
    fprintf(out, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"",
            f->x[node], y, f->width[node], ROW - 1);
    print_flame_fill(out, f, node);
    fputs("\"/>", out);
    if (f->width[node] > 4 * CHAR)
        svg_text_in(out, f->x[node] + 3, y + ROW - 6, (int)(f->width[node] / CHAR), s->name);
    fputs("</g>\n", out);
}

static void print_flame_head(FILE *out, const struct flame *f)
{
    char text[256], amount[HOT_AMOUNT_MAX];
    int n = snprintf(text, sizeof text, "%s", hot_amount(f->p, f->p->samples, false, amount));
    if (f->before)
        snprintf(text + n, sizeof text - (size_t)n,
                 "; red: a larger share than before, blue: a smaller one; %.2f %% of before "
                 "is in calls that are gone",
                 100 * f->gone);
    svg_text(out, MARGIN, MARGIN + 12, sizeof text, text);
}

void export_flame_difference(FILE *out, const struct hot_stacks *before,
                             const struct hot_stacks *after)
{
    const size_t n = after->nnodes + 1;
    struct flame f = {.p = after,
                      .totals = xcalloc(n, sizeof *f.totals),
                      .x = xcalloc(n, sizeof *f.x),
                      .width = xcalloc(n, sizeof *f.width),
                      .used = xcalloc(n, sizeof *f.used),
                      .depth = xcalloc(n, sizeof *f.depth)};
    hot_node_totals(after, f.totals);
    if (before)
        compare_flames(&f, before);
    const unsigned rows = place_flame(&f);
    svg_begin(out, WIDTH, 2 * MARGIN + HEAD + rows * ROW, 12, "");
    print_flame_head(out, &f);
    for (size_t i = 0; i < after->nnodes; i++)
        if (f.width[i] >= LEAST && f.depth[i] < rows)
            print_flame_box(out, &f, i);
    svg_end(out);
    free(f.totals);
    free(f.x);
    free(f.width);
    free(f.used);
    free(f.depth);
    free(f.before);
}

void export_flame(FILE *out, const struct hot_stacks *p)
{
    export_flame_difference(out, NULL, p);
}
