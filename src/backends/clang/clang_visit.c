#include "backends/clang/clang_visit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/search.h"
#include "base/words.h"

enum { NODES_MOST = 1 << 20, DEPTH_MOST = 800, TEXT_MOST = 16 << 20 };
/* CXCursor_UnexposedDecl, _UnexposedExpr (the first of the expressions), _FirstStmt */
enum { RAW_DECLARATION = 1, RAW_EXPRESSION = 100, RAW_STATEMENT = 200 };

struct visiting {
    const struct libclang *c;
    struct syntax_tree *tree;
    const char *path; /* path of the source */
    size_t cap, text_cap;
    size_t parent;
    unsigned depth;
    bool cut; /* the source has more nodes than a tree may have */
};

/* Removes the place from "struct (unnamed at FILE:3:5)", because lines above may move it. */
static void leave_out_places(char *text)
{
    char *at = strchr(text, '(');
    while (at && (at = strstr(at, " at "))) {
        const char *end = strchr(at, ')');
        if (!end)
            return;
        memmove(at, end, strlen(end) + 1);
    }
}

static uint32_t add_text(struct visiting *v, struct cx_string s)
{
    struct syntax_tree *t = v->tree;
    const char *text = v->c->getCString(s);
    const size_t n = text ? strlen(text) + 1 : 0;
    size_t at = 0;
    v->cut |= t->ntexts + n >= TEXT_MOST;
    if (n > 1 && !v->cut) {
        LIST_FIT(t->texts, t->ntexts + n, v->text_cap);
        at = t->ntexts;
        memcpy(t->texts + at, text, n);
        leave_out_places(t->texts + at);
        t->ntexts += n;
    }
    v->c->disposeString(s);
    return (uint32_t)at;
}

static uint32_t find_source_offset(const struct visiting *v, struct cx_location at, uint32_t *line)
{
    void *file = NULL;
    unsigned l = 0, column = 0, offset = 0;
    v->c->getExpansionLocation(at, &file, &l, &column, &offset);
    if (line)
        *line = l;
    return offset <= v->tree->n ? offset : (uint32_t)v->tree->n;
}

/* Whether it is in the source, even if a macro of a header makes it. (Location_isFromMainFile looks
 * where its text is.) */
static bool is_in_source(const struct visiting *v, struct cx_location at)
{
    void *file = NULL;
    unsigned line = 0, column = 0;
    v->c->getExpansionLocation(at, &file, &line, &column, NULL);
    struct cx_string name = v->c->getFileName(file);
    const char *text = v->c->getCString(name);
    const bool same = text && strcmp(text, v->path) == 0;
    v->c->disposeString(name);
    return same;
}

/* Types of objects whose operators are atomic: C17 6.2.5; C++ [atomics.types.generic] and
 * [atomics.ref], as libstdc++, libc++ and libcu++ name them. */
static bool is_atomic_type(const char *type)
{
    static const char *const qualifiers[] = {"const ", "volatile ", "struct ", "class "};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (strncmp(type, qualifiers[i], strlen(qualifiers[i])) == 0)
            return is_atomic_type(type + strlen(qualifiers[i]));
    if (strncmp(type, "_Atomic(", 8) == 0)
        return type[strlen(type) - 1] == ')'; /* otherwise it is a pointer or an array of it */
    if ((strncmp(type, "std::", 5) != 0 && strncmp(type, "cuda::", 6) != 0) ||
        strpbrk(type + strlen(type) - 1, "*&]"))
        return false;
    const char *end = type + strcspn(type, "<"), *name = end;
    char word[32];
    while (name[-1] != ':')
        name--;
    snprintf(word, sizeof word, "%.*s", (int)(end - name), name);
    return words_have("atomic atomic_ref atomic_flag __atomic_base __atomic_float", word);
}

static bool is_expression(const struct syntax_node *n)
{
    return n->raw >= RAW_EXPRESSION && n->raw < RAW_STATEMENT;
}

/* Marks atomic operations and objects. A built-in operation of the compiler (__atomic_*,
 * __c11_atomic_*, __hip_atomic_*: AtomicExpr) is a cursor of an unexposed kind, whose children are
 * the address, the memory order as an integer, and further arguments. An object of an atomic type
 * is marked where it is named: at the innermost expression of that type. */
static void mark_atomic(const struct syntax_tree *t, size_t i)
{
    struct syntax_node *n = &t->nodes[i];
    const size_t first = syntax_first(t, i), second = first ? syntax_next(t, first) : 0;
    if (!is_expression(n))
        return;
    if (n->raw == RAW_EXPRESSION && second && t->nodes[second].bytes > 0) {
        const char *star = strrchr(syntax_type(t, first), '*');
        if (star && !strpbrk(star, "()&[")) /* a pointer to an object */
            n->flags |= SYNTAX_ATOMIC;
    }
    if (is_atomic_type(syntax_type(t, i)) &&
        !(first && is_expression(&t->nodes[first]) && is_atomic_type(syntax_type(t, first))))
        n->flags |= SYNTAX_ATOMIC;
}

