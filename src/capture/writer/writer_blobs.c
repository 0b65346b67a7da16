/* The threads: each takes the next block until none is left. */
#include "capture/writer/writer_impl.h"

size_t blob_blocks(uint64_t size)
{
    return (size_t)(size / CAPTURE_BLOCK + (size % CAPTURE_BLOCK != 0));
}

size_t blob_size(uint64_t size, size_t block)
{
    uint64_t rest = size - (uint64_t)block * CAPTURE_BLOCK;
    return rest < CAPTURE_BLOCK ? (size_t)rest : CAPTURE_BLOCK;
}

/* Takes the next block. Called under the lock. False: none is left. */
static bool take_next_block(struct writer_pass *p, struct stream **s, size_t *block)
{
    while (p->stream < p->n && p->block == blob_blocks(p->streams[p->stream].size)) {
        p->stream++;
        p->block = 0;
    }
    if (p->stream == p->n)
        return false;
    *s = &p->streams[p->stream];
    *block = p->block++;
    return true;
}

/* Called with the lock held; returns with it held. */
static void do_blocks(struct writer_worker *k, struct writer_pass *p)
{
    struct capture_writer *w = k->w;
    struct stream *s;
    size_t block;
    while (take_next_block(p, &s, &block)) {
        bool wanted = !w->failed && !s->failed && !(s->changed && !s->blob);
        pthread_mutex_unlock(&w->lock);
        if (wanted)
            block_write(k, p, s, block);
        if (p->progress)
            *p->progress += blob_size(s->size, block);
        pthread_mutex_lock(&w->lock);
        if (--s->left > 0)
            continue;
        pthread_mutex_unlock(&w->lock);
        block_written(w, s);
        pthread_mutex_lock(&w->lock);
        if (--p->left == 0)
            pthread_cond_broadcast(&w->done);
    }
}

void *blobs_thread(void *worker)
{
    struct writer_worker *k = worker;
    struct capture_writer *w = k->w;
    pthread_mutex_lock(&w->lock);
    while (!w->quit) {
        if (w->pass)
            do_blocks(k, w->pass);
        if (!w->quit)
            pthread_cond_wait(&w->work, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Finishes streams without bytes, which have no block: such a region has no file, such a variable
 * has one. */
static void end_empty(struct capture_writer *w, struct writer_pass *p)
{
    for (size_t i = 0; i < p->n; i++) {
        p->streams[i].left = blob_blocks(p->streams[i].size);
        p->streams[i].fd = -1;
        if (p->streams[i].left > 0)
            p->left++;
        else if (p->streams[i].raw)
            block_written(w, &p->streams[i]);
    }
}

int blobs_run(struct capture_writer *w, struct writer_pass *p)
{
    if (w->failed)
        return w->failed;
    end_empty(w, p);
    pthread_mutex_lock(&w->lock);
    w->pass = p;
    pthread_cond_broadcast(&w->work);
    do_blocks(&w->workers[0], p);
    while (p->left > 0)
        pthread_cond_wait(&w->done, &w->lock);
    w->pass = NULL;
    pthread_mutex_unlock(&w->lock);
    return w->failed;
}
