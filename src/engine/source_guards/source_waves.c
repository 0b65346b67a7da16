/* What depends on the width of a wave: functions of lanes, and numbers that are widths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/source_guards/source_impl.h"

struct lanes {
    const struct source_side *side;
    const struct syntax_tree *t;
    size_t from, end; /* nodes that are looked at */
    bool *named;      /* nodes whose name is that of a lane */
    bool *derived;    /* variables whose value depends on the lane */
    /* Element i: how many of the nodes before i are references to names, and how many are lanes
     * (source_count_nodes makes both). */
    uint32_t *references, *all;
    uint32_t *next_number; /* the first whole number from each node on; the number of nodes */
};

/* What is assumed about the width: a name, or (0: nothing) a number. */
struct assumption {
    const char *name;
    int number;
};

static bool is_lane(const void *lanes, const struct syntax_tree *t, size_t i)
{
    const struct lanes *l = lanes;
    const struct syntax_node *n = &t->nodes[i];
    return n->kind == SYNTAX_REFERENCE && (l->named[i] || (n->target && l->derived[n->target]));
}

static bool is_reference(const void *ctx, const struct syntax_tree *t, size_t i)
{
    (void)ctx;
    return t->nodes[i].kind == SYNTAX_REFERENCE;
}

/* Looks at every node, because derived variables are not known yet. */
static bool has_lane(const struct lanes *l, size_t node)
{
    for (size_t i = node; i < node + l->t->nodes[node].size; i++)
        if (is_lane(l, l->t, i))
            return true;
    return false;
}

/* Variables computed from lanes, from such variables, and so on: a few steps. */
static void find_derived(const struct lanes *l)
{
    enum { STEPS = 6, SIZE_MOST = 256 };
    for (int s = 0; s < STEPS; s++)
        for (size_t i = 1; i < l->t->count; i++) {
            const struct syntax_node *n = &l->t->nodes[i];
            const size_t first = syntax_first(l->t, i);
            if (n->size >= SIZE_MOST)
                continue;
            if (n->kind == SYNTAX_VARIABLE && !l->derived[i] && has_lane(l, i))
                l->derived[i] = true;
            if ((n->kind == SYNTAX_BINARY || n->kind == SYNTAX_ASSIGN) && first &&
                l->t->nodes[first].kind == SYNTAX_REFERENCE && l->t->nodes[first].target &&
                !l->derived[l->t->nodes[first].target] && has_lane(l, i))
                l->derived[l->t->nodes[first].target] = true;
        }
}

static void lanes_open(struct lanes *l, const struct source_side *side, size_t from, size_t end)
{
    const struct syntax_tree *t = side->tree;
    *l = (struct lanes){.side = side, .t = t, .from = from, .end = end};
    l->named = xcalloc(t->count, sizeof *l->named);
    l->derived = xcalloc(t->count, sizeof *l->derived);
    l->next_number = xcalloc(t->count + 1, sizeof *l->next_number);
    l->next_number[t->count] = (uint32_t)t->count;
    for (size_t i = t->count; i-- > 0;) {
        l->named[i] = is_reference(NULL, t, i) &&
                      (side->names[i] == NAME_LANES || source_is_lane(syntax_name(t, i)));
        l->next_number[i] =
            t->nodes[i].kind == SYNTAX_INTEGER ? (uint32_t)i : l->next_number[i + 1];
    }
    find_derived(l);
    l->references = source_count_nodes(t, is_reference, NULL);
    l->all = source_count_nodes(t, is_lane, l);
}

static void lanes_close(struct lanes *l)
{
    free(l->named);
    free(l->derived);
    free(l->next_number);
    free(l->references);
    free(l->all);
}

/* The value of a number, or of a variable that was assigned one; -1: anything else. */
static int64_t integer_of_node(const struct lanes *l, size_t i)
{
    const struct syntax_node *n = &l->t->nodes[i];
    if (n->kind == SYNTAX_INTEGER)
        return n->value;
    if (n->kind != SYNTAX_REFERENCE || n->names != SYNTAX_VARIABLE || !n->target)
        return -1;
    const size_t number = l->next_number[n->target];
    return number < n->target + l->t->nodes[n->target].size ? l->t->nodes[number].value : -1;
}

