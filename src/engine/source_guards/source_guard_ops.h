/*
 * Guards that look at the source of a candidate before it is built. A guard is one file or folder
 * under backends and a SOURCE_GUARD in capabilities.def.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct source_pair {
    const char *path;           /* the name of the source, as the user gave it: for its language */
    const char *candidate_path; /* where the candidate stands if that is elsewhere; else NULL */
    const char *function;       /* whose body may change; "": any part of it */
    const char *build;          /* the command, for its -D, -I and -std */
    const char *original;       /* what the user has, and the candidate: ended by 0 */
    const char *candidate;      /* both without a 0 before their ends */
    size_t n_original, n_candidate;
    bool amd;          /* they are for an AMD GPU: .cu is HIP */
    const char *allow; /* words of --allow with commas between, or NULL */
};

enum { SOURCE_REFUSAL_GUARD = 64, SOURCE_REFUSAL_EVIDENCE = 320 };
struct source_refusal {
    char guard[SOURCE_REFUSAL_GUARD];       /* "signature" */
    char evidence[SOURCE_REFUSAL_EVIDENCE]; /* a clause: what was seen, on which line */
    bool unreadable; /* it is no source of its language: evidence is the parser's message */
};

struct source_guard_ops {
    const char *name;    /* "syntax-tree" */
    const char *summary; /* one line */
    const char *words;   /* that --allow may have for it: "assembly static"; NULL: none */
    /* False: it cannot look here; why says what is missing. */
    bool (*available)(struct error *why);
    /* 0: nothing to object; 1 with *refused; or -errno with err: it could not look (a source that
     * it cannot read is a refusal, not an error). */
    int (*check)(const struct source_pair *pair, struct source_refusal *refused, struct error *err);
};

/* All of capabilities.def: NULL-terminated, asked in this order. */
extern const struct source_guard_ops *const source_guards[];
