#include "cli/options/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/print.h"
#include "base/env.h"
#include "cli/options/command.h"
#include "cli/run/dashboard.h"
#include "cli/options/exit.h"
#include "cli/run/output.h"
#include "cli/options/shell_word.h"
#include "cli/options/version.h"
#include "engine/profiler/profiler.h"

/* A name that sorts by time, in the working directory. */
static const char *default_folder(char out[64])
{
    time_t t = (time_t)(env_wall_ns() / 1000000000u);
    struct tm tm = {0};
    localtime_r(&t, &tm);
    strftime(out, 64, "rooftop-profile-%Y%m%d-%H%M%S", &tm);
    return out;
}

static void tell(void *ctx, const char *line)
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

static int print_plan(const struct gpu_run *run, const struct profiler_request *r,
                      struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    for (uint32_t i = 0; i < run->npasses; i++)
        print_pass(f, &run->passes[i]);
    if (!r->gpu && strcmp(run->tool, "rocprofv3") == 0 &&
        !(r->counters && strcmp(r->counters, "none") == 0))
        fputs("# and the passes with counters, planned for the GPU that the base profile tells; "
              "--gpu gfx942 shows them\n",
              f);
    fclose(f);
    int rc = output_file(NULL, text, len, err);
    free(text);
    return rc;
}

/* --- the real one --- */

static bool prints(const struct options *o)
{
    return o->headless || o->format || o->report;
}

/* What can be printed of a result, and how. The last is the screen as a picture. */
static const struct report {
    const char *name, *formats;
    int (*run)(struct options *o);
} reports[] = {
    {"path", "text json csv dot", path_run},
    {"tree", "text json csv dot chrome svg folded", tree_run},
    {"bricks", "text json csv", bricks_run},
    {"export", "chrome dot csv json", export_run},
    {"", "text json jsonl csv ansi svg", headless_run},
};
enum { REPORTS = sizeof reports / sizeof *reports };

/* NULL: nothing is to be printed. A format alone is that of the path, with a view of its picture.
 */
static const struct report *find_report(const struct options *o)
{
    const char *name = o->report ? o->report : o->format && !o->view ? "path" : "";
    for (size_t i = 0; prints(o) && i < REPORTS; i++)
        if (strcmp(reports[i].name, name) == 0)
            return &reports[i];
    return NULL;
}

/* Before anything ran: a profile may have taken hours. */
static int check_report(const struct options *o, struct error *err)
{
    const struct report *r = find_report(o);
    size_t n = o->format ? strlen(o->format) : 0;
    if (!r || !o->format)
        return 0;
    for (const char *p = r->formats; (p = strstr(p, o->format)); p += n)
        if ((p == r->formats || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return 0;
    return error_set(err, ERROR_USAGE, EINVAL, r->formats, "--format", "%s%s is not written as %s",
                     *r->name ? "the report " : "a picture", r->name, o->format);
}

static int open_result(struct options *o, const char *folder)
{
    const struct report *r = find_report(o);
    char *operands[] = {(char *)folder, NULL};
    o->operands = operands;
    o->noperands = 1;
    o->argv = NULL;
    o->output = NULL;
    if (r)
        return r->run(o);
    return isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) ? dashboard_run(o) : EXIT_DONE;
}

static void say_result(const struct gpu_run *run, const char *folder)
{
    char line[512];
    unsigned done = 0;
    for (uint32_t i = 0; i < run->npasses; i++)
        done += run->passes[i].state == RUN_COMPLETE;
    snprintf(line, sizeof line, "%s: %u of %u passes; open it with: rooftop %.300s",
             run_state_name(run->state), done, run->npasses, folder);
    exit_note(line);
}

/* The command's own status where it had one, then that of the passes and of the report. */
static int status_of(const struct gpu_run *run, int report)
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
        say_result(&run, r->folder);
    if (rc != 0 && run.npasses && own > 0 && err.kind != ERROR_OUTPUT) {
        exit_report(&err);
        status = exit_of_wait_status(own);
    } else if (rc != 0) {
        status = exit_report_command(&err);
    } else {
        status = stopped ? EXIT_DONE : status_of(&run, open_result(o, r->folder));
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
        rc = print_plan(&run, r, &err);
    gpu_run_free(&run);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

int profile_run(struct options *o)
{
    struct error err = ERROR_INIT;
    char folder[64];
    struct profiler_request r = {.tool = o->tool,
                                 .counters = o->counters,
                                 .att = o->att,
                                 .gpu = o->gpu,
                                 .folder = o->output ? o->output : default_folder(folder),
                                 .generator = "rooftop " ROOFTOP_VERSION,
                                 .argv = o->argv,
                                 .replace = o->replace,
                                 .out_fd = prints(o) ? STDERR_FILENO : -1,
                                 .tell = tell};
    if (!o->argv || o->noperands)
        return error_set(&err, ERROR_USAGE, EINVAL, "rooftop profile [-o DIR] -- COMMAND...",
                         "profile", "no command is given after --"),
               exit_report(&err);
    if (check_report(o, &err) != 0)
        return exit_report(&err);
    return o->dry_run ? dry_run(&r) : run_and_open(o, &r);
}
