/* Start and stop: these two calls must cost almost nothing. */
#include <string.h>

#include "brick/internal.h"

/* Only this thread stores to the region, so it reads its own values without synchronization. */
static inline void write_ring_record(struct recorder *r, const struct brick_record *record)
{
    struct brick_thread *t = r->thread;
    uint64_t n = LOAD(t->head);
    struct brick_record *to = r->ring + (n & (t->ring_size - 1));
    STORE(t->reserved, n + 1);
    /* readers must see `reserved` before the record is overwritten */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(to->span, record->span);
    STORE(to->parent, record->parent);
    STORE(to->start, record->start);
    STORE(to->end, record->end);
    STORE(to->elements, record->elements);
    STORE(to->bytes, record->bytes);
    STORE(to->flops, record->flops);
    STORE(to->node, record->node);
    STORE(to->type, record->type);
    STORE_RELEASE(t->head, n + 1);
}

void brick_put(struct recorder *r, const struct brick_record *record)
{
    write_ring_record(r, record);
}

/* Fills the slot that the version will point to. counted NULL: this span was not counted. */
static void add_span_counts(struct brick_counts *slots, uint64_t version,
                            const rooftop_counts *counted)
{
    const struct brick_counts *from = slots + (version & 1);
    struct brick_counts *to = slots + (~version & 1);
    static const rooftop_counts nothing;
    STORE(to->spans, from->spans + (counted != NULL));
    counted = counted ? counted : &nothing;
    STORE(to->enabled, from->enabled + counted->enabled_ns);
    STORE(to->running, from->running + counted->running_ns);
    for (int i = 0; i < BRICK_COUNTERS; i++)
        STORE(to->value[i], from->value[i] + counted->value[i]);
}

static inline void add_span_work(const struct brick_place *p, uint64_t ns, uint64_t elements,
                                 uint64_t bytes, uint64_t flops, struct brick_counts *slots,
                                 const rooftop_counts *counted)
{
    uint32_t *bucket = p->buckets + (size_t)histogram_bucket(ns) * BRICK_BUCKET_NODES;
    /* start all memory accesses together: each may take a full memory latency */
    __builtin_prefetch(p->sums, 1);
    __builtin_prefetch(p->sums + 1, 1);
    __builtin_prefetch(bucket, 1);
    uint64_t version = LOAD(*p->version), bits;
    const struct brick_sums *from = p->sums + (version & 1);
    struct brick_sums *to = p->sums + (~version & 1);
    double squares;
    memcpy(&squares, &from->squares, sizeof squares);
    squares += (double)ns * (double)ns;
    memcpy(&bits, &squares, sizeof bits);
    STORE(*bucket, LOAD(*bucket) + 1);
    /* readers must see the last update before this one begins */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(to->count, from->count + 1);
    STORE(to->total, from->total + ns);
    STORE(to->min, ns < from->min ? ns : from->min);
    STORE(to->max, ns > from->max ? ns : from->max);
    STORE(to->squares, bits);
    STORE(to->elements, from->elements + elements);
    STORE(to->bytes, from->bytes + bytes);
    STORE(to->flops, from->flops + flops);
    if (__builtin_expect(slots != NULL, 0))
        add_span_counts(slots, version, counted);
    STORE_RELEASE(*p->version, version + 1);
}

/* Finds the node of a span that another thread began in our own tree, by the same path. */
static uint32_t find_same_node(struct recorder *r, const struct recorder *other, uint32_t node,
                               int depth)
{
    struct brick_thread *t = other->thread;
    if (node == 0 || depth > DEPTH_MAX || node >= LOAD_ACQUIRE(t->nnodes))
        return 0;
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    const struct brick_key *key = (struct brick_key *)brick_at(LOAD_ACQUIRE(t->chunks[k])) + i;
    uint32_t parent = find_same_node(r, other, LOAD(key->parent), depth + 1);
    return parent == BRICK_NONE ? BRICK_NONE : brick_child(r, parent, LOAD(key->desc));
}

