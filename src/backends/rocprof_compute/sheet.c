#include "backends/rocprof_compute/rocprof_compute_impl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/rocm/names.h"
#include "backends/rocm/timeline.h"
#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"

enum column {
    DISPATCH,
    KERNEL,
    GPU,
    QUEUE,
    PID,
    TID,
    GRID,
    GROUP,
    LDS,
    SCRATCH,
    VGPRS,
    ACCUM_VGPRS,
    SGPRS,
    START,
    END,
    COUNTER,
    VALUE,
    COLUMNS,
    IGNORED, /* not known and not a counter */
    COUNTS   /* a counter */
};

/* Names since rocprof-compute 2.0, and of rocprof before it. */
static const struct {
    enum column column;
    const char *name;
} known[] = {
    {DISPATCH, "Dispatch_ID"},
    {DISPATCH, "Index"},
    {KERNEL, "Kernel_Name"},
    {KERNEL, "KernelName"},
    {GPU, "GPU_ID"},
    {GPU, "gpu-id"},
    {QUEUE, "Queue_ID"},
    {QUEUE, "queue-id"},
    {PID, "pid"},
    {TID, "tid"},
    {GRID, "Grid_Size"},
    {GRID, "grd"},
    {GROUP, "Workgroup_Size"},
    {GROUP, "wgr"},
    {LDS, "LDS_Per_Workgroup"},
    {LDS, "lds"},
    {SCRATCH, "Scratch_Per_Workitem"},
    {SCRATCH, "scr"},
    {VGPRS, "Arch_VGPR"},
    {ACCUM_VGPRS, "Accum_VGPR"},
    {SGPRS, "SGPR"},
    {START, "Start_Timestamp"},
    {START, "BeginNs"},
    {END, "End_Timestamp"},
    {END, "EndNs"},
    {COUNTER, "Counter_Name"},
    {VALUE, "Counter_Value"},
    {IGNORED, "wave_size"},
    {IGNORED, "obj"},
    {IGNORED, "sig"},
    {IGNORED, "queue-index"},
    {IGNORED, "Correlation_ID"},
    {IGNORED, "Kernel_ID"},
    {IGNORED, "XCC_Index"},
    {IGNORED, "GUID"},
    {IGNORED, "DispatchNs"},
    {IGNORED, "CompleteNs"},
};

struct header {
    uint32_t at[COLUMNS]; /* 1 + index; 0: missing */
    uint8_t *kind;        /* enum column of each field */
    uint32_t *counter;    /* for counters: the name in columns */
    uint32_t fields;
};

/* --- the first line --- */

/* The length of a name without the number that joining several passes adds: "wave_size_3". */
static size_t bare_name_length(const char *name)
{
    size_t n = strlen(name), end = n;
    while (end && isdigit((unsigned char)name[end - 1]))
        end--;
    return end && end < n && name[end - 1] == '_' ? end - 1 : n;
}

static enum column find_sheet_column(const char *name)
{
    size_t n = strlen(name), short_of = bare_name_length(name);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasecmp(known[i].name, name) == 0)
            return known[i].column;
        if (short_of < n && strlen(known[i].name) == short_of &&
            strncasecmp(known[i].name, name, short_of) == 0)
            return IGNORED;
    }
    return n ? COUNTS : IGNORED;
}

bool sheet_recognise(const struct csv *row)
{
    bool there[COUNTS + 1] = {false};
    for (uint32_t i = 0; i < row->nfields; i++)
        there[find_sheet_column(csv_field(row, i))] = true;
    return there[DISPATCH] && there[KERNEL] && there[VGPRS] && there[LDS];
}

/* Names the accumulated counter: "SQ_LEVEL_WAVES" from "…/SQ_LEVEL_WAVES.csv", with its suffix. */
static void name_accumulated(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    snprintf(out, size, "%.*s_ACCUM", (int)strcspn(name, "."), name);
}

static void read_sheet_columns(struct header *h, struct sheets *all, const struct csv *c)
{
    char name[128];
    h->fields = c->nfields;
    h->kind = xcalloc(c->nfields + (size_t)1, sizeof *h->kind);
    h->counter = xcalloc(c->nfields + (size_t)1, sizeof *h->counter);
    for (uint32_t i = 0; i < c->nfields; i++) {
        const char *text = csv_field(c, i);
        enum column column = find_sheet_column(text);
        h->kind[i] = (uint8_t)column;
        if (column < COLUMNS && !h->at[column])
            h->at[column] = i + 1;
        if (column != COUNTS)
            continue;
        /* it belongs to the counter in the file's name */
        if (strcmp(text, "SQ_ACCUM_PREV_HIRES") == 0) {
            name_accumulated(c->path, name, sizeof name);
            text = name;
        }
        h->counter[i] = graph_intern(all->columns, text);
    }
}

