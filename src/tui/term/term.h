/*
 * The terminal. This room alone includes <curses.h>. It draws a canvas with one write per frame,
 * reads keys, and restores the terminal at the end, also after a crash.
 */
#pragma once

#include "base/error.h"
#include "tui/canvas/canvas.h"
#include "tui/canvas/theme.h"
#include "tui/input/keys.h"

struct term;

struct term_config {
    enum color_depth depth; /* see term_depth */
    bool mouse;
    int in_fd, out_fd; /* normally 0 and 1 */
};

/* From TERM, COLORTERM, NO_COLOR and the terminfo entry; wish (from --color) wins: "auto", "none",
 * "8", "16", "256", "true". */
enum color_depth term_depth(const char *wish);
/* True when the locale and TERM can show UTF-8. */
bool term_utf8(void);

/* Takes the terminal over: alternate screen, raw keys, stderr captured, fatal signals covered. One
 * at a time. */
int term_open(struct term **out, const struct term_config *config, struct error *err);
/* Restores the terminal and prints what was written to stderr meanwhile. */
void term_close(struct term *t);
void term_size(struct term *t, int *cols, int *rows); /* as of the last resize */
/* Shows the canvas: only what changed, in one write. Returns bytes written, 0 when nothing changed,
 * -errno. */
long term_present(struct term *t, const struct canvas *c, const struct theme *theme);
/* Copies text to the terminal's clipboard; the terminal may refuse silently. -ENOTSUP if it
 * certainly has none, -E2BIG if the text is too long. */
int term_copy(struct term *t, const char *text);
/* Whether frames wait for a slow line, so that rows changed by a key should go first. */
bool term_hurries(const struct term *t);
/* Marks the rows that a key changed, by comparing pictures of the same data before and after it. If
 * frames wait, these rows are sent first. */
void term_prioritise(struct term *t, const struct canvas *before, const struct canvas *after);
struct term_link {
    bool answers, slow;
    double bytes_per_s, rtt_s; /* as measured; 0 = not yet */
    unsigned long dropped;     /* frames held back so far */
};
bool term_link(const struct term *t, struct term_link *out); /* true on a slow line */
void term_repaint(struct term *t);                           /* the next present draws everything */
unsigned long term_writes(const struct term *t); /* write(2) calls so far: one per frame */
/* The number of typed bytes and signals that wait; long computations check it. */
int term_waiting(const struct term *t);
/*
 * Waits for a key, a signal, readability of extra_fd (-1: none), or timeout_ms (-1: forever).
 * TERM_RESIZE asks for a new picture: another size, or a slow terminal that is ready for the frame
 * it missed.
 */
enum term_event { TERM_TIMEOUT, TERM_KEY, TERM_EXTRA, TERM_RESIZE, TERM_SIGNAL, TERM_HANGUP };
enum term_event term_wait(struct term *t, int extra_fd, int timeout_ms, struct key_event *key,
                          int *signo);
/* Stops like ^Z: terminal given back, process stopped, taken again (with a new size) on continue.
 */
void term_suspend(struct term *t);
/* For a program that gets the terminal for a while: gives it back as it was, and takes it again,
 * with a new size. */
void term_lend(struct term *t);
void term_take_back(struct term *t);
