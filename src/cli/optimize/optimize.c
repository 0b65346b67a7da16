#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "base/shell_word.h"
#include "base/watch.h"
#include "base/words.h"
#include "cli/bench/bench.h"
#include "cli/optimize/target.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/build_command.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "engine/analysis/analysis.h"
#include "engine/bench/runner.h"
#include "engine/code/kernel_name.h"
#include "engine/optimize/kernel_choice.h"
#include "engine/optimize/optimize.h"
#include "engine/source_guards/source_guard_ops.h"
#include "export/optimize/optimize_export.h"

enum {
    USUAL_ITERATIONS = 20,
    USUAL_TRIES = 8,
    FOLDER = 400,
    KERNELS_SHOWN = 20,
    PROGRESS_LINE = 512
};
static const double USUAL_FOR_S = 600, USUAL_EACH_S = 10, USUAL_ANSWER_S = 120, BUILD_LIMIT_S = 120;

/* A run as the command line asks for it. */
struct asked {
    struct optimize_plan plan;
    const struct target_ops *kind;
    struct optimize_target target;
    struct proposer proposers[OPTIMIZE_PROPOSERS];
    bool allow[JUDGE_GUARDS];
    char folder[FOLDER];
    struct analysis analysis; /* of --evidence */
    struct kernel_choice *kernels;
    size_t nkernels;
    struct proposal_profile profile;
    struct progress_note note;
    int shown; /* the step that the progress line shows, an optimize_stage; -1: none */
};

/* --- what the loop lets this command do --- */

/* Builds with limits on memory and on the size of written files, if the shell has them. */
static void build(void *ctx, const char *source, const char *object, struct optimize_build *out)
{
    const struct asked *a = ctx;
    struct build_command b = {.ok = false};
    char *line = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&line, &n);
    if (!f)
        return;
    fputs("ulimit -f 2097152 2>/dev/null; ulimit -d 8388608 2>/dev/null; ", f);
    fputs(a->plan.build, f); /* raw: for a shell, which must get the bytes unchanged */
    fclose(f);
    build_command_run(&b, line, source, object, BUILD_LIMIT_S, &signals_caught);
    free(line);
    out->ok = b.ok;
    snprintf(out->status, sizeof out->status, "%s", b.status);
    snprintf(out->messages, sizeof out->messages, "%s", b.output);
}

static void tell(void *ctx, const struct optimize_record *record, const char *what)
{
    struct asked *a = ctx;
    progress_note_erase();
    a->shown = -1;
    if (record)
        optimize_export_record(stderr, record);
    else
        print_text(stderr, "      %s ...\n", what);
}

/* Updates the progress line of a terminal. A new step is shown at once, because it may take
 * long. */
static void show_now(void *ctx, const struct optimize_progress *p)
{
    struct asked *a = ctx;
    char line[PROGRESS_LINE];
    if (a->shown != (int)p->stage)
        progress_note_hurry(&a->note);
    a->shown = (int)p->stage;
    optimize_export_progress(line, sizeof line, p);
    progress_note_show(&a->note, line);
}

/* --- the plan --- */

static int open_proposers(struct asked *a, const char *lines, struct error *err)
{
    char spec[1024];
    if (!lines || !*lines)
        lines =
            "accumulators\npragma\nunroll"; /* these need no other program, no network and no key */
    for (const char *at = lines; *at;) {
        const size_t n = strcspn(at, "\n");
        if (a->plan.nproposers == OPTIMIZE_PROPOSERS || n >= sizeof spec)
            return error_set(err, ERROR_USAGE, E2BIG, NULL, "--proposer",
                             "there may be %d, of at most %zu bytes", OPTIMIZE_PROPOSERS,
                             sizeof spec - 1);
        snprintf(spec, sizeof spec, "%.*s", (int)n, at);
        const int rc = proposer_open(&a->proposers[a->plan.nproposers], spec, err);
        if (rc != 0)
            return rc;
        const struct proposer_ops *ops = a->proposers[a->plan.nproposers++].ops;
        if (ops->captured && !a->target.block[0])
            return error_set(err, ERROR_USAGE, EINVAL, NULL, "--proposer",
                             "'%s' goes by the size of captured work-groups: --capture-dir",
                             ops->name);
        at += n + (at[n] == '\n');
    }
    return 0;
}

static bool source_guards_know(const char *word)
{
    for (size_t i = 0; source_guards[i]; i++)
        if (source_guards[i]->words && words_have(source_guards[i]->words, word))
            return true;
    return false;
}

