/*
 * The guard of what the compiler reads: a candidate includes what the source includes, and headers
 * of the system (judge_headers.h). Another file that is included shows its lines in the compiler's
 * messages, which go back to who proposed it. It needs no parser: a line with one of these words
 * must be a line of the source, once lines that end with a backslash are joined (C17, 5.1.1.2,
 * phase 2), so neither comments nor macros hide one. An assembler reads files, too, and its text
 * may be made of pieces; so a new line has neither assembly, unless that is allowed, nor signs that
 * make words of pieces. A line that says in which file it stands (#line, and GCC's "# 2 "FILE"")
 * makes the compiler quote that file, so there is no new one; nor a pragma that looks at the age of
 * a file.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/judge/judge_headers.h"
#include "engine/source_guards/source_guard_ops.h"

static const char *const words[] = {"include",       "include_next", "import", "embed",
                                    "__has_include", "__has_embed",  "incbin"};
static const char *const assembly[] = {"asm", "__asm", "__asm__"};
static const char *const pasting[] = {"##", "%:%:", "?\?=?\?="};

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c > 127;
}

/* Length of a backslash or its trigraph and of the end of the line after it; 0: no line ends
 * here. */
static size_t measure_line_join(const char *at)
{
    size_t n = strncmp(at, "?\?/", 3) == 0 ? 3 : 1;
    if (n == 1 && *at != '\\')
        return 0;
    n += strspn(at + n, " \t\r\f\v"); /* compilers take a backslash before spaces, too */
    return at[n] == '\n' ? n + 1 : 0;
}

/* The text with continued lines joined; the caller frees it. */
static char *join_lines(const char *text, size_t n)
{
    char *out = xcalloc(n + 1, 1), *to = out;
    for (const char *at = text; *at;) {
        const size_t skip = measure_line_join(at);
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

/* --- lines that say where they stand --- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

/* The text after blanks and comments. (C17, 5.1.1.2, phase 3: a comment is a blank, including
 * line ends in it.) */
static const char *skip_line_blanks(const char *at)
{
    for (;;)
        if (is_blank(*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
}

/* Whether a line begins at a sign: only the start of the text, a line end or the end of a
 * comment is before it. For clang a carriage return ends a line. */
static bool may_begin_line(const char *text, const char *at)
{
    static const char mark[] = "\xef\xbb\xbf"; /* UTF-8's byte order mark */
    while (at > text && is_blank(at[-1]))
        at--;
    return at == text || at[-1] == '\n' || at[-1] == '\r' ||
           (at - text >= 2 && memcmp(at - 2, "*/", 2) == 0) ||
           (at - text == 3 && memcmp(text, mark, 3) == 0);
}

/* The text after a sign that begins a preprocessor line: #, %: or ??=; NULL: there is none. */
static const char *behind_sign(const char *at)
{
    if (*at == '#')
        return at + 1;
    if (strncmp(at, "%:", 2) == 0)
        return at + 2;
    return strncmp(at, "?\?=", 3) == 0 ? at + 3 : NULL;
}

/* Whether the text after that sign is a line marker: "line", or a number (which compilers also
 * take from a macro) with something after it. A comment may be in between. */
static bool names_line(const char *at)
{
    const char *word = skip_line_blanks(at);
    if (strncmp(word, "line", 4) == 0 && !in_word(word[4]))
        return true;
    if (!isdigit((unsigned char)*word))
        return false;
    while (in_word(*word))
        word++;
    word = skip_line_blanks(word);
    return *word != '\0' && *word != '\n' && *word != '\r';
}

/* Whether a line of n bytes has both words. */
static bool has_words(const char *line, size_t n, const char *one, const char *other)
{
    return memmem(line, n, one, strlen(one)) && memmem(line, n, other, strlen(other));
}

/* --- lines of a text --- */

/* The lines of a text, sorted, because a candidate may have as many lines to search for. */
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
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return memcmp(x->at, y->at, x->n);
}

static struct lines sort_text_lines(const char *text)
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

static int refuse_line(struct source_refusal *refused, const char *what, const char *line, size_t n)
{
    snprintf(refused->guard, sizeof refused->guard, "include");
    snprintf(refused->evidence, sizeof refused->evidence,
             "a line with %s is not in the source: %.*s", what, n < 80 ? (int)n : 80, line);
    return 1;
}

/* A line of the candidate, which is `joined`. 0, or 1 with *refused. */
static int check_candidate_line(const char *joined, const char *line, size_t n, bool with_assembly,
                                struct source_refusal *refused)
{
    char what[32];
    const char *word = word_in(line, n, with_assembly);
    if (word && !is_system_header(line, n)) {
        snprintf(what, sizeof what, "'%s'", word);
        return refuse_line(refused, what, line, n);
    }
    if (has_words(line, n, "GCC", "dependency") || has_words(line, n, "GCC", "pch_preprocess"))
        return refuse_line(refused, "a pragma of another file", line, n);
    for (const char *at = line; at < line + n; at++) {
        const char *behind = behind_sign(at);
        if (behind && may_begin_line(joined, at) && names_line(behind))
            return refuse_line(refused, "a line marker", line, n);
    }
    return 0;
}

static int check(const struct source_pair *pair, struct source_refusal *refused, struct error *err)
{
    (void)err;
    if (is_allowed(pair->allow, "include"))
        return 0;
    const bool with_assembly = !is_allowed(pair->allow, "assembly");
    char *original = join_lines(pair->original, pair->n_original);
    char *candidate = join_lines(pair->candidate, pair->n_candidate);
    struct lines lines = sort_text_lines(original);
    int rc = 0;
    for (const char *at = candidate; *at && rc == 0;) {
        const size_t n = strcspn(at, "\n");
        rc = has_line(&lines, at, n)
                 ? 0
                 : check_candidate_line(candidate, at, n, with_assembly, refused);
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
