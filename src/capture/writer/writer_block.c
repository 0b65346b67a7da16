/*
 * Reads and examines one block of a region, and writes it to its place. The place of a raw block is
 * fixed. The frames of a zstd file are in order, so a frame waits until those before it have their
 * sizes. This wait ends because blocks are taken in order: the earliest unfinished block waits for
 * none.
 */
#define ZSTD_STATIC_LINKING_ONLY
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "capture/writer/writer_impl.h"

enum {
    LEVEL = 1,
    SAMPLE = 1 << 17,        /* bytes that are compressed to test whether it pays */
    PART = 1 << 18,          /* bytes that stay in a core's own cache while they are processed */
    HOLE = 1 << 16,          /* this many zeros become a hole in a raw file */
    MEASURED_MAX = 64 << 20, /* after this many bytes, earlier measurements count half */
    MEASURED_MIN = 1 << 20,  /* below this many bytes the disk's speed is unknown */
};

static uint64_t writer_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool all_zero(const unsigned char *p, size_t n)
{
    uint64_t word;
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        uint64_t any = 0;
        for (size_t k = 0; k < 64; k += 8) {
            memcpy(&word, p + i + k, 8);
            any |= word;
        }
        if (any)
            return false;
    }
    for (; i < n; i++)
        if (p[i])
            return false;
    return true;
}

/* Writes, and adds the time to the measured speed of the disk. */
static int write_block(struct capture_writer *w, int fd, const void *p, size_t n, uint64_t offset)
{
    uint64_t from = writer_now_ns();
    int code = folder_put(fd, p, n, offset);
    uint64_t took = writer_now_ns() - from;
    pthread_mutex_lock(&w->lock);
    w->write_ns += took;
    w->write_bytes += n;
    if (w->write_bytes > MEASURED_MAX) {
        w->write_ns /= 2;
        w->write_bytes /= 2;
    }
    w->stored += n;
    pthread_mutex_unlock(&w->lock);
    return code;
}

static void fail_writer(struct capture_writer *w, int code, const char *what)
{
    pthread_mutex_lock(&w->lock);
    writer_fail(w, code, what);
    pthread_cond_broadcast(&w->landed);
    pthread_mutex_unlock(&w->lock);
}

/* --- raw or compressed --- */

/* Compares the time of one thread for a byte, raw and compressed. The disk's part is the time that
 * the threads wait for it, whatever their number. */
static bool compressing_pays(struct writer_worker *k, const unsigned char *p, size_t n)
{
    size_t part = n < SAMPLE ? n : SAMPLE;
    uint64_t from = writer_now_ns();
    size_t packed =
        ZSTD_compressCCtx(k->zstd, k->out, k->out_size, p + (n - part) / 2, part, LEVEL);
    double pack = (double)(writer_now_ns() - from) / (double)part;
    if (ZSTD_isError(packed))
        return false;
    pthread_mutex_lock(&k->w->lock);
    uint64_t ns = k->w->write_ns, bytes = k->w->write_bytes;
    pthread_mutex_unlock(&k->w->lock);
    if (bytes < MEASURED_MIN)
        return false;
    double disk = (double)ns / (double)bytes;
    return pack + disk * (double)packed / (double)part < 0.8 * disk;
}

/* Called under the lock. */
static void decide_encoding(struct capture_writer *w, struct stream *s, bool zstd)
{
    char name[WRITER_NAME_MAX];
    snprintf(name, sizeof name, "%s%s", s->name, zstd ? ".zst" : "");
    int code = folder_create(w, name, &s->fd);
    if (code == 0 && !zstd && s->size > 0 && ftruncate(s->fd, (off_t)s->size) != 0)
        code = errno;
    s->as = zstd ? ZSTD : RAW;
    if (code)
        writer_fail(w, code, name);
    pthread_cond_broadcast(&w->landed);
}

static bool want_zstd(struct writer_worker *k, const struct stream *s, size_t n)
{
    if (s->raw || k->w->encoding != WRITER_FASTEST)
        return !s->raw && k->w->encoding == WRITER_ZSTD;
    return compressing_pays(k, k->in, n);
}

/* --- raw --- */

static size_t hole_at(const unsigned char *p, size_t n)
{
    size_t size = n < HOLE ? n : HOLE;
    return all_zero(p, size) ? size : 0;
}

