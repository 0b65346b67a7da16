/*
 * Sums over all regions, for the program's questions about its own bricks. Reads them as another
 * process would. Allocates nothing.
 */
#include <math.h>
#include <string.h>

#include "brick/internal.h"

/* Reads the sums of a node consistently. */
static struct brick_sums read_node_once(const uint64_t *version, const struct brick_sums *slots)
{
    struct brick_sums s = {0};
    uint64_t seen;
    do {
        seen = LOAD_ACQUIRE(*version);
        const struct brick_sums *from = slots + (seen & 1);
        s.count = LOAD(from->count), s.total = LOAD(from->total);
        s.min = LOAD(from->min), s.max = LOAD(from->max);
        s.elements = LOAD(from->elements);
        s.bytes = LOAD(from->bytes), s.flops = LOAD(from->flops);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (LOAD(*version) != seen);
    return s;
}

static const struct brick_key *key_at(const struct brick_thread *t, uint32_t node)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    return (const struct brick_key *)brick_at(LOAD_ACQUIRE(t->chunks[k])) + i;
}

static struct brick_sums sums_at(const struct brick_thread *t, uint32_t node)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    char *base = brick_at(LOAD_ACQUIRE(t->chunks[k]));
    uint32_t in_chunk = BRICK_CHUNK_FIRST << k;
    const uint64_t *versions = (const void *)(base + in_chunk * sizeof(struct brick_key));
    const struct brick_sums *slots = (const void *)(versions + in_chunk);
    return read_node_once(versions + i, slots + 2 * (size_t)i);
}

/* Reads the counts of a node consistently; all zero if it has none. */
static struct brick_counts counts_at(const struct brick_thread *t, uint32_t node)
{
    struct brick_counts c = {0};
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    uint64_t at = LOAD_ACQUIRE(t->counts[k]), seen;
    uint32_t in_chunk = BRICK_CHUNK_FIRST << k;
    const char *base = brick_at(LOAD_ACQUIRE(t->chunks[k]));
    const uint64_t *version =
        (const uint64_t *)(const void *)(base + in_chunk * sizeof(struct brick_key)) + i;
    if (!at)
        return c;
    do {
        seen = LOAD_ACQUIRE(*version);
        const struct brick_counts *from =
            (const struct brick_counts *)brick_at(at) + 2 * (size_t)i + (seen & 1);
        c.spans = LOAD(from->spans);
        c.enabled = LOAD(from->enabled), c.running = LOAD(from->running);
        for (int e = 0; e < BRICK_COUNTERS; e++)
            c.value[e] = LOAD(from->value[e]);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    } while (LOAD(*version) != seen);
    return c;
}

static bool is_brick(const struct brick_key *key)
{
    return brick_desc(LOAD(key->desc))->kind == BRICK_KIND_BRICK;
}

/* The category of the nearest enclosing brick; -1: none. */
static int find_outer_category(const struct brick_thread *t, const struct brick_key *key)
{
    for (uint32_t up = LOAD(key->parent); up != 0; up = LOAD(key->parent)) {
        key = key_at(t, up);
        if (is_brick(key))
            return (int)brick_desc(LOAD(key->desc))->category;
    }
    return -1;
}

static void add_sums(rooftop_stats *to, const struct brick_sums *s)
{
    if (s->count == 0)
        return;
    to->min_ns = to->count == 0 || s->min < to->min_ns ? s->min : to->min_ns;
    to->max_ns = s->max > to->max_ns ? s->max : to->max_ns;
    to->count += s->count, to->total_ns += s->total;
    to->elements += s->elements, to->bytes += s->bytes, to->flops += s->flops;
}

/* Calls see for each node of each thread. */
static void each_node(void (*see)(void *to, const struct brick_thread *t,
                                  const struct brick_key *key, uint32_t node),
                      void *to)
{
    struct brick_header *h = brick_open();
    uint32_t n = h ? LOAD_ACQUIRE(h->nthreads) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct recorder *r = brick_recorder_of(i);
        uint32_t nodes = r ? LOAD_ACQUIRE(r->thread->nnodes) : 0;
        for (uint32_t node = 1; node < nodes; node++)
            see(to, r->thread, key_at(r->thread, node), node);
    }
}

struct look_wanted {
    uint32_t id;
    rooftop_stats stats;
};

static void see_id(void *to, const struct brick_thread *t, const struct brick_key *key,
                   uint32_t node)
{
    struct look_wanted *w = to;
    if (LOAD(key->desc) != w->id)
        return;
    struct brick_sums s = sums_at(t, node);
    add_sums(&w->stats, &s);
}

PUBLIC rooftop_stats rooftop_stats_of(rooftop_id id)
{
    struct look_wanted w;
    memset(&w, 0, sizeof w);
    w.id = id;
    each_node(see_id, &w);
    return w.stats;
}

struct counts_wanted {
    uint32_t id;
    uint64_t calls;
    rooftop_counts *counts;
};

static void see_counts(void *to, const struct brick_thread *t, const struct brick_key *key,
                       uint32_t node)
{
    struct counts_wanted *w = to;
    if (LOAD(key->desc) != w->id)
        return;
    struct brick_counts c = counts_at(t, node);
    w->calls += c.spans;
    w->counts->enabled_ns += c.enabled;
    w->counts->running_ns += c.running;
    for (int e = 0; e < BRICK_COUNTERS; e++)
        w->counts->value[e] += c.value[e];
}

PUBLIC uint64_t rooftop_brick_counts(uint32_t id, rooftop_counts *out)
{
    struct counts_wanted w = {.id = id, .counts = out};
    *out = (rooftop_counts){0, 0, {0}};
    each_node(see_counts, &w);
    return w.calls;
}

static void see_brick(void *to, const struct brick_thread *t, const struct brick_key *key,
                      uint32_t node)
{
    struct brick_categories *c = to;
    if (!is_brick(key))
        return;
    struct brick_sums s = sums_at(t, node);
    int outer = find_outer_category(t, key);
    add_sums(&c->of[brick_desc(LOAD(key->desc))->category], &s);
    if (outer < 0)
        c->total_ns += s.total;
    else
        c->inside_ns[outer] += s.total;
}

struct brick_categories brick_categories(void)
{
    struct brick_categories c;
    memset(&c, 0, sizeof c);
    each_node(see_brick, &c);
    /* launched bricks may end after the bricks around them */
    for (int i = 0; i < ROOFTOP_CATEGORIES; i++)
        c.of[i].total_ns -= c.inside_ns[i] < c.of[i].total_ns ? c.inside_ns[i] : c.of[i].total_ns;
    return c;
}

PUBLIC rooftop_stats rooftop_category_stats(enum rooftop_category category)
{
    rooftop_stats none;
    memset(&none, 0, sizeof none);
    return (unsigned)category < ROOFTOP_CATEGORIES ? brick_categories().of[category] : none;
}

PUBLIC uint64_t rooftop_total_ns(void)
{
    return brick_categories().total_ns;
}

PUBLIC double rooftop_percentage(const rooftop_stats *stats, uint64_t total_ns)
{
    return total_ns ? 100.0 * (double)stats->total_ns / (double)total_ns : NAN;
}
