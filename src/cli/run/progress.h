/*
 * Opening files on the command line: a bar on stderr where that is a terminal and it lasts longer
 * than half a second, gone at the end; INT, TERM and HUP end it at once.
 */
#ifndef ROOFTOP_CLI_RUN_PROGRESS_H
#define ROOFTOP_CLI_RUN_PROGRESS_H

#include "cli/options/options.h"
#include "engine/analysis/analysis.h"
#include "engine/trace/window.h"

/* The part of profiles that is wanted, of all that are opened from now on: --from, --to, --range.
 * ERROR_USAGE. */
int progress_want(const struct options *o, struct error *err);
const struct window *progress_wanted(void);

/* As trace_open and analysis_open, whose errors they are. */
int progress_trace_open(struct trace *t, const char *const *paths, size_t n, struct error *err);
int progress_analysis_open(struct analysis *a, const char *const *paths, size_t n,
                           struct error *err);

/* What is done: "reading", and what it will take in all where that is much. */
void progress_doing(char *out, size_t size, const struct trace *t, uint64_t done, uint64_t total);
/* The line of the bar, at most width cells: "profile.db  reading  [=====     ]  43 %". */
void progress_line(char *out, size_t size, int width, const char *path, const char *doing,
                   double share);

/* A line on stderr, where that is a terminal, that is written again and again and gone at the end:
 * not in the first half second, and a few times a second at most. */
struct progress_note {
    uint64_t began_ns, drawn_ns;
    bool terminal, drawn;
};
void progress_note_begin(struct progress_note *l);
void progress_note_show(struct progress_note *l, const char *text);
void progress_note_end(struct progress_note *l);

#endif
