/* Loops that must not be unrolled, and the width of a wave. */
#include <ctype.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "engine/source_guards/source_impl.h"

/* --- unrolling --- */

enum stop { STOP_BARRIER, STOP_ATOMIC, STOP_SHARED, STOP_BREAK, STOP_RETURN, STOP_GOTO, STOPS };
static const char *const stop_names[STOPS] = {
    "a barrier", "an atomic operation", "dynamic shared memory", "break", "return", "goto"};

struct stop_counts {
    size_t all[STOPS], in_loop[STOPS];
};

static bool is_dynamic_shared(const struct syntax_tree *t, const struct syntax_node *n)
{
    const size_t to = n->target;
    if (n->names != SYNTAX_VARIABLE || !(n->flags & SYNTAX_EXTERN) || !to)
        return false;
    for (size_t c = syntax_first(t, to); c; c = syntax_next(t, c))
        if (t->nodes[c].kind == SYNTAX_SHARED)
            return true;
    return false;
}

/* Which of them a node is; STOPS: none. */
static enum stop stop_of(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i];
    switch (n->kind) {
    case SYNTAX_REFERENCE:
        if (n->names == SYNTAX_FUNCTION) {
            const enum source_name what = source_name_of(syntax_name(t, i));
            return what == NAME_BARRIER ? STOP_BARRIER : what == NAME_ATOMIC ? STOP_ATOMIC : STOPS;
        }
        return is_dynamic_shared(t, n) ? STOP_SHARED : STOPS;
    case SYNTAX_BREAK: {
        size_t above = n->parent;
        while (above && t->nodes[above].kind != SYNTAX_SWITCH && !syntax_is_loop(t, above))
            above = t->nodes[above].parent;
        return syntax_is_loop(t, above) ? STOP_BREAK : STOPS;
    }
    case SYNTAX_RETURN:
        return STOP_RETURN;
    case SYNTAX_GOTO:
        return STOP_GOTO;
    default:
        return STOPS;
    }
}

const char *source_stop_of(const struct syntax_tree *t, size_t node)
{
    const enum stop what = stop_of(t, node);
    return what < STOPS ? stop_names[what] : NULL;
}

static bool in_loop(const struct syntax_tree *t, size_t i, size_t function)
{
    for (size_t at = t->nodes[i].parent; at && at != function; at = t->nodes[at].parent)
        if (syntax_is_loop(t, at))
            return true;
    return false;
}

/* In the function; of barriers and the like also in new helpers. */
static struct stop_counts count_stops(const struct source_side *s, const bool *fresh)
{
    const struct syntax_tree *t = s->tree;
    const size_t f = s->function, end = f + t->nodes[f].size;
    struct stop_counts c = {.all = {0}};
    for (size_t i = 1; i < t->count; i++) {
        const bool inside = i >= f && i < end;
        const enum stop k = inside || (fresh && fresh[i]) ? stop_of(t, i) : STOPS;
        if (k == STOPS || (!inside && k >= STOP_BREAK))
            continue;
        c.all[k]++;
        c.in_loop[k] += in_loop(t, i, f);
    }
    return c;
}

/* How many loops have a #pragma unroll above them and one of these in them; *line of the last. */
static size_t asked_to_unroll(const struct source_side *s, uint32_t *line, enum stop *what)
{
    const struct syntax_tree *t = s->tree;
    size_t found = 0;
    for (size_t i = 0; i + 2 < s->tokens.n; i++) {
        bool unroll = false;
        size_t end = i + 1, loop = 0;
        if (s->tokens.list[i].directive != 2)
            continue;
        for (; end < s->tokens.n && s->tokens.list[end].directive == 1; end++)
            unroll |= syntax_token_is(t->source, &s->tokens.list[end], "unroll");
        for (size_t k = 1; unroll && k < t->count && !loop; k++)
            if (syntax_is_loop(t, k) && t->nodes[k].start >= s->tokens.list[end - 1].end)
                loop = k;
        for (size_t k = loop; loop && k < loop + t->nodes[loop].size; k++)
            if (stop_of(t, k) != STOPS) {
                *line = t->nodes[loop].line;
                *what = stop_of(t, k);
                found++;
                break;
            }
    }
    return found;
}

int source_check_unroll(const struct source_check *k)
{
    const struct stop_counts was = count_stops(&k->baseline, NULL),
                             is = count_stops(&k->candidate, k->fresh);
    uint32_t line = 0;
    enum stop what = STOPS;
    int rc = 0;
    for (int s = 0; s < STOPS && rc == 0; s++)
        if (was.in_loop[s] > 0 && is.all[s] > was.all[s])
            rc = source_object(k, GUARD_UNROLL,
                               "%s stands in a loop of the baseline, and %zu times in the "
                               "candidate, %zu before",
                               stop_names[s], is.all[s], was.all[s]);
    if (rc == 0 && asked_to_unroll(&k->candidate, &line, &what) >
                       asked_to_unroll(&k->baseline, &(uint32_t){0}, &(enum stop){STOPS}))
        rc = source_object(k, GUARD_UNROLL, "line %u: a #pragma unrolls a loop with %s in it", line,
                           what < STOPS ? stop_names[what] : "");
    return rc;
}

/* --- the width of a wave --- */

struct lanes {
    const struct syntax_tree *t;
    size_t from, end; /* nodes that are looked at */
    bool *derived;    /* variables whose value comes from the place in a wave */
};

