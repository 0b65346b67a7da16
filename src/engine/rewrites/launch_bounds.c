#include "engine/rewrites/launch_bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"

/* How bounds are written. Without ROCm's headers there are only the attributes of clang. */
enum form { FORM_NEW, FORM_MACRO, FORM_ATTRIBUTE };
struct place {
    enum form form;
    size_t start, end; /* of the source that is replaced */
};

static bool is_source_word(const struct syntax_tree *t, const struct syntax_token *k,
                           const char *word)
{
    return syntax_token_is(t->source, k, word);
}

/* Where the brackets that open at token i close; tokens->n: nowhere. */
static size_t close_of(const struct syntax_tree *t, const struct syntax_tokens *tokens, size_t i)
{
    size_t depth = 0;
    for (; i < tokens->n; i++) {
        depth += is_source_word(t, &tokens->list[i], "(");
        depth -= is_source_word(t, &tokens->list[i], ")");
        if (depth == 0)
            break;
    }
    return i;
}

/* The text between the brackets of bounds before the name; else the position of the name. */
static struct place find_place(const struct syntax_tree *t, const struct syntax_tokens *tokens,
                               const struct syntax_node *f)
{
    for (size_t i = 0; i + 1 < tokens->n && tokens->list[i].start < f->at; i++) {
        const struct syntax_token *k = &tokens->list[i];
        const bool macro = is_source_word(t, k, "__launch_bounds__");
        if (k->start < f->start || !is_source_word(t, k + 1, "(") ||
            !(macro || is_source_word(t, k, "amdgpu_flat_work_group_size")))
            continue;
        const size_t end = close_of(t, tokens, i + 1);
        if (end < tokens->n)
            return (struct place){macro ? FORM_MACRO : FORM_ATTRIBUTE, k[1].end,
                                  tokens->list[end].start};
    }
    return (struct place){FORM_NEW, f->at, f->at};
}

static void put_bounds(FILE *f, enum form form, unsigned threads, unsigned waves)
{
    if (form == FORM_NEW)
        fputs("__attribute__((amdgpu_flat_work_group_size(", f);
    if (form != FORM_MACRO)
        fputs("1, ", f);
    print_text(f, "%u", threads);
    if (form == FORM_MACRO && waves)
        print_text(f, ", %u", waves);
    if (form == FORM_NEW) {
        fputc(')', f);
        if (waves)
            print_text(f, ", amdgpu_waves_per_eu(%u)", waves);
        fputs(")) ", f);
    }
}

static void put_source_part(FILE *f, const struct syntax_tree *t, size_t start, size_t end)
{
    fwrite(t->source + start, 1, end - start, f); /* raw: a source as it is */
}

bool rewrite_launch_bounds(const struct syntax_tree *t, const char *function, uint32_t threads,
                           size_t number, struct rewrite *out)
{
    static const unsigned waves[] = {0, 2, 4, 8};
    struct syntax_tokens tokens;
    bool several;
    const size_t node = syntax_function(t, function, &several);
    *out = (struct rewrite){.text = NULL};
    if (!node || !t->gpu || number >= sizeof waves / sizeof *waves)
        return false;
    syntax_split(&tokens, t->source, t->n);
    const struct place p = find_place(t, &tokens, &t->nodes[node]);
    syntax_tokens_free(&tokens);
    if (p.form == FORM_ATTRIBUTE && waves[number]) /* another attribute may ask for waves */
        return false;
    FILE *f = open_memstream(&out->text, &out->n);
    if (!f)
        return false;
    put_source_part(f, t, 0, p.start);
    put_bounds(f, p.form, threads, waves[number]);
    put_source_part(f, t, p.end, t->n);
    if (fclose(f) != 0) {
        free(out->text);
        *out = (struct rewrite){.text = NULL};
        return false;
    }
    snprintf(out->note, sizeof out->note,
             waves[number]
                 ? "promises that no block is larger than the captured %u work-items, and "
                   "asks for %u waves"
                 : "promises that no block is larger than the captured %u work-items",
             threads, waves[number]);
    return true;
}
