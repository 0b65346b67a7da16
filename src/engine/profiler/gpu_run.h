/*
 * The result of `rooftop gpu profile`: a folder with the files that each run ("pass") of a command
 * under a profiler wrote, and a manifest, schema "rooftop.run/1" (docs/PROFILES.md). Times are only
 * from the base pass.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define GPU_RUN_FILE "profile.json" /* the manifest, in the folder */
enum { GPU_RUN_PASSES_MAX = 300, GPU_RUN_FILES_MAX = 4096 };

enum run_kind {
    RUN_BASE,     /* measures times */
    RUN_COUNTERS, /* reads hardware counters; its times are not used */
    RUN_ATT,      /* records a thread trace */
    RUN_EXPORT,   /* converts what the base pass wrote, without running the command */
    RUN_KINDS
};
enum run_state { RUN_PLANNED, RUN_RUNNING, RUN_COMPLETE, RUN_FAILED, RUN_INTERRUPTED, RUN_STATES };

struct run_pass {
    const char *name; /* name of its subfolder: "base", "counters-1", "att" */
    enum run_kind kind;
    enum run_state state;
    const char **argv; /* the executed command, NULL-terminated */
    const char **counters;
    const char *input; /* text of the file input_path, which is written before the start; NULL */
    const char *input_path;        /* NULL */
    const char *why;               /* why the pass failed; NULL */
    const char **files;            /* files that it wrote, relative to the folder */
    int wait_status;               /* -1: it has not ended yet */
    uint64_t started_ns, ended_ns; /* CLOCK_REALTIME; 0 = unknown */
    uint32_t ncounters, nfiles;
};

struct gpu_run {
    const char *generator, *tool, *tool_path, *tool_version; /* "" = unknown */
    const char *directory;                                   /* the command's working directory */
    const char *gpu;      /* architecture that the counters were planned for; "" = unknown */
    const char **argv;    /* the command, NULL-terminated */
    enum run_state state; /* RUN_COMPLETE is written last */
    struct run_pass *passes;
    uint32_t npasses;
    struct arena memory; /* owns all the texts and lists above */
};
void gpu_run_free(struct gpu_run *r);

const char *run_kind_name(enum run_kind k);   /* "base", "counters", "att", "export" */
const char *run_state_name(enum run_state s); /* "planned", "running", "complete"… */

/* Returns the manifest as text; the caller frees it. */
char *gpu_run_json(const struct gpu_run *r);
/* Parses a manifest; path is for messages. -errno with ERROR_INPUT, also for paths that lead out of
 * the folder. Free out in either case. */
int gpu_run_parse(struct gpu_run *out, const char *text, size_t size, const char *path,
                  struct error *err);
int gpu_run_read(struct gpu_run *out, const char *folder, struct error *err);
/* Writes the manifest; the file is replaced atomically. -errno with ERROR_OUTPUT. */
int gpu_run_write(const struct gpu_run *r, const char *folder, struct error *err);
/* Replaces the file at path atomically by a text. */
int gpu_run_put(const char *path, const char *text, struct error *err);
/* Whether the file's name ends like profile data: .db, .sqlite, .csv. */
bool gpu_run_data(const char *file);
/* The paths, including the folder, of all files that passes of this kind wrote; *n is their
 * number. r owns them. */
const char **gpu_run_files(struct gpu_run *r, const char *folder, enum run_kind kind, uint32_t *n);
const char **gpu_run_pass_files(struct gpu_run *r, const char *folder, const struct run_pass *p,
                                uint32_t *n);
/* Whether the folder holds a manifest. */
bool gpu_run_is(const char *folder);
