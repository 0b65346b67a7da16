/* Reads CSV files of rocprofv3 as traces. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocprof_csv/rocprof_csv_impl.h"
#include "base/arena.h"

enum { ROWS_BETWEEN_LOOKS = 4096 };

extern const struct reader_ops reader_rocprof_csv;

static bool is_rocprof_csv(const char *path, const unsigned char *head, size_t size)
{
    struct csv c;
    struct csv_header h;
    if (!csv_is_possible(head, size))
        return false;
    int rc = 0;
    if (path)
        rc = csv_open(&c, path, NULL, NULL);
    else
        csv_open_bytes(&c, head, size);
    bool known = rc == 0 && csv_next(&c) == 1 && csv_header_of(&h, &c);
    csv_close(&c);
    return known;
}

static struct csv_runs *runs_of(struct trace *t)
{
    void **state = trace_state(t, &reader_rocprof_csv);
    if (!*state)
        *state = xcalloc(1, sizeof(struct csv_runs));
    return *state;
}

static int read_csv_rows(struct csv *c, struct trace *t, const char *prefix)
{
    struct csv_runs *runs = runs_of(t);
    struct csv_header h;
    int rc = csv_next(c);
    if (rc != 1 || !csv_header_of(&h, c))
        return rc < 0 ? rc : csv_refuse(c, NULL, "the columns of none of rocprofv3's files");
    if (h.kind >= CSV_SKIPPED) {
        if (!runs->skipped)
            runs->skipped = xstrdup(c->path);
        runs->why = h.kind;
        return 0;
    }
    runs->useful = true;
    for (uint64_t rows = 0; (rc = csv_next(c)) == 1; rows++) {
        if (c->nfields != h.fields)
            return csv_refuse(c, NULL, "%u fields where the first line has %u", c->nfields,
                              h.fields);
        const char *guid = csv_text(c, &h, C_GUID);
        struct csv_run *run = csv_run_of(runs, prefix, guid ? guid : "");
        if (!run)
            return csv_refuse(c, NULL, "too many runs at once");
        run->shorts.t = t;
        rc = csv_add_row(runs, run, t, c, &h);
        t->so_far = rows;
        if (rc == 0 && run->ncounted % ROWS_BETWEEN_LOOKS == 0)
            rc = trace_check_memory(t, run->ncounted, c->path, c->err);
        if (rc == 0 && rows % ROWS_BETWEEN_LOOKS == 0)
            rc = trace_progress(t, c->path, c->read, c->stream.size, c->err);
        if (rc != 0)
            return rc;
    }
    return rc;
}

static int read_rocprof_csv(const char *path, struct trace *t, struct error *err)
{
    struct csv c;
    char *prefix = csv_prefix(path);
    int rc = csv_open(&c, path, t, err);
    if (rc == 0)
        rc = read_csv_rows(&c, t, prefix);
    csv_close(&c);
    free(prefix);
    return rc;
}

static int finish_trace(struct trace *t, bool ok, struct error *err)
{
    void **state = trace_state(t, &reader_rocprof_csv);
    struct csv_runs *runs = *state;
    int rc = 0;
    *state = NULL;
    if (ok && runs->useful)
        csv_build(runs, t);
    else if (ok && runs->skipped && t->calls->nnodes == 0)
        rc = error_set(err, ERROR_INPUT, ENODATA, "give the run's kernel or API traces too",
                       runs->skipped, "it contains %s, which rooftop does not show",
                       csv_kind_name(runs->why));
    csv_runs_free(runs);
    free(runs);
    return rc;
}

const struct reader_ops reader_rocprof_csv = {
    .name = "rocprofv3 CSV",
    .summary = "rocprofv3 (.csv)",
    .streams = true,
    .recognise = is_rocprof_csv,
    .read = read_rocprof_csv,
    .finish = finish_trace,
};
