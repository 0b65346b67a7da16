/* A captured dispatch of a GPU kernel (engine/judge_gpu/gpu_judgement.h). */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cli/judge/judge_kernel.h"
#include "cli/optimize/target.h"
#include "engine/code/code_hash.h"
#include "engine/code/kernel_name.h"

struct kernel_target {
    struct judge_kernel kernel;
    char function[JUDGE_NAME]; /* as its source has it */
    int status;
};

static const char *last_part(const char *name)
{
    const char *last = name;
    for (const char *p = name; (p = strstr(p, "::")); last = p)
        p += 2;
    return last;
}

static int judge(void *state, const struct target_trial *t, struct target_judgement *out,
                 struct error *err)
{
    struct kernel_target *k = state;
    const struct kernel_pair pair = {.code = {t->baseline, t->candidate},
                                     .given = {t->baseline, t->candidate},
                                     .for_s = t->for_s,
                                     .margin = t->margin,
                                     .confidence = t->confidence,
                                     .on_progress = t->on_progress,
                                     .progress_ctx = t->progress_ctx};
    struct gpu_judgement g;
    const int rc = judge_kernel_run(&k->kernel, &pair, &g, &k->status, err);
    if (rc != 0)
        return rc;
    *out = (struct target_judgement){.verdict = g.verdict,
                                     .refusal = g.refusal,
                                     .warm = g.ratio,
                                     .cold = g.cold,
                                     .confirmed = g.confirmed,
                                     .baseline_ns = NAN,
                                     .candidate_ns = NAN,
                                     .pairs = g.pairs + g.confirming_pairs,
                                     .modelled = g.modelled};
    if (g.pairs && !g.modelled) {
        out->baseline_ns = 1e3 * g.median[0]; /* the median is in microseconds */
        out->candidate_ns = 1e3 * g.median[1];
    }
    return 0;
}

static uint64_t code(void *state, const char *path, struct error *err)
{
    const struct kernel_target *k = state;
    struct code_object *object = NULL;
    uint64_t h = 0;
    const int rc = judge_kernel_code(&k->kernel, path, path, &object, err);
    if (rc == 1)
        error_set(err, ERROR_INPUT, EINVAL, "the name must be the captured one", path,
                  "it has no kernel %.200s", k->kernel.capture->mangled_name);
    if (rc == 0)
        h = code_object_hash(object);
    if (object)
        code_object_free(object);
    return h;
}

static uint64_t add_numbers(uint64_t h, const uint32_t list[3])
{
    for (int i = 0; i < 3; i++)
        h = hash_number(h, list[i]);
    return h;
}

/* Identifies the target: the dispatch, and how answers are compared. */
static uint64_t capture_hash(const struct capture *c, const char *tolerance, const char *vary)
{
    uint64_t h = hash_text(0, c->mangled_name);
    h = add_numbers(add_numbers(h, c->grid), c->block);
    h = hash_bytes(hash_bytes(h, c->code, c->code_bytes), c->kernarg, c->kernarg_size);
    for (size_t i = 0; i < c->nregions; i++) {
        const struct capture_region *r = &c->regions[i];
        h = hash_number(hash_number(h, r->base), r->size);
        h = hash_number(hash_number(h, r->before.checksum), r->after.checksum);
    }
    h = hash_text(h, tolerance ? tolerance : "");
    return hash_text(h, vary ? vary : "");
}

/* Whether the name stands for the captured kernel. */
static bool is_named(const struct kernel_target *k, const char *name)
{
    const struct capture *c = k->kernel.capture;
    char base[512];
    return strcmp(name, c->mangled_name) == 0 || strcmp(name, c->demangled_name) == 0 ||
           strcmp(name, k->function) == 0 ||
           strcmp(name, kernel_base_name(c->demangled_name, base, sizeof base)) == 0;
}

static int kernel_open(struct optimize_target *out, const struct options *o, const bool *allow,
                       struct error *err)
{
    const struct optimize_options *own = o->own;
    struct kernel_target *k = xcalloc(1, sizeof *k);
    char base[512];
    *out = (struct optimize_target){
        .name = "capture", .object = ".hsaco", .state = k, .judge = judge, .code = code};
    const int rc = judge_kernel_open(&k->kernel, o, own->vary, allow, err);
    if (rc != 0)
        return rc;
    const struct capture *c = k->kernel.capture;
    snprintf(k->function, sizeof k->function, "%s",
             last_part(kernel_base_name(c->demangled_name, base, sizeof base)));
    out->function = k->function;
    out->amd = true; /* captures come from HSA */
    out->kernel = c->demangled_name;
    out->build = k->kernel.build;
    out->hash = capture_hash(c, o->replay.tolerance, own->vary);
    memcpy(out->block, c->block, sizeof out->block);
    return !own->kernel || is_named(k, own->kernel)
               ? 0
               : error_set(err, ERROR_USAGE, EINVAL,
                           "rooftop gpu capture --kernel captures another", "--kernel",
                           "the capture is of %.200s", c->demangled_name);
}

static int kernel_status(const void *state)
{
    const struct kernel_target *k = state;
    return k->status;
}

static void kernel_close(void *state)
{
    struct kernel_target *k = state;
    if (k)
        judge_kernel_close(&k->kernel);
    free(k);
}

const struct target_ops target_capture = {
    .open = kernel_open, .status = kernel_status, .close = kernel_close};
