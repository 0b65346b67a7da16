#include "engine/bricks/probe_pairs.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"

/* Words that mark begin and end, the usual ones first. If a begin has several ends, the first one
 * counts. */
static const struct name_words {
    const char *begin, *end;
} words[] = {
    {"start", "end"},    {"start", "done"},   {"start", "stop"},       {"start", "complete"},
    {"start", "finish"}, {"begin", "end"},    {"begin", "done"},       {"begin", "complete"},
    {"begin", "finish"}, {"entry", "return"}, {"entry", "exit"},       {"enter", "exit"},
    {"enter", "return"}, {"enter", "leave"},  {"request", "response"},
};
static const char *const joints[] = {"__", "_"};
enum { WORDS = sizeof words / sizeof *words, JOINTS = sizeof joints / sizeof *joints };

/* --- patterns --- */

static int bad_pattern(struct error *err, const char *text, const char *why)
{
    return error_set(err, ERROR_USAGE, EINVAL,
                     "write PROVIDER:NAME, as in 'postgresql:query*', or PROVIDER:BEGIN..END",
                     "--usdt", "'%.80s' %s", text, why);
}

static bool copy_pattern(char to[PROBE_PATTERN_LENGTH], const char *from, size_t n)
{
    return n > 0 &&
           (size_t)snprintf(to, PROBE_PATTERN_LENGTH, "%.*s", (int)n, from) < PROBE_PATTERN_LENGTH;
}

static int parse_one(struct probe_pattern *out, const char *text, struct error *err)
{
    const char *colon = strchr(text, ':'), *dots = colon ? strstr(colon + 1, "..") : NULL;
    *out = (struct probe_pattern){.name = "*", .explicit = dots != NULL};
    if (!copy_pattern(out->provider, text, colon ? (size_t)(colon - text) : strlen(text)))
        return bad_pattern(err, text, *text && !colon ? "is too long" : "names no provider");
    if (!colon)
        return 0;
    if (!copy_pattern(out->name, colon + 1, dots ? (size_t)(dots - colon - 1) : strlen(colon + 1)))
        return bad_pattern(err, text, colon[1] && !dots ? "is too long" : "names no probe");
    if (dots && (!copy_pattern(out->end, dots + 2, strlen(dots + 2)) || strpbrk(text, "*?[")))
        return bad_pattern(err, text, "must name two probes, without wildcards");
    return 0;
}

int probe_patterns_parse(struct probe_patterns *out, const char *text, struct error *err)
{
    out->n = 0;
    for (const char *p = text;;) {
        char one[3 * PROBE_PATTERN_LENGTH];
        size_t n = strcspn(p, ",");
        if (out->n == PROBE_PATTERNS_MAX)
            return bad_pattern(err, p, "is one pattern too many");
        if ((size_t)snprintf(one, sizeof one, "%.*s", (int)n, p) >= sizeof one)
            return bad_pattern(err, p, "is too long");
        int rc = parse_one(&out->list[out->n], one, err);
        if (rc != 0)
            return rc;
        out->n++;
        p += n;
        if (!*p)
            return 0;
        p++;
    }
}

bool probe_provider_wanted(const struct probe_patterns *p, const char *provider)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].explicit ? strcmp(p->list[i].provider, provider) == 0
                                : fnmatch(p->list[i].provider, provider, 0) == 0)
            return true;
    return false;
}

/* --- pairs --- */

struct pair_search {
    const struct probe_patterns *p;
    const struct probe_name *names;
    const uint32_t *order; /* of names, sorted */
    size_t n;
    struct probe_pair *out;
    size_t found, max;
};

static int compare_probes(const struct probe_name *a, const struct probe_name *b)
{
    int order = strcmp(a->provider, b->provider);
    return order ? order : strcmp(a->name, b->name);
}

static int compare_probe_indexes(const void *a, const void *b, void *ctx)
{
    const struct probe_name *names = ctx;
    const uint32_t *x = a, *y = b;
    int order = compare_probes(&names[*x], &names[*y]);
    return order ? order : (*x > *y) - (*x < *y);
}

