/* The thread behind capture_look.h: opens the capture, reads requested blocks, searches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "engine/capture/capture_impl.h"

const struct capture_blob *look_blob(const struct capture_region *r, bool after, const char **why)
{
    *why = "";
    if (!after || r->after_same) {
        if (!r->before.file)
            *why = r->error ? r->error : "its memory was not captured";
        return r->before.file ? &r->before : NULL;
    }
    if (!r->after.file)
        *why = "captured without --post: memory after the kernel is unknown";
    return r->after.file ? &r->after : NULL;
}

/* Reads a block of a region into `to`; false with why on failure. Called by the thread only. */
static bool look_read(struct capture_look *l, size_t region, bool after, size_t block, uint8_t *to,
                      bool *zero, char *why, size_t size)
{
    const struct capture_region *r = &l->capture->regions[region];
    struct capture_contents *o = NULL;
    struct error err = ERROR_INIT;
    const char *none;
    uint64_t sum;
    const struct capture_blob *blob = look_blob(r, after, &none);
    *zero = false;
    if (!blob) {
        snprintf(why, size, "%s", none);
        return false;
    }
    int rc = capture_contents_open(&o, l->capture, blob, r->size, &err);
    if (rc == 0)
        rc = capture_contents_block(o, block, to, zero, &sum, &err);
    if (rc != 0)
        error_format(&err, why, size);
    capture_contents_close(o);
    return rc == 0;
}

/* --- opening --- */

static void decode_look_args(struct capture_look *l)
{
    const struct capture *c = l->capture;
    struct kernarg_region *regions = xcalloc(c->nregions + 1, sizeof *regions);
    for (size_t i = 0; i < c->nregions; i++)
        regions[i] = (struct kernarg_region){c->regions[i].base, c->regions[i].size};
    kernarg_decode(&l->args, l->kernel, c->kernarg, (size_t)c->kernarg_size, regions, c->nregions);
    l->has_args = true;
    free(regions);
}

static void open_look_code(struct capture_look *l)
{
    const struct capture *c = l->capture;
    struct error err = ERROR_INIT;
    const char *isa = c->isa_name[0] ? c->isa_name : NULL;
    if (!c->code || c->code_bytes == 0) {
        snprintf(l->code_why, sizeof l->code_why, "the capture has no code object");
    } else if (code_object_read(&l->code, c->code, c->code_bytes, "kernel.hsaco", isa, &err) != 0) {
        error_format(&err, l->code_why, sizeof l->code_why);
    } else {
        l->kernel = code_object_kernel(l->code, c->mangled_name);
        if (!l->kernel)
            snprintf(l->code_why, sizeof l->code_why, "the code object has no kernel %.300s",
                     c->mangled_name);
    }
    if (l->kernel)
        decode_look_args(l);
}

static void open_look_capture(struct capture_look *l)
{
    struct error err = ERROR_INIT;
    if (capture_open(&l->capture, l->path, &err) != 0) {
        l->capture = NULL;
        error_format(&err, l->why, sizeof l->why);
    } else {
        open_look_code(l);
    }
    __atomic_store_n(&l->opened, true, __ATOMIC_RELEASE);
    look_report(l);
}

/* --- blocks --- */

/* The slot that was requested last: its block is on the screen. */
static struct look_slot *requested_slot(struct capture_look *l)
{
    struct look_slot *best = NULL;
    for (int i = 0; i < LOOK_SLOTS; i++)
        if (l->slot[i].state == SLOT_WANTED && (!best || l->slot[i].used > best->used))
            best = &l->slot[i];
    return best;
}

static bool is_zero(const uint8_t *p, size_t n)
{
    return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0);
}

/* Called with the lock held, and returns with it held, but reads without it: meanwhile the slot
 * may have been given to another block. */
static void serve_look_slot(struct capture_look *l, struct look_slot *s, uint8_t **scratch)
{
    char why[160] = "";
    bool zero;
    struct look_slot want = *s;
    pthread_mutex_unlock(&l->lock);
    if (!*scratch)
        *scratch = xcalloc(CAPTURE_BLOCK, 1);
    bool ok = look_read(l, want.region, want.after, want.block, *scratch, &zero, why, sizeof why);
    pthread_mutex_lock(&l->lock);
    if (s->state != SLOT_WANTED || s->region != want.region || s->after != want.after ||
        s->block != want.block)
        return;
    s->state = ok ? SLOT_READY : SLOT_FAILED;
    s->zero = ok && zero;
    memcpy(s->why, why, sizeof s->why);
    if (ok && !zero) {
        uint8_t *mine = s->bytes;
        s->bytes = *scratch;
        *scratch = mine;
    }
    look_report(l);
}

static void search_blocks(struct capture_look *l)
{
    struct look_search s = l->search;
    uint64_t serial = l->serial;
    struct look_hit hit = {0};
    pthread_mutex_unlock(&l->lock);
    look_run_search(l, &s, serial, &hit);
    pthread_mutex_lock(&l->lock);
    if (l->serial != serial)
        return;
    l->hit = hit;
    l->hit_ready = true;
    l->searching = false;
    look_report(l);
}

