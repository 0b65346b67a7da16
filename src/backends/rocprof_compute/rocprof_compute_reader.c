/* Reads workloads of rocprof-compute as traces: a folder, or one of its files with dispatches. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/rocm/timeline.h"
#include "backends/rocprof_compute/rocprof_compute_impl.h"
#include "base/arena.h"
#include "engine/roofline/roofs_csv.h"

struct workload {
    struct sheets all;
    struct sheet base;
    struct compute_system system;
};

static bool is_workload(const char *path, const unsigned char *head, size_t size)
{
    struct csv c;
    if (!path || !csv_is_possible(head, size))
        return false;
    bool known = csv_open(&c, path, NULL, NULL) == 0 && csv_next(&c) == 1 && sheet_recognise(&c);
    csv_close(&c);
    return known;
}

/* --- counters --- */

/* A counter with instances has a column for each, "TCC_HIT[0]" to "TCC_HIT[31]"; some also have the
 * tool's own sum, "TCC_HIT_sum". */
#define WHOLE UINT32_MAX
struct counter_part {
    uint32_t whole, number; /* whole: a name in columns; number: an instance or WHOLE */
};
struct whole {
    double sum;      /* in one dispatch, over its instances */
    uint32_t n, max; /* number of instances so far; the highest index */
    bool summed;     /* the tool's own sum exists */
};
struct counting {
    struct graph *columns;
    struct counter_part *parts; /* by column */
    struct whole *wholes;       /* by name in columns */
    uint32_t *touched, ntouched;
    uint32_t channels; /* number of TCC instances; TRACE_UNKNOWN */
    uint64_t cut;      /* sums with missing instances */
};

static struct counter_part parse_counter_part(struct graph *columns, uint32_t column)
{
    const char *text = graph_text(columns, column), *open = strrchr(text, '[');
    char name[256], close;
    unsigned number;
    if (!open || (size_t)(open - text) >= sizeof name ||
        sscanf(open, "[%u%c", &number, &close) != 2 || close != ']')
        return (struct counter_part){column, WHOLE};
    snprintf(name, sizeof name, "%.*s", (int)(open - text), text);
    return (struct counter_part){graph_intern(columns, name), number};
}

static void count_begin(struct counting *c, struct graph *columns, uint32_t channels)
{
    static const char ending[] = "_sum";
    uint32_t n = columns->nnames;
    *c = (struct counting){.columns = columns, .channels = channels};
    c->parts = xcalloc(n + (size_t)1, sizeof *c->parts);
    for (uint32_t i = 0; i < n; i++)
        c->parts[i] = parse_counter_part(columns, i);
    c->wholes = xcalloc(columns->nnames + (size_t)1, sizeof *c->wholes);
    c->touched = xcalloc(columns->nnames + (size_t)1, sizeof *c->touched);
    for (uint32_t i = 0; i < n; i++) {
        char name[256];
        uint32_t whole = c->parts[i].whole, before = columns->nnames;
        snprintf(name, sizeof name, "%.240s%s", graph_text(columns, whole), ending);
        uint32_t sum = graph_intern(columns, name); /* a new name is not a column */
        c->wholes[whole].summed = sum < n && columns->nnames == before;
    }
}

static void count_end(struct counting *c)
{
    free(c->parts);
    free(c->wholes);
    free(c->touched);
}

/* Adds the sum of a counter's instances, if all of them exist. */
static void add_whole(struct counting *c, struct trace *t, uint32_t node, uint32_t name)
{
    struct whole *w = &c->wholes[name];
    const char *text = graph_text(c->columns, name);
    bool complete = w->n == w->max + 1 && (c->channels == TRACE_UNKNOWN || c->channels == w->n ||
                                           strncmp(text, "TCC_", 4) != 0);
    if (complete && !w->summed)
        trace_add_counter(t, node, text, w->sum);
    c->cut += !complete && !w->summed;
    w->sum = 0;
    w->n = w->max = 0;
}

