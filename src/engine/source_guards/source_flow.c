#include "engine/source_guards/source_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/words.h"

enum {
    EVENTS_MOST = 1 << 16,
    STEPS_MOST = 1 << 22,
    CALLS_MOST = 32, /* in each other */
    PLAIN_MOST = 8,  /* of these, without a barrier */
    DEPTH_MOST = 4000,
    RAW_DO = 208,
    RAW_SIZEOF = 136,
    RAW_BLOCK = 105,
    RAW_LAMBDA = 144,
    RAW_TYPEID = 129,
    RAW_GENERIC = 122
};

struct walk {
    const struct source_side *s;
    const struct syntax_tree *t;
    const struct source_lanes *l;
    struct source_flow *f;
    uint32_t unit, units;
    size_t steps;
    int calls, depth;
};

size_t source_callee(const struct syntax_tree *t, size_t call)
{
    const size_t first = syntax_first(t, call);
    size_t at = first;
    while (at && t->nodes[at].kind != SYNTAX_REFERENCE)
        at = syntax_first(t, at);
    return at && strcmp(syntax_name(t, at), syntax_name(t, call)) == 0 ? first : 0;
}

static size_t body_of_flow_call(const struct syntax_tree *t, size_t i)
{
    const struct syntax_node *n = &t->nodes[i];
    return n->names == SYNTAX_FUNCTION && n->target &&
                   (t->nodes[n->target].flags & SYNTAX_DEFINITION)
               ? n->target
               : 0;
}

/* --- barriers --- */

bool source_is_barrier(const struct source_side *s, size_t i)
{
    const struct syntax_node *n = &s->tree->nodes[i];
    if (n->kind == SYNTAX_ASSEMBLY)
        return source_is_barrier_assembly(s->tree, i);
    return (n->kind == SYNTAX_CALL || n->kind == SYNTAX_REFERENCE) &&
           (n->names == SYNTAX_FUNCTION || n->names == SYNTAX_REFERENCE) &&
           s->names[i] == NAME_BARRIER && !body_of_flow_call(s->tree, i);
}

static uint64_t add_bytes(uint64_t hash, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) /* FNV-1a */
        hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001b3;
    return hash;
}

/* The tokens of a node: of an index, of the arguments of a fence. */
static uint64_t hash_node_words(uint64_t hash, const struct source_side *s, size_t i)
{
    const struct syntax_node *n = &s->tree->nodes[i];
    for (size_t k = source_first_token(s, n->start);
         k < s->tokens.n && s->tokens.list[k].start < n->end; k++) {
        const struct syntax_token *token = &s->tokens.list[k];
        hash = add_bytes(hash, s->tree->source + token->start, token->end - token->start);
        hash = add_bytes(hash, " ", 1);
    }
    return hash;
}

/* Barriers of HIP's that do the same under other names: all work-items of a work-group wait, and
 * then each sees what the others stored. */
static uint64_t barrier_key(const struct source_side *s, size_t i, bool *meets)
{
    static const char all[] =
        "__syncthreads __syncthreads_or __syncthreads_and __syncthreads_count";
    const struct syntax_node *n = &s->tree->nodes[i];
    const char *name = syntax_name(s->tree, i);
    const uint64_t basis = 0xcbf29ce484222325;
    *meets = n->kind != SYNTAX_ASSEMBLY && !strstr(name, "fence") && !strstr(name, "wave") &&
             !strstr(name, "warp") && !strstr(name, "waitcnt") && !strstr(name, "synchronize");
    if (words_have(all, name))
        return basis;
    if (n->kind == SYNTAX_ASSEMBLY)
        return hash_node_words(basis, s, i);
    const size_t callee = source_callee(s->tree, i);
    uint64_t key = add_bytes(basis, name, strlen(name));
    for (size_t c = syntax_first(s->tree, i); c; c = syntax_next(s->tree, c)) {
        const char *type = syntax_type(s->tree, c == callee ? c + (s->tree->nodes[c].size > 1) : c);
        key = add_bytes(key, type, strlen(type)); /* whose sync() it is */
        for (size_t at = c; at < c + s->tree->nodes[c].size; at++)
            if (s->tree->nodes[at].kind == SYNTAX_INTEGER)
                key = add_bytes(key, (const char *)&s->tree->nodes[at].value, sizeof(int64_t));
            else if (s->tree->nodes[at].raw == 109) /* a string */
                key = add_bytes(key, syntax_name(s->tree, at), strlen(syntax_name(s->tree, at)));
    }
    return key;
}

/* --- events --- */

static size_t add_flow_event(struct walk *w, struct source_event e)
{
    struct source_flow *f = w->f;
    f->too_many |= f->n >= EVENTS_MOST;
    if (f->too_many)
        return 0;
    f->barriers += e.kind == EVENT_BARRIER;
    if (e.kind < EVENT_END)
        e.key = f->barriers;
    LIST_ADD(f->list, f->n, f->cap, e);
    return f->n - 1;
}

