/* Judges builds of a captured GPU kernel as options say, for rooftop optimize judge and rooftop
 * optimize. */
#pragma once

#include "cli/options/command.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"
#include "engine/judge_gpu/gpu_judgement.h"
#include "engine/judge_gpu/gpu_trial.h"

#define JUDGE_CAPTURED "captured" /* the word for the captured code */

struct judge_kernel {
    const struct options *o;
    struct capture *capture;
    struct code_object *captured;
    struct gpu_trial_task task; /* code, for_s, margin and confidence are those of the last pair */
    char build[320];            /* the command where --build is not given */
    double roof;                /* bytes a second of the first cache, by --roofs; 0: not known */
};

/* Two builds. Nobody else may write the files. */
struct kernel_pair {
    const char *code[2];  /* of the baseline, of the candidate; NULL: the captured code */
    const char *given[2]; /* their names for messages */
    double for_s, margin, confidence;
    /* As in judge_plan; called with what the pairs show so far. NULL: nobody listens. */
    void (*on_progress)(void *ctx, const struct judge_progress *p);
    void *progress_ctx;
};

/* Fills the task, without the pair, from --capture-dir, --tolerance, --agent, --timeout and
 * `vary`, the text of --vary. 0, or ERROR_USAGE. Both processes of a judgement call it. */
int judge_kernel_task(struct gpu_trial_task *t, const struct options *o, const char *vary,
                      const bool *allow, struct error *err);
/* The same, and opens the capture. 0, or -errno with err. Call judge_kernel_close in either case.
 */
int judge_kernel_open(struct judge_kernel *k, const struct options *o, const char *vary,
                      const bool *allow, struct error *err);
void judge_kernel_close(struct judge_kernel *k);
/* Opens a build and finds the kernel in it. 0; 1: it has no such kernel; -errno with err. Free *out
 * in either case. */
int judge_kernel_code(const struct judge_kernel *k, const char *path, const char *given,
                      struct code_object **out, struct error *err);
/*
 * Compares the code objects, then starts the process that launches both. Returns 0 with a verdict
 * in out, or -errno with err. *status: the exit status of a replay that failed in this way; 0: no
 * replay failed.
 */
int judge_kernel_run(struct judge_kernel *k, const struct kernel_pair *pair,
                     struct gpu_judgement *out, int *status, struct error *err);
