/* Finds the folders with traces, and reads the files of one. */
#ifndef ROOFTOP_BACKENDS_ATT_FOLDER_H
#define ROOFTOP_BACKENDS_ATT_FOLDER_H

#include "backends/att/parse.h"
#include "engine/att/att.h"

struct att_text {
    char *text; /* NUL-terminated */
    size_t size;
    char *path; /* for messages */
};

/*
 * Reads a regular file of at most `most` bytes. Returns 0, -ENOENT where it does not exist, or
 * another error where it is too large or cannot be read; err is filled. Call att_text_free after
 * success.
 */
int att_text_read(struct att_text *out, const char *dir, const char *name, uint64_t most,
                  struct error *err);
void att_text_free(struct att_text *t);

/* The names in a folder, sorted; at most some 10^5. */
struct att_names {
    char **list;
    uint32_t n;
};
int att_names_read(struct att_names *out, const char *dir, struct error *err);
void att_names_free(struct att_names *n);

/* Adds the lines of the source files in the folder to the rows. */
void att_read_source(struct att *a, const char *dir, const struct att_kept *kept, uint32_t n);

int att_folder_list(struct att_places *out, const char *path, struct error *err);

#endif
