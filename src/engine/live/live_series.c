#include "engine/live/live_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/list.h"
#include "engine/live/gpus.h"
#include "engine/live/metric.h"

enum { NAME_MAX_LEN = 96, SERIES_MAX = 1024 };

/* All rings share one cursor: sample k of every series, and of time_s, is in slot k %
 * LIVE_SERIES_LEN. */
struct live_row {
    char name[NAME_MAX_LEN];
    uint64_t first; /* number of the sample at which it appeared */
    uint64_t last;  /* number of the last sample that was written */
    float ring[LIVE_SERIES_LEN];
};

struct live_series {
    struct live_row **series; /* the rows are allocated one by one, so that they do not move
                               when the table grows */
    size_t n, cap;
    size_t cursor; /* index at which the next lookup is expected: series come in the same order each
                      time */
    uint64_t count;
    double time_s[LIVE_SERIES_LEN];
};

struct live_series *live_series_new(void)
{
    return xcalloc(1, sizeof(struct live_series));
}

void live_series_free(struct live_series *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->n; i++)
        free(h->series[i]);
    free(h->series);
    free(h);
}

/* The series of a GPU ("g:ID/NAME") and the value that each shows. */
static const struct {
    const char *name;
    size_t offset; /* offset in struct gpu_now */
} gpu_series[] = {
    {"busy", offsetof(struct gpu_now, gfx_busy)},
    {"membusy", offsetof(struct gpu_now, mem_busy)},
    {"mem", offsetof(struct gpu_now, mem_used)},
    {"power", offsetof(struct gpu_now, power)},
    {"edge", offsetof(struct gpu_now, temp_edge)},
    {"junction", offsetof(struct gpu_now, temp_junction)},
    {"memtemp", offsetof(struct gpu_now, temp_mem)},
    {"clock", offsetof(struct gpu_now, gfx_hz)},
    {"memclock", offsetof(struct gpu_now, mem_hz)},
    {"rx", offsetof(struct gpu_now, pcie_rx)},
    {"tx", offsetof(struct gpu_now, pcie_tx)},
};

static struct live_row *find_live_row(const struct live_series *h, const char *name, size_t *hint)
{
    for (size_t k = 0; k < h->n; k++) {
        size_t i = (*hint + k) % h->n;
        if (strcmp(h->series[i]->name, name) == 0) {
            *hint = i + 1;
            return h->series[i];
        }
    }
    return NULL;
}

static void put_sample(struct live_series *h, const char *name, const struct value *v)
{
    struct live_row *s = find_live_row(h, name, &h->cursor);
    if (!s) {
        if (h->n == SERIES_MAX)
            return;
        LIST_ROOM(h->series, h->n, h->cap);
        s = h->series[h->n++] = xcalloc(1, sizeof *s);
        snprintf(s->name, sizeof s->name, "%s", name);
        s->first = h->count;
        for (size_t i = 0; i < LIVE_SERIES_LEN; i++)
            s->ring[i] = NAN;
    }
    s->ring[h->count % LIVE_SERIES_LEN] = v->validity == VALUE_OK ? (float)v->v : NAN;
    s->last = h->count;
}

/* A series is begun only when the GPU has a value for it, because there is room for only about a
 * thousand series. */
static void push_gpus(struct live_series *h, const struct gpus *g)
{
    char name[NAME_MAX_LEN];
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < sizeof gpu_series / sizeof *gpu_series; k++) {
            const struct value *v = (const void *)((const char *)&g->now[i] + gpu_series[k].offset);
            if (v->validity != VALUE_OK)
                continue;
            snprintf(name, sizeof name, "g:%.64s/%s", g->gpu[i].id, gpu_series[k].name);
            put_sample(h, name, v);
        }
}

/* Adds the traffic of both directions; the sum is missing if either is. */
static void push_traffic(struct live_series *h, const struct snapshot *s, const char *series,
                         const char *in, const char *out)
{
    const struct counter *a = snapshot_counter(s, "system", in);
    const struct counter *b = snapshot_counter(s, "system", out);
    struct value v = {.unit = UNIT_BYTES_PER_S};
    if (a && b && a->rate.validity == VALUE_OK && b->rate.validity == VALUE_OK)
        v = value_ok(a->rate.v + b->rate.v, UNIT_BYTES_PER_S);
    if (a && b)
        put_sample(h, series, &v);
}

static void push_target(struct live_series *h, const struct snapshot *s)
{
    const struct target_use *u = &s->use;
    const struct value threads =
        u->processes ? value_ok((double)u->threads, UNIT_COUNT) : u->memory;
    put_sample(h, "target.cpu", &u->cpu);
    put_sample(h, "target.memory", &u->memory);
    put_sample(h, "target.faults", &u->fault_rate);
    put_sample(h, "target.threads", &threads);
}

void live_series_push(struct live_series *h, const struct snapshot *s)
{
    char name[NAME_MAX_LEN];
    h->time_s[h->count % LIVE_SERIES_LEN] = (double)s->time_ns / 1e9;
    h->cursor = 0;
    put_sample(h, "cpu.busy", &s->total.busy);
    put_sample(h, "mem.used", &s->memory.used);
    if (s->target_kind != TARGET_HOST)
        push_target(h, s);
    push_traffic(h, s, "io.network", "network-receive", "network-transmit");
    push_traffic(h, s, "io.disk", "disk-read", "disk-write");
    for (size_t i = 0; i < s->nmetrics; i++) {
        snprintf(name, sizeof name, "m:%s", s->metrics[i].def->id);
        put_sample(h, name, &s->metrics[i].value);
    }
    for (size_t i = 0; i < s->ncounters; i++) {
        snprintf(name, sizeof name, "c:%s/%s", s->counters[i].set, s->counters[i].name);
        put_sample(h, name, &s->counters[i].rate);
    }
    if (s->gpus)
        push_gpus(h, s->gpus);
    for (size_t i = 0; i < h->n; i++)
        if (h->series[i]->last != h->count)
            h->series[i]->ring[h->count % LIVE_SERIES_LEN] = NAN;
    h->count++;
}

size_t live_series_len(const struct live_series *h)
{
    return h->count < LIVE_SERIES_LEN ? (size_t)h->count : LIVE_SERIES_LEN;
}

size_t live_series_get(const struct live_series *h, const char *name, float *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = NAN;
    size_t hint = 0, held = live_series_len(h);
    const struct live_row *s = find_live_row(h, name, &hint);
    if (!s)
        return 0;
    uint64_t since_first = h->count - s->first;
    size_t take = held < since_first ? held : (size_t)since_first;
    if (take > n)
        take = n;
    for (size_t i = 0; i < take; i++)
        out[n - take + i] = s->ring[(h->count - take + i) % LIVE_SERIES_LEN];
    return take;
}

double live_series_age(const struct live_series *h, size_t back)
{
    if (back >= live_series_len(h))
        return NAN;
    return h->time_s[(h->count - 1) % LIVE_SERIES_LEN] -
           h->time_s[(h->count - 1 - back) % LIVE_SERIES_LEN];
}
