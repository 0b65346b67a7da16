/* What must not be in a loop that is unrolled: named in it, in functions of the file that it
 * calls, or, for dynamic shared memory, reached by a pointer. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/words.h"
#include "engine/source_guards/source_impl.h"

enum {
    STEPS = 16,       /* from a pointer to a pointer */
    DEPTH_MOST = 200, /* of calls in calls */
    COUNT_MOST = 1 << 20,
    RAW_MEMBER = 102 /* CXCursor_MemberRefExpr */
};

const char *source_stop_name(enum source_stop s)
{
    static const char *const names[SOURCE_STOPS] = {
        "a barrier", "an atomic operation", "dynamic shared memory", "break", "return", "goto"};
    return names[s];
}

bool source_is_barrier_assembly(const struct syntax_tree *t, size_t i)
{
    static const char *const words[] = {"barrier", "waitcnt", "bar.", "membar",
                                        "fence",   "inv",     "_wb",  "gws"};
    const struct syntax_node *n = &t->nodes[i];
    const char *text = t->source + n->start;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (memmem(text, n->end - n->start, words[k], strlen(words[k])))
            return true;
    return !memmem(text, n->end - n->start, "asm", 3);
}

/* The kind of a node by itself. name: the kind of the name that a reference has. */
static enum source_stop stop_of(const struct syntax_tree *t, size_t i, enum source_name name)
{
    const struct syntax_node *n = &t->nodes[i];
    if (n->flags & SYNTAX_ATOMIC)
        return SOURCE_ATOMIC;
    switch (n->kind) {
    case SYNTAX_REFERENCE:
        if (n->names != SYNTAX_FUNCTION)
            return n->flags & SYNTAX_DYNAMIC ? SOURCE_SHARED : SOURCE_STOPS;
        if (name == NAME_BARRIER)
            return SOURCE_BARRIER;
        return name == NAME_ATOMIC ? SOURCE_ATOMIC : SOURCE_STOPS;
    case SYNTAX_BREAK: {
        size_t above = n->parent;
        while (above && t->nodes[above].kind != SYNTAX_SWITCH && !syntax_is_loop(t, above))
            above = t->nodes[above].parent;
        return syntax_is_loop(t, above) ? SOURCE_BREAK : SOURCE_STOPS;
    }
    case SYNTAX_RETURN:
        return SOURCE_RETURN;
    case SYNTAX_GOTO:
        return SOURCE_GOTO;
    case SYNTAX_ASSEMBLY:
        return t->gpu && source_is_barrier_assembly(t, i) ? SOURCE_BARRIER : SOURCE_STOPS;
    default:
        return SOURCE_STOPS;
    }
}

/* The definition in the file of the function that a call or reference names; 0: there is none. */
static size_t definition_of_callee(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i];
    return n->names == SYNTAX_FUNCTION && n->target &&
                   (t->nodes[n->target].flags & SYNTAX_DEFINITION)
               ? n->target
               : 0;
}

/* --- pointers to dynamic shared memory --- */

/* How an expression refers to that memory. */
enum reach { REACH_NONE, REACH_PLACE, REACH_ADDRESS };

struct pointers {
    const struct syntax_tree *t;
    bool *shared; /* variables and parameters that may point there; functions that return such a
                     pointer */
    bool *given;  /* arguments of calls that lead there */
    bool changed;
};

static bool has_number_type(const struct syntax_tree *t, size_t i)
{
    const char *type = syntax_type(t, i);
    if (strncmp(type, "const ", 6) == 0)
        type += 6;
    return t->nodes[i].bytes > 0 || strcmp(type, "long double") == 0 ||
           words_have("float double _Float16 __fp16 __bf16", type);
}

static enum reach reach_of(const struct syntax_tree *t, size_t i, size_t child, enum reach was)
{
    const bool pointer = strchr(syntax_type(t, i), '*') != NULL;
    switch (t->nodes[i].kind) {
    case SYNTAX_PARENTHESES:
        return was;
    case SYNTAX_SUBSCRIPT:
        return syntax_first(t, i) == child ? REACH_PLACE : REACH_NONE;
    case SYNTAX_UNARY: /* the address of an object, or the object at an address */
        return pointer ? REACH_ADDRESS : REACH_PLACE;
    case SYNTAX_REFERENCE: /* a member */
        if (was == REACH_PLACE || strchr(syntax_type(t, child), '*'))
            return REACH_PLACE;
        break;
    case SYNTAX_CALL:
        if (was == REACH_PLACE || definition_of_callee(t, i))
            return REACH_NONE;
        break;
    default: /* an array is its address */
        if (was == REACH_PLACE && !strchr(syntax_type(t, child), '['))
            return pointer ? REACH_ADDRESS : REACH_NONE;
    }
    return has_number_type(t, i) ? REACH_NONE : REACH_ADDRESS;
}

