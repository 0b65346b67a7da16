#include "pty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "own_home.h"

/* A wait for something ends after WAIT_S seconds, far more than anything here takes on a busy
 * machine; others after TRIES polls of POLL_MS each. */
enum { TRIES = 1500, POLL_MS = 20, QUIET = 8, WAIT_S = 90 };

/* The session leader writes this when the program has stopped or ended. It comes through the
 * terminal, behind everything the program wrote, while the report on the pipe may arrive earlier.
 * A terminal ignores it. */
static const char last_words[] = "\033]7777;no more\033\\";

/* --- inside the session --- */

static void child_env(const char *const *env)
{
    setenv("TERM", "xterm-256color", 1); /* the same in every environment */
    unsetenv("CI");                      /* a person's terminal */
    own_home();
    for (; env && *env; env++) {
        const char *eq = strchr(*env, '=');
        char *name = strndup(*env, eq ? (size_t)(eq - *env) : strlen(*env));
        if (eq)
            setenv(name, eq + 1, 1);
        else
            unsetenv(name);
        free(name);
    }
}

static void run_program(const struct pty_config *c)
{
    static const int all[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGTSTP,
                              SIGTTIN, SIGTTOU, SIGPIPE, SIGWINCH};
    setpgid(0, 0);
    tcsetpgrp(0, getpid()); /* SIGTTOU is still ignored: the leader did that */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        signal(all[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* some tests make the program crash */
    child_env(c->env);
    execvp(c->argv[0], (char *const *)c->argv);
    _exit(127);
}

static void report(int fd, int value)
{
    ssize_t n = write(fd, &value, sizeof value);
    (void)n;
}

/* The session leader, which does the work of a shell: starts the program, reports its state, keeps
 * the terminal open. */
static void lead(const struct pty_config *c, int reports, int orders)
{
    char order;
    int status;
    signal(SIGHUP, SIG_IGN);
    signal(SIGTTOU, SIG_IGN);
    pid_t pid = fork();
    if (pid == 0)
        run_program(c);
    setpgid(pid, pid);
    report(reports, pid);
    while (waitpid(pid, &status, WUNTRACED) == pid) {
        tcsetpgrp(0, getpgrp());
        report(reports, status);
        if (write(1, last_words, sizeof last_words - 1) < 0 || read(orders, &order, 1) != 1) {
            kill(pid, SIGKILL);
            break;
        }
        if (order != 'c')
            continue;
        tcsetpgrp(0, pid);
        kill(-pid, SIGCONT);
    }
    _exit(0);
}

static void open_slave(int master, const char *name)
{
    setsid();
    int fd = open(name, O_RDWR);
    ioctl(fd, TIOCSCTTY, 0);
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    if (fd > 2)
        close(fd);
    close(master);
}

/* --- outside --- */

static int start_leader(struct pty *p, const struct pty_config *c, const char *name)
{
    int reports[2], orders[2], pid = 0;
    if (pipe2(reports, O_CLOEXEC) != 0)
        return -errno;
    if (pipe2(orders, O_CLOEXEC) != 0) {
        int rc = -errno;
        close(reports[0]);
        close(reports[1]);
        return rc;
    }
    p->leader = fork();
    if (p->leader == 0) {
        close(reports[0]);
        close(orders[1]);
        open_slave(p->master, name);
        lead(c, reports[1], orders[0]);
    }
    close(reports[1]);
    close(orders[0]);
    p->reports = reports[0];
    p->orders = orders[1];
    if (p->leader < 0 || read(p->reports, &pid, sizeof pid) != sizeof pid)
        return -EIO;
    p->pid = pid;
    return 0;
}

int pty_start(struct pty *p, const struct pty_config *c)
{
    memset(p, 0, sizeof *p);
    p->cols = c->cols ? c->cols : 80;
    p->rows = c->rows ? c->rows : 24;
    p->reports = p->orders = -1;
    p->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (p->master < 0 || grantpt(p->master) != 0 || unlockpt(p->master) != 0)
        return -errno;
    char name[64];
    if (ptsname_r(p->master, name, sizeof name) != 0)
        return -errno;
    struct winsize ws = {.ws_col = (unsigned short)p->cols, .ws_row = (unsigned short)p->rows};
    ioctl(p->master, TIOCSWINSZ, &ws);
    tcgetattr(p->master, &p->before); /* both ends of the terminal share these settings */
    fcntl(p->master, F_SETFL, O_NONBLOCK);
    p->vt = vt_new(p->cols, p->rows);
    return start_leader(p, c, name);
}

void pty_end(struct pty *p)
{
    if (p->pid > 0 && p->state != PTY_GONE)
        kill(p->pid, SIGKILL);
    if (p->orders >= 0)
        close(p->orders);
    if (p->master >= 0)
        close(p->master);
    if (p->leader > 0)
        waitpid(p->leader, NULL, 0);
    if (p->reports >= 0)
        close(p->reports);
    vt_free(p->vt);
    free(p->raw);
    memset(p, 0, sizeof *p);
    p->master = p->reports = p->orders = -1;
}

/* Answers a request for the terminal's status (ECMA-48 DSR): all is well. */
static void answer(struct pty *p)
{
    for (; p->answered + 4 <= p->raw_len; p->answered++)
        if (!p->mute && memcmp(p->raw + p->answered, "\033[5n", 4) == 0 &&
            write(p->master, "\033[0n", 4) != 4)
            return; /* the other side has closed */
}

static bool take_output(struct pty *p)
{
    char buf[16384];
    bool any = false;
    ssize_t n;
    while (p->master >= 0 && (n = read(p->master, buf, sizeof buf)) > 0) {
        vt_feed(p->vt, buf, (size_t)n);
        if (p->raw_len + (size_t)n >= p->raw_cap) { /* a NUL follows */
            p->raw_cap = (p->raw_len + (size_t)n) * 2;
            p->raw = realloc(p->raw, p->raw_cap);
        }
        memcpy(p->raw + p->raw_len, buf, (size_t)n);
        p->raw_len += (size_t)n;
        p->raw[p->raw_len] = '\0';
        answer(p);
        any = true;
    }
    return any;
}

/* After the program has stopped or ended, reads what is still in the terminal. */
static void take_the_rest(struct pty *p)
{
    const size_t n = sizeof last_words - 1;
    for (int i = 0; i < TRIES && p->master >= 0; i++) {
        take_output(p);
        if (p->raw_len >= n && memcmp(p->raw + p->raw_len - n, last_words, n) == 0) {
            p->raw_len -= n;
            return;
        }
        struct pollfd more = {.fd = p->master, .events = POLLIN};
        poll(&more, 1, POLL_MS);
    }
}

bool pty_pump(struct pty *p, int ms)
{
    struct pollfd fds[2] = {{.fd = p->master, .events = POLLIN},
                            {.fd = p->state == PTY_GONE ? -1 : p->reports, .events = POLLIN}};
    int status;
    if (poll(fds, 2, ms) <= 0)
        return false;
    if ((fds[1].revents & POLLIN) && read(p->reports, &status, sizeof status) == sizeof status) {
        p->status = status;
        p->state = WIFSTOPPED(status) ? PTY_STOPPED : PTY_GONE;
        take_the_rest(p);
        return true;
    }
    if (take_output(p))
        return true;
    poll(NULL, 0, ms); /* only a hang-up is left: sleep instead of spinning */
    return false;
}

bool pty_until(struct pty *p, bool (*seen)(struct pty *p, const void *arg), const void *arg)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += WAIT_S;
    do {
        if (seen(p, arg))
            return true;
        pty_pump(p, POLL_MS);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec < end.tv_sec);
    return seen(p, arg);
}

static bool has_text(struct pty *p, const void *arg)
{
    return vt_find(p->vt, arg, NULL, NULL);
}

static bool has_no_text(struct pty *p, const void *arg)
{
    return !has_text(p, arg);
}

static bool has_state(struct pty *p, const void *arg)
{
    return p->state == *(const enum pty_state *)arg;
}

bool pty_until_text(struct pty *p, const char *text)
{
    return pty_until(p, has_text, text);
}

bool pty_until_no_text(struct pty *p, const char *text)
{
    return pty_until(p, has_no_text, text);
}

bool pty_until_state(struct pty *p, enum pty_state state)
{
    return pty_until(p, has_state, &state);
}

bool pty_wait_state(struct pty *p, enum pty_state state)
{
    int status;
    struct pollfd f = {.fd = p->reports, .events = POLLIN};
    for (int i = 0; i < TRIES && p->state != state; i++)
        if (poll(&f, 1, POLL_MS) > 0 && read(p->reports, &status, sizeof status) == sizeof status) {
            p->status = status;
            p->state = WIFSTOPPED(status) ? PTY_STOPPED : PTY_GONE;
        }
    return p->state == state;
}

void pty_settle(struct pty *p)
{
    int quiet = 0;
    for (int i = 0; i < TRIES && quiet < QUIET; i++)
        quiet = pty_pump(p, POLL_MS) ? 0 : quiet + 1;
}

void pty_keys(struct pty *p, const char *bytes)
{
    ssize_t n = write(p->master, bytes, strlen(bytes));
    (void)n; /* bytes that the terminal does not take will be missed by the test */
}

void pty_resize(struct pty *p, int cols, int rows)
{
    struct winsize ws = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};
    take_output(p);
    p->cols = cols;
    p->rows = rows;
    vt_resize(p->vt, cols, rows);
    ioctl(p->master, TIOCSWINSZ, &ws);
}

