#include "backends/usdt/usdt_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/ids.h"

#define STORE(p, v)         __atomic_store_n(&(p), (v), __ATOMIC_RELAXED)
#define STORE_RELEASE(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)

enum {
    CAPACITY = 256 << 20, /* sparse: unused parts take no memory */
    TABLES = sizeof(struct brick_header) + BRICK_THREADS * sizeof(uint64_t) +
             BRICK_DESCS * sizeof(struct brick_desc) + BRICK_STRINGS +
             BRICK_CODES * sizeof(struct brick_code)
};

struct brick_region {
    struct brick_thread *thread; /* in the file */
    struct ids children;         /* nodes by parent and description */
    uint32_t nnodes, count;      /* count: spans begun, the lower bits of their numbers */
    bool live;
};

struct brick_writer {
    int fd;
    char *path;
    struct brick_header *header; /* start of the mapping */
    uint64_t capacity;
    struct brick_region *regions;
    uint32_t nregions;
};

static void *brick_file_place(const struct brick_writer *w, uint64_t offset)
{
    return (char *)w->header + offset;
}

/* Reserves space in the file system before it is touched: a page without space would raise SIGBUS.
 * Returns 0 if there is no space. */
static uint64_t allocate_brick_space(struct brick_writer *w, uint64_t size)
{
    struct brick_header *h = w->header;
    uint64_t from = h->used, end = from + ((size + 63) & ~UINT64_C(63));
    if (end > w->capacity || posix_fallocate(w->fd, (off_t)from, (off_t)(end - from)) != 0)
        return 0;
    STORE(h->used, end);
    return from;
}

/* --- the file --- */

static void fill_brick_header(struct brick_writer *w, const struct brick_writer_program *p,
                              uint64_t now_ns)
{
    struct brick_header *h = w->header;
    h->version = BRICK_VERSION;
    h->header_size = sizeof *h;
    h->pid = (uint32_t)p->pid;
    h->start_ticks = p->start_ticks;
    h->created_ns = h->epoch_ns = now_ns;
    h->created_wall_ns = env_wall_ns();
    h->capacity = w->capacity;
    h->threads = sizeof *h;
    h->descs = h->threads + BRICK_THREADS * sizeof(uint64_t);
    h->strings = h->descs + BRICK_DESCS * sizeof(struct brick_desc);
    h->codes = h->strings + BRICK_STRINGS;
    h->strings_used = 1; /* offset 0 is "" */
    h->used = ((uint64_t)TABLES + 63) & ~UINT64_C(63);
    snprintf(h->program, sizeof h->program, "%s", p->program);
    snprintf(h->exe, sizeof h->exe, "%s", p->exe);
    STORE(h->state, (uint32_t)BRICK_RUNNING);
    STORE_RELEASE(h->magic, BRICK_MAGIC);
}

static int map_file(struct brick_writer *w)
{
    struct rlimit limit; /* exceeding this limit raises a signal */
    w->capacity = CAPACITY;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < w->capacity)
        w->capacity = limit.rlim_cur & ~UINT64_C(4095);
    if (w->capacity < 2 * (uint64_t)TABLES)
        return EFBIG;
    if (ftruncate(w->fd, (off_t)w->capacity) != 0)
        return errno;
    int rc = posix_fallocate(w->fd, 0, TABLES);
    if (rc != 0)
        return rc;
    void *map =
        mmap(NULL, w->capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, w->fd, 0);
    if (map == MAP_FAILED)
        return errno;
    w->header = map;
    return 0;
}

int brick_writer_open(struct brick_writer **out, const char *path,
                      const struct brick_writer_program *program, uint64_t now_ns,
                      struct error *err)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return error_set(err, ERROR_OUTPUT, errno, NULL, path, "%s", strerror(errno));
    struct brick_writer *w = xcalloc(1, sizeof *w);
    w->fd = fd;
    w->path = xstrdup(path);
    int code = map_file(w);
    if (code != 0) {
        brick_writer_close(w);
        return error_set(err, ERROR_OUTPUT, code, "make room there", path, "%s", strerror(code));
    }
    fill_brick_header(w, program, now_ns);
    *out = w;
    return 0;
}

