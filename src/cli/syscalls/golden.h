/* What the parts of rooftop golden share: capturing one run, and the files of a folder. */
#ifndef ROOFTOP_CLI_SYSCALLS_GOLDEN_H
#define ROOFTOP_CLI_SYSCALLS_GOLDEN_H

#include "cli/options/options.h"
#include "engine/golden/golden_diff.h"
#include "engine/golden/golden_store.h"

/* A run as a golden trace, with the table of its calls. */
struct golden_run {
    struct golden trace;
    char *summary; /* the table of -c; NULL for a saved trace */
};

/* Runs argv, or reads the saved trace `path` where argv is NULL. */
int golden_run_make(struct golden_run *out, const struct options *o, const char *path,
                    char *const *argv, enum golden_level level,
                    const struct golden_redactions *redactions, struct error *err);
void golden_run_free(struct golden_run *r);

/* FOLDER/NAME plus the ending. */
void golden_path(const struct options *o, const char *name, const char *ending, char out[4096]);
/* Writes NAME.json, NAME_summary.txt (if there is a summary) and the page for all. */
int golden_save(const struct options *o, const struct golden *g, const char *summary,
                struct error *err);

#endif
