#include "backends/bricks/brick_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"

/* Sizes of structures in version 2. */
enum {
    UNCOUNTED_HEADER = offsetof(struct brick_header, ncounters),
    UNCOUNTED_THREAD = offsetof(struct brick_thread, counts)
};
/* REGION_NODES_MAX: of all threads together. A file of 2.5 GiB has room for that many; a sparse
 * file may claim 256 times as many. */
enum { NODES_MAX = 1 << 16, CHILDREN = 2 * NODES_MAX, READ_MAX = 1 << 16 };
enum { REGION_NODES_MAX = 1 << 20 };

int brick_reader_damaged(const struct brick_reader *r, struct error *err, uint64_t at,
                         const char *why)
{
    char what[192];
    snprintf(what, sizeof what, "read %.150s, byte %llu", r->path, (unsigned long long)at);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", why);
}

bool brick_reader_get(const struct brick_reader *r, uint64_t at, void *to, size_t size)
{
    return at <= r->size && size <= r->size - at &&
           pread(r->fd, to, size, (off_t)at) == (ssize_t)size;
}

/* --- opening --- */

static bool table_fits(const struct brick_reader *r, uint64_t at, uint64_t size)
{
    return at >= r->header.header_size && at <= r->size && size <= r->size - at && at % 8 == 0;
}

static int check_header(struct brick_reader *r, struct error *err)
{
    const struct brick_header *h = &r->header;
    struct stat st;
    if (fstat(r->fd, &st) != 0 || !S_ISREG(st.st_mode))
        return brick_reader_damaged(r, err, 0, "it is not a regular file");
    r->size = (uint64_t)st.st_size;
    if (!brick_reader_get(r, 0, &r->header, sizeof r->header) || h->magic != BRICK_MAGIC)
        return brick_reader_damaged(r, err, 0, "it is not a file of librooftop");
    const bool old = h->version == BRICK_VERSION_UNCOUNTED && h->header_size == UNCOUNTED_HEADER;
    if (!old && (h->version != BRICK_VERSION || h->header_size != sizeof *h))
        return error_set(err, ERROR_UNSUPPORTED, ENOTSUP,
                         "use the rooftop that came with the program's librooftop", r->path,
                         "its layout is version %u, this rooftop reads %d and %d", h->version,
                         BRICK_VERSION_UNCOUNTED, BRICK_VERSION);
    if (old)
        memset((char *)&r->header + UNCOUNTED_HEADER, 0, sizeof r->header - UNCOUNTED_HEADER);
    if (!table_fits(r, h->threads, BRICK_THREADS * sizeof(uint64_t)) ||
        !table_fits(r, h->descs, BRICK_DESCS * sizeof(struct brick_desc)) ||
        !table_fits(r, h->strings, BRICK_STRINGS) ||
        !table_fits(r, h->codes, BRICK_CODES * sizeof(struct brick_code)))
        return brick_reader_damaged(r, err, offsetof(struct brick_header, threads),
                                    "a table lies outside the file");
    r->header.program[sizeof h->program - 1] = '\0';
    r->header.exe[sizeof h->exe - 1] = '\0';
    return 0;
}

int brick_reader_open_fd(struct brick_reader **out, int fd, const char *path, struct error *err)
{
    struct brick_reader *r = xcalloc(1, sizeof *r);
    r->fd = fd;
    r->path = xstrdup(path);
    int rc = check_header(r, err);
    if (rc != 0) {
        brick_reader_close(r);
        return rc;
    }
    *out = r;
    return 0;
}

int brick_reader_open(struct brick_reader **out, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(err, ERROR_INPUT, errno, NULL, path, "%s", strerror(errno));
    return brick_reader_open_fd(out, fd, path, err);
}

