#include "cli/judge/judge_kernel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/toolbox.h"
#include "base/watch.h"
#include "cli/judge/judge_files.h"
#include "cli/replay/replay.h"
#include "engine/judge_gpu/gpu_code.h"
#include "engine/judge_gpu/gpu_progress.h"
#include "engine/roofline/roofs_csv.h"
#include "engine/value/document.h"

enum { ALLOWED = 1024, HIPCC_MAX = 160 };

int judge_kernel_task(struct gpu_trial_task *t, const struct options *o, const char *vary,
                      const bool *allow, struct error *err)
{
    *t = (struct gpu_trial_task){.capture = o->replay.capture_dir,
                                 .vary = vary,
                                 .timeout_s = replay_timeout(o),
                                 .agent = (int)o->replay.agent};
    memcpy(t->allow, allow, sizeof t->allow);
    return replay_rule_parse(o->replay.tolerance, &t->rule, err);
}

static const char *find_captured_isa(const struct judge_kernel *k)
{
    return *k->capture->isa_name ? k->capture->isa_name : NULL;
}

/* Reads the roof from the row of --agent in roofline.csv, or from the first row without --agent. */
static int read_roofs(struct judge_kernel *k, struct error *err)
{
    const char *path = k->o->roofs;
    struct arena memory = {0};
    struct roofs_csv csv = {.nrows = 0};
    const struct roofs_row *row = NULL;
    int rc = path ? roofs_csv_read(&csv, &memory, path, err) : 0;
    for (uint32_t i = 0; rc == 0 && i < csv.nrows; i++)
        if (!row || csv.rows[i].device == (uint32_t)k->task.agent)
            row = &csv.rows[i];
    for (uint32_t i = 0; row && i < row->nceilings; i++)
        if (row->ceilings[i].memory && row->ceilings[i].level == LEVEL_L1)
            k->roof = row->ceilings[i].peak;
    if (rc == 0 && path && !(k->roof > 0))
        rc = error_set(err, ERROR_INPUT, EINVAL, NULL, path, "it has no L1Bw");
    arena_free(&memory);
    return rc;
}

/* Finds hipcc in PATH, else in an installed ROCm. Gives the plain name if there is none, so that
 * the shell reports that, and if the path would need quotes. */
static void find_hipcc(char out[HIPCC_MAX])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_+./";
    struct toolbox_tool *found = xcalloc(TOOLBOX_MAX, sizeof *found);
    const char *name = toolbox_list(TOOLBOX_HIPCC, found) ? found[0].name : "hipcc";
    const size_t n = strlen(name);
    snprintf(out, HIPCC_MAX, "%s", n < HIPCC_MAX && strspn(name, plain) == n ? name : "hipcc");
    free(found);
}

int judge_kernel_open(struct judge_kernel *k, const struct options *o, const char *vary,
                      const bool *allow, struct error *err)
{
    *k = (struct judge_kernel){.o = o};
    int rc = judge_kernel_task(&k->task, o, vary, allow, err);
    if (rc == 0)
        rc = read_roofs(k, err);
    if (rc == 0)
        rc = capture_open(&k->capture, o->replay.capture_dir, err);
    if (rc == 0)
        rc = code_object_read(&k->captured, k->capture->code, k->capture->code_bytes,
                              "kernel.hsaco", find_captured_isa(k), err);
    if (rc != 0)
        return rc;
    const char *at = strstr(k->captured->isa, "gfx");
    char hipcc[HIPCC_MAX];
    find_hipcc(hipcc);
    snprintf(k->build, sizeof k->build,
             "${HIPCC:-%s} --genco -O3 --offload-arch=%.*s -o {out} {source}", hipcc,
             at ? (int)strcspn(at, ":") : 0, at ? at : "");
    return 0;
}

void judge_kernel_close(struct judge_kernel *k)
{
    if (k->captured)
        code_object_free(k->captured);
    capture_free(k->capture);
    *k = (struct judge_kernel){.o = NULL};
}

/* --- the code objects --- */

