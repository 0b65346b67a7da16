/*
 * A line on standard error that says how far long work is. It is drawn only on a terminal that can
 * erase a line (never in a pipe, with TERM=dumb or where CI is set), begins after half a second, is
 * drawn at most a few times a second, as wide as the terminal is then, and is removed at the end,
 * also where INT, TERM or HUP end the process.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_SIGNALS = 3 };
struct progress_note {
    uint64_t began_ns, drawn_ns;
    int fd; /* a copy of standard error, which may be redirected meanwhile; -1: nothing is drawn */
    bool taken[PROGRESS_SIGNALS];
    struct sigaction before[PROGRESS_SIGNALS];
};

/* A command that listens to signals still gets them. */
void progress_note_begin(struct progress_note *l);
/* The same for work that leaves nothing behind: INT, TERM and HUP end the process at once, even in
 * a command that listens to them. */
void progress_note_begin_ended_by_signals(struct progress_note *l);
/* Whether progress_note_show would draw now: a text that is costly to make is made only then. */
bool progress_note_due(const struct progress_note *l);
/* Draws the text if it is due. Nothing in it is printed raw. */
void progress_note_show(struct progress_note *l, const char *text);
/* The columns that the line may have now. */
int progress_note_width(const struct progress_note *l);
/* Makes the next text due at once: what it tells may take long. */
void progress_note_hurry(struct progress_note *l);
/* Removes the line until it is drawn again: call it before something else is printed. Any thread
 * and any signal handler may. */
void progress_note_erase(void);
/* A half-written file that a signal which ends the process removes, too; NULL: none any more. It is
 * borrowed. */
void progress_note_guards(const char *path);
void progress_note_end(struct progress_note *l);