void brick_reader_close(struct brick_reader *r)
{
    if (!r)
        return;
    close(r->fd);
    for (uint32_t i = 0; i < r->nregions; i++) {
        free(r->regions[i].node);
        free(r->regions[i].version);
        free(r->regions[i].sums);
        free(r->regions[i].counts);
    }
    free(r->regions);
    free(r->threads);
    free(r->whats);
    for (uint32_t i = 0; i < r->nnodes; i++)
        histogram_free(&r->nodes[i].histogram);
    free(r->nodes);
    free(r->counts);
    ids_free(&r->children);
    free(r->events);
    free(r->path);
    arena_free(&r->texts);
    free(r);
}

/* --- descriptions --- */

const char *brick_reader_text(struct brick_reader *r, const char *strings, uint32_t at)
{
    if (at == 0 || at >= BRICK_STRINGS)
        return "";
    char *copy = arena_strndup(&r->texts, strings + at, strnlen(strings + at, BRICK_STRINGS - at));
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    return copy;
}

static int read_whats(struct brick_reader *r, struct error *err)
{
    const struct brick_header *h = &r->header;
    uint32_t n = h->ndescs;
    if (n > BRICK_DESCS)
        return brick_reader_damaged(r, err, offsetof(struct brick_header, ndescs),
                                    "too many descriptions");
    if (n <= r->nwhats)
        return 0;
    uint32_t more = n - r->nwhats;
    struct brick_desc *descs = xcalloc(more, sizeof *descs);
    char *strings = xcalloc(1, BRICK_STRINGS + 1);
    uint64_t at = h->descs + r->nwhats * sizeof *descs;
    bool ok = brick_reader_get(r, at, descs, more * sizeof *descs) &&
              brick_reader_get(r, h->strings, strings, BRICK_STRINGS);
    r->whats = xrealloc(r->whats, n, sizeof *r->whats);
    for (uint32_t i = 0; ok && i < more; i++) {
        struct brick_what *w = &r->whats[r->nwhats];
        ok = descs[i].kind < BRICK_KINDS && descs[i].category < 4;
        *w = (struct brick_what){.desc = descs[i],
                                 .name = brick_reader_text(r, strings, descs[i].name),
                                 .from = brick_reader_text(r, strings, descs[i].from),
                                 .to = brick_reader_text(r, strings, descs[i].to)};
        r->nwhats += ok;
    }
    free(strings);
    free(descs);
    return ok ? 0
              : brick_reader_damaged(r, err, h->descs + r->nwhats * sizeof *descs,
                                     "a description is damaged");
}

/* Reads budgets again, because they may be set late. */
static void read_budgets(struct brick_reader *r)
{
    struct brick_desc *descs = xcalloc(r->nwhats + 1, sizeof *descs);
    if (brick_reader_get(r, r->header.descs, descs, r->nwhats * sizeof *descs))
        for (uint32_t i = 0; i < r->nwhats; i++)
            r->whats[i].desc.budget_ns = descs[i].budget_ns;
    free(descs);
}

/* --- the program's tree --- */

static uint32_t program_node(struct brick_reader *r, uint32_t parent, uint32_t what)
{
    uint64_t key = (uint64_t)parent << 32 | what;
    uint32_t known = ids_get(&r->children, key);
    if (known != IDS_NONE)
        return known;
    if (r->nnodes >= NODES_MAX)
        return BRICK_NONE;
    LIST_ROOM(r->nodes, r->nnodes, r->nodes_cap);
    memset(&r->nodes[r->nnodes], 0, sizeof *r->nodes);
    r->nodes[r->nnodes].parent = parent;
    r->nodes[r->nnodes].what = what;
    r->nodes[r->nnodes].min = UINT64_MAX;
    ids_add(&r->children, key, r->nnodes);
    return r->nnodes++;
}

/* --- regions --- */

struct chunk { /* offsets of its parts */
    uint64_t keys, versions, sums, buckets;
    uint64_t counts;   /* 0: none */
    uint32_t first, n; /* the range of its nodes */
};