/* Messages name the file that was given. */
int judge_kernel_code(const struct judge_kernel *k, const char *path, const char *given,
                      struct code_object **out, struct error *err)
{
    struct error own = ERROR_INIT;
    const struct capture *c = k->capture;
    int rc = 0;
    *out = NULL;
    if (!path)
        rc = code_object_read(out, c->code, c->code_bytes, "kernel.hsaco", find_captured_isa(k),
                              err);
    else if (code_object_open(out, path, find_captured_isa(k), &own) != 0)
        rc = error_set(err, own.kind, own.code, own.help, given, "it is no code object: %.200s",
                       own.why);
    return rc ? rc : !code_object_kernel(*out, c->mangled_name);
}

static int open_side(const struct judge_kernel *k, const struct kernel_pair *pair, int side,
                     struct code_object **object, struct gpu_judgement *out, struct error *err)
{
    const char *name = k->capture->mangled_name;
    const int rc = judge_kernel_code(k, pair->code[side], pair->given[side], object, err);
    if (rc != 1)
        return rc;
    if (side == 1)
        return judge_refuse(&out->refusal, GUARD_BUILD, "it has no kernel %.200s", name);
    return error_set(err, ERROR_INPUT, EINVAL, "the name must be the captured one",
                     pair->given[side], "it has no kernel %.200s", name);
}

static int compare_code(const struct judge_kernel *k, const struct kernel_pair *pair,
                        struct gpu_judgement *out, struct error *err)
{
    const struct capture *c = k->capture;
    struct code_object *object[2] = {NULL, NULL};
    struct gpu_side side[2];
    int rc = 0;
    for (int i = 0; i < 2 && rc == 0; i++)
        rc = open_side(k, pair, i, &object[i], out, err);
    for (int i = 0; i < 2 && rc == 0; i++) {
        side[i] = (struct gpu_side){object[i], code_object_kernel(object[i], c->mangled_name)};
        out->resources[i] =
            gpu_resources_of(&side[i], c, code_object_kernel(k->captured, c->mangled_name));
    }
    out->has_resources = rc == 0;
    if (rc == 0)
        rc = gpu_code_guard(side, out->resources, c, k->task.allow, &out->refusal);
    for (int i = 0; i < 2; i++)
        if (object[i])
            code_object_free(object[i]);
    return rc;
}

/* --- the process that launches --- */

static void pass_pair_event(void *ctx, const cJSON *event, const char *line)
{
    const struct kernel_pair *pair = ctx;
    struct judge_progress p;
    (void)line;
    if (pair->on_progress && gpu_progress_take(&p, event))
        pair->on_progress(pair->progress_ctx, &p);
}

struct trial_words {
    const char *word[40];
    char number[5][40];
    size_t n;
};

/* An option that has a value. */
static void add_option_value(struct trial_words *w, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    w->word[w->n++] = option;
    w->word[w->n++] = value;
}

static void add_option_number(struct trial_words *w, size_t which, const char *option, double value,
                              const char *unit)
{
    snprintf(w->number[which], sizeof *w->number, "%.15g%s", value, unit);
    add_option_value(w, option, w->number[which]);
}

/* The optimiser's --allow may also name guards that the judge does not have. */
static const char *allowed_names(const bool *allow, char out[ALLOWED])
{
    size_t n = 0;
    out[0] = '\0';
    for (int g = JUDGE_NO_GUARD + 1; g < JUDGE_GUARDS && n < ALLOWED; g++)
        if (allow[g])
            n += (size_t)snprintf(out + n, ALLOWED - n, "%s%s", n ? "," : "",
                                  judge_guard_name((enum judge_guard)g));
    return out;
}

