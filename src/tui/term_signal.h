/*
 * Gives the terminal back when the program is told to end or crashes. Only what may be called in a
 * signal handler is called there: the bytes to write are made beforehand.
 */
#ifndef ROOFTOP_TUI_TERM_SIGNAL_H
#define ROOFTOP_TUI_TERM_SIGNAL_H

#include <stddef.h>
#include <termios.h>

/*
 * restore: the bytes that bring the terminal back; modes: the termios to set. saved_err: where
 * stderr led before it was captured into captured_err; -1 = not captured. One at a time.
 */
struct term_guard {
    int out_fd, tty_fd; /* tty_fd: for tcsetattr */
    char restore[256];
    size_t restore_len;
    struct termios modes;
    int saved_err, captured_err;
};

/* Installs handlers; returns the read end of a pipe that gets one byte a signal (its number), or
 * -errno. While on and paused it only takes g and goes on: signals that wait in the pipe stay. */
int term_guard_on(const struct term_guard *g);
/* Puts all dispositions back. */
void term_guard_off(void);
/* While stopped in the background nothing must be restored by a fatal signal. */
void term_guard_pause(int paused);
/* Copies at most the last 64 KiB of what was captured to fd. Async-signal-safe. */
void term_guard_replay(int from, int to);

#endif