static void end_scope(struct walk *w, size_t begin)
{
    w->f->list[begin].end = (uint32_t)w->f->n; /* also of one that is still open at the limit */
    if (w->f->too_many)
        return;
    w->f->list[begin].holds = w->f->barriers > w->f->list[begin].key;
    add_flow_event(w, (struct source_event){.kind = EVENT_END, .node = w->f->list[begin].node});
}

static void pass_part(struct walk *w, size_t i);

static void pass_children(struct walk *w, size_t i)
{
    for (size_t c = syntax_first(w->t, i); c; c = syntax_next(w->t, c))
        pass_part(w, c);
}

static void pass_statement(struct walk *w, size_t i)
{
    w->unit = ++w->units;
    pass_part(w, i);
}

static void pass_under(struct walk *w, size_t i, bool lane)
{
    const size_t begin = add_flow_event(
        w, (struct source_event){.kind = EVENT_CONDITION, .node = (uint32_t)i, .lane = lane});
    pass_statement(w, i);
    end_scope(w, begin);
}

static void add_barrier(struct walk *w, size_t i, enum source_event_kind kind)
{
    struct source_event e = {.kind = (uint8_t)kind, .node = (uint32_t)i};
    e.key = barrier_key(w->s, i, &e.meets);
    w->f->met[i] = true;
    add_flow_event(w, e);
}

/* Memory that other work-items may see: shared memory, or memory reached by a pointer. lvalue:
 * the expression. */
static void add_access(struct walk *w, size_t lvalue, bool read, bool write, bool atomic)
{
    const struct syntax_tree *t = w->t;
    const size_t root = source_root(t, lvalue);
    if (!root)
        return;
    const size_t variable = t->nodes[root].target;
    const bool shared = (t->nodes[root].flags & SYNTAX_DYNAMIC) || w->l->shared[variable];
    const char *type = syntax_type(t, root);
    if (!shared && !strpbrk(type, "*&"))
        return; /* an item's own */
    add_flow_event(w,
                   (struct source_event){.kind = EVENT_ACCESS,
                                         .node = (uint32_t)lvalue,
                                         .read = read,
                                         .write = write,
                                         .atomic = atomic,
                                         .lane = source_differs(w->l, lvalue),
                                         .variable = (uint32_t)variable,
                                         .key = hash_node_words(0xcbf29ce484222325, w->s, lvalue),
                                         .unit = w->unit});
}

/* Not a value that is read there: that is inside an implicit conversion. */
static bool is_lvalue(const struct syntax_tree *t, size_t i)
{
    while (t->nodes[i].kind == SYNTAX_PARENTHESES && syntax_first(t, i))
        i = syntax_first(t, i);
    const struct syntax_node *n = &t->nodes[i];
    return n->kind == SYNTAX_SUBSCRIPT || (n->kind == SYNTAX_UNARY && t->source[n->start] == '*') ||
           (n->kind == SYNTAX_REFERENCE && (n->raw == 102 || n->names == SYNTAX_VARIABLE));
}

/* The index of an access, not the array. */
static void pass_index(struct walk *w, size_t i)
{
    const struct syntax_tree *t = w->t;
    for (size_t c = syntax_first(t, i); c; c = syntax_next(t, c))
        if (is_lvalue(t, c) || t->nodes[c].kind == SYNTAX_PARENTHESES ||
            t->nodes[c].kind == SYNTAX_IMPLICIT) {
            if (c == syntax_first(t, i))
                pass_index(w, c);
            else
                pass_part(w, c);
        } else
            pass_part(w, c);
}

static void write_lvalue(struct walk *w, size_t i, bool read)
{
    if (!is_lvalue(w->t, i)) {
        pass_part(w, i);
        return;
    }
    pass_index(w, i);
    add_access(w, i, read, true, false);
}

static void pass_binary(struct walk *w, size_t i)
{
    const struct syntax_tree *t = w->t;
    const size_t a = syntax_first(t, i), b = a ? syntax_next(t, a) : 0;
    const enum source_operator op = source_operator(t, i);
    if (!b) {
        pass_children(w, i);
        return;
    }
    if (op == OPERATOR_ASSIGN) {
        pass_part(w, b);
        write_lvalue(w, a, false);
        return;
    }
    if (op == OPERATOR_UNKNOWN)
        write_lvalue(w, a, true);
    else
        pass_part(w, a);
    if (op == OPERATOR_LOGIC || op == OPERATOR_UNKNOWN)
        pass_under(w, b, source_differs(w->l, a));
    else
        pass_part(w, b);
}

