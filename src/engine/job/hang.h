/*
 * Why a job hangs, from what the ranks recorded of their collectives: for each group of ranks the
 * first collective that did not end, who waits in it, and who is missing, or is in another one.
 *
 * Ranks are compared by the numbers of the collectives in their group, which each rank counts for
 * itself; clocks are not compared. Where the ranks that are missing wait in another group
 * themselves, the answer follows them to the group where nobody waits elsewhere.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_table.h"

#define HANG_UNKNOWN     UINT32_MAX
#define HANG_NO_TIME     UINT64_MAX
#define HANG_NO_SEQUENCE UINT64_MAX

/* What a call is: equal ones have the same number. */
struct hang_signature {
    const char *op;                         /* "all_reduce", "send 1->2" */
    const char *inputs, *outputs;           /* sizes: "[[1024, 1024]]"; "" unknown */
    const char *input_types, *output_types; /* "['Float']" */
    uint64_t in, out;                       /* elements, of all tensors */
};

struct hang_frame {
    const char *function, *file;
    uint32_t line;
};

struct hang_stack {         /* the innermost frame first */
    const uint32_t *frames; /* indices into hang.frames */
    uint32_t n;
};

enum hang_state { HANG_SCHEDULED, HANG_STARTED, HANG_COMPLETED };

/* A call of a collective, or of a send or receive, in one rank. */
struct hang_call {
    uint64_t sequence; /* of the group */
    uint64_t created;  /* ns, time of day; HANG_NO_TIME */
    uint32_t group;    /* index into hang.groups */
    uint32_t signature;
    uint32_t stack;      /* index into hang.stacks; HANG_UNKNOWN: not kept */
    uint32_t timeout_ms; /* 0 unknown */
    uint8_t state;       /* enum hang_state */
    bool pair;           /* a send or receive: only two ranks take part */
    bool retired;        /* no longer watched; if it has not completed, it timed out */
    bool stale;          /* of a group of this name that the rank has made anew since */
};

struct hang_rank {
    uint32_t number;
    char *path;
    struct hang_call *calls; /* in order of time */
    uint32_t ncalls;
    bool wrapped;     /* older calls were overwritten */
    uint64_t newest;  /* ns: the last time in the file; 0 none */
    uint64_t written; /* ns: when the file was written, as the file system says; 0 unknown */
};

/* What a member of a group does at the group's collective. */
enum hang_place {
    HANG_WAITS,     /* it is in it */
    HANG_PASSED,    /* it has completed it */
    HANG_ABSENT,    /* it never entered it */
    HANG_DIFFERS,   /* it is in another one of the same number */
    HANG_NOT_BEGUN, /* it has enqueued it, but its GPU has not begun it as those of others have */
    HANG_NO_DUMP,   /* it has left no file */
    HANG_UNCLEAR,   /* its file no longer has so old calls, or is older than the hang */
    HANG_PLACES
};

struct hang_member {
    uint32_t rank;      /* of the job */
    uint32_t at;        /* index into hang.ranks; HANG_UNKNOWN: no dump */
    uint32_t call;      /* of its rank, at the group's collective; HANG_UNKNOWN */
    uint32_t last;      /* its last call in the group; HANG_UNKNOWN */
    uint32_t elsewhere; /* its call that waits in another group, or a send; HANG_UNKNOWN */
    uint8_t place;      /* enum hang_place */
};

/* How a call of the same number differs from that of most ranks. */
enum hang_difference { HANG_SAME, HANG_OP, HANG_SIZES, HANG_TYPES };

struct hang_group {
    const char *name, *description, *label; /* "0", "default_pg", what is shown of both */
    struct hang_member *members;            /* by rank */
    uint32_t nmembers;
    bool known;         /* the files say its ranks; else those that have calls */
    bool alike;         /* another group has this description, too */
    uint64_t sequence;  /* of its first collective that some rank has not ended; HANG_NO_SEQUENCE */
    uint32_t signature; /* of most ranks there */
    uint32_t count[HANG_PLACES];
    uint32_t idle; /* of those who never entered it, or whose GPU has not: who wait nowhere else */
    enum hang_difference difference; /* of the first that differs */
    bool tied;              /* as many called one as another: nobody knows which is right */
    uint64_t since, waited; /* ns: since when who waits longest waits; for how long; 0 unknown */
    uint32_t timeout_ms;    /* 0 unknown */
    bool timed_out;         /* it has waited for longer than that, or was given up */
    bool doubtful;          /* that is known by the time of the file only, which may be a copy's */
    bool root;              /* it does not wait for another group */
    bool foremost;          /* some rank waits in it, and for nothing that it called before */
};

