/* The recorder of a thread: its region of the file, its place in the tree, its open spans. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "brick/internal.h"

__thread struct recorder *brick_mine;
static struct recorder *all[BRICK_THREADS]; /* by region; atomic; kept for the next thread */
static pthread_key_t at_exit;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
/* grows with each fork, to distinguish spans of the parent */
static uint32_t generation;
/* A thread that got no region does not try again, because that takes the lock. */
static __thread bool refused __attribute__((tls_model("initial-exec")));

static uint64_t *region_offsets(void)
{
    return brick_at(brick_file.header->threads);
}

/* --- nodes --- */

static void slot_put(struct recorder *r, uint64_t child)
{
    uint32_t i = brick_slot((uint32_t)(child >> 28), (uint32_t)(child >> 16) & 0xfff);
    while (r->children[i & r->children_mask] != UINT64_MAX)
        i++;
    r->children[i & r->children_mask] = child;
}

static bool grow_lookup(struct recorder *r)
{
    uint32_t old_size = r->children ? r->children_mask + 1 : 0;
    uint32_t size = old_size ? old_size * 2 : 64;
    uint64_t *old = r->children, *now = NULL;
    if (posix_memalign((void **)&now, 64, size * sizeof *now) != 0)
        return false;
    memset(now, 0xff, size * sizeof *now);
    r->children = now;
    r->children_mask = size - 1;
    for (uint32_t i = 0; old && i < old_size; i++)
        if (old[i] != UINT64_MAX)
            slot_put(r, old[i]);
    free(old);
    return true;
}

/* Finds a node's numbers; false if its chunk is missing and cannot be allocated. */
static bool locate_recorded_node(struct recorder *r, uint32_t node, struct brick_place *p)
{
    uint32_t i;
    unsigned k = brick_chunk_of(node, &i);
    if (k >= BRICK_CHUNKS)
        return false;
    uint64_t at = LOAD(r->thread->chunks[k]);
    if (!at) {
        pthread_mutex_lock(&brick_lock);
        at = brick_file.header ? brick_alloc(BRICK_CHUNK_BYTES(BRICK_CHUNK_FIRST << k)) : 0;
        pthread_mutex_unlock(&brick_lock);
        if (!at)
            return false;
        STORE_RELEASE(r->thread->chunks[k], at);
    }
    r->chunks[k] = brick_at(at);
    brick_counting_chunk(r, k);
    *p = brick_place(r, node);
    return true;
}

static uint32_t make_node(struct recorder *r, uint32_t parent, uint32_t id)
{
    struct brick_place p;
    uint32_t node = r->nnodes;
    if (!locate_recorded_node(r, node, &p) ||
        (2 * (node + 1) > r->children_mask && !grow_lookup(r))) {
        ADD(brick_file.header->dropped_nodes, 1);
        return BRICK_NONE;
    }
    slot_put(r, (uint64_t)parent << 28 | (uint64_t)id << 16 | node);
    r->nnodes = node + 1;
    STORE(p.key->parent, parent);
    STORE(p.key->desc, id);
    STORE(p.sums[0].min, UINT64_MAX);
    STORE(p.sums[1].min, UINT64_MAX);
    STORE_RELEASE(r->thread->nnodes, node + 1);
    return node;
}

static uint32_t make_node_aside(struct recorder *r, uint32_t parent, uint32_t id)
{
    const struct brick_aside aside = brick_step_aside();
    const uint32_t node = make_node(r, parent, id);
    brick_step_back(&aside);
    return node;
}

uint32_t brick_find_child(struct recorder *r, uint32_t parent, uint32_t id)
{
    uint64_t key = (uint64_t)parent << 12 | id, at;
    for (uint32_t i = brick_slot(parent, id);
         (at = r->children[i & r->children_mask]) != UINT64_MAX; i++)
        if (at >> 16 == key)
            return (uint32_t)at & 0xffff;
    return make_node_aside(r, parent, id);
}

/* --- regions --- */

static uint32_t thread_id(void)
{
    return (uint32_t)syscall(SYS_gettid);
}

