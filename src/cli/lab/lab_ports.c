#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/brief_output.h"
#include "cli/run/output.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "engine/ports/hot_loop.h"
#include "engine/ports/ports.h"
#include "engine/value/document.h"
#include "export/lab/loop_export.h"
#include "export/lab/ports_export.h"

enum { LOOK_MS = 200, FOR_DEFAULT_S = 1, SOURCES_MAX = 5 };

static void choose_port_sources(const struct source_ops *list[SOURCES_MAX])
{
    static const char *const wanted[] = {"command", "proc", "perf", "sampler"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t k = 0; backends[k]; k++)
            if (strcmp(backends[k]->name, wanted[i]) == 0)
                list[n++] = backends[k];
    list[n] = NULL;
}

static void show_counting(struct progress_note *note, uint64_t began_ns, uint64_t until_ns)
{
    char line[100];
    snprintf(line, sizeof line, "counting: %.0f s of %.0f s; ^C ends it",
             (double)(env_now_ns() - began_ns) / 1e9, (double)(until_ns - began_ns) / 1e9);
    progress_note_show(note, line);
}

/* Waits for the end of the command, of --for, or a signal, whichever is first. */
static void wait_for_counting(int pidfd, uint64_t until_ns)
{
    struct progress_note note;
    const uint64_t began_ns = env_now_ns();
    if (pidfd < 0) /* a command may write to the terminal */
        progress_note_begin(&note);
    struct pollfd fds[2] = {{.fd = signals_fd(), .events = POLLIN},
                            {.fd = pidfd, .events = POLLIN}};
    for (uint64_t now; !signals_caught && !fds[1].revents && (now = env_now_ns()) < until_ns;) {
        uint64_t ms = (until_ns - now) / 1000000 + 1;
        poll(fds, 2, ms < LOOK_MS ? (int)ms : LOOK_MS);
        if (pidfd < 0)
            show_counting(&note, began_ns, until_ns);
    }
    if (pidfd < 0)
        progress_note_end(&note);
    signals_heard();
}

/* Counts from the first sample to the last one. A command is counted whole: --for asks it to end.
 */
static const struct snapshot *count_once(struct engine *e, const struct options *o,
                                         struct error *err)
{
    double seconds = o->argv ? 0 : FOR_DEFAULT_S;
    if (o->for_s > 0)
        seconds = o->for_s;
    const struct snapshot *s = engine_step(e, err);
    if (!s)
        return NULL;
    int pidfd = s->command.pid > 0 ? (int)syscall(SYS_pidfd_open, s->command.pid, 0) : -1;
    snapshot_unref(s);
    wait_for_counting(pidfd, seconds > 0 ? env_now_ns() + (uint64_t)(seconds * 1e9) : UINT64_MAX);
    if (o->argv && engine_command_status(e, &(int){0}) < 0) {
        engine_signal_command(e, signals_caught ? signals_caught : SIGTERM);
        signals_caught = 0;
        wait_for_counting(pidfd, env_now_ns() + UINT64_C(5000000000));
    }
    if (pidfd >= 0)
        close(pidfd);
    return engine_step(e, err);
}

/* --- what is printed --- */

static int write_ports_document(const struct options *o, int out_fd, const output_make formats[3],
                                const void *what, struct error *err)
{
    const char *format = o->format ? o->format : "text";
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    output_make_of(format, formats[0], formats[1], formats[2])(f, what);
    fclose(f);
    int rc = output_document(o->output, out_fd, text, size, err);
    free(text);
    return rc;
}

static int write_ports_brief(const struct options *o, int out_fd, const struct loop_report *r,
                             struct error *err)
{
    struct brief b = {.command = o->words};
    char *text = NULL;
    size_t size = 0;
    if (r->loop)
        loop_brief(&b, r);
    else
        ports_brief(&b, r->counted);
    brief_next_again(&b, o, "");
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    brief_write(f, &b, o->format);
    fclose(f);
    int rc = output_document(o->output, out_fd, text, size, err);
    free(text);
    return rc;
}

/* Says on standard error why the status is EXIT_UNSUPPORTED, because a script that keeps the
 * document may not look at the reasons in it. */
static void say_nothing_counted(const struct ports_report *r)
{
    const char *why = r->why;
    if (!why)
        why = r->n ? value_why(&r->rows[0].metric->value) : r->note;
    print_text(stderr, "rooftop: lab ports: nothing was counted: %s\n", why);
}

