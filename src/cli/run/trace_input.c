#include "cli/run/trace_input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/env.h"
#include "base/print.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/nearby.h"
#include "cli/run/otlp_output.h"
#include "cli/run/progress.h"
#include "cli/run/progress_note.h"
#include "cli/run/signals.h"
#include "engine/bricks/bricks.h"
#include "engine/live/engine.h"
#include "engine/live/source.h"
#include "engine/summary/subject.h"
#include "export/otlp/otlp_graph.h"
#include "tui/term/term.h"

enum { SOURCES_MAX = 8, POLL_MS = 100, LOOK_MS = 50, GRACE_S = 5, NAME_BYTES = 160 };

/* Only the sources that find programs and follow them: nothing is counted. */
static void choose_trace_sources(const struct source_ops *list[SOURCES_MAX])
{
    static const char *const wanted[] = {"command", "proc", "usdt", "brick"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t k = 0; backends[k]; k++)
            if (strcmp(backends[k]->name, wanted[i]) == 0)
                list[n++] = backends[k];
    list[n] = NULL;
}

/* The command's output must not mix with the document: it goes to stderr, unless the document has
 * a file. */
static void move_trace_stdout(struct trace_input *in, const struct options *o)
{
    in->out_fd = STDOUT_FILENO;
    if (!o->argv || o->output)
        return;
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return;
    in->out_fd = fd;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* The command that the user asked for. A traced command may be started by another one. */
static const char *join_asked_command(const struct options *o, const struct snapshot *s, char *out,
                                      size_t size)
{
    size_t n = 0;
    if (!o->argv)
        return s->target;
    for (char **word = o->argv; *word && n < size; word++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " " : "", *word);
    return out;
}

/* No file and no program is named, and no program of this host records bricks. */
static int refuse_without_file(const struct options *o, struct error *err)
{
    const bool any = strcmp(o->command, "report") == 0; /* which sums everything up */
    const bool attaches = command_option_find(command_named(o->command), "pid", 0) >= 0;
    char wanted[128], help[320];
    snprintf(wanted, sizeof wanted, "name a profile, or a program that records them: %s-- COMMAND",
             attaches ? "-p PID, or " : "");
    return error_set(err, ERROR_USAGE, EINVAL,
                     nearby_profiles(wanted, any ? nearby_any : nearby_calls, help, sizeof help),
                     o->words, "no file is named, and no program here records bricks");
}

static int refuse_without_bricks(const struct options *o, const struct snapshot *s,
                                 struct error *err)
{
    char name[NAME_BYTES];
    if (!o->argv && !o->pids && !o->usdt)
        return refuse_without_file(o, err);
    return error_set(err, ERROR_TARGET, ENOENT,
                     o->syscalls ? "link it with librooftop and start bricks in it "
                                   "(docs/BRICKS.md), or take --ranges; rooftop trace shows system "
                                   "calls without bricks"
                                 : "link it with librooftop and start bricks in it "
                                   "(docs/BRICKS.md), or take --ranges or --usdt",
                     join_asked_command(o, s, name, sizeof name), "no bricks were recorded");
}

static int read_programs(struct trace_input *in, const struct options *o, const struct snapshot *s,
                         struct error *err)
{
    const struct bricks *b = s->bricks;
    for (size_t i = 0; !b && i < s->nnotices; i++)
        if (strncmp(s->notices[i].id, "usdt.", 5) == 0 ||
            strcmp(s->notices[i].id, "brick.owner") == 0 ||
            strcmp(s->notices[i].id, "brick.place") == 0)
            return error_set(err, ERROR_TARGET, ENOENT, s->notices[i].help, s->target, "%s",
                             s->notices[i].text);
    if (!b)
        return refuse_without_bricks(o, s, err);
    in->paths = xcalloc(b->nprograms, sizeof *in->paths);
    for (; in->npaths < b->nprograms; in->npaths++)
        in->paths[in->npaths] = xstrdup(b->programs[in->npaths].path);
    in->trace.wanted = progress_wanted();
    int rc = trace_open(&in->trace, (const char *const *)in->paths, in->npaths, err);
    in->trace.wanted = NULL;
    return rc;
}

/* Takes a sample, and passes its processes on if spans are sent. */
static const struct snapshot *take_trace_sample(const struct trace_input *in, struct engine *e,
                                                const struct options *o, struct error *err)
{
    const struct snapshot *s = engine_step(e, err);
    if (s && in->otlp)
        otlp_output_look(in->otlp, o, s);
    return s;
}

/* Sleeps until the command ends, a signal comes, or ms have passed. */
static void wait_for_command(int pidfd, int ms)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    poll(&p, 1, ms);
}

/* --- progress --- */

struct watching {
    struct progress_note line;
    uint64_t began_ns, until_ns; /* engine clock; UINT64_MAX: no limit */
    bool told;                   /* the command was asked to end, because --for is over */
};

static void watch_begin(struct watching *w, const struct options *o)
{
    *w = (struct watching){.began_ns = env_now_ns(), .until_ns = UINT64_MAX};
    progress_note_begin(&w->line);
    if (o->for_s > 0)
        w->until_ns = w->began_ns + (uint64_t)(o->for_s * 1e9);
}

