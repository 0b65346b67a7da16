/* What the files of captures share. */
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
    int folder; /* descriptor of the folder; -1: closed, for a head */
    bool head;  /* the documents are read, the files that they tell of are there and as large */
    uint64_t kernarg_sum, code_sum;
    bool has_kernarg_sum, has_code_sum;
};

/* Failures: "file: where: what" of a capture. where NULL: of the file as a whole. */
int capture_refuse(const struct capture_own *o, struct error *err, const char *file,
                   const char *where, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void capture_note(struct capture_own *o, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* --- capture_folder.c --- */
/* Opens a regular file below the folder, never outside it, for reading. Fills its size. */
int capture_file_open(const struct capture_own *o, const char *file, int *fd, uint64_t *size,
                      struct error *err);
bool capture_file_is(const struct capture_own *o, const char *file);
/* All of it, of at most `most` bytes, with a NUL after it; for the capture's life. */
int capture_file_read(struct capture_own *o, const char *file, size_t most, char **text, size_t *n,
                      struct error *err);
/* Size and contents of a file that must be as a blob says (without contents). */
int capture_file_check(const struct capture_own *o, const struct capture_blob *b, uint64_t size,
                       struct error *err);

/* --- capture_json.c --- */
struct json_doc {
    struct capture_own *o;
    const char *file;
    cJSON *root;
    bool mended; /* commas before a bracket were overlooked */
    struct error *err;
};
/* Of a text; mend: commas before a closing bracket are overlooked. To be deleted in any case. */
int json_doc_parse(struct json_doc *d, const char *text, size_t n, bool mend);
void json_doc_free(struct json_doc *d);
int json_doc_refuse(const struct json_doc *d, const char *where, const char *key, const char *what);
/* Members of an object at `where` ("regions[3]", "" the document): what is absent leaves *out as it
 * is, unless it must be there; what is no such value is refused. */
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
extern const uint64_t json_most; /* 2^53 - 1: the largest that all readers take for exact */

/* --- capture_dispatch.c, capture_regions.c, capture_variables.c --- */
int capture_read_dispatch(struct capture_own *o, const char *text, size_t n, struct error *err);
int capture_read_regions(struct capture_own *o, const char *text, size_t n, struct error *err);
/* Of rooftop's own form: members of dispatch.json. */
int capture_read_variables(const struct json_doc *d);
/* Of kerncap's: a document of its own, which may be absent. */
int capture_read_foreign_variables(struct capture_own *o, struct error *err);
/* A line of a list: "command" as a shell would take it. */
int capture_read_command(const struct json_doc *d, const char **out);

/* --- capture.c --- */
/* Reads only the documents. The files that they name are checked for existence and size. */
int capture_open_head(struct capture **out, const char *path, struct error *err);
/* Whether a folder looks like a capture, finished or not. */
bool capture_folder_is(const char *path);

#endif
