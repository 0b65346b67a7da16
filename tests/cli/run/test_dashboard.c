/* The dashboard's loop with a terminal and an engine that follow a script. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/options/command.h"
#include "cli/run/dashboard.h"
#include "engine/live/engine.h"
#include "support/sample_snapshot.h"
#include "tui/term/term.h"
#include "support/test.h"

/* The real command tables would link the real engine. */
static const struct command_option no_options[] = {TAKES_GENERAL};
static const struct command watch = {.name = "", .options = no_options};
const struct command *const commands[] = {&watch, NULL};
const char *const command_spellings[][COMMAND_SPELLINGS] = {{""}, {NULL}};

/* --- the script, and what the doubles saw --- */

enum { EVENTS_MAX = 64 };
struct scripted {
    enum term_event event;
    uint32_t key;
    int signo;
};

static struct {
    struct scripted events[EVENTS_MAX];
    int nevents, next;
    int fail_open;           /* errno with which term_open fails */
    int snapshots;           /* number of snapshots that the engine has */
    enum error_kind failure; /* error that the engine reports once */
    int failure_code;
    int command_rc, command_status;
    /* what the doubles saw */
    char copied[256];
    int presented, opened, closed, suspended, engine_freed, presented_before_engine;
    bool closed_before_engine;
    int sampling_asked; /* number of calls */
    bool sampling_on;
} script;

static void reset(void)
{
    memset(&script, 0, sizeof script);
    script.command_rc = -1;
}

static void then(enum term_event event, uint32_t key, int signo)
{
    script.events[script.nevents++] = (struct scripted){event, key, signo};
}

/* --- the terminal --- */

enum color_depth term_depth(const char *wish)
{
    (void)wish;
    return DEPTH_256;
}

bool term_utf8(void)
{
    return true;
}

int term_open(struct term **out, const struct term_config *config, struct error *err)
{
    (void)config;
    static int self;
    if (script.fail_open)
        return error_set(err, ERROR_TERMINAL, script.fail_open, NULL, "terminal", "unknown");
    *out = (struct term *)&self;
    script.opened++;
    return 0;
}

void term_close(struct term *t)
{
    (void)t;
    script.closed++;
    script.closed_before_engine = script.engine_freed == 0;
}

void term_size(struct term *t, int *cols, int *rows)
{
    (void)t;
    *cols = 80;
    *rows = 24;
}

long term_present(struct term *t, const struct canvas *c, const struct theme *theme)
{
    (void)t;
    (void)theme;
    assert_int_equal(c->cols, 80);
    assert_int_equal(c->rows, 24);
    script.presented++;
    return 1;
}

void term_prioritise(struct term *t, const struct canvas *before, const struct canvas *after)
{
    (void)t, (void)before, (void)after;
}

bool term_link(const struct term *t, struct term_link *out)
{
    (void)t;
    *out = (struct term_link){0};
    return false;
}

bool term_hurries(const struct term *t)
{
    (void)t;
    return false;
}

void term_repaint(struct term *t)
{
    (void)t;
}

int term_waiting(const struct term *t)
{
    (void)t;
    return 0;
}

int term_copy(struct term *t, const char *text)
{
    (void)t;
    snprintf(script.copied, sizeof script.copied, "%s", text);
    return 0;
}

void term_suspend(struct term *t)
{
    (void)t;
    script.suspended++;
}

void term_lend(struct term *t)
{
    (void)t;
}

void term_take_back(struct term *t)
{
    (void)t;
}

/* At the end of the script nothing comes within the timeout. The loop may not wait without a
 * timeout then. */
enum term_event term_wait(struct term *t, int extra_fd, int timeout_ms, struct key_event *key,
                          int *signo)
{
    (void)t;
    (void)extra_fd;
    if (script.next >= script.nevents) {
        if (timeout_ms < 0) {
            key->key = 'q';
            return TERM_KEY;
        }
        return TERM_TIMEOUT;
    }
    const struct scripted *e = &script.events[script.next++];
    key->key = e->key;
    *signo = e->signo;
    return e->event;
}

/* --- the engine --- */

struct engine *engine_new(const struct engine_config *config)
{
    static int self;
    (void)config;
    script.presented_before_engine = script.presented;
    return (struct engine *)&self;
}

int engine_start(struct engine *e, struct error *err)
{
    (void)e;
    (void)err;
    return 0;
}

int engine_fd(const struct engine *e)
{
    (void)e;
    return -1;
}

const struct snapshot *engine_take(struct engine *e)
{
    (void)e;
    return script.snapshots > 0 && script.snapshots-- ? sample_snapshot() : NULL;
}

bool engine_failure(struct engine *e, struct error *err)
{
    (void)e;
    if (script.failure == ERROR_NONE)
        return false;
    error_set(err, script.failure, script.failure_code ? script.failure_code : ESRCH, NULL,
              "pid 12", "it has gone");
    script.failure = ERROR_NONE;
    return true;
}