static void pass_loop(struct walk *w, size_t i)
{
    const struct syntax_tree *t = w->t;
    const size_t body = source_body_of_loop(t, i);
    size_t condition = body ? syntax_next(t, body) : 0; /* of do */
    while (condition && t->nodes[condition].kind == SYNTAX_IMPLICIT)
        condition = syntax_first(t, condition);
    const bool once = t->nodes[i].raw == RAW_DO && condition &&
                      (t->nodes[condition].kind == SYNTAX_INTEGER ||
                       t->nodes[condition].raw == 130) && /* false */
                      t->nodes[condition].value == 0 &&
                      !memmem(t->source + t->nodes[condition].start,
                              t->nodes[condition].end - t->nodes[condition].start, "true", 4);
    const size_t begin =
        add_flow_event(w, (struct source_event){.kind = once ? EVENT_ONCE : EVENT_LOOP,
                                                .node = (uint32_t)i,
                                                .lane = source_decides_by_lane(w->l, i)});
    for (size_t c = syntax_first(t, i); c; c = syntax_next(t, c))
        if (c == body)
            pass_statement(w, c);
        else
            pass_part(w, c);
    end_scope(w, begin);
}

static void pass_choice(struct walk *w, size_t i)
{
    const size_t behind = source_behind_condition(w->t, i);
    const bool lane = source_decides_by_lane(w->l, i);
    for (size_t c = syntax_first(w->t, i); c && c != behind; c = syntax_next(w->t, c))
        pass_part(w, c);
    for (size_t c = behind; c; c = syntax_next(w->t, c))
        pass_under(w, c, lane);
}

/* --- calls --- */

static bool is_lambda(const struct syntax_tree *t, size_t i)
{
    return t->nodes[i].raw == RAW_BLOCK || t->nodes[i].raw == RAW_LAMBDA;
}

static size_t lambda_in(const struct syntax_tree *t, size_t i)
{
    for (size_t at = i; at < i + t->nodes[i].size; at++)
        if (is_lambda(t, at))
            return at;
    return 0;
}

/* The lambda that a call calls: written there, or in a variable. */
static size_t lambda_of(const struct syntax_tree *t, size_t call)
{
    if (strcmp(syntax_name(t, call), "operator()") != 0)
        return 0;
    const size_t first = syntax_first(t, call), own = first ? lambda_in(t, first) : 0;
    if (own)
        return own;
    for (size_t at = call + 1; at < call + t->nodes[call].size; at++)
        if (t->nodes[at].kind == SYNTAX_REFERENCE && t->nodes[at].names == SYNTAX_VARIABLE)
            return t->nodes[at].target ? lambda_in(t, t->nodes[at].target) : 0;
    return 0;
}

static void enter_function(struct walk *w, size_t body)
{
    const uint32_t unit = w->unit;
    if (w->calls >= CALLS_MOST) {
        w->f->too_many = true;
        return;
    }
    w->calls++;
    const size_t begin =
        add_flow_event(w, (struct source_event){.kind = EVENT_FRAME, .node = (uint32_t)body});
    pass_children(w, body);
    end_scope(w, begin);
    w->calls--;
    w->unit = unit;
}

static void pass_arguments(struct walk *w, size_t call, bool touches)
{
    const struct syntax_tree *t = w->t;
    const size_t callee = source_callee(t, call);
    const bool atomic = w->s->names[call] == NAME_ATOMIC;
    bool first = true;
    for (size_t c = syntax_first(t, call); c; c = syntax_next(t, c)) {
        if (c == callee || is_lambda(t, c))
            continue;
        const bool pointer = strpbrk(syntax_type(t, c), "*[") != NULL;
        if ((touches || (atomic && first)) && pointer)
            add_access(w, c, true, true, atomic);
        else
            pass_part(w, c);
        first = false;
    }
}

static void pass_call(struct walk *w, size_t i)
{
    const struct syntax_tree *t = w->t;
    const size_t body = body_of_flow_call(t, i), lambda = body ? 0 : lambda_of(t, i);
    const bool expands =
        body && (w->calls < PLAIN_MOST || w->s->stops.counts[body].all[SOURCE_BARRIER] > 0);
    pass_arguments(w, i, body && !expands);
    if (source_is_barrier(w->s, i))
        add_barrier(w, i, EVENT_BARRIER);
    else if (expands || lambda)
        enter_function(w, expands ? body : lambda);
    const size_t callee = source_callee(t, i);
    for (size_t at = callee; callee && at < callee + t->nodes[callee].size; at++)
        w->f->met[at] |= source_is_barrier(w->s, at);
}

