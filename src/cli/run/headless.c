#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/dashboard.h"
#include "cli/run/run_impl.h"
#include "cli/run/otlp_output.h"
#include "cli/run/signals.h"
#include "engine/compare/run_gather.h"
#include "engine/functions/hot_profile.h"
#include "engine/functions/hot_sum.h"
#include "tui/term/term.h"

enum { DEFAULT_COLS = 120, DEFAULT_ROWS = 40, GRACE_S = 5 };

struct headless {
    struct options *o;
    struct screen screen;
    struct output out;
    struct recorder recorder;         /* of frames.session */
    const struct record_watch *watch; /* NULL: nobody looks on */
    bool lost;                        /* the session cannot be written any more */
    struct frames frames;
    struct engine *engine;
    struct syscalls_watch *syscalls; /* NULL: --view syscalls was not asked for */
    int out_fd;                      /* where documents are written; not always fd 1 */
    int pidfd;                       /* pidfd of the command; -1 = none */
    bool command_over;
    int forwarded; /* the signal that was passed on to the command; 0 = none */
    bool still_running;
    int command_status;
    struct run_gather *gather; /* numbers of the current run; NULL: no command */
    struct runs runs;          /* runs that have ended */
    uint64_t until_ns;         /* end of --for, engine clock; UINT64_MAX: no limit */
    struct otlp_output otlp;   /* not open: no --otlp */
    bool told_to_end;          /* the command was asked to end, because --for is over */
};

struct file_run {
    struct headless *r;
    size_t seen, want;
    int rc;
    struct error *err;
};

/* --- waiting --- */

/* Sleeps until the deadline (engine clock), a signal, or the end of the command. Meanwhile spans
 * are sent as they end. */
static void wait_for_next_frame(struct headless *r, uint64_t deadline)
{
    struct pollfd fds[2] = {{.fd = signals_fd(), .events = POLLIN},
                            {.fd = r->pidfd, .events = POLLIN}};
    while (!signals_caught && !r->command_over) {
        uint64_t now = env_now_ns();
        if (now >= deadline)
            return;
        const bool follows = r->otlp.open && deadline - now > ENGINE_FOLLOW_NS;
        const uint64_t ns = follows ? ENGINE_FOLLOW_NS : deadline - now;
        struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
        int n = ppoll(fds, 2, !follows && deadline == UINT64_MAX ? NULL : &t, NULL);
        if (n > 0 && fds[1].revents)
            r->command_over = true;
        if (follows && n == 0)
            engine_follow(r->engine);
    }
    signals_heard();
}

/* Passes a signal on to the command, which may then end in its own way and is still measured. */
static bool pass_on_signal(struct headless *r)
{
    if (!signals_caught || r->pidfd < 0 || r->command_over || (r->forwarded && !r->watch))
        return false;
    r->forwarded = signals_caught;
    signals_caught = 0;
    engine_signal_command(r->engine, r->forwarded);
    if (r->watch)
        r->watch->told(r->watch->ctx, r->forwarded);
    return true;
}

/* --- frames --- */

/* Whether one document covers the whole run of the command. */
static bool whole_run(const struct headless *r)
{
    return r->o->argv && !r->o->frames && !frame_is_stream(r->frames.format);
}

static uint64_t next_deadline(const struct headless *r, uint64_t previous)
{
    /* without a pidfd, only a sample shows that the command has ended */
    if (whole_run(r) && r->pidfd >= 0)
        return UINT64_MAX;
    return previous + (uint64_t)(app_interval(r->screen.app) * 1e9);
}

static bool command_ended(const struct snapshot *s)
{
    return s->command.pid > 0 && !s->command.running;
}

/* Whether --for is over. A command is first asked to end and gets GRACE_S seconds for it. */
static bool is_headless_time_over(struct headless *r)
{
    if (env_now_ns() < r->until_ns)
        return false;
    if (!r->o->argv || r->told_to_end)
        return true;
    r->told_to_end = true;
    r->until_ns = env_now_ns() + GRACE_S * UINT64_C(1000000000);
    engine_signal_command(r->engine, SIGTERM);
    return false;
}