enum hang_verdict {
    HANG_NONE,     /* all collectives have ended */
    HANG_RUNNING,  /* ranks wait, but for a shorter time than they may */
    HANG_MISSING,  /* ranks never entered */
    HANG_MISMATCH, /* ranks called something else */
    HANG_DEAD,     /* ranks left no file, and all others are there */
    HANG_GPU,      /* all have enqueued it, and some GPU has not begun it */
    HANG_INSIDE,   /* nobody is missing, and it does not end */
    HANG_CIRCLE,   /* groups wait for each other */
    HANG_PAIRS,    /* what waits, if anything, waits for ranks in sends or receives */
    HANG_VERDICTS
};

struct hang {
    struct hang_rank *ranks; /* by number */
    uint32_t n;
    struct hang_group *groups; /* in the order of reading */
    uint32_t ngroups;
    uint32_t *order;   /* of the groups: those that wait first, causes before their effects */
    uint32_t nwaiting; /* groups that wait; they come first in order */
    struct hang_signature *signatures;
    uint32_t nsignatures;
    struct hang_frame *frames;
    uint32_t nframes;
    struct hang_stack *stacks;
    uint32_t nstacks;
    uint32_t missing, first_missing; /* ranks of the groups that have left no file */
    uint32_t left_out;               /* files that cannot be read */
    const char *
        *notes; /* what was left out of a folder, and why: one a file, and one of other files */
    uint32_t nnotes, notes_room;
    bool ended;                  /* so has the job: what waits is told in the past tense */
    uint32_t pairs;              /* ranks that wait in a send or receive */
    uint32_t pair_at, pair_call; /* the first of them, index into ranks, and its call */
    enum hang_verdict verdict;   /* about groups[order[0]] */
    struct hang_private *priv;
};

enum { HANG_RANKS_MOST = 1 << 20, HANG_FRAMES_MOST = 64 };
/* Where a file says no limit: that of PyTorch for NCCL, torch/distributed/constants.py. */
enum { HANG_TIMEOUT_MS = 600000 };

/* For readers. Texts are copied. *h begins as zeros. */
uint32_t hang_add_group(struct hang *h, const char *name, const char *description,
                        const uint32_t *ranks, uint32_t n);
uint32_t hang_add_signature(struct hang *h, const struct hang_signature *s);
uint32_t hang_add_frame(struct hang *h, const struct hang_frame *f);
uint32_t hang_add_stack(struct hang *h, const uint32_t *frames, uint32_t n);
/* Tells what was left out of a folder. */
void hang_note(struct hang *h, const char *text);
/* Takes over r->calls and copies r->path. -E2BIG with err if there are too many. */
int hang_add_rank(struct hang *h, const struct hang_rank *r, struct error *err);

/* Finds everything else. 0, or -errno with err: two files are of the same rank. */
int hang_finish(struct hang *h, struct error *err);
void hang_free(struct hang *h);

/* A call of a member; NULL: there is no member, or the call is HANG_UNKNOWN. */
const struct hang_call *hang_find_call(const struct hang *h, const struct hang_member *m,
                                       uint32_t call);
/* The call that a member is in at its group's collective, else its last one there; NULL: none. */
const struct hang_call *hang_member_call(const struct hang *h, const struct hang_member *m);
/* The frame of a stack that is the user's own code: the innermost one that is not of the framework.
 * NULL if there is none. */
const struct hang_frame *hang_own_frame(const struct hang *h, uint32_t stack);
const char *hang_verdict_name(enum hang_verdict v);       /* for documents: "missing" */
const char *hang_place_name(enum hang_place p);           /* "waits" */
const char *hang_difference_name(enum hang_difference d); /* "operation" */
const char *hang_state_name(enum hang_state s);