static bool make_recorder_region(uint32_t index)
{
    uint32_t ring = index < BRICK_LARGE_RINGS ? BRICK_RING_LARGE : BRICK_RING_SMALL;
    uint64_t at = brick_alloc(sizeof(struct brick_thread) + ring * sizeof(struct brick_record));
    if (!at)
        return false;
    struct brick_thread *t = brick_at(at);
    t->ring = at + sizeof *t;
    t->ring_size = ring;
    region_offsets()[index] = at;
    STORE_RELEASE(brick_file.header->nthreads, index + 1);
    return true;
}

/* Takes a region that an ended thread left, or a new one. Called under the lock. */
static struct recorder *take_region(void)
{
    struct brick_header *h = brick_open_locked();
    if (!h)
        return NULL;
    uint32_t n = LOAD(h->nthreads), i = 0;
    /* acquire: continues from the previous thread's data */
    while (i < n && LOAD_ACQUIRE(((struct brick_thread *)brick_at(region_offsets()[i]))->live))
        i++;
    if (i == BRICK_THREADS || (i == n && !make_recorder_region(i))) {
        ADD(h->dropped_threads, 1);
        return NULL;
    }
    struct recorder *r = all[i] ? all[i] : calloc(1, sizeof *r);
    if (!r) {
        ADD(h->dropped_threads, 1);
        return NULL;
    }
    r->index = i;
    r->thread = brick_at(region_offsets()[i]);
    r->ring = brick_at(r->thread->ring);
    r->span_base = (uint64_t)((generation & 7) << BRICK_REGION_BITS | (i + 1))
                   << BRICK_REGION_SHIFT;
    r->depth = 0;
    STORE(r->mail, 0);
    STORE(r->thread->live, 1);
    STORE_RELEASE(all[i], r);
    return r;
}

static void begin_thread(struct recorder *r)
{
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    for (size_t i = 0; i < sizeof name; i++)
        __atomic_store_n(&r->thread->name[i], name[i], __ATOMIC_RELAXED);
    STORE(r->thread->tid, thread_id());
    STORE(r->thread->current, 0);
    brick_counting_begin(r);
    if (r->nnodes == 0) {
        struct brick_place p;
        if (locate_recorded_node(r, 0, &p) && grow_lookup(r)) {
            r->nnodes = 1;
            STORE(p.key->parent, BRICK_NONE);
            STORE(p.key->desc, BRICK_NONE);
            STORE_RELEASE(r->thread->nnodes, 1);
        }
    }
    struct brick_record began = {.type = BRICK_THREAD, .parent = thread_id(), .start = clock_ns()};
    brick_put(r, &began);
}

/* Called when a thread ends: its records stay, and the next thread may take its region. */
static void end_thread(void *value)
{
    struct recorder *r = value;
    if (brick_mine != r || !brick_file.header)
        return;
    const struct brick_aside aside = brick_step_aside();
    rooftop_finalize(0);
    brick_mine = NULL;
    brick_counting_end(r);
    STORE_RELEASE(r->thread->live, 0);
    brick_step_back(&aside);
}

static void make_key(void)
{
    pthread_key_create(&at_exit, end_thread);
}

static struct recorder *attach_thread(void)
{
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&brick_lock);
    struct recorder *r = take_region();
    pthread_mutex_unlock(&brick_lock);
    if (r)
        begin_thread(r);
    if (!r || r->nnodes == 0) {
        refused = true;
        if (r)
            STORE_RELEASE(r->thread->live, 0);
        return NULL;
    }
    brick_mine = r;
    pthread_setspecific(at_exit, r);
    return r;
}

struct recorder *brick_attach(void)
{
    if (refused)
        return NULL;
    const struct brick_aside aside = brick_step_aside();
    struct recorder *r = attach_thread();
    brick_step_back(&aside);
    return r;
}

struct recorder *brick_recorder_of(uint32_t index)
{
    return index < BRICK_THREADS ? LOAD_ACQUIRE(all[index]) : NULL;
}

/* The parent's other threads may have been in any state at the fork: their recorders are no longer
 * used, but stay reachable. */
void brick_recorders_forget(void)
{
    static struct recorder *left[BRICK_THREADS];
    brick_mine = NULL;
    refused = false;
    generation++;
    for (uint32_t i = 0; i < BRICK_THREADS; i++)
        if (all[i]) {
            brick_counting_end(all[i]);
            all[i]->before = left[i];
            left[i] = all[i];
            all[i] = NULL;
        }
}
