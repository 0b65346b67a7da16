/* What the files of engine/capture share among themselves. */
#pragma once

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/capture/capture.h"
#include "engine/capture/capture_look.h"
#include "format/capture.h"

/* Finds where each frame of a zstd file (RFC 8878) begins, from the headers alone. */
enum { FRAMES_WHY = 160 };

/* Walks over the file, which must consist of exactly n frames. Frame i must say that it contains
 * CAPTURE_BLOCK bytes (the last: the rest of `size`). Fills n + 1 offsets, and in zeros whether
 * each frame contains only zeros. Returns false with the reason in why. */
bool frames_find(int fd, uint64_t stored, uint64_t size, uint64_t *offsets, bool *zeros, size_t n,
                 char why[FRAMES_WHY]);

/* What the files of this room share to read captures. */
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
/* Parses a text. mend: accepts commas before closing brackets. Call json_doc_free in any case. */
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

/* What capture_look.c and its thread, capture_look_work.c, share. */
enum { LOOK_SLOTS = 6 };
enum slot_state { SLOT_FREE, SLOT_WANTED, SLOT_READY, SLOT_FAILED };

struct look_slot { /* room for one block of a region */
    enum slot_state state;
    size_t region, block;
    bool after, zero;
    uint8_t *bytes; /* CAPTURE_BLOCK bytes; NULL until needed */
    uint64_t used;  /* the screen's clock when it was used last; the lowest is replaced first */
    char why[160];
};

struct capture_look {
    int refs; /* atomic */
    int fd;
    char *path;
    /* written by the thread; constant once opened (atomic) is set */
    bool opened;
    struct capture *capture;
    struct code_object *code;
    const struct code_kernel *kernel;
    struct kernarg args;
    bool has_args;
    char why[512], code_why[512];
    /* protected by the lock */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool quit;
    struct look_slot slot[LOOK_SLOTS];
    uint64_t clock;
    struct look_search search;
    bool searching, hit_ready;
    uint64_t serial; /* number of the search; a search whose number differs is no longer wanted */
    struct look_hit hit;
};

void look_report(struct capture_look *l);
void look_work(struct capture_look *l); /* the thread's main function */
/* The contents of a region before or after the kernel; NULL with *why if there are none. */
const struct capture_blob *look_blob(const struct capture_region *r, bool after, const char **why);
/* Runs *s, a copy of l->search, until it ends or l->serial differs from serial. */
void look_run_search(struct capture_look *l, const struct look_search *s, uint64_t serial,
                     struct look_hit *hit);
