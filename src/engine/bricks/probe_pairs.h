/*
 * Which probes of a program belong together: one says that something begins, the other that it has
 * ended.
 *
 * A pattern is PROVIDER:NAME, both with * ? [] of fnmatch(3); PROVIDER alone is all of it. NAME is
 * what the two names have in common (query for query__start and query__done) or one of the two.
 * PROVIDER:A..B is a pair of any two names, without globs. Patterns are separated by commas.
 */
#ifndef ROOFTOP_ENGINE_BRICKS_PROBE_PAIRS_H
#define ROOFTOP_ENGINE_BRICKS_PROBE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PROBE_PATTERNS_MAX = 64, PROBE_PAIRS_MAX = 256, PROBE_PATTERN_LENGTH = 128 };

struct probe_patterns {
    struct probe_pattern {
        char provider[PROBE_PATTERN_LENGTH], name[PROBE_PATTERN_LENGTH];
        char end[PROBE_PATTERN_LENGTH]; /* A..B: B; name is A then */
        bool explicit;
    } list[PROBE_PATTERNS_MAX];
    size_t n;
};

/* ERROR_USAGE. */
int probe_patterns_parse(struct probe_patterns *out, const char *text, struct error *err);

/* Whether a pattern names this provider at all. */
bool probe_provider_wanted(const struct probe_patterns *p, const char *provider);

struct probe_name {
    const char *provider, *name;
};
struct probe_pair {
    uint32_t begin, end;                     /* indexes of names */
    char name[2 * PROBE_PATTERN_LENGTH + 4]; /* "postgresql:query" */
};
/* The pairs among names (any order; equal names once) that a pattern wants, each once, in the order
 * of the names; at most max. */
size_t probe_pairs_find(const struct probe_patterns *p, const struct probe_name *names, size_t n,
                        struct probe_pair *out, size_t max);

#endif
