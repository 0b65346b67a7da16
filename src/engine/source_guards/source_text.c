/* What a syntax tree does not show: preprocessor lines, attributes that only another compiler
 * knows, names by which compilers differ. The build's compiler must see what libclang has
 * parsed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/words.h"
#include "engine/judge/judge_headers.h"
#include "engine/source_guards/source_impl.h"

/* GCC's and clang's manuals: attributes that change neither when code runs nor what is linked. */
static const char attributes[] =
    "always_inline noinline inline flatten hot cold aligned vector_size ext_vector_type unused "
    "maybe_unused used pure "
    "const noreturn nothrow leaf nonnull returns_nonnull assume_aligned alloc_size malloc optimize "
    "target may_alias "
    "packed fallthrough likely unlikely deprecated nodiscard warn_unused_result unroll gnu clang "
    "launch_bounds amdgpu_flat_work_group_size amdgpu_waves_per_eu amdgpu_num_vgpr amdgpu_num_sgpr "
    "device global shared constant host restrict no_sanitize convergent artificial gnu_inline "
    "min_vector_width novector assume";
static const char pragmas[] =
    "unroll nounroll ivdep loop optimize target push_options pop_options simd once fp "
    "FP_CONTRACT GCC clang omp STDC";
/* Compilers differ in these, so that the guard would read other code than the compiler builds. */
static const char differing[] = "__COUNTER__ __TIME__ __DATE__ __TIMESTAMP__ __INCLUDE_LEVEL__ "
                                "__VERSION__ __OPTIMIZE__ __OPTIMIZE_SIZE__ "
                                "__NO_INLINE__ __GXX_ABI_VERSION __has_include __has_include_next "
                                "__has_builtin __has_attribute __has_feature "
                                "__has_extension __has_cpp_attribute __has_c_attribute "
                                "__BASE_FILE__ __is_identifier __is_target_arch";

static void token_text(const char *text, const struct syntax_token *t, char out[64])
{
    const size_t n = t->end - t->start < 63 ? t->end - t->start : 63;
    memcpy(out, text + t->start, n);
    out[n] = '\0';
}

static bool same_token(const struct source_side *a, size_t i, const struct source_side *b, size_t k)
{
    const struct syntax_token *x = &a->tokens.list[i], *y = &b->tokens.list[k];
    return x->end - x->start == y->end - y->start &&
           memcmp(a->tree->source + x->start, b->tree->source + y->start, x->end - x->start) == 0;
}

static size_t count_token_word(const struct source_side *s, const struct source_side *of,
                               size_t token)
{
    const struct syntax_token *t = &of->tokens.list[token];
    return source_count_word(s, of->tree->source + t->start, t->end - t->start);
}

/* Whether the candidate has the word of one of its tokens more often than the baseline. */
static bool is_word_more_often(const struct source_check *k, size_t token)
{
    return count_token_word(&k->candidate, &k->candidate, token) >
           count_token_word(&k->baseline, &k->candidate, token);
}

/* --- lines of the preprocessor --- */

static size_t next_line(const struct source_side *s, size_t i)
{
    while (i < s->tokens.n && s->tokens.list[i].directive != 2)
        i++;
    return i;
}

static void line_word(const struct source_side *s, size_t i, char out[64])
{
    out[0] = '\0';
    if (i + 1 < source_line_end(s, i))
        token_text(s->tree->source, &s->tokens.list[i + 1], out);
}

static bool is_condition(const char *word)
{
    return words_have("if ifdef ifndef elif elifdef elifndef else endif", word);
}

/* The next token that is part of a preprocessor conditional, or inside one. *depth: of
 * conditionals. */
static size_t next_conditional(const struct source_side *s, size_t i, int *depth)
{
    char word[64];
    for (; i < s->tokens.n; i++) {
        if (s->tokens.list[i].directive == 2) {
            line_word(s, i, word);
            if (words_have("if ifdef ifndef", word))
                ++*depth;
            if (strcmp(word, "endif") == 0 && *depth > 0) {
                --*depth;
                return i;
            }
        }
        if (*depth > 0)
            return i;
    }
    return i;
}

/* Text that libclang skips may be compiled by another compiler, so none of it may change. */
static int check_conditions(const struct source_check *k)
{
    const struct source_side *b = &k->baseline, *c = &k->candidate;
    int was = 0, is = 0;
    size_t i = next_conditional(b, 0, &was), j = next_conditional(c, 0, &is);
    while (i < b->tokens.n && j < c->tokens.n && same_token(b, i, c, j)) {
        i = next_conditional(b, i + 1, &was);
        j = next_conditional(c, j + 1, &is);
    }
    if (i >= b->tokens.n && j >= c->tokens.n)
        return 0;
    const struct source_side *at = j < c->tokens.n ? c : b;
    return source_refuse(k, GUARD_PARSE,
                         "line %u: what stands under #if changed: another compiler may see what "
                         "libclang leaves out",
                         at->tokens.list[j < c->tokens.n ? j : i].line);
}

