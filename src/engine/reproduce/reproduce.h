/*
 * Makes a self-contained folder from a capture: the captured data, the kernel's source with its
 * includes, a Makefile that rebuilds the code object, and scripts that replay, verify and profile
 * it. The source is found by the line tables of the captured code object, in Triton's cache, by a
 * name, or in the files of a compile_commands.json (docs/CAPTURE.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/arena.h"
#include "base/error.h"
#include "engine/capture/capture.h"
#include "engine/reproduce/device_build.h"
#include "engine/reproduce/source_tree.h"
#include "engine/reproduce/triton_cache.h"

struct reproduce_request {
    const char *capture_dir;
    const char *folder;           /* folder to make; it may exist if it is empty */
    const char *compile_commands; /* path of the file; NULL */
    const char *source;           /* path of the kernel's source; NULL: search for it */
    /* Called while the captured data are checked, with the bytes read so far, by one thread at a
     * time; then while files are copied, with the bytes written so far. NULL: nobody listens. */
    void (*checked)(void *ctx, uint64_t bytes);
    void (*copied)(void *ctx, uint64_t bytes);
    void *ctx;
};

enum reproduce_by { REPRODUCE_NAMED, REPRODUCE_TRITON, REPRODUCE_LINES, REPRODUCE_COMMANDS };
enum { REPRODUCE_NOTES_MAX = 32 };

/* The result. Paths in the folder are relative to it. */
struct reproduction {
    struct arena arena;
    struct capture *capture;
    const char *folder;
    const char *target;                /* target of the code object: "gfx942:sramecc+:xnack-" */
    enum reproduce_by by;              /* how the source was found */
    const char *main;                  /* the kernel's file, absolute */
    struct source_tree tree;           /* the copied files, in the folder's source/ */
    struct compile_commands *commands; /* the commands of the request's compile_commands; NULL */
    struct device_build build;         /* how it is compiled */
    struct triton_kernel triton;       /* name NULL: not one of Triton's kernels */
    uint64_t capture_bytes;
    const char *notes[REPRODUCE_NOTES_MAX]; /* assumptions and missing parts, one sentence each */
    size_t nnotes;
};

/*
 * 0, or -errno with ERROR_INPUT (the capture or the commands are damaged, or a named file is
 * missing), ERROR_UNSUPPORTED (the source file cannot be found) or ERROR_OUTPUT. After a failure no
 * folder is left. Free *out with reproduce_free in either case.
 */
int reproduce(struct reproduction *out, const struct reproduce_request *q, struct error *err);
void reproduce_free(struct reproduction *r);
/* Adds a note for the user; it is also written into the folder. */
void reproduce_note(struct reproduction *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- reproduce_source.c: finds the source, and how it is compiled --- */
int reproduce_find(struct reproduction *r, const struct reproduce_request *q, struct error *err);

/* --- reproduce_text.c: the texts in the folder --- */
/* Writes flags.txt, Makefile, replay.sh, profile.sh, README.md and reproduce.json into the folder.
 */
int reproduce_write_texts(const struct reproduction *r, const char *folder, struct error *err);
cJSON *reproduce_json(const struct reproduction *r);