void brick_writer_end(struct brick_writer *w)
{
    STORE_RELEASE(w->header->state, (uint32_t)BRICK_ENDED);
}

void brick_writer_close(struct brick_writer *w)
{
    if (!w)
        return;
    if (w->header)
        munmap(w->header, w->capacity);
    for (uint32_t i = 0; i < w->nregions; i++)
        ids_free(&w->regions[i].children);
    free(w->regions);
    unlink(w->path);
    close(w->fd);
    free(w->path);
    free(w);
}

/* --- descriptions --- */

uint32_t brick_writer_describe(struct brick_writer *w, const char *name)
{
    struct brick_header *h = w->header;
    size_t n = strlen(name) + 1;
    if (h->ndescs == BRICK_DESCS || n > BRICK_STRINGS - h->strings_used) {
        STORE(h->dropped_names, h->dropped_names + 1);
        return BRICK_NONE;
    }
    memcpy(brick_file_place(w, h->strings + h->strings_used), name, n);
    struct brick_desc *d = (struct brick_desc *)brick_file_place(w, h->descs) + h->ndescs;
    *d = (struct brick_desc){.kind = BRICK_KIND_BRICK, .category = 3, .name = h->strings_used};
    STORE(h->strings_used, h->strings_used + (uint32_t)n);
    STORE_RELEASE(h->ndescs, h->ndescs + 1);
    return h->ndescs - 1;
}

/* --- nodes --- */

/* Finds a node's numbers; false if its chunk is missing and cannot be allocated. */
static bool locate_brick_node(struct brick_writer *w, const struct brick_region *r, uint32_t node,
                              struct brick_place *p)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    if (k >= BRICK_CHUNKS)
        return false;
    uint64_t n = (uint64_t)BRICK_CHUNK_FIRST << k;
    if (!r->thread->chunks[k]) {
        uint64_t chunk = allocate_brick_space(w, BRICK_CHUNK_BYTES(n));
        if (!chunk)
            return false;
        STORE_RELEASE(r->thread->chunks[k], chunk);
    }
    *p = brick_place_in(brick_file_place(w, r->thread->chunks[k]), (uint32_t)n, i);
    return true;
}

static bool add_empty_node(struct brick_writer *w, struct brick_region *r, uint32_t parent,
                           uint32_t what)
{
    struct brick_place p;
    if (r->nnodes == BRICK_NODES || !locate_brick_node(w, r, r->nnodes, &p))
        return false;
    STORE(p.key->parent, parent);
    STORE(p.key->desc, what);
    STORE(p.sums[0].min, UINT64_MAX);
    STORE(p.sums[1].min, UINT64_MAX);
    r->nnodes++;
    STORE_RELEASE(r->thread->nnodes, r->nnodes);
    return true;
}

/* Finds or adds the node for `what` below parent; 0 if there is no space. */
static uint32_t child_of(struct brick_writer *w, struct brick_region *r, uint32_t parent,
                         uint32_t what)
{
    uint64_t key = (uint64_t)parent << 32 | what;
    uint32_t known = ids_get(&r->children, key);
    if (known != IDS_NONE)
        return known;
    if (!add_empty_node(w, r, parent, what)) {
        STORE(w->header->dropped_nodes, w->header->dropped_nodes + 1);
        return 0;
    }
    ids_add(&r->children, key, r->nnodes - 1);
    return r->nnodes - 1;
}

/* --- threads --- */

static void put_brick_record(struct brick_region *r, void *ring, const struct brick_record *record)
{
    struct brick_thread *t = r->thread;
    uint64_t n = t->head;
    struct brick_record *to = (struct brick_record *)ring + (n & (t->ring_size - 1));
    STORE(t->reserved, n + 1);
    /* readers must see `reserved` before the record is overwritten */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(to->span, record->span);
    STORE(to->parent, record->parent);
    STORE(to->start, record->start);
    STORE(to->end, record->end);
    STORE(to->node, record->node);
    STORE(to->type, record->type);
    STORE_RELEASE(t->head, n + 1);
}

