/* rooftop: the table of commands. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/commands.h"
#include "cli/capture.h"
#include "cli/options/command.h"
#include "cli/compare.h"
#include "cli/run/dashboard.h"
#include "cli/doctor.h"
#include "cli/options/exit.h"
#include "cli/options/generate.h"
#include "cli/run/output.h"
#include "cli/run/progress.h"
#include "cli/run/record.h"
#include "cli/replay/replay.h"
#include "cli/options/version.h"

static int run_dashboard(struct options *o)
{
    if (o->capture && (o->headless || !isatty(STDOUT_FILENO))) {
        struct error err = ERROR_INIT;
        error_set(&err, ERROR_USAGE, EINVAL, "rooftop capture --kernel REGEX -- COMMAND...",
                  "--capture", "it is for the dashboard");
        return exit_report(&err);
    }
    return o->headless || !isatty(STDOUT_FILENO) ? headless_run(o) : dashboard_run(o);
}

/* Prints what fill makes, noticing a closed or full stdout. */
static int print_made(int (*fill)(FILE *out, const char *what), const char *what)
{
    char *text = NULL;
    size_t len = 0;
    struct error err = ERROR_INIT;
    FILE *f = open_memstream(&text, &len);
    int rc = f ? fill(f, what) : -errno;
    if (f)
        fclose(f);
    if (rc != 0)
        error_set(&err, ERROR_INTERNAL, -rc, NULL, "print", "%s", strerror(-rc));
    else
        rc = output_file(NULL, text, len, &err);
    free(text);
    return rc == 0 ? EXIT_DONE : exit_report(&err);
}

static int fill_help(FILE *out, const char *command)
{
    options_help(out, command);
    return 0;
}

static const struct options *configured;

static int fill_config(FILE *out, const char *what)
{
    (void)what;
    generate_config(out, configured);
    return 0;
}

static int print_config(const struct options *o)
{
    configured = o;
    return print_made(fill_config, NULL);
}

static int fill_version(FILE *out, const char *what)
{
    (void)what;
    return fputs("rooftop " ROOFTOP_VERSION "\n", out) < 0 ? -EIO : 0;
}

static const struct command *find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static int run_help(struct options *o)
{
    const char *about = o->noperands ? o->operands[0] : "";
    if (!find_command(about)) {
        struct error err = ERROR_INIT;
        error_set(&err, ERROR_USAGE, EINVAL, "see rooftop --help", "help",
                  "there is no command '%s'", about);
        return exit_report(&err);
    }
    return print_made(fill_help, about);
}

static int run_version(struct options *o)
{
    (void)o;
    return print_made(fill_version, NULL);
}

