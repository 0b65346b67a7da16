/* What a trial of two code objects says: the verdict, from the samples of its result. */
#pragma once

#include <cjson/cJSON.h>

#include "engine/judge_gpu/gpu_code.h"
#include "engine/judge_gpu/gpu_inputs.h"
#include "engine/judge_gpu/gpu_floor.h"

enum { GPU_NOTES = 16 };

struct gpu_judgement {
    const char *baseline, *candidate; /* as they were given */
    const char *kernel;               /* demangled; borrowed */
    double confidence, margin;
    struct gpu_resources resources[2];
    bool has_resources; /* both code objects could be read */
    bool no_poison;     /* the baseline faults where outputs hold a pattern */
    bool no_fresh;      /* the baseline faults with fresh inputs */
    bool allow[JUDGE_GUARDS];
    double roof; /* bytes a second of the GPU's first cache; not above 0: not known */

    enum judge_verdict verdict;
    struct judge_refusal refusal; /* JUDGE_REFUSED */
    /* Candidate by baseline, factors; NaN: not measured. cold: of the pairs of both series that
     * began with cold caches; the other two are of those that did not. */
    struct interval ratio, confirmed, cold;
    size_t pairs, confirming_pairs, cold_pairs; /* cold_pairs: of both series; also in the others */
    uint64_t flushed;        /* bytes that were written before each cold launch */
    double median[2];        /* of the first series, in the metric's unit */
    struct gpu_done work[2]; /* of a launch with the captured inputs */
    struct gpu_need need;
    uint64_t changed_lines; /* by the baseline's launch */
    double floor_us;        /* NAN: not known */
    char floor_why[160];    /* how it comes about, or why it is not known */
    bool tried;             /* a trial ran; else the members below are 0 */
    bool modelled;          /* the metric is GPU_MODELLED, else GPU_MEASURED */
    unsigned checks, launches;
    size_t outputs, poisoned; /* regions that the baseline changes; those with patterns */
    double worst;             /* the largest difference within the tolerance */
    struct {
        unsigned argument;
        enum memory_type type;
        bool said;
    } fresh[GPU_INPUTS]; /* inputs that got fresh values */
    size_t nfresh;
    char gpu[96];
    char sources[JUDGE_EVIDENCE]; /* why the sources were not looked at; "": they were */
    char notes[GPU_NOTES][224];
    size_t nnotes;
};

/* Takes the result of a trial, computes interval and verdict from its samples by out->confidence
 * and out->margin. */
void gpu_judgement_take(struct gpu_judgement *out, const cJSON *result);