void engine_set_interval(struct engine *e, double seconds)
{
    (void)e;
    (void)seconds;
}

void engine_set_threads(struct engine *e, const struct thread_wish *w)
{
    (void)e, (void)w;
}

void engine_wake(struct engine *e)
{
    (void)e;
}

void engine_set_sampling(struct engine *e, const struct sampling *s)
{
    (void)e;
    script.sampling_asked++;
    script.sampling_on = s->on;
}

void engine_retarget(struct engine *e, const struct target *t)
{
    (void)e;
    (void)t;
}

int engine_save_output(struct engine *e, const char *path, struct error *err)
{
    (void)e;
    (void)path;
    (void)err;
    return 0;
}

int engine_command_status(struct engine *e, int *wait_status)
{
    (void)e;
    *wait_status = script.command_status;
    return script.command_rc;
}

void engine_free(struct engine *e)
{
    script.engine_freed += e != NULL;
}

/* --- tests --- */

static int run(bool command)
{
    char arg[] = "true";
    char *argv[] = {arg, NULL};
    struct options o = {.command = "",
                        .interval_s = 1,
                        .theme = "rooftop-dark",
                        .color = "auto",
                        .argv = command ? argv : NULL};
    return dashboard_run(&o);
}

TEST(first_frame_comes_before_the_engine)
{
    reset();
    assert_int_equal(run(false), 0);
    assert_int_equal(script.presented_before_engine, 1);
    assert_int_equal(script.presented, 1); /* nothing changed, so nothing was drawn */
    assert_int_equal(script.closed, 1);
    assert_int_equal(script.engine_freed, 1);
    assert_true(script.closed_before_engine);
}

TEST(waiting_keys_make_one_picture)
{
    reset();
    for (int i = 0; i < 40; i++)
        then(TERM_RESIZE, 0, 0);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.presented, 2);
}

TEST(snapshots_are_drawn)
{
    reset();
    script.snapshots = 3;
    then(TERM_EXTRA, 0, 0);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.presented, 2);
}

TEST(opening_functions_turns_sampling_on)
{
    reset();
    then(TERM_KEY, 'f', 0);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.sampling_asked, 1);
    assert_true(script.sampling_on);
    reset();
    script.snapshots = 2; /* the snapshots say that sampling is on */
    then(TERM_EXTRA, 0, 0);
    then(TERM_KEY, 'f', 0);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.sampling_asked, 0);
}

TEST(failure_before_anything_was_shown_ends_it)
{
    reset();
    script.failure = ERROR_TARGET;
    then(TERM_EXTRA, 0, 0);
    assert_int_equal(run(false), EXIT_TARGET);
    assert_int_equal(script.closed, 1);
}

TEST(command_that_cannot_start_has_the_codes_of_shells)
{
    static const int codes[][2] = {
        {ENOENT, EXIT_NOT_FOUND}, {ENOTDIR, EXIT_NOT_FOUND}, {EACCES, EXIT_CANNOT_EXEC}};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        reset();
        script.failure = ERROR_TARGET;
        script.failure_code = codes[i][0];
        then(TERM_EXTRA, 0, 0);
        assert_int_equal(run(true), codes[i][1]);
    }
}

TEST(failure_later_is_a_message)
{
    reset();
    script.snapshots = 1;
    script.failure = ERROR_TARGET;
    then(TERM_EXTRA, 0, 0);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.presented, 2);
}

TEST(no_terminal_is_exit_8)
{
    reset();
    script.fail_open = ENOTTY;
    assert_int_equal(run(false), EXIT_TERMINAL);
    assert_int_equal(script.closed, 0);
}

TEST(suspend_by_key_and_by_signal)
{
    reset();
    then(TERM_KEY, 26, 0);
    then(TERM_SIGNAL, 0, SIGTSTP);
    assert_int_equal(run(false), 0);
    assert_int_equal(script.suspended, 2);
}

TEST(hangup_ends_it)
{
    reset();
    then(TERM_HANGUP, 0, 0);
    assert_int_equal(run(false), 128 + SIGHUP);
    assert_int_equal(script.closed, 1);
    assert_int_equal(script.engine_freed, 1);
}

/* The dashboard cleans up, then ends by the same signal, so that its parent sees it. */
TEST(signal_is_raised_again)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        reset();
        then(TERM_SIGNAL, 0, signals[i]);
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            run(false);
            _exit(99);
        }
        waitpid(pid, &status, 0);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
    }
}

TEST(command_status_is_returned)
{
    reset();
    script.command_rc = 0;
    script.command_status = 7 << 8; /* the command exited with 7 */
    assert_int_equal(run(true), 7);
    reset();
    script.command_rc = 0;
    script.command_status = SIGKILL;
    assert_int_equal(run(true), 128 + SIGKILL);
    reset(); /* the command still ran when the user quit: that is no failure */
    assert_int_equal(run(true), EXIT_DONE);
}