/* Integer types: CXType_Bool 3 to UInt128 12, Char_S 13 to Int128 20. */
static void fill_integer(const struct visiting *v, struct syntax_node *n, struct cx_type type)
{
    if (type.kind < 3 || type.kind > 20)
        return;
    const long long bytes = v->c->Type_getSizeOf(type);
    n->bytes = bytes > 0 ? (uint32_t)bytes : 0;
    n->is_unsigned = type.kind <= 12;
}

/* The qualifiers of a type or, if it is an array, of its elements: libclang may have them at
 * either. */
static void find_qualifiers(const struct visiting *v, struct cx_type type, bool *constant,
                            bool *is_volatile)
{
    enum { CX_ATOMIC = 177 };
    *constant = *is_volatile = false;
    for (int i = 0; i < 16 && type.kind != 0; i++) { /* arrays of arrays */
        type = v->c->getCanonicalType(type);
        *constant |= v->c->isConstQualifiedType(type) != 0;
        *is_volatile |= v->c->isVolatileQualifiedType(type) != 0 || type.kind == CX_ATOMIC;
        type = v->c->getArrayElementType(type);
    }
}

static int look_for_shared(struct cx_cursor cursor, struct cx_cursor parent, void *data)
{
    (void)parent;
    *(bool *)data |= clang_kind(cursor.kind) == SYNTAX_SHARED;
    return CX_CONTINUE;
}

/* Whether the launch gives the size of shared memory: it is declared but not defined. The storage
 * class does not tell, because extern "C" __shared__ has none. */
static bool is_dynamic_shared(const struct visiting *v, struct cx_cursor variable)
{
    bool shared = false;
    if (v->tree->gpu && !v->c->isCursorDefinition(variable))
        v->c->visitChildren(variable, look_for_shared, &shared);
    return shared;
}

/* Flags of a declaration: the node's own, or the one that it names. */
static uint16_t flags_of(const struct visiting *v, struct cx_cursor cursor)
{
    const struct libclang *c = v->c;
    const enum syntax_kind kind = clang_kind(cursor.kind);
    const enum syntax_kind above = clang_kind(c->getCursorSemanticParent(cursor).kind);
    const int storage = c->Cursor_getStorageClass(cursor);
    uint16_t flags = 0;
    bool constant, is_volatile;
    find_qualifiers(v, c->getCursorType(cursor), &constant, &is_volatile);
    if (kind == SYNTAX_VARIABLE && constant && !is_volatile)
        flags |= SYNTAX_CONSTANT;
    if (is_volatile)
        flags |= SYNTAX_VOLATILE;
    if (storage == CX_STATIC || (kind == SYNTAX_FUNCTION && c->Cursor_isFunctionInlined(cursor)))
        flags |= SYNTAX_STATIC;
    if (storage == CX_EXTERN)
        flags |= SYNTAX_EXTERN;
    if (kind == SYNTAX_VARIABLE && c->getCursorTLSKind(cursor) != 0)
        flags |= SYNTAX_THREAD;
    if (kind == SYNTAX_VARIABLE && is_dynamic_shared(v, cursor))
        flags |= SYNTAX_DYNAMIC;
    if (c->isCursorDefinition(cursor))
        flags |= SYNTAX_DEFINITION;
    if (kind == SYNTAX_VARIABLE && above != SYNTAX_FUNCTION && above != SYNTAX_LAMBDA)
        flags |= SYNTAX_GLOBAL;
    return flags;
}

static void fill_target(struct visiting *v, struct syntax_node *n, struct cx_cursor cursor)
{
    const struct libclang *c = v->c;
    const struct cx_cursor named = c->getCursorReferenced(cursor);
    n->flags = 0;
    if (c->Cursor_isNull(named)) {
        n->flags = SYNTAX_UNKNOWN;
        return;
    }
    n->names = (uint16_t)clang_kind(named.kind);
    n->flags = flags_of(v, named);
    n->at = find_source_offset(v, c->getCursorLocation(named), NULL);
    if (!c->Location_isFromMainFile(c->getCursorLocation(named)))
        n->flags |= SYNTAX_ELSEWHERE;
    n->name = add_text(v, c->getCursorSpelling(named));
}

