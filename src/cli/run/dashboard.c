#include "cli/run/dashboard.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "backends/processes/control.h"
#include "backends/processes/family.h"
#include "base/env.h"
#include "base/state_dir.h"
#include "base/watch.h"
#include "cli/options/command.h"
#include "cli/options/exit.h"
#include "cli/run/keyboard.h"
#include "cli/run/otlp_output.h"
#include "cli/run/output.h"
#include "cli/run/dashboard_job.h"
#include "cli/run/run_impl.h"
#include "cli/run/visit.h"
#include "engine/compare/run_gather.h"
#include "engine/fleet/fleet_run.h"
#include "engine/live/signals.h"
#include "tui/app/app_cost.h"
#include "tui/term/term.h"

enum {
    KEY_SUSPEND = 26, /* ^Z */
    PATIENCE_MS = 300,
    BATCH = 64, /* events taken before the picture is drawn again */
};

struct reloaded { /* options that were read again while the dashboard runs */
    struct options *o;
    struct reloaded *next;
};

struct dashboard {
    struct options *o; /* the options that were read last */
    struct reloaded *reloaded;
    struct screen screen;
    struct term *term;
    char opened[DASHBOARD_PATH]; /* the file that the user chose in a folder; "": none */
    dashboard_fill *fill;        /* NULL: nothing more is shown than what is watched or opened */
    const void *what;            /* given to fill */
    struct dashboard_capture *capture; /* NULL: --capture was not given */
    struct dashboard_job *job;         /* NULL: no folder of a job that runs is shown */
    struct engine *engine;             /* NULL while a session is played */
    struct syscalls_watch *syscalls;   /* NULL until something is traced */
    bool shown;                        /* a snapshot was shown */
    uint64_t clock_ns;                 /* when playing was advanced last */
    bool dirty, quit, hangup;
    int signo;
    struct run_gather *gather; /* totals of the command's run; NULL: no command */
    struct otlp_output otlp;   /* not open: no --otlp */
    struct watch watch;
    uint64_t key_ns; /* when the key came that is being handled */
    int typed;       /* keys that waited when PATIENCE_MS had passed since then; -1: it has not */
    int poll_fd;     /* readable when the engine or a job of the app has something */
};

/* --- drawing --- */

/* Records what this picture cost; the cost overlay shows it with the next picture. */
static void note_cost(struct dashboard *d, double draw_us, double send_us, long bytes)
{
    struct app_cost *c = app_cost(d->screen.app);
    struct term_link link;
    term_link(d->term, &link);
    cost_add(&c->draw_us[app_view(d->screen.app)], draw_us);
    if (bytes > 0) {
        cost_add(&c->send_us, send_us);
        cost_add(&c->bytes, (double)bytes);
    } else {
        c->unchanged++;
    }
    c->link_answers = link.answers;
    c->link_slow = link.slow;
    c->link_bytes_per_s = link.bytes_per_s;
    c->link_rtt_s = link.rtt_s;
    c->link_dropped = link.dropped;
}

static void present_dashboard(struct dashboard *d)
{
    int cols, rows;
    struct canvas *c = &d->screen.canvas;
    term_size(d->term, &cols, &rows);
    if (cols != c->cols || rows != c->rows)
        canvas_resize(c, cols, rows);
    uint64_t began = env_now_ns();
    app_draw(d->screen.app, c);
    uint64_t drawn = env_now_ns();
    long n = term_present(d->term, c, d->screen.theme);
    if (n < 0)
        d->hangup = true;
    note_cost(d, (double)(drawn - began) / 1e3, (double)(env_now_ns() - drawn) / 1e3, n);
    d->dirty = false;
    struct thread_wish wish;
    if (d->engine && app_threads_wanted(d->screen.app, &wish))
        engine_set_threads(d->engine, &wish);
}

static void tell_dashboard_failure(struct dashboard *d, const struct error *err)
{
    char text[1024];
    app_message(d->screen.app, true, error_format(err, text, sizeof text));
    d->dirty = true;
}

/* --- requests of the app --- */