static int take_allowed_guards(struct asked *a, const char *list, struct error *err)
{
    char name[64];
    for (const char *at = list; at && *at;) {
        const size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 63, at);
        const enum judge_guard g = judge_guard_named(name);
        if (g == JUDGE_NO_GUARD && !source_guards_know(name))
            return error_set(err, ERROR_USAGE, EINVAL,
                             "docs/JUDGE.md and docs/OPTIMIZE.md list "
                             "the guards",
                             "--allow", "there is no guard '%s'", name);
        if (g != JUDGE_NO_GUARD)
            a->allow[g] = true;
        at += n + (at[n] == ',');
    }
    return 0;
}

/* Lets the compiler find what the source includes from its own folder, although candidates lie
 * elsewhere. */
static void let_includes_be_found(const char *source)
{
    const char *last = strrchr(source, '/'), *before = env_get("CPATH");
    char folder[1024], path[4096];
    snprintf(folder, sizeof folder, "%.*s", last ? (int)(last - source) + 1 : 1,
             last ? source : ".");
    snprintf(path, sizeof path, "%s%s%s", folder, before ? ":" : "", before ? before : "");
    env_put("CPATH", path);
}

/* The target that the options name; NULL: they name none, or several. */
static const struct target_ops *find_target(const struct options *o)
{
    const struct optimize_options *own = o->own;
    const int named = !!own->harness + !!o->replay.capture_dir + !!own->run;
    if (named != 1)
        return NULL;
    if (own->harness)
        return &target_harness;
    return o->replay.capture_dir ? &target_capture : &target_run;
}

static int check_optimize_usage(const struct options *o, const struct target_ops *kind,
                                struct error *err)
{
    const struct optimize_options *own = o->own;
    static const char usage[] =
        "rooftop optimize SOURCE, and --harness FILE (a function), --capture-dir DIR (a GPU "
        "kernel) or --run 'CHECK {}' (a program)";
    if (o->noperands != 1)
        return error_set(err, ERROR_USAGE, EINVAL, usage, "optimize",
                         "one source is needed, %zu given", o->noperands);
    if (!kind)
        return error_set(err, ERROR_USAGE, EINVAL, usage, "optimize",
                         "one of --harness, --capture-dir and --run is needed");
    if (own->function && kind != &target_run)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--function",
                         "it goes with --run; a harness or a capture has the name");
    if (own->cpu_time && kind != &target_run)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--cpu-time", "it goes with --run");
    if (own->vary && kind != &target_capture)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--vary", "it goes with --capture-dir");
    if (kind == &target_run && !own->function && !own->proposers)
        return error_set(err, ERROR_USAGE, EINVAL,
                         "--function names it; or name a proposer with --proposer", "optimize",
                         "the built-in proposers need a function whose loops they may change");
    if (own->dry_run && (own->resume || own->apply))
        return error_set(err, ERROR_USAGE, EINVAL, NULL, "--dry-run",
                         "it changes nothing, so it goes with neither --resume nor --apply");
    return 0;
}

/* Whether a row of the profile is the kernel that was captured, or that --kernel names. */
static bool is_wanted_kernel(const char *row, const char *named, const char *captured)
{
    char a[512], b[512];
    if (!captured)
        return strcmp(row, named) == 0;
    return strcmp(kernel_base_name(row, a, sizeof a), kernel_base_name(captured, b, sizeof b)) == 0;
}

/* Takes the kernel that was captured or that --kernel names; else the first one that is worth a
 * try. */
static int take_profile(struct asked *a, const struct optimize_options *own, struct error *err)
{
    const char *captured = a->target.kernel, *named = captured ? captured : own->kernel;
    if (!own->profile)
        return own->kernel && !captured
                   ? error_set(err, ERROR_USAGE, EINVAL, NULL, "--kernel",
                               "it is one of --evidence or --capture-dir, which are missing")
                   : 0;
    const int rc = analysis_open(&a->analysis, &own->profile, 1, err);
    if (rc != 0)
        return rc;
    a->kernels = kernel_choices(&a->analysis.kernels.by[KERNELS_BY_NAME], &a->nkernels);
    for (size_t i = 0; i < a->nkernels && !a->plan.profile; i++) {
        const struct kernel_choice *c = &a->kernels[i];
        if (named ? !is_wanted_kernel(c->row->name, named, captured)
                  : c->lacks != KERNEL_THRESHOLDS)
            continue;
        kernel_choice_profile(c, &a->profile);
        a->plan.profile = &a->profile;
    }
    if (a->plan.profile || !named)
        return 0;
    return error_set(err, ERROR_USAGE, ENOENT, "rooftop report kernels lists them",
                     captured ? "--evidence" : "--kernel", "the profile has no kernel '%.120s'",
                     named);
}

