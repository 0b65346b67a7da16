/*
 * Gives the terminal back when the program is told to end or crashes. Only what may be called in a
 * signal handler is called there: the bytes to write are made beforehand.
 */
#ifndef ROOFTOP_TUI_TERM_TERM_SIGNAL_H
#define ROOFTOP_TUI_TERM_TERM_SIGNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/*
 * restore: the bytes that bring the terminal back; modes: the termios to set. err_fd: where stderr
 * led before it was captured into captured_err; -1 = not captured. One at a time. out_fd and err_fd
 * do not block: a terminal that reads no more holds nobody up.
 */
struct term_guard {
    int out_fd, tty_fd; /* tty_fd: for tcsetattr */
    char restore[256];
    size_t restore_len;
    struct termios modes;
    int err_fd, captured_err;
};

/* Installs handlers; returns the read end of a pipe that gets one byte a signal (its number), or
 * -errno. While on and paused it only takes g and goes on: signals that wait in the pipe stay. */
int term_guard_on(const struct term_guard *g);
/* Puts all dispositions back. */
void term_guard_off(void);
/* A signal that asks the program to end has come. */
bool term_guard_ending(void);
/* While stopped in the background nothing must be restored by a fatal signal. */
void term_guard_pause(int paused);
/* All of it, waiting a tenth of a second at most while nothing is taken. Async-signal-safe, as what
 * follows is. */
bool term_guard_write(int fd, const char *p, size_t n);
/* Brings the terminal back at once, in place of what it has not read yet. */
void term_guard_restore(void);
/* Copies at most the last 64 KiB of what was captured to fd. */
void term_guard_replay(int from, int to);

#endif
