#include "engine/kernel_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbols/demangle.h"

enum { NAME_BYTES = 4096 };

const char *kernel_full_name(const char *name, char *out, size_t size)
{
    char plain[NAME_BYTES];
    size_t n = strlen(name);
    if (n > 3 && n < sizeof plain && strcmp(name + n - 3, ".kd") == 0) {
        memcpy(plain, name, n - 3);
        plain[n - 3] = '\0';
        name = plain;
    }
    const char *text = demangle(name, out, size);
    if (text != out)
        snprintf(out, size, "%s", text);
    return out;
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
    char full[NAME_BYTES];
    size_t n = 0, begin = 0;
    const char *p = kernel_full_name(name, full, sizeof full), *after;
    if (!strpbrk(p, "(<")) { /* no function of C++: "CUDA graph 5" */
        snprintf(out, size, "%s", p);
        return out;
    }
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
    if (!*out)
        snprintf(out, size, "%s", full);
    return out;
}
