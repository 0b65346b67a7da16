/* What a function's declaration lets a compiler do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "engine/rewrites/rewrites.h"

enum { RAW_TEMPLATE = 30 }; /* CXCursor_FunctionTemplate */

static bool has_word(const struct syntax_tree *t, const struct syntax_tokens *tokens, uint32_t from,
                     uint32_t end, const char *word)
{
    for (size_t i = 0; i < tokens->n; i++)
        if (tokens->list[i].start >= from && tokens->list[i].end <= end &&
            syntax_token_is(t->source, &tokens->list[i], word))
            return true;
    return false;
}

static void put_part(FILE *f, const struct syntax_tree *t, size_t from, size_t end)
{
    fwrite(t->source + from, 1, end - from, f); /* raw: a source as it is */
}

static bool finish_rewrite(FILE *f, struct rewrite *out)
{
    if (fclose(f) == 0)
        return true;
    free(out->text);
    *out = (struct rewrite){.text = NULL};
    return false;
}

bool rewrite_options(const struct syntax_tree *t, const char *function, size_t number,
                     struct rewrite *out)
{
    bool several;
    struct syntax_tokens tokens;
    const size_t f = syntax_function(t, function, &several);
    *out = (struct rewrite){.text = NULL};
    if (!f || number > 0 || t->gpu || t->nodes[f].raw == RAW_TEMPLATE)
        return false;
    const struct syntax_node *n = &t->nodes[f];
    syntax_split(&tokens, t->source, t->n);
    const bool has = has_word(t, &tokens, 0, n->end, "optimize");
    syntax_tokens_free(&tokens);
    FILE *to = has ? NULL : open_memstream(&out->text, &out->n);
    if (!to)
        return false;
    put_part(to, t, 0, n->start);
    fputs("__attribute__((optimize(\"O3\"))) ", to);
    put_part(to, t, n->start, t->n);
    out->line = n->line;
    snprintf(out->note, sizeof out->note, "asked for -O3 of the function at line %u", n->line);
    return finish_rewrite(to, out);
}

/* A pointer that is neither an array nor a pointer to a function. */
static bool takes_restrict(const struct syntax_tree *t, const struct syntax_tokens *tokens,
                           size_t parameter)
{
    const struct syntax_node *n = &t->nodes[parameter];
    const char *type = syntax_type(t, parameter), *last = strrchr(type, '*');
    if (n->kind != SYNTAX_PARAMETER || !last || (last[1] && strcmp(last + 1, "const") != 0))
        return false;
    for (size_t i = 0; i + 1 < tokens->n; i++)
        if (tokens->list[i].start == n->at)
            return syntax_token_is(t->source, &tokens->list[i], syntax_name(t, parameter)) &&
                   !syntax_token_is(t->source, &tokens->list[i + 1], "[");
    return false;
}

bool rewrite_restrict(const struct syntax_tree *t, const char *function, size_t number,
                      struct rewrite *out)
{
    bool several;
    struct syntax_tokens tokens;
    const size_t f = syntax_function(t, function, &several);
    size_t at = 0, n = 0;
    *out = (struct rewrite){.text = NULL};
    FILE *to = f && number == 0 ? open_memstream(&out->text, &out->n) : NULL;
    if (!to)
        return false;
    syntax_split(&tokens, t->source, t->n);
    for (size_t p = syntax_first(t, f); p; p = syntax_next(t, p))
        if (takes_restrict(t, &tokens, p)) {
            put_part(to, t, at, t->nodes[p].at);
            fputs("__restrict ", to);
            at = t->nodes[p].at;
            n++;
        }
    put_part(to, t, at, t->n);
    syntax_tokens_free(&tokens);
    out->line = t->nodes[f].line;
    snprintf(out->note, sizeof out->note,
             "promised that the arrays of the function at line %u never overlap: no check tries it",
             out->line);
    if (!finish_rewrite(to, out))
        return false;
    if (n < 2) { /* a single pointer has nothing to overlap with */
        free(out->text);
        *out = (struct rewrite){.text = NULL};
    }
    return n >= 2;
}