static void print_status(struct watching *w, const struct options *o, const struct snapshot *s)
{
    char text[400], name[NAME_BYTES];
    uint64_t spans = 0, tokens = 0;
    for (uint32_t i = 0; s->bricks && i < s->bricks->nprograms; i++) {
        spans += s->bricks->programs[i].spans;
        tokens += s->bricks->programs[i].tokens;
    }
    size_t n = print_line(text, sizeof text, "%.40s: %.0f s, %llu spans of bricks",
                          join_asked_command(o, s, name, sizeof name),
                          (double)(env_now_ns() - w->began_ns) / 1e9, (unsigned long long)spans);
    if (tokens)
        n += print_line(text + n, sizeof text - n, ", %llu tokens", (unsigned long long)tokens);
    print_line(text + n, sizeof text - n, "; ^C ends it");
    progress_note_show(&w->line, text);
}

static bool is_trace_time_over(const struct watching *w)
{
    return env_now_ns() >= w->until_ns;
}

/* Whether to stop waiting for the command. When --for is over, it is asked to end and gets GRACE_S
 * seconds. */
static bool end_command(struct watching *w, struct engine *e)
{
    if (!is_trace_time_over(w) || w->told)
        return is_trace_time_over(w);
    w->told = true;
    w->until_ns = env_now_ns() + GRACE_S * UINT64_C(1000000000);
    engine_signal_command(e, SIGTERM);
    return false;
}

static const struct snapshot *run_traced_command(struct trace_input *in, struct engine *e,
                                                 const struct options *o, struct error *err)
{
    struct watching w;
    watch_begin(&w, o);
    const struct snapshot *s = take_trace_sample(in, e, o, err);
    int pidfd = s && s->command.pid > 0 ? (int)syscall(SYS_pidfd_open, s->command.pid, 0) : -1;
    while (s && s->command.running && !end_command(&w, e)) {
        wait_for_command(pidfd, POLL_MS);
        if (signals_caught) { /* the signal is for the command, which may end in its own way; its
                                 bricks are still read */
            engine_signal_command(e, signals_caught);
            signals_caught = 0;
        }
        snapshot_unref(s);
        s = take_trace_sample(in, e, o, err);
        if (s)
            print_status(&w, o, s);
    }
    progress_note_end(&w.line);
    if (pidfd >= 0)
        close(pidfd);
    if (s) /* a command that was asked to end has not failed, whatever its status */
        in->command_status = w.told ? 0 : s->command.wait_status;
    return s;
}

/* Watches a running program until --for is over. */
static const struct snapshot *watch_for(const struct trace_input *in, struct engine *e,
                                        const struct options *o, struct error *err)
{
    struct watching w;
    watch_begin(&w, o);
    const struct snapshot *s = take_trace_sample(in, e, o, err);
    while (s && !signals_caught && !s->target_gone && !is_trace_time_over(&w)) {
        wait_for_command(-1, POLL_MS);
        snapshot_unref(s);
        s = take_trace_sample(in, e, o, err);
        if (s)
            print_status(&w, o, s);
    }
    progress_note_end(&w.line);
    return s;
}

/* Prints a problem with the probes at once: otherwise the user would wait for probes that never
 * fire. */
static bool print_probe_trouble(const struct snapshot *s)
{
    char line[512];
    for (size_t i = 0; i < s->nnotices; i++) {
        const struct notice *n = &s->notices[i];
        if (n->level != NOTICE_WARN || strncmp(n->id, "usdt.", 5) != 0)
            continue;
        snprintf(line, sizeof line, "%s: %s; they are waited for until ^C", s->target, n->text);
        exit_note(line);
        return true;
    }
    return false;
}

/* Watches probes until a signal comes, the target has ended, or --for is over. Unlike bricks,
 * probes have recorded nothing before. */
static const struct snapshot *watch_probes(const struct trace_input *in, struct engine *e,
                                           const struct options *o, struct error *err)
{
    struct watching w;
    watch_begin(&w, o);
    const struct snapshot *s = take_trace_sample(in, e, o, err);
    bool said = false;
    while (s && !signals_caught && !s->target_gone && !is_trace_time_over(&w)) {
        said = said || print_probe_trouble(s);
        wait_for_command(-1, POLL_MS);
        snapshot_unref(s);
        s = take_trace_sample(in, e, o, err);
    }
    return s;
}

