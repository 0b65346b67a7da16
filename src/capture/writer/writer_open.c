/* Makes and frees a writer's threads and memory. */
#define ZSTD_STATIC_LINKING_ONLY
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/writer/writer_impl.h"

enum { LEVEL = 1, STACK = 1 << 20 };

static int count_cpus(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : WRITER_THREADS_MAX;
    return n > WRITER_THREADS_MAX ? WRITER_THREADS_MAX : n;
}

static size_t buffer_size(void)
{
    return ZSTD_compressBound(CAPTURE_BLOCK);
}

/* Rounds up to whole pages, because a page-aligned buffer follows. */
static size_t worker_tables_size(void)
{
    return (ZSTD_estimateCCtxSize(LEVEL) + CAPTURE_PAGE - 1) & ~((size_t)CAPTURE_PAGE - 1);
}

static bool worker_make(struct capture_writer *w, struct writer_worker *k)
{
    *k = (struct writer_worker){.w = w, .out_size = buffer_size()};
    unsigned char *p = writer_map(worker_tables_size() + CAPTURE_BLOCK + buffer_size());
    if (!p)
        return false;
    k->zstd = ZSTD_initStaticCCtx(p, worker_tables_size());
    k->in = p + worker_tables_size();
    k->out = k->in + CAPTURE_BLOCK;
    if (!k->zstd)
        writer_unmap(p, worker_tables_size() + CAPTURE_BLOCK + buffer_size());
    return k->zstd != NULL;
}

static void free_writer_worker(struct writer_worker *k)
{
    writer_unmap(k->in - worker_tables_size(),
                 worker_tables_size() + CAPTURE_BLOCK + buffer_size());
}

/* Makes one zstd frame of zeros, as in RFC 8878: a header with the size, and blocks that repeat one
 * byte. */
static void make_zero_block(struct capture_writer *w)
{
    enum { PART = 1 << 17, REPEAT = 1 << 1, LAST = 1, SIZED = 0xa0 /* 4 bytes; one segment */ };
    unsigned char *p = w->zero_frame;
    const unsigned char head[] = {
        0x28, 0xb5, 0x2f, 0xfd, SIZED, 0, 0, (unsigned char)(CAPTURE_BLOCK >> 16), 0};
    memcpy(p, head, sizeof head);
    p += sizeof head;
    for (uint32_t i = 0; i < CAPTURE_BLOCK / PART; i++) {
        uint32_t block = PART << 3 | REPEAT | (i + 1 == CAPTURE_BLOCK / PART ? LAST : 0);
        *p++ = (unsigned char)block;
        *p++ = (unsigned char)(block >> 8);
        *p++ = (unsigned char)(block >> 16);
        *p++ = 0;
    }
    w->zero_frame_size = (size_t)(p - w->zero_frame);
    w->zero_sum = sum_block(w->workers[0].in, CAPTURE_BLOCK); /* the buffer is still zero */
}

/* Starts up to n threads; fewer if the system refuses. */
static void start_threads(struct capture_writer *w, int n)
{
    pthread_attr_t small;
    sigset_t all, before;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (w->nworkers < n) {
        struct writer_worker *k = &w->workers[w->nworkers];
        if (!worker_make(w, k))
            break;
        if (pthread_create(&k->thread, &small, blobs_thread, k) != 0) {
            free_writer_worker(k);
            break;
        }
        w->nworkers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&small);
}

static struct capture_writer *refuse_open(struct capture_writer *w, int code, const char *folder,
                                          char *why, size_t why_size)
{
    const char *text = strerrordesc_np(code);
    snprintf(why, why_size, "%s: %s", folder, text ? text : "not opened");
    if (w)
        writer_close(w);
    return NULL;
}

struct capture_writer *writer_open(const char *folder, int threads, char *why, size_t why_size)
{
    struct capture_writer *w = writer_map(sizeof *w);
    if (!w)
        return refuse_open(NULL, ENOMEM, folder, why, why_size);
    w->folder = -1;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->landed, NULL);
    pthread_cond_init(&w->done, NULL);
    if (!worker_make(w, &w->workers[0]))
        return refuse_open(w, ENOMEM, folder, why, why_size);
    w->nworkers = 1;
    make_zero_block(w);
    int code = folder_make(w, folder);
    if (code)
        return refuse_open(w, code, folder, why, why_size);
    start_threads(w, threads > 0 && threads < WRITER_THREADS_MAX ? threads : count_cpus());
    return w;
}

void *writer_buffer(const struct capture_writer *w, int i)
{
    return i < w->nworkers ? w->workers[i].in : NULL;
}

void writer_leave_buffers(struct capture_writer *w)
{
    w->leave = true;
}

void writer_close(struct capture_writer *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->quit = true;
    pthread_cond_broadcast(&w->work);
    pthread_mutex_unlock(&w->lock);
    for (int i = 1; i < w->nworkers; i++)
        pthread_join(w->workers[i].thread, NULL);
    for (int i = 0; i < w->nworkers && !w->leave; i++)
        free_writer_worker(&w->workers[i]);
    if (w->folder >= 0 && !w->ended)
        folder_remove(w);
    if (w->folder >= 0)
        close(w->folder);
    writer_unmap(w->sums, w->nsums * sizeof *w->sums);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->landed);
    pthread_cond_destroy(&w->done);
    writer_unmap(w, sizeof *w);
}
