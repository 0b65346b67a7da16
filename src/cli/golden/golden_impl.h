/* What the files of cli/golden share: capturing one run, and the files of a folder. */
#pragma once

#include "cli/options/options.h"
#include "engine/golden/golden_store.h"
#include "export/brief.h"
#include "export/golden/golden_export.h"
#include "tui/canvas/canvas.h"

/* The values of all its sub-commands; a sub-command has options for some. */
struct golden_options {
    const char *folder, *level, *scenarios; /* NULL: the usual ones */
    bool all, force;
    long runs, repeat; /* of capture */
};

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

/* What the short answer and the annotations for GitHub tell of the scenarios that were checked,
 * captured or accepted. Zeroed: none. */
struct golden_summary {
    struct brief brief;
    size_t checked, differ, stored;
    FILE *lines; /* annotations; NULL: none yet */
    char *annotations;
    size_t size;
};
/* --brief, or a format that only the short answer has. */
bool golden_wants_brief(const struct options *o);
void golden_summary_add(struct golden_summary *s, const struct golden_options *own,
                        const char *name, const struct golden *stored, const struct golden *run,
                        const struct golden_diff *d);
/* Adds a run that was captured. */
void golden_summary_stored(struct golden_summary *s, const struct golden_options *own,
                           const struct golden *run);
/* Prints annotations, and the short answer where it is wanted. */
int golden_summary_end(struct golden_summary *s, const struct options *o, struct error *err);
void golden_summary_free(struct golden_summary *s);

/* FOLDER/NAME plus the ending. */
void golden_path(const struct golden_options *own, const char *name, const char *ending,
                 char out[4096]);
/* Whether the folder of golden traces, or a file of it, may say which commands are run: it is ours
 * or root's, or --folder names the folder, or it is not there. ERROR_INPUT otherwise. */
int golden_trusted(const struct golden_options *own, const char *path, struct error *err);
/* Writes NAME.json, NAME_summary.txt (if there is a summary) and the page for all. */
int golden_save(const struct golden_options *own, const struct golden *g, const char *summary,
                struct error *err);

/*
 * Shows the differences of a golden trace on a terminal, one after the other, each of which a key
 * accepts or rejects. The review itself knows no terminal; golden_review_run gives it one.
 */
enum golden_verdict { GOLDEN_UNDECIDED, GOLDEN_ACCEPTED, GOLDEN_REJECTED };

struct golden_review {
    const char *name;
    const struct golden *stored, *run;
    const struct golden_diff *d;
    uint8_t *verdict;        /* enum golden_verdict, by hunk */
    size_t at;               /* the hunk that is shown */
    int scroll, lines, page; /* of its text; set by the drawing */
    bool over, store;        /* the user has left; what was accepted is to be stored */
};

/* All are borrowed and outlive the review; free it with golden_review_end. */
void golden_review_begin(struct golden_review *r, const char *name, const struct golden *stored,
                         const struct golden *run, const struct golden_diff *d);
void golden_review_draw(struct golden_review *r, struct canvas *c);
/* key: a code point or enum key_code. */
void golden_review_key(struct golden_review *r, uint32_t key);
size_t golden_review_count(const struct golden_review *r, enum golden_verdict v);
/* Puts the accepted hunks into `stored`, which must be the trace that the review began with. d
 * must not be used afterwards. */
void golden_review_take(const struct golden_review *r, struct golden *stored);
void golden_review_end(struct golden_review *r);

/* Shows the review until the user leaves. 0, or -errno with err where there is no terminal. */
int golden_review_run(struct golden_review *r, const struct options *o, struct error *err);
