/*
 * rooftop judge --capture-dir: code objects are compared before anything runs, then a process of
 * its own launches both builds (engine/judge_gpu/gpu_trial.h), and the verdict is computed here
 * from its samples.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "base/words.h"
#include "cli/bench.h"
#include "cli/judge/judge_files.h"
#include "cli/options/exit.h"
#include "cli/replay/replay.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"
#include "engine/judge_gpu/gpu_code.h"
#include "engine/judge_gpu/gpu_judgement.h"
#include "engine/judge_gpu/gpu_trial.h"
#include "export/judge/gpu_export.h"

static const double USUAL_FOR_S = 10;
static const char sources[] = ".hip .cu .cpp .cc .cxx .c .s .S";
static const char captured_word[] = "captured";

struct gpu_asking {
    const struct options *o;
    struct judge_files files;
    struct capture *capture;
    struct code_object *captured, *object[2];
    struct gpu_trial_task task;
    struct gpu_judgement *out;
    int status; /* of a trial that failed */
};

static bool is_captured(const char *path)
{
    return strcmp(path, captured_word) == 0;
}

/* What both processes read of the command line. */
static int fill_task(struct gpu_trial_task *t, const struct options *o, struct error *err)
{
    if (!o->judge.baseline || !o->judge.candidate)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "rooftop judge --capture-dir DIR --baseline captured --candidate FILE",
                         "judge", "%s is missing",
                         o->judge.baseline ? "--candidate" : "--baseline");
    if (o->judge.harness || o->judge.run)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "a GPU kernel has --capture-dir, a C function "
                         "--harness",
                         "judge", "--harness or --run, and --capture-dir exclude each other");
    *t = (struct gpu_trial_task){
        .capture = o->replay.capture_dir,
        .vary = o->judge.vary,
        .timeout_s = replay_timeout(o),
        .for_s = o->for_s > 0 ? o->for_s : USUAL_FOR_S,
        .agent = (int)o->replay.agent,
        .no_poison = o->judge.without && words_have(o->judge.without, GPU_PROBE_POISON),
        .no_fresh = o->judge.without && words_have(o->judge.without, GPU_PROBE_FRESH)};
    const char *const path[2] = {o->judge.baseline, o->judge.candidate};
    for (int side = 0; side < 2; side++)
        t->code[side] = is_captured(path[side]) ? NULL : path[side];
    int rc = replay_rule_parse(o->replay.tolerance, &t->rule, err);
    rc = rc ? rc : bench_percent("--margin", o->bench.margin, 0.01, &t->margin, err);
    rc = rc ? rc : bench_percent("--confidence", o->bench.confidence, 0.99, &t->confidence, err);
    return rc ? rc : judge_take_allowed(t->allow, o->judge.allow, err);
}

/* --- the process that launches --- */

int judge_gpu_trial(const struct options *o)
{
    struct error err = ERROR_INIT;
    struct gpu_trial_task t;
    if (fill_task(&t, o, &err) != 0)
        return exit_report(&err);
    const int fd = output_own_stdout(); /* what the runtime prints must not get between events */
    FILE *events = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!events)
        return EXIT_OUTPUT;
    const int status = gpu_trial_run(&t, events);
    return fclose(events) == 0 || status ? status : EXIT_OUTPUT;
}

/* --- the process that judges --- */

/* Messages name the file that was given. */
static int open_copy(struct gpu_asking *a, int side, struct error *err)
{
    struct error own = ERROR_INIT;
    const char *path = side ? a->o->judge.candidate : a->o->judge.baseline;
    const int rc = code_object_open(&a->object[side], a->files.object[side],
                                    *a->capture->isa_name ? a->capture->isa_name : NULL, &own);
    if (rc == 0)
        return 0;
    return error_set(err, own.kind, own.code, own.help, path, "it is no code object: %.200s",
                     own.why);
}

