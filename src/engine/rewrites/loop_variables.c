/* Which variables change only where they are named. */
#include <string.h>

#include "base/words.h"
#include "engine/rewrites/rewrites_impl.h"

enum { RAW_MEMBER = 102 }; /* CXCursor_MemberRefExpr */

static bool begins_or_ends_with(const struct syntax_tree *t, const struct syntax_node *n,
                                const char *sign)
{
    return n->end >= n->start + 3 && (memcmp(t->source + n->start, sign, 2) == 0 ||
                                      memcmp(t->source + n->end - 2, sign, 2) == 0);
}

/* In C++ its value could be a reference to the variable. */
bool loop_is_statement(const struct syntax_tree *t, size_t i)
{
    const uint16_t kind = t->nodes[t->nodes[i].parent].kind;
    return kind == SYNTAX_BLOCK || kind == SYNTAX_FOR || kind == SYNTAX_LOOP || kind == SYNTAX_IF;
}

size_t loop_peel(const struct syntax_tree *t, size_t i)
{
    while ((t->nodes[i].kind == SYNTAX_IMPLICIT || t->nodes[i].kind == SYNTAX_PARENTHESES) &&
           syntax_first(t, i))
        i = syntax_first(t, i);
    return i;
}

static bool is_real(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "double") == 0 ||
           strcmp(type, "long double") == 0;
}

static bool is_write(const struct syntax_tree *t, size_t at, size_t operand)
{
    const struct syntax_node *n = &t->nodes[at];
    const bool changes = n->kind == SYNTAX_UNARY
                             ? begins_or_ends_with(t, n, "++") || begins_or_ends_with(t, n, "--")
                             : (n->kind == SYNTAX_ASSIGN || n->kind == SYNTAX_BINARY) &&
                                   syntax_first(t, at) == operand;
    return changes && loop_is_statement(t, at);
}

/* The node around it, parentheses aside; *operand: the child of that node in which it is. */
static size_t find_node_around(const struct syntax_tree *t, size_t node, size_t *operand)
{
    size_t at = t->nodes[node].parent;
    *operand = node;
    while (at && t->nodes[at].kind == SYNTAX_PARENTHESES) {
        *operand = at;
        at = t->nodes[at].parent;
    }
    return at;
}

enum loop_use loop_use_of(const struct syntax_tree *t, size_t reference)
{
    size_t operand;
    const size_t at = find_node_around(t, reference, &operand);
    const struct syntax_node *n = &t->nodes[at];
    const char *type = syntax_type(t, at);
    if (n->kind == SYNTAX_IMPLICIT)
        return (n->bytes > 0 && strncmp(type, "const ", 6) != 0) || is_real(type) ? USE_READ
                                                                                  : USE_OTHER;
    return is_write(t, at, operand) ? USE_WRITE : USE_OTHER;
}

/* Whether it is a variable of this function that others do not see. */
static bool is_local(const struct loop_reading *r, size_t variable)
{
    const struct syntax_tree *t = r->tree;
    const size_t f = r->function;
    const struct syntax_node *v = &t->nodes[variable];
    if (variable <= f || variable >= f + t->nodes[f].size ||
        (v->kind != SYNTAX_VARIABLE && v->kind != SYNTAX_PARAMETER) ||
        (v->flags & (SYNTAX_STATIC | SYNTAX_EXTERN | SYNTAX_THREAD | SYNTAX_VOLATILE |
                     SYNTAX_GLOBAL | SYNTAX_ELSEWHERE)))
        return false;
    for (size_t c = syntax_first(t, variable); c; c = syntax_next(t, c))
        if (t->nodes[c].kind == SYNTAX_SHARED)
            return false;
    return true;
}

typedef enum loop_use use_reader(const struct syntax_tree *t, size_t reference);

/* All its uses are reads and writes, and no write is in the nodes [from, end). */
static bool is_named_only(const struct loop_reading *r, size_t variable, use_reader *use_of,
                          size_t from, size_t end)
{
    const struct syntax_tree *t = r->tree;
    const size_t f = r->function, last = f + t->nodes[f].size;
    for (size_t i = f; i < last; i++) {
        if (t->nodes[i].kind == SYNTAX_LAMBDA)
            return false;
        if (t->nodes[i].kind != SYNTAX_REFERENCE || t->nodes[i].target != variable)
            continue;
        const enum loop_use use = use_of(t, i);
        if (use == USE_OTHER || (use == USE_WRITE && i >= from && i < end))
            return false;
    }
    return true;
}

static bool is_whole(const struct syntax_tree *t, size_t variable)
{
    const struct syntax_node *v = &t->nodes[variable];
    return v->bytes > 0 && v->bytes <= 8 && !words_have("_Bool bool", syntax_type(t, variable));
}

bool loop_is_private(const struct loop_reading *r, size_t variable)
{
    return is_local(r, variable) &&
           (is_whole(r->tree, variable) || is_real(syntax_type(r->tree, variable))) &&
           is_named_only(r, variable, loop_use_of, 0, 0);
}

bool loop_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end)
{
    return is_local(r, variable) && is_whole(r->tree, variable) &&
           is_named_only(r, variable, loop_use_of, from, end);
}

/* --- structs --- */

static const char *without_const(const char *type)
{
    return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

/* Whether the implicit conversion reads the value of the expression `of`, and makes no address or
 * reference of it. */
static bool is_value(const struct syntax_tree *t, size_t implicit, size_t of)
{
    const char *is = syntax_type(t, implicit), *was = without_const(syntax_type(t, of));
    const size_t n = strlen(is);
    return t->nodes[implicit].kind == SYNTAX_IMPLICIT && strchr(is, '[') == NULL &&
           strncmp(is, was, n) == 0 && (was[n] == '\0' || strcmp(was + n, "const") == 0);
}

/* How a reference to a struct is used: it reads the whole struct, or it reads or writes one
 * member by its name. Anything else, such as taking its address, is USE_OTHER. */
static enum loop_use record_use_of(const struct syntax_tree *t, size_t reference)
{
    size_t operand, of = reference, at = find_node_around(t, of, &operand);
    while (at && t->nodes[at].raw == RAW_MEMBER && syntax_first(t, at) == operand) {
        of = at;
        at = find_node_around(t, of, &operand);
    }
    if (is_value(t, at, of))
        return USE_READ;
    return is_write(t, at, operand) ? USE_WRITE : USE_OTHER;
}

bool loop_record_stays(const struct loop_reading *r, size_t variable, size_t from, size_t end)
{
    const char *type = syntax_type(r->tree, variable);
    return r->tree->plain_c && /* in C++ a member may be a reference */
           is_local(r, variable) && r->tree->nodes[variable].bytes == 0 && !strpbrk(type, "*&[") &&
           is_named_only(r, variable, record_use_of, from, end);
}