static bool last_run(const struct headless *r)
{
    return r->runs.n + 1 >= (size_t)r->o->repeat;
}

/* Adds a sample to the current run. When the command has ended, the run joins the finished ones. */
static void gather_sample(struct headless *r, const struct snapshot *s)
{
    if (!r->gather)
        return;
    run_gather_add(r->gather, s);
    if (!run_gather_over(r->gather))
        return;
    run_gather_end(r->gather, runs_add(&r->runs));
    r->gather = NULL;
    r->frames.runs = &r->runs;
}

static void tell_session_lost(struct headless *r, const struct error *err)
{
    if (!r->lost)
        r->watch->lost(r->watch->ctx, err);
    r->lost = true;
}

/* Writes a frame. While somebody looks on, a full disk ends the session and not the command. */
static int write_sample(struct headless *r, const struct snapshot *s, bool last, struct error *err)
{
    int rc = r->lost ? 0 : frames_write(&r->frames, s, last, err);
    if (r->watch)
        r->watch->see(r->watch->ctx, s);
    if (rc == 0 || !r->watch)
        return rc;
    tell_session_lost(r, err);
    return 0;
}

/* Whether a frame is written: of several runs, documents and pictures show the last. */
static bool is_written(const struct headless *r, bool over, bool last)
{
    return (over && last) || !whole_run(r);
}

/* The newest picture of the trace, for a frame that is written now. After the last frame nothing is
 * traced any more. */
static void take_syscalls(struct headless *r, bool over, bool ended)
{
    enum { END_MS = 10000 };
    if (!r->syscalls)
        return;
    if (over && !ended)
        syscalls_watch_stop(r->syscalls);
    if (over)
        syscalls_watch_wait(r->syscalls, END_MS);
    run_syscalls_poll(r->syscalls, r->screen.app);
}

static int sample_loop(struct headless *r, struct error *err)
{
    /* opens the sources; rates need a second sample */
    const struct snapshot *s = engine_step(r->engine, err);
    if (!s)
        return -EIO;
    if (s->command.pid > 0)
        r->pidfd = (int)syscall(SYS_pidfd_open, s->command.pid, 0);
    gather_sample(r, s);
    int rc = r->frames.session ? write_sample(r, s, false, err) : 0;
    bool started = !r->o->argv || s->command.pid > 0;
    uint64_t deadline = next_deadline(r, s->time_ns);
    snapshot_unref(s);
    if (!started) /* its end would never come */
        return error_set(err, ERROR_INTERNAL, ECHILD, NULL, r->o->argv[0], "it was not started");
    bool until_ended = r->o->argv || r->frames.session;
    long want = until_ended ? 0 : 1;
    if (r->o->frames)
        want = r->o->frames;
    for (bool over = false; rc == 0 && !over;) {
        wait_for_next_frame(r, deadline < r->until_ns ? deadline : r->until_ns);
        if (pass_on_signal(r))
            continue;
        bool late = is_headless_time_over(r);
        if (!late && env_now_ns() < deadline && !r->command_over && !signals_caught)
            continue; /* the command was just asked to end */
        if (signals_caught && !(r->o->argv && (r->forwarded || r->watch)))
            break;
        s = engine_step(r->engine, err);
        if (!s)
            return -EIO;
        /* the command source has not seen the end yet: ask it at each tick */
        if (r->command_over && !command_ended(s)) {
            close(r->pidfd);
            r->pidfd = -1;
            r->command_over = false;
        }
        bool last = last_run(r);
        gather_sample(r, s);
        over = command_ended(s) || signals_caught || late ||
               (want && r->frames.written + 1 >= want) ||
               (s->target_kind == TARGET_PIDS && s->target_gone);
        take_syscalls(r, over, command_ended(s) || s->target_gone);
        if (is_written(r, over, last || signals_caught))
            rc = write_sample(r, s, over && last, err);
        if (r->frames.session)
            record_show(&r->recorder, s, (uint64_t)r->frames.written);
        otlp_output_look(&r->otlp, r->o, s);
        deadline = next_deadline(r, deadline == UINT64_MAX ? s->time_ns : deadline);
        snapshot_unref(s);
    }
    return rc;
}

