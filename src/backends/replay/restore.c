#include "backends/replay/replay_impl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "base/arena.h"
#include "base/env.h"
#include "engine/value/stats.h"
#include "format/capture.h"

enum { MEMCPY_LEAST = 1 << 20, MEMCPY_MOST = 64 << 20, MEMCPY_TIMES = 16 };

struct replay_restore {
    const struct capture *c;
    struct replay_workers *w;
    struct capture_contents **contents; /* for each region; NULL: no contents, it becomes zeros */
    struct replay_block *blocks;
    uint64_t *sums; /* for each block */
    bool *zero;     /* for each block, once it was read */
    size_t n;
    uint8_t *image;     /* CAPTURE_BLOCK bytes for each block; NULL: files are read each time */
    bool kept;          /* the image is filled */
    uint8_t *from, *to; /* buffers to measure memcpy */
    double copy[MEMCPY_TIMES];
    size_t copies;
    /* while a restore runs: */
    _Atomic uint64_t done;
    _Atomic uint64_t read_ns; /* sum of all threads, in the first restore */
    bool again;               /* this is not the first restore */
    replay_progress progress;
    void *ctx;
    pthread_mutex_t lock;
    bool failed;
    struct error err;
};

static void *pointer_to_restored(uint64_t address)
{
    return (void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static bool has_memory_to_keep(uint64_t bytes)
{
    struct sysinfo info = {0};
    if (sysinfo(&info) != 0)
        return false;
    return bytes < ((uint64_t)info.freeram + info.bufferram) * info.mem_unit / 3;
}

static void make_image(struct replay_restore *r)
{
    const size_t size = r->n * (size_t)CAPTURE_BLOCK;
    if (r->n == 0 || !has_memory_to_keep(size))
        return;
    r->image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (r->image == MAP_FAILED)
        r->image = NULL;
    else
        madvise(r->image, size, MADV_HUGEPAGE);
}

int replay_restore_open(struct replay_restore **out, const struct capture *c,
                        struct replay_workers *w, bool repeatedly, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    struct replay_restore *r = xcalloc(1, sizeof *r);
    r->c = c;
    r->w = w;
    pthread_mutex_init(&r->lock, NULL);
    r->contents = xcalloc(c->nregions ? c->nregions : 1, sizeof(struct capture_contents *));
    r->blocks = replay_blocks(c, NULL, NULL, &r->n);
    r->sums = xcalloc(r->n ? r->n : 1, sizeof *r->sums);
    r->zero = xcalloc(r->n ? r->n : 1, sizeof *r->zero);
    for (size_t i = 0; i < c->nregions; i++) {
        const struct capture_region *region = &c->regions[i];
        if (region->before.file && region->size &&
            capture_contents_open(&r->contents[i], c, &region->before, region->size, &err) != 0) {
            replay_restore_close(r);
            return replay_fail_as(f, REPLAY_CAPTURE, &err);
        }
    }
    if (repeatedly)
        make_image(r);
    *out = r;
    return 0;
}

void replay_restore_close(struct replay_restore *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->c->nregions; i++)
        if (r->contents[i])
            capture_contents_close(r->contents[i]);
    if (r->image)
        munmap(r->image, r->n * (size_t)CAPTURE_BLOCK);
    pthread_mutex_destroy(&r->lock);
    free(r->contents);
    free(r->from);
    free(r->to);
    free(r->blocks);
    free(r->sums);
    free(r->zero);
    free(r);
}

double replay_restore_read_seconds(const struct replay_restore *r)
{
    return (double)atomic_load(&r->read_ns) / 1e9 / replay_workers_threads(r->w);
}

void replay_restore_memcpy(struct replay_restore *r)
{
    const uint64_t size = r->c->bytes < MEMCPY_MOST ? r->c->bytes : MEMCPY_MOST;
    if (r->copies == MEMCPY_TIMES || size < MEMCPY_LEAST)
        return;
    if (!r->from) {
        r->from = malloc(size);
        r->to = malloc(size);
        if (r->from && r->to) {
            memset(r->from, 1, size);
            memset(r->to, 2, size);
        }
    }
    if (!r->from || !r->to)
        return;
    const uint64_t begin = env_now_ns();
    memcpy(r->to, r->from, size);
    __asm__ volatile("" : : "r"(r->to) : "memory"); /* keeps the compiler from removing the copy */
    const double took = (double)(env_now_ns() - begin);
    r->copy[r->copies++] = took > 0 ? (double)size * 1e9 / took : 0;
}

double replay_restore_memcpy_speed(const struct replay_restore *r)
{
    return stats_of(r->copy, r->copies).median;
}

/*
 * Returns a buffer between file and device memory, so that memory behind the bus is written once
 * and never read.
 */
static uint8_t *own_buffer(void)
{
    static _Thread_local uint8_t *buffer;
    if (!buffer) {
        buffer =
            mmap(NULL, CAPTURE_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (buffer == MAP_FAILED)
            buffer = NULL;
    }
    return buffer;
}

static void keep_first_error(struct replay_restore *r, const struct error *err)
{
    pthread_mutex_lock(&r->lock);
    if (!r->failed)
        r->err = *err;
    r->failed = true;
    pthread_mutex_unlock(&r->lock);
}

/* Finds the bytes of block i; NULL: zeros, or an error. */
static const uint8_t *find_block_bytes(struct replay_restore *r, size_t i)
{
    const struct replay_block *b = &r->blocks[i];
    struct error err = ERROR_INIT;
    uint8_t *to = r->image ? r->image + i * (size_t)CAPTURE_BLOCK : own_buffer();
    if (r->kept)
        return r->zero[i] ? NULL : to;
    r->zero[i] = true;
    if (!r->contents[b->region])
        return NULL;
    int rc = to ? capture_contents_block(r->contents[b->region], b->index, to, &r->zero[i],
                                         &r->sums[i], &err)
                : error_set(&err, ERROR_INTERNAL, 12, NULL, "restore", "no memory");
    if (rc != 0)
        keep_first_error(r, &err);
    return rc != 0 || r->zero[i] ? NULL : to;
}

static void restore_block(void *ctx, size_t i)
{
    struct replay_restore *r = ctx;
    const struct replay_block *b = &r->blocks[i];
    void *to = pointer_to_restored(r->c->regions[b->region].base + b->offset);
    const uint64_t begin = r->kept ? 0 : env_now_ns();
    const uint8_t *from = find_block_bytes(r, i);
    if (!r->kept && !r->again)
        atomic_fetch_add(&r->read_ns, env_now_ns() - begin);
    if (from)
        memcpy(to, from, b->size);
    else
        memset(to, 0, b->size);
    atomic_fetch_add(&r->done, b->size);
}

static void tell_restored(void *ctx)
{
    struct replay_restore *r = ctx;
    if (r->progress)
        r->progress(r->ctx, atomic_load(&r->done), r->c->bytes);
}

/* Compares the checksums again: the files may have changed since they were checked. */
static int check_sums(struct replay_restore *r)
{
    for (size_t i = 0; i < r->n;) {
        const uint32_t region = r->blocks[i].region;
        if (r->contents[region] &&
            capture_contents_check(r->contents[region], &r->sums[i], &r->err) != 0)
            return -1;
        while (i < r->n && r->blocks[i].region == region)
            i++;
    }
    return 0;
}

int replay_restore_run(struct replay_restore *r, replay_progress progress, void *ctx,
                       struct replay_failure *f)
{
    r->progress = progress;
    r->ctx = ctx;
    atomic_store(&r->done, 0);
    replay_workers_run(r->w, r->n, restore_block, tell_restored, r);
    if (r->failed || (!r->kept && check_sums(r) != 0))
        return replay_fail_as(f, REPLAY_CAPTURE, &r->err);
    r->kept = r->image != NULL;
    r->again = true;
    return 0;
}