static int follow_input(struct trace_input *in, const struct options *o, struct error *err)
{
    const struct source_ops *sources[SOURCES_MAX];
    struct engine_config config = {.interval_s = 1, .sources = sources};
    config.bricks = in->otlp ? otlp_output_stream(in->otlp, o, true) : NULL;
    int rc = options_target(o, &config.target, err);
    if (rc != 0)
        return rc;
    choose_trace_sources(sources);
    config.target.spool_output = false;
    trace_syscalls_prepare(&in->syscalls, &config);
    struct engine *e = engine_new(&config);
    const struct snapshot *s;
    if (o->argv)
        s = run_traced_command(in, e, o, err);
    else if (o->usdt)
        s = watch_probes(in, e, o, err);
    else if (o->for_s > 0)
        s = watch_for(in, e, o, err);
    else
        s = take_trace_sample(in, e, o, err);
    rc = s ? trace_syscalls_end(&in->syscalls, err) : -EIO;
    rc = rc == 0 ? read_programs(in, o, s, err) : rc;
    snapshot_unref(s);
    engine_free(e);
    target_free(&config.target);
    return rc;
}

/* Ranks that recorded themselves left summaries and sessions, which have no spans. */
static int refuse_job_without_profiles(const char *path, struct error *err)
{
    return error_set(err, ERROR_INPUT, ENODATA,
                     "if it still runs, ask again when its ranks have ended; else record again "
                     "with `rooftop job --mpi`, or let the ranks' profiler write into the folder "
                     "that the variable ROOFTOP_RANK_FOLDER names to each; rooftop report ranks "
                     "tells what is there",
                     path, "no rank of this job that has ended recorded a profile or calls of MPI");
}

static int open_operands(struct trace_input *in, const struct options *o, struct error *err)
{
    int rc = progress_trace_open(&in->trace, (const char *const *)o->operands, o->noperands, err);
    if (rc == -ENODATA && o->noperands == 1 && subject_recognise(o->operands[0]) == SUBJECT_JOB)
        return refuse_job_without_profiles(o->operands[0], err);
    if (rc == 0 && strcmp(o->command, "report") != 0) /* which sums samples up */
        rc = progress_refuse_samples(&in->trace, o->operands[0], err);
    return rc;
}

int trace_input_open(struct trace_input *in, const struct options *o, struct otlp_output *otlp,
                     struct error *err)
{
    *in = (struct trace_input){.command_status = -1, .otlp = otlp};
    move_trace_stdout(in, o);
    if (o->noperands && (o->argv || o->pids || o->usdt))
        return error_set(err, ERROR_USAGE, EINVAL, "give one of them", o->operands[0],
                         "a file and a running program exclude each other");
    int rc = trace_syscalls_open(&in->syscalls, o, err);
    if (rc != 0)
        return rc;
    if (o->noperands) {
        rc = open_operands(in, o, err);
    } else {
        signals_catch(false);
        rc = follow_input(in, o, err);
    }
    return rc == 0 ? trace_syscalls_count(&in->syscalls, &in->trace, err) : rc;
}

void trace_input_free(struct trace_input *in)
{
    if (in->trace.sums)
        trace_free(&in->trace);
    for (size_t i = 0; i < in->npaths; i++)
        free(in->paths[i]);
    free(in->paths);
    trace_syscalls_close(&in->syscalls);
    if (in->out_fd > 2)
        close(in->out_fd);
}

bool trace_ascii(const struct options *o)
{
    return o->ascii || (!o->utf8 && !term_utf8());
}

/* Prints notes about what could not be read or joined: on stderr, not in the document. */
static void print_notes(const struct trace *t)
{
    for (uint32_t i = 0; i < t->nnotes; i++)
        exit_note(t->notes[i]);
}

static int print_trace_document(const struct trace_input *in, const struct options *o,
                                trace_write write, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    int rc = f ? write(f, in, o, err)
               : error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    if (f)
        fclose(f);
    if (rc == 0)
        rc = output_document(o->output, in->out_fd, text, len, err);
    free(text);
    return rc;
}

/* Sends the spans of files. The trace's key is known only after they were read. */
static int send_file(struct otlp_output *x, const struct options *o, const struct trace_input *in,
                     struct error *err)
{
    const int rc = otlp_output_open(x, o, otlp_graph_service(&in->trace), false,
                                    otlp_graph_key(&in->trace), err);
    return rc != 0 ? rc : otlp_output_trace(x, &in->trace, err);
}

int trace_command(struct options *o, trace_write write)
{
    struct error err = ERROR_INIT, sending = ERROR_INIT;
    struct trace_input in = {.command_status = -1};
    struct otlp_output otlp = {.open = false};
    const bool live = o->argv || o->pids || o->usdt;
    /* before a command is started, whose environment gets the trace's identifier */
    int rc = live ? otlp_output_open(&otlp, o, otlp_output_service(o), true, 0, &err) : 0;
    if (rc == 0)
        rc = trace_input_open(&in, o, live ? &otlp : NULL, &err);
    print_notes(&in.trace);
    if (rc == 0)
        rc = print_trace_document(&in, o, write, &err);
    if (rc == 0 && !live)
        rc = send_file(&otlp, o, &in, &err);
    const int sent = otlp_output_end(&otlp, &sending);
    if (rc == 0 && sent != 0) {
        err = sending;
        rc = sent;
    }
    int status = in.command_status;
    trace_input_free(&in);
    if (rc != 0)
        return o->argv && status < 0 ? exit_report_command(&err) : exit_report(&err);
    return status >= 0 ? exit_of_wait_status(status) : EXIT_DONE;
}
