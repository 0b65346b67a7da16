/* Searches spans by name. */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "engine/timeline/timeline_impl.h"

static bool is_text_within(const char *text, const char *what, size_t n)
{
    for (; *text; text++)
        if (strncasecmp(text, what, n) == 0)
            return true;
    return n == 0;
}

int timeline_names(struct timeline_names *out, const struct timeline *t, const char *text,
                   struct error *err)
{
    const struct graph *g = t->calls;
    regex_t re;
    bool regex = text[0] == '~' && text[1];
    int rc = regex ? regcomp(&re, text + 1, REG_EXTENDED | REG_ICASE | REG_NOSUB) : 0;
    *out = (struct timeline_names){0};
    if (rc != 0) {
        char why[128];
        regerror(rc, &re, why, sizeof why);
        return error_set(err, ERROR_USAGE, EINVAL, "give a POSIX extended regular expression",
                         "search", "%s", why);
    }
    out->hit = xcalloc(g->nnames + 1u, sizeof *out->hit);
    out->n = g->nnames;
    size_t n = strlen(text);
    for (uint32_t i = 0; i < g->nnames; i++)
        out->hit[i] = regex ? regexec(&re, graph_text(g, i), 0, NULL, 0) == 0
                            : is_text_within(graph_text(g, i), text, n);
    if (regex)
        regfree(&re);
    return 0;
}

void timeline_names_free(struct timeline_names *n)
{
    free(n->hit);
    *n = (struct timeline_names){0};
}

/* Compares by start, then row, then order, so that a search goes from left to right. */
static int compare_spans(const struct timeline *t, uint32_t a, uint32_t b)
{
    const struct graph *g = t->calls;
    if (g->start[a] != g->start[b])
        return g->start[a] < g->start[b] ? -1 : 1;
    if (t->row_of[a] != t->row_of[b])
        return t->row_of[a] < t->row_of[b] ? -1 : 1;
    return timeline_order(g, a, b);
}

struct looked {
    uint32_t first, last, before, after; /* of the place where the search starts */
    uint32_t nbefore, total;
};

static void look_at_match(const struct timeline *t, struct looked *l, uint32_t v, uint32_t from,
                          uint64_t time)
{
    int c = t->calls->start[v] < time ? -1 : 1;
    if (from != GRAPH_NONE)
        c = from == v ? 0 : compare_spans(t, v, from);
    l->total++;
    l->nbefore += c < 0;
    if (l->first == GRAPH_NONE || compare_spans(t, v, l->first) < 0)
        l->first = v;
    if (l->last == GRAPH_NONE || compare_spans(t, v, l->last) > 0)
        l->last = v;
    if (c < 0 && (l->before == GRAPH_NONE || compare_spans(t, v, l->before) > 0))
        l->before = v;
    if (c > 0 && (l->after == GRAPH_NONE || compare_spans(t, v, l->after) < 0))
        l->after = v;
}

struct timeline_hit timeline_search(const struct timeline *t, const struct timeline_names *n,
                                    uint32_t from, uint64_t time, int step)
{
    const struct graph *g = t->calls;
    struct looked l = {GRAPH_NONE, GRAPH_NONE, GRAPH_NONE, GRAPH_NONE, 0, 0};
    bool self = from != GRAPH_NONE && n->hit[g->name[from]];
    for (uint32_t v = 0; v < g->nnodes; v++)
        if (n->hit[g->name[v]] && t->row_of[v] != GRAPH_NONE)
            look_at_match(t, &l, v, from, time);
    struct timeline_hit h = {GRAPH_NONE, 0, l.total};
    if (l.total == 0)
        return h;
    if (step > 0) {
        h.node = l.after != GRAPH_NONE ? l.after : l.first;
        h.index = l.after != GRAPH_NONE ? l.nbefore + self : 0;
    } else {
        h.node = l.before != GRAPH_NONE ? l.before : l.last;
        h.index = l.before != GRAPH_NONE ? l.nbefore - 1 : l.total - 1;
    }
    return h;
}
