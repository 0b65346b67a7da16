/*
 * Decides what a folder stands for: one trace that a reader takes as a whole (a run of rooftop
 * gpu profile), or all files and such folders below it that one reader takes. Tools often write the
 * same run in several formats side by side, so only the first matching reader in readers[] counts.
 */
#pragma once

#include "engine/trace/trace.h"

struct trace_places {
    char **paths; /* sorted by name; a folder's files come before its subfolders */
    uint32_t n;
    const struct reader_ops *reader; /* the reader of all of them */
    uint32_t left_out;               /* number of files that other readers would take */
    uint32_t empty;                  /* number of empty files */
    /* The number of files that no reader takes, though their names differ from one that is read in
     * digits only: as rank3.json beside rank2.json, if it ends within its first bytes. */
    uint32_t unread;
    char *first_unread; /* NULL: none */
    bool cut;           /* the search ended at too many files in a row that no reader takes */
};

/* The reader that takes the folder as a whole; NULL if there is none, or path is no folder. */
const struct reader_ops *trace_folder_reader(const char *path);
/* Whether path is a folder that no reader takes as a whole. */
bool trace_folder_is(const char *path);
/* The reader that takes the folder as a whole, else the reader of the first file that one takes.
 * NULL if there is none, or path is no folder. */
const struct reader_ops *trace_folder_first(const char *path);
/* Lists the files of such a folder. -ENODATA with err if no reader takes any of them. Call
 * trace_places_free in any case. */
int trace_folder_list(struct trace_places *out, const char *path, struct error *err);
/* Writes the next sentence about what of the folder is not read. *k: 0 at first. False: there is no
 * further one. */
enum { PLACES_LINE = 600 };
bool trace_places_tell(const struct trace_places *p, const char *path, int *k,
                       char line[PLACES_LINE]);
void trace_places_free(struct trace_places *p);
