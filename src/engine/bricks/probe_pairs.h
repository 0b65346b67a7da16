/*
 * Finds pairs of probes of a program: one marks a begin, the other the end.
 *
 * A pattern is PROVIDER:NAME, both with * ? [] as in fnmatch(3); PROVIDER alone stands for all its
 * pairs. NAME is the common part of both names (query for query__start and query__done) or one of
 * the two. PROVIDER:A..B is a pair of any two names, without wildcards. Commas separate patterns.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PROBE_PATTERNS_MAX = 64, PROBE_PAIRS_MAX = 256, PROBE_PATTERN_LENGTH = 128 };

struct probe_patterns {
    struct probe_pattern {
        char provider[PROBE_PATTERN_LENGTH], name[PROBE_PATTERN_LENGTH];
        char end[PROBE_PATTERN_LENGTH]; /* B of A..B; name is A then */
        bool explicit;
    } list[PROBE_PATTERNS_MAX];
    size_t n;
};

/* ERROR_USAGE. */
int probe_patterns_parse(struct probe_patterns *out, const char *text, struct error *err);

/* Whether any pattern names this provider. */
bool probe_provider_wanted(const struct probe_patterns *p, const char *provider);

struct probe_name {
    const char *provider, *name;
};
struct probe_pair {
    uint32_t begin, end;                     /* indexes of names */
    char name[2 * PROBE_PATTERN_LENGTH + 4]; /* "postgresql:query" */
};
/* Finds the pairs among names (in any order, each name once) that a pattern matches: each once, in
 * order of names, at most max. Returns their number. */
size_t probe_pairs_find(const struct probe_patterns *p, const struct probe_name *names, size_t n,
                        struct probe_pair *out, size_t max);
