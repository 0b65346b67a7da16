/* The loop of edit, build, measure: a round at each save of the source. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "base/arena.h"
#include "base/env.h"
#include "cli/command.h"
#include "cli/exit.h"
#include "cli/output.h"
#include "cli/replay.h"
#include "cli/replay_build.h"
#include "cli/replay_watch.h"
#include "engine/export_json_value.h"

struct edit {
    const struct options *o;
    char folder[PATH_MAX]; /* of what is built */
    char out[PATH_MAX];    /* {out} */
    char best[PATH_MAX];   /* the fastest whose output is right; "" the captured one */
    char kept[PATH_MAX];   /* this round's */
    long round;
    bool json;
};

static volatile sig_atomic_t stopped;

static void stop(int signo)
{
    (void)signo;
    stopped = 1;
}

/* --- a line a round */

static double number(const cJSON *j, const char *key)
{
    const cJSON *m = cJSON_GetObjectItemCaseSensitive(j, key);
    return cJSON_IsNumber(m) ? m->valuedouble : NAN;
}

static const char *text(const cJSON *j, const char *key)
{
    const char *t = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(j, key));
    return t ? t : "";
}

static void print_summary(const cJSON *j)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(j, "error");
    char line[900];
    printf("round %ld: ", (long)number(j, "round"));
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "built"))) {
        print_text(stdout, "build failed (%s)\n", text(j, "build_status"));
        print_lines(stdout, text(j, "build_output"));
    } else if (error) {
        replay_text_error(line, sizeof line, error);
        print_text(stdout, "built in %.1f s, %s: %s\n", number(j, "build_seconds"),
                   text(error, "kind"), line);
    } else {
        print_text(
            stdout,
            "built in %.1f s, %.3f us, %.3f x captured (%s), %.3f x best (%s), output %s%s\n",
            number(j, "build_seconds"), number(j, "microseconds"), number(j, "ratio_captured"),
            text(j, "verdict_captured"), number(j, "ratio_best"), text(j, "verdict_best"),
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "equal")) ? "equal" : "DIFFERENT",
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "best")) ? ", the best so far" : "");
    }
}

static void print_round(const struct edit *e, cJSON *j)
{
    if (e->json) {
        json_write(stdout, j, false);
        putchar('\n');
    } else {
        print_summary(j);
    }
    fflush(stdout);
}

/* --- measuring */

static void nothing_told(void *ctx, const cJSON *event, const char *line)
{
    (void)ctx, (void)event, (void)line;
}

/* The new one is the last, the captured one the first; between them the best, where there is one.
 */
static void take_result(struct edit *e, cJSON *to, const cJSON *result)
{
    const cJSON *variants = cJSON_GetObjectItemCaseSensitive(result, "variants");
    const cJSON *comparisons = cJSON_GetObjectItemCaseSensitive(result, "comparisons");
    const int n = cJSON_GetArraySize(variants);
    const cJSON *mine = cJSON_GetArrayItem(variants, n - 1),
                *last = cJSON_GetArrayItem(comparisons, n - 2);
    const double us = number(cJSON_GetObjectItemCaseSensitive(mine, "timing"), "average");
    const double best = number(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(variants, n - 2), "timing"), "average");
    const cJSON *oracle = cJSON_GetObjectItemCaseSensitive(mine, "verify");
    if (!oracle)
        oracle = cJSON_GetObjectItemCaseSensitive(mine, "against_first");
    const bool equal = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(oracle, "equal"));
    const bool wins = equal && us < best;
    json_add_number(to, "microseconds", us);
    json_add_number(to, "ratio_captured", number(last, "ratio"));
    cJSON_AddStringToObject(to, "verdict_captured", text(last, "verdict"));
    json_add_number(to, "ratio_best", us / best);
    cJSON_AddStringToObject(to, "verdict_best", wins ? "faster" : "not faster");
    cJSON_AddBoolToObject(to, "equal", equal);
    cJSON_AddBoolToObject(to, "best", wins);
    if (wins) {
        if (*e->best)
            unlink(e->best);
        snprintf(e->best, sizeof e->best, "%s", e->kept);
    }
}

