/* What the files of cli share among themselves. */
#pragma once

#include <stdio.h>

#include "cli/options/options.h"
#include "engine/analysis/analysis.h"
#include "engine/capture/capturer.h"
#include "engine/compare/compare.h"
#include "engine/compare/run.h"
#include "engine/live/source.h"
#include "engine/session/recording.h"
#include "tui/canvas/canvas.h"

/* rooftop capture: saves one dispatch of a command's kernel, with all memory that it could
 * access. */

/* Reports the captures, for people on stderr, or as JSON on stdout. */
struct capture_report {
    const struct capturer_state *state;
    uint32_t number;    /* number of the request whose results are reported */
    uint64_t wanted;    /* number of the dispatch that was requested */
    const char *kernel; /* the expression that kernels had to match */
    bool every;
};
/* Each returns the exit status for the captures; it counts if the command's own status is 0. */
int capture_report_text(const struct capture_report *r);
int capture_report_json(const struct capture_report *r, int wait_status);

/* rooftop compare: runs before and after, side by side. */

/* Draws the comparison as a table into c, which gets the rows that are needed. a and b: the sides
 * as the user named them. */
void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b);
/* Schema "rooftop.compare/2" (docs/COMPARE.md), and CSV with a row for each number. */
void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b);
void compare_csv(FILE *out, const struct comparison *k);

/* Loads one side of a comparison: the runs that its files contain. */
struct compare_files {
    struct runs runs;
    char **paths; /* NULL-terminated */
    size_t n;
    struct analysis *profile;  /* the first profile; NULL: none */
    struct recording *session; /* the first session; NULL: none */
};

/* word: FILE, or FILE,FILE,... if no file has that name. A file is a session, a profile, a
 * document of --headless --format json, or a folder with one run in each file. 0 or -errno with
 * err; free *side in either case. */
int compare_files_load(struct compare_files *side, const char *word, const struct options *o,
                       struct error *err);
void compare_files_unload(struct compare_files *side);

/* `rooftop doctor`: every capability, whether it is available, why not, and what would enable
 * it. */
struct doctor_finding {
    const char *source;
    struct capability capability; /* its strings belong to the report */
};
struct doctor_report {
    struct doctor_finding *findings;
    size_t n, cap;
    struct arena arena;
};
/* Probes every source of the table (NULL-terminated). Free with doctor_free. */
void doctor_probe(struct doctor_report *r, const struct source_ops *const *sources);
void doctor_free(struct doctor_report *r);
/* The report as text, or as JSON (schema "rooftop.doctor/1"). The caller frees it with free().
 * width: the column at which text is folded. */
char *doctor_text(const struct doctor_report *r, bool ascii, bool color);
char *doctor_json(const struct doctor_report *r);
