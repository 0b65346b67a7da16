#include "cli/replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/replay/replay.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/replay/replay_progress.h"
#include "cli/run/nearby.h"
#include "cli/run/progress_note.h"
#include "cli/run/output.h"
#include "engine/value/document.h"
#include "export/brief.h"

enum { VARIANTS_MAX = 32 };

static const struct sub {
    const struct command *command;
    int (*in_process)(const struct replay_task *q, FILE *events);
    bool compares;
} subs[] = {
    {&command_replay_check, replay_reserve_check, false},
    {&command_replay_full, replay_full_vm, false},
    {&command_replay_compare, replay_variants, true},
};
enum { SUBS = sizeof subs / sizeof *subs };

/* --- arguments */

static const struct sub *find_sub(const struct options *o)
{
    size_t i = 0;
    while (i + 1 < SUBS && strcmp(subs[i].command->name, o->command) != 0)
        i++;
    return &subs[i];
}

int replay_check_words(const struct options *o, struct error *err)
{
    char near[320];
    if (!o->replay.capture_dir && strcmp(o->command, command_replay_check.name) != 0)
        return error_set(err, ERROR_USAGE, EINVAL,
                         nearby_captures("name one: --capture-dir DIR", near, sizeof near),
                         "--capture-dir", "which capture?");
    if (o->noperands && strcmp(o->command, command_replay_compare.name) != 0)
        return error_set(err, ERROR_USAGE, EINVAL, NULL, o->operands[0], "%s takes no file there",
                         command_words(command_named(o->command)));
    return 0;
}

/* Collects the code objects: for compare its operands; a single one is compared with the captured
 * one. */
static int collect_code_objects(const struct options *o, const struct sub *sub, const char **code,
                                size_t *n, struct error *err)
{
    *n = 0;
    if (!sub->compares) {
        code[(*n)++] = o->replay.hsaco;
        return 0;
    }
    if (o->noperands < 1 || o->noperands >= VARIANTS_MAX)
        return error_set(
            err, ERROR_USAGE, EINVAL,
            "rooftop gpu replay compare --capture-dir DIR A.hsaco B.hsaco", "gpu replay compare",
            "one to %d code objects are needed ('captured' is the captured one)", VARIANTS_MAX - 1);
    if (o->noperands == 1)
        code[(*n)++] = NULL;
    for (size_t i = 0; i < o->noperands; i++)
        code[(*n)++] = strcmp(o->operands[i], "captured") == 0 ? NULL : o->operands[i];
    return 0;
}

/* --- in this process */

/* The stream for events. What the runtime prints to stdout must not get between them. */
static FILE *events_stream(void)
{
    const int fd = output_own_stdout();
    return fd >= 0 ? fdopen(fd, "w") : NULL;
}

static int run_here(const struct options *o, const struct sub *sub, struct error *err)
{
    const char *code[VARIANTS_MAX + 1];
    struct replay_task q = {
        .capture = o->replay.capture_dir,
        .iterations = o->replay.iterations,
        .warmup = o->replay.warmup,
        .recopy = !o->replay.no_recopy,
        .verify = o->replay.verify,
        .timeout_s = replay_timeout(o),
        .agent = (int)o->replay.agent,
        .code = code,
    };
    if (collect_code_objects(o, sub, code, &q.ncode, err) != 0 ||
        replay_rule_parse(o->replay.tolerance, &q.rule, err) != 0)
        return -1;
    FILE *events = events_stream();
    if (!events)
        return error_set(err, ERROR_OUTPUT, errno, NULL, "stdout", "%s", strerror(errno)), -1;
    const int status = sub->in_process(&q, events);
    return fclose(events) == 0 || status ? status : EXIT_OUTPUT;
}

/* --- in a child */

struct printer {
    const struct options *o;
    const struct sub *sub;
    bool json, progress;
    struct replay_progress *line;
    cJSON *regions; /* regions of reserve-check, for its document */
};

static void print_replay_event(void *ctx, const cJSON *event, const char *line)
{
    struct printer *p = ctx;
    if (!p->progress)
        replay_progress_told(p->line, line);
    const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "event"));
    const bool region = kind && strcmp(kind, "region") == 0;
    if (p->progress) {
        print_text(stdout, "%s\n", line);
        fflush(stdout);
    } else if (region && p->o->brief) {
        return;
    } else if (region && p->json) {
        cJSON *copy = cJSON_Duplicate(event, true);
        cJSON_DeleteItemFromObjectCaseSensitive(copy, "event");
        cJSON_AddItemToArray(p->regions, copy);
    } else if (region) {
        progress_note_erase();
        replay_text_region(stdout, event);
    }
}