/* --- setting up --- */

static void choose_size(struct headless *r)
{
    int cols = r->o->size_cols, rows = r->o->size_rows;
    struct winsize ws;
    if (cols == 0 && isatty(r->out_fd) && !r->o->output && ioctl(r->out_fd, TIOCGWINSZ, &ws) == 0 &&
        ws.ws_col > 0 && ws.ws_row > 1) {
        cols = ws.ws_col;
        rows = ws.ws_row - 1; /* leave a line for the prompt */
    }
    canvas_resize(&r->screen.canvas, cols ? cols : DEFAULT_COLS, rows ? rows : DEFAULT_ROWS);
}

static enum color_depth choose_depth(const struct headless *r)
{
    /* the user asked for --format ansi in a pipe: TERM says nothing about the reader */
    if (strcmp(r->o->color, "auto") == 0 && !isatty(r->out_fd))
        return env_get("NO_COLOR") ? DEPTH_NONE : DEPTH_TRUE;
    return term_depth(r->o->color);
}

/* Whether samples go to a session. */
static bool is_recording(const struct headless *r)
{
    return r->watch || strcmp(r->o->command, "record") == 0;
}

/*
 * The command writes to stderr, so that stdout contains only our document, or the short answer
 * about a recording; with -o it keeps both.
 * The command inherits fd 1, so our own output moves to another descriptor.
 */
static void move_headless_stdout(struct headless *r)
{
    r->out_fd = STDOUT_FILENO;
    const bool records = is_recording(r);
    const bool brief = !r->watch && options_brief(r->o);
    const bool elsewhere = records ? !brief : r->o->output != NULL;
    if (!r->o->argv || elsewhere)
        return;
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd < 0)
        return;
    r->out_fd = fd;
    dup2(STDERR_FILENO, STDOUT_FILENO);
}

/* Writes the frames of a session: a stream has all of them; a document has the last one, or the
 * first N. */
static bool write_session_frame(void *ctx, const struct snapshot *s)
{
    struct file_run *f = ctx;
    struct frames *frames = &f->r->frames;
    bool stream = frame_is_stream(frames->format) || frame_is_stacks(frames->format);
    bool last = ++f->seen == f->want, wanted = stream || f->r->o->frames || last;
    app_set_interval(f->r->screen.app, s->asked_interval_s);
    if (wanted)
        f->rc = frames_write(frames, s, last, f->err);
    else
        app_update(f->r->screen.app, s);
    return f->rc == 0 && !signals_caught;
}

/* --view summary, or --brief, of a session: what all of it says, whichever frame is written. */
static void find_session_summary(struct headless *r, struct recording *past)
{
    struct error ignored = ERROR_INIT;
    const char *view = r->o->view;
    const bool shown = view && strcmp(view, "summary") == 0;
    if ((shown || options_brief(r->o)) &&
        opening_subject(&r->screen.opened, r->o->operands[0], past, &ignored) == 0)
        app_set_opened(r->screen.app, r->screen.opened);
}

static int file_loop(struct headless *r, struct error *err)
{
    static const struct watch watch = {signals_none, NULL};
    struct recording *past;
    const struct watch *before = watch_set(&watch);
    int rc = session_open(&past, r->o->operands[0], err);
    watch_set(before);
    if (rc != 0)
        return rc == -ECANCELED ? 0 : rc; /* interrupted by a signal, which also ends the process */
    if (past->note)
        exit_note(past->note);
    app_set_playback(r->screen.app);
    find_session_summary(r, past);
    size_t n = recording_count(past), want = r->o->frames ? (size_t)r->o->frames : n;
    struct file_run f = {.r = r, .want = want < n ? want : n, .err = err};
    rc = recording_scan(past, 0, f.want, RECORDING_ALL, write_session_frame, &f, err);
    recording_free(past);
    return rc != 0 ? rc : f.rc;
}