static void save_output(struct dashboard *d)
{
    struct error err = ERROR_INIT;
    char text[256];
    const char *path = app_path(d->screen.app);
    if (!d->engine) {
        app_message(d->screen.app, true, "a session holds the end of the output only");
        return;
    }
    if (engine_save_output(d->engine, path, &err) != 0) {
        tell_dashboard_failure(d, &err);
        return;
    }
    snprintf(text, sizeof text, "wrote %.200s", path);
    app_message(d->screen.app, false, text);
}

/* Adds descendants if all children are wanted. If there are too many, those that fit are watched
 * and a message says how many are not. */
static void add_children(struct dashboard *d, struct target *t)
{
    char text[128];
    t->children = app_children(d->screen.app);
    t->nnamed = t->npids;
    size_t left = t->children == CHILDREN_ALL ? family_add(t) : 0;
    if (!left)
        return;
    snprintf(text, sizeof text, "%zu processes it started are not watched: more than %d", left,
             TARGET_MAX_PIDS);
    app_message(d->screen.app, true, text);
}

/* Watches what the user chose. again: the same processes, with another choice of children. */
static void watch_chosen_target(struct dashboard *d, bool again)
{
    struct target t = {.kind = TARGET_HOST};
    if (!d->engine) {
        app_message(d->screen.app, true, "this is a session: there is nothing live to watch");
        return;
    }
    pid_t pid = app_attach_pid(d->screen.app);
    if (pid > 0) {
        t.kind = TARGET_PIDS;
        target_add_pid(&t, pid);
        add_children(d, &t);
    } else if (again && d->screen.target.kind == TARGET_PIDS) {
        t.kind = TARGET_PIDS;
        for (size_t i = 0; i < d->screen.target.nnamed; i++)
            target_add_pid(&t, d->screen.target.pids[i]);
        add_children(d, &t);
    } else {
        t.cpus = d->screen.target.cpus;
    }
    t.event_spec = d->screen.target.event_spec;
    t.sets = d->screen.target.sets;
    t.usdt = d->screen.target.usdt;
    engine_retarget(d->engine, &t); /* copies the lists */
    free(t.pids);
}

/* Ends this dashboard for one about the session of a rank of the opened job. */
static void open_in_folder(struct dashboard *d)
{
    const char *key = app_open_key(d->screen.app);
    const struct subject *of = d->screen.opened;
    char text[256];
    const struct job_member *rank = of && of->job ? job_folder_find(of->job, key) : NULL;
    if (!rank)
        return;
    snprintf(d->opened, sizeof d->opened, "%.4000s/%.64s/" RANK_SESSION, of->job->path,
             rank->folder);
    if (access(d->opened, R_OK) == 0) {
        d->quit = true;
        return;
    }
    snprintf(text, sizeof text, "%.64s has no session that can be read: %s", key, strerror(errno));
    app_message(d->screen.app, true, text);
    d->opened[0] = '\0';
}

static void change_theme(struct dashboard *d)
{
    struct error err = ERROR_INIT;
    struct theme *t;
    if (theme_load(&t, app_theme(d->screen.app), &err) != 0) {
        tell_dashboard_failure(d, &err);
        return;
    }
    theme_free(d->screen.theme);
    d->screen.theme = t;
    term_repaint(d->term);
}

/* Copies a text to the terminal's clipboard, or to a file if it has none; a message shows it. */
static void copy_to_clipboard(struct dashboard *d)
{
    struct error err = ERROR_INIT;
    char text[512], dir[192], path[256];
    const char *copied = app_copied(d->screen.app);
    if (term_copy(d->term, copied) == 0) {
        snprintf(text, sizeof text, "copied for the terminal's clipboard: %.300s", copied);
    } else if (state_dir(dir, sizeof dir, NULL) && !app_readonly(d->screen.app)) {
        snprintf(path, sizeof path, "%s/copied", dir);
        state_dir_make(dir);
        if (output_file(path, copied, strlen(copied), &err) != 0) {
            tell_dashboard_failure(d, &err);
            return;
        }
        snprintf(text, sizeof text, "no clipboard here; written to %.200s: %.200s", path, copied);
    } else {
        snprintf(text, sizeof text, "no clipboard here: %.300s", copied);
    }
    app_message(d->screen.app, false, text);
}

/* Reads the configuration again and applies what can change while the dashboard runs. If it has a
 * mistake, nothing changes. The old options are kept until the end, because their texts are still
 * in use. */