static int start_trial(const struct judge_kernel *k, const struct kernel_pair *pair,
                       struct replay_outcome *out, struct error *err)
{
    const struct gpu_trial_task *t = &k->task;
    const struct options *o = k->o;
    struct trial_words w = {.word = {"rooftop", "judge", "--in-process", "--no-config"}, .n = 4};
    char *argv[sizeof w.word / sizeof *w.word], allowed[ALLOWED];
    add_option_value(&w, "--capture-dir", t->capture);
    add_option_value(&w, "--baseline", t->code[0] ? t->code[0] : JUDGE_CAPTURED);
    add_option_value(&w, "--candidate", t->code[1] ? t->code[1] : JUDGE_CAPTURED);
    add_option_value(&w, "--tolerance", o->replay.tolerance);
    add_option_value(&w, "--allow", allowed_names(t->allow, allowed));
    add_option_value(&w, "--vary", t->vary);
    const char *without = t->no_fresh ? GPU_PROBE_FRESH : NULL;
    if (t->no_poison)
        without = t->no_fresh ? GPU_PROBE_POISON " " GPU_PROBE_FRESH : GPU_PROBE_POISON;
    add_option_value(&w, "--without", without);
    add_option_number(&w, 0, "--agent", t->agent, "");
    add_option_number(&w, 1, "--timeout", t->timeout_s, "");
    add_option_number(&w, 2, "--for", t->for_s, "");
    add_option_number(&w, 3, "--margin", 100 * t->margin, "%");
    add_option_number(&w, 4, "--confidence", 100 * t->confidence, "%");
    memcpy(argv, w.word, sizeof argv); /* exec takes char **, but does not write to it */
    struct kernel_pair listens = *pair;
    return replay_supervise(argv, replay_patience(o), pass_pair_event, &listens, out, err);
}

/* If the baseline fails with poisoned outputs or with fresh inputs, the trial is repeated
 * without them. */
static bool try_without(struct judge_kernel *k, const cJSON *error)
{
    bool *const without[2] = {&k->task.no_poison, &k->task.no_fresh};
    static const char *const probes[2] = {GPU_PROBE_POISON, GPU_PROBE_FRESH};
    for (int i = 0; i < 2; i++)
        if (!*without[i] && strcmp(json_get_text(error, "variant"), probes[i]) == 0)
            return *without[i] = true;
    return false;
}

/* Reports a failure of the baseline, or of something that both sides need. */
static int fail_as(const struct replay_outcome *made, int *status, struct error *err)
{
    *status = made->status; /* as a replay has it: 10: the GPU faulted; 11: a launch did not end */
    return error_set(err, ERROR_INTERNAL, EIO, NULL, "judge", "%.400s",
                     json_get_text(made->error, "message"));
}

static int run_trial(struct judge_kernel *k, const struct kernel_pair *pair,
                     struct gpu_judgement *out, int *status, struct error *err)
{
    struct replay_outcome made;
    int rc;
    k->task.no_poison = k->task.no_fresh = false;
    while ((rc = start_trial(k, pair, &made, err)) == 0 && !made.result && made.error &&
           try_without(k, made.error))
        replay_outcome_free(&made);
    if (rc != 0)
        return rc;
    if (watch_given_up())
        rc = watch_check("judge", err);
    else if (made.result)
        gpu_judgement_take(out, made.result);
    else
        rc = fail_as(&made, status, err);
    out->no_poison = k->task.no_poison;
    out->no_fresh = k->task.no_fresh;
    replay_outcome_free(&made);
    return rc;
}

int judge_kernel_run(struct judge_kernel *k, const struct kernel_pair *pair,
                     struct gpu_judgement *out, int *status, struct error *err)
{
    static const struct interval none = {NAN, NAN, NAN};
    *out = (struct gpu_judgement){.baseline = pair->given[0],
                                  .candidate = pair->given[1],
                                  .kernel = k->capture->demangled_name,
                                  .confidence = pair->confidence,
                                  .margin = pair->margin,
                                  .roof = k->roof,
                                  .ratio = none,
                                  .confirmed = none,
                                  .cold = none,
                                  .floor_us = NAN};
    memcpy(out->allow, k->task.allow, sizeof out->allow);
    *status = 0;
    k->task.code[0] = pair->code[0];
    k->task.code[1] = pair->code[1];
    k->task.for_s = pair->for_s;
    k->task.margin = pair->margin;
    k->task.confidence = pair->confidence;
    int rc = compare_code(k, pair, out, err);
    if (rc == 1)
        out->verdict = JUDGE_REFUSED;
    else if (rc == 0)
        rc = run_trial(k, pair, out, status, err);
    return rc < 0 ? rc : 0;
}