/* Tells the thread that began a span that the span has ended. */
static void post_span_end(struct recorder *other, uint64_t span)
{
    uint32_t n = LOAD(other->mail);
    do
        if (n >= MAILBOX)
            return; /* the span will close together with its parent */
    while (!__atomic_compare_exchange_n(&other->mail, &n, n + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    STORE_RELEASE(other->mailbox[n], span);
}

static void set_depth(struct recorder *r, uint32_t depth)
{
    r->depth = depth;
    STORE(r->thread->current, depth ? brick_span_node(r->open[depth - 1].span) : 0);
}

/* Closes a span of this thread and any spans left open inside it. Fills in the facts that only the
 * stack of open spans has. Returns the depth at which it was open; DEPTH_MAX: it was not. */
static uint32_t close_span(struct recorder *r, struct open_brick *s)
{
    for (uint32_t d = r->depth; d > 0; d--)
        if (r->open[d - 1].span == s->number) {
            s->parent = d > 1 ? r->open[d - 2].span : 0;
            s->event = r->open[d - 1].event;
            set_depth(r, d - 1);
            return d - 1;
        }
    return DEPTH_MAX;
}

static void read_mail(struct recorder *r)
{
    uint32_t n = __atomic_exchange_n(&r->mail, 0, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < MAILBOX; i++) {
        struct open_brick s = {.number = __atomic_exchange_n(&r->mailbox[i], 0, __ATOMIC_ACQUIRE)};
        if (s.number)
            close_span(r, &s);
    }
}

static inline void record_span(struct recorder *r, const struct open_brick *s, uint64_t end,
                               uint64_t elements, uint64_t bytes, uint64_t flops, uint32_t flags,
                               bool counting, const rooftop_counts *counted)
{
    uint32_t node = brick_span_node(s->number);
    uint64_t start = s->start < end ? s->start : end;
    struct brick_record out = {.span = s->number,
                               .parent = s->parent,
                               .start = start,
                               .end = end,
                               .elements = elements,
                               .bytes = bytes,
                               .flops = flops,
                               .node = node,
                               .type = BRICK_SPAN | flags};
    struct brick_place p = brick_place(r, node);
    struct brick_counts *slots = counting ? brick_counts_of(r, node) : NULL;
    add_span_work(&p, end - start, elements, bytes, flops, slots, counted);
    write_ring_record(r, &out);
}

void brick_record(struct recorder *r, const struct open_brick *s, uint64_t end, uint64_t elements,
                  uint64_t bytes, uint64_t flops, bool device)
{
    record_span(r, s, end, elements, bytes, flops, device ? BRICK_RECORD_DEVICE : 0,
                r->counting != NULL, NULL);
}

static inline uint64_t node_number(struct recorder *r, uint32_t node)
{
    return r->span_base | (uint64_t)node << BRICK_NODE_SHIFT | ++r->count;
}

static inline uint32_t known_brick(struct recorder *r, uint32_t id)
{
    if (__builtin_expect(id >= r->known, 0))
        r->known = LOAD_ACQUIRE(brick_file.header->ndescs);
    return id < r->known ? id : ROOFTOP_BRICK_COUNT;
}

struct open_brick brick_begin(struct recorder *r, uint32_t id)
{
    struct open_brick s = {0, r->depth ? r->open[r->depth - 1].span : 0, 0, 0};
    uint32_t node = brick_child(r, s.parent ? brick_span_node(s.parent) : 0, known_brick(r, id));
    if (node != BRICK_NONE)
        s.number = node_number(r, node);
    return s;
}

/* Reads counters outside the span's own time, so that only the spans around it get longer. */
static void count_start(struct counting *c, uint32_t depth)
{
    if (!c->group || rooftop_counters_read(c->group, &c->start[depth]) != 0)
        c->start[depth].enabled_ns = 0;
}

static void count_stop(const struct counting *c, rooftop_counts *now)
{
    if (!c->group || rooftop_counters_read(c->group, now) != 0)
        now->enabled_ns = 0;
}

/* The counts of a span that was open at this depth; NULL: it was not counted. */
static const rooftop_counts *counted_in(const struct recorder *r, uint32_t depth,
                                        rooftop_counts *now)
{
    if (depth >= DEPTH_MAX)
        return NULL;
    const rooftop_counts *start = &r->counting->start[depth];
    if (start->enabled_ns == 0 || now->enabled_ns == 0)
        return NULL;
    *now = rooftop_counts_between(start, now);
    return now;
}

PUBLIC rooftop_timer rooftop_start_span(rooftop_id id)
{
    rooftop_timer none = {0, 0};
    struct recorder *r = brick_recorder();
    if (!r)
        return none;
    if (__builtin_expect(LOAD(r->mail) != 0, 0))
        read_mail(r);
    id = known_brick(r, id);
    uint32_t depth = r->depth;
    uint32_t node = brick_child(r, depth ? brick_span_node(r->open[depth - 1].span) : 0, id);
    if (__builtin_expect(node == BRICK_NONE || depth >= DEPTH_MAX, 0)) {
        ADD(brick_file.header->dropped_nodes, node != BRICK_NONE);
        return none;
    }
    uint64_t span = node_number(r, node);
    r->open[depth].span = span;
    r->open[depth].event = __builtin_expect(LOAD(brick_has_device), 0) ? brick_device_start(id) : 0;
    r->depth = depth + 1;
    STORE(r->thread->current, node);
    if (__builtin_expect(r->counting != NULL, 0))
        count_start(r->counting, depth);
    return (rooftop_timer){clock_ns(), span};
}

/* Records a span that began in another thread in this thread's tree, under the same path. */
static bool adopt_foreign_span(struct recorder *r, struct open_brick *s)
{
    struct recorder *other = brick_recorder_of(brick_span_region(s->number));
    if (!other || (other->span_base ^ s->number) >> BRICK_REGION_SHIFT)
        return false; /* it began before a fork */
    uint32_t node = find_same_node(r, other, brick_span_node(s->number), 0);
    if (node == BRICK_NONE)
        return false;
    post_span_end(other, s->number);
    s->number = node_number(r, node);
    return true;
}

/* counting: whether r->counting is set. Each caller passes a constant, so that a program that does
 * not count executes none of that code. */
static inline __attribute__((always_inline)) void stop_span(struct recorder *r, rooftop_timer t,
                                                            uint64_t end, uint64_t elements,
                                                            uint64_t bytes, uint64_t flops,
                                                            bool counting)
{
    rooftop_counts now;
    if (counting)
        count_stop(r->counting, &now);
    struct open_brick s = {.number = t.span, .start = t.start_ns};
    uint32_t depth = r->depth - 1, at = depth;
    if (__builtin_expect(depth < DEPTH_MAX && r->open[depth].span == t.span, 1)) {
        s.parent = depth ? r->open[depth - 1].span : 0;
        s.event = r->open[depth].event;
        set_depth(r, depth);
    } else if ((t.span ^ r->span_base) >> BRICK_REGION_SHIFT == 0) {
        at = close_span(r, &s);
        if (brick_span_node(t.span) >= r->nnodes)
            return; /* an invalid span number */
    } else if (!adopt_foreign_span(r, &s)) {
        return;
    } else {
        at = DEPTH_MAX; /* another thread began it, with counters of its own */
    }
    if (__builtin_expect(LOAD(brick_has_device), 0)) {
        if (brick_device_stop(r, &s, elements, bytes, flops))
            return;
        end = clock_ns();
    }
    record_span(r, &s, end, elements, bytes, flops, 0, counting,
                counting ? counted_in(r, at, &now) : NULL);
}

static __attribute__((noinline)) void stop_counted(struct recorder *r, rooftop_timer t,
                                                   uint64_t end, uint64_t elements, uint64_t bytes,
                                                   uint64_t flops)
{
    stop_span(r, t, end, elements, bytes, flops, true);
}

PUBLIC void rooftop_stop_span(rooftop_timer t, uint64_t elements, uint64_t bytes, uint64_t flops)
{
    uint64_t end = clock_ns();
    struct recorder *r = brick_recorder();
    if (!r)
        return;
    if (__builtin_expect(r->counting != NULL, 0))
        stop_counted(r, t, end, elements, bytes, flops);
    else
        stop_span(r, t, end, elements, bytes, flops, false);
}

PUBLIC uint64_t rooftop_span(rooftop_id id, uint64_t start_ns, uint64_t end_ns, uint64_t elements,
                             uint64_t bytes, uint64_t flops)
{
    struct recorder *r = LOAD(rooftop_on) ? brick_recorder() : NULL;
    if (!r)
        return 0;
    struct open_brick s = brick_begin(r, id);
    s.start = start_ns;
    if (s.number)
        record_span(r, &s, end_ns, elements, bytes, flops, 0, r->counting != NULL, NULL);
    return s.number;
}

static void record_connection(uint64_t before, uint64_t after, uint32_t flags)
{
    struct recorder *r = before && after && LOAD(rooftop_on) ? brick_recorder() : NULL;
    struct brick_record edge = {.span = before, .parent = after, .type = BRICK_EDGE | flags};
    if (r)
        write_ring_record(r, &edge);
}

PUBLIC void rooftop_depends(uint64_t before, uint64_t after)
{
    record_connection(before, after, 0);
}

PUBLIC void rooftop_joins(uint64_t awaited, uint64_t waiting)
{
    record_connection(awaited, waiting, BRICK_RECORD_JOIN);
}

/* --- asynchronous tasks --- */

PUBLIC rooftop_timer rooftop_poll_start(rooftop_task *task)
{
    return rooftop_start(task->id);
}

PUBLIC void rooftop_poll_stop(rooftop_task *task, rooftop_timer timer, int ready)
{
    if (!timer.span)
        return;
    task->polls++;
    task->poll_ns += clock_ns() - timer.start_ns;
    task->yields += !ready;
    rooftop_stop_span(timer, !ready, 0, 0); /* a task counts its yields as elements */
}

/* --- more facts about the program --- */

PUBLIC void rooftop_tokens(uint64_t n)
{
    struct brick_header *h = LOAD(rooftop_on) ? brick_open() : NULL;
    if (h)
        ADD(h->tokens, n);
}

PUBLIC uint64_t rooftop_elapsed_ns(void)
{
    struct brick_header *h = brick_open();
    return h ? clock_ns() - LOAD(h->epoch_ns) : 0;
}

PUBLIC void rooftop_reset_epoch(void)
{
    struct brick_header *h = brick_open();
    if (h)
        STORE(h->epoch_ns, clock_ns());
}
