#include "engine/code/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbols/demangle/demangle.h"

/* --- NVIDIA's tools have their own spelling of some C++ names --- */

static bool is_argument(const char *begin, const char *p)
{
    return p > begin && (p[-1] == '<' || (p[-1] == ' ' && p > begin + 1 && p[-2] == ','));
}

/* The length of the type in "(int)4" as a template argument; 0 if it is none. */
static size_t cast_length(const char *begin, const char *p)
{
    size_t n = 1 + strspn(p + 1, "abcdefghijklmnopqrstuvwxyz_ ");
    if (!is_argument(begin, p) || p[n] != ')')
        return 0;
    return isdigit((unsigned char)p[n + 1 + (p[n + 1] == '-')]) ? n + 1 : 0;
}

/* Writes "[lambda(int) (instance 3)]" as "{lambda(int)#3}". Returns the length of the original; 0:
 * it is no lambda. */
static size_t add_lambda(const char *p, char *out, size_t *n)
{
    static const char number[] = " (instance ";
    const char *at = strncmp(p, "[lambda(", 8) == 0 ? strstr(p, number) : NULL;
    const char *digits = at ? at + sizeof number - 1 : p;
    size_t many = strspn(digits, "0123456789");
    if (!at || !many || strncmp(digits + many, ")]", 2) != 0)
        return 0;
    *n += (size_t)sprintf(out + *n, "{%.*s#%.*s}", (int)(at - p - 1), p + 1, (int)many, digits);
    return (size_t)(digits - p) + many + 2;
}

/* Writes the name as other demanglers do, so that a kernel has the same name in all tools. False:
 * it does not fit. */
static bool in_one_dialect(const char *name, char *out, size_t size)
{
    static const char theirs[] = "<unnamed>::", ours[] = "(anonymous namespace)::";
    const char *end = name + strlen(name);
    size_t n = 0, length;
    for (const char *p = name; *p;) {
        if (n + (size_t)(end - p) + sizeof ours >= size)
            return false;
        if (*p == ' ' && (p[1] == '*' || p[1] == '&')) {
            p++;
        } else if (strncmp(p, "void ", 5) == 0 && is_argument(name, p)) {
            p += 5; /* the return type of a function within the name */
        } else if (*p == '(' && (length = cast_length(name, p)) > 0) {
            p += length;
        } else if (*p == '[' && (length = add_lambda(p, out, &n)) > 0) {
            p += length;
        } else if (strncmp(p, theirs, sizeof theirs - 1) == 0) {
            n += (size_t)sprintf(out + n, "%s", ours);
            p += sizeof theirs - 1;
        } else if (strncmp(p, "operator ()", 11) == 0) {
            n += (size_t)sprintf(out + n, "operator()");
            p += 11;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
    return true;
}

const char *kernel_full_name(const char *name, char *out, size_t size)
{
    char plain[KERNEL_NAME_BYTES];
    size_t n = strlen(name);
    bool descriptor = n > 3 && strcmp(name + n - 3, ".kd") == 0;
    if (n >= sizeof plain || n >= size)
        return name;
    n -= descriptor ? 3 : 0;
    memcpy(plain, name, n);
    plain[n] = '\0';
    const char *text = demangle_whole(plain, out, size);
    if (text == out)
        return out;
    if (strstr(plain, "<unnamed>") || strstr(plain, "<(") || strstr(plain, ", (") ||
        strstr(plain, "[lambda(") || strstr(plain, "operator ("))
        return in_one_dialect(plain, out, size) ? out : name;
    return memcpy(out, plain, n + 1);
}

/* Returns what follows the bracket that closes the one at p, or the text's end. */
static const char *skip_one_bracket_pair(const char *p, char open, char close)
{
    int depth = 0;
    for (; *p; p++) {
        if (*p == open)
            depth++;
        else if (*p == close && --depth == 0)
            return p + 1;
    }
    return p;
}

/* Skips "operator<" or "operator()", whose brackets are part of the name. NULL: it is no
 * operator. */
static const char *skip_operator(const char *p)
{
    if (strncmp(p, "operator", 8) != 0)
        return NULL;
    p += 8;
    if (strncmp(p, "()", 2) == 0)
        return p + 2;
    return p + strspn(p, "<>=!+-*/%^&|~");
}

const char *kernel_base_name(const char *name, char *out, size_t size)
{
    static const char anonymous[] = "(anonymous namespace)";
    char full[KERNEL_NAME_BYTES];
    size_t n = 0, begin = 0;
    const char *p0 = kernel_full_name(name, full, sizeof full), *p = p0, *after;
    if (!strpbrk(p, "(<")) /* not a function of C++: "CUDA graph 5" */
        return p == full && strlen(p) < size ? strcpy(out, p) : name;
    while (*p && n + 2 < size) {
        if ((after = skip_operator(p)) != NULL ||
            strncmp(p, anonymous, sizeof anonymous - 1) == 0) {
            after = after ? after : p + sizeof anonymous - 1;
            for (; p < after && n + 2 < size; p++)
                out[n++] = *p;
        } else if (*p == '<') {
            p = skip_one_bracket_pair(p, '<', '>');
        } else if (*p == '{') { /* "{lambda(int)#1}" */
            for (after = skip_one_bracket_pair(p, '{', '}'); p < after && n + 2 < size; p++)
                out[n++] = *p;
        } else if (*p == '(' || *p == '[') {
            break; /* the parameters, or a suffix of the compiler, begin here */
            /* what precedes a blank is the return type, unless nothing follows */
        } else if (*p == ' ') {
            p++;
            if (*p && (!strchr("([<", *p) || strncmp(p, anonymous, sizeof anonymous - 1) == 0))
                begin = n;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
    memmove(out, out + begin, n - begin + 1);
    if (n + 2 >= size || !*out) /* the name was cut or nothing is left: use the whole name, because
                                   two names must never become one */
        return p0 == full && strlen(full) < size ? strcpy(out, full) : name;
    return out;
}