/* Writes the parts of n bytes that are not zero at their place. False: an error. */
static bool put_raw(struct writer_worker *k, struct stream *s, const unsigned char *p, size_t n,
                    uint64_t offset)
{
    int code = 0;
    for (size_t i = 0, from; code == 0 && i < n;) {
        for (size_t hole; i < n && (hole = hole_at(p + i, n - i));)
            i += hole;
        for (from = i; i < n && !hole_at(p + i, n - i);)
            i += n - i < HOLE ? n - i : HOLE;
        if (i > from)
            code = write_block(k->w, s->fd, p + from, i - from, offset + from);
    }
    if (code)
        fail_writer(k->w, code, s->name);
    return code == 0;
}

/* --- zstd --- */

/* Waits until the frames before this one have their place. Called under the lock. False: they never
 * will. */
static bool wait_turn(struct capture_writer *w, const struct stream *s, size_t block)
{
    while (s->landed != block && s->as != RAW && !s->failed && !w->failed)
        pthread_cond_wait(&w->landed, &w->lock);
    return s->landed == block && !s->failed && !w->failed;
}

static int put_zeros(struct capture_writer *w, const struct stream *s, uint64_t offset, size_t n)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++)
        code = write_block(w, s->fd, w->zero_frame, w->zero_frame_size,
                           offset + i * w->zero_frame_size);
    return code;
}

static void put_frame(struct writer_worker *k, struct stream *s, size_t block, size_t n)
{
    struct capture_writer *w = k->w;
    size_t packed = ZSTD_compressCCtx(k->zstd, k->out, k->out_size, k->in, n, LEVEL), zeros;
    if (ZSTD_isError(packed)) {
        fail_writer(w, EIO, s->name);
        return;
    }
    pthread_mutex_lock(&w->lock);
    if (!wait_turn(w, s, block)) {
        pthread_mutex_unlock(&w->lock);
        return;
    }
    uint64_t offset = s->offset;
    zeros = s->zeros;
    s->offset += zeros * w->zero_frame_size + packed;
    s->zeros = 0;
    s->landed++;
    pthread_cond_broadcast(&w->landed);
    pthread_mutex_unlock(&w->lock);
    int code = put_zeros(w, s, offset, zeros);
    if (code == 0)
        code = write_block(w, s->fd, k->out, packed, offset + zeros * w->zero_frame_size);
    if (code)
        fail_writer(w, code, s->name);
}

/* Stores a block of zeros: a hole in a raw file. In a zstd file, or while the encoding is
 * undecided, zeros are only counted for now. */
static void put_nothing(struct writer_worker *k, struct stream *s, size_t block, size_t n)
{
    struct capture_writer *w = k->w;
    pthread_mutex_lock(&w->lock);
    bool turn = s->as != RAW && wait_turn(w, s, block) && s->as != RAW;
    bool frame = turn && s->as == ZSTD && n < CAPTURE_BLOCK;
    if (turn && !frame) {
        s->zeros++;
        s->landed++;
        pthread_cond_broadcast(&w->landed);
    }
    pthread_mutex_unlock(&w->lock);
    if (frame)
        put_frame(k, s, block, n);
}

/* --- a block, and the end of a stream --- */

/* Reads n bytes of the stream at an offset into k->in. */
static bool read_stream_bytes(struct writer_worker *k, const struct writer_pass *p,
                              struct stream *s, uint64_t offset, size_t n)
{
    struct capture_writer *w = k->w;
    char why[CAPTURE_FAILURE_MAX] = "";
    int code = p->read(p->ctx, k->in, s->address + offset, n, why, sizeof why);
    if (code == 0)
        return true;
    pthread_mutex_lock(&w->lock);
    if (!s->failed && s->error && why[0])
        snprintf(s->error, CAPTURE_FAILURE_MAX, "%s", why);
    else if (!s->failed && s->error)
        snprintf(s->error, CAPTURE_FAILURE_MAX, "error %d", code);
    s->failed = true;
    pthread_cond_broadcast(&w->landed);
    pthread_mutex_unlock(&w->lock);
    return false;
}

