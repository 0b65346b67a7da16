/* The files of a hang: dumps, a file a rank, which a backend reads. */
#pragma once

#include "engine/job/hang.h"
#include "engine/trace/trace.h"

struct hang_reader {                /* of the backend */
    const struct reader_ops *files; /* recognises them */
    void *(*begin)(void);           /* memory that is used for one file after the other */
    int (*add)(void *memory, struct hang *h, const char *path, struct error *err);
    void (*end)(void *memory);
};
extern const struct hang_reader hang_reader;

/* Whether a file begins like a dump. */
bool hang_file_is(const char *path);
/* Reads files, and folders of such, and finds the answer. A file of a folder that cannot be read is
 * left out and told in out->notes, as long as another one can be read. 0, or -errno with err; free
 * *out in either case. */
int hang_files_open(struct hang *out, const char *const *paths, size_t n, struct error *err);
