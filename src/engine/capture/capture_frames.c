#include "engine/capture/capture_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "format/capture.h"

enum {
    WINDOW = 1 << 14,    /* bytes of the file that are read at a time */
    HEADER_MAX = 18,     /* largest frame header: magic, descriptor, window, dictionary, size */
    BLOCK_HEADER = 3,    /* bytes of a block's header */
    BLOCK_MAX = 1 << 17, /* most bytes in a block */
    BLOCKS_MAX =
        1 << 16, /* limit for a frame of CAPTURE_BLOCK bytes: far above what a real one has */
    FRAME_MAX =
        CAPTURE_BLOCK + CAPTURE_BLOCK / 8, /* most bytes that zstd makes of one of our blocks */
};

static const uint32_t magic = 0xfd2fb528;

struct frame_walk {
    int fd;
    uint64_t stored;
    uint64_t from; /* offset in the file of the bytes read */
    size_t n;
    unsigned char bytes[WINDOW];
    char *why;
};

static bool refuse_frames(const struct frame_walk *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse_frames(const struct frame_walk *w, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(w->why, FRAMES_WHY, fmt, args);
    va_end(args);
    return false;
}

/* Returns n bytes at an offset; NULL if the file ends before. */
static const unsigned char *bytes_at(struct frame_walk *w, uint64_t offset, size_t n)
{
    if (offset < w->from || offset + n > w->from + w->n) {
        ssize_t k;
        do
            k = pread(w->fd, w->bytes, sizeof w->bytes, (off_t)offset);
        while (k < 0 && errno == EINTR);
        w->from = offset;
        w->n = k > 0 ? (size_t)k : 0;
    }
    return w->n - (offset - w->from) >= n ? w->bytes + (offset - w->from) : NULL;
}

static uint64_t read_little_endian(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

struct zstd_frame {
    uint64_t offset; /* offset of the frame, later of its next block */
    uint64_t size;   /* bytes of its content, according to its header */
    bool checksum;
};

static bool read_frame_header(struct frame_walk *w, struct zstd_frame *f)
{
    static const size_t size_bytes[] = {0, 2, 4, 8}, dictionary_bytes[] = {0, 1, 2, 4};
    uint64_t rest = w->stored - f->offset;
    size_t most = rest < HEADER_MAX ? (size_t)rest : HEADER_MAX;
    const unsigned char *p = bytes_at(w, f->offset, most);
    if (!p || most < 6)
        return refuse_frames(w, "it is cut off at byte %llu", (unsigned long long)w->stored);
    if (read_little_endian(p, 4) != magic)
        return refuse_frames(w, "no zstd frame at byte %llu", (unsigned long long)f->offset);
    bool single = p[4] & 0x20;
    size_t at = 5 + (single ? 0 : 1) + dictionary_bytes[p[4] & 3],
           n = size_bytes[p[4] >> 6] ? size_bytes[p[4] >> 6] : single;
    if (p[4] & 0x08 || p[4] & 3)
        return refuse_frames(w, "the zstd frame at byte %llu is of an unknown kind",
                             (unsigned long long)f->offset);
    if (n == 0 || at + n > most)
        return refuse_frames(w, "the zstd frame at byte %llu does not tell its size",
                             (unsigned long long)f->offset);
    f->size = read_little_endian(p + at, n) + (n == 2 ? 256 : 0);
    f->checksum = p[4] & 0x04;
    f->offset += at + n;
    return true;
}

/* Walks over the frame's blocks. *zero is set if each block only repeats a zero byte. */
static bool read_blocks(struct frame_walk *w, struct zstd_frame *f, uint64_t begin, bool *zero)
{
    bool last = false;
    *zero = true;
    for (int i = 0; !last; i++) {
        const unsigned char *p = bytes_at(w, f->offset, BLOCK_HEADER + 1);
        if (!p) /* an empty last block may end the file right after its header */
            p = bytes_at(w, f->offset, BLOCK_HEADER);
        uint64_t head = p ? read_little_endian(p, BLOCK_HEADER) : 0, size = head >> 3;
        unsigned kind = (unsigned)(head >> 1 & 3);
        if (p && (kind == 3 || size > BLOCK_MAX || i == BLOCKS_MAX))
            return refuse_frames(w, "a damaged block at byte %llu", (unsigned long long)f->offset);
        uint64_t next = f->offset + BLOCK_HEADER + (kind == 1 ? 1 : size);
        if (!p || next > w->stored)
            return refuse_frames(w, "it is cut off at byte %llu", (unsigned long long)w->stored);
        *zero = *zero && kind == 1 && p[BLOCK_HEADER] == 0;
        last = head & 1;
        f->offset = next;
        if (f->offset - begin > FRAME_MAX)
            return refuse_frames(w, "the zstd frame at byte %llu is too long",
                                 (unsigned long long)begin);
    }
    f->offset += f->checksum ? 4 : 0;
    return f->offset <= w->stored ||
           refuse_frames(w, "it is cut off at byte %llu", (unsigned long long)w->stored);
}

bool frames_find(int fd, uint64_t stored, uint64_t size, uint64_t *offsets, bool *zeros, size_t n,
                 char why[FRAMES_WHY])
{
    struct frame_walk w = {.fd = fd, .stored = stored, .why = why};
    struct zstd_frame f = {.offset = 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t expected = size - (uint64_t)i * CAPTURE_BLOCK;
        if (expected > CAPTURE_BLOCK)
            expected = CAPTURE_BLOCK;
        offsets[i] = f.offset;
        if (f.offset == stored)
            return refuse_frames(&w, "it ends after %zu of %zu blocks", i, n);
        if (!read_frame_header(&w, &f))
            return false;
        if (f.size != expected)
            return refuse_frames(&w, "the zstd frame at byte %llu holds %llu bytes, not %llu",
                                 (unsigned long long)offsets[i], (unsigned long long)f.size,
                                 (unsigned long long)expected);
        if (!read_blocks(&w, &f, offsets[i], &zeros[i]))
            return false;
    }
    offsets[n] = f.offset;
    return f.offset == stored || refuse_frames(&w, "%llu bytes more than its contents",
                                               (unsigned long long)(stored - f.offset));
}
