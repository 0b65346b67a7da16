#include "engine/code/kernarg_types.h"

#include <string.h>

static const char anonymous[] = "(anonymous namespace)";

/* Returns what follows the bracket that closes the one at p, or the text's end. */
static const char *skip_any_brackets(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        if (strchr("(<[{", *p))
            depth++;
        else if (strchr(")>]}", *p) && --depth == 0)
            return p + 1;
    }
    return p;
}

/* Returns the parameters of "void ns::f<g(int)>(float*, int) [clone]", behind the parenthesis;
 * NULL: none. */
static const char *find_parameter_list(const char *p)
{
    const char *found = NULL;
    for (; *p; p++) {
        if (strncmp(p, anonymous, sizeof anonymous - 1) == 0) {
            p += sizeof anonymous - 2;
        } else if (strncmp(p, "operator()", 10) == 0) {
            p += 9;
        } else if (*p == '(') {
            found = p + 1;
            p = skip_any_brackets(p) - 1;
        } else if (strchr("<[{", *p)) {
            p = skip_any_brackets(p) - 1;
        }
    }
    return found;
}

/* Copies the parameter at *p and moves *p behind it and its comma. */
static const char *read_next_parameter(const char **p, struct arena *arena)
{
    const char *begin = *p, *q = begin;
    while (*q && *q != ',' && *q != ')')
        q = strchr("(<[{", *q) ? skip_any_brackets(q) : q + 1;
    *p = *q == ',' ? q + 1 : q;
    begin += strspn(begin, " ");
    return arena_strndup(arena, begin, begin < q ? (size_t)(q - begin) : 0);
}

/* Takes the types from the kernel's name. Returns whether it has as many parameters as the
 * kernel. */
static bool from_name(const struct code_kernel *k, const char **types, struct arena *arena)
{
    const char *p = find_parameter_list(k->demangled);
    if (!p || k->nexplicit == 0)
        return false;
    for (uint32_t i = 0; i < k->nexplicit; i++) {
        if (*p == ')' || *p == '\0')
            return false;
        types[i] = read_next_parameter(&p, arena);
    }
    return *p == ')';
}

void kernarg_types(const struct code_kernel *k, const char **types, struct arena *arena)
{
    bool named = strcmp(k->demangled, k->name) != 0 && from_name(k, types, arena);
    for (uint32_t i = 0; i < k->nexplicit; i++) {
        if (*k->args[i].type_name)
            types[i] = k->args[i].type_name;
        else if (!named)
            types[i] = "";
    }
}
