#include "engine/live/gpus.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"
#include "engine/live/snapshot.h"

_Static_assert(sizeof(struct gpu) <= 1024 && sizeof(struct gpu_now) <= 1024,
               "rows of fields.c: ROW_MAX");

static void **find_gpu_rows(struct gpus *g, enum gpus_array a)
{
    return (void **)(void *)((char *)g + gpus_tables[a].rows);
}

static size_t *find_gpu_count(struct gpus *g, enum gpus_array a)
{
    return (size_t *)(void *)((char *)g + gpus_tables[a].n);
}

void *gpus_rows(const struct gpus *g, enum gpus_array a, size_t *n)
{
    *n = *find_gpu_count((struct gpus *)g, a);
    return *find_gpu_rows((struct gpus *)g, a);
}

/* --- building --- */

void gpus_clear(struct gpus_build *b)
{
    arena_reset(&b->arena);
    b->g = (struct gpus){.runtime = ""};
    memset(b->cap, 0, sizeof b->cap);
}

void gpus_free(struct gpus_build *b)
{
    arena_free(&b->arena);
    *b = (struct gpus_build){0};
}

const char *gpus_text(struct gpus_build *b, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return arena_strdup(&b->arena, text);
}

static void blank_gpu_row(enum gpus_array a, void *row, const char *why)
{
    const struct fields *f = &gpus_tables[a].fields;
    memset(row, 0, f->size);
    for (size_t i = 0; i < f->n; i++) {
        char *at = (char *)row + f->field[i].offset;
        if (f->field[i].type == FIELD_TEXT)
            *(const char **)(void *)at = "";
        else if (f->field[i].type == FIELD_VALUE)
            *(struct value *)(void *)at = value_missing(why, UNIT_NONE);
    }
}

void gpus_missing(enum gpus_array a, void *row, const char *why)
{
    const struct fields *f = &gpus_tables[a].fields;
    for (size_t i = 0; i < f->n; i++) {
        struct value *v = (struct value *)(void *)((char *)row + f->field[i].offset);
        if (f->field[i].type == FIELD_VALUE && v->validity == VALUE_MISSING)
            v->why = why;
    }
}

/* Makes room for one more row, by doubling the array within the arena. */
static void *add_gpu_row(struct gpus_build *b, enum gpus_array a, size_t n)
{
    void **rows = find_gpu_rows(&b->g, a);
    size_t size = gpus_tables[a].fields.size;
    if (n == b->cap[a]) {
        b->cap[a] = n ? n * 2 : 8;
        void *bigger = arena_alloc(&b->arena, b->cap[a] * size);
        if (n)
            memcpy(bigger, *rows, n * size);
        *rows = bigger;
    }
    return (char *)*rows + n * size;
}

void *gpus_add_row(struct gpus_build *b, enum gpus_array a, const char *why)
{
    size_t *n = find_gpu_count(&b->g, a);
    if (*n >= GPU_ROWS_MAX)
        return NULL;
    void *row = add_gpu_row(b, a, *n);
    blank_gpu_row(a, row, why);
    ++*n;
    return row;
}

int gpus_add(struct gpus_build *b, const char *why)
{
    if (b->g.n >= GPUS_MAX)
        return -1;
    blank_gpu_row(GPUS_GPU, add_gpu_row(b, GPUS_GPU, b->g.n), why);
    blank_gpu_row(GPUS_NOW, add_gpu_row(b, GPUS_NOW, b->g.n), why);
    return (int)b->g.n++;
}

/* --- into a snapshot --- */

/* Copies the texts and reasons of a row into the snapshot, so that they live as long as it. */
static void keep_texts(struct snapshot *s, enum gpus_array a, char *row)
{
    const struct fields *f = &gpus_tables[a].fields;
    for (size_t i = 0; i < f->n; i++) {
        const char **text = (const char **)(void *)(row + f->field[i].offset);
        if (f->field[i].type == FIELD_VALUE)
            text = &((struct value *)(void *)(row + f->field[i].offset))->why;
        else if (f->field[i].type != FIELD_TEXT)
            continue;
        if (*text)
            *text = **text ? snapshot_strdup(s, *text) : "";
    }
}

/* Computes the index in `to` of each GPU of `more`: that of the GPU with the same PCI address if
 * there is one, else a new one at the end. -1: no room. */
static void match_gpus(const struct gpus *to, const struct gpus *more, int at[GPUS_MAX])
{
    size_t fresh = to->n;
    for (size_t i = 0; i < more->n && i < GPUS_MAX; i++) {
        int same = gpus_find_pci(to, more->gpu[i].pci);
        if (same >= 0)
            at[i] = same;
        else
            at[i] = fresh < GPUS_MAX ? (int)fresh++ : -1;
    }
}

static bool is_gpu_row_dropped(enum gpus_array a, size_t i, const int *at, size_t had)
{
    return (a != GPUS_GPU && a != GPUS_NOW) || at[i] >= (int)had;
}

static void append_rows(struct snapshot *s, struct gpus *to, const struct gpus *more,
                        enum gpus_array a, const int *at)
{
    size_t size = gpus_tables[a].fields.size, n, had, out;
    const char *from = gpus_rows(more, a, &n), *old = gpus_rows(to, a, &had);
    if (n == 0)
        return;
    char *rows = snapshot_alloc(s, (had + n) * size);
    if (had)
        memcpy(rows, old, had * size);
    out = had;
    for (size_t i = 0; i < n; i++) {
        char *row = rows + out * size;
        if (!is_gpu_row_dropped(a, i, at, had))
            continue;
        memcpy(row, from + i * size, size);
        keep_texts(s, a, row);
        int *gpu = (int *)(void *)row;
        if (gpus_tables[a].of_gpu && *gpu >= 0)
            *gpu = at[*gpu];
        out++;
    }
    *find_gpu_rows(to, a) = rows;
    if (a != GPUS_GPU) /* GPUS_NOW has the same length */
        *find_gpu_count(to, a) = out;
}

/* Fills in the owners of GPU processes from the snapshot's list of processes. */
static void name_owners(const struct snapshot *s, struct gpus *g)
{
    for (size_t i = 0; i < g->nprocesses; i++) {
        struct gpu_process *p = &g->processes[i];
        size_t at = 0;
        SEARCH_FIRST(at, s->nprocs, s->procs[at].pid < p->pid);
        if (p->user[0] || at == s->nprocs || s->procs[at].pid != p->pid)
            continue;
        p->user = s->procs[at].user;
        p->name = p->name[0] ? p->name : s->procs[at].comm;
    }
}

void gpus_merge(struct snapshot *s, const struct gpus *more)
{
    struct gpus *to = (struct gpus *)s->gpus;
    int at[GPUS_MAX] = {0};
    if (!to) {
        to = snapshot_alloc(s, sizeof *to);
        to->runtime = "";
        s->gpus = to;
    }
    match_gpus(to, more, at);
    for (int a = 0; a < GPUS_ARRAYS; a++)
        append_rows(s, to, more, (enum gpus_array)a, at);
    to->emulated |= more->emulated;
    if (more->runtime[0])
        to->runtime = snapshot_strdup(s, more->runtime);
    name_owners(s, to);
}

int gpus_find_pci(const struct gpus *g, const char *pci)
{
    for (size_t i = 0; g && *pci && i < g->n; i++)
        if (strcmp(g->gpu[i].pci, pci) == 0)
            return (int)i;
    return -1;
}
