/* The loop of `rooftop gpu replay edit`: each time the source is saved, it is built and measured (a
 * round). */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/print.h"
#include "base/temporary.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/replay/replay.h"
#include "cli/replay/replay_watch.h"
#include "cli/run/build_command.h"
#include "cli/run/output.h"
#include "cli/run/signals.h"
#include "engine/replay/replay_ratio.h"
#include "engine/value/document.h"
#include "engine/value/stats.h"

struct edit_options {
    const char *source, *build; /* NULL: not given */
    double build_timeout_s;
    bool once;
};

struct replay_edit {
    const struct options *o;
    const struct edit_options *own;
    char folder[PATH_MAX]; /* folder for what is built */
    char out[PATH_MAX];    /* path for {out} */
    char best[PATH_MAX]; /* the fastest code object whose output is right; "" = the captured one */
    char kept[PATH_MAX]; /* the code object of this round */
    long round;
    bool json;
};

/* --- one line for each round */

/* A build and its result. */
struct outcome {
    bool built, measured, equal, best;
    double build_seconds, us;
    const char *build_status, *build_output;  /* if it was not built */
    cJSON *error;                             /* if it could not be measured */
    struct replay_ratio to_captured, to_best; /* equal if the captured one is the best */
};

static void print_summary(long round, const struct outcome *r)
{
    char line[900], time[VALUE_TEXT_MAX];
    printf("round %ld: ", round);
    if (!r->built) {
        print_text(stdout, "build failed (%s)\n", r->build_status);
        print_lines(stdout, r->build_output);
    } else if (!r->measured) {
        replay_text_error(line, sizeof line, r->error);
        print_text(stdout, "built in %.1f s, %s: %s\n", r->build_seconds,
                   json_get_text(r->error, "kind"), line);
        replay_text_notes(stdout, r->error);
    } else {
        print_text(stdout,
                   "built in %.1f s, %s, %.3f x captured (%s), %.3f x best (%s), output %s%s\n",
                   r->build_seconds, value_time(1e3 * r->us, true, time), r->to_captured.ratio,
                   replay_ratio_verdict(&r->to_captured), r->to_best.ratio,
                   replay_ratio_verdict(&r->to_best), r->equal ? "equal" : "DIFFERENT",
                   r->best ? ", the best so far" : "");
    }
}

static void add_measured(cJSON *to, const struct outcome *r)
{
    json_add_number(to, "microseconds", r->us);
    json_add_number(to, "ratio_captured", r->to_captured.ratio);
    cJSON_AddStringToObject(to, "verdict_captured", replay_ratio_verdict(&r->to_captured));
    json_add_number(to, "ratio_best", r->to_best.ratio);
    cJSON_AddStringToObject(to, "verdict_best", replay_ratio_verdict(&r->to_best));
    cJSON_AddBoolToObject(to, "equal", r->equal);
    cJSON_AddBoolToObject(to, "best", r->best);
}

static void print_edit_round(long round, const struct outcome *r)
{
    cJSON *j = document_begin("rooftop.replay-edit/1");
    cJSON_AddNumberToObject(j, "round", (double)round);
    cJSON_AddBoolToObject(j, "built", r->built);
    cJSON_AddNumberToObject(j, "build_seconds", r->build_seconds);
    if (!r->built) {
        json_add_text(j, "build_status", r->build_status);
        json_add_text(j, "build_output", r->build_output);
    } else if (r->measured) {
        add_measured(j, r);
    } else {
        cJSON_AddItemReferenceToObject(j, "error", r->error);
    }
    json_write(stdout, j, false);
    putchar('\n');
    cJSON_Delete(j);
}

/* --- measuring */

static void nothing_told(void *ctx, const cJSON *event, const char *line)
{
    (void)ctx, (void)event, (void)line;
}

struct replay_times {
    double *us;
    size_t n;
};

static struct replay_times read_variant_times(const cJSON *variant)
{
    const cJSON *samples = cJSON_GetObjectItemCaseSensitive(
                    cJSON_GetObjectItemCaseSensitive(variant, "timing"), "samples"),
                *one;
    struct replay_times t = {xcalloc((size_t)cJSON_GetArraySize(samples) + 1, sizeof *t.us), 0};
    cJSON_ArrayForEach(one, samples)
    {
        t.us[t.n++] = cJSON_IsNumber(one) ? one->valuedouble : NAN;
    }
    return t;
}