/* Writes what an opened file says, as a snapshot in which nothing of this machine is. */
static int file_document(struct headless *r, struct error *err)
{
    struct host *host = host_new();
    struct snapshot *s = snapshot_new(host);
    s->seq = 1; /* it is the only one */
    s->target = r->o->operands[0];
    if (r->screen.profile && r->screen.profile->trace.samples)
        s->stacks = &r->screen.profile->trace.samples->stacks;
    r->frames.whole = s->stacks;
    int rc = frames_write(&r->frames, s, true, err);
    snapshot_unref(s);
    host_unref(host);
    return rc;
}

/* Whether nothing is measured: the document is about the opened file only. */
static bool is_file_alone(const struct headless *r)
{
    const struct analysis *p = r->screen.profile;
    if (r->screen.target.kind != TARGET_HOST || (!p && !r->screen.att))
        return false;
    return r->o->brief || (p && (p->trace.samples || p->trace.syscalls));
}

static int live_loop(struct headless *r, struct error *err)
{
    struct engine_config config = screen_engine(&r->screen, r->o);
    int status = 0;
    int rc = 0;
    if (run_syscalls_asked(&r->screen, r->o))
        r->syscalls = syscalls_watch_new(r->o->by, r->o->stack);
    if (r->syscalls)
        syscalls_watch_feed(r->syscalls, r->screen.calls);
    if (r->syscalls && r->o->argv)
        run_syscalls_before(&config, r->syscalls);
    else if (r->syscalls)
        rc = run_syscalls_attach(r->syscalls, &r->screen.target, err);
    config.bricks = otlp_output_stream(&r->otlp, r->o, false);
    r->engine = engine_new(&config);
    r->until_ns = r->o->for_s > 0 ? env_now_ns() + (uint64_t)(r->o->for_s * 1e9) : UINT64_MAX;
    r->command_over = r->told_to_end = false;
    if (r->o->argv)
        r->gather = run_gather_new(false, r->screen.tables);
    rc = rc == 0 ? sample_loop(r, err) : rc;
    syscalls_watch_free(r->syscalls);
    r->syscalls = NULL;
    r->still_running = engine_command_status(r->engine, &status) < 0;
    if (r->command_status == 0) /* of several runs, the first failure counts */
        r->command_status = status;
    if (r->gather)
        run_gather_end(r->gather, runs_add(&r->runs)); /* the command has not ended */
    r->gather = NULL;
    engine_free(r->engine);
    if (r->pidfd >= 0)
        close(r->pidfd);
    r->pidfd = -1;
    return rc;
}

static int repeat_live_loop(struct headless *r, struct error *err)
{
    int rc = 0;
    for (long i = 0; i < r->o->repeat && rc == 0 && !signals_caught && !r->forwarded; i++)
        rc = live_loop(r, err);
    return rc;
}

/* Adds the summary of the command's run below the picture. */
static int write_summary(struct headless *r, struct error *err)
{
    char *text = NULL;
    size_t len = 0;
    bool picture = r->frames.format == FRAME_TEXT || r->frames.format == FRAME_ANSI;
    if (!picture || !r->runs.n || !r->runs.list[0].exact)
        return 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "print", "%s", strerror(errno));
    summary_text(f, &r->runs, r->screen.ascii);
    fclose(f);
    int rc = output_write(&r->out, text, len, err);
    free(text);
    return rc;
}

/* Whether a snapshot can say what was opened: a session, sampled stacks, system calls, the list of
 * captures; else it would be one of this host, whatever was opened. */
static bool is_snapshot_of_file(const struct headless *r)
{
    const struct analysis *p = r->screen.profile;
    if (screen_plays(r->o) || screen_replay_list(&r->screen))
        return true;
    return p && (p->trace.samples || p->trace.syscalls);
}

