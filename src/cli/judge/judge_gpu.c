/*
 * rooftop optimize judge --capture-dir: code objects are compared before anything runs, then a
 * process of its own launches both builds (engine/judge_gpu/gpu_trial.h), and the verdict is
 * computed here from its samples.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/replay/judge/gpu_trial.h"
#include "base/watch.h"
#include "base/words.h"
#include "cli/judge/judge_files.h"
#include "cli/judge/judge_kernel.h"
#include "cli/judge/judge_look.h"
#include "cli/judge/judge_show.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"
#include "engine/code/kernel_name.h"
#include "export/judge/gpu_export.h"

static const double USUAL_FOR_S = 10;
static const char sources[] = ".hip .cu .cpp .cc .cxx .c .s .S";

static bool is_captured(const char *path)
{
    return strcmp(path, JUDGE_CAPTURED) == 0;
}

/* Reads the options that both processes need. */
static int read_options(struct kernel_pair *p, bool *allow, const struct options *o,
                        struct error *err)
{
    const struct judge_options *own = o->own;
    if (!own->baseline || !own->candidate)
        return error_set(
            err, ERROR_USAGE, EINVAL,
            "rooftop optimize judge --capture-dir DIR --baseline captured --candidate FILE",
            "optimize judge", "%s is missing", own->baseline ? "--candidate" : "--baseline");
    if (own->harness || own->run)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "a GPU kernel has --capture-dir, a C function "
                         "--harness",
                         "optimize judge",
                         "--harness or --run, and --capture-dir exclude each other");
    *p = (struct kernel_pair){.given = {own->baseline, own->candidate},
                              .for_s = o->for_s > 0 ? o->for_s : USUAL_FOR_S};
    for (int side = 0; side < 2; side++)
        p->code[side] = is_captured(p->given[side]) ? NULL : p->given[side];
    return judge_read_limits(own, &p->margin, &p->confidence, allow, err);
}

/* --- the process that launches --- */

int judge_gpu_trial(const struct options *o)
{
    struct error err = ERROR_INIT;
    const struct judge_options *own = o->own;
    struct gpu_trial_task t;
    struct kernel_pair p = {.for_s = 0};
    bool allow[JUDGE_GUARDS] = {false};
    if (read_options(&p, allow, o, &err) != 0 ||
        judge_kernel_task(&t, o, own->vary, allow, &err) != 0)
        return exit_report(&err);
    t.no_poison = own->without && words_have(own->without, GPU_PROBE_POISON);
    t.no_fresh = own->without && words_have(own->without, GPU_PROBE_FRESH);
    t.code[0] = p.code[0];
    t.code[1] = p.code[1];
    t.for_s = p.for_s;
    t.margin = p.margin;
    t.confidence = p.confidence;
    const int fd =
        output_own_stdout(); /* what the runtime prints must not come between the events */
    FILE *events = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!events)
        return EXIT_OUTPUT;
    const int status = gpu_trial_run(&t, events);
    return fclose(events) == 0 || status ? status : EXIT_OUTPUT;
}

/* --- the process that judges --- */

/* Builds or copies each side that is not the captured code. Returns as judge_files_make does. */
static int make_files(const struct judge_kernel *k, const struct judge_files *files,
                      struct kernel_pair *p, struct judge_refusal *refused, struct error *err)
{
    int rc = 0;
    for (int side = 0; side < 2 && rc == 0; side++)
        if (p->code[side]) {
            rc = judge_files_make(files, k->o->own, side, sources, k->build, refused, err);
            p->code[side] = files->object[side];
        }
    return watch_given_up() ? watch_check("judge", err) : rc;
}

/* Compares the sources before anything is built, because a build may already run what a source
 * says. */
static int look_at_sources(const struct judge_kernel *k, struct judge_looked *l, struct error *err)
{
    char text[1024];
    const char *name = kernel_base_name(k->capture->mangled_name, text, sizeof text);
    const char *scope = strrchr(name, ':');
    l->function = scope ? scope + 1 : name;
    l->amd = true; /* captures come from HSA */
    const struct judge_options *own = k->o->own;
    l->build = own->build ? own->build : k->build;
    return judge_look(own, l, err);
}

static int ask_gpu(struct judge_kernel *k, struct judge_shown *shown, struct gpu_judgement *out,
                   int *status, struct error *err)
{
    struct judge_files files = {.folder = ""};
    struct kernel_pair p = {.for_s = 0};
    struct judge_looked looked = {.why = ""};
    bool allow[JUDGE_GUARDS] = {false};
    const struct judge_options *own = k->o->own;
    int rc = read_options(&p, allow, k->o, err);
    p.on_progress = judge_show;
    p.progress_ctx = shown;
    if (rc == 0)
        rc = judge_kernel_open(k, k->o, own->vary, allow, err);
    if (rc == 0)
        rc = look_at_sources(k, &looked, err);
    if (rc == 0)
        rc = judge_files_open(&files, ".hsaco", err);
    if (rc == 0)
        rc = make_files(k, &files, &p, &looked.refusal, err);
    if (rc == 0) {
        rc = judge_kernel_run(k, &p, out, status, err);
    } else if (rc == 1 && k->capture) {
        out->kernel = k->capture->demangled_name;
        out->confidence = p.confidence;
        out->margin = p.margin;
        out->verdict = JUDGE_REFUSED;
        out->refusal = looked.refusal;
    }
    memcpy(out->sources, looked.why, sizeof out->sources);
    judge_files_remove(&files);
    return rc;
}

int judge_gpu(const struct options *o, enum judge_verdict *verdict, struct error *err)
{
    const struct judge_options *own = o->own;
    struct gpu_judgement judgement = {.baseline = own->baseline,
                                      .candidate = own->candidate,
                                      .kernel = "",
                                      .ratio = {NAN, NAN, NAN},
                                      .confirmed = {NAN, NAN, NAN},
                                      .cold = {NAN, NAN, NAN},
                                      .floor_us = NAN};
    struct judge_kernel k = {.o = o};
    struct judge_shown shown = {.last = {.pairs = 0}};
    progress_note_begin(&shown.note);
    int status = 0, rc = ask_gpu(&k, &shown, &judgement, &status, err);
    progress_note_end(&shown.note);
    if (rc < 0 && signals_caught)
        judge_show_interrupted(&shown);
    if (rc >= 0) {
        const bool json = o->format && strcmp(o->format, "json") == 0;
        struct brief b = {.command = o->words};
        *verdict = judgement.verdict;
        gpu_brief(&b, &judgement);
        brief_next_again(&b, o, "");
        if (o->brief)
            rc = brief_output(&b, o, err);
        else
            rc = output_made(o->output, json ? gpu_export_json : gpu_export_text, &judgement, err);
        if (rc == 0 && o->output)
            output_written(o->output, NAN, "");
    }
    if (rc < 0 && status > 0 && !signals_caught) {
        char line[1024];
        exit_note(error_format(err, line, sizeof line));
        rc = status;
    }
    judge_kernel_close(&k);
    return rc;
}
