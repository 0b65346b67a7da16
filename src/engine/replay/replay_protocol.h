/* The words that a replay and its supervisor share: stages and kinds of failure (docs/CAPTURE.md).
 */
#pragma once

/* Limits on measured launches and warm-up launches, for the command line and the form. */
enum { REPLAY_ITERATIONS_MAX = 1000000, REPLAY_WARMUP_MAX = 1000000 };

enum replay_stage { /* in the order in which they are reached */
                    REPLAY_STAGE_CHECK,
                    REPLAY_STAGE_HOLD,
                    REPLAY_STAGE_INITIALISE,
                    REPLAY_STAGE_RESERVE,
                    REPLAY_STAGE_RESTORE,
                    REPLAY_STAGE_LOAD,
                    REPLAY_STAGE_RUN,
                    REPLAY_STAGE_VERIFY,
                    REPLAY_STAGES
};
const char *replay_stage_name(enum replay_stage stage); /* "check" */
enum replay_stage replay_stage_find(const char *name); /* REPLAY_STAGES if there is no such stage */

enum replay_kind {
    REPLAY_OK,        /* no failure */
    REPLAY_USAGE,     /* the request makes no sense */
    REPLAY_CAPTURE,   /* the capture or code object is damaged, or no such file */
    REPLAY_RUNTIME,   /* no HSA runtime, no GPU, no virtual memory */
    REPLAY_ISA,       /* the code is for another GPU */
    REPLAY_RELOCATED, /* an address was not free */
    REPLAY_MEMORY,    /* mapping or access failed, or the memory is too small */
    REPLAY_LOAD,      /* the code object or its kernel could not be loaded */
    REPLAY_FAULT,
    REPLAY_ILLEGAL,
    REPLAY_QUEUE,
    REPLAY_TIMEOUT,
    REPLAY_INTERNAL,
    REPLAY_KINDS
};
const char *replay_kind_name(enum replay_kind kind); /* "fault"; "" for REPLAY_OK */
enum replay_kind replay_kind_find(const char *name); /* REPLAY_INTERNAL if there is no such kind */
int replay_kind_exit(enum replay_kind kind); /* the exit status of `rooftop gpu replay` for it */
