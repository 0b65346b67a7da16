#include "engine/trace/unpack.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/thread.h"

enum { PIECES = 4, TEXT = 256 << 10, RAW = 64 << 10, GZIP_WINDOW = 15 + 16 };

struct unpack {
    /* These members belong to the thread until it has ended. */
    struct trace_stream *in;
    const char *path;
    z_stream z;
    unsigned char *raw;
    uint64_t taken; /* bytes read from the file */
    bool raw_ended, ended, cut;
    pthread_t thread;
    /* The lock protects these. Pieces are filled and emptied in turn. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct unpacked_piece {
        char *text;
        size_t n;
        uint64_t taken;
    } piece[PIECES];
    uint64_t filled, emptied; /* counts since the begin */
    bool lent;                /* the oldest piece is being read */
    bool finished, stop;      /* no more data comes; no more data is wanted */
    int rc;
    struct error err;
};

bool unpack_is_gzip(const unsigned char *head, size_t n)
{
    return n >= 3 && head[0] == 0x1f && head[1] == 0x8b && head[2] == 8;
}

bool unpack_wanted(const struct trace_stream *in)
{
    unsigned char own[3];
    if (in->pipe)
        return unpack_is_gzip(in->head, in->nhead);
    ssize_t n = pread(in->fd, own, sizeof own, 0);
    return n > 0 && unpack_is_gzip(own, (size_t)n);
}

static bool refill_raw(struct unpack *u)
{
    if (u->z.avail_in > 0 || u->raw_ended)
        return true;
    ssize_t n = trace_stream_read(u->in, u->raw, RAW, u->path, &u->err);
    if (n < 0) {
        u->rc = (int)n;
        return false;
    }
    u->taken += (uint64_t)n;
    u->raw_ended = n == 0;
    u->z.next_in = u->raw;
    u->z.avail_in = (unsigned)n;
    return true;
}

/* Begins the next member, or sets ended if only padding follows. false: reading failed. */
static bool next_member(struct unpack *u)
{
    if (!refill_raw(u))
        return false;
    if (u->z.avail_in == 0 || u->z.next_in[0] != 0x1f) {
        u->ended = true;
        return true;
    }
    inflateReset(&u->z);
    return true;
}

/* false: rc has the error. The text that was unpacked before is valid. */
static bool fill_piece(struct unpack *u, struct unpacked_piece *p)
{
    bool ok = true;
    u->z.next_out = (unsigned char *)p->text;
    u->z.avail_out = TEXT;
    while (ok && u->z.avail_out > 0 && !u->ended) {
        ok = refill_raw(u);
        if (ok && u->z.avail_in == 0) {
            u->cut = u->ended = true;
            break;
        }
        int rc = ok ? inflate(&u->z, Z_NO_FLUSH) : Z_OK;
        if (rc == Z_STREAM_END)
            ok = next_member(u);
        else if (rc != Z_OK && rc != Z_BUF_ERROR) {
            u->rc = error_set(&u->err, ERROR_INPUT, EINVAL, "check it with gzip -t", u->path,
                              "damaged near byte %llu of the packed file: %s",
                              (unsigned long long)(u->taken - u->z.avail_in),
                              u->z.msg ? u->z.msg : "not gzip");
            ok = false;
        }
    }
    p->n = TEXT - u->z.avail_out;
    p->taken = u->taken;
    return ok;
}

static void *unpack_file(void *arg)
{
    struct unpack *u = arg;
    for (bool more = true; more;) {
        pthread_mutex_lock(&u->lock);
        while (!u->stop && u->filled - u->emptied == PIECES)
            pthread_cond_wait(&u->changed, &u->lock);
        struct unpacked_piece *p = &u->piece[u->filled % PIECES];
        bool stop = u->stop;
        pthread_mutex_unlock(&u->lock);
        more = !stop && fill_piece(u, p) && !u->ended;
        pthread_mutex_lock(&u->lock);
        u->filled += !stop && p->n > 0 && u->rc == 0;
        u->finished = !more;
        pthread_cond_signal(&u->changed);
        pthread_mutex_unlock(&u->lock);
    }
    return NULL;
}

static void release_unpack(struct unpack *u)
{
    inflateEnd(&u->z);
    for (int i = 0; i < PIECES; i++)
        free(u->piece[i].text);
    free(u->raw);
    pthread_cond_destroy(&u->changed);
    pthread_mutex_destroy(&u->lock);
    free(u);
}

struct unpack *unpack_start(struct trace_stream *in, const char *path, struct error *err)
{
    struct unpack *u = xcalloc(1, sizeof *u);
    u->in = in;
    in->stop = &u->stop;
    u->path = path;
    u->raw = xcalloc(1, RAW);
    for (int i = 0; i < PIECES; i++)
        u->piece[i].text = xcalloc(1, TEXT);
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->changed, NULL);
    int rc = inflateInit2(&u->z, GZIP_WINDOW) == Z_OK ? thread_start(&u->thread, unpack_file, u)
                                                      : ENOMEM;
    if (rc == 0)
        return u;
    error_set(err, ERROR_INTERNAL, rc, NULL, path, "it cannot be unpacked: %s", strerror(rc));
    release_unpack(u);
    return NULL;
}

void unpack_free(struct unpack *u)
{
    if (!u)
        return;
    pthread_mutex_lock(&u->lock);
    __atomic_store_n(&u->stop, true, __ATOMIC_RELAXED); /* the thread checks it */
    pthread_cond_signal(&u->changed);
    pthread_mutex_unlock(&u->lock);
    pthread_join(u->thread, NULL);
    release_unpack(u);
}

int unpack_next(struct unpack *u, char **text, size_t *n, uint64_t *taken, struct error *err)
{
    pthread_mutex_lock(&u->lock);
    u->emptied += u->lent;
    u->lent = false;
    pthread_cond_signal(&u->changed);
    while (u->filled == u->emptied && !u->finished)
        pthread_cond_wait(&u->changed, &u->lock);
    int rc = 0;
    if (u->filled > u->emptied) {
        const struct unpacked_piece *p = &u->piece[u->emptied % PIECES];
        *text = p->text;
        *n = p->n;
        *taken = p->taken;
        u->lent = true;
        rc = 1;
    } else if (u->rc != 0) {
        *err = u->err;
        rc = u->rc;
    }
    pthread_mutex_unlock(&u->lock);
    return rc;
}

bool unpack_was_cut(const struct unpack *u)
{
    return u->cut;
}
