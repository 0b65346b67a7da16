/* Which calls a golden trace leaves out, and how it writes the rest. One table, with reasons. */
#ifndef ROOFTOP_ENGINE_GOLDEN_GOLDEN_RULES_H
#define ROOFTOP_ENGINE_GOLDEN_GOLDEN_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum { GOLDEN_RULES_VERSION = 1 };

struct golden_rule {
    const char *id;     /* "allocator" */
    const char *calls;  /* names of calls, separated by spaces; NULL: any */
    const char *paths;  /* patterns of paths (fnmatch), separated by spaces; NULL: any */
    const char *reason; /* why this is left out */
};

extern const struct golden_rule golden_rules[];
extern const size_t golden_rules_count;

/* The rule that leaves out a call on a file; path NULL: the call is on none. NULL: it stays. */
const struct golden_rule *golden_rule_for(const char *call, const char *path);
/*
 * Writes a path or text with what differs between runs replaced: the random part of temporary names
 * by
 * XXXXXX, the number in /proc/NUMBER by PID.
 */
void golden_stable_text(const char *text, char *out, size_t size);

#endif
