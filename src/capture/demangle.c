#include "capture/capture_impl.h"

#include <string.h>

/* libstdc++'s demangler, which rooftop uses too, so that an expression that matches a name on the
 * screen also matches here. It is linked from the static library, hidden: the program's own C++
 * library, if it has one, is neither needed nor affected. It returns its text in pieces and takes
 * its memory from the stack. */
extern int __gcclibcxx_demangle_callback( // NOLINT: the name is theirs
    const char *name, void (*piece)(const char *text, size_t len, void *ctx), void *ctx);

enum { LONGEST = 4096, FILE_NAME = 60 }; /* its stack use grows with the name */

struct demangled {
    char *out;
    size_t used, size;
};

static void append_piece(const char *piece, size_t len, void *ctx)
{
    struct demangled *t = ctx;
    const size_t room = t->size - 1 - t->used;
    memcpy(t->out + t->used, piece, len < room ? len : room);
    t->used += len < room ? len : room;
}

const char *demangle_kernel(const char *name, char *out, size_t size)
{
    struct demangled t = {out, 0, size};
    if (strncmp(name, "_Z", 2) != 0 || strnlen(name, LONGEST) == LONGEST ||
        __gcclibcxx_demangle_callback(name, append_piece, &t) != 0 || t.used == 0) {
        t.used = 0;
        append_piece(name, strlen(name), &t);
    }
    out[t.used] = '\0';
    return out;
}

static void count_angle(int *depth, char c)
{
    *depth += c == '<';
    *depth -= c == '>' && *depth > 0;
}

/* Where the parameters begin, or the name ends. A '(' of "(anonymous namespace)::" or inside < >
 * does not count. */
static const char *end_of_name(const char *name)
{
    int depth = 0;
    const char *p = name;
    for (; *p; p++) {
        count_angle(&depth, *p);
        if (*p == '(' && depth == 0 && strncmp(p, "(anonymous", 10) != 0)
            break;
    }
    return p;
}

static int fits_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

const char *kernel_file_name(const char *demangled, char out[64])
{
    const char *end = end_of_name(demangled), *begin = demangled;
    int depth = 0;
    for (const char *p = demangled; p < end; p++) { /* skip the return type and the namespaces */
        count_angle(&depth, *p);
        if (depth == 0 && (*p == ' ' || *p == ':') && p + 1 < end)
            begin = p + 1;
    }
    size_t n = 0;
    for (const char *p = begin; p < end && *p != '<' && n < FILE_NAME; p++)
        out[n++] = fits_name(*p) ? *p : '_';
    if (n == 0)
        out[n++] = '_';
    out[n] = '\0';
    return out;
}