static bool chunk_at(const struct brick_reader *r, const struct thread_region *g, unsigned k,
                     struct chunk *c)
{
    uint64_t n = (uint64_t)BRICK_CHUNK_FIRST << k, at = g->thread.chunks[k];
    if (at < sizeof r->header || at > r->size || BRICK_CHUNK_BYTES(n) > r->size - at)
        return false;
    c->first = BRICK_CHUNK_FIRST * ((1u << k) - 1);
    c->n = (uint32_t)n;
    c->keys = at;
    c->versions = c->keys + n * sizeof(struct brick_key);
    c->sums = c->versions + n * sizeof(uint64_t);
    c->buckets = c->sums + 2 * n * sizeof(struct brick_sums);
    c->counts = r->ncounters ? g->thread.counts[k] : 0;
    return c->counts == 0 || (c->counts >= sizeof r->header && c->counts <= r->size &&
                              2 * n * sizeof(struct brick_counts) <= r->size - c->counts);
}

static bool new_nodes(struct brick_reader *r, struct thread_region *g, const struct chunk *c,
                      uint32_t upto)
{
    struct brick_key key;
    for (uint32_t i = g->nnodes; i < upto; i++) {
        if (!brick_reader_get(r, c->keys + (i - c->first) * sizeof key, &key, sizeof key))
            return false;
        uint32_t node = BRICK_NONE;
        if (i > 0) {
            if (key.parent >= i || key.desc >= r->nwhats)
                return false;
            uint32_t parent = key.parent == 0 ? BRICK_NONE : g->node[key.parent];
            if (key.parent == 0 || parent != BRICK_NONE)
                node = program_node(r, parent, key.desc);
        }
        g->node[i] = node;
    }
    return true;
}

static void take_sums(struct brick_node *to, const struct brick_sums *now,
                      const struct brick_sums *before)
{
    double squares, squares_before;
    memcpy(&squares, &now->squares, sizeof squares);
    memcpy(&squares_before, &before->squares, sizeof squares_before);
    to->count += now->count - before->count;
    to->total += now->total - before->total;
    to->recent_count += now->count - before->count;
    to->recent_total += now->total - before->total;
    to->recent_bytes += now->bytes - before->bytes;
    to->recent_flops += now->flops - before->flops;
    to->elements += now->elements - before->elements;
    to->bytes += now->bytes - before->bytes;
    to->flops += now->flops - before->flops;
    to->squares += squares - squares_before;
    if (now->count && now->min < to->min)
        to->min = now->min;
    if (now->max > to->max)
        to->max = now->max;
}

/* Reads sums. A slot is complete if its version did not change: versions are read before and after
 * the sums, and nodes that changed meanwhile are read again. */
static bool read_node_sums(struct brick_reader *r, struct thread_region *g, const struct chunk *c,
                           uint32_t n, bool *changed)
{
    uint64_t *before = xcalloc(2 * (size_t)n, sizeof *before), *after = before + n;
    struct brick_sums *sums = xcalloc(2 * (size_t)n, sizeof *sums);
    struct brick_counts *counts = c->counts ? xcalloc(2 * (size_t)n, sizeof *counts) : NULL;
    bool ok = brick_reader_get(r, c->versions, before, n * sizeof *before) &&
              brick_reader_get(r, c->sums, sums, 2 * (size_t)n * sizeof *sums) &&
              (!counts || brick_reader_get(r, c->counts, counts, 2 * (size_t)n * sizeof *counts)) &&
              brick_reader_get(r, c->versions, after, n * sizeof *after);
    for (uint32_t i = 0; ok && i < n; i++) {
        uint32_t at = c->first + i;
        for (int again = 0; ok && before[i] != after[i] && again < 1000; again++) {
            before[i] = after[i];
            ok = brick_reader_get(r, c->sums + 2 * i * sizeof *sums, sums + 2 * (size_t)i,
                                  2 * sizeof *sums) &&
                 (!counts || brick_reader_get(r, c->counts + 2 * i * sizeof *counts,
                                              counts + 2 * (size_t)i, 2 * sizeof *counts)) &&
                 brick_reader_get(r, c->versions + i * sizeof *after, &after[i], sizeof *after);
        }
        if (before[i] != after[i] || before[i] == g->version[at])
            continue; /* is read in the next poll */
        const struct brick_sums *now = &sums[2 * (size_t)i + (before[i] & 1)];
        if (g->node[at] != BRICK_NONE)
            take_sums(&r->nodes[g->node[at]], now, &g->sums[at]);
        g->sums[at] = *now;
        if (counts) {
            const struct brick_counts *counted = &counts[2 * (size_t)i + (before[i] & 1)];
            if (g->node[at] != BRICK_NONE)
                brick_reader_add_counts(r, g->node[at], counted, &g->counts[at]);
            g->counts[at] = *counted;
        }
        g->version[at] = before[i];
        *changed = true;
    }
    free(counts);
    free(sums);
    free(before);
    return ok;
}

