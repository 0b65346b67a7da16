#include "engine/capture/capture_look.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "engine/capture/capture_impl.h"

/* --- shared by the screen and the thread; the last of them frees it --- */

static void drop_look(struct capture_look *l)
{
    if (__atomic_sub_fetch(&l->refs, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    if (l->has_args)
        kernarg_free(&l->args);
    code_object_free(l->code);
    capture_free(l->capture);
    for (int i = 0; i < LOOK_SLOTS; i++)
        free(l->slot[i].bytes);
    pthread_mutex_destroy(&l->lock);
    pthread_cond_destroy(&l->wake);
    close(l->fd);
    free(l->path);
    free(l);
}

void look_report(struct capture_look *l)
{
    uint64_t one = 1;
    ssize_t ignored = write(l->fd, &one, sizeof one);
    (void)ignored;
}

static void *looking_thread(void *arg)
{
    struct capture_look *l = arg;
    look_work(l);
    drop_look(l);
    return NULL;
}

struct capture_look *capture_look_open(const char *path)
{
    struct capture_look *l = xcalloc(1, sizeof *l);
    l->path = xstrdup(path);
    l->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    l->refs = 2;
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->wake, NULL);
    int rc = thread_start(NULL, looking_thread, l);
    if (rc != 0) {
        snprintf(l->why, sizeof l->why, "no thread to read it with: %s", strerror(rc));
        l->opened = true;
        l->refs = 1;
        look_report(l);
    }
    return l;
}

void capture_look_close(struct capture_look *l)
{
    if (!l)
        return;
    pthread_mutex_lock(&l->lock);
    l->quit = true;
    __atomic_add_fetch(&l->serial, 1, __ATOMIC_RELAXED); /* the search reads it without the lock */
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
    drop_look(l);
}

int capture_look_fd(const struct capture_look *l)
{
    return l->fd;
}

void capture_look_drain(struct capture_look *l)
{
    uint64_t n;
    ssize_t ignored = read(l->fd, &n, sizeof n);
    (void)ignored;
}

const char *capture_look_path(const struct capture_look *l)
{
    return l->path;
}

/* --- the opened capture --- */

const struct capture *capture_look_capture(const struct capture_look *l, const char **why)
{
    *why = "";
    if (!__atomic_load_n(&l->opened, __ATOMIC_ACQUIRE))
        return NULL;
    *why = l->why;
    return l->capture;
}

const struct code_kernel *capture_look_kernel(const struct capture_look *l, const char **why)
{
    const struct capture *c = capture_look_capture(l, why);
    if (!c)
        return NULL;
    *why = l->code_why;
    return l->kernel;
}

const struct kernarg *capture_look_args(const struct capture_look *l)
{
    const char *why;
    return capture_look_kernel(l, &why) && l->has_args ? &l->args : NULL;
}

/* --- blocks --- */

/* The slot that holds the block. If there is none, reuses the least recently used one and asks the
 * thread to read the block. */
static struct look_slot *block_slot(struct capture_look *l, size_t region, bool after, size_t block)
{
    struct look_slot *oldest = NULL;
    for (int i = 0; i < LOOK_SLOTS; i++) {
        struct look_slot *s = &l->slot[i];
        if (s->state && s->region == region && s->after == after && s->block == block) {
            s->used = ++l->clock;
            return s;
        }
        if (!oldest || s->used < oldest->used)
            oldest = s;
    }
    oldest->region = region;
    oldest->after = after;
    oldest->block = block;
    oldest->state = SLOT_WANTED;
    oldest->used = ++l->clock;
    pthread_cond_signal(&l->wake);
    return oldest;
}

static enum look_state copy_block(struct capture_look *l, size_t region, bool after, uint64_t at,
                                  uint8_t *to, size_t n, const char **why)
{
    static char reason[sizeof l->slot[0].why]; /* used by the screen's thread only */
    enum look_state state = LOOK_COMING;
    pthread_mutex_lock(&l->lock);
    struct look_slot *s = block_slot(l, region, after, (size_t)(at / CAPTURE_BLOCK));
    if (s->state == SLOT_READY) {
        if (s->zero)
            memset(to, 0, n);
        else
            memcpy(to, s->bytes + at % CAPTURE_BLOCK, n);
        state = LOOK_THERE;
    } else if (s->state == SLOT_FAILED) {
        memcpy(reason, s->why, sizeof reason);
        *why = reason;
        state = LOOK_MISSING;
    }
    pthread_mutex_unlock(&l->lock);
    return state;
}

enum look_state capture_look_bytes(struct capture_look *l, size_t region, bool after,
                                   uint64_t offset, void *to, size_t n, const char **why)
{
    const struct capture *c = capture_look_capture(l, why);
    enum look_state state = LOOK_THERE;
    if (!c)
        return **why ? LOOK_MISSING : LOOK_COMING;
    const struct capture_region *r = region < c->nregions ? &c->regions[region] : NULL;
    if (!r || offset > r->size || n > r->size - offset) {
        *why = "outside of the region";
        return LOOK_MISSING;
    }
    if (look_blob(r, after, why) == NULL)
        return LOOK_MISSING;
    for (size_t done = 0; done < n && state == LOOK_THERE;) {
        uint64_t at = offset + done;
        size_t part = CAPTURE_BLOCK - (size_t)(at % CAPTURE_BLOCK);
        part = part < n - done ? part : n - done;
        state = copy_block(l, region, after, at, (uint8_t *)to + done, part, why);
        done += part;
    }
    return state;
}

/* --- searching --- */

void capture_look_find(struct capture_look *l, const struct look_search *s)
{
    pthread_mutex_lock(&l->lock);
    l->search = *s;
    l->searching = true;
    l->hit_ready = false;
    __atomic_add_fetch(&l->serial, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&l->wake);
    pthread_mutex_unlock(&l->lock);
}

bool capture_look_found(struct capture_look *l, struct look_hit *out)
{
    pthread_mutex_lock(&l->lock);
    bool ready = l->hit_ready;
    if (ready)
        *out = l->hit;
    l->hit_ready = false;
    pthread_mutex_unlock(&l->lock);
    return ready;
}
