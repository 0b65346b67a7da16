#include "engine/path/what_if.h"

#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"

/* --- what is asked --- */

static int bad_spec(struct error *err, const char *spec, const char *why)
{
    return error_set(err, ERROR_USAGE, EINVAL,
                     "as in NAME=2, ~REGEX=1.5 or NAME=gone, the factor at least 0.001", spec, "%s",
                     why);
}

static bool read_speed(const char *text, double *out)
{
    char *end;
    if (strcmp(text, "gone") == 0) {
        *out = INFINITY;
        return true;
    }
    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= WHAT_IF_SLOWEST;
}

static bool read_node_number(const char *text, uint32_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *out = (uint32_t)n;
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && n < GRAPH_NONE;
}

int what_if_parse(struct what_if_change *out, const char *spec, struct error *err)
{
    const char *factor = strrchr(spec, '=');
    *out = (struct what_if_change){.by = WHAT_IF_NAME, .node = GRAPH_NONE};
    if (!factor || !read_speed(factor + 1, &out->speed))
        return bad_spec(err, spec, "it does not end in =FACTOR");
    const char *from = spec;
    if (*from == '~')
        out->by = WHAT_IF_REGEX, from++;
    size_t n = (size_t)(factor - from);
    if (n == 0 || n >= sizeof out->text)
        return bad_spec(err, spec, n ? "the name is too long" : "nothing is said to be faster");
    memcpy(out->text, from, n);
    if (*from == '#' && out->by == WHAT_IF_NAME && read_node_number(out->text + 1, &out->node))
        out->by = WHAT_IF_NODE;
    return 0;
}

/* --- which nodes --- */

static bool can_change(const struct graph *g, uint32_t v)
{
    return g->kind[v] != NODE_PROGRAM && g->kind[v] != NODE_THREAD && g->kind[v] != NODE_QUEUE;
}

static bool is_inside_parent(const struct graph *g, uint32_t v)
{
    return g->parent[v] != GRAPH_NONE && g->via[v] != EDGE_LAUNCHES;
}

/* of_name: for each name 1 + its change, 0 = none. taken: for each change, whether a later change
 * took over something that it named. */
struct what_if_named {
    uint8_t *of_name;
    bool taken[WHAT_IF_MOST + 1];
};

static int match_names(const struct graph *g, const struct what_if_change *c, uint8_t number,
                       struct what_if_named *named, struct error *err)
{
    regex_t re;
    if (c->by == WHAT_IF_REGEX) {
        int bad_at = regcomp(&re, c->text, REG_EXTENDED | REG_NOSUB);
        if (bad_at) {
            char why[128];
            regerror(bad_at, &re, why, sizeof why);
            return error_set(err, ERROR_USAGE, EINVAL, NULL, c->text, "%s", why);
        }
    }
    for (uint32_t i = 0; i < g->nnames && c->by != WHAT_IF_NODE; i++) {
        const char *name = graph_text(g, i);
        if (c->by == WHAT_IF_REGEX ? regexec(&re, name, 0, NULL, 0) == 0
                                   : strcmp(name, c->text) == 0) {
            named->taken[named->of_name[i]] = true;
            named->of_name[i] = number;
        }
    }
    if (c->by == WHAT_IF_REGEX)
        regfree(&re);
    return 0;
}

/* Parents come before children, so everything inside a changed node changes too. */
static void set_groups(const struct graph *g, const uint8_t *of_name, uint8_t *group,
                       uint32_t *found)
{
    for (uint32_t v = 0; v < g->nnodes; v++) {
        uint8_t own = group[v]; /* from a change of this node itself */
        if (!own && can_change(g, v) && g->name[v] < g->nnames)
            own = of_name[g->name[v]];
        found[own]++;
        if (!own && is_inside_parent(g, v))
            own = group[g->parent[v]];
        group[v] = own;
    }
}

static int choose_changed_nodes(const struct graph *g, const struct what_if_change *changes,
                                size_t n, uint8_t *group, struct what_if *out, struct error *err)
{
    struct what_if_named named = {.of_name = xcalloc(g->nnames + (size_t)1, 1)};
    uint32_t found[WHAT_IF_MOST + 1] = {0};
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        uint32_t node = changes[i].by == WHAT_IF_NODE ? changes[i].node : GRAPH_NONE;
        rc = match_names(g, &changes[i], (uint8_t)(i + 1), &named, err);
        if (node < g->nnodes && can_change(g, node)) {
            named.taken[group[node]] = true;
            group[node] = (uint8_t)(i + 1);
        }
    }
    if (rc == 0)
        set_groups(g, named.of_name, group, found);
    for (size_t i = 0; i < n && rc == 0; i++) {
        out->changed += found[i + 1];
        if (found[i + 1] == 0 && !named.taken[i + 1])
            rc = error_set(err, ERROR_INPUT, ENOENT, "a part of a name is found with ~PART=FACTOR",
                           changes[i].text, "the profile has nothing of that name");
    }
    free(named.of_name);
    return rc;
}

