/*
 * The guard of what the compiler reads: a candidate includes what the source includes, and headers
 * of the system (judge_headers.h). Another file that is included shows its lines in the compiler's
 * messages, which go back to who proposed it. It needs no parser: a line with one of these words
 * must be a line of the source, once lines that end with a backslash are joined (C17, 5.1.1.2,
 * phase 2), so neither comments nor macros hide one. An assembler reads files, too, and its text
 * may be made of pieces; so a new line has neither assembly, unless that is allowed, nor signs that
 * make words of pieces.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/judge/judge_headers.h"
#include "engine/optimize/source_guard.h"

static const char *const words[] = {"include",       "include_next", "import", "embed",
                                    "__has_include", "__has_embed",  "incbin"};
static const char *const assembly[] = {"asm", "__asm", "__asm__"};
static const char *const pasting[] = {"##", "%:%:", "?\?=?\?="};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c > 127;
}

/* The bytes from a backslash, or the trigraph of one, to the end of its line; 0: it is in it. */
static size_t joins(const char *at)
{
    size_t n = *at == '\\' ? 1 : strncmp(at, "?\?/", 3) == 0 ? 3 : 0;
    if (!n)
        return 0;
    n += strspn(at + n, " \t\r\f\v"); /* compilers take a backslash before spaces, too */
    return at[n] == '\n' ? n + 1 : 0;
}

/* The text with such lines joined; the caller frees it. */
static char *join_lines(const char *text, size_t n)
{
    char *out = xcalloc(n + 1, 1), *to = out;
    for (const char *at = text; *at;) {
        const size_t skip = joins(at);
        if (skip)
            at += skip;
        else
            *to++ = *at++;
    }
    return out;
}

static const char *same_as(const char *const *list, size_t count, const char *text, size_t n)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == n && memcmp(list[i], text, n) == 0)
            return list[i];
    return NULL;
}

/* The first of the words in a line of n bytes, or a sign that makes words; NULL: there is none. */
static const char *word_in(const char *line, size_t n, bool with_assembly)
{
    for (size_t i = 0; i < sizeof pasting / sizeof *pasting; i++)
        if (memmem(line, n, pasting[i], strlen(pasting[i])))
            return pasting[i];
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && in_word(line[end]))
            end++;
        const char *found = same_as(words, sizeof words / sizeof *words, line + i, end - i);
        if (!found && with_assembly)
            found = same_as(assembly, sizeof assembly / sizeof *assembly, line + i, end - i);
        if (found)
            return found;
        i = end + (end == i);
    }
    return NULL;
}

/* The lines of a text, sorted: a candidate may have as many to look for. */
struct lines {
    struct line {
        const char *at;
        size_t n;
    } * list;
    size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? -1 : 1) : memcmp(x->at, y->at, x->n);
}

static struct lines lines_of(const char *text)
{
    struct lines l = {.list = NULL};
    for (const char *at = text; *at; at += *at == '\n') {
        const size_t n = strcspn(at, "\n");
        LIST_ROOM(l.list, l.n, l.cap);
        l.list[l.n++] = (struct line){at, n};
        at += n;
    }
    if (l.n)
        qsort(l.list, l.n, sizeof *l.list, by_text);
    return l;
}

static bool has_line(const struct lines *l, const char *line, size_t n)
{
    const struct line wanted = {line, n};
    return l->n && bsearch(&wanted, l->list, l->n, sizeof *l->list, by_text) != NULL;
}

/* "#include <NAME>" with blanks between, and nothing else. */
static bool is_system_header(const char *line, size_t n)
{
    static const char word[] = "include";
    const char *end = line + n, *at = line;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at == end || *at++ != '#')
        return false;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if ((size_t)(end - at) < sizeof word || memcmp(at, word, sizeof word - 1) != 0)
        return false;
    at += sizeof word - 1;
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    return end - at > 2 && *at == '<' && end[-1] == '>' &&
           judge_header_is_harmless(at + 1, (size_t)(end - at) - 2);
}

static bool is_allowed(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; at && *at;) {
        const size_t m = strcspn(at, ",");
        if (m == n && memcmp(at, word, n) == 0)
            return true;
        at += m + (at[m] == ',');
    }
    return false;
}

static bool can_look(struct error *why)
{
    (void)why;
    return true;
}

static int check(const struct source_pair *pair, struct source_refusal *refused, struct error *err)
{
    (void)err;
    if (is_allowed(pair->allow, "include"))
        return 0;
    const bool with_assembly = !is_allowed(pair->allow, "assembly");
    char *original = join_lines(pair->original, pair->n_original);
    char *candidate = join_lines(pair->candidate, pair->n_candidate);
    struct lines lines = lines_of(original);
    int rc = 0;
    for (const char *at = candidate; *at && rc == 0;) {
        const size_t n = strcspn(at, "\n");
        const char *word = word_in(at, n, with_assembly);
        if (word && !has_line(&lines, at, n) && !is_system_header(at, n)) {
            snprintf(refused->guard, sizeof refused->guard, "include");
            snprintf(refused->evidence, sizeof refused->evidence,
                     "a line with '%s' is not in the source: %.*s", word, n < 80 ? (int)n : 80, at);
            rc = 1;
        }
        at += n + (at[n] == '\n');
    }
    free(lines.list);
    free(original);
    free(candidate);
    return rc;
}

const struct source_guard_ops source_guard_includes = {
    .name = "include",
    .summary = "a candidate includes what the source includes, and headers of the system",
    .words = "include",
    .available = can_look,
    .check = check,
};
