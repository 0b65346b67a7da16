/*
 * Reads a folder of `rooftop gpu profile` as one trace: spans of the base profile, counters of the
 * others.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/run_folder/attach.h"
#include "base/arena.h"
#include "engine/profiler/gpu_run.h"

enum { TAKEN_MAX = 4096 };

/* One folder, kept until the graph of its base profile was read. */
struct folder {
    char *path;
    struct gpu_run run;
    uint32_t first, end; /* nodes of its base profile; UINT32_MAX: up to the end */
    struct folder *next;
};

static bool is_run_folder(const char *path, const unsigned char *head, size_t size)
{
    const char *name = strrchr(path, '/');
    return strcmp(name ? name + 1 : path, GPU_RUN_FILE) == 0 &&
           memmem(head, size, "\"rooftop.run/", 13) != NULL;
}

static void close_folder(struct folder *f)
{
    gpu_run_free(&f->run);
    free(f->path);
    free(f);
}

extern const struct reader_ops reader_run_folder;

static int read_base_profile(struct folder *f, struct trace *t, struct error *err)
{
    uint32_t base, export;
    const char **files = gpu_run_files(&f->run, f->path, RUN_BASE, &base),
               **made = gpu_run_files(&f->run, f->path, RUN_EXPORT, &export);
    int rc = 0;
    if (base + export == 0)
        return error_set(err, ERROR_INPUT, ENODATA, "profile again", f->path,
                         "its base profile left no result (the run is %s)",
                         run_state_name(f->run.state));
    for (uint32_t i = 0; i < base + export && rc == 0; i++) {
        const char *file = i < base ? files[i] : made[i - base];
        const struct reader_ops *r = trace_folder(file) ? NULL : trace_reader(file, err);
        rc = r && r != &reader_run_folder ? r->read(file, t, err) : -EINVAL;
    }
    return rc;
}

static int read_folder(const char *path, struct trace *t, struct error *err)
{
    const char *slash = strrchr(path, '/');
    struct folder *f = xcalloc(1, sizeof *f);
    f->path = xstrdup(path);
    if (!trace_folder(path)) /* the user named its manifest */
        strcpy(f->path, slash ? "" : ".");
    if (!*f->path && slash)
        snprintf(f->path, strlen(path), "%.*s", (int)(slash - path), path);
    f->first = t->calls->nnodes;
    f->end = UINT32_MAX;
    int rc = gpu_run_read(&f->run, f->path, err);
    if (rc == 0)
        rc = read_base_profile(f, t, err);
    if (rc != 0) {
        close_folder(f);
        return rc;
    }
    void **state = trace_state(t, &reader_run_folder);
    struct folder *before = *state;
    if (before)
        before->end = f->first;
    f->next = before;
    *state = f;
    return 0;
}

/* Adds a note of one line, because the screen has no space for more. */
static void note_result(struct trace *t, const struct run_pass *p, const char *path,
                        const struct attach_result *r)
{
    char why[256];
    const char *name = graph_text(t->calls, r->name);
    if (r->kernels == 0)
        return;
    if (r->in_base == r->in_pass)
        snprintf(why, sizeof why, "'%.80s' ran with other shapes than in the base profile", name);
    else
        snprintf(why, sizeof why, "'%.80s' ran %u times in a queue, %u in the base profile", name,
                 r->in_pass, r->in_base);
    trace_note(t, "%s: counters of %u kernel%s left out: %s; by themselves: rooftop %s", p->name,
               r->kernels, r->kernels > 1 ? "s" : "", why, path);
}

/* If a pass cannot be read, its counters are missing, but the profile is still opened. */
static int attach_run_pass(struct trace *t, struct folder *f, const struct run_pass *p,
                           uint32_t *taken, uint32_t *ntaken, struct error *err)
{
    struct trace pass = {.watch = t->watch, .watch_ctx = t->watch_ctx};
    struct error why = ERROR_INIT;
    struct attach_result result = {0};
    char text[1024];
    uint32_t n;
    const char **files = gpu_run_pass_files(&f->run, f->path, p, &n);
    int rc = n ? trace_open(&pass, files, n, &why) : -ENODATA;
    if (rc == -ECANCELED) {
        *err = why;
    } else if (rc != 0) {
        const char *reason = p->why ? p->why : "it did not run";
        trace_note(t, "%s: no counters: %s", p->name,
                   n ? error_format(&why, text, sizeof text) : reason);
        rc = 0;
    } else {
        attach_counters(t, f->first, f->end, &pass, taken, *ntaken, &result);
        note_result(t, p, files[0], &result);
    }
    for (uint32_t i = 0; i < p->ncounters && *ntaken < TAKEN_MAX; i++)
        taken[(*ntaken)++] = graph_intern(t->calls, p->counters[i]);
    trace_free(&pass);
    return rc;
}

static int attach_folder(struct trace *t, struct folder *f, struct error *err)
{
    uint32_t *taken = xcalloc(TAKEN_MAX, sizeof *taken), ntaken = 0;
    int rc = 0;
    if (f->run.state != RUN_COMPLETE)
        trace_note(t, "%s: this run is %s, not complete", f->path, run_state_name(f->run.state));
    for (uint32_t i = 0; i < f->run.npasses && rc == 0; i++)
        if (f->run.passes[i].kind == RUN_COUNTERS)
            rc = attach_run_pass(t, f, &f->run.passes[i], taken, &ntaken, err);
    free(taken);
    return rc;
}

static int finish_folder(struct trace *t, bool ok, struct error *err)
{
    int rc = 0;
    struct folder *next, *f = *trace_state(t, &reader_run_folder);
    for (; f; f = next) {
        if (ok && rc == 0)
            rc = attach_folder(t, f, err);
        next = f->next;
        close_folder(f);
    }
    return rc;
}

const struct reader_ops reader_run_folder = {
    .name = "run folder",
    .summary = "folders of rooftop gpu profile",
    .recognise = is_run_folder,
    .folder = gpu_run_is,
    .read = read_folder,
    .finish = finish_folder,
};