static bool read_region_nodes(struct brick_reader *r, struct thread_region *g, bool *changed)
{
    uint32_t n = g->thread.nnodes;
    if (n > BRICK_NODES || n < g->nnodes || n - g->nnodes > REGION_NODES_MAX - r->region_nodes)
        return false;
    if (n > g->nnodes) {
        g->node = xrealloc(g->node, n, sizeof *g->node);
        g->version = xrealloc(g->version, n, sizeof *g->version);
        g->sums = xrealloc(g->sums, n, sizeof *g->sums);
        memset(g->version + g->nnodes, 0, (n - g->nnodes) * sizeof *g->version);
        memset(g->sums + g->nnodes, 0, (n - g->nnodes) * sizeof *g->sums);
    }
    if (r->ncounters && n > g->ncounts) {
        g->counts = xrealloc(g->counts, n, sizeof *g->counts);
        memset(g->counts + g->ncounts, 0, (n - g->ncounts) * sizeof *g->counts);
        g->ncounts = n;
    }
    for (unsigned k = 0; k < BRICK_CHUNKS; k++) {
        struct chunk c;
        uint32_t first = BRICK_CHUNK_FIRST * ((1u << k) - 1);
        if (first >= n)
            break;
        if (!chunk_at(r, g, k, &c))
            return false;
        uint32_t end = first + c.n < n ? first + c.n : n;
        if (end > g->nnodes) {
            if (!new_nodes(r, g, &c, end))
                return false;
            r->region_nodes += end - g->nnodes;
            g->nnodes = end;
        }
        if (!read_node_sums(r, g, &c, end - first, changed))
            return false;
    }
    return true;
}

static bool add_histograms(struct brick_reader *r, const struct thread_region *g)
{
    uint32_t *buckets = NULL;
    bool ok = true;
    for (unsigned k = 0; ok && k < BRICK_CHUNKS; k++) {
        struct chunk c;
        uint32_t first = BRICK_CHUNK_FIRST * ((1u << k) - 1);
        if (first >= g->nnodes)
            break;
        if (!chunk_at(r, g, k, &c))
            break;
        uint32_t n = g->nnodes - first < c.n ? g->nnodes - first : c.n;
        size_t room = (size_t)brick_first_bucket((n + BRICK_BUCKET_NODES - 1) &
                                                 ~(uint32_t)(BRICK_BUCKET_NODES - 1));
        buckets = xrealloc(buckets, room, sizeof *buckets);
        ok = brick_reader_get(r, c.buckets, buckets, room * sizeof *buckets);
        for (uint32_t i = 0; ok && i < n; i++) {
            if (g->node[first + i] == BRICK_NONE || g->version[first + i] == 0)
                continue;
            struct histogram *h = &r->nodes[g->node[first + i]].histogram;
            for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++) {
                uint32_t more = buckets[brick_first_bucket(i) + (size_t)b * BRICK_BUCKET_NODES];
                if (more)
                    histogram_put(h, b, more);
            }
        }
    }
    free(buckets);
    return ok;
}