static void reload_configuration(struct dashboard *d)
{
    static struct keymap before;
    struct error err = ERROR_INIT;
    struct app *app = d->screen.app;
    struct options *fresh = xcalloc(1, sizeof *fresh);
    keymap_save(&before);
    if (options_parse(fresh, d->o->argc, d->o->args, &err) != 0) {
        keymap_restore(&before);
        options_free(fresh);
        free(fresh);
        tell_dashboard_failure(d, &err);
        return;
    }
    struct reloaded *kept = xcalloc(1, sizeof *kept);
    *kept = (struct reloaded){.o = fresh, .next = d->reloaded};
    d->reloaded = kept;
    if (d->engine && fresh->interval_s != d->o->interval_s)
        engine_set_interval(d->engine, fresh->interval_s);
    if (fresh->interval_s != d->o->interval_s)
        app_set_interval(app, fresh->interval_s);
    app_set_readonly(app, fresh->readonly);
    app_set_presets(app, fresh->presets, fresh->npresets);
    app_set_theme(app, fresh->theme);
    change_theme(d);
    d->o = fresh;
    app_message(app, false, "configuration read again");
}

/* Says what was done to one process, or to how many. */
static void tell_done(struct dashboard *d, const struct app_control *k, size_t done)
{
    char text[128], name[SIGNAL_NAME_MAX], who[64];
    const struct app_controlled *one = &k->of[0];
    if (k->n == 1)
        snprintf(who, sizeof who, "%d %.40s", (int)one->pid, one->name);
    else
        snprintf(who, sizeof who, "%zu processes", done);
    if (k->kind == APP_CONTROL_SIGNAL)
        snprintf(text, sizeof text, "sent %s to %s", signal_name(one->value, name), who);
    else if (k->n == 1)
        snprintf(text, sizeof text, "%s has nice %d now", who, one->value);
    else
        snprintf(text, sizeof text, "the nice value of %s is changed", who);
    app_message(d->screen.app, false, text);
}

static void take_control(struct dashboard *d)
{
    struct error err = ERROR_INIT, why;
    const struct app_control *k = app_control(d->screen.app);
    size_t done = 0;
    if (k->kind == APP_CONTROL_NOTHING || !k->agreed || !d->engine)
        return;
    for (size_t i = 0; i < k->n; i++) {
        const struct app_controlled *p = &k->of[i];
        why = (struct error)ERROR_INIT;
        int rc = k->kind == APP_CONTROL_SIGNAL
                     ? control_signal(p->pid, p->start_ticks, p->value, &why)
                     : control_nice(p->pid, p->start_ticks, p->value, &why);
        done += rc == 0;
        if (rc != 0 && err.kind == ERROR_NONE) /* the other processes are handled all the same; the
                                                  first error is shown */
            err = why;
    }
    if (err.kind != ERROR_NONE)
        tell_dashboard_failure(d, &err);
    else
        tell_done(d, k, done);
    if (done)
        engine_wake(d->engine);
}

/* Turns sampling on or off, with the rate and call graph of the options. */
static void turn_sampling(struct dashboard *d, bool on)
{
    struct engine_config config = screen_engine(&d->screen, d->o);
    config.sampling.on = on;
    engine_set_sampling(d->engine, &config.sampling);
}

/* Adds a descriptor to poll_fd: the terminal waits for only one besides its own. */
static void watch_dashboard_fd(struct dashboard *d, int fd)
{
    struct epoll_event ev = {.events = EPOLLIN};
    if (d->poll_fd < 0)
        d->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (d->poll_fd >= 0 && fd >= 0)
        epoll_ctl(d->poll_fd, EPOLL_CTL_ADD, fd, &ev);
}

static void make_syscalls(struct dashboard *d)
{
    if (d->syscalls)
        return;
    d->syscalls = syscalls_watch_new(d->o->by, d->o->stack);
    syscalls_watch_feed(d->syscalls, d->screen.calls);
    watch_dashboard_fd(d, syscalls_watch_fd(d->syscalls));
}

static void trace_syscalls(struct dashboard *d)
{
    make_syscalls(d);
    run_syscalls_obey(d->syscalls, d->screen.app);
}

