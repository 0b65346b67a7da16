/*
 * Guards that compare the source of a candidate with that of the baseline: what one function may
 * become, and what may be new around it. docs/JUDGE.md says what each searches.
 */
#ifndef ROOFTOP_ENGINE_SOURCE_GUARDS_SOURCE_GUARDS_H
#define ROOFTOP_ENGINE_SOURCE_GUARDS_SOURCE_GUARDS_H

#include <stdbool.h>

#include "engine/judge/judge.h"
#include "engine/source_guards/syntax.h"

struct source_versions {
    const struct syntax_tree *baseline, *candidate;
    const char *function; /* whose body may change */
    const bool *allow;    /* of JUDGE_GUARDS; NULL: none is switched off */
};

/* Returns 0 where there is nothing to object, or 1 with the first objection. */
int source_guards_check(const struct source_versions *v, struct judge_refusal *out);

/* What a name of a function stands for. */
enum source_name {
    NAME_PLAIN,      /* nothing special: a function of somebody */
    NAME_ARITHMETIC, /* mathematics, memory, intrinsics: may be called */
    NAME_BARRIER,
    NAME_ATOMIC,
    NAME_LANES, /* works with the lanes of a wave, or tells its width; may be called if it was */
    NAME_TIME,
    NAME_WORLD, /* environment, files, processes, threads, what is loaded */
    NAME_STACK  /* tells where it is called from */
};
enum source_name source_name_of(const char *function);
const char *source_name_words(enum source_name n); /* "a timer"; "" of the first two */

/* What a node is that must not stand in a loop which is unrolled: "a barrier", "break" of a loop;
 * NULL: nothing of that kind. */
const char *source_stop_of(const struct syntax_tree *t, size_t node);

#endif