static void free_header(struct header *h)
{
    free(h->kind);
    free(h->counter);
}

/* --- numbers --- */

static const char *sheet_column_text(const struct csv *c, const struct header *h,
                                     enum column column)
{
    return h->at[column] ? csv_field(c, h->at[column] - 1) : "";
}

static const char *column_name(enum column column)
{
    size_t i = 0;
    while (known[i].column != column)
        i++;
    return known[i].name;
}

/* Reads an integer, even if it is written as a real ("256.0"). */
static int parse_integer(struct csv *c, const struct header *h, enum column column, int64_t *out)
{
    const char *text = sheet_column_text(c, h, column);
    char *end;
    *out = ROCM_UNKNOWN;
    if (!*text)
        return 0;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    end += *end == '.' ? 1 + strspn(end + 1, "0") : 0;
    if (end == text || *end || errno == ERANGE || v == ROCM_UNKNOWN || v == ROCM_COPIES)
        return csv_refuse(c, column_name(column), "not a whole number: \"%.60s\"", text);
    *out = v;
    return 0;
}

static int parse_count(struct csv *c, const struct header *h, enum column column, uint32_t *out)
{
    int64_t v;
    int rc = parse_integer(c, h, column, &v);
    *out = rc == 0 && v >= 0 && v < (int64_t)TRACE_UNKNOWN ? (uint32_t)v : TRACE_UNKNOWN;
    return rc;
}

/* Reads a time; false: it is missing, or lost digits ("1.62068E+14", as spreadsheets save it). */
static bool clock_time(struct sheets *all, const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    const char *rest = end + (*end == '.' ? 1 + strspn(end + 1, "0123456789") : 0);
    if (end == text || errno == ERANGE || *text == '-')
        return false;
    all->rounded += *rest != '\0';
    *out = v;
    return *rest == '\0';
}

/* --- rows --- */

static void add_sheet_value(struct sheets *all, struct sheet_row *row, uint32_t column,
                            const char *text)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !isfinite(v))
        return; /* not counted: "", "N/A", "nan" */
    LIST_ROOM(all->values, all->nvalues, all->values_cap);
    all->values[all->nvalues] = (struct sheet_value){column, row->values, v};
    row->values = all->nvalues++;
}

static void add_pass_time(struct sheets *all, struct sheet_row *row, uint64_t start, uint64_t end)
{
    const struct sheet_time *last = row->times == SHEET_END ? NULL : &all->times[row->times];
    if (last && last->start == start && last->end == end)
        return;
    LIST_ROOM(all->times, all->ntimes, all->times_cap);
    all->times[all->ntimes] = (struct sheet_time){start, end, row->times};
    row->times = all->ntimes++;
}

static void read_row_time(struct sheets *all, struct sheet_row *row, const struct csv *c,
                          const struct header *h)
{
    uint64_t start, end;
    bool from = clock_time(all, sheet_column_text(c, h, START), &start),
         to = clock_time(all, sheet_column_text(c, h, END), &end);
    if (from && to && end >= start && end > 0)
        add_pass_time(all, row, start, end);
}

static int read_sheet_row(struct sheet_row *row, struct trace *t, struct csv *c,
                          const struct header *h)
{
    int64_t id;
    const struct {
        enum column column;
        uint32_t *out;
    } counts[] = {{GPU, &row->gpu},
                  {GRID, &row->items},
                  {GROUP, &row->group},
                  {LDS, &row->lds_bytes},
                  {SCRATCH, &row->scratch_bytes},
                  {VGPRS, &row->vgprs},
                  {ACCUM_VGPRS, &row->accum_vgprs},
                  {SGPRS, &row->sgprs}};
    int rc = parse_integer(c, h, DISPATCH, &id);
    if (rc == 0 && id == ROCM_UNKNOWN)
        rc = csv_refuse(c, column_name(DISPATCH), "it is empty");
    for (size_t i = 0; rc == 0 && i < sizeof counts / sizeof *counts; i++)
        rc = parse_count(c, h, counts[i].column, counts[i].out);
    if (rc == 0)
        rc = parse_integer(c, h, QUEUE, &row->queue);
    if (rc == 0)
        rc = parse_integer(c, h, PID, &row->pid);
    if (rc == 0)
        rc = parse_integer(c, h, TID, &row->tid);
    if (rc != 0)
        return rc;
    row->id = (uint64_t)id;
    row->items = row->items == TRACE_UNKNOWN ? 0 : row->items;
    row->group = row->group == TRACE_UNKNOWN ? 0 : row->group;
    row->name = rocm_kernel_name(t->calls, sheet_column_text(c, h, KERNEL));
    row->values = row->times = SHEET_END;
    return 0;
}