static int make_side(struct gpu_asking *a, int side, struct error *err)
{
    char usual[256], isa[64];
    const char *at = strstr(a->captured->isa, "gfx");
    const struct capture *c = a->capture;
    int rc = 0;
    snprintf(isa, sizeof isa, "%.*s", at ? (int)strcspn(at, ":") : 0, at ? at : "");
    snprintf(usual, sizeof usual, "${HIPCC:-hipcc} --genco -O3 --offload-arch=%s -o {out} {source}",
             isa);
    if (a->task.code[side]) {
        rc = judge_files_make(&a->files, a->o, side, sources, usual, &a->out->refusal, err);
        a->task.code[side] = a->files.object[side];
        rc = rc ? rc : open_copy(a, side, err);
    } else {
        rc = code_object_read(&a->object[side], c->code, c->code_bytes, "kernel.hsaco",
                              *c->isa_name ? c->isa_name : NULL, err);
    }
    if (rc != 0 || code_object_kernel(a->object[side], c->mangled_name))
        return rc;
    if (side == 1)
        return judge_refuse(&a->out->refusal, GUARD_BUILD, "it has no kernel %.200s",
                            c->mangled_name);
    return error_set(err, ERROR_INPUT, EINVAL, "the name must be the captured one",
                     a->o->judge.baseline, "it has no kernel %.200s", c->mangled_name);
}

static int open_sides(struct gpu_asking *a, struct error *err)
{
    int rc = capture_open(&a->capture, a->o->replay.capture_dir, err);
    rc = rc ? rc
            : code_object_read(&a->captured, a->capture->code, a->capture->code_bytes,
                               "kernel.hsaco", *a->capture->isa_name ? a->capture->isa_name : NULL,
                               err);
    rc = rc ? rc : judge_files_open(&a->files, ".hsaco", err);
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = make_side(a, side, err);
    if (watch_given_up())
        return watch_check("judge", err);
    return rc;
}

static int compare_code(struct gpu_asking *a)
{
    const struct capture *c = a->capture;
    struct gpu_side side[2];
    for (int i = 0; i < 2; i++) {
        side[i] =
            (struct gpu_side){a->object[i], code_object_kernel(a->object[i], c->mangled_name)};
        a->out->resources[i] =
            gpu_resources_of(&side[i], c, code_object_kernel(a->captured, c->mangled_name));
    }
    a->out->has_resources = true;
    return gpu_code_guard(side, a->out->resources, c, a->task.allow, &a->out->refusal);
}

static void nothing_told(void *ctx, const cJSON *event, const char *line)
{
    (void)ctx, (void)event, (void)line;
}

struct trial_words {
    const char *word[40];
    char number[5][40];
    size_t n;
};

/* An option that has a value. */
static void add_words(struct trial_words *w, const char *option, const char *value)
{
    if (!value || !*value)
        return;
    w->word[w->n++] = option;
    w->word[w->n++] = value;
}

static void add_number(struct trial_words *w, size_t which, const char *option, double value,
                       const char *unit)
{
    snprintf(w->number[which], sizeof *w->number, "%.15g%s", value, unit);
    add_words(w, option, w->number[which]);
}

static int start_trial(const struct gpu_asking *a, struct replay_outcome *out, struct error *err)
{
    const struct gpu_trial_task *t = &a->task;
    const struct options *o = a->o;
    struct trial_words w = {.word = {"rooftop", "judge", "--in-process", "--no-config"}, .n = 4};
    char *argv[sizeof w.word / sizeof *w.word];
    add_words(&w, "--capture-dir", t->capture);
    add_words(&w, "--baseline", t->code[0] ? t->code[0] : captured_word);
    add_words(&w, "--candidate", t->code[1] ? t->code[1] : captured_word);
    add_words(&w, "--tolerance", o->replay.tolerance);
    add_words(&w, "--allow", o->judge.allow);
    add_words(&w, "--vary", o->judge.vary);
    add_words(&w, "--without",
              t->no_poison && t->no_fresh ? GPU_PROBE_POISON " " GPU_PROBE_FRESH
              : t->no_poison              ? GPU_PROBE_POISON
              : t->no_fresh               ? GPU_PROBE_FRESH
                                          : NULL);
    add_number(&w, 0, "--agent", t->agent, "");
    add_number(&w, 1, "--timeout", t->timeout_s, "");
    add_number(&w, 2, "--for", t->for_s, "");
    add_number(&w, 3, "--margin", 100 * t->margin, "%");
    add_number(&w, 4, "--confidence", 100 * t->confidence, "%");
    memcpy(argv, w.word, sizeof argv); /* exec takes char **, but does not write to it */
    return replay_supervise(argv, replay_patience(o), nothing_told, NULL, out, err);
}