/* --- spans --- */

static void keep_brick_event(struct brick_reader *r, struct thread_region *g,
                             const struct brick_record *record, uint64_t at)
{
    LIST_ROOM(r->events, r->nevents, r->events_cap);
    struct brick_event *e = &r->events[r->nevents];
    e->record = *record;
    e->thread = (uint32_t)(g - r->regions);
    e->at = at;
    uint32_t type = record->type & 15;
    if (type == BRICK_SPAN) {
        e->record.node = record->node < g->nnodes ? g->node[record->node] : BRICK_NONE;
        if (e->record.node == BRICK_NONE || record->end < record->start)
            return;
    } else if (type > BRICK_THREAD) {
        return;
    }
    r->nevents++;
}

static void note_lost_span(struct thread_region *g, const struct brick_record *record)
{
    if ((record->type & 15) == BRICK_SPAN && record->end > g->lost_until)
        g->lost_until = record->end;
}

static bool read_ring(struct brick_reader *r, struct thread_region *g)
{
    const struct brick_thread *t = &g->thread;
    uint64_t size = t->ring_size, head = t->head;
    if (size == 0 || size > READ_MAX || (size & (size - 1)) || t->ring > r->size ||
        size * sizeof(struct brick_record) > r->size - t->ring || head < g->head)
        return false;
    uint64_t first = head - g->head > size ? head - size : g->head;
    r->missed += first - g->head;
    uint64_t n = head - first, from = first & (size - 1), part = size - from < n ? size - from : n;
    struct brick_record *records = xcalloc(n + 1, sizeof *records);
    uint64_t reserved = 0;
    bool ok =
        brick_reader_get(r, t->ring + from * sizeof *records, records, part * sizeof *records) &&
        brick_reader_get(r, t->ring, records + part, (n - part) * sizeof *records) &&
        brick_reader_get(r, g->at + offsetof(struct brick_thread, reserved), &reserved,
                         sizeof reserved);
    bool lost = first > g->head;
    for (uint64_t i = 0; ok && i < n; i++) {
        if (first + i + size < reserved) { /* overwritten while it was copied */
            r->missed++;
            lost = true;
            continue;
        }
        if (lost) /* the overwritten spans ended before this one */
            note_lost_span(g, &records[i]);
        lost = false;
        keep_brick_event(r, g, &records[i], first + i);
    }
    g->head = head;
    free(records);
    return ok;
}

/* If there are too many events, keeps the newest half. */
static void forget_events(struct brick_reader *r)
{
    if (r->nevents <= BRICK_EVENTS)
        return;
    size_t drop = r->nevents - BRICK_EVENTS / 2;
    for (size_t i = 0; i < drop; i++)
        note_lost_span(&r->regions[r->events[i].thread], &r->events[i].record);
    memmove(r->events, r->events + drop, (r->nevents - drop) * sizeof *r->events);
    r->nevents -= drop;
}

/* --- a poll --- */

static void forget_recent(struct brick_reader *r)
{
    for (uint32_t i = 0; r->polled && i < r->nnodes; i++)
        r->nodes[i].recent_count = r->nodes[i].recent_total = r->nodes[i].recent_bytes =
            r->nodes[i].recent_flops = 0;
    r->polled = false;
}

static int more_regions(struct brick_reader *r, struct error *err)
{
    uint32_t n = r->header.nthreads;
    if (n > BRICK_THREADS || n < r->nregions)
        return brick_reader_damaged(r, err, offsetof(struct brick_header, nthreads),
                                    "the number of threads is wrong");
    if (n == r->nregions)
        return 0;
    r->regions = xrealloc(r->regions, n, sizeof *r->regions);
    r->threads = xrealloc(r->threads, n, sizeof *r->threads);
    memset(r->regions + r->nregions, 0, (n - r->nregions) * sizeof *r->regions);
    memset(r->threads + r->nregions, 0, (n - r->nregions) * sizeof *r->threads);
    for (; r->nregions < n; r->nregions++) {
        uint64_t at = r->header.threads + r->nregions * sizeof(uint64_t);
        if (!brick_reader_get(r, at, &r->regions[r->nregions].at, sizeof(uint64_t)) ||
            r->regions[r->nregions].at < sizeof r->header)
            return brick_reader_damaged(r, err, at, "a thread's region lies outside the file");
    }
    return 0;
}

