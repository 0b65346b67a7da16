/* rooftop check: whether a run keeps to the budgets of a file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/renacer/trace_file.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/nearby.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "cli/run/trace_input.h"
#include "cli/run/traced.h"
#include "engine/analysis/analysis.h"
#include "engine/budgets/budgets.h"
#include "engine/golden/golden_store.h"
#include "engine/session/session.h"
#include "export/budgets_export.h"

/* What is judged, and where it came from. */
struct judged {
    struct budget_file file;
    struct run_facts *facts;
    struct transfer_facts gpu;
    struct budget_run run;
    struct golden golden; /* the trace of the program */
    uint64_t *walls;
    char program[64];
};

static void add_event(void *ctx, const struct syscall_event *e)
{
    run_facts_add(ctx, e);
}

static void pass_over(void *ctx, const struct syscall_event *e)
{
    (void)ctx;
    (void)e;
}

struct assert_options {
    long repeat; /* runs */
};

/* Runs the command once. A run that a signal cut short is not judged. */
static int run_whole(const struct options *o, const struct syscall_sink *sink,
                     struct traced_run *traced, struct error *err)
{
    const int rc = run_traced(o->argv, o->by, 0, sink, traced, err);
    return rc == 0 ? traced_check(o->argv[0], "it is not judged", err) : rc;
}

/* Runs the command again, and keeps how long each run lasts. */
static int time_more_runs(const struct options *o, struct judged *j, struct error *err)
{
    const struct assert_options *own = o->own;
    struct traced_run traced;
    const struct syscall_sink sink = {.event = pass_over};
    int rc = 0;
    j->walls = xcalloc((size_t)own->repeat, sizeof *j->walls);
    j->walls[0] = j->run.wall_ns;
    j->run.nwalls = 1;
    while (rc == 0 && j->run.nwalls < (size_t)own->repeat) {
        rc = run_whole(o, &sink, &traced, err);
        if (rc == 0)
            j->walls[j->run.nwalls++] = traced.wall_ns;
    }
    j->run.walls_ns = j->walls;
    return rc;
}

static int run_judged_command(const struct options *o, struct judged *j, struct error *err)
{
    struct traced_run traced;
    struct syscall_sink sink = {.event = add_event, .ctx = j->facts};
    int rc = run_whole(o, &sink, &traced, err);
    if (rc != 0)
        return rc;
    j->facts->lost += traced.result.lost;
    j->run.wall_ns = traced.wall_ns;
    j->run.status = traced.result.status;
    j->run.ended = traced.result.ended;
    snprintf(j->program, sizeof j->program, "%s", traced.program);
    return time_more_runs(o, j, err);
}

/* Keeps what the command prints apart from the verdict. */
static int run_command_apart(const struct options *o, struct judged *j, struct error *err)
{
    const int before = output_part_begin(o->output);
    const int rc = run_judged_command(o, j, err);
    output_part_end(before);
    return rc;
}

/* Reads the golden trace that is named after the program. It is no error if there is none. */
static int read_golden(struct judged *j, struct error *err)
{
    char path[4096];
    bool wanted = false;
    for (size_t i = 0; i < j->file.n; i++)
        wanted |= budget_needs_golden(&j->file.list[i]);
    if (!wanted || !golden_name_ok(j->program))
        return 0;
    snprintf(path, sizeof path, "%.3800s/%.120s.json",
             j->file.golden_folder ? j->file.golden_folder : GOLDEN_FOLDER, j->program);
    if (access(path, F_OK) != 0)
        return 0;
    int rc = golden_read(&j->golden, path, err);
    j->run.golden = rc == 0 ? &j->golden : NULL;
    return rc;
}

