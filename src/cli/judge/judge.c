#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/watch.h"
#include "cli/judge/judge_files.h"
#include "cli/judge/judge_function.h"
#include "cli/judge/judge_program.h"
#include "cli/judge/judge_look.h"
#include "cli/judge/judge_show.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"
#include "engine/judge/sandbox.h"
#include "engine/judge/judge.h"
#include "export/judge/judge_export.h"

static const double USUAL_FOR_S = 10;
static const char extensions[] = ".c .cc .cpp .cxx .C .s .S";

/* --- programs --- */

/* Finds the file that the command gets for a side: what --build makes of a source, or the given
 * file itself. */
static int find_program(const struct judge_files *f, const struct judge_options *own, int side,
                        char **path, struct judge_refusal *refused, struct error *err)
{
    const char *given = side ? own->candidate : own->baseline;
    if (own->build && judge_is_source(given, extensions)) {
        *path = xstrdup(f->object[side]);
        return judge_files_make(f, own, side, extensions, JUDGE_BUILD_FUNCTION, refused, err);
    }
    *path = realpath(given, NULL);
    return *path ? 0 : error_set(err, ERROR_INPUT, errno, NULL, given, "%s", strerror(errno));
}

static int judge_run_commands(const struct judge_files *files, const struct judge_options *own,
                              struct judge_plan *plan, struct judge_result *result,
                              struct error *err)
{
    char *path[2] = {NULL};
    int rc = judge_program_check(own->run, err);
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = find_program(files, own, side, &path[side], &result->refusal, err);
    plan->baseline = path[0];
    plan->candidate = path[1];
    if (rc == 0)
        rc = judge_program_run(own->run, files->folder, plan, result, err);
    plan->baseline = plan->candidate = NULL;
    free(path[0]);
    free(path[1]);
    return rc;
}

/* --- the plan --- */

static int fill_judge_plan(struct judge_plan *plan, const struct options *o, struct error *err)
{
    const struct judge_options *own = o->own;
    const char *why = NULL;
    if (own->harness && own->run)
        why = "--harness and --run exclude each other";
    else if (!own->harness && !own->run)
        why = "--harness is missing";
    else if (!own->baseline)
        why = "--baseline is missing";
    else if (!own->candidate)
        why = "--candidate is missing";
    if (why)
        return error_set(
            err, ERROR_USAGE, EINVAL,
            "rooftop optimize judge --harness FILE --baseline A --candidate B, or --run 'CMD "
            "{}' or (a GPU kernel) --capture-dir DIR instead of --harness",
            "optimize judge", "%s", why);
    plan->cpu_time = own->cpu_time;
    plan->for_s = o->for_s > 0 ? o->for_s : USUAL_FOR_S;
    return judge_read_limits(own, &plan->margin, &plan->confidence, plan->allow, err);
}

static int judge_functions(const struct judge_files *files, const struct options *o,
                           struct judge_function *function, struct judge_plan *plan,
                           struct judge_result *result, struct error *err)
{
    const struct judge_options *own = o->own;
    struct judge_looked looked = {.build = own->build};
    int rc = judge_function_open(function, own->harness, o->roofs, err);
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = judge_files_make(files, own, side, extensions, JUDGE_BUILD_FUNCTION, &result->refusal,
                              err);
    judge_function_plan(function, plan);
    plan->baseline = files->object[0];
    plan->candidate = files->object[1];
    plan->same_at_once = true;
    looked.function = function->harness.function;
    if (rc == 0)
        rc = judge_look(own, &looked, err);
    if (rc == 1 && looked.refusal.guard != JUDGE_NO_GUARD)
        result->refusal = looked.refusal;
    if (rc == 0)
        rc = judge_run(plan, result, err);
    snprintf(result->sources, sizeof result->sources, "%s", looked.why);
    return rc;
}