static void say_no_model(const struct error *e)
{
    print_text(stderr, "rooftop: lab ports: no model: %s: %s%s%s\n", e->what, e->why,
               *e->help ? "; " : "", e->help);
}

/* Writes what was counted, or the loop with what was counted beside it. s NULL: nothing was. */
static int write_ports_report(const struct options *o, const struct snapshot *s,
                              struct hot_loop *loop, int out_fd, struct error *err)
{
    static const output_make counted[] = {ports_export_text, ports_export_json, ports_export_csv},
                             modelled[] = {loop_export_text, loop_export_json, loop_export_csv};
    struct ports_report r = {0};
    if (s)
        ports_report_make(&r, s);
    struct loop_report both = {.loop = loop, .counted = s ? &r : NULL};
    int rc;
    if (o->brief)
        rc = write_ports_brief(o, out_fd, &both, err);
    else if (loop)
        rc = write_ports_document(o, out_fd, modelled, &both, err);
    else
        rc = write_ports_document(o, out_fd, counted, &r, err);
    bool done = loop ? loop->modelled : r.counted > 0;
    if (rc == 0 && !done && loop)
        say_no_model(&loop->no_model);
    else if (rc == 0 && !done)
        say_nothing_counted(&r);
    ports_report_free(&r);
    if (rc != 0)
        return rc;
    return done ? EXIT_DONE : EXIT_UNSUPPORTED;
}

/* --- the command --- */

/* FILE, FILE:FUNCTION or PID:FUNCTION. */
struct code_wish {
    char file[4096]; /* "": a process is meant */
    char pid[24];
    const char *function; /* NULL: any of the file */
};

static int parse_wish(struct code_wish *w, const struct options *o, struct error *err)
{
    const char *text = o->operands[0], *colon = strchr(text, ':');
    size_t digits = strspn(text, "0123456789");
    *w = (struct code_wish){.function = colon ? colon + 1 : NULL};
    if (o->noperands > 1 || strlen(text) >= sizeof w->file)
        return error_set(err, ERROR_USAGE, EINVAL, "FILE, FILE:FUNCTION or PID:FUNCTION",
                         o->operands[o->noperands - 1], "one piece of code is asked for");
    if (access(text, F_OK) == 0 || !colon) {
        w->function = NULL;
        snprintf(w->file, sizeof w->file, "%s", text);
    } else if (digits && text + digits == colon && digits < sizeof w->pid) {
        snprintf(w->pid, sizeof w->pid, "%.*s", (int)digits, text);
    } else {
        snprintf(w->file, sizeof w->file, "%.*s", (int)(colon - text), text);
    }
    if (*w->pid && (o->pids || o->argv))
        return error_set(err, ERROR_USAGE, EINVAL, NULL, text,
                         "the process is named already: leave out -p, and the command");
    return 0;
}

/* What was watched. Free it with watched_free. */
struct watched {
    const struct source_ops *sources[SOURCES_MAX]; /* the engine borrows them */
    struct engine *engine;
    const struct snapshot *snap; /* of the whole time; NULL: nothing was watched */
};

/* Counts, and samples where a loop is asked for. */
static int watch_target(const struct options *o, struct hot_loop *loop, struct watched *w,
                        struct error *err)
{
    struct engine_config config = {.interval_s = 1, .only_target = true, .sources = w->sources};
    int rc = options_target(o, &config.target, err);
    if (rc != 0)
        return rc;
    choose_port_sources(w->sources);
    config.target.spool_output = false;
    config.target.sets = SETS_PORTS;
    if (loop)
        config.sampling =
            (struct sampling){.on = true, .callgraph = CALLGRAPH_NONE, .patient = true};
    w->engine = engine_new(&config);
    w->snap = count_once(w->engine, o, err);
    if (w->snap && loop)
        hot_loop_weigh(loop, w->snap->stacks);
    target_free(&config.target);
    return w->snap ? 0 : -EIO;
}

static void watched_free(struct watched *w)
{
    snapshot_unref(w->snap);
    if (w->engine)
        engine_free(w->engine);
}

static int find_wished_loop(struct hot_loop *loop, struct options *o, struct code_wish *w,
                            struct error *err)
{
    int rc = parse_wish(w, o, err);
    if (rc != 0)
        return rc;
    if (!*w->pid)
        return hot_loop_find(loop, w->file, w->function, err);
    long pid = strtol(w->pid, NULL, 10); /* LONG_MAX where it is larger */
    if (pid < 1 || pid > INT32_MAX)
        return error_set(err, ERROR_TARGET, ESRCH, "the process list of rooftop shows what runs",
                         o->operands[0], "there is no process %s", w->pid);
    o->pids = w->pid;
    return hot_loop_of_process(loop, (pid_t)pid, w->function, err);
}