static int fill_optimize_plan(struct asked *a, const struct options *o, struct error *err)
{
    const struct optimize_options *own = o->own;
    struct optimize_plan *p = &a->plan;
    a->kind = find_target(o);
    int rc = check_optimize_usage(o, a->kind, err);
    if (rc != 0)
        return rc;
    const char *source = o->operands[0], *last = strrchr(source, '/');
    snprintf(a->folder, sizeof a->folder, "%.370s.optimize", last ? last + 1 : source);
    if (own->folder && strlen(own->folder) >= FOLDER - 110)
        return error_set(err, ERROR_USAGE, ENAMETOOLONG, NULL, "--folder", "it is too long");
    p->source = source;
    p->target = &a->target;
    p->folder = own->folder ? own->folder : a->folder;
    p->resume = own->resume;
    p->proposers = a->proposers;
    p->population = (uint32_t)own->population;
    p->iterations = own->iterations ? (uint32_t)own->iterations : USUAL_ITERATIONS;
    p->tries = own->tries ? (uint32_t)own->tries : USUAL_TRIES;
    p->for_s = o->for_s > 0 ? o->for_s : USUAL_FOR_S;
    p->each_s = own->each_s > 0 ? own->each_s : USUAL_EACH_S;
    p->answer_s = own->answer_s > 0 ? own->answer_s : USUAL_ANSWER_S;
    p->allow_words = own->allow;
    p->hands = (struct optimize_hands){.ctx = a, .build = build, .tell = tell, .now = show_now};
    rc = bench_percent("--min-gain", own->min_gain, 0.02, &p->min_gain, err);
    if (rc == 0)
        rc = bench_confidence(own->confidence, &p->confidence, err);
    if (rc == 0)
        rc = take_allowed_guards(a, own->allow, err);
    if (rc == 0)
        rc = a->kind->open(&a->target, o, a->allow, err);
    p->build = own->build ? own->build : a->target.build;
    if (rc == 0)
        rc = take_profile(a, own, err);
    return rc ? rc : open_proposers(a, own->proposers, err);
}

/* --- what it prints --- */

static void say_guards(FILE *out)
{
    char text[512];
    for (size_t i = 0; source_guards[i]; i++) {
        struct error why = ERROR_INIT;
        if (source_guards[i]->available(&why))
            print_text(out, "guard      %s: %s\n", source_guards[i]->name,
                       source_guards[i]->summary);
        else
            print_text(out, "no guard   %s: %s\n", source_guards[i]->name,
                       error_format(&why, text, sizeof text));
    }
}

static void say_kernel(FILE *out, const struct kernel_choice *c)
{
    print_text(out, "kernel     %s:", c->row->name);
    for (int t = 0; t < KERNEL_THRESHOLDS; t++) {
        if (isnan(c->value[t]))
            print_text(out, "%s %s n/a", t ? "," : "", kernel_thresholds[t].name);
        else
            print_text(out, "%s %s %.3f", t ? "," : "", kernel_thresholds[t].name, c->value[t]);
    }
    if (c->lacks == KERNEL_THRESHOLDS)
        print_text(out, "; worth a try\n");
    else
        print_text(out, "; rule: %s %.2f or more\n", kernel_thresholds[c->lacks].name,
                   kernel_thresholds[c->lacks].least);
}

static void write_plan(FILE *out, const void *what)
{
    const struct asked *a = what;
    const struct optimize_plan *p = &a->plan;
    print_text(out, "source     %s\nfunction   %s\ntarget     %s\nbuild      %s\nfolder     %s\n",
               p->source, *p->target->function ? p->target->function : "any part of the source",
               p->target->name, p->build, p->folder);
    for (size_t i = 0; i < p->nproposers; i++)
        print_text(out, "proposer   %s: %s\n", p->proposers[i].ops->name,
                   p->proposers[i].ops->summary);
    say_guards(out);
    print_text(out, "ends       after %u candidates, %u without a gain, or %g s\n", p->iterations,
               p->tries, p->for_s);
    print_text(out, "judged     %g s each; a gain of less than %g %% is none\n", p->each_s,
               100 * p->min_gain);
    for (size_t i = 0; i < a->nkernels && i < KERNELS_SHOWN; i++)
        say_kernel(out, &a->kernels[i]);
    if (p->profile)
        print_text(out, "told       of %s, %s\n", p->profile->kernel, p->profile->bottleneck);
}