static int check_frame_format(const struct headless *r, enum frame_format format, struct error *err)
{
    const bool numbers = format == FRAME_JSON || format == FRAME_JSONL || format == FRAME_CSV;
    if (!r->o->noperands || r->screen.target.kind != TARGET_HOST)
        return 0;
    if (format == FRAME_OPENMETRICS && !screen_plays(r->o))
        return error_set(err, ERROR_USAGE, ENOTSUP, "rooftop report --format json FILE",
                         r->o->operands[0], "openmetrics has the numbers of a host or a session");
    if (numbers && !is_snapshot_of_file(r))
        return error_set(err, ERROR_USAGE, ENOTSUP,
                         format == FRAME_CSV ? "rooftop report --format csv FILE"
                                             : "rooftop report --format json FILE",
                         r->o->operands[0], "%s has the numbers of a host or a session",
                         r->o->format);
    return 0;
}

static int open_frame_output(struct headless *r, struct error *err)
{
    enum frame_format format = frame_format_of(r->o->format);
    if (r->o->brief)
        format = FRAME_BRIEF;
    if (is_recording(r))
        format = FRAME_SESSION;
    if (check_frame_format(r, format, err) != 0)
        return -EINVAL;
    r->frames = (struct frames){.format = format,
                                .depth = choose_depth(r),
                                .several = r->o->frames > 1,
                                .screen = &r->screen,
                                .options = r->o,
                                .out = &r->out};
    if (format == FRAME_SESSION) {
        const int rc = record_open(&r->recorder, r->o, err);
        r->recorder.silent = r->watch != NULL;
        r->frames.session = r->recorder.session;
        r->recorder.answer_fd = r->out_fd;
        return rc;
    }
    return output_open(&r->out, r->o->output, r->out_fd, frame_is_stream(format), err);
}

static int close_frame_output(struct headless *r, int rc, struct error *err)
{
    bool complete = rc == 0 && r->frames.written > 0;
    if (r->frames.session)
        return record_close(&r->recorder, r->o, rc, err);
    return output_close(&r->out, complete, err);
}

static int run_frames(struct headless *r, struct error *err)
{
    int rc = open_frame_output(r, err);
    if (rc != 0)
        return rc;
    choose_size(r);
    if (is_file_alone(r))
        rc = file_document(r, err);
    else
        rc = screen_plays(r->o) ? file_loop(r, err) : repeat_live_loop(r, err);
    if (rc == 0 && !r->lost)
        rc = frames_end(&r->frames, err);
    if (rc == 0)
        rc = write_summary(r, err);
    int closed = close_frame_output(r, rc, err);
    if (closed != 0 && rc == 0 && r->watch)
        tell_session_lost(r, err);
    else if (rc == 0)
        rc = closed;
    if (rc != 0)
        return rc;
    return r->o->argv && !r->still_running && !r->told_to_end
               ? exit_of_wait_status(r->command_status)
               : EXIT_DONE;
}

static int run_headless(struct options *o, const struct record_watch *watch)
{
    struct error err = ERROR_INIT;
    struct headless r = {.o = o, .pidfd = -1, .watch = watch};
    int rc = screen_open(&r.screen, o, &err);
    /* --run commands that a picture cannot carry out are refused, not ignored */
    if (rc == 0 && (r.screen.asked &
                    ~(unsigned)(APP_REDRAW | APP_REPAINT | APP_INTERVAL | APP_THEME | APP_ASCII)))
        rc = error_set(&err, ERROR_USAGE, EINVAL,
                       "open it without --headless; options do the rest: -p, -o, --theme", "--run",
                       "one of these commands changes more than the picture");
    if (rc == 0)
        rc = otlp_output_open(&r.otlp, o, otlp_output_service(o), true, 0, &err);
    if (rc == 0) {
        move_headless_stdout(&r);
        signals_catch(false);
        if (watch)
            signals_catch_more();
        rc = run_frames(&r, &err);
    }
    otlp_output_finish(&r.otlp);
    runs_free(&r.runs);
    hot_sum_free(r.frames.stacks);
    screen_close(&r.screen);
    if (r.pidfd >= 0)
        close(r.pidfd);
    if (rc < 0)
        return o->argv ? exit_report_command(&err) : exit_report(&err);
    if (signals_caught && !watch)
        return exit_by_signal(signals_caught);
    return rc;
}

int headless_run(struct options *o)
{
    return run_headless(o, NULL);
}

int headless_record(struct options *o, const struct record_watch *watch)
{
    return run_headless(o, watch);
}
