/* Loads one side of a comparison: the runs that its files contain. */
#ifndef ROOFTOP_CLI_COMPARE_LOAD_H
#define ROOFTOP_CLI_COMPARE_LOAD_H

#include "cli/options/options.h"
#include "engine/analysis/analysis.h"
#include "engine/compare/run.h"
#include "engine/session/recording.h"

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

#endif