static void mark_shared(struct pointers *p, size_t declaration)
{
    p->changed |= !p->shared[declaration];
    p->shared[declaration] = true;
}

/* The variable that an assignment to this expression changes, or 0. */
static size_t variable_of(const struct syntax_tree *t, size_t i)
{
    while (i && (t->nodes[i].kind != SYNTAX_REFERENCE || t->nodes[i].raw == RAW_MEMBER))
        i = syntax_first(t, i);
    return i ? t->nodes[i].target : 0;
}

/* Whether it is the first part of a call, which names the called function. */
static bool is_callee(const struct syntax_tree *t, size_t call, size_t child)
{
    const size_t name = t->nodes[call].target;
    while (child && t->nodes[child].kind != SYNTAX_REFERENCE)
        child = syntax_first(t, child);
    return child && t->nodes[child].target == name;
}

/* Marks the variable that keeps the address which the child of a node has. Returns whether there
 * is one. */
static bool mark_kept_address(struct pointers *p, size_t i, size_t child, enum reach reach)
{
    const struct syntax_tree *t = p->t;
    const struct syntax_node *n = &t->nodes[i];
    const bool address = reach == REACH_ADDRESS, first = syntax_first(t, i) == child;
    size_t keeper = 0;
    switch (n->kind) {
    case SYNTAX_VARIABLE:
        keeper = (address && !has_number_type(t, i)) || strchr(syntax_type(t, i), '&') ? i : 0;
        break;
    case SYNTAX_BINARY: /* = too */
    case SYNTAX_ASSIGN:
        keeper =
            address && !first && !has_number_type(t, i) ? variable_of(t, syntax_first(t, i)) : 0;
        break;
    case SYNTAX_RETURN:
        for (keeper = n->parent; keeper && t->nodes[keeper].kind != SYNTAX_FUNCTION;)
            keeper = t->nodes[keeper].parent;
        break;
    case SYNTAX_CALL:
        if (definition_of_callee(t, i) && !(first && is_callee(t, i, child)))
            return p->given[child] = true;
        return false;
    default:
        return false;
    }
    if (keeper)
        mark_shared(p, keeper);
    return keeper != 0;
}

/* Passes the address on to the expression around a node. Returns whether a variable keeps it. */
static bool hand_on(struct pointers *p, size_t i)
{
    const struct syntax_tree *t = p->t;
    const char *type = syntax_type(t, i);
    enum reach reach = strchr(type, '[') || has_number_type(t, i) ? REACH_PLACE : REACH_ADDRESS;
    bool kept = false;
    for (size_t child = i, at = t->nodes[i].parent; at && reach != REACH_NONE;
         child = at, at = t->nodes[at].parent) {
        const uint16_t kind = t->nodes[at].kind;
        kept |= mark_kept_address(p, at, child, reach);
        if (kind != SYNTAX_OTHER && (kind < SYNTAX_REFERENCE || kind > SYNTAX_SUBSCRIPT))
            break;
        reach = reach_of(t, at, child, reach);
    }
    return kept;
}

static void mark_parameters(struct pointers *p, size_t call)
{
    const struct syntax_tree *t = p->t;
    const size_t function = definition_of_callee(t, call);
    size_t argument = syntax_first(t, call), parameter = function ? syntax_first(t, function) : 0;
    if (argument && is_callee(t, call, argument))
        argument = syntax_next(t, argument);
    for (; argument && parameter; parameter = syntax_next(t, parameter)) {
        if (t->nodes[parameter].kind != SYNTAX_PARAMETER)
            continue;
        if (p->given[argument])
            mark_shared(p, parameter);
        argument = syntax_next(t, argument);
    }
}

/* Uses of dynamic shared memory. A reference whose address is kept in a variable does not count:
 * uses of that variable do. */
