/* Shared by term.c (the terminal as a whole), term_frame.c (pictures) and term_keys.c (input). */
#ifndef ROOFTOP_TUI_TERM_TERM_STATE_H
#define ROOFTOP_TUI_TERM_TERM_STATE_H

#include <curses.h>

#include <stdio.h>
#include <termios.h>

#include "tui/term/term.h"
#include "tui/term/term_flow.h"
#include "tui/term/term_signal.h"

enum { LEVELS = 101 };

/* A look as ncurses takes it, kept per style until the theme changes. */
struct term_pen {
    bool known;
    attr_t attrs;
    int pair;
};

struct term {
    SCREEN *screen;
    FILE *pipe_file; /* ncurses writes here: memory, read back once a frame */
    FILE *in_file;
    int pipe_fd, in_fd, out_fd;
    int write_fd; /* the terminal, opened anew so that O_NONBLOCK affects only us */
    enum color_depth depth;
    struct termios before;
    struct term_guard guard;
    int wake_fd; /* signals */
    int saved_err, captured_err;
    int err_fd; /* saved_err, opened anew like write_fd */
    int cols, rows;
    bool mouse, keys_waiting, hung_up;
    bool given_back; /* the terminal is as it was before us */

    struct canvas last; /* what the terminal shows */
    bool repaint;
    const struct theme *theme;
    struct term_pen pens[STYLE_COUNT][LEVELS];

    char *out; /* what the terminal has not yet taken: out[out_at..out_len) */
    size_t out_len, out_at, out_cap;
    unsigned long writes;
    struct term_flow flow;
    bool *first_rows; /* rows that a key changed: they go before the others */
    int first_n;      /* how long first_rows is */
    int next_row;     /* where the next slice goes on */
    bool answered;    /* since the last term_wait */
    int answer;       /* how much came of an answer in pieces: ESC [ 0 n */
};

int term_frame_flush(struct term *t); /* writes waiting output; returns bytes left, or -errno */
/* memory -> out; bytes. ask: with the question that the terminal answers */
int term_frame_collect(struct term *t, bool sync, bool ask);
bool term_key_read(struct term *t, struct key_event *key);
void term_mouse_on(struct term *t);
void term_keys_define(void);

#endif