/* Notes the guards that cannot work here. The run goes on without them. */
static void note_guards_that_lack(void)
{
    char text[512], line[640];
    for (size_t i = 0; source_guards[i]; i++) {
        struct error why = ERROR_INIT;
        if (source_guards[i]->available(&why))
            continue;
        print_line(line, sizeof line, "the guard %s cannot look: %s", source_guards[i]->name,
                   error_format(&why, text, sizeof text));
        exit_note(line);
    }
}

/* --- the history --- */

static int store_winner(const struct optimize_plan *p, const struct optimize_result *r,
                        const struct optimize_options *own, struct error *err)
{
    struct bench_result list[1];
    struct bench_results all = {.tool = "rooftop optimize", .list = list, .wall_ns = env_wall_ns()};
    char name[JUDGE_NAME + 640];
    const struct optimize_record *last = r->log.n ? &r->log.list[r->log.n - 1] : NULL;
    if (own->no_store || !r->winner || !last || !(last->candidate_ns > 0))
        return 0;
    snprintf(name, sizeof name, *p->target->function ? "optimize %s of %s" : "optimize %s%s",
             p->target->function, p->source);
    bench_result_fill(&list[0], name, NULL, 0, last->candidate_ns / 1e9);
    all.n = 1;
    runner.conditions(&all.conditions);
    return bench_keep(&all, own->db, own->db, err);
}

/* --- the command --- */

/* What was written that matters most: the source, else the winner, else the log. */
static void say_optimized(const struct optimize_outcome_of *made)
{
    const struct optimize_plan *p = made->plan;
    const char *before = made->backup ? made->backup : p->source;
    char path[OPTIMIZE_PATH + 16], then[4 * OPTIMIZE_PATH];
    if (!made->result->winner) {
        snprintf(path, sizeof path, "%s/log.jsonl", p->folder);
        output_written(path, NAN, "");
        return;
    }
    optimize_path(path, p->folder, made->result->winner, p->source);
    const char *written = made->backup ? p->source : path;
    char *old = shell_path(before), *new = shell_path(written);
    snprintf(then, sizeof then, "see what changed: diff -u %s %s", old, new);
    output_written(written, NAN, then);
    free(old);
    free(new);
}

static int run_optimization(struct asked *a, const struct options *o,
                            struct optimize_result *result, struct error *err)
{
    const struct optimize_options *own = o->own;
    struct optimize_outcome_of made = {.plan = &a->plan, .result = result};
    const bool json = o->format && strcmp(o->format, "json") == 0;
    char backup[OPTIMIZE_PATH];
    note_guards_that_lack();
    let_includes_be_found(a->plan.source);
    int rc = own->db && !own->no_store ? bench_check_db(own->db, err) : 0;
    progress_note_begin(&a->note);
    if (rc == 0)
        rc = optimize_run(&a->plan, result, err);
    progress_note_end(&a->note);
    if (rc == 0 && own->apply && result->winner) {
        rc = optimize_apply(a->plan.source, result->original, result->n_original, result->text,
                            result->n, backup, err);
        made.backup = rc == 0 ? backup : NULL;
    }
    if (rc != 0)
        return rc;
    struct error why = ERROR_INIT;
    const int stored = store_winner(&a->plan, result, own, &why);
    struct brief b = {.command = o->words};
    optimize_brief(&b, &made);
    if (!result->winner)
        brief_next_again(&b, o, "--resume");
    if (o->brief)
        rc = brief_output(&b, o, err);
    else
        rc = output_made(o->output, json ? optimize_export_json : optimize_export_text, &made, err);
    if (rc == 0)
        say_optimized(&made);
    return bench_both(stored, &why, rc, err);
}

