#include "cli/options/generate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "base/shell_word.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/options/version.h"
#include "cli/run/dashboard.h"
#include "cli/run/output.h"
#include "cli/run/written.h"
#include "engine/profiler/profiler.h"

/* A name in the working directory that sorts by time. */
static const char *default_folder(char out[64])
{
    time_t t = (time_t)(env_wall_ns() / 1000000000u);
    struct tm tm = {0};
    localtime_r(&t, &tm);
    strftime(out, 64, "rooftop-profile-%Y%m%d-%H%M%S", &tm);
    return out;
}

static void tell_line(void *ctx, const char *line)
{
    (void)ctx;
    exit_note(line);
}

/* --- a dry run --- */

static void print_pass(FILE *out, const struct run_pass *p)
{
    print_text(out, "# %s (%s)\n", p->name, run_kind_name(p->kind));
    if (p->input)
        print_text(out, "# %s: ", p->input_path);
    if (p->input)
        print_lines(out, p->input);
    for (const char **word = p->argv; *word; word++) {
        fputs(word == p->argv ? "" : " ", out);
        shell_word(out, *word);
    }
    fputc('\n', out);
}

struct plan {
    const struct gpu_run *run;
    const struct profiler_request *r;
};

static void print_plan(FILE *f, const void *what)
{
    const struct plan *p = what;
    const struct gpu_run *run = p->run;
    const struct profiler_request *r = p->r;
    for (uint32_t i = 0; i < run->npasses; i++)
        print_pass(f, &run->passes[i]);
    if (!r->gpu && strcmp(run->tool, "rocprofv3") == 0 &&
        !(r->counters && strcmp(r->counters, "none") == 0))
        fputs("# and the passes with counters, planned for the GPU in the base profile; --gpu "
              "gfx942 shows them\n",
              f);
}

/* --- running --- */

struct profile_options {
    const char *tool, *counters, *att, *gpu, *report; /* NULL: not given */
    bool dry_run;
};

static bool prints_report(const struct options *o)
{
    const struct profile_options *own = o->own;
    if (o->brief && !own->report) /* the answer is what the passes wrote */
        return false;
    return o->headless || o->format || own->report;
}

/* The reports that can be printed about a result. The last one draws a view as a picture. */
static const struct command *const reports[] = {&command_path, &command_tree, &command_bricks,
                                                &command_export, &command_watch};
enum { REPORTS = sizeof reports / sizeof *reports };

/* The report to print; NULL: none. --format alone means that of the path, with --view that of the
 * picture. */