/* Reads the ring's head before the number of nodes, so that records only name known nodes. */
static int look_at_region(struct brick_reader *r, uint32_t i, struct error *err)
{
    struct thread_region *g = &r->regions[i];
    struct brick_thread_info *t = &r->threads[i];
    if (!brick_reader_get(r, g->at, &g->thread, sizeof g->thread) ||
        !brick_reader_get(r, g->at + offsetof(struct brick_thread, nnodes), &g->thread.nnodes,
                          sizeof g->thread.nnodes) ||
        !brick_reader_get(r, g->at + offsetof(struct brick_thread, chunks), g->thread.chunks,
                          sizeof g->thread.chunks) ||
        !brick_reader_get(r, g->at + offsetof(struct brick_thread, counts), g->thread.counts,
                          sizeof g->thread.counts))
        return brick_reader_damaged(r, err, g->at, "a thread's region lies outside the file");
    if (r->header.version == BRICK_VERSION_UNCOUNTED)
        memset((char *)&g->thread + UNCOUNTED_THREAD, 0, sizeof g->thread - UNCOUNTED_THREAD);
    t->tid = g->thread.tid;
    t->live = g->thread.live;
    memcpy(t->name, g->thread.name, sizeof t->name - 1);
    for (char *c = t->name; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = '?';
    return 0;
}

static int read_thread_regions(struct brick_reader *r, struct error *err)
{
    bool changed = false;
    for (uint32_t i = 0; i < r->nregions; i++) {
        if (!read_region_nodes(r, &r->regions[i], &changed))
            return brick_reader_damaged(r, err, r->regions[i].at,
                                        "the nodes of a thread are damaged");
        if (!read_ring(r, &r->regions[i]))
            return brick_reader_damaged(r, err, r->regions[i].at,
                                        "the spans of a thread are damaged");
    }
    for (uint32_t i = 0; changed && i < r->nnodes; i++)
        histogram_clear(&r->nodes[i].histogram);
    for (uint32_t i = 0; changed && i < r->nregions; i++)
        if (!add_histograms(r, &r->regions[i]))
            return brick_reader_damaged(r, err, r->regions[i].at,
                                        "the nodes of a thread are damaged");
    return 0;
}

static bool read_file_header(struct brick_reader *r)
{
    struct brick_header now, *h = &r->header;
    if (!brick_reader_get(r, 0, &now, sizeof now))
        return false;
    h->state = now.state;
    h->epoch_ns = now.epoch_ns;
    h->tokens = now.tokens;
    h->device_errors = now.device_errors;
    h->dropped_names = now.dropped_names;
    h->dropped_nodes = now.dropped_nodes;
    h->dropped_threads = now.dropped_threads;
    h->sync = now.sync;
    h->device = now.device;
    h->ndescs = now.ndescs;
    h->nthreads = now.nthreads;
    h->ncodes = now.ncodes;
    if (h->version != BRICK_VERSION_UNCOUNTED) {
        h->ncounters = now.ncounters;
        h->uncounted_threads = now.uncounted_threads;
        h->counters_fast = now.counters_fast;
        memcpy(h->counters, now.counters, sizeof h->counters);
        memcpy(h->counter_whys, now.counter_whys, sizeof h->counter_whys);
    }
    return true;
}

/* Finds for each description the thread that spent most time in it, at all places together. Threads
 * that run parts of a kernel in parallel are as fast as the slowest. */
static void find_busiest(struct brick_reader *r)
{
    uint64_t *most = xcalloc(r->nwhats + 1u, sizeof *most),
             *now = xcalloc(r->nwhats + 1u, sizeof *now);
    uint32_t *region = xcalloc(r->nwhats + 1u, sizeof *region);
    for (uint32_t k = 0; k < r->nregions; k++) {
        const struct thread_region *g = &r->regions[k];
        memset(now, 0, r->nwhats * sizeof *now);
        for (uint32_t i = 1; i < g->nnodes; i++)
            if (g->node[i] != BRICK_NONE)
                now[r->nodes[g->node[i]].what] += g->sums[i].total;
        for (uint32_t w = 0; w < r->nwhats; w++)
            if (now[w] > most[w]) {
                most[w] = now[w];
                region[w] = k;
            }
    }
    for (uint32_t i = 0; i < r->nnodes; i++)
        r->nodes[i].busiest = 0;
    for (uint32_t k = 0; k < r->nregions; k++) {
        const struct thread_region *g = &r->regions[k];
        for (uint32_t i = 1; i < g->nnodes; i++) {
            struct brick_node *n = g->node[i] == BRICK_NONE ? NULL : &r->nodes[g->node[i]];
            if (n && region[n->what] == k)
                n->busiest += g->sums[i].total;
        }
    }
    free(most);
    free(now);
    free(region);
}

/* References are read before what they refer to, so that it exists by then. */
int brick_reader_follow(struct brick_reader *r, struct error *err)
{
    forget_events(r);
    forget_recent(r);
    r->nold = r->nevents;
    int rc = read_file_header(r) ? more_regions(r, err)
                                 : brick_reader_damaged(r, err, 0, "it has become shorter");
    if (rc == 0)
        rc = brick_reader_read_counters(r, err);
    for (uint32_t i = 0; rc == 0 && i < r->nregions; i++)
        rc = look_at_region(r, i, err);
    if (rc == 0)
        rc = read_file_header(r) ? read_whats(r, err)
                                 : brick_reader_damaged(r, err, 0, "it has become shorter");
    read_budgets(r);
    if (rc == 0)
        rc = read_thread_regions(r, err);
    find_busiest(r);
    return rc;
}

int brick_reader_poll(struct brick_reader *r, struct error *err)
{
    const int rc = brick_reader_follow(r, err);
    r->polled = true;
    return rc;
}

const struct brick_header *brick_reader_header(const struct brick_reader *r)
{
    return &r->header;
}

const struct brick_what *brick_reader_what(const struct brick_reader *r, uint32_t i)
{
    return &r->whats[i];
}

const struct brick_node *brick_reader_nodes(const struct brick_reader *r, uint32_t *n)
{
    *n = r->nnodes;
    return r->nodes;
}

const struct brick_thread_info *brick_reader_threads(const struct brick_reader *r, uint32_t *n)
{
    *n = r->nregions;
    return r->threads;
}

const struct brick_event *brick_reader_events(const struct brick_reader *r, size_t *n)
{
    *n = r->nevents;
    return r->events;
}

const struct brick_event *brick_reader_new_events(const struct brick_reader *r, size_t *n)
{
    *n = r->nevents - r->nold;
    return *n ? r->events + r->nold : NULL;
}

uint64_t brick_reader_known_since(const struct brick_reader *r)
{
    uint64_t since = 0;
    for (uint32_t i = 0; i < r->nregions; i++)
        since = r->regions[i].lost_until > since ? r->regions[i].lost_until : since;
    return since;
}

uint64_t brick_reader_spans(const struct brick_reader *r)
{
    uint64_t spans = 0;
    for (uint32_t i = 0; i < r->nregions; i++)
        for (uint32_t k = 1; k < r->regions[i].nnodes; k++)
            spans += r->regions[i].sums[k].count;
    return spans;
}

uint64_t brick_reader_missed(const struct brick_reader *r)
{
    return r->missed;
}