/* The round's exit status. */
static int measure(struct edit *e, cJSON *to, struct error *err)
{
    struct replay_words words = {0};
    struct replay_outcome out;
    const char *code[3] = {NULL};
    size_t n = 1;
    if (*e->best)
        code[n++] = e->best;
    code[n++] = e->kept;
    replay_words_make(&words, e->o, "compare", code, n);
    if (replay_supervise(words.argv, replay_patience(e->o), nothing_told, NULL, &out, err) != 0)
        return -1;
    const int status = out.status;
    if (out.result) {
        take_result(e, to, out.result);
    } else {
        cJSON_AddItemToObject(to, "error", out.error);
        out.error = NULL;
    }
    replay_outcome_free(&out);
    return status;
}

/* --- a round */

/* This round's code object stays as it is while later ones are built. */
static bool keep(struct edit *e)
{
    char old[PATH_MAX];
    const char *built = e->o->replay.hsaco ? e->o->replay.hsaco : e->out;
    snprintf(old, sizeof old, "%s", e->kept);
    snprintf(e->kept, sizeof e->kept, "%.3900s/round-%ld.hsaco", e->folder, e->round);
    if (*old && strcmp(old, e->best) != 0)
        unlink(old);
    return replay_build_copy(built, e->kept);
}

static int run_round(struct edit *e, struct error *err)
{
    struct replay_build b;
    const struct options *o = e->o;
    cJSON *j = cJSON_CreateObject();
    int status;
    e->round++;
    if (!o->replay.hsaco)
        unlink(e->out);
    replay_build_run(&b, o->replay.build, o->replay.source, e->out, o->replay.build_timeout_s,
                     &stopped);
    const bool built = b.ok && keep(e);
    cJSON_AddNumberToObject(j, "round", (double)e->round);
    cJSON_AddBoolToObject(j, "built", built);
    cJSON_AddNumberToObject(j, "build_seconds", b.seconds);
    if (built) {
        status = measure(e, j, err);
    } else {
        json_add_text(j, "build_status",
                      b.ok ? "it wrote no code object: use {out}, or --hsaco FILE" : b.status);
        json_add_text(j, "build_output", b.output);
        status = EXIT_FAILED;
    }
    if (status >= 0 && !stopped)
        print_round(e, j);
    cJSON_Delete(j);
    return status;
}

static int loop(struct edit *e, struct error *err)
{
    struct replay_watch w = {.fd = -1};
    int status = 0;
    if (!e->o->replay.once && replay_watch_open(&w, e->o->replay.source, err) != 0)
        return -1;
    while (!stopped) {
        status = run_round(e, err);
        if (status < 0 || e->o->replay.once || stopped)
            break;
        if (replay_watch_wait(&w, &stopped) != 0)
            break;
    }
    if (!e->o->replay.once)
        replay_watch_close(&w);
    return stopped || (status > 0 && !e->o->replay.once) ? 0 : status;
}

static int check(const struct options *o, struct error *err)
{
    if (!o->replay.source || access(o->replay.source, R_OK) != 0)
        return error_set(err, ERROR_USAGE, EINVAL, "--source FILE", "edit",
                         o->replay.source ? "%s cannot be read" : "which file is edited?%s",
                         o->replay.source ? o->replay.source : "");
    if (!o->replay.build)
        return error_set(err, ERROR_USAGE, EINVAL, "--build 'hipcc … {source} -o {out}'", "edit",
                         "how is it built?");
    if (!o->replay.hsaco && !strstr(o->replay.build, "{out}"))
        return error_set(err, ERROR_USAGE, EINVAL, "use {out} in it, or --hsaco FILE", "--build",
                         "where does it write the code object?");
    return 0;
}

static void clean(const struct edit *e)
{
    if (*e->kept)
        unlink(e->kept);
    if (*e->best)
        unlink(e->best);
    unlink(e->out);
    rmdir(e->folder);
}

int replay_edit(struct options *o)
{
    struct error err = ERROR_INIT;
    const char *tmp = env_get("TMPDIR");
    struct edit e = {.o = o, .json = o->replay.json || (o->format && !strcmp(o->format, "json"))};
    struct sigaction sa = {.sa_handler = stop};
    if (check(o, &err) != 0)
        return exit_report(&err);
    snprintf(e.folder, sizeof e.folder, "%.3800s/rooftop-edit-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(e.folder)) {
        error_set(&err, ERROR_OUTPUT, errno, NULL, e.folder, "%s", strerror(errno));
        return exit_report(&err);
    }
    snprintf(e.out, sizeof e.out, "%.3900s/out.hsaco", e.folder);
    sigemptyset(&sa.sa_mask);
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    const int status = loop(&e, &err);
    clean(&e);
    return status < 0 ? exit_report(&err) : status;
}