/* Finds the row of a dispatch, or adds it. In a file with one counter in each row, a dispatch has
 * several rows. */
static struct sheet_row *place_row(struct sheet *s, const struct sheet_row *row, struct ids *rows,
                                   bool one)
{
    uint64_t key = ids_mix(ids_mix(row->id) ^ ((uint64_t)row->name << 32 | row->gpu));
    uint32_t at = one ? IDS_NONE : ids_get(rows, key);
    if (at != IDS_NONE)
        return &s->rows[at];
    if (!one)
        ids_add(rows, key, s->n);
    LIST_ROOM(s->rows, s->n, s->cap);
    s->rows[s->n] = *row;
    return &s->rows[s->n++];
}

/* Adds one counter to a dispatch, from a file with one counter in each row. If several passes
 * counted it, the value of the first pass is kept. */
static void add_sheet_counter(struct sheet *s, struct sheets *all, struct sheet_row *to,
                              const char *name, const char *value, struct ids *counted)
{
    uint32_t column = graph_intern(all->columns, name);
    uint64_t row = (uint64_t)(to - s->rows);
    if (ids_add(counted, ids_mix(row << 32 | column), 0))
        add_sheet_value(all, to, column, value);
}

static int add_sheet_row(struct sheet *s, struct sheets *all, struct trace *t, struct csv *c,
                         const struct header *h, struct ids seen[2])
{
    struct sheet_row row;
    bool wide = !h->at[COUNTER] || !h->at[VALUE];
    int rc = read_sheet_row(&row, t, c, h);
    if (rc != 0)
        return rc;
    struct sheet_row *to = place_row(s, &row, &seen[0], wide);
    read_row_time(all, to, c, h);
    if (!wide)
        add_sheet_counter(s, all, to, sheet_column_text(c, h, COUNTER),
                          sheet_column_text(c, h, VALUE), &seen[1]);
    for (uint32_t i = 0; wide && i < h->fields; i++)
        if (h->kind[i] == COUNTS)
            add_sheet_value(all, to, h->counter[i], csv_field(c, i));
    return 0;
}

static int read_sheet_rows(struct sheet *s, struct sheets *all, struct trace *t, struct csv *c,
                           struct header *h)
{
    enum { BETWEEN = 4096 };
    struct ids seen[2] = {{0}}; /* dispatches; their counters */
    int rc = 0;
    for (uint64_t n = 0; rc == 0 && (rc = csv_next(c)) == 1; n++) {
        if (c->nfields != h->fields)
            rc =
                csv_refuse(c, NULL, "%u fields where the first line has %u", c->nfields, h->fields);
        else
            rc = add_sheet_row(s, all, t, c, h, seen);
        if (rc == 0 && n % BETWEEN == 0)
            rc = trace_progress(t, c->path, c->read, c->stream.size, c->err);
        if (rc == 0 && n % BETWEEN == 0)
            rc = trace_check_memory(t, s->n + all->nvalues / 16, c->path, c->err);
    }
    ids_free(&seen[0]);
    ids_free(&seen[1]);
    return rc;
}

int sheet_read(struct sheet *out, struct sheets *all, struct trace *t, const char *path,
               struct error *err)
{
    struct csv c;
    struct header h = {.fields = 0};
    int rc = csv_open(&c, path, NULL, err);
    if (!all->columns)
        all->columns = graph_new();
    if (rc == 0)
        rc = csv_next(&c);
    if (rc == 1) {
        read_sheet_columns(&h, all, &c);
        rc = h.at[DISPATCH] && h.at[KERNEL]
                 ? 0
                 : csv_refuse(&c, NULL, "no Dispatch_ID and Kernel_Name in the first line");
        out->merged = !h.at[COUNTER];
    }
    if (rc == 0 && h.fields)
        rc = read_sheet_rows(out, all, t, &c, &h);
    free_header(&h);
    csv_close(&c);
    return rc;
}