static void add_sheet_counters(struct counting *c, struct trace *t, const struct workload *w,
                               const struct sheet_row *row, uint32_t node)
{
    for (uint32_t v = row->values; v != SHEET_END; v = w->all.values[v].before) {
        const struct sheet_value *value = &w->all.values[v];
        const struct counter_part *p = &c->parts[value->column];
        struct whole *whole = &c->wholes[p->whole];
        if (p->number == WHOLE) {
            trace_add_counter(t, node, graph_text(c->columns, value->column), value->value);
            continue;
        }
        if (whole->n++ == 0)
            c->touched[c->ntouched++] = p->whole;
        whole->max = p->number > whole->max ? p->number : whole->max;
        whole->sum += value->value;
    }
    while (c->ntouched)
        add_whole(c, t, node, c->touched[--c->ntouched]);
}

/* --- dispatches --- */

static int compare_pass_times(const void *a, const void *b)
{
    const struct sheet_time *x = a, *y = b;
    uint64_t p = x->end - x->start, q = y->end - y->start;
    if (p != q)
        return p < q ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* Computes the time of a dispatch, which runs once in each pass: its start is from the first pass,
 * its duration is the median of all passes. False: no pass has a time. */
static bool find_dispatch_time(const struct workload *w, const struct sheet_row *row,
                               uint64_t *start, uint64_t *ns)
{
    enum { PASSES_MAX = 64 };
    struct sheet_time list[PASSES_MAX];
    uint32_t n = 0;
    *start = UINT64_MAX;
    for (uint32_t i = row->times; i != SHEET_END && n < PASSES_MAX; i = w->all.times[i].before) {
        list[n++] = w->all.times[i];
        *start = w->all.times[i].start < *start ? w->all.times[i].start : *start;
    }
    if (n == 0)
        return false;
    qsort(list, n, sizeof *list, compare_pass_times);
    *ns = list[(n - 1) / 2].end - list[(n - 1) / 2].start;
    return true;
}

static uint32_t intern_compute_name(struct trace *t, const char *text)
{
    return *text ? graph_intern(t->calls, text) : GRAPH_NONE;
}

static uint32_t add_compute_agent(struct trace *t, const struct compute_system *s, uint32_t gpu)
{
    const struct trace_agent a = {.name = intern_compute_name(t, s->arch),
                                  .model = intern_compute_name(t, s->model),
                                  .host = intern_compute_name(t, s->host),
                                  .number = gpu == TRACE_UNKNOWN ? 0 : gpu,
                                  .gpu = true,
                                  .units = s->units,
                                  .clock_mhz = s->clock_mhz};
    return trace_add_agent(t, &a);
}

static uint32_t add_dispatch(struct rocm_timeline *line, const struct workload *w,
                             const struct sheet_row *row, uint32_t program)
{
    uint64_t start = GRAPH_UNKNOWN, ns = 0;
    bool timed = find_dispatch_time(w, row, &start, &ns);
    struct rocm_kernel k = {.span = {.program = program,
                                     .agent = add_compute_agent(line->t, &w->system, row->gpu),
                                     .queue = row->queue,
                                     .stream = ROCM_UNKNOWN,
                                     .start = timed ? start : GRAPH_UNKNOWN,
                                     .end = timed ? start + ns : GRAPH_UNKNOWN,
                                     .name = row->name},
                            .items = {row->items, 1, 1},
                            .group = {row->group, 1, 1},
                            .details = {.id = row->id,
                                        .vgprs = row->vgprs,
                                        .accum_vgprs = row->accum_vgprs,
                                        .sgprs = row->sgprs,
                                        .lds_bytes = row->lds_bytes,
                                        .scratch_bytes = row->scratch_bytes}};
    return rocm_add_kernel(line, &k, NULL);
}

/* The folder's name, which names the program if sysinfo.csv has no command. */
static const char *find_last_path_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void build_compute_trace(struct workload *w, struct trace *t, const char *path)
{
    struct counting counting;
    struct rocm_timeline line;
    rocm_timeline_init(&line, t);
    count_begin(&counting, w->all.columns, w->system.channels);
    int64_t pid = w->base.rows[0].pid;
    uint32_t program =
        rocm_program(&line, pid == ROCM_UNKNOWN ? 0 : pid,
                     *w->system.command ? w->system.command : find_last_path_part(path));
    for (uint32_t i = 0; i < w->base.n; i++) {
        uint32_t node = add_dispatch(&line, w, &w->base.rows[i], program);
        if (node != GRAPH_NONE)
            add_sheet_counters(&counting, t, w, &w->base.rows[i], node);
    }
    rocm_timeline_finish(&line);
    rocm_timeline_free(&line);
    if (counting.cut)
        trace_note(t, "counters whose parts (channels) are not all there are left out: %s", path);
    count_end(&counting);
}

/* --- files --- */

/* Adds the contents of another file. */
static int read_compute_pass(struct workload *w, struct trace *t, const char *path,
                             struct error *err)
{
    struct sheet pass = {.n = 0};
    int rc = sheet_read(&pass, &w->all, t, path, err);
    uint32_t left_out = rc == 0 ? sheet_merge(&w->base, &pass, &w->all) : 0;
    if (left_out)
        trace_note(t, "%s: %u kernel%s left out: they ran more or less often in another pass", path,
                   left_out, left_out > 1 ? "s" : "");
    sheet_free(&pass);
    return rc;
}

static int read_compute_files(struct workload *w, struct trace *t,
                              const struct compute_files *files, struct error *err)
{
    int rc = sheet_read(&w->base, &w->all, t, files->paths[0], err);
    for (uint32_t i = 1; i < files->n && rc == 0; i++)
        rc = read_compute_pass(w, t, files->paths[i], err);
    if (rc == 0 && w->base.n == 0)
        return error_set(err, ERROR_INPUT, ENODATA,
                         "profile again: a filter of kernels or dispatches may have left none",
                         files->paths[0], "no dispatch is in it");
    return rc;
}

/* Whether the roofline file can be read. An error in it does not fail the workload, because the
 * user did not ask for it. */
static bool roofs_are_good(struct trace *t, const char *path)
{
    struct roofs_csv csv;
    struct arena memory = {0};
    struct error err = ERROR_INIT;
    char text[1024];
    bool good = roofs_csv_read(&csv, &memory, path, &err) == 0;
    if (!good)
        trace_note(t, "%s", error_format(&err, text, sizeof text));
    arena_free(&memory);
    return good;
}

static void tell_notices(const struct workload *w, struct trace *t, const char *path,
                         const char *roofs)
{
    if (w->all.rounded)
        trace_note(
            t, "times of dispatches were rounded in the file (1.62E+14), they are not known: %s",
            path);
    if (!*w->system.arch)
        trace_note(
            t, "no sysinfo.csv tells the architecture, so there is no occupancy and no roof: %s",
            path);
    if (roofs && !t->roofs && roofs_are_good(t, roofs))
        t->roofs = xstrdup(roofs);
    else if (roofs && t->roofs)
        trace_note(t, "its roofline.csv is not used, that of another folder is: %s", path);
}

static int read_workload(const char *path, struct trace *t, struct error *err)
{
    struct workload w = {.base = {.n = 0}};
    struct compute_files files;
    bool folder = compute_folder_is(path);
    char *in = xstrdup(path), *slash = strrchr(in, '/');
    if (!folder)
        strcpy(slash ? slash : in, slash ? "" : ".");
    compute_files_find(&files, in);
    if (!folder) { /* only the file, and the machine from the folder around it */
        struct compute_files one = {.paths = {xstrdup(path)}, .n = 1, .roofs = files.roofs};
        files.roofs = NULL;
        compute_files_free(&files);
        files = one;
    }
    int rc = compute_system_read(&w.system, *in ? in : "/", err);
    if (rc == 0)
        rc = read_compute_files(&w, t, &files, err);
    if (rc == 0) {
        build_compute_trace(&w, t, path);
        tell_notices(&w, t, path, files.roofs);
    }
    sheet_free(&w.base);
    sheets_free(&w.all);
    compute_files_free(&files);
    free(in);
    return rc;
}

const struct reader_ops reader_rocprof_compute = {
    .name = "rocprof-compute",
    .summary = "workloads of rocprof-compute (folders, pmc_perf.csv)",
    .recognise = is_workload,
    .folder = compute_folder_is,
    .read = read_workload,
};
