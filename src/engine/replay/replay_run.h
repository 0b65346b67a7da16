/*
 * The state of a replay while it runs and after it has ended, from the lines that the child process
 * prints (docs/CAPTURE.md, `--progress`) and from how it ended. Its output is not trusted: lines,
 * texts and lists have limits; lines outside the protocol are counted and ignored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/replay/replay_protocol.h"
#include "engine/value/stats.h"

enum {
    REPLAY_LINE_MAX = 32 << 20,   /* longest line, bytes */
    REPLAY_SAMPLES_MAX = 1 << 20, /* iterations whose times are kept */
    REPLAY_DIFFERENCES_MAX = 1024,
    REPLAY_VARIANTS_MAX = 64,
    REPLAY_JUNK_MAX = 1000, /* lines outside the protocol before the child is killed */
    REPLAY_TEXT_MAX = 512,
};

enum replay_job { REPLAY_FULL_VM, REPLAY_COMPARE, REPLAY_RESERVE_CHECK, REPLAY_JOBS };
const char *replay_job_name(enum replay_job job); /* "full-vm": the sub-command */

enum replay_state {
    REPLAY_RUNNING,
    REPLAY_STOPPING, /* the child was asked to end */
    REPLAY_DONE,     /* it has a result; result.verify is the verdict */
    REPLAY_FAILED,   /* it failed; see kind and message */
    REPLAY_CANCELLED
};

struct replay_timing { /* microseconds */
    bool known;
    double average, min, max, stddev, median;
    double *samples; /* NULL: the document lists none */
    size_t n;        /* number of samples */
    uint64_t iterations;
};

struct replay_difference {
    uint64_t region, offset, address, count; /* in bytes; count: elements or bytes that differ */
    const char *expected, *found;            /* as the document has them; "" = unknown */
};

/* Values are stored in the history: do not renumber. */
enum replay_equality {
    REPLAY_NOT_COMPARED = -1,
    REPLAY_DIFFERENT,
    REPLAY_EQUAL,
    REPLAY_TOLERATED /* equal within a tolerance */
};

enum replay_equality replay_equality_of(bool compared, bool equal, bool exact);
struct replay_verify {
    bool reported; /* memory was compared */
    bool equal;
    bool exact;       /* compared byte for byte; else as values of `type`, with a tolerance */
    const char *type; /* "f32"; "" = unknown */
    uint64_t regions, bytes; /* compared regions and bytes */
    struct replay_difference *differences;
    size_t n;
};

struct replay_variant { /* one code object of a comparison */
    const char *path;
    const char *why; /* why it could not be measured; "" = it was */
    struct replay_timing timing;
    int equal;    /* its memory after against the capture's, its output against the first variant's:
                     enum replay_equality */
    double ratio; /* its time divided by that of the first, from the document; NAN = none */
    /* verdict about the ratio: "faster"; "" = none (engine/replay/replay_ratio.h) */
    const char *verdict;
};

struct replay_reserve { /* result of reserve-check: numbers of regions */
    bool reported;
    uint64_t total, exact, relocated, failed;
};

/* The document that `--json` prints; its arena owns texts and lists. */
struct replay_result {
    struct arena arena;
    const char *kernel, *mangled_name, *hsaco;
    const char *mode; /* "stateless"; "" = unknown */
    uint64_t iterations;
    struct replay_timing timing;
    bool restore_reported;
    uint64_t restore_regions;
    double restore_rate; /* bytes/s */
    struct replay_verify verify;
    struct replay_variant *variants;
    size_t nvariants;
    struct replay_reserve reserve;
    const char *agent, *product, *isa, *rocm; /* "" = unknown */
    bool emulated;    /* an emulated GPU: times say nothing about a real one */
    const char *json; /* the document's text */
};
/* Returns 0, or -EINVAL if the text is no such document. Free *out in either case. */
int replay_result_parse(struct replay_result *out, const char *json, size_t n);
void replay_result_free(struct replay_result *r);

struct replay_run {
    enum replay_job job;
    enum replay_state state;
    enum replay_stage stage;    /* the current stage, or the last one */
    unsigned stages;            /* stages that were reached, one bit each */
    uint64_t done, total;       /* progress in the stage; total 0: unknown */
    uint64_t stage_since_ns;    /* when the stage began */
    double *samples;            /* times of the iterations so far, microseconds */
    uint8_t *variant;           /* for each sample the variant of a comparison */
    size_t n, cap;              /* number of samples */
    uint64_t iterations;        /* all iterations, also those beyond REPLAY_SAMPLES_MAX */
    double restore_rate;        /* bytes/s so far; 0 = none yet */
    uint64_t restore_since_ns;  /* when restoring began; 0 = not yet */
    bool has_result, has_error; /* whether the document, or an error, was printed */
    struct replay_result result;
    enum replay_kind kind; /* why it failed */
    char message[REPLAY_TEXT_MAX];
    char said[REPLAY_TEXT_MAX]; /* last line that it wrote to standard error */
    uint64_t address, region;   /* of a fault, if has_address; region 0: in no region */
    bool has_address;
    uint64_t junk;               /* lines outside the protocol */
    uint64_t began_ns, ended_ns; /* by env_now_ns */
};
/* A zeroed struct is a run that was never started. */
void replay_run_start(struct replay_run *run, enum replay_job job, uint64_t now_ns);
void replay_run_free(struct replay_run *run); /* frees its memory and zeroes it */
/* Estimated seconds until the stage ends, at its pace so far; NAN unknown. */
double replay_run_left(const struct replay_run *run, uint64_t now_ns);
enum { REPLAY_PROGRESS_MAX = 96 };
/* The stage's progress: "132 of 1000 iterations, 12 s left"; "" if unknown. */
const char *replay_run_progress(const struct replay_run *run, uint64_t now_ns, bool ascii,
                                char out[REPLAY_PROGRESS_MAX]);
/* Takes one line of output, without its newline. A line outside the protocol counts as junk. */
void replay_run_line(struct replay_run *run, const char *line, size_t n, uint64_t now_ns);
/* Takes one line of its messages. Keeps it as `said` and parses the runtime's message about a
 * fault. */
void replay_run_said(struct replay_run *run, const char *line, size_t n);

/* Why the child was ended. */
enum replay_end { REPLAY_END_OWN, REPLAY_END_CANCEL, REPLAY_END_TIMEOUT, REPLAY_END_JUNK };
/* Call it when the child has ended. status: from waitpid; -1 unknown. timeout_s: the limit, for the
 * message. */
void replay_run_end(struct replay_run *run, enum replay_end end, int status, double timeout_s,
                    uint64_t now_ns);
static inline bool replay_run_over(const struct replay_run *run)
{
    return run->state >= REPLAY_DONE;
}