static void print_line_of(const cJSON *j)
{
    json_write(stdout, j, false);
    putchar('\n');
}

/* Prints the result with its schema, which the lines of --progress do not need. */
static void print_replay_document(const cJSON *j, bool indented)
{
    cJSON *doc = document_begin("rooftop.replay/1"), *member;
    for (member = j->child; member; member = member->next)
        cJSON_AddItemReferenceToObject(doc, member->string, member);
    json_write(stdout, doc, indented);
    putchar('\n');
    cJSON_Delete(doc);
}

static void print_replay_brief(const struct options *o, const cJSON *result)
{
    static const char *const next[] = {"rooftop gpu replay full-vm --verify --capture-dir",
                                       "rooftop gpu reproduce -o reproduced --capture-dir"};
    struct brief b = {.command = o->words};
    replay_brief(&b, result, o->command);
    for (size_t i = 0; o->replay.capture_dir && i < sizeof next / sizeof *next; i++)
        brief_next(&b, next[i], &o->replay.capture_dir, 1);
    brief_write(stdout, &b, o->replay.json ? "json" : o->format);
}

static void print_replay_result(const struct printer *p, cJSON *result)
{
    if (p->progress) {
        cJSON *event = cJSON_CreateObject();
        cJSON_AddStringToObject(event, "event", "result");
        cJSON_AddItemReferenceToObject(event, "result", result);
        print_line_of(event);
        cJSON_Delete(event);
    } else if (p->o->brief) {
        print_replay_brief(p->o, result);
    } else if (p->json) {
        if (cJSON_GetArraySize(p->regions))
            cJSON_AddItemToObject(result, "list", cJSON_Duplicate(p->regions, true));
        print_replay_document(result, true);
    } else if (p->sub->compares) {
        replay_text_compare(stdout, result);
    } else if (p->sub->in_process == replay_reserve_check) {
        replay_text_check(stdout, result);
    } else {
        replay_text_full_vm(stdout, result);
    }
}

static void print_error(const struct printer *p, const cJSON *error)
{
    char text[900];
    replay_text_error(text, sizeof text, error);
    if (p->progress)
        print_line_of(error);
    else if (p->json)
        print_replay_document(error, false);
    exit_note(text);
    replay_text_notes(stderr, error);
}

static int run_child(const struct options *o, const struct sub *sub, struct error *err)
{
    struct replay_words words = {0};
    struct replay_outcome out;
    struct replay_rule rule;
    const char *code[VARIANTS_MAX + 1];
    size_t n;
    struct printer p = {.o = o,
                        .sub = sub,
                        .json = o->replay.json || (o->format && strcmp(o->format, "json") == 0),
                        .progress = o->replay.progress,
                        .line = replay_progress_open(),
                        .regions = cJSON_CreateArray()};
    int rc = collect_code_objects(o, sub, code, &n, err);
    if (rc == 0) /* report mistakes before anything is started */
        rc = replay_rule_parse(o->replay.tolerance, &rule, err);
    if (rc == 0) {
        replay_words_make(&words, o, sub->command, sub->compares ? code : NULL,
                          sub->compares ? n : 0);
        rc = replay_supervise(words.argv, replay_patience(o), print_replay_event, &p, &out, err);
    }
    cJSON *regions = p.regions;
    replay_progress_close(p.line);
    if (rc == 0) {
        if (out.result)
            print_replay_result(&p, out.result);
        else
            print_error(&p, out.error);
        rc = fflush(stdout) == 0 && !ferror(stdout) ? out.status : EXIT_OUTPUT;
        replay_outcome_free(&out);
    }
    cJSON_Delete(regions);
    return rc;
}

/* reserve-check uses other exit statuses (those of a similar tool): 2 does not mean a usage error
 * there. */
int replay_usage_status(const struct options *o, int status)
{
    const bool check = o->command && strcmp(o->command, command_replay_check.name) == 0;
    return check && status == EXIT_USAGE ? EXIT_FAILED : status;
}

