/* One side of a comparison: what its files tell of the runs they are of. */
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
    struct analysis *profile;  /* the first profile among them, NULL: there is none; and */
    struct recording *session; /* the first session */
};

/* word: FILE, or FILE,FILE,... where there is no file of that name: a session, a profile, a
 * document of --headless --format json, or a folder of one run each. Free it after either outcome.
 */
int compare_files_load(struct compare_files *side, const char *word, const struct options *o,
                       struct error *err);
void compare_files_unload(struct compare_files *side);

#endif