static const struct command *find_report(const struct options *o)
{
    const struct profile_options *own = o->own;
    const char *name = o->format && !o->view ? "path" : "";
    if (own->report)
        name = own->report;
    for (size_t i = 0; prints_report(o) && i < REPORTS; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}

/* Checks the report's options before anything runs: profiling may take hours. */
static int check_report(const struct options *o, struct error *err)
{
    const struct command *c = find_report(o);
    char choice[32], formats[128];
    const char *name;
    if (!c || !o->format)
        return 0;
    const struct option_def d = option_as_taken(&c->options[command_option_find(c, "format", 0)]);
    for (size_t i = 0; (name = option_choice(&d, i, choice, sizeof choice)); i++)
        if (strcmp(name, o->format) == 0)
            return 0;
    return error_set(err, ERROR_USAGE, EINVAL, generate_choices(&d, " ", formats, sizeof formats),
                     "--format", "%s%s is not written as %s",
                     *c->name ? "the report " : "a picture", c->name, o->format);
}

static int open_result(struct options *o, const char *folder)
{
    struct error err = ERROR_INIT;
    const struct command *c = find_report(o);
    char *operands[] = {(char *)folder, NULL};
    o->operands = operands;
    o->noperands = 1;
    o->argv = NULL;
    o->output = NULL;
    if (c && options_own(o, c, &err) != 0)
        return exit_report(&err);
    if (c)
        return c == &command_watch ? headless_run(o) : c->run(o);
    return isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && !o->brief ? dashboard_run(o)
                                                                      : EXIT_DONE;
}

static int say_result(const struct gpu_run *run, const struct options *o, const char *folder,
                      struct error *err)
{
    struct written w;
    char line[100];
    unsigned done = 0;
    written_begin(&w, folder, NAN);
    for (uint32_t i = 0; i < run->npasses; i++) {
        const struct run_pass *p = &run->passes[i];
        done += p->state == RUN_COMPLETE;
        if (p->why)
            brief_evidence(&w.brief, "%s: %s", p->name, p->why);
        brief_row(&w.brief, p->name, "%s, %u files", run_state_name(p->state), p->nfiles);
    }
    written_opens(&w);
    snprintf(line, sizeof line, "%s: %u of %u passes", run_state_name(run->state), done,
             run->npasses);
    if (options_brief(o))
        brief_evidence(&w.brief, "%s", line);
    else
        exit_note(line);
    const bool told_by_report = options_brief(o) && find_report(o);
    return told_by_report ? 0 : written_tell(&w, o, err);
}

/* The exit status: the command's own if it is not 0, else that of the passes, else that of the
 * report. */
static int profile_status(const struct gpu_run *run, int report)
{
    int own = run->npasses ? run->passes[0].wait_status : 0;
    if (own > 0)
        return exit_of_wait_status(own);
    if (report != EXIT_DONE)
        return report;
    return run->state == RUN_COMPLETE ? EXIT_DONE : EXIT_UNSUPPORTED;
}

static int run_and_open(struct options *o, const struct profiler_request *r)
{
    struct error err = ERROR_INIT;
    struct gpu_run run;
    int stopped = 0, status;
    int rc = profiler.run(&run, r, &stopped, &err);
    int own = run.npasses ? run.passes[0].wait_status : 0;
    if (rc == 0 && run.npasses)
        rc = say_result(&run, o, r->folder, &err);
    if (rc != 0 && run.npasses && own > 0 && err.kind != ERROR_OUTPUT) {
        exit_report(&err);
        status = exit_of_wait_status(own);
    } else if (rc != 0) {
        status = exit_report_command(&err);
    } else {
        status = stopped ? EXIT_DONE : profile_status(&run, open_result(o, r->folder));
    }
    gpu_run_free(&run);
    return stopped ? exit_by_signal(stopped) : status;
}

static int dry_run(const struct profiler_request *r)
{
    struct error err = ERROR_INIT;
    struct gpu_run run;
    int rc = profiler.plan(&run, r, &err);
    if (rc == 0)
        rc = output_made(NULL, print_plan, &(struct plan){&run, r}, &err);
    gpu_run_free(&run);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static int profile_run(struct options *o)
{
    const struct profile_options *own = o->own;
    struct error err = ERROR_INIT;
    char folder[64];
    struct profiler_request r = {.tool = own->tool,
                                 .counters = own->counters,
                                 .att = own->att,
                                 .gpu = own->gpu,
                                 .folder = o->output ? o->output : default_folder(folder),
                                 .generator = "rooftop " ROOFTOP_VERSION,
                                 .argv = o->argv,
                                 .replace = o->replace,
                                 .out_fd = prints_report(o) || o->brief ? STDERR_FILENO : -1,
                                 .tell = tell_line};
    if (!o->argv || o->noperands)
        return error_set(&err, ERROR_USAGE, EINVAL, "rooftop gpu profile [-o DIR] -- COMMAND...",
                         "gpu profile", "no command is given after --"),
               exit_report(&err);
    if (check_report(o, &err) != 0)
        return exit_report(&err);
    return own->dry_run ? dry_run(&r) : run_and_open(o, &r);
}

static const struct command_option options[] = {
    OWN(.name = "tool", OWN_AT(profile_options, tool), .type = OPTION_CHOICE, .arg = "TOOL",
        .choices = "auto|rocprofv3|nsys", .fallback = "auto",
        .help = "the profiler: auto takes what this machine has"),
    OWN(.name = "counters", OWN_AT(profile_options, counters), .type = OPTION_STRING, .arg = "LIST",
        .help = "hardware counters of AMD GPUs, in as many passes as they need: sets (roofline, "
                "occupancy, stalls), names of counters, or none; separated by commas; roofline "
                "unless given"),
    OWN(.name = "att", OWN_AT(profile_options, att), .type = OPTION_STRING, .arg = "REGEX",
        .help = "a thread trace of the kernels whose names match, in a pass of its own"),
    OWN(.name = "gpu", OWN_AT(profile_options, gpu), .type = OPTION_STRING, .arg = "ARCH",
        .help = "plan counters for this architecture (gfx942), not for the one that the base "
                "profile tells"),
    OWN(.name = "dry-run", OWN_AT(profile_options, dry_run), .type = OPTION_FLAG,
        .help = "print what would be run; run nothing"),
    OWN(.name = "report", OWN_AT(profile_options, report), .type = OPTION_CHOICE, .arg = "REPORT",
        .choices = "path|tree|bricks|export",
        .help = "print the result, like the command of that name, instead of opening it"),
    TAKES_AS(OUTPUT, .arg = "DIR",
             .help = "the folder of the result; unless given, its name has the date and the time"),
    TAKES_AS(REPLACE, .help = "replace a folder that is already there"),
    TAKES_AS(HEADLESS, .help = "print a picture of the result instead of opening it"),
    TAKES_AS(
        FORMAT,
        .help =
            "what to print of the result: formats of the report, or, with --view, of a picture"),
    TAKES(BRIEF),
    TAKES(SIZE),
    TAKES(VIEW),
    TAKES_DRAWN,
    TAKES_GENERAL,
};

const struct command command_profile = {
    .name = "profile",
    .summary =
        "run a command under the profiler of its GPU, in as many passes as needed, and open it",
    .usage = "rooftop gpu profile [--brief] [-o DIR] [--counters LIST] [--att REGEX] [--dry-run] "
             "-- COMMAND...",
    .run = profile_run,
    .starts = true,
    .converts = true,
    .options = options,
    .examples =
        EXAMPLES({"rooftop gpu profile -- ./prog", "profile a program and open what came of it"},
                 {"rooftop gpu profile --report path --format json -o run1 -- ./prog",
                  "the same in a script: print the critical path"}),
    .exits = EXITS(
        {.code = EXIT_PERMISSION},
        {.code = EXIT_UNSUPPORTED, .text = "no profiler here, or not every pass could be run"},
        {.code = EXIT_TERMINAL}),
};