/* Opens a host in a rooftop that runs there: the terminal is its own until it ends. */
static void visit_host(struct dashboard *d)
{
    struct error err = ERROR_INIT;
    char **words = app_fleet(d->screen.app)
                       ? fleet_run_visit(app_fleet(d->screen.app), app_host(d->screen.app))
                       : NULL;
    if (!words) {
        app_message(d->screen.app, true, "what is known of this host is not from ssh or srun");
        return;
    }
    if (visit_in_terminal(d->term, words, &err) != 0)
        tell_dashboard_failure(d, &err);
    fleet_words_free(words);
    d->dirty = true;
}

static void obey_app_wishes(struct dashboard *d, unsigned asked)
{
    if (asked & APP_QUIT)
        d->quit = true;
    if ((asked & APP_INTERVAL) && d->engine)
        engine_set_interval(d->engine, app_interval(d->screen.app));
    if ((asked & APP_SAMPLING) && d->engine)
        turn_sampling(d, app_sampling(d->screen.app));
    if ((asked & APP_SYSCALLS) && d->engine)
        trace_syscalls(d);
    if (asked & (APP_ATTACH | APP_CHILDREN))
        watch_chosen_target(d, asked & APP_CHILDREN);
    if ((asked & APP_EVENT) && dashboard_count_event(&d->screen, d->engine != NULL))
        watch_chosen_target(d, true);
    if (asked & APP_WRITE)
        dashboard_write(&d->screen);
    if (asked & APP_SAVE_OUTPUT)
        save_output(d);
    if (asked & APP_SAVE)
        dashboard_save(&d->screen, d->o);
    if (asked & APP_THEME)
        change_theme(d);
    if (asked & APP_ASCII)
        d->screen.canvas.ascii = app_ascii(d->screen.app);
    if (asked & APP_COPY)
        copy_to_clipboard(d);
    if (asked & APP_RELOAD)
        reload_configuration(d);
    if (asked & APP_OPEN)
        open_in_folder(d);
    if ((asked & APP_GIVE_UP) && d->screen.opening)
        opening_give_up(d->screen.opening);
    if (asked & APP_CONTROL)
        take_control(d);
    if (asked & APP_CAPTURE)
        dashboard_capture_ask(d->capture, d->screen.app);
    if (asked & APP_HOST)
        visit_host(d);
    if (asked & APP_REPAINT)
        term_repaint(d->term);
    if (asked)
        d->dirty = true;
}

/* Carries out what --run left to the loop. */
static void obey_run(struct dashboard *d)
{
    if (d->screen.asked)
        obey_app_wishes(d, d->screen.asked & ~(unsigned)(APP_THEME | APP_ASCII | APP_INTERVAL));
    d->screen.asked = 0;
}

/* --- events --- */

static void suspend_dashboard(struct dashboard *d)
{
    run_syscalls_pause(d->syscalls);
    term_suspend(d->term);
    d->dirty = true;
}

/* Says when a collector begins to refuse spans, and when it takes them again. */
static void tell_sending(struct dashboard *d)
{
    char text[700];
    bool bad;
    if (otlp_output_news(&d->otlp, text, sizeof text, &bad))
        app_message(d->screen.app, bad, text);
}

/* Takes all snapshots of the engine. Returns -1 if it failed and no snapshot was ever shown, else
 * 0. */
static int take_snapshots(struct dashboard *d, struct error *err)
{
    const struct snapshot *s;
    while ((s = engine_take(d->engine))) {
        app_update(d->screen.app, s);
        if (d->gather && s->target_kind == TARGET_COMMAND)
            run_gather_add(d->gather, s);
        otlp_output_look(&d->otlp, d->o, s);
        tell_sending(d);
        snapshot_unref(s);
        d->shown = d->dirty = true;
    }
    if (!engine_failure(d->engine, err))
        return 0;
    if (!d->shown)
        return -1;
    tell_dashboard_failure(d, err);
    return 0;
}

static void watch_shown_job(struct dashboard *d)
{
    if (d->job)
        return;
    d->job = dashboard_job_new(&d->screen);
    if (d->job)
        watch_dashboard_fd(d, dashboard_job_fd(d->job));
}