int what_if_find(const struct graph *g, const struct critical_path *before,
                 const struct what_if_change *changes, size_t n, struct what_if *out,
                 struct error *err)
{
    *out = (struct what_if){.before = before->length, .after = before->length};
    if (n > WHAT_IF_MOST)
        return error_set(err, ERROR_USAGE, E2BIG, NULL, "what-if", "more than %d changes at once",
                         WHAT_IF_MOST);
    struct critical_change change = {.speed[0] = 1};
    uint8_t *group = calloc(g->nnodes + (size_t)1, 1);
    if (!group)
        return error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it", "what-if",
                         "no memory for %u nodes", g->nnodes);
    for (size_t i = 0; i < n; i++)
        change.speed[i + 1] = changes[i].speed;
    change.group = group;
    int rc = choose_changed_nodes(g, changes, n, group, out, err);
    if (rc == 0)
        rc = critical_path_changed(g, &change, &out->path, err);
    if (rc == 0) {
        path_names_find(g, &out->path, &out->shares);
        rc = watch_check("what-if", err);
        out->after = out->path.length;
    }
    free(group);
    return rc;
}

void what_if_free(struct what_if *w)
{
    critical_path_free(&w->path);
    path_shares_free(&w->shares);
}

/* --- what each would buy --- */

static bool can_hasten(const struct path_name *n)
{
    return n->part != PATH_LATENCY && n->part != PATH_WAIT && n->kind != NODE_PROGRAM &&
           n->kind != NODE_THREAD && n->kind != NODE_QUEUE;
}

/* Some rows may have the same name and kind: only the first of them counts. */
static uint32_t choose_rows(const struct path_shares *s, uint32_t most, struct what_if_best *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->nnames && n < most && n < WHAT_IF_BEST; i++) {
        bool take = can_hasten(&s->names[i]) && s->names[i].ns > 0;
        for (uint32_t k = 0; k < n; k++)
            take &= s->names[out[k].row].name != s->names[i].name ||
                    s->names[out[k].row].kind != s->names[i].kind;
        if (take)
            out[n++].row = i;
    }
    return n;
}

/* One bit for each row; nodes inside a marked node get its bits too. */
static uint8_t *mark_rows(const struct graph *g, const struct path_shares *s,
                          const struct what_if_best *rows, uint32_t n)
{
    uint8_t *group = calloc(g->nnodes + (size_t)1, 1);
    for (uint32_t v = 0; group && v < g->nnodes; v++) {
        group[v] = is_inside_parent(g, v) ? group[g->parent[v]] : 0;
        for (uint32_t k = 0; k < n; k++)
            if (s->names[rows[k].row].name == g->name[v] &&
                s->names[rows[k].row].kind == g->kind[v])
                group[v] |= (uint8_t)(1U << k);
    }
    return group;
}

int what_if_best(struct path_work *w, const struct graph *g, const struct critical_path *before,
                 const struct path_shares *shares, double speed, struct what_if_best *out,
                 uint32_t *n, struct error *err)
{
    uint64_t lengths[WHAT_IF_BEST] = {0};
    *n = choose_rows(shares, *n, out);
    if (*n == 0)
        return 0;
    uint8_t *group = mark_rows(g, shares, out, *n);
    struct critical_change *changes = xcalloc(*n, sizeof *changes);
    for (uint32_t k = 0; k < *n; k++) {
        changes[k].group = group;
        for (unsigned mask = 0; mask < 256; mask++)
            changes[k].speed[mask] = mask >> k & 1 ? speed : 1;
    }
    int rc = group ? critical_path_lengths(w, changes, *n, lengths, err)
                   : error_set(err, ERROR_INTERNAL, ENOMEM, "open a smaller part of it", "what-if",
                               "no memory for %u nodes", g->nnodes);
    for (uint32_t k = 0; k < *n && rc == 0; k++) {
        out[k].length = lengths[k];
        out[k].gain = lengths[k] < before->length ? before->length - lengths[k] : 0;
    }
    *n = rc == 0 ? *n : 0;
    free(group);
    free(changes);
    return rc;
}

int what_if_path(const struct trace *t, struct critical_path *path, struct path_shares *shares,
                 struct what_if_best *best, uint32_t *nbest, struct error *err)
{
    struct path_work *w;
    uint32_t most = *nbest;
    *nbest = 0;
    *path = (struct critical_path){0};
    *shares = (struct path_shares){0};
    int rc = critical_path_begin(t->calls, &w, err);
    if (rc == 0)
        rc = critical_path_search(w, path, err);
    if (rc == 0)
        path_shares_find(t, path, shares);
    if (rc == 0)
        rc = what_if_best(w, t->calls, path, shares, 2, best, &most, err);
    if (rc == 0)
        *nbest = most;
    critical_path_end(w);
    return rc;
}
