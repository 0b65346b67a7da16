/*
 * A trial of two code objects on a captured dispatch: which memory the baseline writes, whether the
 * candidate leaves the same, with the captured inputs and with fresh ones, and what launches of
 * both cost. It runs in a process of its own, as a replay does, and says what it saw as a replay's
 * events (docs/CAPTURE.md), and what the pairs say so far (gpu_progress.h).
 */
#pragma once

#include "engine/judge/judge.h"
#include "engine/replay/replay_rule.h"

struct gpu_trial_task {
    const char *capture;
    const char *code[2]; /* baseline, candidate; NULL: the captured one */
    const char *vary;    /* gpu_inputs.h */
    struct replay_rule rule;
    double timeout_s, for_s; /* of a launch; of a series of pairs */
    double margin, confidence;
    int agent;
    bool no_poison, no_fresh; /* an earlier trial showed that the baseline does not bear it */
    bool allow[JUDGE_GUARDS];
};

/* Where a launch of the baseline failed: the "probe" of the error event. The caller tries again
 * without it. */
#define GPU_PROBE_POISON "poison"
#define GPU_PROBE_FRESH  "fresh"

/* Every third pair of launches begins with cold caches. "Faster" needs at least GPU_FEWEST_COLD
 * such pairs, as it does for functions (engine/judge/judge_decide.c). */
enum { GPU_COLD_EACH = 3, GPU_FEWEST_COLD = 12 };

/*
 * A model of what a launch costs, for emulated GPUs, whose times mean nothing: instructions of
 * waves plus 8 for each line of 64 bytes that an instruction touches. A unit of an MI300X issues
 * about one instruction of a wave in a cycle, and its share of the memory's peak is 8.3 bytes in a
 * cycle (5.3 TB/s, 304 units, 2100 MHz: AMD's data sheet). It knows no caches, no latency and no
 * order.
 */
#define GPU_LINE_COST 8
#define GPU_MODELLED  "modelled: instructions of waves + 8 for each line of 64 bytes touched"
#define GPU_MEASURED  "microseconds of the dispatch, by the GPU's time stamps"
