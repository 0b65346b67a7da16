/*
 * Restores the terminal when the program gets a fatal signal or crashes. The handler calls only
 * async-signal-safe functions; the bytes to write are prepared beforehand.
 */
#ifndef ROOFTOP_TUI_TERM_TERM_SIGNAL_H
#define ROOFTOP_TUI_TERM_TERM_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/*
 * restore: the bytes that restore the terminal; modes: the termios to set. err_fd: the original
 * stderr, which is now captured into captured_err; -1 = not captured. Only one guard at a time.
 * out_fd and err_fd do not block, so a terminal that stops reading cannot block the program.
 */
struct term_guard {
    int out_fd, tty_fd; /* tty_fd: for tcsetattr */
    char restore[256];
    size_t restore_len;
    struct termios modes;
    int err_fd, captured_err;
};

/* Installs the handlers. Returns the read end of a pipe that gets one byte for each signal (its
 * number), or -errno. If it is on but paused, it only takes g and resumes; signals in the pipe
 * stay. */
int term_guard_on(const struct term_guard *g);
/* Puts all dispositions back. */
void term_guard_off(void);
/* A signal that asks the program to end has come. */
bool term_guard_ending(void);
/* While the program is stopped in the background, a fatal signal must not restore anything. */
void term_guard_pause(int paused);
/* Writes all n bytes; gives up if nothing is accepted for a tenth of a second. This and the
 * following functions are async-signal-safe. */
bool term_guard_write(int fd, const char *p, size_t n);
/* Restores the terminal at once; if necessary, discards output that it has not read yet. */
void term_guard_restore(void);
/* Copies at most the last 64 KiB of what was captured to fd. */
void term_guard_replay(int from, int to);

#endif
