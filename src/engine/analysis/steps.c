#include "engine/analysis/steps.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/list.h"
#include "base/order.h"
#include "base/watch.h"
#include "engine/trace/collective.h"
#include "engine/trace/trace_window.h"

#define MEDIAN_TO_SD   1.4826 /* factor for a normal distribution */
#define LEAST_DISTANCE 0.05

const char *step_kind_name(enum step_kind k)
{
    static const char *const names[] = {"", "slow", "fast"};
    return names[k];
}

/* --- what repeats --- */

struct family {
    uint32_t name; /* any of its names: they differ only in their number */
    uint32_t n;
    uint64_t total;
    uint32_t first; /* index in `found` of the last that was added; each links to the one before */
    uint32_t roots; /* number of programs that have it, approximately */
    uint32_t root;  /* program of the last that was added */
};

struct step_found {
    uint64_t ns;
    uint32_t before; /* the one of the same family that was added before; GRAPH_NONE */
};

struct guessing {
    const struct graph *g;
    struct family *list;
    struct step_found *found;
    uint32_t n, cap, nfound, found_cap;
    uint64_t wall; /* length of the profile, ns */
    struct hash_table by_name;
};

static bool same_family(const struct guessing *k, uint32_t a, uint32_t b)
{
    const char *x = graph_text(k->g, a), *y = graph_text(k->g, b);
    size_t n = window_family(x);
    return n == window_family(y) && strncmp(x, y, n) == 0;
}

static struct family *family_of(struct guessing *k, uint32_t name)
{
    const char *text = graph_text(k->g, name);
    uint64_t hash = hash_bytes(0, text, window_family(text));
    HASH_EACH (&k->by_name, hash, i)
        if (k->list && same_family(k, k->list[i].name, name))
            return &k->list[i];
    hash_table_add(&k->by_name, hash, k->n);
    LIST_ROOM(k->list, k->n, k->cap);
    k->list[k->n] = (struct family){.name = name, .first = GRAPH_NONE, .root = GRAPH_NONE};
    return &k->list[k->n++];
}

