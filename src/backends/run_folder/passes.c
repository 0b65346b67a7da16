/*
 * Reads a folder that rocprofv3 made of several passes: "pmc_1", "pmc_2"… below it, each of one
 * program. Spans come from the first pass, counters from all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "backends/run_folder/attach.h"
#include "base/arena.h"
#include "engine/trace/trace_folder.h"

enum { PASSES_MAX = 256, PATH_ROOM = 4096 };

/* The passes of one folder, kept until the graph of the first pass was read. */
struct passes {
    char *path;
    uint32_t first, end; /* nodes of the first pass; UINT32_MAX: up to the end */
    struct passes *next;
};

extern const struct reader_ops reader_passes;

static bool pass_of(const char *folder, unsigned n, char out[PATH_ROOM])
{
    struct stat st;
    int length = snprintf(out, PATH_ROOM, "%s/pmc_%u", folder, n);
    return length < PATH_ROOM && stat(out, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_folder(const char *path)
{
    char pass[PATH_ROOM];
    return pass_of(path, 2, pass) && pass_of(path, 1, pass) && trace_folder(pass);
}

static bool is_passes_folder(const char *path, const unsigned char *head, size_t size)
{
    (void)path;
    (void)head;
    (void)size;
    return false; /* it is not a file */
}

static int read_first(struct trace *t, const char *path, struct error *err)
{
    char pass[PATH_ROOM];
    struct trace_places files = {.n = 0};
    if (!pass_of(path, 1, pass))
        return error_set(err, ERROR_INPUT, ENOENT, NULL, path, "its first pass is missing");
    int rc = trace_folder_list(&files, pass, err);
    for (uint32_t i = 0; i < files.n && rc == 0; i++)
        rc = files.reader->read(files.paths[i], t, err);
    trace_places_free(&files);
    return rc;
}

static int read_folder(const char *path, struct trace *t, struct error *err)
{
    uint32_t first = t->calls->nnodes;
    int rc = read_first(t, path, err);
    if (rc != 0)
        return rc;
    struct passes *p = xcalloc(1, sizeof *p);
    struct passes **state = (struct passes **)trace_state(t, &reader_passes);
    *p = (struct passes){xstrdup(path), first, UINT32_MAX, *state};
    if (*state)
        (*state)->end = first;
    *state = p;
    return 0;
}

/* Lists the counters that dispatches already have. The caller frees the list. */
static uint32_t *taken_of(const struct trace *t, uint32_t *n)
{
    bool *seen = xcalloc(t->calls->nnames + (size_t)1, sizeof *seen);
    uint32_t *list = xcalloc(t->calls->nnames + (size_t)1, sizeof *list);
    *n = 0;
    for (uint32_t i = 0; i < t->ncounters; i++)
        if (!seen[t->counters[i].name]) {
            seen[t->counters[i].name] = true;
            list[(*n)++] = t->counters[i].name;
        }
    free(seen);
    return list;
}

/* If a pass cannot be read, its counters are missing, but the profile is still opened. */
static int attach_pass_file(struct trace *t, const struct passes *p, const char *path,
                            struct error *err)
{
    struct trace pass = {.watch = t->watch, .watch_ctx = t->watch_ctx};
    struct error why = ERROR_INIT;
    struct attach_result result = {0};
    char text[1024];
    uint32_t n;
    int rc = trace_open(&pass, &path, 1, &why);
    if (rc == -ECANCELED) {
        *err = why;
    } else if (rc != 0) {
        trace_note(t, "no counters of a pass: %s", error_format(&why, text, sizeof text));
        rc = 0;
    } else {
        uint32_t *taken = taken_of(t, &n);
        attach_counters(t, p->first, p->end, &pass, taken, n, &result);
        free(taken);
        if (result.kernels)
            trace_note(t,
                       "counters of %u kernel%s of another pass left out: they ran more or less "
                       "often, or otherwise, than in the first: %s",
                       result.kernels, result.kernels > 1 ? "s" : "", path);
    }
    trace_free(&pass);
    return rc;
}

static int finish_passes(struct trace *t, bool ok, struct error *err)
{
    struct passes *next, *p = *trace_state(t, &reader_passes);
    char pass[PATH_ROOM];
    int rc = 0;
    for (; p; p = next) {
        for (unsigned i = 2; ok && rc == 0 && i <= PASSES_MAX && pass_of(p->path, i, pass); i++)
            rc = attach_pass_file(t, p, pass, err);
        next = p->next;
        free(p->path);
        free(p);
    }
    return rc;
}

const struct reader_ops reader_passes = {
    .name = "passes of rocprofv3",
    .summary = "", /* other readers read the files */
    .recognise = is_passes_folder,
    .folder = is_folder,
    .read = read_folder,
    .finish = finish_passes,
};