static int optimize_command(struct options *o)
{
    const struct optimize_options *own = o->own;
    static const struct watch watch = {signals_none, NULL};
    struct error err = ERROR_INIT;
    struct optimize_result result = {.factor = NAN};
    struct asked *a = xcalloc(1, sizeof *a);
    int rc = fill_optimize_plan(a, o, &err);
    if (rc == 0 && own->dry_run) {
        rc = output_made(o->output, write_plan, a, &err);
    } else if (rc == 0) {
        prctl(PR_SET_DUMPABLE,
              0); /* judged code must not read the expected answers through /proc */
        signals_catch(false);
        const struct watch *before = watch_set(&watch);
        rc = run_optimization(a, o, &result, &err);
        watch_set(before);
        prctl(PR_SET_DUMPABLE, 1);
    }
    const bool gain = result.winner || own->dry_run;
    const int status = rc != 0 && a->kind && a->kind->status && a->target.state
                           ? a->kind->status(a->target.state)
                           : 0;
    for (size_t i = 0; i < a->plan.nproposers; i++)
        proposer_close(&a->proposers[i]);
    if (a->kind)
        a->kind->close(a->target.state);
    optimize_free(&result);
    free(a->kernels);
    analysis_close(&a->analysis);
    free(a);
    if (signals_caught)
        return exit_by_signal(signals_caught);
    int ended = gain ? EXIT_DONE : EXIT_DIFFERS;
    if (rc != 0)
        ended = exit_report(&err);
    return status ? status : ended;
}

