/*
 * Counters of spans: a group for each thread, if ROOFTOP_BRICK_COUNTERS names events. The first
 * thread writes the counted events into the file. A thread that cannot count the same counts
 * nothing, so that all sums are of the same events.
 */
#include <stdlib.h>

#include "brick/internal.h"

/* Writes the events of this group, or compares them with those written before. Called under the
 * lock. */
static bool tell_counters(const rooftop_counters *g)
{
    struct brick_header *h = brick_open_locked();
    const unsigned n = rooftop_counters_n(g);
    if (!h)
        return false;
    if (LOAD(h->ncounters)) {
        bool same = n == h->ncounters;
        for (unsigned i = 0; same && i < n; i++)
            same = (*rooftop_counters_why(g, i) == '\0') == (h->counter_whys[i] == 0);
        return same;
    }
    for (unsigned i = 0; i < n; i++) {
        h->counters[i] = brick_string(rooftop_counters_name(g, i));
        h->counter_whys[i] = brick_string(rooftop_counters_why(g, i));
    }
    h->counters_fast = (uint32_t)rooftop_counters_fast(g);
    STORE_RELEASE(h->ncounters, n);
    return true;
}

/* Whether it counts at least one event. */
static bool counts_something(const rooftop_counters *g)
{
    rooftop_counts ignored;
    return rooftop_counters_read(g, &ignored) == 0;
}

void brick_counting_begin(struct recorder *r)
{
    const char *events = brick_file.counters;
    rooftop_counters *g = events && *events ? rooftop_counters_open(events) : NULL;
    if (!g)
        return;
    pthread_mutex_lock(&brick_lock);
    bool same = tell_counters(g);
    pthread_mutex_unlock(&brick_lock);
    if (!r->counting && rooftop_counters_n(g))
        r->counting = calloc(1, sizeof *r->counting);
    if (r->counting && same && counts_something(g)) {
        r->counting->group = g;
        return;
    }
    rooftop_counters_close(g);
    if (brick_file.header)
        ADD(brick_file.header->uncounted_threads, 1);
}

void brick_counting_end(struct recorder *r)
{
    if (!r->counting)
        return;
    rooftop_counters_close(r->counting->group);
    r->counting->group = NULL;
}

void brick_counting_chunk(struct recorder *r, unsigned chunk)
{
    struct counting *c = r->counting;
    if (!c || c->chunks[chunk])
        return;
    uint64_t at = LOAD(r->thread->counts[chunk]);
    if (!at) {
        pthread_mutex_lock(&brick_lock);
        if (brick_file.header)
            at = brick_alloc(2 * sizeof(struct brick_counts) *
                             ((uint64_t)BRICK_CHUNK_FIRST << chunk));
        pthread_mutex_unlock(&brick_lock);
        if (!at)
            return; /* its nodes are not counted */
        STORE_RELEASE(r->thread->counts[chunk], at);
    }
    c->chunks[chunk] = brick_at(at);
}
