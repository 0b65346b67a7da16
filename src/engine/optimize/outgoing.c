#include "engine/optimize/optimize_impl.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Where the message about a file begins in a line: at the last part of its path. NULL: the line is
 * about something else. */
static const char *about_file(const char *line, size_t n, const char *name)
{
    const size_t length = strlen(name), end = strcspn(line, ":(\n");
    if (end >= n || end < length || isspace((unsigned char)line[0]))
        return NULL;
    const char *last = line + end - length;
    if (memcmp(last, name, length) != 0 || (last > line && last[-1] != '/'))
        return NULL;
    if (line[end] == '(')
        return isdigit((unsigned char)line[end + 1]) ? last : NULL;
    return line[end] == ':' ? last : NULL;
}

/* The clause of a linker that names a symbol. */
static const char *about_symbol(const char *line, size_t n)
{
    static const char *const clauses[] = {"undefined reference to ",
                                          "undefined symbol: ", "multiple definition of "};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *at = memmem(line, n, clauses[i], strlen(clauses[i]));
        if (at)
            return at;
    }
    return NULL;
}

/* The symbol's name is the last word; text that follows is about other files. */
static size_t clause_length(const char *at, const char *end)
{
    const char *quote = memchr(at, '`', (size_t)(end - at));
    const char *close = quote ? memchr(quote, '\'', (size_t)(end - quote)) : NULL;
    return (size_t)((close ? close + 1 : end) - at);
}

void outgoing_messages(char *messages, const char *source)
{
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    char *to = messages;
    for (const char *at = messages; *at;) {
        const char *end = at + strcspn(at, "\n");
        const bool whole = *end == '\n';
        const char *from = about_file(at, (size_t)(end - at), name);
        size_t n = from ? (size_t)(end - from) : 0;
        if (!from) {
            from = about_symbol(at, (size_t)(end - at));
            n = from ? clause_length(from, end) : 0;
        }
        if (from) {
            memmove(to, from, n);
            to += n;
            if (whole)
                *to++ = '\n';
        }
        at = end + whole;
    }
    *to = '\0';
}

void outgoing_evidence(char *evidence)
{
    char *words = strstr(evidence, ": ");
    if (words)
        *words = '\0';
}
