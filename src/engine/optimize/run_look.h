/* A run at this moment, for display: the newest records of its log, totals of all records, and
 * whether it still runs. Reading continues where the last look ended, so a log of any length can
 * be followed. Nothing is written, and no lock is taken. */
#pragma once

#include <limits.h>

#include "engine/optimize/optimize_progress.h"

enum { RUN_KEPT = 4096, RUN_FOLDERS = 64, RUN_NAME = NAME_MAX + 1 };

/* What a look is to show. */
struct run_request {
    char folder[RUN_NAME]; /* "": the newest */
    bool opened;           /* what the files of a record say, too */
    uint64_t record;       /* its index in the log */
};

/* What the files of one record say. */
struct run_detail {
    uint64_t record;
    char *line;     /* of the log, without its end */
    char *messages; /* of the builder; NULL: there are none */
    char *diff;     /* from its base's source to its own; NULL: why says so */
    char why[320];
};

struct run_snapshot {
    /* Folders that have the log of a run, the newest first; those past the first RUN_FOLDERS only
     * count. */
    char folders[RUN_FOLDERS][RUN_NAME];
    size_t nfolders, all_folders;
    size_t at;        /* the shown one; nfolders: none */
    char failed[512]; /* why not all of it is shown; "" */

    struct optimize_log log; /* list: the last RUN_KEPT records at most */
    uint64_t first;          /* index of log.list[0] in the log */
    uint64_t tried, accepted, confirmed, rolled_back;
    uint64_t outcomes[OPTIMIZE_OUTCOMES]; /* of the candidates */
    /* What is best so far; 0: the source. factor: its time by that of the source, the steps
     * multiplied until it is confirmed; NaN: not known. */
    uint32_t best;
    bool best_confirmed;
    struct interval factor;
    bool running;      /* somebody holds the log's lock */
    bool has_progress; /* while it runs: progress is what it does now */
    struct optimize_progress progress;
    double began_s, ended_s; /* wall-clock time of the first and the last line; NaN */
    struct run_detail *detail;
};
void run_snapshot_free(struct run_snapshot *p); /* NULL allowed */

struct run_look;
/* folder: where the folders of runs lie; copied. */
struct run_look *run_look_new(const char *folder);
void run_look_free(struct run_look *k);
/*
 * Looks again. A snapshot, if it is another one than the last; else NULL. *more: there is more to
 * read than one look takes.
 */
struct run_snapshot *run_look(struct run_look *k, const struct run_request *request, bool *more);

/* What run_look.c and run_files.c share. */

enum { RUN_PATH = 1024, RUN_LINE = 1 << 16 };

/* Opens a regular file; nothing else, and no link, because the folder may be anybody's. A
 * descriptor, or -errno. */
int run_open(const char *path);
/* A file of at most `most` bytes, ended by a 0 that does not count. NULL: *why says why. */
char *run_text(const char *path, size_t most, size_t *n, const char **why);
/* Fills names with the folders that have a log, the newest first. Returns how many there are. */
size_t run_folders(const char *folder, char names[RUN_FOLDERS][RUN_NAME], size_t *n);
/* What the files of a record say. line: malloc'ed, or NULL; taken over. */
struct run_detail *run_detail_read(const char *run, const char *source,
                                   const struct optimize_record *r, char *line);
void run_detail_free(struct run_detail *d);