static void find_shared(const struct syntax_tree *t, uint8_t *stops)
{
    struct pointers p = {.t = t,
                         .shared = xcalloc(t->count, sizeof *p.shared),
                         .given = xcalloc(t->count, sizeof *p.given),
                         .changed = true};
    for (int step = 0; step < STEPS && p.changed; step++) {
        p.changed = false;
        for (size_t i = 1; i < t->count; i++) {
            const struct syntax_node *n = &t->nodes[i];
            const bool used = n->kind == SYNTAX_REFERENCE && n->names != SYNTAX_FUNCTION &&
                              ((n->flags & SYNTAX_DYNAMIC) || p.shared[n->target]);
            if (used)
                stops[i] = hand_on(&p, i) ? SOURCE_STOPS : SOURCE_SHARED;
            else if (n->kind == SYNTAX_CALL && p.shared[n->target])
                hand_on(&p, i);
        }
        for (size_t i = 1; i < t->count; i++)
            if (t->nodes[i].kind == SYNTAX_CALL)
                mark_parameters(&p, i);
    }
    free(p.shared);
    free(p.given);
}

/* --- calls --- */

struct counting {
    const struct syntax_tree *t;
    struct source_stops *s;
    bool *begun; /* functions */
};

static void add_count(uint32_t *to, uint32_t n)
{
    *to = n > COUNT_MOST - *to ? COUNT_MOST : *to + n;
}

static bool in_loop(const struct syntax_tree *t, size_t i, size_t function)
{
    for (size_t at = t->nodes[i].parent; at && at != function; at = t->nodes[at].parent)
        if (syntax_is_loop(t, at))
            return true;
    return false;
}

/* Whether a node names the function that a call calls: the call counts in its place. */
static bool is_called(const struct syntax_tree *t, size_t i)
{
    size_t above = t->nodes[i].parent;
    while (t->nodes[above].kind == SYNTAX_IMPLICIT || t->nodes[above].kind == SYNTAX_PARENTHESES)
        above = t->nodes[above].parent;
    return t->nodes[i].kind == SYNTAX_REFERENCE && t->nodes[above].kind == SYNTAX_CALL &&
           t->nodes[above].target == t->nodes[i].target;
}

static enum source_stop first_of(const struct source_counts *c)
{
    int s = 0;
    while (s <= SOURCE_SHARED && c->all[s] == 0)
        s++;
    return s <= SOURCE_SHARED ? (enum source_stop)s : SOURCE_STOPS;
}

/* Finds what a function contains, including the functions that it calls. */
static void count_stops_in(struct counting *c, size_t function, int depth)
{
    const struct syntax_tree *t = c->t;
    struct source_counts sum = {.all = {0}};
    if (c->begun[function] || depth >= DEPTH_MOST)
        return;
    c->begun[function] = true;
    for (size_t i = function; i < function + t->nodes[function].size; i++) {
        const size_t body = definition_of_callee(t, i);
        const enum source_stop own = (enum source_stop)c->s->of[i];
        if (body)
            count_stops_in(c, body, depth + 1);
        struct source_counts *led = &c->s->counts[body];
        led->called = true;
        if (body && first_of(led) != SOURCE_STOPS) {
            const bool looped = in_loop(t, i, function);
            for (int s = 0; s <= SOURCE_SHARED && !is_called(t, i); s++) {
                add_count(&sum.all[s], led->all[s]);
                add_count(&sum.in_loop[s], looped ? led->all[s] : led->in_loop[s]);
            }
        } else if (own != SOURCE_STOPS) {
            add_count(&sum.all[own], 1);
            add_count(&sum.in_loop[own], in_loop(t, i, function));
        }
    }
    sum.called = c->s->counts[function].called;
    c->s->counts[function] = sum;
}

void source_stops_find(struct source_stops *s, const struct syntax_tree *t, const uint8_t *names)
{
    struct counting c = {.t = t, .s = s, .begun = xcalloc(t->count, sizeof *c.begun)};
    s->of = xcalloc(t->count, sizeof *s->of);
    s->counts = xcalloc(t->count, sizeof *s->counts);
    for (size_t i = 0; i < t->count; i++)
        s->of[i] = (uint8_t)stop_of(t, i, (enum source_name)names[i]);
    find_shared(t, s->of);
    for (size_t i = 1; i < t->count; i++)
        if (t->nodes[i].kind == SYNTAX_FUNCTION)
            count_stops_in(&c, i, 0);
    for (size_t i = 1; i < t->count; i++) {
        const size_t body = definition_of_callee(t, i);
        const enum source_stop led = body ? first_of(&s->counts[body]) : SOURCE_STOPS;
        if (led != SOURCE_STOPS)
            s->of[i] = (uint8_t)led;
    }
    free(c.begun);
}

void source_stops_free(struct source_stops *s)
{
    free(s->of);
    free(s->counts);
}