static const struct command_option options[] = {
    OWN(.name = "harness", OWN_AT(optimize_options, harness), .type = OPTION_STRING, .arg = "FILE",
        .help = "the function, its arguments, how inputs are made, how far outputs may differ "
                "(TOML)"),
    TAKES_AS(CAPTURE_DIR, .help =
                              "instead of a harness: the captured dispatch of a GPU kernel, from "
                              "which each build is launched"),
    OWN(.name = "run", OWN_AT(optimize_options, run), .type = OPTION_STRING, .arg = "COMMAND",
        .help = "instead of a harness: a command of the shell that runs and checks what stands for "
                "{}; status 0: it is right"),
    OWN(.name = "cpu-time", OWN_AT(optimize_options, cpu_time), .type = OPTION_FLAG,
        .help = "with --run: compare user and system time of all processes of a run, "
                "not elapsed time: it varies less on a busy machine, but leaves out "
                "waiting"),
    OWN(.name = "function", OWN_AT(optimize_options, function), .type = OPTION_STRING,
        .arg = "NAME",
        .help =
            "with --run: the function whose body may change; any part of the source unless given"),
    OWN(.name = "proposer", OWN_AT(optimize_options, proposers), .type = OPTION_LIST,
        .arg = "NAME[:WHAT]",
        .help =
            "who proposes; may be given several times, they are asked in turn. accumulators splits "
            "sums, pragma asks the compiler, unroll unrolls loops (by libclang; these three unless "
            "given), restrict and, with --capture-dir, launch-bounds make promises, command:PROG "
            "is a program, openai:URL an endpoint of a language model"),
    OWN(.name = "build", OWN_AT(optimize_options, build), .type = OPTION_STRING, .arg = "COMMAND",
        .help =
            "how a source becomes a shared object, a program or a code object: a command of the "
            "shell with {source} and {out}; cc -O2, or hipcc --genco -O3 with --capture-dir, "
            "unless "
            "given"),
    OWN(.name = "evidence", OWN_AT(optimize_options, profile), .type = OPTION_STRING, .arg = "FILE",
        .help =
            "a profile with the kernel: what limits it is told to proposers, and --dry-run says "
            "which kernels are worth a try"),
    OWN(.name = "kernel", OWN_AT(optimize_options, kernel), .type = OPTION_STRING, .arg = "NAME",
        .help = "the name of the kernel in the profile; unless given, the first that is "
                "worth a try. With --capture-dir it can only be the captured one"),
    OWN(.name = "max-iters", OWN_AT(optimize_options, iterations), .type = OPTION_INT, .arg = "N",
        .min = 1, .max = 9999, .help = "candidates at most; 20 unless given"),
    OWN(.name = "population", OWN_AT(optimize_options, population), .type = OPTION_INT, .arg = "N",
        .min = 1, .max = OPTIMIZE_POPULATION,
        .help = "how many versions candidates are made from: every second candidate "
                "from the best version, the rest in turn from others that are not "
                "slower; 1 unless given"),
    OWN(.name = "tries", OWN_AT(optimize_options, tries), .type = OPTION_INT, .arg = "N", .min = 1,
        .max = 9999,
        .help = "end after so many candidates in a row without a gain; 8 unless given"),
    TAKES_AS(FOR,
             .help = "time for everything but the confirmation at the end; 600 s unless given"),
    OWN(.name = "each", OWN_AT(optimize_options, each_s), .type = OPTION_SECONDS, .arg = "SECONDS",
        .min = 0.1, .max = 3600,
        .help =
            "time for the pairs of one candidate, and as much for its confirmation; 10 s unless "
            "given"),
    OWN(.name = "answer-time", OWN_AT(optimize_options, answer_s), .type = OPTION_SECONDS,
        .arg = "SECONDS", .min = 0.1, .max = 3600,
        .help = "time for one answer of a proposer; 120 s unless given"),
    OWN(.name = "min-gain", OWN_AT(optimize_options, min_gain), .type = OPTION_STRING,
        .arg = "SHARE", .help = "the smallest gain that counts; 2% unless given"),
    OWN(.name = "confidence", OWN_AT(optimize_options, confidence), .type = OPTION_STRING,
        .arg = "SHARE",
        .help = "the confidence of each verdict, however often it is looked at; 99% "
                "unless given"),
    OWN(.name = "allow", OWN_AT(optimize_options, allow), .type = OPTION_STRING,
        .arg = "GUARD[,GUARD]", .help = "guards that must not refuse the candidate"),
    TAKES_AS(TOLERANCE, .help = "with --capture-dir: how far outputs may differ: exact, or "
                                "f32,abs=1e-6,rel=1e-5,ulps=4"),
    OWN(.name = "vary", OWN_AT(optimize_options, vary), .type = OPTION_STRING,
        .arg = "ARG=TYPE[,ARG=TYPE]",
        .help = "with --capture-dir: arguments, by name or number from 0, that point to inputs of "
                "any values; none: only the captured ones"),
    TAKES(AGENT),
    TAKES(TIMEOUT),
    TAKES_AS(ROOFS, .help =
                        "with --harness: the measured roofs of the host, below which no call can "
                        "be; those that are stored unless given"),
    OWN(.name = "folder", OWN_AT(optimize_options, folder), .type = OPTION_STRING, .arg = "DIR",
        .help = "where log, candidates, questions and answers are kept; SOURCE.optimize here "
                "unless given"),
    OWN(.name = "resume", OWN_AT(optimize_options, resume), .type = OPTION_FLAG,
        .help = "go on with the run in that folder"),
    OWN(.name = "apply", OWN_AT(optimize_options, apply), .type = OPTION_FLAG,
        .help = "put the winner in the place of the source, which is kept as SOURCE.orig"),
    OWN(.name = "dry-run", OWN_AT(optimize_options, dry_run), .type = OPTION_FLAG,
        .help = "only say what would be done: nobody is asked, nothing is built"),
    OWN(.name = "db", OWN_AT(optimize_options, db), .type = OPTION_STRING, .arg = "DATABASE",
        .help = "the history of benchmarks that gets the time of the winner"),
    OWN(.name = "no-store", OWN_AT(optimize_options, no_store), .type = OPTION_FLAG,
        .help = "keep nothing in the history"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_optimize = {
    .name = "optimize",
    .summary = "candidates from proposers, each built and judged; only what is truly faster is "
               "kept",
    .usage = "rooftop optimize SOURCE (--harness FILE | --capture-dir DIR | --run COMMAND) "
             "[--brief] [--proposer NAME] [--build COMMAND] [--apply] [--resume]",
    .run = optimize_command,
    .files = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop optimize saxpy.c --harness saxpy.toml --proposer command:./propose.py",
                  "asks the program again and again; the source stays as it is"},
                 {"rooftop optimize saxpy.c --harness saxpy.toml --proposer command:./propose.py "
                  "--resume --apply",
                  "goes on where it was interrupted, and puts what is faster in its place"},
                 {"rooftop optimize k.hip --capture-dir DIR --kernel gemm --tolerance f32,rel=1e-5",
                  "a GPU kernel, from the memory of one of its dispatches"},
                 {"rooftop optimize tool.c --run './verify.sh {}' --function hot",
                  "a program that a command checks"}),
    .exits =
        EXITS({.code = EXIT_DONE, .text = "a gain was found and confirmed"},
              {.code = EXIT_DIFFERS, .text = "no gain was found"}, {.code = EXIT_UNSUPPORTED},
              {.code = EXIT_GPU, .text = "the source faults on the GPU"}, {.code = EXIT_TIMEOUT}),
};