/* Compares the new build with the captured kernel and with the best so far. If these differ, p is
 * adjusted for two tests. */
static void compare_builds(struct outcome *to, const cJSON *variants)
{
    const int n = cJSON_GetArraySize(variants);
    const struct replay_times captured = read_variant_times(cJSON_GetArrayItem(variants, 0)),
                              best = read_variant_times(cJSON_GetArrayItem(variants, n - 2)),
                              mine = read_variant_times(cJSON_GetArrayItem(variants, n - 1));
    to->to_captured = replay_ratio_of(captured.us, captured.n, mine.us, mine.n);
    to->to_best = replay_ratio_of(best.us, best.n, mine.us, mine.n);
    double p[2] = {to->to_captured.p, to->to_best.p};
    if (n > 2) {
        stats_adjust(p, 2);
        to->to_captured.p = p[0];
        to->to_best.p = p[1];
    }
    free(captured.us);
    free(best.us);
    free(mine.us);
}

/* The variants are the captured code object, the best so far (if it is another), and the new
 * one. */
static void take_round_result(struct replay_edit *e, struct outcome *to, const cJSON *result)
{
    const cJSON *variants = cJSON_GetObjectItemCaseSensitive(result, "variants");
    const cJSON *mine = cJSON_GetArrayItem(variants, cJSON_GetArraySize(variants) - 1);
    const cJSON *oracle = cJSON_GetObjectItemCaseSensitive(mine, "verify");
    if (!oracle)
        oracle = cJSON_GetObjectItemCaseSensitive(mine, "against_first");
    to->measured = true;
    to->us = json_get_number(cJSON_GetObjectItemCaseSensitive(mine, "timing"), "average");
    to->equal = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(oracle, "equal"));
    compare_builds(to, variants);
    to->best = to->equal && strcmp(replay_ratio_verdict(&to->to_best), "faster") == 0;
    if (to->best) {
        if (*e->best)
            unlink(e->best);
        snprintf(e->best, sizeof e->best, "%s", e->kept);
    }
}

/* Returns the round's exit status; -1 with err. */
static int measure_round(struct replay_edit *e, struct outcome *to, struct error *err)
{
    struct replay_words words = {0};
    struct replay_outcome out;
    const char *code[3] = {NULL};
    size_t n = 1;
    if (*e->best)
        code[n++] = e->best;
    code[n++] = e->kept;
    replay_words_make(&words, e->o, &command_replay_compare, code, n);
    if (replay_supervise(words.argv, replay_patience(e->o), nothing_told, NULL, &out, err) != 0)
        return -1;
    const int status = out.status;
    if (out.result) {
        take_round_result(e, to, out.result);
    } else {
        to->error = out.error;
        out.error = NULL;
    }
    replay_outcome_free(&out);
    return status;
}

/* --- a round */

/* Moves this round's code object to a name of its own, so that later builds do not overwrite it. */
static bool keep_build(struct replay_edit *e)
{
    char old[PATH_MAX];
    const char *built = e->o->replay.hsaco ? e->o->replay.hsaco : e->out;
    snprintf(old, sizeof old, "%s", e->kept);
    snprintf(e->kept, sizeof e->kept, "%.3900s/round-%ld.hsaco", e->folder, e->round);
    if (*old && strcmp(old, e->best) != 0)
        unlink(old);
    return build_command_copy(built, e->kept);
}

static int run_edit_round(struct replay_edit *e, struct error *err)
{
    struct build_command b;
    struct outcome r = {.built = false};
    int status = EXIT_FAILED;
    e->round++;
    if (!e->o->replay.hsaco)
        unlink(e->out);
    build_command_run(&b, e->own->build, e->own->source, e->out, e->own->build_timeout_s,
                      &signals_caught);
    r.built = b.ok && keep_build(e);
    r.build_seconds = b.seconds;
    r.build_status = b.ok ? "it wrote no code object: use {out}, or --hsaco FILE" : b.status;
    r.build_output = b.output;
    if (r.built)
        status = measure_round(e, &r, err);
    if (status >= 0 && !signals_caught)
        e->json ? print_edit_round(e->round, &r) : print_summary(e->round, &r);
    fflush(stdout);
    cJSON_Delete(r.error);
    return status;
}