/* Whether a node is of the wanted kind, on the host, and not nested in a node of its own family. */
static bool is_candidate(struct guessing *k, uint32_t v, enum node_kind kind)
{
    const struct graph *g = k->g;
    if (g->kind[v] != kind || g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
        return false;
    for (uint32_t up = g->parent[v]; up != GRAPH_NONE; up = g->parent[up])
        if (g->kind[up] == NODE_QUEUE ||
            (g->kind[up] == kind && same_family(k, g->name[up], g->name[v])))
            return false;
    return true;
}

static void add_candidate(struct guessing *k, uint32_t v)
{
    struct family *f = family_of(k, k->g->name[v]);
    uint32_t root = graph_root(k->g, v);
    LIST_ROOM(k->found, k->nfound, k->found_cap);
    k->found[k->nfound] = (struct step_found){k->g->duration[v], f->first};
    f->first = k->nfound++;
    f->total += k->g->duration[v];
    f->roots += f->root != root; /* an upper limit, exact if the nodes of a program are neighbours,
                                    as they mostly are */
    f->root = root;
    f->n++;
}

/* Whether the name ends with a number, as "ProfilerStep#101" and "step 7" do: a program that
 * numbers its ranges repeats them. */
static bool is_numbered_range(const char *name)
{
    const char *behind = name + window_family(name);
    return *behind && !behind[strspn(behind, " #_-0123456789")];
}

/* Whether the nodes of a family look like steps: most are of similar length, and together they
 * take much of the time. Operators fail this test, because their length follows the size of their
 * tensors. */
static bool is_step(const struct guessing *k, const struct family *f)
{
    uint64_t *ns = xcalloc(f->n + (size_t)1, sizeof *ns), total = 0;
    uint32_t n = 0, alike = 0;
    const char *name = graph_text(k->g, f->name);
    bool numbered = is_numbered_range(name);
    for (uint32_t i = f->first; i != GRAPH_NONE; i = k->found[i].before)
        ns[n++] = k->found[i].ns;
    qsort(ns, n, sizeof *ns, order_uint64);
    uint32_t half = n / 2;
    double middle = (double)ns[half];
    for (uint32_t i = 0; i < n; i++)
        if (numbered ||
            ((double)ns[i] <= STEPS_ALIKE * middle && STEPS_ALIKE * (double)ns[i] >= middle)) {
            alike++;
            total += ns[i];
        }
    free(ns);
    return collective_of(name) == COLLECTIVE_NONE && alike > f->roots && alike >= half &&
           (double)total >= STEPS_COVER * (double)k->wall * f->roots;
}

/* The family that takes the most time. Ranges nested in steps take less. */
static const struct family *find_longest_family(struct guessing *k, enum node_kind kind)
{
    const struct family *best = NULL;
    for (uint32_t v = 0; v < k->g->nnodes; v++)
        if (is_candidate(k, v, kind))
            add_candidate(k, v);
    for (uint32_t i = 0; i < k->n; i++) {
        const struct family *f = &k->list[i];
        int c = !best || f->total != best->total
                    ? 0
                    : strcmp(graph_text(k->g, f->name), graph_text(k->g, best->name));
        if ((!best || f->total > best->total || c < 0) && is_step(k, f))
            best = f;
    }
    return best;
}

char *steps_guess(const struct trace *t)
{
    static const enum node_kind kinds[] = {NODE_RANGE, NODE_LAYER, NODE_BRICK};
    char *out = NULL;
    uint64_t from = 0, to = 0;
    window_bounds(t->calls, &from, &to);
    for (size_t i = 0; !out && i < sizeof kinds / sizeof *kinds; i++) {
        struct guessing k = {.g = t->calls, .wall = to - from};
        const struct family *best = find_longest_family(&k, kinds[i]);
        if (best) {
            out = xstrdup(graph_text(k.g, best->name));
            out[window_family(out)] = '\0';
        }
        hash_table_free(&k.by_name);
        free(k.list);
        free(k.found);
    }
    return out;
}

/* --- measuring each step --- */

struct measuring {
    const struct trace *whole;
    struct critical_path path; /* of the whole */
    struct steps *out;
    struct error *err;
};

/* Measures one step; `part` contains only what belongs to it. */
static int measure_step(struct measuring *m, const struct trace *part, struct profile_step *r)
{
    const struct graph *g = m->whole->calls;
    struct device_uses uses;
    path_mix_within(&m->path, g->start[r->node], g->start[r->node] + r->length, &r->mix);
    r->path = r->mix.total;
    r->done = part->window->nopen ? part->window->open[0].done - part->window->open[0].from : 0;
    for (uint32_t i = 1; i < part->window->nopen;
         i++) { /* work on a GPU may belong to a program of its own */
        uint64_t done = part->window->open[i].done - part->window->open[i].from;
        r->done = done > r->done ? done : r->done;
    }
    device_uses_find(&uses, part);
    if (uses.n)
        r->use = uses.rows[0];
    device_uses_free(&uses);
    return 0;
}

/* Measures the spans of t; their rows begin at `first`. The trace is halved again and again until
 * each part has one step, so that every step costs only the work in it and its share of the
 * halving. */
static int measure_spans(struct measuring *m, const struct trace *t,
                         const struct window_spans *spans, uint32_t first)
{
    uint32_t half = spans->n / 2;
    int rc = watch_check("steps", m->err);
    for (int side = 0; side < 2 && rc == 0; side++) {
        struct window_spans own = {.list = spans->list + (side ? half : 0),
                                   .n = side ? spans->n - half : half};
        struct trace part = {.phase = t->phase};
        if (own.n == 0)
            continue;
        rc = trace_window_take(&part, t, &own, m->err);
        if (rc == 0 && part.window->early > m->out->early)
            m->out->early = part.window->early;
        const size_t row = side ? first + half : first;
        if (rc == 0)
            rc = own.n == 1 ? measure_step(m, &part, &m->out->rows[row])
                            : measure_spans(m, &part, part.window, row);
        trace_free(&part);
    }
    return rc;
}

static double find_step_median(double *v, uint32_t n)
{
    qsort(v, n, sizeof *v, order_doubles);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Finds the outliers among n rows of the same program. */
static void find_outliers(struct steps *s, struct profile_step *rows, uint32_t n)
{
    double *v = xcalloc(n + (size_t)1, sizeof *v);
    for (uint32_t i = 0; i < n; i++)
        v[i] = (double)rows[i].done;
    double middle = n >= STEPS_LEAST ? find_step_median(v, n) : 0;
    for (uint32_t i = 0; i < n; i++)
        v[i] = fabs((double)rows[i].done - middle);
    double apart = n >= STEPS_LEAST ? find_step_median(v, n) * MEDIAN_TO_SD * STEPS_APART : 0;
    for (uint32_t i = 0; n >= STEPS_LEAST && i < n; i++) {
        double d = (double)rows[i].done - middle;
        if (fabs(d) <= apart || fabs(d) < LEAST_DISTANCE * middle)
            continue;
        rows[i].kind = d > 0 ? STEP_SLOW : STEP_FAST;
        *(d > 0 ? &s->slow : &s->fast) += 1;
    }
    free(v);
}

static void sum_up(struct steps *s, const struct window_spans *spans)
{
    double *length = xcalloc(s->n + (size_t)1, sizeof *length);
    double *done = xcalloc(s->n + (size_t)1, sizeof *done);
    for (uint32_t i = 0; i < s->n; i++) {
        length[i] = (double)s->rows[i].length;
        done[i] = (double)s->rows[i].done;
    }
    s->length = stats_of(length, s->n);
    s->done = stats_of(done, s->n);
    for (uint32_t a = 0, b; a < s->n; a = b) {
        for (b = a + 1; b < s->n && spans->list[b].program == spans->list[a].program;)
            b++;
        find_outliers(s, s->rows + a, b - a);
    }
    free(length);
    free(done);
}

static void fill_step_rows(struct steps *s, const struct trace *t, const struct window_spans *spans)
{
    uint64_t from, to;
    const struct graph *g = t->calls;
    window_bounds(g, &from, &to);
    s->rows = xcalloc(spans->n + (size_t)1, sizeof *s->rows);
    s->n = spans->n;
    for (uint32_t i = 0; i < spans->n; i++) {
        const struct window_span *w = &spans->list[i];
        const struct trace_file *file = trace_file_of(t, w->node);
        s->nranks += i == 0 || w->program != spans->list[i - 1].program;
        s->rows[i] = (struct profile_step){
            .name = graph_name(g, w->node),
            .node = w->node,
            .number = w->number,
            .begin = w->from - from,
            .length = w->to - w->from,
            .done = w->to - w->from,
        };
        struct profile_step *row = &s->rows[i];
        if (file && file->label)
            snprintf(row->rank, sizeof row->rank, "%s", file->label);
        else
            trace_program_name(t, w->program, row->rank, sizeof row->rank);
    }
}

int steps_find(struct steps *out, const struct trace *t, const struct window *w, struct error *err)
{
    struct window_spans spans = {.n = 0};
    struct measuring m = {.whole = t, .out = out, .err = err};
    *out = (struct steps){.range = w->range ? xstrdup(w->range) : steps_guess(t)};
    if (!out->range)
        return error_set(err, ERROR_USAGE, ENOENT, "name one: --range NAME", "steps",
                         "no range looks like a step: repeated, similar in length, and much of "
                         "the time in total");
    struct window wanted = {.from = w->from, .to = w->to, .range = out->range};
    int rc = window_find(&spans, t, &wanted, err);
    if (rc == 0) {
        fill_step_rows(out, t, &spans);
        rc = critical_path_find(t->calls, &m.path, err);
        if (rc == 0)
            rc = measure_spans(&m, t, &spans, 0);
        critical_path_free(&m.path);
    }
    if (rc == 0)
        sum_up(out, &spans);
    window_spans_free(&spans);
    return rc;
}

void steps_free(struct steps *s)
{
    free(s->rows);
    free(s->range);
    *s = (struct steps){.n = 0};
}