void look_work(struct capture_look *l)
{
    uint8_t *scratch = NULL;
    open_look_capture(l);
    pthread_mutex_lock(&l->lock);
    while (!l->quit && l->capture) {
        struct look_slot *s = requested_slot(l);
        if (s)
            serve_look_slot(l, s, &scratch);
        else if (l->searching)
            search_blocks(l);
        else
            pthread_cond_wait(&l->wake, &l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    free(scratch);
}

/* --- searching, block by block --- */

struct scan {
    struct capture_look *l;
    const struct look_search *s;
    uint64_t serial;
    uint8_t *a, *b; /* a block of `before` (or of the memory that is searched), and of `after` */
    size_t region, block;
    bool loaded, zero;
    struct look_hit *hit;
};

static bool given_up(struct scan *c)
{
    return __atomic_load_n(&c->l->serial, __ATOMIC_RELAXED) != c->serial;
}

/* Reads a block for the search. If it cannot be read, returns false; the search continues behind
 * it. */
static bool load_scan_block(struct scan *c, size_t region, size_t block)
{
    char why[160];
    bool zero_b = true;
    if (c->loaded && c->region == region && c->block == block)
        return true;
    c->loaded = false;
    if (!look_read(c->l, region, c->s->difference ? false : c->s->after, block, c->a, &c->zero, why,
                   sizeof why)) {
        snprintf(c->hit->why, sizeof c->hit->why, "%s", why);
        return false;
    }
    if (c->zero)
        memset(c->a, 0, CAPTURE_BLOCK);
    if (c->s->difference) {
        if (!look_read(c->l, region, true, block, c->b, &zero_b, why, sizeof why)) {
            snprintf(c->hit->why, sizeof c->hit->why, "%s", why);
            return false;
        }
        if (zero_b)
            memset(c->b, 0, CAPTURE_BLOCK);
    }
    c->region = region;
    c->block = block;
    return c->loaded = true;
}

/* Searches [from, to) of a region, which lies within one block, for the pattern. */
static bool find_pattern(struct scan *c, uint64_t from, uint64_t to, uint64_t *at)
{
    const struct look_search *s = c->s;
    uint64_t base = from - from % CAPTURE_BLOCK;
    if (c->zero && !is_zero(s->pattern, s->size))
        return false;
    uint64_t first = (from + s->size - 1) / s->size * s->size;
    uint64_t n = first + s->size <= to ? (to - first) / s->size : 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = first + (s->backwards ? n - 1 - i : i) * s->size;
        if (memcmp(c->a + (k - base), s->pattern, s->size) == 0) {
            *at = k;
            return true;
        }
    }
    return false;
}

/* Finds where a run of differing bytes begins. */
static bool find_difference(struct scan *c, uint64_t from, uint64_t to, uint64_t *at)
{
    uint64_t base = from - from % CAPTURE_BLOCK;
    const uint8_t *a = c->a, *b = c->b;
    if (memcmp(a + (from - base), b + (from - base), (size_t)(to - from)) == 0)
        return false;
    for (uint64_t i = 0; i < to - from; i++) {
        uint64_t k = c->s->backwards ? to - 1 - i : from + i, o = k - base;
        bool here = a[o] != b[o], before = o > 0 && a[o - 1] != b[o - 1];
        if (here && !before) {
            *at = k;
            return true;
        }
    }
    return false;
}

static bool scan_block(struct scan *c, size_t region, uint64_t from, uint64_t to)
{
    uint64_t at = 0;
    if (from >= to || !load_scan_block(c, region, (size_t)(from / CAPTURE_BLOCK)))
        return false;
    if (!(c->s->difference ? find_difference(c, from, to, &at) : find_pattern(c, from, to, &at)))
        return false;
    c->hit->found = true;
    c->hit->region = region;
    c->hit->offset = at;
    return true;
}

/* Searches [from, to) of a region in the wanted direction. */
static bool scan_region(struct scan *c, size_t region, uint64_t from, uint64_t to)
{
    while (from < to && !given_up(c)) {
        uint64_t lo = from, hi = to;
        if (c->s->backwards) {
            lo = (to - 1) - (to - 1) % CAPTURE_BLOCK;
            lo = lo > from ? lo : from;
        } else {
            hi = from - from % CAPTURE_BLOCK + CAPTURE_BLOCK;
            hi = hi < to ? hi : to;
        }
        if (scan_block(c, region, lo, hi))
            return true;
        if (c->s->backwards)
            to = lo;
        else
            from = hi;
    }
    return false;
}

void look_run_search(struct capture_look *l, const struct look_search *s, uint64_t serial,
                     struct look_hit *hit)
{
    const struct capture *cap = l->capture;
    struct scan c = {.l = l, .s = s, .serial = serial, .hit = hit};
    c.a = xcalloc(CAPTURE_BLOCK, 1);
    c.b = s->difference ? xcalloc(CAPTURE_BLOCK, 1) : NULL;
    for (size_t i = s->region; i < cap->nregions && !given_up(&c);) {
        uint64_t size = cap->regions[i].size, from = 0, to = size;
        if (i == s->region && s->backwards)
            to = s->offset < size ? s->offset : size;
        else if (i == s->region)
            from = s->offset + 1;
        /* if the kernel did not change a region, it has no differences */
        bool skip = s->difference && (cap->regions[i].after_same || !cap->regions[i].after.file);
        if (!skip && scan_region(&c, i, from, to))
            break;
        if (s->backwards && i == 0)
            break;
        i = s->backwards ? i - 1 : i + 1;
    }
    free(c.a);
    free(c.b);
}
