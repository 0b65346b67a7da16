/* The contents of a blob, block by block: raw blocks are read as they are, zstd frames are
 * unpacked. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zstd.h>

#include "engine/capture/capture_impl.h"
#include "format/capture.h"
#include "format/sum.h"

/* A thread's buffers for unpacking a block; kept for the next one. */
struct scratch {
    struct scratch *next;
    ZSTD_DCtx *zstd;
    void *packed; /* room for a packed frame */
};

struct capture_contents {
    const struct capture_own *own;
    const char *file;
    enum capture_encoding encoding;
    uint64_t size, stored, checksum;
    bool has_checksum;
    int fd;
    size_t blocks, frame_max;
    uint64_t *offsets; /* zstd: where each frame begins, and the end of the last */
    bool *zeros;
    pthread_mutex_t lock;
    struct scratch *idle;
};

static uint64_t zero_block; /* XXH3-64 of a block of zeros */
static pthread_once_t zero_once = PTHREAD_ONCE_INIT;

static void make_zero_sum(void)
{
    void *zeros = xcalloc(1, CAPTURE_BLOCK);
    zero_block = sum_block(zeros, CAPTURE_BLOCK);
    free(zeros);
}

static uint64_t zero_sum(size_t n)
{
    if (n == CAPTURE_BLOCK) {
        pthread_once(&zero_once, make_zero_sum);
        return zero_block;
    }
    void *zeros = xcalloc(1, n);
    uint64_t sum = sum_block(zeros, n);
    free(zeros);
    return sum;
}

static size_t block_size(const struct capture_contents *o, size_t i)
{
    uint64_t rest = o->size - (uint64_t)i * CAPTURE_BLOCK;
    return rest < CAPTURE_BLOCK ? (size_t)rest : CAPTURE_BLOCK;
}

/* --- opening --- */

static int index_frames(struct capture_contents *o, struct error *err)
{
    char why[FRAMES_WHY];
    o->offsets = xcalloc(o->blocks + 1, sizeof *o->offsets);
    o->zeros = xcalloc(o->blocks, sizeof *o->zeros);
    if (!frames_find(o->fd, o->stored, o->size, o->offsets, o->zeros, o->blocks, why))
        return capture_refuse(o->own, err, o->file, NULL, "%s", why);
    for (size_t i = 0; i < o->blocks; i++)
        if (o->offsets[i + 1] - o->offsets[i] > o->frame_max)
            o->frame_max = (size_t)(o->offsets[i + 1] - o->offsets[i]);
    return 0;
}

/* Checks the file's size. A raw file has exactly the blob's bytes; zstd frames have a minimum size
 * each. */
static int check_size(const struct capture_contents *o, uint64_t found, struct error *err)
{
    if (found != o->stored || (o->encoding == CAPTURE_RAW && found != o->size))
        return capture_refuse(
            o->own, err, o->file, NULL, "it has %llu bytes, not %llu", (unsigned long long)found,
            (unsigned long long)(o->encoding == CAPTURE_RAW ? o->size : o->stored));
    return 0;
}

int capture_contents_open(struct capture_contents **out, const struct capture *c,
                          const struct capture_blob *blob, uint64_t size, struct error *err)
{
    const struct capture_own *own = (const struct capture_own *)c; /* its first member */
    uint64_t found = 0;
    *out = NULL;
    if (!blob->file)
        return error_set(err, ERROR_INPUT, ENOENT, NULL, c->path, "this memory was not read");
    struct capture_contents *o = xcalloc(1, sizeof *o);
    *o = (struct capture_contents){.own = own,
                                   .file = blob->file,
                                   .encoding = blob->encoding,
                                   .size = size,
                                   .stored = blob->stored,
                                   .checksum = blob->checksum,
                                   .has_checksum = blob->has_checksum,
                                   .fd = -1};
    pthread_mutex_init(&o->lock, NULL);
    int rc = capture_file_open(own, blob->file, &o->fd, &found, err);
    if (rc == 0)
        rc = check_size(o, found, err);
    o->blocks = (size_t)(size / CAPTURE_BLOCK + (size % CAPTURE_BLOCK != 0));
    if (rc == 0 && o->encoding == CAPTURE_ZSTD)
        rc = index_frames(o, err);
    if (rc == 0)
        *out = o;
    else
        capture_contents_close(o);
    return rc;
}