static int ask_judge(const struct options *o, struct judge_result *result, struct error *err)
{
    const struct judge_options *own = o->own;
    struct judge_files files = {.folder = ""};
    struct judge_function function = {.floor = {.ns = NAN}};
    struct judge_shown shown = {.last = {.pairs = 0}};
    struct judge_plan plan = {
        .sandboxes = &sandboxes, .on_progress = judge_show, .progress_ctx = &shown};
    progress_note_begin(&shown.note);
    int rc = fill_judge_plan(&plan, o, err);
    if (rc == 0)
        rc = judge_files_open(&files, ".so", err);
    if (rc == 0)
        rc = own->run ? judge_run_commands(&files, own, &plan, result, err)
                      : judge_functions(&files, o, &function, &plan, result, err);
    if (own->run)
        snprintf(result->sources, sizeof result->sources, "with --run only programs are compared");
    progress_note_end(&shown.note);
    if (watch_given_up()) {
        rc = watch_check("judge", err);
        judge_show_interrupted(&shown);
    }
    if (rc == 1)
        result->verdict = JUDGE_REFUSED;
    judge_files_remove(&files);
    if (rc < 0)
        return rc;
    const struct judge_verdict_of v = {
        .plan = &plan, .result = result, .baseline = own->baseline, .candidate = own->candidate};
    if (o->brief) {
        struct brief b = {.command = o->words};
        char more[32] = "";
        judge_brief(&b, &v);
        if (result->verdict == JUDGE_NOT_DECIDED)
            snprintf(more, sizeof more, "--for %g", 4 * plan.for_s);
        brief_next_again(&b, o, more);
        return brief_output(&b, o, err);
    }
    const bool json = o->format && strcmp(o->format, "json") == 0;
    rc = output_made(o->output, json ? judge_export_json : judge_export_text, &v, err);
    if (rc == 0 && o->output)
        output_written(o->output, NAN, "");
    return rc;
}

static int judge_either(const struct options *o, struct judge_result *result, struct error *err)
{
    const struct judge_options *own = o->own;
    if (own->cpu_time && !own->run)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "leave it out: calls of a function are compared by CPU time, launches of "
                         "a kernel by the GPU's time",
                         "--cpu-time", "it goes with --run");
    return o->replay.capture_dir ? judge_gpu(o, &result->verdict, err) : ask_judge(o, result, err);
}

static int judge_command(struct options *o)
{
    static const struct watch watch = {signals_none, NULL};
    const struct judge_options *own = o->own;
    struct error err = ERROR_INIT;
    struct judge_result result = {.verdict = JUDGE_NOT_DECIDED};
    if (own->cell)
        return sandboxes.child(own->cell);
    if (o->in_process)
        return judge_gpu_trial(o);
    prctl(PR_SET_DUMPABLE, 0); /* judged code must not read the expected answers through /proc */
    signals_catch(false);
    const struct watch *before = watch_set(&watch);
    const int rc = judge_either(o, &result, &err);
    watch_set(before);
    prctl(PR_SET_DUMPABLE, 1);
    if (rc < 0 && signals_caught)
        return exit_by_signal(signals_caught);
    if (rc < 0)
        return exit_report(&err);
    if (rc > 0)
        return rc;
    return result.verdict == JUDGE_FASTER ? EXIT_DONE : EXIT_DIFFERS;
}

