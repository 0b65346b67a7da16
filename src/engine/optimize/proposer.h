/*
 * The interface that a proposer fills: it is shown a source and what is known about it, and answers
 * with another version of it. A proposer is one file or folder under backends/optimize and one
 * PROPOSER in capabilities.def. It is trusted with nothing: what it answers is guarded, built and
 * judged as the code of a stranger.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/judge/harness.h"

enum { PROPOSAL_NOTE = 256, PROPOSAL_EVIDENCE = 320, PROPOSAL_WORD = 64 };
/* A source, an answer: bytes at most. */
#define PROPOSAL_BYTES ((size_t)1 << 20)

/* Facts of a profile about the kernel. A number that was not measured is NaN, a text "". */
struct proposal_profile {
    char kernel[JUDGE_NAME];
    double path_share; /* of the critical path's time, 0 to 1 */
    double roof_share; /* reached of its roof, 0 to 1 */
    char bottleneck[PROPOSAL_WORD];
    char evidence[PROPOSAL_EVIDENCE]; /* the counters that say so: a clause */
};

/* An answer that was tried before, and what a proposer may know of the judgement: never a seed, an
 * input, or what was expected. */
struct proposal_past {
    uint32_t number;                  /* of the candidate, from 1 */
    char proposer[PROPOSAL_WORD];     /* "command" */
    char verdict[PROPOSAL_WORD];      /* "faster", "refused", ...: optimize.h lists them */
    char guard[PROPOSAL_WORD];        /* of a refusal; else "" */
    char evidence[PROPOSAL_EVIDENCE]; /* a clause; "" */
    double factor;                    /* its time by that of what it was judged against; or NaN */
    char note[PROPOSAL_NOTE];         /* what the proposer said about it */
};

struct proposal_request {
    uint32_t number;      /* of the candidate that is asked for, from 1; never twice in a run */
    const char *path;     /* the name of the source, as the user gave it; it is not opened */
    const char *text;     /* the source to improve: the best so far, or another base */
    size_t n;             /* its bytes; text[n] is 0, and there is none before */
    uint32_t base;        /* the candidate whose text this is; 0: the user's source */
    const char *original; /* the user's source, of n_original bytes, ended as text */
    size_t n_original;
    const char *function;          /* whose body may change: the harness's */
    const char *build;             /* the command, with {source} and {out} */
    const struct harness *harness; /* NULL: the target is not a harness */
    /* Work-items of the work-groups that are launched, of a GPU kernel; NULL. No kernel that is
     * proposed need bear others. */
    const uint32_t *block;
    bool amd;                               /* the source is for an AMD GPU: .cu is HIP */
    double min_gain;                        /* 0.02: less is no gain */
    const struct proposal_profile *profile; /* NULL: there is none */
    const struct proposal_past *past;       /* oldest first */
    size_t npast;
    /* Where the last answer did not build: that answer, and what the compiler said. NULL: this is
     * no repair. A proposer that cannot repair answers PROPOSAL_NONE; that does not end it. */
    const char *broken, *messages;
    const char *folder; /* of this candidate: questions and answers are kept in it */
    double limit_s;     /* for the answer */
};

enum proposal_kind {
    PROPOSAL_NONE, /* it has no further candidates for this base, and is not asked about it again */
    PROPOSAL_FILE, /* the whole text of the source */
    PROPOSAL_DIFF  /* a unified diff against request.text; diff.h says how strictly it is read */
};
struct proposal_answer {
    enum proposal_kind kind;
    char *text; /* malloc'ed, ended by a 0 that does not count; NULL of PROPOSAL_NONE */
    size_t n;
    char note[PROPOSAL_NOTE]; /* what was done: "unrolled the loop at line 12 by 4"; "" */
};

struct proposer_ops {
    const char *name;     /* for --proposer, in the log and on the screen: "unroll" */
    const char *argument; /* what follows the name and a colon: "PROG"; NULL: nothing may */
    const char *summary;  /* one line for help: "unrolls loops by 2 to 8" */
    bool outside;         /* its answers come from a program or a network: only where it is named */
    bool captured;        /* it goes by request.block */
    /* argument: NULL where ops->argument is. 0 with *state, or -errno with err (ERROR_USAGE: a bad
     * argument; ERROR_UNSUPPORTED: not here, and why). */
    int (*open)(void **state, const char *argument, struct error *err);
    /*
     * Asks once. A proposer whose answers are counted goes by its own state, not by the number,
     * and counts for each text: bases may alternate.
     * resumed with the same past, it may give an answer again: the loop tries no text twice.
     * Looks at watch_given_up() where it takes long. 0 with *out (zeroed before), whose text the
     * caller frees; or -errno with err: this answer failed, the next may not.
     */
    int (*ask)(void *state, const struct proposal_request *request, struct proposal_answer *out,
               struct error *err);
    void (*close)(void *state); /* NULL allowed as state */
};

/* All of capabilities.def: NULL-terminated. */
extern const struct proposer_ops *const proposers[];

/* "unroll", "command:PROG". 0, or -errno with err (ERROR_USAGE: there is none of that name). */
struct proposer {
    const struct proposer_ops *ops;
    void *state;
};
int proposer_open(struct proposer *out, const char *spec, struct error *err);
void proposer_close(struct proposer *p); /* a zeroed one is allowed */
