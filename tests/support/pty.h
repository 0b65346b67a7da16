/*
 * A program on a pseudo-terminal, as a shell with job control would run it: its own session, a
 * process group in the foreground, the terminal taken back when it stops. What it writes is kept
 * and shown to a terminal emulator (vt.h). Nothing here asserts on time: the waits end when what
 * is waited for is there, or after a generous number of tries.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "vt.h"

enum pty_state { PTY_RUNNING, PTY_STOPPED, PTY_GONE };

struct pty {
    int master; /* -1 after pty_vanish */
    pid_t pid;  /* the program */
    enum pty_state state;
    int status; /* wait status of the last change of state */
    int cols, rows;
    struct vt *vt;
    bool mute;       /* leaves requests for the terminal's status unanswered */
    size_t answered; /* bytes of raw that were searched for requests */
    char *raw;       /* every byte the program wrote, and a NUL; NULL: nothing yet */
    size_t raw_len;
    /* private */
    size_t raw_cap;
    pid_t leader;
    int reports, orders;
    struct termios before;
};

struct pty_config {
    const char *const *argv; /* argv[0] is found along PATH */
    const char *const *env;  /* NULL-terminated "NAME=value"; a NAME alone is unset; NULL = the
                                test's environment */
    int cols, rows;          /* 0 = 80x24 */
};

/* For env: a terminal of today, and no settings but rooftop's own. */
#define PTY_XTERM                                                                                  \
    "TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "NO_COLOR", "TERMINFO",        \
        "ROOFTOP_CONFIG=/dev/null"

/* Starts the program. 0 or -errno; call pty_end in either case. */
int pty_start(struct pty *p, const struct pty_config *c);
/* Kills what is left and frees everything. */
void pty_end(struct pty *p);

/* Reads what is there, waiting at most ms for the first byte; false if nothing came. */
bool pty_pump(struct pty *p, int ms);
/* Pumps until seen() returns true; returns false if it never did. */
bool pty_until(struct pty *p, bool (*seen)(struct pty *p, const void *arg), const void *arg);
bool pty_until_text(struct pty *p, const char *text); /* waits until the screen shows it */
/* waits until the screen does not show it */
bool pty_until_no_text(struct pty *p, const char *text);
bool pty_until_state(struct pty *p, enum pty_state state);
/* Starts a program, waits until it shows `runs` and types ^C; whether it then shows `says` and ends
 * with status 130. The caller ends p. */
bool pty_interrupted(struct pty *p, const char *const argv[], const char *runs, const char *says);
/* Pumps until nothing has come for a few polls: then everything written is on the screen. */
void pty_settle(struct pty *p);

void pty_keys(struct pty *p, const char *bytes);
/* Changes the size of terminal and emulator; the foreground group gets SIGWINCH. */
void pty_resize(struct pty *p, int cols, int rows);
void pty_signal(struct pty *p, int signo);
/* Like pty_until_state, but reads nothing from the terminal meanwhile. */
bool pty_wait_state(struct pty *p, enum pty_state state);
/* Lets the session leader wait again, as a shell does when a stopped job is killed; the terminal
 * stays the leader's. */
void pty_release(struct pty *p);
/* Gives the stopped program the terminal and SIGCONT, as a shell's fg does. */
void pty_continue(struct pty *p);
/* Closes the terminal under the program. */
void pty_vanish(struct pty *p);
/* Whether the terminal's modes are exactly those from before the program. */
bool pty_modes_restored(const struct pty *p);
