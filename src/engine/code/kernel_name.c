#include "engine/code/kernel_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbols/demangle/demangle.h"

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
    return text == out ? out : memcpy(out, plain, n + 1);
}

/* Where the bracket at p ends, behind it; the text's end where it never does. */
static const char *skip(const char *p, char open, char close)
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

/* "operator<", "operator()": its brackets are part of the name. Behind it, NULL where it is none.
 */
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
    if (!strpbrk(p, "(<")) /* no function of C++: "CUDA graph 5" */
        return p == full && strlen(p) < size ? strcpy(out, p) : name;
    while (*p && n + 2 < size) {
        if ((after = skip_operator(p)) != NULL ||
            strncmp(p, anonymous, sizeof anonymous - 1) == 0) {
            after = after ? after : p + sizeof anonymous - 1;
            for (; p < after && n + 2 < size; p++)
                out[n++] = *p;
        } else if (*p == '<') {
            p = skip(p, '<', '>');
        } else if (*p == '{') { /* "{lambda(int)#1}" */
            for (after = skip(p, '{', '}'); p < after && n + 2 < size; p++)
                out[n++] = *p;
        } else if (*p == '(' || *p == '[') {
            break;              /* parameters, or what the compiler made of it */
        } else if (*p == ' ') { /* what was before is its type, unless nothing comes */
            p++;
            if (*p && (!strchr("([<", *p) || strncmp(p, anonymous, sizeof anonymous - 1) == 0))
                begin = n;
        } else {
            out[n++] = *p++;
        }
    }
    out[n] = '\0';
    memmove(out, out + begin, n - begin + 1);
    if (n + 2 >= size || !*out) /* it was cut, or nothing is left: whole, two never become one */
        return p0 == full && strlen(full) < size ? strcpy(out, full) : name;
    return out;
}