static int take_opened_profile(struct dashboard *d, struct error *err)
{
    if (!d->screen.opening)
        return 0;
    /* the opening thread may keep the descriptor open after it has ended */
    epoll_ctl(d->poll_fd, EPOLL_CTL_DEL, opening_fd(d->screen.opening), NULL);
    int rc = screen_opening(&d->screen, d->o, err);
    watch_shown_job(d);
    d->dirty = true;
    if (d->screen.opening)
        watch_dashboard_fd(d, opening_fd(d->screen.opening));
    else
        obey_run(d);
    return rc;
}

/* While output waits to be sent, sends what a key has changed before what new data has changed.
 * The canvas still holds the previous picture. */
static void send_key_changes_first(struct dashboard *d)
{
    struct canvas *c = &d->screen.canvas, after;
    canvas_init(&after);
    canvas_resize(&after, c->cols, c->rows);
    app_draw(d->screen.app, &after);
    term_prioritise(d->term, c, &after);
    canvas_free(&after);
}

/* Whether a slow computation may go on. If it has taken PATIENCE_MS and the user presses another
 * key, the answer is no longer wanted. Keys that were typed before that do not count. */
static bool is_patient(void *ctx)
{
    struct dashboard *d = ctx;
    if (env_now_ns() - d->key_ns < PATIENCE_MS * UINT64_C(1000000))
        return true;
    int waiting = term_waiting(d->term);
    if (d->typed < 0)
        d->typed = waiting;
    return waiting <= d->typed;
}

/* Handles one event; returns false if there was none within timeout_ms. */
static bool handle_terminal_event(struct dashboard *d, int timeout_ms, int *failed,
                                  struct error *err)
{
    struct key_event key = {0};
    int signo = 0;
    bool hurries;
    switch (term_wait(d->term, d->poll_fd, timeout_ms, &key, &signo)) {
    case TERM_TIMEOUT:
        return false;
    case TERM_KEY:
        /* the key refers to the picture after all earlier keys, so draw it first */
        hurries = term_hurries(d->term);
        if (hurries || d->dirty)
            app_draw(d->screen.app, &d->screen.canvas);
        d->key_ns = env_now_ns();
        d->typed = -1;
        if (key.key == KEY_SUSPEND)
            suspend_dashboard(d);
        else
            obey_app_wishes(d, app_key(d->screen.app, &key));
        if (hurries)
            send_key_changes_first(d);
        break;
    case TERM_EXTRA:
        obey_app_wishes(d, app_job_done(d->screen.app));
        *failed = take_opened_profile(d, err);
        d->dirty |= dashboard_job_poll(d->job, &d->screen);
        if (d->engine && !*failed)
            *failed = take_snapshots(d, err);
        break;
    case TERM_RESIZE:
        d->dirty = true;
        break;
    case TERM_SIGNAL:
        if (signo == SIGTSTP)
            suspend_dashboard(d);
        else
            d->signo = signo;
        break;
    case TERM_HANGUP:
        d->hangup = true;
        break;
    }
    return true;
}

/* Advances a session that is played by the time that has passed, however long drawing took. */
static void play_on(struct dashboard *d)
{
    uint64_t now = env_now_ns(), before = d->clock_ns ? d->clock_ns : now;
    d->clock_ns = now;
    if (app_elapsed(d->screen.app, (double)(now - before) / 1e9))
        d->dirty = true;
}

static int dashboard_loop(struct dashboard *d, struct error *err)
{
    int failed = 0;
    while (!d->quit && !d->signo && !d->hangup && !failed) {
        play_on(d);
        d->dirty |= dashboard_capture_poll(d->capture, d->screen.app);
        d->dirty |= run_syscalls_poll(d->syscalls, d->screen.app);
        if (d->dirty)
            present_dashboard(d);
        /* handle all keys that are waiting before drawing the next picture */
        for (int i = 0; i < BATCH && handle_terminal_event(
                                         d, i == 0 ? app_due_ms(d->screen.app) : 0, &failed, err);
             i++)
            if (d->quit || d->signo || d->hangup || failed)
                break;
    }
    return failed;
}

/* --- opening and closing --- */

static int play_file(struct dashboard *d, struct error *err)
{
    int rc = screen_play(&d->screen, d->o, err);
    if (d->screen.opening)
        watch_dashboard_fd(d, opening_fd(d->screen.opening));
    d->dirty = true;
    return rc;
}

