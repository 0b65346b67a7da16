#include "backends/replay/replay_impl.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#include "base/arena.h"
#include "format/capture.h"

/* What memory is compared with: files or a copy. */
struct expected {
    const struct capture *c;
    struct capture_contents **contents; /* for each region; NULL: unknown */
    uint8_t *copy;                      /* CAPTURE_BLOCK bytes for each block; NULL: use contents */
};

struct compare {
    struct expected *e;
    struct replay_block *blocks;
    size_t n;
    uint64_t *sums;
    bool *differs; /* for each block */
    _Atomic uint64_t done;
    uint64_t total;
    replay_progress progress;
    void *ctx;
    pthread_mutex_t lock;
    bool failed;
    struct error err;
};

static const void *pointer_to_output(uint64_t address)
{
    return (const void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

void replay_verdict_free(struct replay_verdict *v)
{
    free(v->differences);
    *v = (struct replay_verdict){0};
}

/* --- comparing bytes, block by block --- */

static int is_known_region(const void *ctx, size_t region)
{
    const struct expected *e = ctx;
    return e->copy || e->contents[region];
}

/* The expected bytes of block i; buffer has space for them. NULL: an error. */
static const uint8_t *expected_block(struct compare *k, size_t i, uint8_t *buffer,
                                     struct error *err)
{
    const struct replay_block *b = &k->blocks[i];
    bool zero = false;
    if (k->e->copy)
        return k->e->copy + i * (size_t)CAPTURE_BLOCK;
    if (capture_contents_block(k->e->contents[b->region], b->index, buffer, &zero, &k->sums[i],
                               err) != 0)
        return NULL;
    if (zero)
        memset(buffer, 0, b->size);
    return buffer;
}

static void compare_output_block(void *ctx, size_t i)
{
    struct compare *k = ctx;
    const struct replay_block *b = &k->blocks[i];
    struct error err = ERROR_INIT;
    uint8_t *buffer = xcalloc(1, b->size);
    const uint8_t *wanted = expected_block(k, i, buffer, &err);
    if (wanted) {
        k->differs[i] =
            memcmp(wanted, pointer_to_output(k->e->c->regions[b->region].base + b->offset),
                   b->size) != 0;
    } else {
        pthread_mutex_lock(&k->lock);
        k->err = err;
        k->failed = true;
        pthread_mutex_unlock(&k->lock);
    }
    free(buffer);
    atomic_fetch_add(&k->done, b->size);
}

static void tell_compared(void *ctx)
{
    struct compare *k = ctx;
    if (k->progress)
        k->progress(k->ctx, atomic_load(&k->done), k->total);
}

/* --- comparing elements, in regions with different bytes --- */

static int look_closely(struct compare *k, size_t first, size_t end, struct replay_verdict *out)
{
    const struct capture_region *region = &k->e->c->regions[k->blocks[first].region];
    struct memory_compare *m = xcalloc(1, sizeof *m);
    uint8_t *buffer = xcalloc(1, CAPTURE_BLOCK);
    int rc = 0;
    memory_compare_start(m, out->rule.type, &out->rule.tolerance, 1);
    for (size_t i = first; i < end && rc == 0; i++) {
        const uint8_t *wanted = expected_block(k, i, buffer, &k->err);
        rc = wanted ? 0 : -1;
        if (wanted)
            memory_compare_feed(m, pointer_to_output(region->base + k->blocks[i].offset), wanted,
                                k->blocks[i].size);
    }
    if (rc == 0 && !memory_compare_finish(m))
        out->differences[out->n++] = (struct memory_difference){
            region->base, m->rows[0].offset, m->rows[0].oracle, m->rows[0].result,
            m->differing, m->max_absolute,   m->max_relative};
    free(buffer);
    free(m);
    return rc;
}

static int settle_region(struct compare *k, size_t first, size_t end, struct replay_verdict *out)
{
    const struct expected *e = k->e;
    const uint32_t region = k->blocks[first].region;
    bool differs = false;
    for (size_t i = first; i < end; i++)
        differs |= k->differs[i];
    out->regions++;
    out->bytes += e->c->regions[region].size;
    if (!e->copy && capture_contents_check(e->contents[region], &k->sums[first], &k->err) != 0)
        return -1;
    return differs ? look_closely(k, first, end, out) : 0;
}

static int settle_blocks(struct compare *k, struct replay_verdict *out)
{
    for (size_t i = 0, end; i < k->n; i = end) {
        for (end = i; end < k->n && k->blocks[end].region == k->blocks[i].region;)
            end++;
        if (settle_region(k, i, end, out) != 0)
            return -1;
    }
    out->equal = out->n == 0;
    return 0;
}

static int compare_all(struct replay_verdict *out, struct expected *e, struct replay_workers *w,
                       const struct replay_rule *rule, replay_progress progress, void *ctx,
                       struct replay_failure *f)
{
    struct compare k = {.e = e, .progress = progress, .ctx = ctx, .err = ERROR_INIT};
    *out = (struct replay_verdict){
        .rule = *rule,
        .differences = xcalloc(e->c->nregions ? e->c->nregions : 1, sizeof *out->differences)};
    k.blocks = replay_blocks(e->c, is_known_region, e, &k.n);
    k.sums = xcalloc(k.n ? k.n : 1, sizeof *k.sums);
    k.differs = xcalloc(k.n ? k.n : 1, sizeof *k.differs);
    pthread_mutex_init(&k.lock, NULL);
    for (size_t i = 0; i < k.n; i++)
        k.total += k.blocks[i].size;
    replay_workers_run(w, k.n, compare_output_block, tell_compared, &k);
    const int rc = k.failed ? -1 : settle_blocks(&k, out);
    out->skipped = e->c->nregions - out->regions;
    pthread_mutex_destroy(&k.lock);
    free(k.blocks);
    free(k.sums);
    free(k.differs);
    if (rc != 0)
        replay_verdict_free(out);
    return rc == 0 ? 0 : replay_fail_as(f, REPLAY_CAPTURE, &k.err);
}

/* --- comparing with the capture --- */

static int open_oracle(struct expected *e, struct replay_failure *f)
{
    struct error err = ERROR_INIT;
    for (size_t i = 0; i < e->c->nregions; i++) {
        const struct capture_region *r = &e->c->regions[i];
        const struct capture_blob *blob = r->after_same ? &r->before : &r->after;
        if (blob->file && r->size &&
            capture_contents_open(&e->contents[i], e->c, blob, r->size, &err) != 0)
            return replay_fail_as(f, REPLAY_CAPTURE, &err);
    }
    return 0;
}

int replay_verify(struct replay_verdict *out, const struct capture *c, struct replay_workers *w,
                  const struct replay_rule *rule, replay_progress progress, void *ctx,
                  struct replay_failure *f)
{
    struct expected e = {.c = c};
    if (!c->has_after)
        return replay_fail(f, REPLAY_CAPTURE, "capture again with --post", "verify",
                           "the capture does not hold memory as it was after the kernel");
    e.contents = xcalloc(c->nregions ? c->nregions : 1, sizeof(struct capture_contents *));
    int rc = open_oracle(&e, f);
    if (rc == 0)
        rc = compare_all(out, &e, w, rule, progress, ctx, f);
    for (size_t i = 0; i < c->nregions; i++)
        if (e.contents[i])
            capture_contents_close(e.contents[i]);
    free(e.contents);
    return rc;
}

/* --- comparing with the output of another kernel --- */

struct replay_output {
    struct expected e;
    struct replay_workers *w;
    struct replay_block *blocks;
    size_t n;
};

static void keep_block(void *ctx, size_t i)
{
    struct replay_output *o = ctx;
    const struct replay_block *b = &o->blocks[i];
    memcpy(o->e.copy + i * (size_t)CAPTURE_BLOCK,
           pointer_to_output(o->e.c->regions[b->region].base + b->offset), b->size);
}

struct replay_output *replay_output_keep(const struct capture *c, struct replay_workers *w)
{
    struct sysinfo info;
    struct replay_output *o = xcalloc(1, sizeof *o);
    o->e.c = c;
    o->w = w;
    o->blocks = replay_blocks(c, NULL, NULL, &o->n);
    const uint64_t size = o->n * (uint64_t)CAPTURE_BLOCK;
    void *copy = MAP_FAILED;
    if (size && sysinfo(&info) == 0 && size < (uint64_t)info.freeram * info.mem_unit / 3)
        copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (copy == MAP_FAILED) {
        replay_output_free(o);
        return NULL;
    }
    o->e.copy = copy;
    replay_workers_run(w, o->n, keep_block, NULL, o);
    return o;
}

void replay_output_free(struct replay_output *o)
{
    if (!o)
        return;
    if (o->e.copy)
        munmap(o->e.copy, o->n * (size_t)CAPTURE_BLOCK);
    free(o->blocks);
    free(o);
}

const uint8_t *replay_output_bytes(const struct replay_output *o, size_t region, uint64_t offset)
{
    for (size_t i = 0; i < o->n; i++)
        if (o->blocks[i].region == region && o->blocks[i].offset == offset)
            return o->e.copy + i * (size_t)CAPTURE_BLOCK;
    return NULL;
}

int replay_output_compare(struct replay_verdict *out, struct replay_output *o,
                          const struct replay_rule *rule, struct replay_failure *f)
{
    return compare_all(out, &o->e, o->w, rule, NULL, NULL, f);
}
