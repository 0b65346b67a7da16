/*
 * What a folder stands for, decided here alone: one trace that a reader takes as a whole (a run of
 * rooftop profile), or all files and such folders below it that one reader takes. Tools write the
 * same run in several formats beside each other; those of the first reader in readers[] count.
 */
#ifndef ROOFTOP_ENGINE_TRACE_TRACE_FOLDER_H
#define ROOFTOP_ENGINE_TRACE_TRACE_FOLDER_H

#include "engine/trace/trace.h"

struct trace_places {
    char **paths; /* in the order of their names, those of a folder before its folders' */
    uint32_t n;
    const struct reader_ops *reader; /* of all of them */
    uint32_t left_out;               /* that other readers take */
    bool cut;                        /* there is more than is looked at */
};

/* The reader that takes the folder as a whole; NULL: none, or it is no folder. */
const struct reader_ops *trace_folder_reader(const char *path);
/* Whether it is a folder that no reader takes as a whole. */
bool trace_folder_is(const char *path);
/* What is in such a folder. -ENODATA with err where nothing can be read; free it after any outcome.
 */
int trace_folder_list(struct trace_places *out, const char *path, struct error *err);
void trace_places_free(struct trace_places *p);

#endif
