/* What the files of this room share to read captures. */
#ifndef ROOFTOP_ENGINE_CAPTURE_CAPTURE_IMPL_H
#define ROOFTOP_ENGINE_CAPTURE_CAPTURE_IMPL_H

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "engine/capture/capture.h"

enum {
    CAPTURE_REGIONS_MAX = 1 << 20,
    CAPTURE_VARIABLES_MAX = 1 << 16,
    CAPTURE_NOTES_MAX = 64,
};

struct capture_own {
    struct capture c; /* the public part; must be the first member */
    struct arena memory;
    int folder; /* descriptor of the folder; -1: closed, because only the head was wanted */
    bool head; /* only the documents were read; the files they name exist and have the right size */
    uint64_t kernarg_sum, code_sum;
    bool has_kernarg_sum, has_code_sum;
};

/* Fills err with "file: where: what". where NULL: the error concerns the whole file. Returns
 * -errno. */
int capture_refuse(const struct capture_own *o, struct error *err, const char *file,
                   const char *where, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void capture_note(struct capture_own *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* --- capture_folder.c --- */
/* Opens a regular file in the folder for reading, and gives its size. Never leaves the folder. */
int capture_file_open(const struct capture_own *o, const char *file, int *fd, uint64_t *size,
                      struct error *err);
bool capture_file_is(const struct capture_own *o, const char *file);
/* Reads the whole file, at most `most` bytes, and adds a NUL. The text lives as long as the
 * capture. */
int capture_file_read(struct capture_own *o, const char *file, size_t most, char **text, size_t *n,
                      struct error *err);
/* Checks that the blob's file exists and has the size that its contents need, without reading
 * them. */
int capture_file_check(const struct capture_own *o, const struct capture_blob *b, uint64_t size,
                       struct error *err);

/* --- capture_json.c --- */
struct json_doc {
    struct capture_own *o;
    const char *file;
    cJSON *root;
    bool mended; /* the text had commas before closing brackets, which were ignored */
    struct error *err;
};
/* Parses a text. mend: accepts commas before closing brackets. Call json_doc_delete in any case. */
int json_doc_parse(struct json_doc *d, const char *text, size_t n, bool mend);
void json_doc_free(struct json_doc *d);
int json_doc_refuse(const struct json_doc *d, const char *where, const char *key, const char *what);
/* These read members of an object; where ("regions[3]", "" for the document) is its place, for
 * errors. An absent member leaves *out as it is, unless it is JSON_MUST; a value of the wrong type
 * is refused. */
enum json_need { JSON_MAY, JSON_MUST };
int json_whole(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
               enum json_need need, uint64_t most, uint64_t *out);
int json_whole32(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
                 enum json_need need, uint32_t *out);
int json_truth(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
               bool *out);
int doc_text(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
             enum json_need need, const char **out);
int json_sum(const struct json_doc *d, const cJSON *in, const char *where, const char *key,
             enum json_need need, uint64_t *out, bool *has);
/* 2^53 - 1: the largest integer that every JSON reader keeps exact */
extern const uint64_t json_most;

/* --- capture_dispatch.c, capture_regions.c, capture_variables.c --- */
int capture_read_dispatch(struct capture_own *o, const char *text, size_t n, struct error *err);
int capture_read_regions(struct capture_own *o, const char *text, size_t n, struct error *err);
/* Rooftop's own form: members of dispatch.json. */
int capture_read_variables(const struct json_doc *d);
/* kerncap's form: a document of its own, which may be absent. */
int capture_read_foreign_variables(struct capture_own *o, struct error *err);
/* Joins the list "command" to one line, quoted for a shell. */
int capture_read_command(const struct json_doc *d, const char **out);

/* --- capture.c --- */
/* Reads only the documents, and checks that the files they name exist and have the right size. */
int capture_open_head(struct capture **out, const char *path, struct error *err);
/* Whether the folder looks like a capture, complete or not. */
bool capture_folder_is(const char *path);

#endif
