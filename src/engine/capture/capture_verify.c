/* Checks all contents against their checksums. Threads take the next block of any blob. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "base/thread.h"
#include "base/watch.h"
#include "engine/capture/capture_impl.h"
#include "format/capture.h"

enum { THREADS_MAX = 8 };

struct blob_check {
    const struct capture_blob *blob;
    uint64_t size;
    struct capture_contents *contents;
    uint64_t *sums;
    size_t blocks, next, left; /* blocks in all; number of the next to be taken; not done yet */
    bool opened;
};

struct verify {
    const struct capture *c;
    void (*progress)(void *ctx, uint64_t bytes);
    void *ctx;
    pthread_mutex_t lock;
    struct blob_check *checks;
    size_t n, next;
    size_t blocks; /* of all blobs, approximately; decides how many threads are started */
    uint64_t done;
    int rc;
    struct error err;
};

static void add_blob(struct verify *v, const struct capture_blob *b, uint64_t size)
{
    if (!b->file || !size)
        return;
    v->checks[v->n++] = (struct blob_check){.blob = b, .size = size};
    v->blocks += (size_t)(size / CAPTURE_BLOCK) + 1;
}

static void collect_blobs(struct verify *v)
{
    const struct capture *c = v->c;
    v->checks = xcalloc(2 * c->nregions + c->nvariables, sizeof *v->checks);
    for (size_t i = 0; i < c->nregions; i++) {
        add_blob(v, &c->regions[i].before, c->regions[i].size);
        add_blob(v, &c->regions[i].after, c->regions[i].size);
    }
    for (size_t i = 0; i < c->nvariables; i++)
        add_blob(v, &c->variables[i].blob, c->variables[i].size);
}

/* Takes the next block to read. Returns false if none is left or the check has failed. Called with
 * the lock held. */
static bool take_block(struct verify *v, struct blob_check **out, size_t *block)
{
    for (; v->rc == 0 && v->next < v->n; v->next++) {
        struct blob_check *k = &v->checks[v->next];
        if (!k->opened) {
            v->rc = capture_contents_open(&k->contents, v->c, k->blob, k->size, &v->err);
            if (v->rc)
                return false;
            k->opened = true;
            k->blocks = k->left = capture_contents_blocks(k->contents);
            k->sums = xcalloc(k->blocks, sizeof *k->sums);
        }
        if (k->next == k->blocks)
            continue;
        v->rc = watch_check("check the capture", &v->err);
        if (v->rc)
            return false;
        *out = k;
        *block = k->next++;
        return true;
    }
    return false;
}

static void end_check(struct blob_check *k)
{
    capture_contents_close(k->contents);
    free(k->sums);
    k->contents = NULL;
    k->sums = NULL;
}

/* Called with the lock held. */
static void block_done(struct verify *v, struct blob_check *k, size_t block, int rc,
                       const struct error *err)
{
    uint64_t rest = k->size - (uint64_t)block * CAPTURE_BLOCK;
    struct error wrong = *err;
    v->done += rest < CAPTURE_BLOCK ? rest : CAPTURE_BLOCK;
    if (--k->left == 0 && rc == 0 && v->rc == 0)
        rc = capture_contents_check(k->contents, k->sums, &wrong);
    if (k->left == 0)
        end_check(k);
    if (rc && v->rc == 0) {
        v->rc = rc;
        v->err = wrong;
    }
    if (v->progress)
        v->progress(v->ctx, v->done);
}

static void *verify_blocks(void *arg)
{
    struct verify *v = arg;
    struct blob_check *k;
    size_t block;
    bool zero;
    void *to = xcalloc(1, CAPTURE_BLOCK);
    pthread_mutex_lock(&v->lock);
    while (take_block(v, &k, &block)) {
        struct error err = ERROR_INIT;
        pthread_mutex_unlock(&v->lock);
        int rc = capture_contents_block(k->contents, block, to, &zero, &k->sums[block], &err);
        pthread_mutex_lock(&v->lock);
        block_done(v, k, block, rc, &err);
    }
    pthread_mutex_unlock(&v->lock);
    free(to);
    return NULL;
}

static void check_blocks(struct verify *v)
{
    pthread_t threads[THREADS_MAX - 1];
    cpu_set_t set;
    int n = 0, cpus = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : THREADS_MAX;
    while (n < THREADS_MAX - 1 && n + 1 < cpus && (size_t)n + 1 < v->blocks &&
           thread_start(&threads[n], verify_blocks, v) == 0)
        n++;
    verify_blocks(v);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}

int capture_verify(const struct capture *c, void (*progress)(void *ctx, uint64_t bytes), void *ctx,
                   struct error *err)
{
    struct verify v = {.c = c, .progress = progress, .ctx = ctx, .err = ERROR_INIT};
    pthread_mutex_init(&v.lock, NULL);
    collect_blobs(&v);
    check_blocks(&v);
    for (size_t i = 0; i < v.n; i++)
        end_check(&v.checks[i]);
    free(v.checks);
    pthread_mutex_destroy(&v.lock);
    if (v.rc && err)
        *err = v.err;
    return v.rc;
}