/* # include < NAME >, and nothing after it. */
static bool include_is_harmless(const struct source_side *s, size_t i)
{
    const struct syntax_token *list = s->tokens.list;
    const size_t end = source_line_end(s, i);
    return end > i + 4 && syntax_token_is(s->tree->source, &list[i + 2], "<") &&
           syntax_token_is(s->tree->source, &list[end - 1], ">") &&
           judge_header_is_harmless(s->tree->source + list[i + 2].end,
                                    list[end - 1].start - list[i + 2].end);
}

static bool pragma_is_harmless(const struct source_side *s, size_t i)
{
    char word[64];
    if (i + 2 >= source_line_end(s, i))
        return false;
    token_text(s->tree->source, &s->tokens.list[i + 2], word);
    if (words_have("GCC clang omp STDC", word) && i + 3 < source_line_end(s, i)) {
        const bool omp = strcmp(word, "omp") == 0;
        token_text(s->tree->source, &s->tokens.list[i + 3], word);
        if (omp && strcmp(word, "simd") != 0)
            return false;
    }
    return words_have(pragmas, word);
}

static int check_directive(const struct source_check *k, size_t i)
{
    const struct source_side *c = &k->candidate;
    const unsigned line = c->tokens.list[i].line;
    char word[64], name[64] = "";
    line_word(c, i, word);
    if (is_condition(word) || source_has_line(&k->baseline, c, i))
        return 0;
    if (i + 2 < source_line_end(c, i))
        token_text(c->tree->source, &c->tokens.list[i + 2], name);
    if (strcmp(word, "include") == 0)
        return include_is_harmless(c, i) ? 0
                                         : source_refuse(k, GUARD_ELSEWHERE,
                                                         "line %u: it includes a file that is no "
                                                         "system header",
                                                         line);
    if (strcmp(word, "pragma") == 0)
        return pragma_is_harmless(c, i)
                   ? 0
                   : source_refuse(k, GUARD_ELSEWHERE, "line %u: a new #pragma %.60s", line, name);
    if (strcmp(word, "define") == 0)
        return i + 2 >= source_line_end(c, i) || count_token_word(&k->baseline, c, i + 2) == 0
                   ? 0
                   : source_refuse(k, GUARD_ELSEWHERE,
                                   "line %u: it defines %.60s, a word of the baseline", line, name);
    return source_refuse(k, GUARD_ELSEWHERE, "line %u: a new line of the preprocessor, #%.60s",
                         line, word);
}

static int check_lines(const struct source_check *k)
{
    const struct source_side *b = &k->baseline, *c = &k->candidate;
    enum { LINES_MOST = 4096 };
    char word[64];
    size_t n = 0;
    int rc = check_conditions(k);
    for (size_t i = next_line(c, 0); i < c->tokens.n && rc == 0; i = next_line(c, i + 1)) {
        rc = check_directive(k, i);
        if (++n > LINES_MOST)
            return judge_refuse(k->out, GUARD_PARSE, "more than %d lines of the preprocessor",
                                LINES_MOST);
    }
    for (size_t i = next_line(b, 0); i < b->tokens.n && rc == 0; i = next_line(b, i + 1)) {
        line_word(b, i, word);
        if (words_have("define undef", word) && !source_has_line(c, b, i))
            rc = source_refuse(k, GUARD_ELSEWHERE, "line %u of the baseline, a #%.20s, is gone",
                               b->tokens.list[i].line, word);
    }
    return rc;
}

/* --- attributes --- */

static int check_name(const struct source_check *k, size_t i)
{
    const struct syntax_token *t = &k->candidate.tokens.list[i];
    char name[64], bare[64];
    token_text(k->candidate.tree->source, t, name);
    snprintf(bare, sizeof bare, "%s", strncmp(name, "__", 2) == 0 ? name + 2 : name);
    const size_t n = strlen(bare);
    if (n > 2 && strcmp(bare + n - 2, "__") == 0)
        bare[n - 2] = '\0';
    if (words_have(attributes, bare) || count_token_word(&k->baseline, &k->candidate, i) > 0)
        return 0;
    return source_refuse(k, GUARD_ELSEWHERE, "line %u: the attribute '%.60s' was not there before",
                         t->line, name);
}