static bool make_thread_region(struct brick_writer *w)
{
    struct brick_header *h = w->header;
    uint32_t i = w->nregions, ring = i < BRICK_LARGE_RINGS ? BRICK_RING_LARGE : BRICK_RING_SMALL;
    uint64_t place = i == BRICK_THREADS
                         ? 0
                         : allocate_brick_space(w, sizeof(struct brick_thread) +
                                                       ring * sizeof(struct brick_record));
    if (!place)
        return false;
    w->regions = xrealloc(w->regions, i + 1, sizeof *w->regions);
    w->regions[i] = (struct brick_region){.thread = brick_file_place(w, place)};
    w->regions[i].thread->ring = place + sizeof(struct brick_thread);
    w->regions[i].thread->ring_size = ring;
    if (!add_empty_node(w, &w->regions[i], BRICK_NONE, BRICK_NONE))
        return false; /* the space is lost, but there is no more space anyway */
    ((uint64_t *)brick_file_place(w, h->threads))[i] = place;
    w->nregions = i + 1;
    STORE_RELEASE(h->nthreads, w->nregions);
    return true;
}

uint32_t brick_writer_thread(struct brick_writer *w, pid_t tid, const char *name, uint64_t now_ns)
{
    uint32_t i = 0;
    while (i < w->nregions && w->regions[i].live)
        i++;
    if (i == w->nregions && !make_thread_region(w)) {
        STORE(w->header->dropped_threads, w->header->dropped_threads + 1);
        return BRICK_NONE;
    }
    struct brick_region *r = &w->regions[i];
    struct brick_thread *t = r->thread;
    size_t n = strnlen(name, sizeof t->name - 1);
    for (size_t k = 0; k < sizeof t->name; k++)
        STORE(t->name[k], k < n ? name[k] : '\0');
    STORE(t->tid, (uint32_t)tid);
    STORE(t->live, 1u);
    r->live = true;
    put_brick_record(
        r, brick_file_place(w, t->ring),
        &(struct brick_record){.type = BRICK_THREAD, .parent = (uint64_t)tid, .start = now_ns});
    return i;
}

void brick_writer_thread_end(struct brick_writer *w, uint32_t thread)
{
    w->regions[thread].live = false;
    STORE_RELEASE(w->regions[thread].thread->live, 0u);
}

/* --- spans --- */

uint64_t brick_writer_begin(struct brick_writer *w, uint32_t thread, uint64_t parent, uint32_t what)
{
    struct brick_region *r = &w->regions[thread];
    uint32_t node = child_of(w, r, parent ? brick_span_node(parent) : 0, what);
    return node ? (uint64_t)(thread + 1) << BRICK_REGION_SHIFT |
                      (uint64_t)node << BRICK_NODE_SHIFT | ++r->count
                : 0;
}

static void add_duration(const struct brick_place *p, uint64_t ns)
{
    uint64_t version = *p->version, bits;
    const struct brick_sums *from = p->sums + (version & 1);
    struct brick_sums *to = p->sums + (~version & 1);
    double squares;
    memcpy(&squares, &from->squares, sizeof squares);
    squares += (double)ns * (double)ns;
    memcpy(&bits, &squares, sizeof bits);
    uint32_t *bucket = p->buckets + (size_t)histogram_bucket(ns) * BRICK_BUCKET_NODES;
    STORE(*bucket, *bucket + 1);
    /* readers must see the last update before this one begins */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    STORE(to->count, from->count + 1);
    STORE(to->total, from->total + ns);
    STORE(to->min, ns < from->min ? ns : from->min);
    STORE(to->max, ns > from->max ? ns : from->max);
    STORE(to->squares, bits);
    STORE_RELEASE(*p->version, version + 1);
}

void brick_writer_span(struct brick_writer *w, uint32_t thread, uint64_t span, uint64_t parent,
                       uint64_t start_ns, uint64_t end_ns)
{
    struct brick_region *r = &w->regions[thread];
    struct brick_place p;
    uint64_t end = end_ns > start_ns ? end_ns : start_ns;
    if (!locate_brick_node(w, r, brick_span_node(span), &p))
        return;
    add_duration(&p, end - start_ns);
    put_brick_record(r, brick_file_place(w, r->thread->ring),
                     &(struct brick_record){.span = span,
                                            .parent = parent,
                                            .start = start_ns,
                                            .end = end,
                                            .node = brick_span_node(span),
                                            .type = BRICK_SPAN});
}
