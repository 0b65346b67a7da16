#include "tui/term/term_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"

extern char *tigetstr(const char *); /* declared here because <term.h> has another struct term */

/* --- what the terminal can do --- */

static enum color_depth depth_of_colors(int colors)
{
    if (colors >= 256)
        return DEPTH_256;
    if (colors >= 16)
        return DEPTH_16;
    return colors >= 8 ? DEPTH_8 : DEPTH_NONE;
}

enum color_depth term_depth(const char *wish)
{
    static const struct {
        const char *name;
        enum color_depth depth;
    } wishes[] = {{"none", DEPTH_NONE},
                  {"8", DEPTH_8},
                  {"16", DEPTH_16},
                  {"256", DEPTH_256},
                  {"true", DEPTH_TRUE}};
    static unsigned char entry[TERM_INFO_MAX];
    for (size_t i = 0; wish && i < sizeof wishes / sizeof *wishes; i++)
        if (strcmp(wish, wishes[i].name) == 0)
            return wishes[i].depth;
    const char *term = env_get("TERM"), *more = env_get("COLORTERM");
    if (env_get("NO_COLOR") || !term)
        return DEPTH_NONE;
    long n = term_info_read(term, entry);
    int colors = n > 0 ? term_info_colors(entry, (size_t)n) : 0;
    if (colors > 0 && more && (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0))
        return DEPTH_TRUE;
    return depth_of_colors(colors);
}

bool term_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* --- opening the terminal --- */

static int refuse_terminal(struct error *err, const char *what, const char *why, const char *help)
{
    return error_set(err, ERROR_TERMINAL, ENOTTY, help, what, "%s", why);
}

static int check_terminal(const struct term_config *config, long entry_len, struct error *err)
{
    const char *term = env_get("TERM");
    char what[128];
    snprintf(what, sizeof what, "terminal '%.64s'", term ? term : "");
    if (!isatty(config->in_fd) || !isatty(config->out_fd))
        return refuse_terminal(err, "open the dashboard",
                               "standard input or output is not a terminal",
                               "use --headless for scripts");
    if (!term)
        return refuse_terminal(err, "open the dashboard", "TERM is not set",
                               "set it, for example TERM=xterm-256color, or use --headless");
    if (entry_len < 0)
        return refuse_terminal(
            err, what, "no terminfo entry of that name",
            "set TERM to one that exists, such as xterm-256color, or use --headless");
    return 0;
}

static void raw_mode(const struct term *t)
{
    struct termios raw = t->before;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    /* TCSANOW, because draining would wait for a terminal that does not read */
    tcsetattr(t->in_fd, TCSANOW, &raw);
}