static bool is_lane_name(const char *name)
{
    static const char *const names[] = {"threadIdx", "hipThreadIdx_x", "hipThreadIdx_y",
                                        "warpSize",  "__lane_id",      "get_local_id",
                                        "laneId",    "lane_id",        "thread_rank"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return strncmp(name, "__builtin_amdgcn_workitem_id", 28) == 0 ||
           source_name_of(name) == NAME_LANES;
}

static bool is_lane(const struct lanes *l, size_t i)
{
    const struct syntax_node *n = &l->t->nodes[i];
    return n->kind == SYNTAX_REFERENCE &&
           (is_lane_name(syntax_name(l->t, i)) || (n->target && l->derived[n->target]));
}

static bool has_lane(const struct lanes *l, size_t node)
{
    for (size_t i = node; i < node + l->t->nodes[node].size; i++)
        if (is_lane(l, i))
            return true;
    return false;
}

/* Variables that are made from lanes, from variables that are, and so on: a few steps. */
static void find_derived(const struct lanes *l)
{
    enum { STEPS = 6 };
    for (int s = 0; s < STEPS; s++)
        for (size_t i = 1; i < l->t->count; i++) {
            const struct syntax_node *n = &l->t->nodes[i];
            const size_t first = syntax_first(l->t, i);
            if (n->kind == SYNTAX_VARIABLE && n->size < 256 && has_lane(l, i))
                l->derived[i] = true;
            if ((n->kind == SYNTAX_BINARY || n->kind == SYNTAX_ASSIGN) && n->size < 256 && first &&
                l->t->nodes[first].kind == SYNTAX_REFERENCE && l->t->nodes[first].target &&
                has_lane(l, i))
                l->derived[l->t->nodes[first].target] = true;
        }
}

/* A number, or a variable that was given one; -1: another thing. */
static int64_t number_of(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i];
    if (n->kind == SYNTAX_INTEGER)
        return n->value;
    if (n->kind == SYNTAX_REFERENCE && n->names == SYNTAX_VARIABLE && n->target)
        for (size_t c = n->target; c < n->target + t->nodes[n->target].size; c++)
            if (t->nodes[c].kind == SYNTAX_INTEGER)
                return t->nodes[c].value;
    return -1;
}

/* Whether an expression is made of numbers alone. */
static bool is_constant(const struct syntax_tree *t, size_t node)
{
    for (size_t i = node; i < node + t->nodes[node].size; i++)
        if (t->nodes[i].kind == SYNTAX_REFERENCE)
            return false;
    return true;
}

/* The operation or call in which a number, or an expression of numbers, is used. */
static size_t user_of(const struct syntax_tree *t, size_t i)
{
    for (size_t at = t->nodes[i].parent; at; at = t->nodes[at].parent) {
        const uint16_t kind = t->nodes[at].kind;
        if ((kind == SYNTAX_BINARY || kind == SYNTAX_ASSIGN || kind == SYNTAX_CALL) &&
            !is_constant(t, at))
            return at;
        if (kind == SYNTAX_BLOCK || kind == SYNTAX_SUBSCRIPT)
            return 0;
    }
    return 0;
}

static bool is_shifted_by(const struct syntax_tree *t, size_t i)
{
    uint32_t at = t->nodes[i].start;
    while (at > 0 && isspace((unsigned char)t->source[at - 1]))
        at--;
    if (at > 0 && t->source[at - 1] == '=')
        at--;
    return at > 1 && t->source[at - 1] == t->source[at - 2] &&
           (t->source[at - 1] == '<' || t->source[at - 1] == '>');
}

/* What node i assumes about the width: a name, or a number in words; "" of none. */
static const char *assumption(const struct lanes *l, size_t i, char text[32])
{
    const struct syntax_node *n = &l->t->nodes[i];
    const char *name = syntax_name(l->t, i);
    if (n->kind == SYNTAX_REFERENCE &&
        (strcmp(name, "warpSize") == 0 || source_name_of(name) == NAME_LANES))
        return name;
    const int64_t value = number_of(l->t, i);
    const bool width = value == 31 || value == 32 || value == 63 || value == 64,
               shift = (value == 5 || value == 6) && is_shifted_by(l->t, i);
    const size_t user = width || shift ? user_of(l->t, i) : 0;
    if (!user || !has_lane(l, user))
        return "";
    snprintf(text, 32, "the constant %d", (int)value);
    return text;
}

static bool was_assumed(const struct lanes *l, const char *what)
{
    char text[32];
    for (size_t i = l->from; i < l->end; i++)
        if (strcmp(assumption(l, i, text), what) == 0)
            return true;
    return false;
}

int source_check_waves(const struct source_check *k)
{
    const struct syntax_tree *b = k->baseline.tree, *c = k->candidate.tree;
    const size_t f = k->baseline.function;
    struct lanes was = {.t = b, .from = f, .end = f + b->nodes[f].size},
                 is = {.t = c, .from = 1, .end = c->count};
    char text[32];
    int rc = 0;
    if (!c->gpu)
        return 0;
    was.derived = xcalloc(b->count, sizeof *was.derived);
    is.derived = xcalloc(c->count, sizeof *is.derived);
    find_derived(&was);
    find_derived(&is);
    for (size_t i = is.from; i < is.end && rc == 0; i++) {
        const char *what = k->fresh[i] ? assumption(&is, i, text) : "";
        if (*what && !was_assumed(&was, what))
            rc = source_object(k, GUARD_WAVE, "line %u: %.60s assumes the width of a wave",
                               c->nodes[i].line, what);
    }
    free(was.derived);
    free(is.derived);
    return rc;
}