static bool find_probe(const struct pair_search *s, const char *provider, const char *name,
                       uint32_t *out)
{
    struct probe_name want = {provider, name};
    size_t low = 0;
    SEARCH_FIRST(low, s->n, compare_probes(&s->names[s->order[low]], &want) < 0);
    if (low == s->n || compare_probes(&s->names[s->order[low]], &want) != 0)
        return false;
    *out = s->order[low];
    return true;
}

static void add_pair(struct pair_search *s, uint32_t begin, uint32_t end, const char *name)
{
    for (size_t i = 0; i < s->found; i++)
        if (s->out[i].begin == begin && s->out[i].end == end)
            return;
    if (s->found == s->max)
        return;
    struct probe_pair *p = &s->out[s->found++];
    p->begin = begin;
    p->end = end;
    snprintf(p->name, sizeof p->name, "%s%s%s", s->names[begin].provider, *name ? ":" : "", name);
}

/* The length of the text before "__start" in a name; 0 for a name that is only "start". SIZE_MAX
 * if the name does not end so. */
static size_t stem_length(const char *name, const char *joint, const char *word)
{
    size_t n = strlen(name), m = strlen(joint) + strlen(word);
    if (strcmp(name, word) == 0)
        return 0;
    if (n <= m || strncmp(name + n - m, joint, strlen(joint)) != 0 ||
        strcmp(name + n - strlen(word), word) != 0)
        return SIZE_MAX;
    return n - m;
}

static bool is_wanted_pair(const struct pair_search *s, const char *provider, const char *stem,
                           const char *begin, const char *end)
{
    for (size_t i = 0; i < s->p->n; i++) {
        const struct probe_pattern *p = &s->p->list[i];
        if (!p->explicit && fnmatch(p->provider, provider, 0) == 0 &&
            (fnmatch(p->name, stem, 0) == 0 || fnmatch(p->name, begin, 0) == 0 ||
             fnmatch(p->name, end, 0) == 0))
            return true;
    }
    return false;
}

/* Finds the first existing end for a name that marks a begin. */
static void find_end_of_pair(struct pair_search *s, uint32_t i)
{
    const struct probe_name *begin = &s->names[i];
    for (size_t w = 0; w < WORDS; w++)
        for (size_t j = 0; j < JOINTS; j++) {
            char stem[PROBE_PATTERN_LENGTH + 16], end[PROBE_PATTERN_LENGTH + 32];
            size_t n = stem_length(begin->name, joints[j], words[w].begin);
            uint32_t k;
            if (n >= sizeof stem)
                continue;
            snprintf(stem, sizeof stem, "%.*s", (int)n, begin->name);
            snprintf(end, sizeof end, "%s%s%s", stem, n ? joints[j] : "", words[w].end);
            if (!find_probe(s, begin->provider, end, &k))
                continue;
            if (is_wanted_pair(s, begin->provider, stem, begin->name, end))
                add_pair(s, i, k, stem);
            return;
        }
}

static void find_explicit(struct pair_search *s)
{
    for (size_t i = 0; i < s->p->n; i++) {
        const struct probe_pattern *p = &s->p->list[i];
        char name[2 * PROBE_PATTERN_LENGTH + 2];
        uint32_t begin, end;
        if (!p->explicit || !find_probe(s, p->provider, p->name, &begin) ||
            !find_probe(s, p->provider, p->end, &end))
            continue;
        snprintf(name, sizeof name, "%s..%s", p->name, p->end);
        add_pair(s, begin, end, name);
    }
}

size_t probe_pairs_find(const struct probe_patterns *p, const struct probe_name *names, size_t n,
                        struct probe_pair *out, size_t max)
{
    uint32_t *order = xcalloc(n + 1, sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    if (n)
        qsort_r(order, n, sizeof *order, compare_probe_indexes, (void *)names);
    struct pair_search s = {.p = p, .names = names, .order = order, .n = n, .out = out, .max = max};
    find_explicit(&s);
    for (size_t i = 0; i < n; i++)
        find_end_of_pair(&s, order[i]);
    free(order);
    return s.found;
}
