#include "engine/live/snapshot.h"

#include "engine/bricks/bricks.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/live/metric.h"

/* Callers see the first member only; the reference count stays private. */
struct counted_host {
    struct host host;
    int refs;
};

struct host *host_new(void)
{
    struct counted_host *h = xcalloc(1, sizeof *h);
    h->refs = 1;
    h->host.paranoid = -100;
    return &h->host;
}

struct host *host_ref(const struct host *h)
{
    __atomic_add_fetch(&((struct counted_host *)h)->refs, 1, __ATOMIC_RELAXED);
    return (struct host *)h;
}

void host_unref(const struct host *h)
{
    if (h && __atomic_sub_fetch(&((struct counted_host *)h)->refs, 1, __ATOMIC_ACQ_REL) == 0)
        free((struct counted_host *)h);
}

/*
 * Freed snapshots are kept here with their arenas and reused, so that a running dashboard
 * allocates nothing: one is on the screen, one is being filled, and one or two are spare.
 */
enum { POOL_MAX = 4 };
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static struct snapshot *pool[POOL_MAX];
static int pool_count;

static struct snapshot *pool_get(void)
{
    struct snapshot *s = NULL;
    pthread_mutex_lock(&pool_lock);
    if (pool_count)
        s = pool[--pool_count];
    pthread_mutex_unlock(&pool_lock);
    return s;
}

static bool pool_put(struct snapshot *s)
{
    pthread_mutex_lock(&pool_lock);
    bool kept = pool_count < POOL_MAX;
    if (kept)
        pool[pool_count++] = s;
    pthread_mutex_unlock(&pool_lock);
    return kept;
}

void snapshot_pool_drain(void)
{
    struct snapshot *s;
    while ((s = pool_get())) {
        arena_free(&s->arena);
        free(s);
    }
}

struct snapshot *snapshot_new(const struct host *host)
{
    struct snapshot *s = pool_get();
    struct arena arena = {0};
    if (s) {
        arena = s->arena;
        arena_reset(&arena);
    } else {
        s = xcalloc(1, sizeof *s);
    }
    *s = (struct snapshot){.arena = arena, .refs = 1, .host = host ? host_ref(host) : NULL};
    s->target = "";
    s->total.id = -1;
    int n = host && host->ncpus > 0 ? host->ncpus : 0;
    s->cpus = arena_alloc(&s->arena, (size_t)n * sizeof *s->cpus);
    return s;
}

void *snapshot_alloc(struct snapshot *s, size_t size)
{
    return arena_alloc(&s->arena, size);
}

const char *snapshot_strdup(struct snapshot *s, const char *text)
{
    return arena_strdup(&s->arena, text);
}

const char *snapshot_printf(struct snapshot *s, const char *fmt, ...)
{
    char buf[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    return arena_strdup(&s->arena, buf);
}

/* Doubles an array inside the arena; the old array is freed with the snapshot. */
static void *grow_snapshot_rows(struct snapshot *s, void *rows, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return rows;
    size_t want = *cap ? *cap * 2 : 32;
    void *bigger = arena_alloc(&s->arena, want * size);
    if (n)
        memcpy(bigger, rows, n * size);
    *cap = want;
    return bigger;
}

struct counter *snapshot_add_counter(struct snapshot *s)
{
    s->counters =
        grow_snapshot_rows(s, s->counters, s->ncounters, &s->counters_cap, sizeof *s->counters);
    struct counter *c = &s->counters[s->ncounters++];
    *c = (struct counter){.name = "", .spec = "", .desc = "", .source = "", .set = "", .group = -1};
    return c;
}

void snapshot_add_notice(struct snapshot *s, enum notice_level level, const char *id,
                         const char *text, const char *help)
{
    for (size_t i = 0; i < s->nnotices; i++)
        if (strcmp(s->notices[i].id, id) == 0)
            return;
    s->notices =
        grow_snapshot_rows(s, s->notices, s->nnotices, &s->notices_cap, sizeof *s->notices);
    s->notices[s->nnotices++] = (struct notice){
        .level = level,
        .id = snapshot_strdup(s, id),
        .text = snapshot_strdup(s, text),
        .help = help ? snapshot_strdup(s, help) : NULL,
    };
}

void snapshot_add_cost(struct snapshot *s, const char *name, uint64_t poll_ns)
{
    s->costs = grow_snapshot_rows(s, s->costs, s->ncosts, &s->costs_cap, sizeof *s->costs);
    s->costs[s->ncosts++] = (struct source_cost){.name = name, .poll_ns = poll_ns};
}

struct snapshot *snapshot_ref(const struct snapshot *s)
{
    __atomic_add_fetch(&((struct snapshot *)s)->refs, 1, __ATOMIC_RELAXED);
    return (struct snapshot *)s;
}

void snapshot_unref(const struct snapshot *cs)
{
    struct snapshot *s = (struct snapshot *)cs;
    if (!s || __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    host_unref(s->host);
    s->host = NULL;
    if (s->bricks)
        graph_unref(s->bricks->tree);
    s->bricks = NULL;
    if (s->owner)
        s->owner_unref(s->owner);
    s->owner = NULL;
    if (!pool_put(s)) {
        arena_free(&s->arena);
        free(s);
    }
}

const struct counter *snapshot_counter(const struct snapshot *s, const char *set, const char *name)
{
    for (size_t i = 0; i < s->ncounters; i++)
        if (strcmp(s->counters[i].name, name) == 0 && (!set || !strcmp(s->counters[i].set, set)))
            return &s->counters[i];
    return NULL;
}

const struct metric *snapshot_metric(const struct snapshot *s, const char *id)
{
    for (size_t i = 0; i < s->nmetrics; i++)
        if (strcmp(s->metrics[i].def->id, id) == 0)
            return &s->metrics[i];
    return NULL;
}