static const struct command_option options[] = {
    OWN(.name = "harness", OWN_AT(judge_options, harness), .type = OPTION_STRING, .arg = "FILE",
        .help = "the function, its arguments, how inputs are made, how far outputs may differ "
                "(TOML)"),
    OWN(.name = "run", OWN_AT(judge_options, run), .type = OPTION_STRING, .arg = "COMMAND",
        .help = "instead of a harness: a command of the shell that runs and checks what stands for "
                "{}; status 0: it is right"),
    OWN(.name = "baseline", OWN_AT(judge_options, baseline), .type = OPTION_STRING, .arg = "FILE",
        .help = "what is to be beaten: a shared object, or a source in C or C++; with "
                "--run any file; with --capture-dir a code object, a source in HIP, or the word "
                "captured"),
    OWN(.name = "candidate", OWN_AT(judge_options, candidate), .type = OPTION_STRING, .arg = "FILE",
        .help = "what may be faster: a file of the same kinds"),
    OWN(.name = "build", OWN_AT(judge_options, build), .type = OPTION_STRING, .arg = "COMMAND",
        .help = "how a source becomes a shared or code object: a command of the shell with "
                "{source} and "
                "{out}; cc -O2 or hipcc -O3 unless given"),
    OWN(.name = "margin", OWN_AT(judge_options, margin), .type = OPTION_STRING, .arg = "SHARE",
        .help = "what counts as no difference; 1% unless given"),
    OWN(.name = "confidence", OWN_AT(judge_options, confidence), .type = OPTION_STRING,
        .arg = "SHARE",
        .help = "the confidence of the verdict, however often it is looked at; 99% "
                "unless given"),
    OWN(.name = "cpu-time", OWN_AT(judge_options, cpu_time), .type = OPTION_FLAG,
        .help = "with --run: compare user and system time of all processes of a run, "
                "not elapsed time: it varies less on a busy machine, but leaves out "
                "waiting"),
    OWN(.name = "allow", OWN_AT(judge_options, allow), .type = OPTION_STRING,
        .arg = "GUARD[,GUARD]", .help = "guards that must not refuse the candidate"),
    TAKES_AS(CAPTURE_DIR, .help =
                              "judge builds of a GPU kernel: the captured dispatch that both are "
                              "launched from, instead of --harness"),
    TAKES_AS(TOLERANCE, .help = "with --capture-dir: how far outputs may differ: exact, or "
                                "f32,abs=1e-6,rel=1e-5,ulps=4"),
    OWN(.name = "vary", OWN_AT(judge_options, vary), .type = OPTION_STRING,
        .arg = "ARG=TYPE[,ARG=TYPE]",
        .help = "with --capture-dir: arguments, by name or number from 0, that point to inputs of "
                "any values; none: only the captured ones"),
    TAKES(AGENT),
    TAKES(TIMEOUT),
    TAKES_IN_PROCESS, /* the process that launches both builds */
    /* probes that are left out, because the baseline fails under them */
    INTERNAL(.name = "without", .type = OPTION_STRING, .arg = "PROBES",
             OWN_AT(judge_options, without)),
    /* the sandbox: the process that runs the code that is judged */
    INTERNAL(.name = "cell", .type = OPTION_STRING, .arg = "OBJECT", OWN_AT(judge_options, cell)),
    TAKES_AS(ROOFS, .help =
                        "the measured roofs of the host, below which no call can be; those that "
                        "are stored unless given"),
    TAKES_AS(FOR, .help = "time for pairs of runs, and as much for the confirmation; 10 s unless "
                          "given"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_judge = {
    .name = "judge",
    .summary = "whether a candidate is right and truly faster than the baseline, even "
               "if its author tries to cheat",
    .usage =
        "rooftop optimize judge (--harness FILE | --run COMMAND) --baseline FILE --candidate FILE "
        "[--for "
        "SECONDS] "
        "[--brief] [--format text|json] [-o FILE]\n"
        "       rooftop optimize judge --capture-dir DIR --baseline FILE|captured --candidate FILE "
        "[--tolerance RULE]",
    .run = judge_command,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop optimize judge --harness saxpy.toml --baseline saxpy.c --candidate unrolled.c",
         "faster, equivalent, slower, not decided, or refused with the evidence"},
        {"rooftop optimize judge --run './verify.sh {}' --baseline old.bin --candidate new.bin",
         "programs with a check of their own, in fresh processes"},
        {"rooftop optimize judge --harness h.toml --baseline a.so --candidate b.so --format json",
         "for a script: status 0 only where the candidate is faster"},
        {"rooftop optimize judge --capture-dir DIR --baseline captured --candidate k.hip",
         "a GPU kernel, from the captured memory"}),
    .exits = EXITS(
        {.code = EXIT_DONE, .text = "the candidate is faster"},
        {.code = EXIT_DIFFERS, .text = "it is not: slower, equivalent, not decided or refused"},
        {.code = EXIT_UNSUPPORTED}, {.code = EXIT_GPU, .text = "the baseline faults on the GPU"},
        {.code = EXIT_TIMEOUT}),
};
