/* Which expressions differ between the work-items of a work-group: the index of an item, values
 * computed from it, and variables assigned under a condition on them. And which pointers lead to
 * the shared memory of a work-group. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/words.h"
#include "engine/source_guards/source_flow.h"

enum { PASSES_MOST = 1024, RAW_DO = 208, RAW_CHOICE = 116 };

/* A function by its name that the file does not define. */
static bool names_work_item(const char *name)
{
    static const char *const parts[] = {"local_",  "global_", "lane",  "thread_", "item_",
                                        "_linear", "Local",   "Lane",  "Thread",  "item",
                                        "_tid",    "tid_",    "_rank", "_index"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return words_have("tid rank", name);
}

bool source_is_lane(const char *name)
{
    return words_have("threadIdx hipThreadIdx_x hipThreadIdx_y hipThreadIdx_z warpSize __lane_id "
                      "get_local_id laneId lane_id thread_rank",
                      name) ||
           strncmp(name, "__builtin_amdgcn_workitem_id", 28) == 0;
}

static bool names_lane(const void *lanes, const struct syntax_tree *t, size_t i)
{
    const struct source_lanes *l = lanes;
    const struct syntax_node *n = &t->nodes[i];
    if (n->kind != SYNTAX_REFERENCE && n->kind != SYNTAX_CALL)
        return false;
    const char *name = syntax_name(t, i);
    if (n->target && l->differs[n->target])
        return true;
    if (source_is_lane(name) || l->names[i] == NAME_LANES)
        return true;
    return n->names == SYNTAX_FUNCTION && l->names[i] == NAME_PLAIN &&
           !(n->target && (t->nodes[n->target].flags & SYNTAX_DEFINITION)) && names_work_item(name);
}

static bool names_shared(const void *lanes, const struct syntax_tree *t, size_t i)
{
    const struct source_lanes *l = lanes;
    const struct syntax_node *n = &t->nodes[i];
    return (n->kind == SYNTAX_REFERENCE || n->kind == SYNTAX_CALL) &&
           ((n->flags & SYNTAX_DYNAMIC) || (n->target && l->shared[n->target]));
}

size_t source_body_of_loop(const struct syntax_tree *t, size_t loop)
{
    size_t last = syntax_first(t, loop);
    if (t->nodes[loop].raw == RAW_DO)
        return last;
    for (size_t c = last; c; c = syntax_next(t, c))
        last = c;
    return last;
}

bool source_is_choice(const struct syntax_tree *t, size_t i)
{
    return t->nodes[i].kind == SYNTAX_IF || t->nodes[i].kind == SYNTAX_SWITCH ||
           t->nodes[i].raw == RAW_CHOICE;
}

size_t source_behind_condition(const struct syntax_tree *t, size_t i)
{
    size_t c = syntax_first(t, i);
    if (c && (t->nodes[c].kind == SYNTAX_DECLARATIONS || t->nodes[c].kind == SYNTAX_VARIABLE))
        c = syntax_next(t, c); /* if (int k = 1; k > n), if (int k = n) */
    return c ? syntax_next(t, c) : 0;
}

bool source_differs(const struct source_lanes *l, size_t node)
{
    return source_has_node(l->t, l->lanes, node);
}

bool source_decides_by_lane(const struct source_lanes *l, size_t node)
{
    const struct syntax_tree *t = l->t;
    if (syntax_is_loop(t, node)) {
        const size_t body = source_body_of_loop(t, node);
        for (size_t c = syntax_first(t, node); c; c = syntax_next(t, c))
            if (c != body && source_differs(l, c))
                return true;
        return false;
    }
    const size_t behind = source_is_choice(t, node) ? source_behind_condition(t, node) : 0;
    for (size_t c = syntax_first(t, node); c && c != behind; c = syntax_next(t, c))
        if (source_differs(l, c))
            return true;
    return false;
}

size_t source_root(const struct syntax_tree *t, size_t i)
{
    enum { RAW_MEMBER = 102 };
    while (i && (t->nodes[i].kind != SYNTAX_REFERENCE || t->nodes[i].raw == RAW_MEMBER)) {
        if (t->nodes[i].kind == SYNTAX_CALL)
            return 0;
        i = syntax_first(t, i);
    }
    return i;
}

enum source_operator source_operator(const struct syntax_tree *t, size_t i)
{
    const size_t a = syntax_first(t, i), b = a ? syntax_next(t, a) : 0;
    if (!b || t->nodes[a].start == t->nodes[b].start) /* a macro makes both */
        return a && strcmp(syntax_type(t, a), "void") == 0 ? OPERATOR_COMMA : OPERATOR_UNKNOWN;
    const char *at = t->source + t->nodes[a].end, *end = t->source + t->nodes[b].start;
    for (; at < end && !strchr("&|=,<>!+-*/%^", *at);)
        at++;
    if (at >= end)
        return OPERATOR_UNKNOWN;
    if (*at == ',')
        return OPERATOR_COMMA;
    if ((*at == '&' || *at == '|') && at[1] == *at)
        return OPERATOR_LOGIC;
    return *at == '=' && at[1] != '=' ? OPERATOR_ASSIGN : OPERATOR_OTHER;
}

/* --- what follows from what --- */

static void mark_declaration(struct source_lanes *l, bool *of, size_t declaration)
{
    if (declaration && !of[declaration]) {
        of[declaration] = true;
        l->changed = true;
    }
}

static size_t target_of_root(const struct syntax_tree *t, size_t expression)
{
    const size_t root = source_root(t, expression);
    return root ? t->nodes[root].target : 0;
}

static bool changes_first(const struct syntax_tree *t, size_t i)
{
    const uint16_t kind = t->nodes[i].kind;
    if (kind == SYNTAX_ASSIGN)
        return true;
    if (kind == SYNTAX_UNARY) {
        const char c = t->source[t->nodes[i].start],
                   last = t->nodes[i].end > 0 ? t->source[t->nodes[i].end - 1] : '\0';
        return c == '+' || c == '-' || last == '+' || last == '-';
    }
    const enum source_operator op = kind == SYNTAX_BINARY ? source_operator(t, i) : OPERATOR_OTHER;
    return op == OPERATOR_ASSIGN || op == OPERATOR_UNKNOWN;
}

static void follow_call(struct source_lanes *l, size_t call)
{
    const struct syntax_tree *t = l->t;
    const size_t function = t->nodes[call].names == SYNTAX_FUNCTION ? t->nodes[call].target : 0;
    const size_t callee = source_callee(t, call);
    size_t parameter = function ? syntax_first(t, function) : 0;
    for (size_t c = syntax_first(t, call); c; c = syntax_next(t, c)) {
        if (c == callee)
            continue;
        while (parameter && t->nodes[parameter].kind != SYNTAX_PARAMETER)
            parameter = syntax_next(t, parameter);
        if (parameter && source_differs(l, c))
            mark_declaration(l, l->differs, parameter);
        if (parameter && source_has_node(t, l->to_shared, c) &&
            strpbrk(syntax_type(t, parameter), "*&["))
            mark_declaration(l, l->shared, parameter);
        if (t->nodes[c].kind == SYNTAX_UNARY && source_differs(l, call))
            mark_declaration(l, l->differs, target_of_root(t, c));
        parameter = parameter ? syntax_next(t, parameter) : 0;
    }
}

static void follow_node(struct source_lanes *l, size_t i, bool under)
{
    const struct syntax_tree *t = l->t;
    const struct syntax_node *n = &t->nodes[i];
    if (n->kind == SYNTAX_VARIABLE) {
        if (source_differs(l, i))
            mark_declaration(l, l->differs, i);
        if (source_has_node(t, l->to_shared, i) && strpbrk(syntax_type(t, i), "*&"))
            mark_declaration(l, l->shared, i);
    } else if (changes_first(t, i)) {
        const size_t to = target_of_root(t, syntax_first(t, i));
        if (to && (under || source_differs(l, i)))
            mark_declaration(l, l->differs, to);
        if (to && source_has_node(t, l->to_shared, i) && strchr(syntax_type(t, to), '*'))
            mark_declaration(l, l->shared, to);
    } else if (n->kind == SYNTAX_CALL)
        follow_call(l, i);
    else if (n->kind == SYNTAX_RETURN && (under || source_differs(l, i))) {
        size_t function = n->parent;
        while (function && t->nodes[function].kind != SYNTAX_FUNCTION)
            function = t->nodes[function].parent;
        mark_declaration(l, l->differs, function);
    }
}

static void count_again(struct source_lanes *l)
{
    free(l->lanes);
    free(l->to_shared);
    l->lanes = source_count_nodes(l->t, names_lane, l);
    l->to_shared = source_count_nodes(l->t, names_shared, l);
}

void source_lanes_open(struct source_lanes *l, const struct syntax_tree *t, const uint8_t *names)
{
    bool *under = xcalloc(t->count, sizeof *under);
    *l = (struct source_lanes){.t = t,
                               .names = names,
                               .differs = xcalloc(t->count, sizeof *l->differs),
                               .shared = xcalloc(t->count, sizeof *l->shared)};
    for (size_t i = 1; i < t->count; i++)
        if (t->nodes[i].kind == SYNTAX_SHARED)
            l->shared[t->nodes[i].parent] = true;
    count_again(l);
    for (int pass = 0; pass < PASSES_MOST; pass++) {
        l->changed = false;
        for (size_t i = 1; i < t->count; i++) {
            const size_t above = t->nodes[i].parent;
            under[i] = under[above] || ((source_is_choice(t, above) || syntax_is_loop(t, above)) &&
                                        source_decides_by_lane(l, above));
            follow_node(l, i, under[i]);
        }
        if (!l->changed)
            break;
        count_again(l);
    }
    free(under);
}

void source_lanes_close(struct source_lanes *l)
{
    free(l->differs);
    free(l->shared);
    free(l->lanes);
    free(l->to_shared);
}