static size_t add_node(struct visiting *v, struct cx_cursor cursor)
{
    const struct libclang *c = v->c;
    struct syntax_tree *t = v->tree;
    const struct cx_range extent = c->getCursorExtent(cursor);
    const struct cx_type type = c->getCanonicalType(c->getCursorType(cursor));
    struct syntax_node n = {.kind = (uint16_t)clang_kind(cursor.kind),
                            .raw = (uint16_t)cursor.kind,
                            .parent = (uint32_t)v->parent,
                            .size = 1};
    n.start = find_source_offset(v, c->getRangeStart(extent), &n.line);
    n.end = find_source_offset(v, c->getRangeEnd(extent), NULL);
    n.end = n.end < n.start ? n.start : n.end;
    fill_integer(v, &n, type);
    n.type = add_text(v, c->getTypeSpelling(type));
    if (n.kind == SYNTAX_REFERENCE || n.kind == SYNTAX_CALL)
        fill_target(v, &n, cursor);
    else {
        n.name = add_text(v, c->getCursorSpelling(cursor));
        n.at = find_source_offset(v, c->getCursorLocation(cursor), NULL);
        n.flags = n.kind == SYNTAX_FUNCTION || n.kind == SYNTAX_VARIABLE ||
                          n.kind == SYNTAX_PARAMETER || n.kind == SYNTAX_TYPE
                      ? flags_of(v, cursor)
                      : 0;
    }
    if (n.kind == SYNTAX_INTEGER) {
        void *value = c->Cursor_Evaluate(cursor);
        if (value && c->EvalResult_getKind(value) == CX_EVAL_INT)
            n.value = c->EvalResult_getAsLongLong(value);
        if (value)
            c->EvalResult_dispose(value);
    }
    LIST_ROOM(t->nodes, t->count, v->cap);
    t->nodes[t->count] = n;
    return t->count++;
}

static int visit_cursor(struct cx_cursor cursor, struct cx_cursor parent, void *data)
{
    struct visiting *v = data;
    (void)parent;
    if (v->parent == 0 && !is_in_source(v, v->c->getCursorLocation(cursor)))
        return CX_CONTINUE;
    if (v->tree->count >= NODES_MOST || v->depth >= DEPTH_MOST) {
        v->cut = true;
        return CX_CONTINUE;
    }
    const size_t before = v->parent, i = add_node(v, cursor);
    v->parent = i;
    v->depth++;
    v->c->visitChildren(cursor, visit_cursor, v);
    v->depth--;
    v->parent = before;
    struct syntax_node *n = &v->tree->nodes[i];
    n->size = (uint32_t)(v->tree->count - i);
    /* CXCursor_UnexposedDecl with declarations in it: extern "C" before LLVM 16 */
    if (n->raw == RAW_DECLARATION && n->size > 1 && n[1].kind >= SYNTAX_SCOPE &&
        n[1].kind <= SYNTAX_TYPE)
        n->kind = SYNTAX_SCOPE;
    mark_atomic(v->tree, i);
    return CX_CONTINUE;
}

/* --- references --- */

struct declared {
    const char *name;
    uint32_t node;
};

static int by_name(const void *a, const void *b)
{
    const struct declared *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

/* Finds the declaration of this name at this place; for a function, one with a body comes first. */
static uint32_t target_of(const struct syntax_tree *t, const struct declared *list, size_t n,
                          const struct syntax_node *of)
{
    const char *name = t->texts + of->name;
    size_t low = 0;
    uint32_t found = 0;
    SEARCH_FIRST(low, n, strcmp(list[low].name, name) < 0);
    for (; low < n && strcmp(list[low].name, name) == 0; low++) {
        const struct syntax_node *to = &t->nodes[list[low].node];
        if (to->kind == of->names && to->at == of->at && !found)
            found = list[low].node;
        if (to->kind == SYNTAX_FUNCTION && of->names == SYNTAX_FUNCTION &&
            (to->flags & SYNTAX_DEFINITION) &&
            strcmp(t->texts + to->type, t->texts + of->type) == 0)
            return list[low].node;
    }
    return found;
}

static void find_targets(struct syntax_tree *t)
{
    struct declared *list = xcalloc(t->count, sizeof *list);
    size_t n = 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->nodes[i].kind == SYNTAX_FUNCTION || t->nodes[i].kind == SYNTAX_VARIABLE ||
            t->nodes[i].kind == SYNTAX_PARAMETER)
            list[n++] = (struct declared){syntax_name(t, i), (uint32_t)i};
    qsort(list, n, sizeof *list, by_name);
    for (size_t i = 1; i < t->count; i++) {
        struct syntax_node *to = &t->nodes[i];
        if ((to->kind == SYNTAX_REFERENCE || to->kind == SYNTAX_CALL) &&
            !(to->flags & (SYNTAX_UNKNOWN | SYNTAX_ELSEWHERE)))
            to->target = target_of(t, list, n, to);
    }
    free(list);
}

bool clang_visit(const struct libclang *c, void *unit, const char *path, struct syntax_tree *out)
{
    struct visiting v = {.c = c, .tree = out, .path = path};
    const struct syntax_node root = {.kind = SYNTAX_FILE, .end = (uint32_t)out->n, .size = 1};
    LIST_ADD(out->nodes, out->count, v.cap, root);
    LIST_FIT(out->texts, (size_t)1, v.text_cap);
    out->texts[out->ntexts++] = '\0';
    c->visitChildren(c->getTranslationUnitCursor(unit), visit_cursor, &v);
    out->nodes[0].size = (uint32_t)out->count;
    find_targets(out);
    return !v.cut;
}