const struct command commands[] = {
    {"", "watch this machine, a command, processes or a cgroup",
     "rooftop [OPTION...] [FILE | -- COMMAND...]", run_dashboard, true},
    {"record", "write what is sampled to a session file, to be looked at with rooftop FILE",
     "rooftop record [-o FILE] [-d SECONDS] [--max-size SIZE] [-p PID | -- COMMAND...]", record_run,
     true},
    {"compare", "before and after: what got faster or slower, beyond chance",
     "rooftop compare [--group G] [--fail-on slower[=PERCENT]] [--format text|json|csv] [-o FILE] "
     "A[,A...] B[,B...]",
     compare_run, false},
    {"tree", "the execution tree of instrumented programs, down to the kernel launch",
     "rooftop tree [--format F] [--calls] [FILE... | -p PID | -- COMMAND...]", tree_run, true},
    {"path", "the critical path of instrumented programs, and the slack beside it",
     "rooftop path [--format text|json|csv|dot|svg] [FILE... | -p PID | -- COMMAND...]", path_run,
     true},
    {"roofline",
     "kernels and bricks under their roofs: FLOPs and bytes, what binds them, how far up",
     "rooftop roofline [--format text|json|csv|svg] [--roofs FILE] [--per kernel|dispatch] FILE...",
     roofline_run, true},
    {"timeline", "every span of a profile in its lane, over time",
     "rooftop timeline [--from T] [--to T] [--search TEXT] [--format text|json|csv|svg] [FILE... | "
     "-p PID | -- COMMAND...]",
     timeline_run, true},
    {"bricks", "statistics of bricks and kernels, by category, backends side by side",
     "rooftop bricks [--format text|json|csv] [--budgets FILE] [FILE... | -p PID | -- COMMAND...]",
     bricks_run, true},
    {"kernels", "the kernels of a profile: times, registers, occupancy, what bounds each",
     "rooftop kernels [--group G] [--sort C] [--filter Q] [--format text|json|csv|svg] FILE...",
     kernels_run, true},
    {"report", "the summary of a profile: where its time went, and why",
     "rooftop report [--format text|json|csv|svg] FILE...", report_run, true},
    {"steps", "ranges that come again (training steps, iterations): each one's length and path",
     "rooftop steps [--range NAME] [--format text|json|csv] FILE...", steps_run, true},
    {"att", "a thread trace of rocprofv3 --att: hot instructions, stalls, what waves did",
     "rooftop att [--format text|json|csv] [-o FILE] FOLDER", att_run, false},
    {"code", "the PTX, HSACO or SPIR-V that instrumented programs keep of their kernels, by hash",
     "rooftop code [--hash HASH] [--format text|json] [-o FILE] FILE... | -p PID", code_run, false},
    {"code-object",
     "the kernels of a GPU's code object (.hsaco): registers, arguments, instructions",
     "rooftop code-object [--kernel NAME] [--gpu ARCH] [--disassemble] [--format text|json] FILE",
     code_object_run, false},
    {"profile",
     "run a command under the profiler of its GPU, in as many passes as needed, and open it",
     "rooftop profile [-o DIR] [--counters LIST] [--att REGEX] [--dry-run] -- COMMAND...",
     profile_run, true},
    {"replay", "launch a captured GPU dispatch again, at its own addresses, from its own memory",
     "rooftop replay reserve-check|full-vm|compare|edit --capture-dir DIR [OPTION...] [HSACO...]",
     replay_run, false},
    {"reproduce",
     "make a folder of a capture: its kernel's source, to be edited, built and replayed",
     "rooftop reproduce --capture-dir DIR -o FOLDER [--compile-commands FILE] [--source FILE]",
     reproduce_run, false},
    {"capture", "keep a dispatch of a GPU kernel with all its memory, to be replayed alone",
     "rooftop capture --kernel REGEX [--dispatch N | --every N | --slowest] [--post] [-o DIR] -- "
     "COMMAND...",
     capture_run, true},
    {"export", "a profile for other tools: spans, what led to what, critical path and slack",
     "rooftop export [--format chrome|dot|csv|json] [-o FILE] FILE...", export_run, false},
    {"usdt", "the USDT probes of a program and its libraries, for --usdt",
     "rooftop usdt [--format text|json] [-o FILE] PATH | -p PID", usdt_run, false},
    {"doctor", "what can be measured here, why not, and what would enable it",
     "rooftop doctor [--format text|json] [-o FILE]", doctor_run, false},
    {"help", "help about a command", "rooftop help [COMMAND]", run_help, false},
    {"version", "the version", "rooftop version", run_version, false},
    {0},
};

static void nothing(int signo)
{
    (void)signo;
}

/*
 * A file opened while fd 1 is closed would become stdout and receive the document. A closed one is
 * held by a descriptor that refuses what is wanted of it.
 */
static void hold_standard_fds(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv)
{
    struct options o;
    struct error err = ERROR_INIT;
    /* A handler, not SIG_IGN: what we start must not inherit it. A closed pipe, and a file beyond
     * the limit (ulimit -f), is then an errno. */
    struct sigaction sa = {.sa_handler = nothing, .sa_flags = SA_RESTART};
    hold_standard_fds();
    sigemptyset(&sa.sa_mask);
    sigaction(SIGPIPE, &sa, NULL);
    sigaction(SIGXFSZ, &sa, NULL);
    setlocale(LC_CTYPE, ""); /* numbers keep their point */
    int status;
    if (options_parse(&o, argc, argv, &err) != 0)
        status = replay_usage_status(&o, exit_report(&err));
    else if (o.help)
        status = print_made(fill_help, o.command);
    else if (o.version)
        status = run_version(&o);
    else if (o.print_config)
        status = print_config(&o);
    else if (o.generate)
        status = print_made(options_generate, o.generate);
    else if (progress_want(&o, &err) != 0)
        status = exit_report(&err);
    else
        status = find_command(o.command)->run(&o);
    options_free(&o);
    return status;
}
