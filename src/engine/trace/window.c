#include "engine/trace/window.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "base/nearest.h"
#include "engine/value/timeline_scale.h"
#include "engine/value/value.h"

enum { INSTANCES_MAX = 4000000 };

int window_parse(struct window *out, const char *from, const char *to, const char *range,
                 struct error *err)
{
    *out = (struct window){.to = UINT64_MAX};
    int rc = from ? timeline_parse_time(&out->from, from, "--from", err) : 0;
    if (rc == 0 && to)
        rc = timeline_parse_time(&out->to, to, "--to", err);
    if (rc == 0 && out->from >= out->to)
        rc = error_set(err, ERROR_USAGE, EINVAL, "give --from before --to", "--to",
                       "%s is not after %s", to, from ? from : "the begin");
    if (rc == 0 && range)
        out->range = xstrdup(range);
    return rc;
}

void window_free(struct window *w)
{
    free(w->range);
    *w = (struct window){.to = UINT64_MAX};
}

bool window_bounds(const struct graph *g, uint64_t *from, uint64_t *to)
{
    uint64_t first = GRAPH_UNKNOWN, last = 0;
    for (uint32_t v = 0; v < g->nnodes; v++) {
        if (g->start[v] == GRAPH_UNKNOWN || g->duration[v] == GRAPH_UNKNOWN)
            continue;
        uint64_t end = g->start[v] + g->duration[v];
        first = g->start[v] < first ? g->start[v] : first;
        last = end > last ? end : last;
    }
    *from = first;
    *to = last;
    return first != GRAPH_UNKNOWN;
}

/* The length of "aten::mul, seq = 46174" without its last field; n if there is no field. */
static size_t without_field(const char *name, size_t n)
{
    size_t at = n;
    while (at && isdigit((unsigned char)name[at - 1]))
        at--;
    if (at == n || at < 3 || strncmp(name + at - 3, " = ", 3) != 0)
        return n;
    at -= 3;
    size_t word = at;
    while (at && (isalnum((unsigned char)name[at - 1]) || name[at - 1] == '_'))
        at--;
    return at < word && at > 2 && strncmp(name + at - 2, ", ", 2) == 0 ? at - 2 : n;
}

size_t window_family(const char *name)
{
    size_t all = strlen(name), n = all, fewer;
    while ((fewer = without_field(name, n)) < n)
        n = fewer;
    if (n < all)
        return n;
    while (n && isdigit((unsigned char)name[n - 1]))
        n--;
    if (n == all)
        return all;
    while (n && strchr(" #_-:./", name[n - 1]))
        n--;
    return n ? n : all;
}

uint32_t window_lane(const struct graph *g, uint32_t v)
{
    while (v != GRAPH_NONE && g->kind[v] != NODE_THREAD && g->kind[v] != NODE_QUEUE)
        v = g->parent[v];
    return v;
}

/* --- which names are meant --- */

/* For each name of the graph, whether the user's text selects it; and the first and last number of
 * the selected ranges, from 1; 0 and 0: all. Negative numbers count from the end. */
struct meant {
    uint8_t *hit;
    long first, last;
    bool any;
};

static void mark_names(struct meant *m, const struct graph *g, const char *name, size_t n,
                       bool family)
{
    for (uint32_t i = 0; i < g->nnames; i++) {
        const char *text = graph_text(g, i);
        size_t size = family ? window_family(text) : strlen(text);
        m->hit[i] = size == n && strncmp(text, name, n) == 0;
        m->any |= m->hit[i];
    }
}

static int mark_regex(struct meant *m, const struct graph *g, const char *name, size_t n,
                      struct error *err)
{
    char *text = xcalloc(n + 1, 1);
    regex_t re;
    memcpy(text, name, n);
    int rc = regcomp(&re, text, REG_EXTENDED | REG_NOSUB);
    free(text);
    if (rc != 0) {
        char why[128];
        regerror(rc, &re, why, sizeof why);
        return error_set(err, ERROR_USAGE, EINVAL, "give a POSIX extended regular expression",
                         "--range", "%s", why);
    }
    for (uint32_t i = 0; i < g->nnames; i++)
        m->hit[i] = regexec(&re, graph_text(g, i), 0, NULL, 0) == 0;
    m->any = true;
    regfree(&re);
    return 0;
}

/* Reads "@3", "@3-5" or "@-1" at the end of a name; returns the length without it. */
static size_t read_window_count(const char *text, struct meant *m)
{
    const char *at = strrchr(text, '@');
    char *end;
    if (!at || at == text)
        return strlen(text);
    long first = strtol(at + 1, &end, 10), last = first;
    if (end == at + 1 || first == 0)
        return strlen(text);
    if (*end == '-' && first > 0 && !end[1]) {
        last = -1;
        end++;
    } else if (*end == '-' && first > 0)
        last = strtol(end + 1, &end, 10);
    if (*end || last == 0 || (first > 0 && last > 0 && last < first))
        return strlen(text);
    m->first = first;
    m->last = last;
    return (size_t)(at - text);
}

/* Tries the text as a name first, then the name without the count, then families. */
static int find_meant(struct meant *m, const struct graph *g, const char *range, struct error *err)
{
    struct meant counted = {.first = 0};
    size_t n = read_window_count(range, &counted);
    m->hit = xcalloc(g->nnames + 1u, 1);
    if (range[0] != '~')
        mark_names(m, g, range, strlen(range), false);
    if (m->any)
        return 0;
    m->first = counted.first;
    m->last = counted.last;
    if (range[0] == '~' && n > 1)
        return mark_regex(m, g, range + 1, n - 1, err);
    mark_names(m, g, range, n, false);
    if (!m->any)
        mark_names(m, g, range, n, true);
    return 0;
}