static void write_block_bytes(struct writer_worker *k, struct stream *s, size_t block, size_t n)
{
    struct capture_writer *w = k->w;
    pthread_mutex_lock(&w->lock);
    if (s->as == UNDECIDED) {
        pthread_mutex_unlock(&w->lock);
        bool zstd = want_zstd(k, s, n);
        pthread_mutex_lock(&w->lock);
        if (s->as == UNDECIDED)
            decide_encoding(w, s, zstd);
    }
    bool zstd = s->as == ZSTD, open = s->fd >= 0;
    pthread_mutex_unlock(&w->lock);
    if (open && zstd)
        put_frame(k, s, block, n);
    else if (open)
        put_raw(k, s, k->in, n, (uint64_t)block * CAPTURE_BLOCK);
}

/* Whether a block can go through the caches in parts, because it is not needed as a whole. */
static bool in_parts(struct capture_writer *w, struct stream *s)
{
    if (!s->blob)
        return true;
    pthread_mutex_lock(&w->lock);
    if (s->as == UNDECIDED && (s->raw || w->encoding == WRITER_RAW))
        decide_encoding(w, s, false);
    bool raw = s->as == RAW;
    pthread_mutex_unlock(&w->lock);
    return raw;
}

static void write_parts(struct writer_worker *k, const struct writer_pass *p, struct stream *s,
                        size_t block, size_t n)
{
    struct sum_parts sum = {.state = {0}};
    uint64_t offset = (uint64_t)block * CAPTURE_BLOCK;
    sum_start(&sum);
    if (s->whole && !read_stream_bytes(k, p, s, offset, n))
        return;
    for (size_t i = 0; i < n; i += PART) {
        size_t part = n - i < PART ? n - i : PART;
        const unsigned char *at = s->whole ? k->in + i : k->in;
        if (!s->whole && !read_stream_bytes(k, p, s, offset + i, part))
            return;
        sum_add(&sum, at, part);
        if (s->blob && (s->fd < 0 || !put_raw(k, s, at, part, offset + i)))
            return;
    }
    s->sums[block] = sum_end(&sum);
    if (s->blob)
        return;
    pthread_mutex_lock(&k->w->lock);
    s->changed = s->changed || s->sums[block] != s->before[block];
    pthread_mutex_unlock(&k->w->lock);
}

void block_write(struct writer_worker *k, struct writer_pass *p, struct stream *s, size_t block)
{
    size_t n = blob_size(s->size, block);
    if (in_parts(k->w, s)) {
        write_parts(k, p, s, block, n);
        return;
    }
    if (!read_stream_bytes(k, p, s, (uint64_t)block * CAPTURE_BLOCK, n))
        return;
    bool zero = all_zero(k->in, n);
    s->sums[block] = zero && n == CAPTURE_BLOCK ? k->w->zero_sum : sum_block(k->in, n);
    if (zero)
        put_nothing(k, s, block, n);
    else
        write_block_bytes(k, s, block, n);
}

static void unlink_stream_file(struct capture_writer *w, const struct stream *s)
{
    char name[WRITER_NAME_MAX];
    snprintf(name, sizeof name, "%s%s", s->name, s->as == ZSTD ? ".zst" : "");
    if (s->as != UNDECIDED)
        unlinkat(w->folder, name, 0);
}

/* Called by the thread that finished the stream's last block. */
void block_written(struct capture_writer *w, struct stream *s)
{
    int code = 0;
    if (s->blob && s->as == UNDECIDED && !s->failed && !w->failed) { /* only zeros */
        pthread_mutex_lock(&w->lock);
        decide_encoding(w, s, false);
        pthread_mutex_unlock(&w->lock);
    }
    if (s->as == ZSTD && s->fd >= 0 && !s->failed && !w->failed) {
        code = put_zeros(w, s, s->offset, s->zeros);
        s->offset += s->zeros * w->zero_frame_size;
    }
    if (s->fd >= 0 && close(s->fd) != 0 && code == 0 && errno != EINTR)
        code = errno;
    if (code)
        fail_writer(w, code, s->name);
    if (s->failed)
        unlink_stream_file(w, s);
    if (!s->blob || s->failed || w->failed)
        return;
    *s->blob = (struct writer_blob){.written = true,
                                    .zstd = s->as == ZSTD,
                                    .stored = s->as == ZSTD ? s->offset : s->size,
                                    .checksum = sum_blocks(s->sums, blob_blocks(s->size))};
}
