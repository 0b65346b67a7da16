/* What the files of tui/term share among themselves. */
#pragma once

#include <curses.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <termios.h>

#include "tui/term/term.h"

/*
 * Adapts to a slow terminal. Written bytes may wait in Linux, in ssh and in a serial line for a
 * minute; only an answer of the terminal shows that they have arrived. A status request (ECMA-48
 * DSR 5, answered by 0) goes with a frame now and then, and with each frame while the line is slow.
 * No further frame is sent before the answer, so frames are dropped and never queued.
 *
 * On a slow line a frame is cut into slices of what it carries in a third of a second, the rows
 * that a key changed going first; between slices of data it rests as long as they took.
 */
enum flow_state {
    FLOW_UNKNOWN, /* not answered yet: small steps, for five seconds */
    FLOW_MUTE,    /* it does not answer: only Linux's buffer shows the state */
    FLOW_FAST,
    FLOW_SLOW,
};

enum { FLOW_REQUESTS = 10 };

struct term_flow {
    enum flow_state state;
    int asked; /* requests not yet answered, the oldest first in request[] */
    struct flow_request {
        size_t bytes; /* bytes that were sent with the request */
        uint64_t at_ns;
    } request[FLOW_REQUESTS], quick; /* quick: the one answered soonest */
    double quick_s;                  /* seconds until that answer */
    bool wanted;                     /* a frame was held back, or is not complete */
    bool forgotten;                  /* a request was not answered, so it counts as mute */
    bool urgent;                     /* the effect of a key waits to be sent */
    uint64_t begun_ns, sent_ns;      /* times of the first and of the last frame */
    uint64_t answered_ns;            /* time of the last answer */
    uint64_t rest_until;             /* no data is sent before this time */
    uint64_t probed_ns;              /* time of the last request */
    size_t unasked;                  /* bytes since the last request */
    double bytes_per_s;              /* measured; 0 = not yet */
    double rtt_s;                    /* round trip of the last answer */
    unsigned long dropped;           /* frames held back */
};

#define FLOW_NOTHING UINT64_MAX
extern const char flow_question[4]; /* not terminated */

/* Whether a frame may be sent now. If not, remembers that a frame is wanted. */
bool flow_may_send(struct term_flow *f, uint64_t now);
/* Bytes that the next frame should not exceed by much; SIZE_MAX = no limit. */
size_t flow_budget(const struct term_flow *f);
/* Whether the request goes with the frame about to be sent. */
bool flow_asks(const struct term_flow *f, uint64_t now);
/* n bytes were sent, with the request or without; complete: nothing of the picture is left. */
void flow_sent(struct term_flow *f, size_t n, bool asked, bool complete, uint64_t now);
void flow_answered(struct term_flow *f, uint64_t now);
/* When to call flow_expired if no answer comes; FLOW_NOTHING = never. */
uint64_t flow_deadline(const struct term_flow *f);
/* Call it at that time: true if a frame is wanted and may be sent now. */
bool flow_expired(struct term_flow *f, uint64_t now);

/*
 * Compiled terminfo entries, as term(5) describes them: read, and rewritten for 24-bit colour.
 */
enum { TERM_INFO_MAX = 32768 }; /* no compiled entry is larger (term(5)) */

/* An entry that rooftop carries, for systems without it. The build copies those of carried.txt. */
struct carried_entry {
    const char *name; /* NULL: the end */
    const unsigned char *bytes;
    size_t size;
};
extern const struct carried_entry term_carried[];

/* Reads the entry of `term` from the usual places, else from those carried. Bytes read, or -ENOENT.
 */
long term_info_read(const char *term, unsigned char out[TERM_INFO_MAX]);
/* How many colours the entry has; 0 = none, -1 = not an entry. */
int term_info_colors(const unsigned char *entry, size_t len);
/* An entry as a value for the environment variable TERMINFO ("hex:…", ncurses 6.1 and later),
 * malloc'ed. */
char *term_info_hex(const unsigned char *entry, size_t len);
/*
 * The same terminal with direct 24-bit colours, in the form of term_info_hex; NULL where the entry
 * cannot be rewritten.
 */
char *term_info_direct(const unsigned char *entry, size_t len);

/*
 * Restores the terminal when the program gets a fatal signal or crashes. The handler calls only
 * async-signal-safe functions; the bytes to write are prepared beforehand.
 */

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

/*
 * The state behind term.h, shared by term.c (the terminal as a whole), term_frame.c (pictures) and
 * term_keys.c (input).
 */
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
