/* What the rules share. All checks return 0, or 1 with the objection. */
#ifndef ROOFTOP_ENGINE_SOURCE_GUARDS_SOURCE_IMPL_H
#define ROOFTOP_ENGINE_SOURCE_GUARDS_SOURCE_IMPL_H

#include "engine/source_guards/source_guards.h"

struct source_side {
    const struct syntax_tree *tree;
    struct syntax_tokens tokens;
    size_t function; /* its node */
};

struct source_check {
    const struct source_versions *versions;
    struct source_side baseline, candidate;
    bool *fresh; /* of each node of the candidate: it is the function, or a declaration that was not
                    there before, or lies within one */
    struct judge_refusal *out;
};

/* 1, or 0 where the guard is switched off. */
int source_object(const struct source_check *k, enum judge_guard guard, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int source_check_text(struct source_check *k);      /* directives, attributes, other names */
int source_check_elsewhere(struct source_check *k); /* fills fresh, too */
int source_check_state(const struct source_check *k);
int source_check_calls(const struct source_check *k);
int source_check_unroll(const struct source_check *k);
int source_check_waves(const struct source_check *k);

#endif