/* --- where they are --- */

static int span_order(const void *x, const void *y)
{
    const struct window_span *a = x, *b = y;
    if (a->program != b->program)
        return a->program < b->program ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool is_window_span(const struct graph *g, uint32_t v)
{
    return g->kind[v] != NODE_PROGRAM && g->kind[v] != NODE_THREAD && g->kind[v] != NODE_QUEUE &&
           g->start[v] != GRAPH_UNKNOWN && g->duration[v] != GRAPH_UNKNOWN;
}

/* Whether v has the name and lies in no other node with it. */
static bool is_outermost(const struct graph *g, const struct meant *m, uint32_t v)
{
    for (uint32_t up = g->parent[v]; up != GRAPH_NONE; up = g->parent[up])
        if (is_window_span(g, up) && m->hit[g->name[up]])
            return false;
    return true;
}

static void collect_spans(struct window_spans *out, const struct graph *g, const struct meant *m,
                          bool device)
{
    uint32_t cap = 0;
    for (uint32_t v = 0; v < g->nnodes && out->n < INSTANCES_MAX; v++) {
        if (!m->hit[g->name[v]] || !is_window_span(g, v) || !is_outermost(g, m, v))
            continue;
        uint32_t lane = window_lane(g, v);
        if ((lane != GRAPH_NONE && g->kind[lane] == NODE_QUEUE) != device)
            continue;
        LIST_ROOM(out->list, out->n, cap);
        out->list[out->n++] = (struct window_span){.from = g->start[v],
                                                   .to = g->start[v] + g->duration[v],
                                                   .done = g->start[v] + g->duration[v],
                                                   .program = graph_root(g, v),
                                                   .node = v};
    }
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, span_order);
}

/* Keeps only the wanted numbers of each program, and only ranges that begin in [from, to). */
static void choose_counted_spans(struct window_spans *s, const struct meant *m, uint64_t from,
                                 uint64_t to)
{
    uint32_t n = 0;
    for (uint32_t a = 0, b; a < s->n; a = b) {
        for (b = a + 1; b < s->n && s->list[b].program == s->list[a].program;)
            b++;
        long all = (long)(b - a), first = m->first, last = m->last;
        first = first < 0 ? all + first + 1 : first;
        last = last < 0 ? all + last + 1 : last;
        for (long i = 1; i <= all; i++) {
            struct window_span one = s->list[a + (uint32_t)i - 1];
            one.number = (uint32_t)i;
            if ((m->first == 0 || (i >= first && i <= last)) && one.from >= from && one.from < to)
                s->list[n++] = one;
        }
    }
    s->n = n;
}

static int none_found(const struct graph *g, const struct window *w, uint32_t seen,
                      struct error *err)
{
    struct nearest near;
    char help[NEAREST_MAX * (NEAREST_NAME_MAX + 6)],
        text[NEAREST_MAX * (NEAREST_NAME_MAX + 6) + 32];
    if (seen)
        return error_set(err, ERROR_USAGE, ENOENT, "count from 1, or from the end: NAME@-1",
                         "--range", "of '%.120s' there are only %" PRIu32, w->range, seen);
    nearest_start(&near, w->range);
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (is_window_span(g, v))
            nearest_offer(&near, graph_name(g, v));
    bool any = nearest_list(&near, help, sizeof help);
    snprintf(text, sizeof text, "did you mean %s?", help);
    return error_set(err, ERROR_USAGE, ENOENT,
                     any ? text : "rooftop report tree shows the names; ~REGEX finds parts of them",
                     "--range", "the profile has no range '%.120s'", w->range);
}

static int find_ranges(struct window_spans *out, const struct graph *g, const struct window *w,
                       uint64_t from, uint64_t to, struct error *err)
{
    struct meant m = {.first = 0};
    int rc = find_meant(&m, g, w->range, err);
    if (rc == 0)
        collect_spans(out, g, &m, false);
    if (rc == 0 && out->n == 0)
        collect_spans(out, g, &m, true);
    uint32_t seen = out->n;
    if (rc == 0)
        choose_counted_spans(out, &m, from, to);
    if (rc == 0 && out->n == 0)
        rc = none_found(g, w, seen, err);
    free(m.hit);
    return rc;
}

int window_find(struct window_spans *out, const struct trace *t, const struct window *w,
                struct error *err)
{
    uint64_t first, last;
    char length[VALUE_TEXT_MAX];
    *out = (struct window_spans){.n = 0};
    if (!window_bounds(t->calls, &first, &last))
        return error_set(err, ERROR_USAGE, ENOENT, NULL, "--from, --to, --range",
                         "the profile has no times");
    if (w->from >= last - first && w->from > 0)
        return error_set(err, ERROR_USAGE, EINVAL, "give an earlier time", "--from",
                         "there is nothing from there on: the profile is %s long",
                         value_time((double)(last - first), true, length));
    uint64_t from = first + w->from, to = w->to > last - first ? last : first + w->to;
    if (w->range)
        return find_ranges(out, t->calls, w, from, to == last ? UINT64_MAX : to, err);
    out->list = xcalloc(1, sizeof *out->list);
    out->list[out->n++] = (struct window_span){from, to, to, GRAPH_NONE, GRAPH_NONE, 0};
    return 0;
}

void window_spans_free(struct window_spans *s)
{
    free(s->list);
    free(s->open);
    *s = (struct window_spans){.n = 0};
}