void capture_contents_close(struct capture_contents *o)
{
    if (!o)
        return;
    while (o->idle) {
        struct scratch *s = o->idle;
        o->idle = s->next;
        ZSTD_freeDCtx(s->zstd);
        free(s->packed);
        free(s);
    }
    if (o->fd >= 0)
        close(o->fd);
    free(o->offsets);
    free(o->zeros);
    pthread_mutex_destroy(&o->lock);
    free(o);
}

size_t capture_contents_blocks(const struct capture_contents *o)
{
    return o->blocks;
}

/* --- a block --- */

static struct scratch *borrow_scratch(struct capture_contents *o)
{
    pthread_mutex_lock(&o->lock);
    struct scratch *s = o->idle;
    if (s)
        o->idle = s->next;
    pthread_mutex_unlock(&o->lock);
    if (s)
        return s;
    s = xcalloc(1, sizeof *s);
    s->zstd = ZSTD_createDCtx();
    s->packed = xcalloc(1, o->frame_max);
    return s;
}

static void give_back(struct capture_contents *o, struct scratch *s)
{
    pthread_mutex_lock(&o->lock);
    s->next = o->idle;
    o->idle = s;
    pthread_mutex_unlock(&o->lock);
}

static int read_at(const struct capture_contents *o, void *to, size_t n, uint64_t offset,
                   struct error *err)
{
    char *p = to;
    for (size_t done = 0; done < n;) {
        ssize_t k = pread(o->fd, p + done, n - done, (off_t)(offset + done));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return capture_refuse(o->own, err, o->file, NULL, "%s", strerror(errno));
        if (k == 0)
            return capture_refuse(o->own, err, o->file, NULL, "it is cut off at byte %llu",
                                  (unsigned long long)offset + done);
        done += (size_t)k;
    }
    return 0;
}

static int unpack_block(struct capture_contents *o, size_t i, void *to, struct error *err)
{
    struct scratch *s = borrow_scratch(o);
    size_t n = block_size(o, i), packed = (size_t)(o->offsets[i + 1] - o->offsets[i]);
    int rc = read_at(o, s->packed, packed, o->offsets[i], err);
    if (rc == 0) {
        size_t k = s->zstd ? ZSTD_decompressDCtx(s->zstd, to, n, s->packed, packed) : 0;
        if (k != n)
            rc = capture_refuse(o->own, err, o->file, NULL, "the zstd frame at byte %llu: %s",
                                (unsigned long long)o->offsets[i],
                                ZSTD_isError(k) ? ZSTD_getErrorName(k) : "of another size");
    }
    give_back(o, s);
    return rc;
}

/* SEEK_DATA moves the descriptor's position, which nothing else uses: blocks are read by offset. */
static bool is_hole(const struct capture_contents *o, size_t i)
{
    off_t from = (off_t)i * CAPTURE_BLOCK, data = lseek(o->fd, from, SEEK_DATA);
    return data < 0 ? errno == ENXIO : data >= from + (off_t)block_size(o, i);
}

int capture_contents_block(const struct capture_contents *o, size_t i, void *to, bool *zero,
                           uint64_t *sum, struct error *err)
{
    int rc = 0;
    *zero = o->encoding == CAPTURE_ZSTD ? o->zeros[i] : is_hole(o, i);
    if (*zero && sum)
        *sum = zero_sum(block_size(o, i));
    if (*zero || !to)
        return 0;
    /* unpacking uses the shared list of scratch memory, which has a lock */
    if (o->encoding == CAPTURE_ZSTD)
        rc = unpack_block((struct capture_contents *)o, i, to, err);
    else
        rc = read_at(o, to, block_size(o, i), (uint64_t)i * CAPTURE_BLOCK, err);
    if (rc == 0 && sum)
        *sum = sum_block(to, block_size(o, i));
    return rc;
}

int capture_contents_check(const struct capture_contents *o, const uint64_t *sums,
                           struct error *err)
{
    char found[SUM_TEXT], wanted[SUM_TEXT];
    uint64_t sum = o->has_checksum ? sum_blocks(sums, o->blocks) : 0;
    if (!o->has_checksum || sum == o->checksum)
        return 0;
    return capture_refuse(o->own, err, o->file, NULL, "its checksum is %s, not %s: it is damaged",
                          sum_text(sum, found), sum_text(o->checksum, wanted));
}