void pty_signal(struct pty *p, int signo)
{
    kill(p->pid, signo);
}

void pty_release(struct pty *p)
{
    ssize_t n = write(p->orders, "b", 1);
    (void)n;
}

void pty_continue(struct pty *p)
{
    ssize_t n = write(p->orders, "c", 1);
    (void)n;
    if (p->state == PTY_STOPPED)
        p->state = PTY_RUNNING;
}

void pty_vanish(struct pty *p)
{
    take_output(p);
    close(p->master);
    p->master = -1;
}

bool pty_modes_restored(const struct pty *p)
{
    struct termios now;
    return tcgetattr(p->master, &now) == 0 && now.c_iflag == p->before.c_iflag &&
           now.c_oflag == p->before.c_oflag && now.c_cflag == p->before.c_cflag &&
           now.c_lflag == p->before.c_lflag && memcmp(now.c_cc, p->before.c_cc, NCCS) == 0;
}

bool pty_interrupted(struct pty *p, const char *const argv[], const char *runs, const char *says)
{
    if (pty_start(p, &(struct pty_config){.argv = argv}) != 0 || !pty_until_text(p, runs))
        return false;
    pty_keys(p, "\x03");
    return pty_until_text(p, says) && pty_until_state(p, PTY_GONE) && WEXITSTATUS(p->status) == 130;
}