/* The operation or call in which a number, or an expression of numbers, is used. */
static size_t user_of(const struct lanes *l, size_t i)
{
    const struct syntax_tree *t = l->t;
    for (size_t at = t->nodes[i].parent; at; at = t->nodes[at].parent) {
        const uint16_t kind = t->nodes[at].kind;
        if ((kind == SYNTAX_BINARY || kind == SYNTAX_ASSIGN || kind == SYNTAX_CALL) &&
            source_has_node(t, l->references, at))
            return at;
        if (kind == SYNTAX_BLOCK || kind == SYNTAX_SUBSCRIPT)
            return 0;
    }
    return 0;
}

/* Whether >> or <<, also with =, is before a node. */
static bool is_shifted_by(const struct lanes *l, size_t i)
{
    const char *text = l->t->source;
    const struct syntax_token *list = l->side->tokens.list;
    size_t at = source_first_token(l->side, l->t->nodes[i].start);
    if (at > 0 && syntax_token_is(text, &list[at - 1], "=") && list[at - 1].touches)
        at--;
    return at > 1 && list[at - 1].touches &&
           ((syntax_token_is(text, &list[at - 1], "<") &&
             syntax_token_is(text, &list[at - 2], "<")) ||
            (syntax_token_is(text, &list[at - 1], ">") &&
             syntax_token_is(text, &list[at - 2], ">")));
}

/* What node i assumes about the width. */
static struct assumption find_wave_assumption(const struct lanes *l, size_t i)
{
    const struct syntax_node *n = &l->t->nodes[i];
    const char *name = syntax_name(l->t, i);
    if (n->kind == SYNTAX_REFERENCE &&
        (l->side->names[i] == NAME_LANES || strcmp(name, "warpSize") == 0 ||
         strcmp(name, "__builtin_amdgcn_wave_barrier") == 0))
        return (struct assumption){.name = name};
    const int64_t value = integer_of_node(l, i);
    const bool width = value == 31 || value == 32 || value == 63 || value == 64,
               shift = (value == 5 || value == 6) && is_shifted_by(l, i);
    const size_t user = width || shift ? user_of(l, i) : 0;
    return (struct assumption){.number =
                                   user && source_has_node(l->t, l->all, user) ? (int)value : 0};
}

/* Assumptions of the nodes: names, sorted, and a bit for each number. */
struct assumed {
    struct source_set names;
    uint64_t numbers[2];
};

static uint64_t bit_of(int number)
{
    return (uint64_t)1 << (number & 63);
}

static struct assumed all_of(const struct lanes *l)
{
    struct assumed a = {.numbers = {0}};
    for (size_t i = l->from; i < l->end; i++) {
        const struct assumption what = find_wave_assumption(l, i);
        if (what.name)
            source_set_add(&a.names, what.name);
        else if (what.number)
            a.numbers[what.number / 64] |= bit_of(what.number);
    }
    source_set_sort(&a.names);
    return a;
}

static bool was_assumed(const struct assumed *was, const struct assumption *what)
{
    return what->name ? source_set_has(&was->names, what->name)
                      : (was->numbers[what->number / 64] & bit_of(what->number)) != 0;
}

static int check_new_assumptions(const struct source_check *k, const struct lanes *is,
                                 const struct assumed *was)
{
    char text[32];
    for (size_t i = is->from; i < is->end; i++) {
        const struct assumption what =
            k->fresh[i] ? find_wave_assumption(is, i) : (struct assumption){.name = NULL};
        if ((!what.name && !what.number) || was_assumed(was, &what))
            continue;
        snprintf(text, sizeof text, "the constant %d", what.number);
        if (source_refuse(k, GUARD_WAVE, "line %u: %.60s assumes the width of a wave",
                          is->t->nodes[i].line, what.name ? what.name : text))
            return 1;
    }
    return 0;
}

int source_check_waves(const struct source_check *k)
{
    const size_t f = k->baseline.function;
    struct lanes was, is;
    if (!k->candidate.tree->gpu)
        return 0;
    lanes_open(&was, &k->baseline, f, f + k->baseline.tree->nodes[f].size);
    lanes_open(&is, &k->candidate, 1, k->candidate.tree->count);
    struct assumed before = all_of(&was);
    const int rc = check_new_assumptions(k, &is, &before);
    source_set_free(&before.names);
    lanes_close(&was);
    lanes_close(&is);
    return rc;
}