static void read_terminal_size(struct term *t)
{
    struct winsize ws;
    t->cols = 80;
    t->rows = 24;
    if (ioctl(t->out_fd, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0 && ws.ws_row > 0) {
        t->cols = ws.ws_col;
        t->rows = ws.ws_row;
    }
}

/*
 * O_NONBLOCK belongs to the open file description, which the shell shares, so rooftop opens the
 * terminal again. That fails if the terminal belongs to another user (su).
 */
static int open_without_waiting(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return own >= 0 ? own : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* Output to stderr would destroy the picture, so it is captured and printed at the end. */
static void capture_stderr(struct term *t)
{
    t->saved_err = t->captured_err = t->err_fd = -1;
    if (!isatty(STDERR_FILENO))
        return;
    t->captured_err = memfd_create("rooftop-stderr", MFD_CLOEXEC);
    if (t->captured_err < 0)
        return;
    t->saved_err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    t->err_fd = open_without_waiting(STDERR_FILENO);
    dup2(t->captured_err, STDERR_FILENO);
}

static void release_stderr(struct term *t)
{
    if (t->saved_err < 0)
        return;
    fflush(stderr);
    dup2(t->saved_err, STDERR_FILENO);
    term_guard_replay(t->captured_err, t->err_fd);
    close(t->err_fd);
    close(t->saved_err);
    close(t->captured_err);
    t->saved_err = t->captured_err = t->err_fd = -1;
}

/* The string of a capability; NULL if the terminal lacks it, for which terminfo has NULL or -1. */
static const char *find_terminfo_string(const char *name)
{
    const char *s = tigetstr(name);
    return (intptr_t)s == -1 ? NULL : s;
}

static void add_restoring_bytes(struct term_guard *g, const char *bytes)
{
    if (!bytes || g->restore_len + strlen(bytes) > sizeof g->restore)
        return;
    for (const char *p = bytes; *p;) {
        const char *end = p[0] == '$' && p[1] == '<' ? strchr(p, '>') : NULL;
        if (end) /* terminfo's padding: tputs() would make a delay of it */
            p = end + 1;
        else
            g->restore[g->restore_len++] = *p++;
    }
}

static void arm_terminal_guard(struct term *t)
{
    struct term_guard *g = &t->guard;
    *g = (struct term_guard){.out_fd = t->write_fd,
                             .tty_fd = t->in_fd,
                             .modes = t->before,
                             .err_fd = t->err_fd,
                             .captured_err = t->captured_err};
    if (t->depth != DEPTH_NONE)
        add_restoring_bytes(g, "\033[?2026l");
    if (t->mouse && find_terminfo_string("kmous"))
        add_restoring_bytes(g, "\033[?1006l\033[?1000l");
    add_restoring_bytes(g, find_terminfo_string("rmkx"));
    add_restoring_bytes(g, find_terminfo_string("sgr0"));
    add_restoring_bytes(g, find_terminfo_string("op"));
    add_restoring_bytes(g, find_terminfo_string("rmcup"));
    /* last, because leaving the alternate screen may hide the cursor again */
    add_restoring_bytes(g, find_terminfo_string("cnorm"));
    t->wake_fd = term_guard_on(g);
}

/* Sets an environment variable for a call of ncurses. Returns its old value. */
static char *lend_to_ncurses(const char *name, const char *value)
{
    const char *was = env_get(name);
    char *saved = was ? xstrdup(was) : NULL;
    env_put(name, value);
    return saved;
}

static void take_back(const char *name, char *saved)
{
    env_put(name, saved);
    free(saved);
}

/*
 * Calls newterm with a memory file, which has no size to ask for. TERMINFO has the entry itself,
 * rewritten or carried by rooftop.
 */
static SCREEN *new_screen(struct term *t, const char *description)
{
    char lines[16], columns[16];
    snprintf(lines, sizeof lines, "%d", t->rows);
    snprintf(columns, sizeof columns, "%d", t->cols);
    char *saved = lend_to_ncurses("TERMINFO", description);
    char *saved_lines = lend_to_ncurses("LINES", lines),
         *saved_columns = lend_to_ncurses("COLUMNS", columns);
    /*
     * ncurses takes over these signals. The guard replaces its handlers, and the earlier ones must
     * come back at the end
     */
    static const int taken[] = {SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
    struct sigaction before[sizeof taken / sizeof *taken];
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaction(taken[i], NULL, &before[i]);
    SCREEN *s = newterm(NULL, t->pipe_file, t->in_file);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        sigaction(taken[i], &before[i], NULL);
    take_back("LINES", saved_lines);
    take_back("COLUMNS", saved_columns);
    take_back("TERMINFO", saved);
    return s;
}

/* newterm() also accepts "dumb", but then prints every cell in a row. */
static bool has_cursor_movement(void)
{
    return find_terminfo_string("cup") != NULL;
}

/*
 * Frames go directly to newscr, which ncurses shows next. A copy in stdscr would only cost memory
 * and time.
 */
static void resize_screen(const struct term *t)
{
    resizeterm(t->rows, t->cols);
    wresize(stdscr, 1, 1);
    untouchwin(stdscr); /* otherwise reading a key would show stdscr */
}

static void prepare_screen(struct term *t)
{
    set_escdelay(25);
    resize_screen(t);
    if (t->depth != DEPTH_NONE && has_colors()) {
        start_color();
        use_default_colors();
        /* the user asked for more colours than the terminal has */
        if (t->depth != DEPTH_TRUE && t->depth > depth_of_colors(COLORS))
            t->depth = depth_of_colors(COLORS);
    } else {
        t->depth = DEPTH_NONE;
    }
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    term_keys_define();
    nodelay(stdscr, TRUE);
    leaveok(newscr, TRUE); /* the cursor is hidden and need not be moved back */
    curs_set(0);
    term_mouse_on(t);
}

static int open_ncurses_files(struct term *t, struct error *err)
{
    t->pipe_fd = memfd_create("rooftop-frame", MFD_CLOEXEC);
    int in = fcntl(t->in_fd, F_DUPFD_CLOEXEC, 3);
    t->pipe_file = t->pipe_fd >= 0 ? fdopen(t->pipe_fd, "w+") : NULL;
    t->in_file = in >= 0 ? fdopen(in, "r") : NULL;
    if (!t->pipe_file || !t->in_file)
        return error_set(err, ERROR_TERMINAL, errno, NULL, "open the terminal", "%s",
                         strerror(errno));
    t->write_fd = open_without_waiting(t->out_fd);
    return 0;
}

static void free_term(struct term *t)
{
    if (t->screen)
        delscreen(t->screen);
    if (t->pipe_file)
        fclose(t->pipe_file);
    if (t->in_file)
        fclose(t->in_file);
    if (t->write_fd >= 0)
        close(t->write_fd);
    canvas_free(&t->last);
    free(t->out);
    free(t->first_rows);
    pages_free(t, sizeof *t);
}

int term_open(struct term **out, const struct term_config *config, struct error *err)
{
    static unsigned char entry[TERM_INFO_MAX];
    const char *name = env_get("TERM");
    long n = name ? term_info_read(name, entry) : -1;
    int rc = check_terminal(config, n, err);
    if (rc != 0)
        return rc;
    struct term *t = pages_alloc(sizeof *t);
    t->in_fd = config->in_fd;
    t->out_fd = config->out_fd;
    t->depth = config->depth;
    t->mouse = config->mouse;
    t->write_fd = -1;
    char *description = t->depth == DEPTH_TRUE ? term_info_direct(entry, (size_t)n) : NULL;
    if (t->depth == DEPTH_TRUE && !description)
        t->depth = depth_of_colors(term_info_colors(entry, (size_t)n));
    if (!description)
        description = term_info_hex(entry, (size_t)n);
    rc = open_ncurses_files(t, err);
    read_terminal_size(t);
    if (rc == 0) {
        t->screen = new_screen(t, description);
        if (!t->screen)
            rc = refuse_terminal(err, name, "ncurses cannot drive it (no cursor movement?)",
                                 "set TERM to a terminal that can, or use --headless");
    }
    free(description);
    if (rc == 0 && !has_cursor_movement())
        rc = refuse_terminal(err, name, "it has no cursor movement",
                             "set TERM to a terminal that has, or use --headless");
    if (rc != 0) {
        free_term(t);
        return rc;
    }
    tcgetattr(t->in_fd, &t->before);
    prepare_screen(t);
    capture_stderr(t);
    arm_terminal_guard(
        t); /* before the first mode changes, so that a crash in between restores the terminal */
    raw_mode(t);
    t->repaint = true;
    *out = t;
    return 0;
}

/* --- restoring the terminal --- */

/* A closed terminal that cannot send a signal is readable, but has no byte to read. */
static bool is_terminal_closed(const struct term *t)
{
    struct pollfd p = {.fd = t->in_fd, .events = POLLIN};
    int n = 0;
    return poll(&p, 1, 0) > 0 && (p.revents & POLLIN) && ioctl(t->in_fd, FIONREAD, &n) == 0 &&
           n == 0;
}

/* Waits for answers of the terminal. A later answer would be typed into the shell. */
static void await_answers(struct term *t)
{
    uint64_t now = env_now_ns(), limit = t->flow.state == FLOW_SLOW ? 1000000000u : 100000000u;
    uint64_t until = now + limit;
    struct key_event key;
    if (t->flow.state == FLOW_MUTE || t->flow.state == FLOW_UNKNOWN)
        return;
    while (t->flow.asked && (now = env_now_ns()) < until) {
        struct pollfd p = {.fd = t->in_fd, .events = POLLIN};
        if (poll(&p, 1, (int)((until - now) / 1000000u) + 1) <= 0 || !(p.revents & POLLIN))
            return;
        while (term_key_read(t, &key)) /* keys typed while the program ends are lost anyway */
            ;
        if (is_terminal_closed(t))
            return;
    }
}

/*
 * Sends waiting output before the bytes that restore the terminal, unless the terminal does not
 * read.
 */
static void give_terminal_back(struct term *t)
{
    if (t->given_back)
        return;
    t->given_back = true;
    endwin();
    /* again, because leaving the alternate screen may hide the cursor */
    const char *cnorm = find_terminfo_string("cnorm");
    if (cnorm)
        dprintf(t->pipe_fd, "%s", cnorm); /* raw: terminfo's own sequence */
    term_frame_collect(t, false, false);
    bool taken = term_guard_write(t->write_fd, t->out + t->out_at, t->out_len - t->out_at);
    t->out_at = t->out_len;
    if (!taken)
        term_guard_restore();
    await_answers(t);
    tcsetattr(t->in_fd, TCSANOW, &t->before);
}

void term_close(struct term *t)
{
    if (!t)
        return;
    if (!t->hung_up)
        give_terminal_back(t);
    term_guard_off();
    release_stderr(t);
    free_term(t);
}

void term_lend(struct term *t)
{
    give_terminal_back(t);
    term_guard_pause(1);
    release_stderr(t);
}

void term_take_back(struct term *t)
{
    t->given_back = false;
    tcgetattr(t->in_fd, &t->before); /* the shell may have changed the modes */
    capture_stderr(t);
    raw_mode(t);
    read_terminal_size(t);
    resize_screen(t);
    arm_terminal_guard(
        t); /* the pipe stays, because it has the signals that came while the process was stopped */
    term_mouse_on(t);
    t->repaint = true;
    t->flow.asked = 0;
}

void term_suspend(struct term *t)
{
    term_lend(t);
    struct sigaction def = {.sa_handler = SIG_DFL}, ignore = {.sa_handler = SIG_IGN}, ours;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    /*
     * The rest of the process group stops first, as by the terminal: for example a make that waits
     * for rooftop.
     */
    sigaction(SIGTSTP, &ignore, &ours);
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &def, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, &before);
    raise(SIGTSTP); /* the process stops here until it is continued */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGTSTP, &ours, NULL);
    /*
     * After `kill %1` the process ends in the background, where taking the terminal would stop it
     * again.
     */
    if (tcgetpgrp(t->in_fd) != getpgrp() && term_guard_ending())
        return;
    term_take_back(t);
}

void term_size(struct term *t, int *cols, int *rows)
{
    *cols = t->cols;
    *rows = t->rows;
}

/* --- waiting --- */

static enum term_event act_on_terminal_signal(struct term *t, int *signo)
{
    unsigned char byte;
    if (read(t->wake_fd, &byte, 1) != 1)
        return TERM_TIMEOUT;
    if (byte == SIGWINCH) {
        read_terminal_size(t);
        resize_screen(t);
        t->repaint = true;
        return TERM_RESIZE;
    }
    *signo = byte;
    return TERM_SIGNAL;
}

static enum term_event hang_terminal_up(struct term *t)
{
    t->hung_up = true;
    return TERM_HANGUP;
}

/* The caller's timeout, or less if the flow control must act earlier. */
static int flow_timeout(const struct term *t, int timeout_ms)
{
    uint64_t at = flow_deadline(&t->flow), now = env_now_ns();
    if (at == FLOW_NOTHING)
        return timeout_ms;
    int ms = at <= now ? 0 : (int)((at - now) / 1000000u) + 1;
    return timeout_ms < 0 || ms < timeout_ms ? ms : timeout_ms;
}

/* Whether a frame that was held back can be sent, after an answer. */
static bool line_is_free(struct term *t)
{
    bool free = t->answered && t->flow.wanted && env_now_ns() >= t->flow.rest_until;
    t->answered = false;
    return free;
}

bool term_link(const struct term *t, struct term_link *out)
{
    *out = (struct term_link){.answers = t->flow.state == FLOW_FAST || t->flow.state == FLOW_SLOW,
                              .slow = t->flow.state == FLOW_SLOW,
                              .bytes_per_s = t->flow.bytes_per_s,
                              .rtt_s = t->flow.rtt_s,
                              .dropped = t->flow.dropped};
    return out->slow;
}

bool term_hurries(const struct term *t)
{
    return t->flow.state == FLOW_SLOW || (t->flow.state == FLOW_UNKNOWN && t->flow.asked);
}

int term_waiting(const struct term *t)
{
    struct pollfd p = {.fd = t->wake_fd, .events = POLLIN};
    int n = 0;
    bool signal = poll(&p, 1, 0) > 0;
    return (ioctl(t->in_fd, FIONREAD, &n) == 0 && n > 0 ? n : 0) + signal;
}

enum term_event term_wait(struct term *t, int extra_fd, int timeout_ms, struct key_event *key,
                          int *signo)
{
    if (t->keys_waiting) { /* several keys came with one read */
        if (term_key_read(t, key))
            return TERM_KEY;
        t->keys_waiting = false;
        if (line_is_free(t))
            return TERM_RESIZE;
    }
    bool pending = t->out_at < t->out_len;
    struct pollfd p[4] = {{.fd = t->wake_fd, .events = POLLIN},
                          {.fd = t->in_fd, .events = POLLIN},
                          {.fd = extra_fd, .events = POLLIN},
                          {.fd = pending ? t->write_fd : -1, .events = POLLOUT}};
    int n = poll(p, 4, flow_timeout(t, timeout_ms));
    if (n <= 0)
        return flow_expired(&t->flow, env_now_ns()) ? TERM_RESIZE : TERM_TIMEOUT;
    if (p[0].revents)
        return act_on_terminal_signal(t, signo);
    if (p[1].revents & (POLLHUP | POLLERR | POLLNVAL))
        return hang_terminal_up(t);
    if (p[1].revents & POLLIN) {
        if (term_key_read(t, key)) {
            t->keys_waiting = true;
            return TERM_KEY;
        }
        if (is_terminal_closed(t))
            return hang_terminal_up(t);
        if (line_is_free(t))
            return TERM_RESIZE;
    }
    if (p[3].revents) {
        int left = term_frame_flush(t);
        if (left < 0)
            return hang_terminal_up(t);
        if (left == 0)
            return TERM_RESIZE; /* frames were dropped: draw the present state */
    }
    if (p[2].revents)
        return TERM_EXTRA;
    return TERM_TIMEOUT;
}
