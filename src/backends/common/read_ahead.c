#include "backends/common/read_ahead.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"

enum {
    KEPT = 4,   /* chunks that the caller's thread read */
    AHEAD = 16, /* chunks read ahead, at most */
    /* requests at most this many chunks apart count as sequential: other tables lie between */
    NEAR = 4,
    WORTH = 64, /* a file with fewer chunks is not worth a thread */
    STRIDE = READ_AHEAD_CHUNK + READ_AHEAD_SPARE,
};

struct read_ahead {
    int fd;
    uint64_t size;
    unsigned char *kept; /* KEPT chunks */
    uint64_t has[KEPT];  /* 1 + the chunk's number; 0: empty */
    uint64_t last;       /* the last chunk requested */
    bool threaded;
    pthread_t thread;
    /* shared with the reader thread, under the lock: chunks first to next - 1 are in slots */
    pthread_mutex_t lock;
    pthread_cond_t room, more;
    unsigned char *slots;
    uint64_t first, next;
    uint64_t ready; /* the caller's copy of next */
    bool active, failed, ends;
};

static bool read_file_chunk(const struct read_ahead *a, uint64_t number, unsigned char *to)
{
    uint64_t at = number * READ_AHEAD_CHUNK;
    if (at >= a->size)
        return false;
    uint64_t rest = a->size - at;
    size_t want = rest < READ_AHEAD_CHUNK ? (size_t)rest : READ_AHEAD_CHUNK;
    return pread(a->fd, to, want, (off_t)at) == (ssize_t)want;
}

static unsigned char *chunk_slot(const struct read_ahead *a, uint64_t number)
{
    return a->slots + number % AHEAD * STRIDE;
}

static bool has_work(const struct read_ahead *a)
{
    return a->active && !a->failed && a->next - a->first < AHEAD &&
           a->next * READ_AHEAD_CHUNK < a->size;
}

static void *read_chunks(void *ctx)
{
    struct read_ahead *a = ctx;
    pthread_mutex_lock(&a->lock);
    while (!a->ends) {
        if (!has_work(a)) {
            pthread_cond_wait(&a->room, &a->lock);
            continue;
        }
        uint64_t number = a->next;
        pthread_mutex_unlock(&a->lock);
        bool read = read_file_chunk(a, number, chunk_slot(a, number));
        pthread_mutex_lock(&a->lock);
        if (!a->active || a->next != number)
            continue; /* the caller jumped elsewhere meanwhile: drop this chunk */
        a->next += read;
        a->failed = !read;
        pthread_cond_signal(&a->more);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

struct read_ahead *read_ahead_new(int fd, uint64_t size)
{
    struct read_ahead *a = xcalloc(1, sizeof *a);
    a->fd = fd;
    a->size = size;
    a->kept = xcalloc(KEPT, STRIDE);
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->room, NULL);
    pthread_cond_init(&a->more, NULL);
    return a;
}

void read_ahead_free(struct read_ahead *a)
{
    if (!a)
        return;
    if (a->threaded) {
        pthread_mutex_lock(&a->lock);
        a->ends = true;
        pthread_cond_signal(&a->room);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->more);
    pthread_cond_destroy(&a->room);
    pthread_mutex_destroy(&a->lock);
    free(a->slots);
    free(a->kept);
    free(a);
}

/* Lets the reader thread start at a chunk; starts the thread the first time. */
static void begin_at(struct read_ahead *a, uint64_t number)
{
    if (!a->threaded) {
        a->slots = a->slots ? a->slots : xcalloc(AHEAD, STRIDE);
        a->threaded = thread_start(&a->thread, read_chunks, a) == 0;
    }
    if (!a->threaded)
        return;
    pthread_mutex_lock(&a->lock);
    a->first = a->next = a->ready = number;
    a->active = true;
    a->failed = false;
    pthread_cond_signal(&a->room);
    pthread_mutex_unlock(&a->lock);
}

/* Takes a chunk that was read ahead; NULL: the request is outside the range. */
static const unsigned char *take_chunk(struct read_ahead *a, uint64_t number)
{
    if (number < a->first || number > a->ready + NEAR)
        return NULL;
    if (number < a->ready && a->ready - number > AHEAD / 2)
        return chunk_slot(a, number);
    pthread_mutex_lock(&a->lock);
    a->first = number;
    a->next = a->next < number ? number : a->next;
    if (a->next - a->first <= AHEAD / 2)
        pthread_cond_signal(&a->room);
    while (a->next <= number && !a->failed && number * READ_AHEAD_CHUNK < a->size)
        pthread_cond_wait(&a->more, &a->lock);
    a->ready = a->next;
    bool there = a->next > number;
    pthread_mutex_unlock(&a->lock);
    return there ? chunk_slot(a, number) : NULL;
}

static const unsigned char *read_kept_chunk(struct read_ahead *a, uint64_t number)
{
    uint64_t at = number % KEPT;
    unsigned char *own = a->kept + at * STRIDE;
    if (a->has[at] == number + 1)
        return own;
    a->has[at] = 0;
    if (!read_file_chunk(a, number, own))
        return NULL;
    a->has[at] = number + 1;
    if (a->size / READ_AHEAD_CHUNK >= WORTH && number > a->last && number - a->last <= NEAR)
        begin_at(a, number + 1);
    a->last = number;
    return own;
}

const unsigned char *read_ahead_get(struct read_ahead *a, uint64_t number)
{
    const unsigned char *chunk = a->active ? take_chunk(a, number) : NULL;
    return chunk ? chunk : read_kept_chunk(a, number);
}
