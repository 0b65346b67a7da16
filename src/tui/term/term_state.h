/*
 * The state behind term.h, shared by term.c (the terminal as a whole), term_frame.c (pictures) and
 * term_keys.c (input).
 */
#ifndef ROOFTOP_TUI_TERM_TERM_STATE_H
#define ROOFTOP_TUI_TERM_TERM_STATE_H

#include <curses.h>

#include <stdio.h>
#include <termios.h>

#include "tui/term/term.h"
#include "tui/term/term_flow.h"
#include "tui/term/term_signal.h"

enum { LEVELS = 101 };

/* A style in the form that ncurses takes, kept until the theme changes. */
struct term_pen {
    bool known;
    attr_t attrs;
    int pair;
};

struct term {
    SCREEN *screen;
    FILE *pipe_file; /* ncurses writes into this memory file, which is read back once per frame */
    FILE *in_file;
    int pipe_fd, in_fd, out_fd;
    int write_fd; /* the terminal, opened again so that O_NONBLOCK affects only rooftop */
    enum color_depth depth;
    struct termios before;
    struct term_guard guard;
    int wake_fd; /* a byte for each signal */
    int saved_err, captured_err;
    int err_fd; /* saved_err, opened again like write_fd */
    int cols, rows;
    bool mouse, keys_waiting, hung_up;
    bool given_back; /* the terminal is restored */

    struct canvas last; /* the picture that the terminal shows */
    bool repaint;
    const struct theme *theme;
    struct term_pen pens[STYLE_COUNT][LEVELS];

    char *out; /* output that the terminal has not taken yet: out[out_at..out_len) */
    size_t out_len, out_at, out_cap;
    unsigned long writes;
    struct term_flow flow;
    bool *first_rows; /* rows that a key changed: they are sent first */
    int first_n;      /* length of first_rows */
    int next_row;     /* the row where the next slice begins */
    bool answered;    /* the terminal answered since the last term_wait */
    int answer;       /* how many bytes of an answer ESC [ 0 n have come */
};

/* Writes waiting output. Returns the number of bytes left, or -errno. */
int term_frame_flush(struct term *t);
/*
 * Moves a frame from ncurses' memory to out. Returns its bytes. ask: adds the request that the
 * terminal answers.
 */
int term_frame_collect(struct term *t, bool sync, bool ask);
bool term_key_read(struct term *t, struct key_event *key);
void term_mouse_on(struct term *t);
void term_keys_define(void);

#endif