struct ports_options {
    long loop;        /* number, from 1; 0: the hot one */
    const char *mcpu; /* NULL: this machine's */
};

/* A signal ended what was watched; another one ends the runs of llvm-mca. What is known by then is
 * printed. */
static int model_loop(struct hot_loop *loop, const struct ports_options *own, struct error *err)
{
    const struct watch until_signal = {signals_none, NULL}, *before = watch_set(&until_signal);
    signals_caught = 0;
    int rc = hot_loop_model(loop, own->loop, own->mcpu, err);
    watch_set(before);
    return rc;
}

static int ports_of(struct options *o, struct hot_loop *loop, int out_fd, struct error *err)
{
    struct watched w = {0};
    int rc = 0, wait_status = 0;
    if (!loop || o->pids || o->argv)
        rc = watch_target(o, loop, &w, err);
    if (rc == 0 && loop)
        rc = model_loop(loop, o->own, err);
    if (rc == 0)
        rc = write_ports_report(o, w.snap, loop, out_fd, err);
    if (rc == EXIT_DONE && o->argv && o->for_s <= 0 &&
        engine_command_status(w.engine, &wait_status) == 0)
        rc = exit_of_wait_status(wait_status);
    watched_free(&w);
    return rc;
}

static int lab_ports_run(struct options *o)
{
    struct error err = ERROR_INIT;
    struct hot_loop loop = {0};
    struct code_wish wish;
    int out_fd = o->argv && !o->output ? output_own_stdout() : STDOUT_FILENO;
    signals_catch(false);
    int rc = o->noperands ? find_wished_loop(&loop, o, &wish, &err) : 0;
    bool found = rc == 0;
    if (found)
        rc = ports_of(o, o->noperands ? &loop : NULL, out_fd, &err);
    hot_loop_free(&loop);
    if (rc >= 0)
        return rc;
    return found && o->argv ? exit_report_command(&err) : exit_report(&err);
}

static const struct command_option options[] = {
    TAKES(PID),
    TAKES(CHILDREN),
    TAKES(CGROUP),
    TAKES(CPU),
    TAKES_AS(FOR, .help = "count for this time, 1 s unless given; a command is counted until it "
                          "ends, and is asked to end after this time"),
    OWN(.section = "Code", .name = "loop", OWN_AT(ports_options, loop), .type = OPTION_INT,
        .arg = "N", .min = 1, .max = 1024,
        .help = "model this loop of the function, counted from 1, in place of the hot one"),
    OWN(.section = "Code", .name = "mcpu", OWN_AT(ports_options, mcpu), .type = OPTION_STRING,
        .arg = "CORE",
        .help = "model this core, as LLVM names it: znver4, sapphirerapids, neoverse-v2; the one "
                "of this machine unless given"),
    TAKES_AS(FORMAT, .choices = "text|json|csv"),
    TAKES(BRIEF),
    TAKES(OUTPUT),
    TAKES_GENERAL,
};

const struct command command_lab_ports = {
    .name = "lab ports",
    .summary = "what fills the pipes and ports of the cores, counted, and predicted for a hot loop",
    .usage = "rooftop lab ports [--brief] [OPTION...] [FILE | FILE:FUNCTION | PID:FUNCTION] "
             "[-- COMMAND [ARGUMENT...]]",
    .run = lab_ports_run,
    .files = true,
    .starts = true,
    .options = options,
    .examples = EXAMPLES(
        {"rooftop lab ports", "this machine, for a second"},
        {"rooftop lab ports -- ./kernel", "a command, until it ends"},
        {"rooftop lab ports -p 4711 --for 10s --format json",
         "a process, for ten seconds, for a script"},
        {"rooftop lab ports kernel.o:axpy", "the hot loop of a function, as llvm-mca models it"},
        {"rooftop lab ports 4711:axpy",
         "the same in a running process, with samples and counters beside it"}),
    .exits = EXITS({.code = EXIT_INPUT,
                    .text = "no such file, function, or loop in it; the file is no ELF file"},
                   {.code = EXIT_UNSUPPORTED,
                    .text = "nothing of it can be counted here, or modelled (llvm-mca is not "
                            "installed); the document says why"}),
};