static int read_judged_trace(const char *path, struct judged *j, struct error *err)
{
    struct syscall_sink sink = {.event = add_event, .ctx = j->facts};
    struct syscall_trace_file file;
    int rc = syscall_trace_read(path, NULL, &sink, &file, err);
    if (rc != 0)
        return rc;
    j->facts->lost += file.lost;
    j->run.ended = file.exit_code >= 0;
    j->run.status = file.exit_code > 128 ? file.exit_code - 128 : (file.exit_code & 0xff) << 8;
    const char *name = j->facts->nprocesses ? j->facts->processes[0].name : "";
    if (!*name) { /* the trace does not name its program, but its file is named after it */
        const char *slash = strrchr(path, '/');
        name = slash ? slash + 1 : path;
    }
    snprintf(j->program, sizeof j->program, "%.*s", (int)strcspn(name, "."), name);
    return 0;
}

/* Reads a GPU profile: how long it copied and computed, and whether copies are what limits it. */
static int read_profile(const char *path, struct judged *j, struct error *err)
{
    struct analysis a = {0};
    const char *paths[] = {path};
    int rc = progress_analysis_open(&a, paths, 1, err);
    if (rc == 0)
        rc = progress_refuse_samples(&a.trace, path, err);
    if (rc == 0) {
        const struct kernels_total *t = &a.kernels.total;
        uint64_t idle = kernels_idle(t), busy = t->wall > idle ? t->wall - idle : 0;
        j->gpu.transfer_ns = t->copying;
        j->gpu.compute_ns = busy > t->copying ? busy - t->copying : 0;
        j->gpu.copy_bound = t->label.label == LABEL_COPY;
        j->run.gpu = &j->gpu;
        j->run.wall_ns = t->wall;
    }
    analysis_close(&a);
    return rc;
}

static int read_input(const char *path, struct judged *j, struct error *err)
{
    struct stat st;
    if (session_recognise(path))
        return error_set(err, ERROR_INPUT, EINVAL, "rooftop report FILE says what it holds", path,
                         "it is a session: budgets judge a program, a trace of its calls or a "
                         "profile of a GPU");
    const struct reader_ops *reader = trace_reader(path, err);
    if (reader && strcmp(reader->name, "syscalls") != 0)
        return read_profile(path, j, err);
    if (!reader && (err->kind != ERROR_INPUT || stat(path, &st) != 0 || !S_ISREG(st.st_mode))) {
        nearby_help(err, nearby_calls);
        return -EIO;
    }
    return read_judged_trace(path, j, err); /* its message says best why this is no trace */
}

static int check_assert_usage(const struct options *o, struct error *err)
{
    const char *why;
    if (o->noperands == 0)
        why = "a file of budgets is missing";
    else if (!o->argv && o->noperands != 2)
        why = "give a command after --, or one saved trace or profile";
    else if (o->argv && o->noperands != 1)
        why = "give one file of budgets and one command";
    else
        return 0;
    return error_set(err, ERROR_USAGE, EINVAL, command_assert.usage, "check", "%s", why);
}

static void write_verdicts(FILE *out, const void *what)
{
    const struct budgets_document *doc = what;
    budgets_write_text(out, doc);
}

/* Writes the short answer. What shows more of the run takes its operands without the budgets. */
static int write_budgets_brief(const struct budgets_document *doc, const struct options *o,
                               struct error *err)
{
    struct brief b = {.command = o->words};
    struct options run = *o;
    run.operands++;
    run.noperands--;
    budgets_brief(&b, doc);
    brief_next_again(&b, o, "");
    brief_next_about(&b, &run,
                     (const char *const[]){o->argv ? "rooftop trace" : "rooftop report", NULL});
    return brief_output(&b, o, err);
}

static void write_budgets_annotations(FILE *out, const void *what)
{
    const struct budgets_document *doc = what;
    budgets_annotate(out, doc);
}

static void write_json(FILE *out, const void *what)
{
    const struct budgets_document *doc = what;
    budgets_write_json(out, doc);
}

static void write_check_openmetrics(FILE *out, const void *what)
{
    const struct budgets_document *doc = what;
    budgets_write_openmetrics(out, doc);
}