static bool is_unevaluated(const struct walk *w, size_t i)
{
    const struct syntax_node *n = &w->t->nodes[i];
    const char *at = w->t->source + n->start;
    return n->raw == RAW_SIZEOF || n->raw == RAW_TYPEID || n->raw == RAW_GENERIC ||
           (n->kind == SYNTAX_IMPLICIT && n->end - n->start > 8 &&
            (strncmp(at, "noexcept", 8) == 0 || strncmp(at, "__builtin_choose", 16) == 0)) ||
           (n->kind == SYNTAX_CALL &&
            words_have("__builtin_constant_p __builtin_object_size", syntax_name(w->t, i)));
}

static void pass_jump(struct walk *w, size_t i)
{
    const enum syntax_kind kind = (enum syntax_kind)w->t->nodes[i].kind;
    enum source_event_kind e = EVENT_GOTO;
    if (kind == SYNTAX_RETURN)
        e = EVENT_RETURN;
    else if (kind == SYNTAX_CONTINUE)
        e = EVENT_CONTINUE;
    else if (kind == SYNTAX_BREAK)
        e = EVENT_BREAK;
    size_t above = w->t->nodes[i].parent;
    while (e == EVENT_BREAK && above && !syntax_is_loop(w->t, above)) {
        if (w->t->nodes[above].kind == SYNTAX_SWITCH)
            return; /* its parts are conditions already */
        above = w->t->nodes[above].parent;
    }
    pass_children(w, i);
    add_flow_event(w, (struct source_event){.kind = (uint8_t)e, .node = (uint32_t)i});
}

static void pass_unary(struct walk *w, size_t i)
{
    const size_t a = syntax_first(w->t, i);
    const char *at = w->t->source + w->t->nodes[i].start;
    if (a && (*at == '+' || *at == '-') && at[1] == *at)
        write_lvalue(w, a, true);
    else if (*at == '*') {
        pass_index(w, i);
        add_access(w, i, true, false, false);
    } else if (*at == '&' && a)
        pass_index(w, a);
    else
        pass_children(w, i);
}

static void pass_assignment(struct walk *w, size_t i)
{
    const size_t a = syntax_first(w->t, i), b = a ? syntax_next(w->t, a) : 0;
    if (b)
        pass_part(w, b);
    if (a)
        write_lvalue(w, a, true);
}

static void pass_name(struct walk *w, size_t i)
{
    if (source_is_barrier(w->s, i) && !w->f->met[i])
        add_barrier(w, i, EVENT_NAMED);
    pass_children(w, i);
}

static void pass_block(struct walk *w, size_t i)
{
    for (size_t c = syntax_first(w->t, i); c; c = syntax_next(w->t, c))
        pass_statement(w, c);
}

static void pass_node(struct walk *w, size_t i)
{
    switch (w->t->nodes[i].kind) {
    case SYNTAX_BLOCK:
    case SYNTAX_LABEL:
        pass_block(w, i);
        break;
    case SYNTAX_FOR:
    case SYNTAX_LOOP:
        pass_loop(w, i);
        break;
    case SYNTAX_BINARY:
        pass_binary(w, i);
        break;
    case SYNTAX_ASSIGN:
        pass_assignment(w, i);
        break;
    case SYNTAX_CALL:
        pass_call(w, i);
        break;
    case SYNTAX_RETURN:
    case SYNTAX_BREAK:
    case SYNTAX_CONTINUE:
    case SYNTAX_GOTO:
        pass_jump(w, i);
        break;
    case SYNTAX_ASSEMBLY:
        if (source_is_barrier(w->s, i))
            add_barrier(w, i, EVENT_BARRIER);
        break;
    case SYNTAX_REFERENCE:
        pass_name(w, i);
        break;
    case SYNTAX_SUBSCRIPT:
        pass_index(w, i);
        add_access(w, i, true, false, false);
        break;
    case SYNTAX_UNARY:
        pass_unary(w, i);
        break;
    default:
        pass_children(w, i);
    }
}

static void pass_part(struct walk *w, size_t i)
{
    w->f->too_many |= ++w->steps > STEPS_MOST || w->depth >= DEPTH_MOST;
    if (w->f->too_many || is_unevaluated(w, i) || is_lambda(w->t, i))
        return;
    w->depth++;
    if (source_is_choice(w->t, i))
        pass_choice(w, i);
    else
        pass_node(w, i);
    w->depth--;
}

void source_flow_open(struct source_flow *f, const struct source_side *s,
                      const struct source_lanes *l)
{
    struct walk w = {.s = s, .t = s->tree, .l = l, .f = f};
    *f = (struct source_flow){.met = xcalloc(s->tree->count, sizeof *f->met)};
    const size_t begin = add_flow_event(
        &w, (struct source_event){.kind = EVENT_FRAME, .node = (uint32_t)s->function});
    pass_children(&w, s->function);
    end_scope(&w, begin);
}

void source_flow_close(struct source_flow *f)
{
    free(f->list);
    free(f->met);
}
