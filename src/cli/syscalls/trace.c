/* rooftop trace: the system calls of a program. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/print.h"
#include "base/words.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/otlp_output.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/traced.h"
#include "cli/syscalls/syscalls_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/stacks.h"
#include "engine/syscalls/tracer.h"
#include "export/otlp/otlp_syscalls.h"
#include "export/syscalls/syscalls_export.h"

enum { BUFFER = 64 * 1024, STRINGS_MAX = 65536 };

/* --- where it goes --- */

struct trace_output {
    struct output file;
    struct error err; /* the first failure */
    FILE *out;
    bool each_line;
    char buffer[BUFFER];
};

/* A signal in the middle must not lose what stdio holds: output_write tries again. */
static ssize_t write_all(void *ctx, const char *data, size_t n)
{
    struct trace_output *to = ctx;
    if (to->err.kind != ERROR_NONE || output_write(&to->file, data, n, &to->err) != 0)
        return 0; /* the program goes on; only its trace ends here */
    return (ssize_t)n;
}

/* Text is a stream that others may follow; documents appear when they are whole. */
static int open_output(struct trace_output *to, const struct options *o, const char *format,
                       struct error *err)
{
    const bool stream = strcmp(format, "text") == 0 || strcmp(format, "csv") == 0;
    struct stat st;
    if (!o->output && (fcntl(STDERR_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return error_set(err, ERROR_OUTPUT, EBADF, "leave it open, or write to a file with -o",
                         "write to stderr", "it is closed");
    const bool dash = o->output && strcmp(o->output, "-") == 0;
    const char *path = dash ? NULL : o->output;
    int rc = output_open(&to->file, path, dash ? STDOUT_FILENO : STDERR_FILENO, stream, err);
    if (rc != 0)
        return rc;
    if (o->output && stream && fstat(to->file.fd, &st) == 0 && S_ISREG(st.st_mode) &&
        ftruncate(to->file.fd, 0) != 0)
        to->file.fresh = false;
    to->each_line = isatty(to->file.fd) == 1;
    to->out = fopencookie(to, "w", (cookie_io_functions_t){.write = write_all});
    if (!to->out)
        return error_set(err, ERROR_INTERNAL, ENOMEM, NULL, "trace", "out of memory");
    setvbuf(to->out, to->buffer, _IOFBF, sizeof to->buffer);
    return 0;
}

static int close_output(struct trace_output *to, bool keep, struct error *err)
{
    if (to->out)
        fclose(to->out);
    const bool failed = to->err.kind != ERROR_NONE;
    int rc = output_close(&to->file, keep && !failed, err);
    if (failed) {
        *err = to->err;
        rc = -EIO;
    }
    return rc;
}

/* --- the run --- */

struct trace_printing {
    struct syscalls_export x;
    struct trace_output *to;
    struct otlp_syscalls *spans; /* NULL: no --otlp */
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct trace_printing *r = ctx;
    syscalls_export_event(&r->x, e);
    if (r->spans)
        otlp_syscalls_event(r->spans, e);
    if (r->to->each_line)
        fflush(r->to->out);
}

static void on_tick(void *ctx)
{
    struct trace_printing *r = ctx;
    syscalls_export_tick(&r->x);
    if (r->spans)
        otlp_syscalls_tick(r->spans);
    fflush(r->to->out);
}

/* Prints what no table of the result shows: losses, io_uring, notes of the mechanism. */
static void print_remarks(const struct tracer_result *r)
{
    char line[200];
    if (r->lost) {
        snprintf(line, sizeof line, "%llu call%s lost", (unsigned long long)r->lost,
                 r->lost == 1 ? " was" : "s were");
        exit_note(line);
    }
    if (r->rings && r->sees_operations) {
        char open[64] = "";
        if (r->incomplete)
            snprintf(open, sizeof open, "; of %llu no completion was seen",
                     (unsigned long long)r->incomplete);
        snprintf(line, sizeof line, "io_uring was used: %llu ring%s, %llu operations%s",
                 (unsigned long long)r->rings, r->rings == 1 ? "" : "s",
                 (unsigned long long)r->operations + r->incomplete, open);
        exit_note(line);
    } else if (r->rings) {
        snprintf(line, sizeof line,
                 "io_uring was used: %llu ring%s, whose operations are not seen "
                 "(--by bpf shows them, where it works)",
                 (unsigned long long)r->rings, r->rings == 1 ? "" : "s");
        exit_note(line);
    }
    for (size_t i = 0; i < TRACER_NOTES && r->notes[i][0]; i++)
        exit_note(r->notes[i]);
}

static int trace_into_output(const struct options *o, const struct tracer_setup *setup,
                             const struct tracer_ops *ops, struct trace_output *to,
                             struct otlp_output *otlp, struct tracer_result *result,
                             struct error *err)
{
    const struct trace_options *own = o->own;
    char title[256] = "";
    static const char *const next[] = {"rooftop trace -c", "rooftop trace --function-time", NULL};
    const struct syscall_format *format = syscall_format_find(o->brief ? "brief" : o->format);
    struct brief brief = {.command = o->words};
    const struct syscalls_export_options how = {.times = own->times,
                                                .tasks = own->follow || !o->argv,
                                                .counts = own->counts || o->brief,
                                                .brief = &brief,
                                                .extended = own->extended,
                                                .stacks = own->stack,
                                                .source = own->source,
                                                .functions = own->functions && !o->brief,
                                                .slow_ns = (uint64_t)own->slow_us * 1000,
                                                .command = title};
    struct trace_printing r = {.to = to};
    const struct syscall_sink sink = {.event = on_event,
                                      .ctx = &r,
                                      .entries = format->entries && !setup->counts_only,
                                      .tick = on_tick};
    if (o->argv)
        snprintf(title, sizeof title, "%s", o->argv[0]);
    else
        snprintf(title, sizeof title, "process %s", o->pids);
    syscalls_export_begin(&r.x, to->out, format, &how);
    if (otlp->open)
        r.spans = otlp_syscalls_new(&otlp->context, &otlp->batch, o->argv ? otlp->command : NULL,
                                    own->spans);
    const int rc = tracer_run(ops, setup, o->by, &sink, result, err);
    if (r.spans)
        otlp_syscalls_end(r.spans, result->ended ? result->status : -1);
    otlp_syscalls_free(r.spans);
    const struct syscalls_export_end end = {
        .result = result, .exit_code = result->ended ? exit_of_wait_status(result->status) : 0};
    syscalls_export_end(&r.x, &end);
    if (o->brief) {
        brief_next_about(&brief, o, next);
        brief_write(to->out, &brief, o->format);
    }
    if (r.x.torn && to->err.kind == ERROR_NONE)
        error_set(&to->err, ERROR_OUTPUT, EIO, "set TMPDIR to a folder with room", "keep events",
                  "a temporary file could not be written");
    return rc;
}

/* --inject allows the recorder; it does not force it, as --by does. */
static void tell_why_not_injected(const struct tracer_setup *setup, const struct tracer_ops *used)
{
    char line[400];
    struct error why = ERROR_INIT;
    struct tracer_state state = {0};
    for (size_t i = 0; tracers[i]; i++) {
        if (strcmp(tracers[i]->name, "inject") != 0)
            continue;
        tracers[i]->probe(&state);
        if (state.works)
            tracers[i]->suits(setup, &why);
    }
    print_line(line, sizeof line, "--inject is not used, but %s: %s", used->name,
               state.works ? why.why : state.why);
    exit_note(line);
}

/* The mechanism that would have been used if no stacks were wanted. */
static void tell_why_not_without_stops(const struct tracer_setup *setup,
                                       const struct tracer_ops *used)
{
    char line[400];
    struct tracer_setup plain = *setup;
    plain.stacks = NULL;
    for (size_t i = 0; tracers[i] && tracers[i] != used; i++) {
        struct error why = ERROR_INIT, none = ERROR_INIT;
        struct tracer_state state = {0};
        if (tracers[i]->suits(setup, &why) || !tracers[i]->suits(&plain, &none))
            continue;
        tracers[i]->probe(&state);
        if (!state.works)
            continue;
        print_line(line, sizeof line, "%s is used, not %s: %s", used->name, tracers[i]->name,
                   why.why);
        exit_note(line);
    }
}

/* Notes that text in a file named t.json is no trace that rooftop can open. */
static void tell_of_other_format(const struct options *o)
{
    char line[400];
    const char *dot = o->output ? strrchr(o->output, '.') : NULL;
    if (!dot || !words_have("json csv html", dot + 1) || strcmp(o->format, "text") != 0)
        return;
    print_line(
        line, sizeof line, "%.200s is written as text; --format %s makes it %s", o->output, dot + 1,
        strcmp(dot, ".json") == 0 ? "a trace that rooftop opens again" : "what its name says");
    exit_note(line);
}

static int run_with(const struct options *o, const struct tracer_setup *setup, struct error *err,
                    struct tracer_result *result)
{
    const struct trace_options *own = o->own;
    const struct tracer_ops *ops = tracer_choose(setup, o->by, err);
    struct trace_output *to;
    struct otlp_output otlp;
    struct error closing = ERROR_INIT;
    if (!ops)
        return -ENOTSUP;
    if (own->inject && strcmp(ops->name, "inject") != 0)
        tell_why_not_injected(setup, ops);
    else if (setup->stacks && !o->by)
        tell_why_not_without_stops(setup, ops);
    to = xcalloc(1, sizeof *to);
    int rc = otlp_output_open(&otlp, o, otlp_output_service(o), true, 0, err);
    if (rc == 0)
        rc = open_output(to, o, o->format, err);
    if (rc == 0) {
        tell_of_other_format(o);
        traced_catch_signals();
        rc = trace_into_output(o, setup, ops, to, &otlp, result, err);
        const int closed = close_output(to, rc == 0, &closing);
        if (rc == 0 && closed != 0) {
            *err = closing;
            rc = closed;
        }
    }
    free(to);
    otlp_output_finish(&otlp); /* the status is the program's */
    return rc;
}

static bool wants_stacks(const struct options *o)
{
    const struct trace_options *own = o->own;
    return own->stack || own->source || own->functions || strcmp(o->format, "folded") == 0;
}

static bool wants_sums(const struct options *o)
{
    const struct trace_options *own = o->own;
    return o->brief || own->counts || own->functions || strcmp(o->format, "folded") == 0;
}

/* Whether --function-time cannot be written in this format. */
static bool no_functions(const char *format)
{
    return strcmp(format, "text") != 0 && strcmp(format, "json") != 0 && strcmp(format, "csv") != 0;
}

static const char *find_trace_contradiction(const struct options *o)
{
    const struct trace_options *own = o->own;
    if (o->noperands)
        return "write -- before the command";
    if (!o->argv == !o->pids)
        return "give a command after --, or -p PID";
    if (o->brief && (own->counts || own->functions))
        return "--brief is short: leave out --summary and --function-time";
    if (own->counts && (strcmp(o->format, "chrome") == 0 || strcmp(o->format, "folded") == 0))
        return "--summary cannot be written with --format chrome or folded";
    if (own->functions && no_functions(o->format))
        return "--function-time can be written with --format text, json or csv only";
    if (own->stack && strcmp(o->format, "csv") == 0)
        return "--stack cannot be written with --format csv; --source can";
    if (own->spans && !o->otlp.url)
        return "--otlp-syscalls needs --otlp";
    return own->extended && !own->counts ? "--stats-extended needs -c" : NULL;
}

static int check_trace_options(const struct options *o, struct error *err)
{
    const char *why = find_trace_contradiction(o);
    return why ? error_set(err, ERROR_USAGE, EINVAL, command_trace.usage, "trace", "%s", why) : 0;
}

/* --by inject asks for it too. */
static bool by_inject(const struct options *o)
{
    return o->by && strcmp(o->by, "inject") == 0;
}

static int trace_run(struct options *o)
{
    const struct trace_options *own = o->own;
    struct error err = ERROR_INIT;
    struct tracer_result result = {0};
    struct syscall_filter *filter = NULL;
    struct target *target = xcalloc(1, sizeof *target);
    if (!o->format)
        o->format = "text";
    int rc = check_trace_options(o, &err);
    if (rc == 0 && o->in_process && o->pids) {
        free(target);
        return trace_child_run(o);
    }
    if (rc == 0 && o->pids)
        rc = options_target(o, target, &err);
    if (rc == 0 && own->calls) {
        filter = syscall_filter_parse(own->calls, &err);
        rc = filter ? 0 : -EINVAL;
    }
    struct syscall_stacks *stacks =
        rc == 0 && wants_stacks(o) ? syscall_stacks_new(SYSCALL_STACKS_BYTES) : NULL;
    const struct tracer_setup setup = {.argv = o->argv,
                                       .pids = target->pids,
                                       .npids = (uint32_t)target->npids,
                                       .follow = own->follow,
                                       .counts_only = wants_sums(o) && !o->otlp.url,
                                       .inject = own->inject || by_inject(o),
                                       .same_cpu = o->argv && !own->free_cpus,
                                       .string_limit = (uint32_t)own->strings,
                                       .stack_depth = (uint32_t)own->stack_depth,
                                       .stacks = stacks,
                                       .calls = filter,
                                       .stop_signal = traced_stop_signal};
    if (rc == 0)
        rc = run_with(o, &setup, &err, &result);
    const bool plain = strcmp(o->format, "text") == 0 || strcmp(o->format, "csv") == 0;
    if (plain && !o->brief)
        print_remarks(&result);
    int status = result.ended ? exit_of_wait_status(result.status) : EXIT_DONE;
    if (rc != 0)
        status =
            o->argv && err.kind == ERROR_TARGET ? exit_report_command(&err) : exit_report(&err);
    syscall_filter_free(filter);
    syscall_stacks_free(stacks);
    target_free(target);
    free(target);
    return status;
}

static const struct command_option options[] = {
    TAKES_AS(PID, .help = "trace these processes with all their threads, until ^C; they go on as "
                          "they were"),
    OWN(.section = "What to watch", .name = "follow-forks", OWN_AT(trace_options, follow),
        .letter = 'f', .type = OPTION_FLAG, .help = "also the processes that the traced ones make"),
    OWN(.section = "What to watch", .name = "calls", OWN_AT(trace_options, calls), .letter = 'e',
        .type = OPTION_STRING, .arg = "EXPR",
        .help =
            "only these: names, classes (%file, %network, ...), /regular expressions/, !not; as "
            "in openat,read or trace=%file,!stat"),
    OWN(.section = "What to watch", .name = "expr", OWN_AT(trace_options, calls),
        .type = OPTION_STRING, .arg = "EXPR", .help = "the same as --calls"),
    TAKES(BY),
    OWN(.section = "What to watch", .name = "inject", OWN_AT(trace_options, inject),
        .type = OPTION_FLAG,
        .help = "allow a recorder inside the program, which is faster than any stop: calls are "
                "recorded where they are made, and the program is not stopped"),
    OWN(.section = "What to watch", .name = "free-cpus", OWN_AT(trace_options, free_cpus),
        .type = OPTION_FLAG,
        .help = "leave programs on their CPUs; else those that stop often share one with the "
                "tracer, which is much faster"),
    OWN(.name = "summary", OWN_AT(trace_options, counts), .letter = 'c', .type = OPTION_FLAG,
        .help = "count calls, errors and time, and print a table at the end"),
    OWN(.name = "stats-extended", OWN_AT(trace_options, extended), .type = OPTION_FLAG,
        .help = "with -c: deviations, extremes, percentiles and bytes too"),
    OWN(.name = "timing", OWN_AT(trace_options, times), .letter = 'T', .type = OPTION_FLAG,
        .help = "the time that each call took; text and CSV"),
    OWN(.name = "strings", OWN_AT(trace_options, strings), .type = OPTION_INT, .arg = "N", .min = 0,
        .max = STRINGS_MAX, .fallback = "32",
        .help = "bytes kept of each string and buffer; paths are whole"),
    TAKES_IN_PROCESS,
    OWN(.section = "Where it came from", .name = "stack", OWN_AT(trace_options, stack),
        .letter = 'k', .type = OPTION_FLAG,
        .help = "the stack of each call: functions with file and line"),
    OWN(.section = "Where it came from", .name = "stack-depth", OWN_AT(trace_options, stack_depth),
        .type = OPTION_INT, .arg = "N", .min = 1, .max = SYSCALL_FRAMES_MAX, .fallback = "64",
        .help = "frames of each stack"),
    OWN(.section = "Where it came from", .name = "source", OWN_AT(trace_options, source),
        .letter = 's', .type = OPTION_FLAG, .help = "file and line that made each call"),
    OWN(.section = "Where it came from", .name = "function-time", OWN_AT(trace_options, functions),
        .type = OPTION_FLAG,
        .help = "at the end, time in calls, input and output by function; no calls"),
    OWN(.section = "Where it came from", .name = "slow-io", OWN_AT(trace_options, slow_us),
        .type = OPTION_INT, .arg = "US", .min = 0, .max = 1000000000, .fallback = "1000",
        .help = "with --function-time: input and output that lasts longer is slow"),
    TAKES_AS(FORMAT, .choices = "text|json|csv|html|chrome|folded"),
    TAKES(BRIEF),
    TAKES_AS(OUTPUT, .help = "write the trace to this file in place of standard error"),
    TAKES_OTLP,
    OWN(.section = "OpenTelemetry", .name = "otlp-syscalls", OWN_AT(trace_options, spans),
        .type = OPTION_FLAG,
        .help = "with --otlp: a span for each call too, not only for each process"),
    TAKES_GENERAL,
};

const struct command command_trace = {
    .name = "trace",
    .summary = "the system calls of a program: as they come, counted, or as a document",
    .usage =
        "rooftop trace [--brief] [-f] [--calls EXPR] [-c] [-T] [--format F] [-o FILE] -p PID | -- "
        "COMMAND...",
    .run = trace_run,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop trace -f --calls %file -- make", "the files that a build touches"},
        {"rooftop trace -c -p 4711", "count the calls of a running process until you end it"},
        {"rooftop trace -f --format json -o run.json -- ./prog", "a trace to open later"}),
    .exits =
        EXITS({.code = EXIT_TARGET, .text = "there is no such process, or it is traced already"},
              {.code = EXIT_PERMISSION},
              {.code = EXIT_UNSUPPORTED, .text = "no mechanism can do this here"}),
};