static int judge_budgets(const struct options *o, struct judged *j, bool *failed, struct error *err)
{
    struct budget_verdict *verdicts = xcalloc(j->file.n + 1, sizeof *verdicts);
    run_facts_finish(j->facts);
    j->run.facts = j->facts;
    j->run.program = j->program;
    size_t n = budget_judge_all(&j->file, &j->run, verdicts, failed);
    if (j->facts->lost)
        *failed = true; /* a call that was lost could violate any of the budgets */
    struct budgets_document doc = {.file = &j->file,
                                   .verdicts = verdicts,
                                   .n = n,
                                   .run = &j->run,
                                   .failed = *failed,
                                   .ascii = trace_ascii(o)};
    output_make make =
        output_make_of(o->format ? o->format : "text", write_verdicts, write_json, write_verdicts);
    if (o->format && strcmp(o->format, "openmetrics") == 0)
        make = write_check_openmetrics;
    int rc = options_brief(o) ? write_budgets_brief(&doc, o, err)
                              : output_made(o->output, make, &doc, err);
    if (rc == 0)
        rc = output_annotations(write_budgets_annotations, &doc, err);
    if (rc == 0 && j->facts->lost)
        exit_note("calls were lost while this was traced: the run does not pass");
    if (rc == 0 && j->facts->rings && !j->facts->operations)
        exit_note("io_uring was used: its operations are not seen and not judged");
    free(verdicts);
    return rc;
}

static bool are_budgets(const char *path)
{
    struct budget_file file = {0};
    struct error ignored = ERROR_INIT;
    const bool are = budget_file_load(&file, path, &ignored) == 0;
    budget_file_free(&file);
    return are;
}

static int load_named_budgets(struct budget_file *file, const char *path, struct error *err)
{
    const int rc = budget_file_load(file, path, err);
    if (rc != 0)
        nearby_help(err, are_budgets);
    return rc;
}

static int assert_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct judged j = {.facts = run_facts_new()};
    bool failed = false;
    int rc = check_assert_usage(o, &err);
    if (rc == 0)
        rc = load_named_budgets(&j.file, o->operands[0], &err);
    if (rc == 0)
        rc = o->argv ? run_command_apart(o, &j, &err) : read_input(o->operands[1], &j, &err);
    if (rc == 0)
        rc = read_golden(&j, &err);
    const bool not_started = rc != 0 && o->argv && err.kind == ERROR_TARGET;
    if (rc == 0)
        rc = judge_budgets(o, &j, &failed, &err);
    budget_file_free(&j.file);
    run_facts_free(j.facts);
    golden_free(&j.golden);
    free(j.walls);
    if (rc != 0 && traced_interrupted())
        return traced_exit(&err);
    if (rc != 0)
        return not_started ? exit_report_command(&err) : exit_report(&err);
    return failed ? EXIT_DIFFERS : EXIT_DONE;
}

static const struct command_option options[] = {
    TAKES(BY),
    OWN(.section = "What to watch", .name = "repeat", OWN_AT(assert_options, repeat), .letter = 'r',
        .type = OPTION_INT, .arg = "N", .min = 1, .max = 1000, .fallback = "1",
        .help = "run the command this many times: more runs show a smaller regression "
                "of time"),
    TAKES_AS(FORMAT, .choices = "text|json|openmetrics|markdown"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_assert = {
    .name = "assert",
    .summary = "check a run against the budgets of a file",
    .usage = "rooftop check [--brief] [--format F] [-o FILE] BUDGETS.toml (TRACE | -- COMMAND...)",
    .run = assert_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop check renacer.toml -- ./prog", "run a program and judge it"},
                 {"rooftop check gpu.toml profile.db", "judge the copies of a GPU profile"}),
    .exits = EXITS({.code = EXIT_DIFFERS,
                    .text = "a budget is violated, or the program failed without the file "
                            "expecting it"},
                   {.code = EXIT_INPUT, .text = "the file of budgets or the trace is malformed"}),
};