static int run_rounds(struct replay_edit *e, struct error *err)
{
    struct replay_watch w = {.fd = -1};
    int status = 0;
    if (!e->own->once && replay_watch_open(&w, e->own->source, err) != 0)
        return -1;
    while (!signals_caught) {
        status = run_edit_round(e, err);
        if (status < 0 || e->own->once || signals_caught)
            break;
        if (replay_watch_wait(&w, &signals_caught) != 0)
            break;
    }
    if (!e->own->once)
        replay_watch_close(&w);
    return signals_caught || (status > 0 && !e->own->once) ? 0 : status;
}

static int check_edit_options(const struct options *o, struct error *err)
{
    const struct edit_options *own = o->own;
    if (!own->source || access(own->source, R_OK) != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "--source FILE", "edit",
                         own->source ? "%s cannot be read" : "which file is edited?%s",
                         own->source ? own->source : "");
    if (!own->build)
        return error_set(err, ERROR_USAGE, EINVAL, "--build 'hipcc … {source} -o {out}'", "edit",
                         "how is it built?");
    if (!o->replay.hsaco && !strstr(own->build, "{out}"))
        return error_set(err, ERROR_USAGE, EINVAL, "use {out} in it, or --hsaco FILE", "--build",
                         "where does it write the code object?");
    return 0;
}

static int edit_run(struct options *o)
{
    struct error err = ERROR_INIT;
    const char *tmp = env_get("TMPDIR");
    struct replay_edit e = {
        .o = o, .own = o->own, .json = o->replay.json || (o->format && !strcmp(o->format, "json"))};
    if (replay_check_words(o, &err) != 0 || check_edit_options(o, &err) != 0)
        return exit_report(&err);
    snprintf(e.out, sizeof e.out, "%.3800s/edit", tmp ? tmp : "/tmp");
    const int lock = temporary_folder(e.out, e.folder, sizeof e.folder);
    if (lock < 0) {
        error_set(&err, ERROR_OUTPUT, -lock, NULL, e.out, "%s", strerror(-lock));
        return exit_report(&err);
    }
    snprintf(e.out, sizeof e.out, "%.3900s/out.hsaco", e.folder);
    signals_catch(true);
    const int status = run_rounds(&e, &err);
    temporary_remove_folder(e.folder);
    close(lock);
    return status < 0 ? exit_report(&err) : status;
}

static const struct command_option options[] = {
    TAKES(CAPTURE_DIR),
    OWN(.section = "Captured dispatches", .name = "source", OWN_AT(edit_options, source),
        .type = OPTION_STRING, .arg = "FILE", .help = "the file to watch"),
    OWN(.section = "Captured dispatches", .name = "build", OWN_AT(edit_options, build),
        .type = OPTION_STRING, .arg = "COMMAND",
        .help =
            "how it is built, by the shell; {out} is the code object to write, {source} the file"),
    OWN(.section = "Captured dispatches", .name = "build-timeout",
        OWN_AT(edit_options, build_timeout_s), .type = OPTION_SECONDS, .arg = "SECONDS", .min = 0.1,
        .max = 86400, .fallback = "300", .help = "how long a build may take"),
    OWN(.section = "Captured dispatches", .name = "once", OWN_AT(edit_options, once),
        .type = OPTION_FLAG, .help = "one round, for scripts"),
    TAKES_AS(HSACO, .help = "what the build writes"),
    TAKES(ITERATIONS),
    TAKES(WARMUP),
    TAKES(NO_RECOPY),
    TAKES(TOLERANCE),
    TAKES(AGENT),
    TAKES(TIMEOUT),
    TAKES_AS(JSON, .help = "print the result as a document, a line a round"),
    TAKES_AS(FORMAT, .choices = "text|json"),
    TAKES_GENERAL,
};

const struct command command_replay_edit = {
    .name = "replay edit",
    .summary = "build a captured kernel again whenever its source changes, and replay it",
    .usage = "rooftop gpu replay edit --capture-dir DIR --source FILE --build COMMAND [OPTION...]",
    .run = edit_run,
    .options = options,
    .examples = EXAMPLES({"rooftop gpu replay edit --capture-dir DIR --source k.hip --build 'hipcc "
                          "--genco --offload-arch=gfx942 {source} -o {out}'",
                          "build, replay and verify after each change"}),
    .exits = REPLAY_EXITS,
};
