/* rooftop compare: runs before and after, side by side. */
#pragma once

#include <stdio.h>

#include "cli/options/options.h"
#include "engine/analysis/analysis.h"
#include "engine/compare/compare.h"
#include "engine/compare/run.h"
#include "engine/session/recording.h"
#include "export/brief.h"
#include "tui/canvas/canvas.h"

/* Draws the comparison as a table into c, which gets the rows that are needed. a and b: the sides
 * as the user named them. */
void compare_draw(struct canvas *c, int cols, const struct comparison *k, const char *a,
                  const char *b);
/* Schema "rooftop.compare/2" (docs/COMPARE.md), and CSV with a row for each number. */
void compare_json(FILE *out, const struct comparison *k, const char *a, const char *b);
void compare_csv(FILE *out, const struct comparison *k);
/* The numbers of both sides, their change, and whether it is beyond chance: docs/PROMETHEUS.md. */
void compare_openmetrics(FILE *out, const struct comparison *k);
/* Fills the answer, and the numbers that differ, in the order of the comparison. */
void compare_brief(struct brief *b, const struct comparison *k, bool ascii);
void compare_annotate(FILE *out, const struct comparison *k, bool fails);

/* Whether both words are folders of jobs; then compare_jobs prints what changed between them.
 * percent: as of --fail-on, below 0: not given. 0 or -errno with err. */
bool compare_are_jobs(const struct options *o);
int compare_jobs(const struct options *o, double percent, int *status, struct error *err);
/* Refuses a folder of a job beside something else. */
int compare_refuse_half_job(const struct options *o, struct error *err);

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