static int replay_run(struct options *o)
{
    struct error err = ERROR_INIT;
    const struct sub *sub = find_sub(o);
    int status = replay_check_words(o, &err);
    if (status == 0)
        status = o->in_process ? run_here(o, sub, &err) : run_child(o, sub, &err);
    return status < 0 ? replay_usage_status(o, exit_report(&err)) : status;
}

static const struct command_option replay_options[] = {
    TAKES_GENERAL,
};
/* The options of all sub-commands that launch. */
#define TAKES_LAUNCHED                                                                             \
    TAKES(AGENT), TAKES(TIMEOUT), TAKES(JSON), TAKES(PROGRESS), TAKES_IN_PROCESS,                  \
        TAKES_AS(FORMAT, .choices = "text|json"), TAKES(BRIEF), TAKES_GENERAL

static const struct command_option check_options[] = {
    TAKES_AS(CAPTURE_DIR,
             .help =
                 "the capture whose addresses are tried; without one, addresses of this machine"),
    TAKES_LAUNCHED,
};
static const struct command_option full_options[] = {
    TAKES(CAPTURE_DIR),
    TAKES(ITERATIONS),
    TAKES(WARMUP),
    TAKES(NO_RECOPY),
    TAKES(HSACO),
    OWN(.section = "Captured dispatches", .name = "verify", AT(replay.verify), .type = OPTION_FLAG,
        .help =
            "compare memory after one more launch with memory as it was captured after the kernel"),
    TAKES(TOLERANCE),
    TAKES_LAUNCHED,
};
static const struct command_option compare_options[] = {
    TAKES(CAPTURE_DIR), TAKES_AS(ITERATIONS, .help = "how many measured launches of each variant"),
    TAKES(WARMUP),      TAKES(NO_RECOPY),
    TAKES(TOLERANCE),   TAKES_LAUNCHED,
};

const struct command command_replay = {
    .name = "replay",
    .summary = "launch a captured GPU dispatch again, at its own addresses, from its own memory",
    .usage = "rooftop gpu replay reserve-check|full-vm|compare|edit [OPTION...]",
    .options = replay_options,
    .examples = EXAMPLES({"rooftop gpu replay full-vm --help", "the options of one of them"}),
};

const struct command command_replay_check = {
    .name = "replay reserve-check",
    .summary = "check whether the addresses of a capture can be reserved here",
    .usage = "rooftop gpu replay reserve-check [--brief] [--capture-dir DIR] [OPTION...]",
    .run = replay_run,
    .options = check_options,
    .examples = EXAMPLES(
        {"rooftop gpu replay reserve-check --capture-dir DIR", "try each address of the capture"}),
    .exits =
        EXITS({.code = EXIT_FAILED, .text = "wrong usage, or an address could not be reserved"},
              {.code = EXIT_USAGE, .text = "memory was reserved at another address than wanted"},
              {.code = EXIT_INPUT, .text = "the capture is damaged, or the path is no capture"},
              {.code = EXIT_UNSUPPORTED, .text = REPLAY_LACKS}, {.code = EXIT_GPU},
              {.code = EXIT_TIMEOUT}),
};

const struct command command_replay_full = {
    .name = "replay full-vm",
    .summary = "launch the dispatch of a capture again, and measure or verify it",
    .usage = "rooftop gpu replay full-vm [--brief] --capture-dir DIR [--verify] [--hsaco FILE] "
             "[OPTION...]",
    .run = replay_run,
    .options = full_options,
    .examples =
        EXAMPLES({"rooftop gpu replay full-vm --capture-dir DIR --verify",
                  "does it compute again what it computed?"},
                 {"rooftop gpu replay full-vm --capture-dir DIR --hsaco new.hsaco --iterations 100",
                  "how long does another build of the kernel take?"}),
    .exits = REPLAY_EXITS,
};

const struct command command_replay_compare = {
    .name = "replay compare",
    .summary = "launch variants of a captured kernel in turns, and compare times and memory",
    .usage = "rooftop gpu replay compare [--brief] --capture-dir DIR [OPTION...] HSACO...",
    .run = replay_run,
    .files = true,
    .options = compare_options,
    .examples = EXAMPLES({"rooftop gpu replay compare --capture-dir DIR new.hsaco",
                          "the captured kernel against a new build"},
                         {"rooftop gpu replay compare --capture-dir DIR captured a.hsaco b.hsaco",
                          "three variants; the first is what the others are compared with"}),
    .exits = REPLAY_EXITS,
};
