/* What the rules share. All checks return 0, or 1 with a refusal. */
#pragma once

#include "engine/source_guards/source_guards.h"

/* A preprocessor line: n tokens from the first, which is #. */
struct source_line {
    uint32_t first, n;
};

struct source_side {
    const struct syntax_tree *tree;
    struct syntax_tokens tokens;
    size_t function;           /* its node */
    uint32_t *words;           /* the tokens, sorted by their texts */
    struct source_line *lines; /* sorted by their texts */
    size_t nlines;
    uint8_t *names; /* made by source_names_find */
    struct source_stops stops;
};

/* Names, sorted. They are borrowed from a tree. */
struct source_set {
    const char **list;
    size_t n, cap;
};

struct source_check {
    const struct source_versions *versions;
    struct source_side baseline, candidate;
    bool *fresh; /* of each node of the candidate: it is the function, or a declaration that was not
                    there before, or lies within one */
    struct judge_refusal *out;
};

/* Splits and sorts one side. The tree is borrowed. */
void source_side_open(struct source_side *s, const struct syntax_tree *t);
void source_side_close(struct source_side *s);
/* The first token that begins at or after this byte. */
size_t source_first_token(const struct source_side *s, uint32_t start);
/* How many tokens are this text, of n bytes. */
size_t source_count_word(const struct source_side *s, const char *word, size_t n);
/* The first token after the preprocessor line that begins at i. */
size_t source_line_end(const struct source_side *s, size_t i);
/* Whether s has the preprocessor line that begins at token `line` of another side. */
bool source_has_line(const struct source_side *s, const struct source_side *of, size_t line);

void source_set_add(struct source_set *set, const char *name);
void source_set_sort(struct source_set *set); /* before it is searched */
bool source_set_has(const struct source_set *set, const char *name);
void source_set_free(struct source_set *set);

typedef bool source_is_node(const void *ctx, const struct syntax_tree *t, size_t node);
/* An array of t->count + 1 numbers: element i is the number of nodes from 0 to i - 1 for which
 * `is` returns true. The caller frees it. */
uint32_t *source_count_nodes(const struct syntax_tree *t, source_is_node *is, const void *ctx);
/* Whether `is` returns true for the node or one below it. before: made by source_count_nodes. */
bool source_has_node(const struct syntax_tree *t, const uint32_t *before, size_t node);

/* Assembly that makes waves wait or orders their accesses, or that may do so because a macro
 * makes it. */
bool source_is_barrier_assembly(const struct syntax_tree *t, size_t i);
/* Whether a name stands for a work-item's index in its work-group. */
bool source_is_lane(const char *name);

/* 1, or 0 where the guard is switched off. */
int source_refuse(const struct source_check *k, enum judge_guard guard, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int source_check_text(struct source_check *k);      /* directives, attributes, other names */
int source_check_elsewhere(struct source_check *k); /* fills fresh, too */
int source_check_state(const struct source_check *k);
int source_check_calls(const struct source_check *k);
int source_check_unroll(const struct source_check *k);
int source_check_barriers(const struct source_check *k);
int source_check_waves(const struct source_check *k);