static const char *text_of(const cJSON *j, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, key));
    return text ? text : "";
}

/* The baseline need not bear patterns and fresh inputs: then the trial is made without. */
static bool try_without(struct gpu_asking *a, const cJSON *error)
{
    bool *const without[2] = {&a->task.no_poison, &a->task.no_fresh};
    static const char *const probes[2] = {GPU_PROBE_POISON, GPU_PROBE_FRESH};
    for (int i = 0; i < 2; i++)
        if (!*without[i] && strcmp(text_of(error, "variant"), probes[i]) == 0)
            return *without[i] = true;
    return false;
}

/* A failure of the baseline, or of what both need. */
static int fail_as(struct gpu_asking *a, const struct replay_outcome *out, struct error *err)
{
    a->status = out->status; /* as of a replay: 10 the GPU faults, 11 a launch does not end */
    return error_set(err, ERROR_INTERNAL, EIO, NULL, "judge", "%.400s",
                     text_of(out->error, "message"));
}

static int run_trial(struct gpu_asking *a, struct error *err)
{
    struct replay_outcome out;
    int rc;
    while ((rc = start_trial(a, &out, err)) == 0 && !out.result && out.error &&
           try_without(a, out.error))
        replay_outcome_free(&out);
    if (rc != 0)
        return rc;
    if (watch_given_up())
        rc = watch_check("judge", err);
    else if (out.result)
        gpu_judgement_take(a->out, out.result);
    else
        rc = fail_as(a, &out, err);
    a->out->no_poison = a->task.no_poison;
    a->out->no_fresh = a->task.no_fresh;
    replay_outcome_free(&out);
    return rc;
}

static int ask_gpu(struct gpu_asking *a, struct error *err)
{
    int rc = fill_task(&a->task, a->o, err);
    a->out->confidence = a->task.confidence;
    a->out->margin = a->task.margin;
    rc = rc ? rc : open_sides(a, err);
    rc = rc ? rc : compare_code(a);
    if (rc == 1)
        a->out->verdict = JUDGE_REFUSED;
    return rc ? rc : run_trial(a, err);
}

int judge_gpu(const struct options *o, enum judge_verdict *verdict, struct error *err)
{
    struct gpu_judgement judgement = {.baseline = o->judge.baseline,
                                      .candidate = o->judge.candidate,
                                      .kernel = "",
                                      .ratio = {NAN, NAN, NAN},
                                      .confirmed = {NAN, NAN, NAN}};
    struct gpu_asking a = {.o = o, .out = &judgement};
    int rc = ask_gpu(&a, err);
    judge_files_remove(&a.files);
    if (a.capture)
        judgement.kernel = a.capture->demangled_name;
    if (rc >= 0) {
        const bool json = o->format && strcmp(o->format, "json") == 0;
        *verdict = judgement.verdict;
        rc = output_made(o->output, json ? gpu_export_json : gpu_export_text, &judgement, err);
    }
    if (rc < 0 && a.status > 0 && !signals_caught) {
        char line[1024];
        exit_note(error_format(err, line, sizeof line));
        rc = a.status;
    }
    for (int side = 0; side < 2; side++)
        if (a.object[side])
            code_object_free(a.object[side]);
    if (a.captured)
        code_object_free(a.captured);
    capture_free(a.capture);
    return rc;
}
