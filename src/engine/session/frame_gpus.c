#include "engine/session/session_impl.h"

static const struct gpus none = {.runtime = ""};

static const struct field top_fields[] = {
    KEPT(BOOL, struct gpus, emulated),
    KEPT(TEXT, struct gpus, runtime),
};
#define TOP FIELDS(top_fields, struct gpus)

void frame_write_gpus(struct coder *c, const struct gpus *now, const struct gpus *prev)
{
    prev = prev ? prev : &none;
    fields_code(c, TOP, (void *)now, prev);
    for (int a = 0; a < GPUS_ARRAYS; a++) {
        size_t n, before;
        const void *rows = gpus_rows(now, (enum gpus_array)a, &n);
        const void *old = gpus_rows(prev, (enum gpus_array)a, &before);
        fields_write_rows(c, gpus_tables[a].fields, false, rows, n, old, before);
    }
}

/* Views use the indices in rows without a check, so rows of a file may refer only to GPUs in its
 * list. */
static bool rows_fit(const struct gpus *g)
{
    for (int a = 0; a < GPUS_ARRAYS; a++) {
        size_t n;
        const char *rows = gpus_rows(g, (enum gpus_array)a, &n);
        for (size_t i = 0; gpus_tables[a].of_gpu && i < n; i++) {
            int gpu = *(const int *)(const void *)(rows + i * gpus_tables[a].fields.size);
            if (gpu < -1 || gpu >= (int)g->n)
                return false;
        }
    }
    for (size_t i = 0; i < g->nsources; i++)
        if ((unsigned)g->sources[i].state > GPU_SOURCE_OK)
            return false;
    return true;
}

const struct gpus *frame_read_gpus(struct coder *c, const struct gpus *prev)
{
    struct gpus *g = snapshot_alloc(c->s, sizeof *g), top;
    size_t ngpu = 0;
    prev = prev ? prev : &none;
    fields_code(c, TOP, &top, prev);
    g->emulated = top.emulated;
    g->runtime = top.runtime;
    for (int a = 0; a < GPUS_ARRAYS; a++) {
        size_t n = 0, before;
        const void *old = gpus_rows(prev, (enum gpus_array)a, &before);
        void *rows = fields_read_rows(c, gpus_tables[a].fields, false, &n, old, before);
        *(void **)(void *)((char *)g + gpus_tables[a].rows) = rows;
        *(size_t *)(void *)((char *)g + gpus_tables[a].n) = n;
        if (a == GPUS_GPU)
            ngpu = n;
    }
    if (ngpu != g->n || ngpu > GPUS_MAX || !rows_fit(g))
        c->in->bad = true;
    return c->in->bad ? NULL : g;
}