void sheet_free(struct sheet *s)
{
    free(s->rows);
    *s = (struct sheet){.n = 0};
}

void sheets_free(struct sheets *all)
{
    graph_unref(all->columns);
    free(all->values);
    free(all->times);
    *all = (struct sheets){.nvalues = 0};
}

/* --- passes --- */

static uint64_t hash_kernel_launch(const struct sheet_row *r)
{
    return ids_mix(ids_mix((uint64_t)r->name << 32 | r->gpu) ^
                   ((uint64_t)r->items << 32 | r->group));
}

/* The rows of each kind, in the order of the file. */
struct kinds {
    struct ids number;
    uint32_t *first, *of; /* kind k has of[first[k]] to of[first[k + 1]] */
    uint32_t n;
};

static struct kinds kinds_of(const struct sheet *s)
{
    struct kinds k = {.n = 0};
    bool is_new;
    uint32_t *kind = xcalloc(s->n + (size_t)1, sizeof *kind), *next;
    for (uint32_t i = 0; i < s->n; i++)
        kind[i] = ids_number(&k.number, hash_kernel_launch(&s->rows[i]), &is_new);
    k.n = k.number.n;
    k.first = xcalloc(k.n + (size_t)2, sizeof *k.first);
    k.of = xcalloc(s->n + (size_t)1, sizeof *k.of);
    for (uint32_t i = 0; i < s->n; i++)
        k.first[kind[i] + 1]++;
    for (uint32_t i = 0; i < k.n; i++)
        k.first[i + 1] += k.first[i];
    next = xcalloc(k.n + (size_t)1, sizeof *next);
    memcpy(next, k.first, k.n * sizeof *next);
    for (uint32_t i = 0; i < s->n; i++)
        k.of[next[kind[i]]++] = i;
    free(next);
    free(kind);
    return k;
}

static void free_kinds(struct kinds *k)
{
    ids_free(&k->number);
    free(k->first);
    free(k->of);
}

/* Finds the counters that any row of the sheet has. */
static bool *columns_of(const struct sheet *s, const struct sheets *all)
{
    bool *has = xcalloc(all->columns->nnames + (size_t)1, sizeof *has);
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t v = s->rows[i].values; v != SHEET_END; v = all->values[v].before)
            has[all->values[v].column] = true;
    return has;
}

static void add_pass(struct sheet_row *to, const struct sheet_row *from, struct sheets *all,
                     const bool *has, bool times)
{
    for (uint32_t v = from->values, next; v != SHEET_END; v = next) {
        next = all->values[v].before;
        if (has[all->values[v].column])
            continue;
        all->values[v].before = to->values;
        to->values = v;
    }
    for (uint32_t i = from->times, next; times && i != SHEET_END; i = next) {
        next = all->times[i].before;
        all->times[i].before = to->times;
        to->times = i;
    }
    to->queue = to->queue == ROCM_UNKNOWN ? from->queue : to->queue;
    to->pid = to->pid == ROCM_UNKNOWN ? from->pid : to->pid;
}

uint32_t sheet_merge(struct sheet *base, const struct sheet *pass, struct sheets *all)
{
    struct kinds ours = kinds_of(base), theirs = kinds_of(pass);
    bool *has = columns_of(base, all);
    uint32_t left_out = 0;
    for (uint32_t k = 0; k < theirs.n; k++) {
        const struct sheet_row *first = &pass->rows[theirs.of[theirs.first[k]]];
        uint32_t n = theirs.first[k + 1] - theirs.first[k];
        uint32_t own = ids_get(&ours.number, hash_kernel_launch(first));
        if (own == IDS_NONE || ours.first[own + 1] - ours.first[own] != n) {
            left_out++;
            continue;
        }
        for (uint32_t i = 0; i < n; i++) {
            struct sheet_row *to = &base->rows[ours.of[ours.first[own] + i]];
            bool timed = to->times != SHEET_END;
            add_pass(to, &pass->rows[theirs.of[theirs.first[k] + i]], all, has,
                     !base->merged || !timed);
        }
    }
    free(has);
    free_kinds(&ours);
    free_kinds(&theirs);
    return left_out;
}