static int open_dashboard(struct dashboard *d, struct error *err)
{
    int rc = otlp_output_open(&d->otlp, d->o, otlp_output_service(d->o), true, 0, err);
    if (rc == 0)
        rc = dashboard_capture_open(&d->capture, d->o, err);
    if (rc == 0)
        rc = screen_open(&d->screen, d->o, err);
    if (rc != 0)
        return rc;
    if (d->fill)
        d->fill(d->screen.app, d->what);
    struct term_config config = {
        .depth = term_depth(d->o->color), .mouse = !d->o->no_mouse, .in_fd = 0, .out_fd = 1};
    rc = term_open(&d->term, &config, err);
    if (rc != 0)
        return rc;
    char dir[192];
    struct error refused = ERROR_INIT;
    if (state_dir(dir, sizeof dir, &refused))
        app_set_state_dir(d->screen.app, dir);
    else if (refused.kind)
        tell_dashboard_failure(d, &refused);
    d->watch = (struct watch){is_patient, d};
    app_set_watch(d->screen.app, &d->watch);
    watch_dashboard_fd(d, app_job_fd(d->screen.app));
    if (d->screen.opening)
        watch_dashboard_fd(d, opening_fd(d->screen.opening));
    watch_shown_job(d);
    present_dashboard(d); /* show the frame before anything slow begins */
    if (screen_plays(d->o))
        return play_file(d, err);
    struct engine_config ec = screen_engine(&d->screen, d->o);
    if (run_syscalls_asked(&d->screen, d->o))
        make_syscalls(d);
    if (d->syscalls && d->o->argv)
        run_syscalls_before(&ec, d->syscalls);
    ec.bricks = otlp_output_stream(&d->otlp, d->o, false);
    d->engine = engine_new(&ec);
    if (d->o->argv)
        d->gather = run_gather_new(false, d->screen.tables);
    watch_dashboard_fd(d, engine_fd(d->engine));
    rc = engine_start(d->engine, err);
    if (rc == 0 && d->syscalls && d->o->pids)
        rc = run_syscalls_attach(d->syscalls, &d->screen.target, err);
    if (rc == 0)
        obey_run(d);
    return rc;
}

/* The exit status: the command's if it ended by itself. If the user quits earlier, the command is
 * ended and nothing has failed. */
static int command_exit(struct dashboard *d)
{
    int status;
    if (!d->o->argv || !d->engine || engine_command_status(d->engine, &status) < 0)
        return EXIT_DONE;
    return exit_of_wait_status(status);
}

/* Leaves a summary of the command's run on the terminal, as time and perf stat do. */
static void tell_summary(struct dashboard *d)
{
    struct runs runs = {.n = 0};
    if (!d->gather)
        return;
    run_gather_end(d->gather, runs_add(&runs));
    if (runs.list[0].exact)
        summary_text(stderr, &runs, d->screen.ascii);
    runs_free(&runs);
}

int dashboard_once(struct options *o, dashboard_fill *fill, const void *what,
                   char opened[DASHBOARD_PATH])
{
    struct error err = ERROR_INIT;
    struct dashboard d = {.o = o, .poll_fd = -1, .fill = fill, .what = what};
    keyboard_take(o);
    int rc = open_dashboard(&d, &err);
    if (rc == 0)
        rc = dashboard_loop(&d, &err);
    int status = rc == 0 ? command_exit(&d) : 0;
    /* Restore the terminal first: closing the sources may take a while. */
    if (d.term)
        term_close(d.term);
    memcpy(opened, d.opened, sizeof d.opened);
    syscalls_watch_free(d.syscalls); /* before the engine hangs up the command */
    tell_summary(&d);
    engine_free(d.engine);
    otlp_output_finish(&d.otlp);
    dashboard_job_free(d.job);
    screen_close(&d.screen);
    dashboard_capture_close(d.capture);
    while (d.reloaded) {
        struct reloaded *r = d.reloaded;
        d.reloaded = r->next;
        options_free(r->o);
        free(r->o);
        free(r);
    }
    if (d.poll_fd >= 0)
        close(d.poll_fd);
    if (rc != 0)
        return o->argv ? exit_report_command(&err) : exit_report(&err);
    if (d.signo)
        return exit_by_signal(d.signo);
    return d.hangup ? 128 + SIGHUP : status;
}