static bool is_attribute_word(const char *text, const struct syntax_token *t)
{
    return t->kind == TOKEN_WORD &&
           (syntax_token_is(text, t, "__attribute__") || syntax_token_is(text, t, "__attribute") ||
            syntax_token_is(text, t, "__declspec"));
}

/* Names between the parentheses or brackets of an attribute, at their first and second level. */
static int check_attributes(const struct source_check *k)
{
    const struct source_side *c = &k->candidate;
    const char *text = c->tree->source;
    bool *begins = xcalloc(c->tokens.n + 1, sizeof *begins); /* of each level: an attribute does */
    size_t depth = 0;
    int rc = 0;
    for (size_t i = 0; i < c->tokens.n && rc == 0; i++) {
        const struct syntax_token *t = &c->tokens.list[i],
                                  *next = i + 1 < c->tokens.n ? t + 1 : NULL;
        const bool sign = t->kind == TOKEN_SIGN, word = is_attribute_word(text, t);
        if (sign && strchr("([", text[t->start]))
            begins[depth++] = (i > 0 && is_attribute_word(text, t - 1)) ||
                              (text[t->start] == '[' && next && syntax_token_is(text, next, "["));
        else if (sign && depth > 0 && strchr(")]", text[t->start]))
            depth--;
        if (word && (!next || !syntax_token_is(text, next, "(")))
            rc =
                source_refuse(k, GUARD_ELSEWHERE, "line %u: an attribute made by a macro", t->line);
        else if (t->kind == TOKEN_WORD &&
                 ((depth > 0 && begins[depth - 1]) || (depth > 1 && begins[depth - 2])))
            rc = check_name(k, i);
    }
    free(begins);
    return rc;
}

/* --- words and signs --- */

static int check_text_words(const struct source_check *k)
{
    const struct source_side *c = &k->candidate;
    const char *text = c->tree->source;
    char word[64];
    for (size_t i = 0; i < c->tokens.n; i++) {
        const struct syntax_token *t = &c->tokens.list[i], *next = i + 1 < c->tokens.n ? t + 1 : t;
        token_text(text, t, word);
        const bool joined = next != t && next->touches;
        int rc = 0;
        if (t->kind != TOKEN_STRING && t->end - t->start > 1 &&
            memchr(text + t->start, '\\', t->end - t->start))
            rc = source_refuse(k, GUARD_PARSE, "line %u: a word or sign goes on in the next line",
                               t->line);
        else if ((strcmp(word, "##") == 0 && is_word_more_often(k, i)) ||
                 (strcmp(word, "%") == 0 && joined && text[next->start] == ':') ||
                 (strcmp(word, "?") == 0 && joined && text[next->start] == '?'))
            rc = source_refuse(k, GUARD_PARSE,
                               "line %u: names made of pieces, or other spellings of "
                               "signs",
                               t->line);
        else if (joined && next->kind == TOKEN_STRING && words_have("R LR uR UR u8R", word))
            rc = source_refuse(k, GUARD_PARSE, "line %u: a raw string", t->line);
        else if (t->kind == TOKEN_WORD &&
                 (words_have(differing, word) || strncmp(word, "__clang", 7) == 0 ||
                  strncmp(word, "__GNUC", 6) == 0) &&
                 is_word_more_often(k, i))
            rc = source_refuse(k, GUARD_PARSE, "line %u: %.60s differs between compilers", t->line,
                               word);
        else if (words_have("_Pragma __pragma", word) && is_word_more_often(k, i))
            rc = source_refuse(k, GUARD_ELSEWHERE, "line %u: a new %.20s", t->line, word);
        else if (words_have("asm __asm __asm__", word) && is_word_more_often(k, i))
            rc = source_refuse(k, GUARD_ASSEMBLY, "line %u: %.20s was not there before", t->line,
                               word);
        if (rc != 0)
            return rc;
    }
    return 0;
}

/* Whether the trigraph of a backslash joins lines depends on -std. */
static int check_trigraphs(const struct source_check *k)
{
    const char *text = k->candidate.tree->source, *end = text + k->candidate.tree->n;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), "?\?/", 3)); at += 3) {
        size_t n = 3;
        while (at + n < end && at[n] && strchr(" \t\r\f\v", at[n]))
            n++;
        if (at + n < end && at[n] == '\n')
            return source_refuse(k, GUARD_PARSE, "a line ends with the trigraph of a backslash");
    }
    return 0;
}

int source_check_text(struct source_check *k)
{
    int rc = check_trigraphs(k);
    if (rc == 0)
        rc = check_text_words(k);
    if (rc == 0)
        rc = check_lines(k);
    return rc ? rc : check_attributes(k);
}
