/* The walk over the records of perf.data. Compressed records hold pieces of one zstd stream each;
 * the records in it may begin in one piece and end in the next. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "backends/perf_data/perf_file.h"

enum {
    HEAD = sizeof(struct perf_event_header),
    RECORD_MOST = 64 << 10, /* its size has 16 bits */
    WINDOW = 256 << 10,
    UNPACKED = 2 * RECORD_MOST
};

/* Bytes of the file; those from `from` to `to` are in memory. */
struct walk {
    struct perf_file *file;
    perf_file_sink sink;
    void *ctx;
    uint8_t *window;
    uint64_t from, to;
    uint64_t at;        /* of the current record */
    uint64_t *record;   /* a copy, 8-byte aligned */
    ZSTD_DStream *zstd; /* NULL: nothing packed was met yet */
    uint8_t *unpacked;  /* what is not a whole record yet, from the begin */
    size_t nunpacked;
};

/* The n bytes at `at`, in the window; NULL with err. */
static const uint8_t *see_bytes(struct walk *w, uint64_t at, size_t n)
{
    struct perf_file *f = w->file;
    if (n > f->data_end - at) {
        perf_file_refuse(f, at, "a record is longer than what is left of the file");
        return NULL;
    }
    if (at >= w->from && at + n <= w->to)
        return w->window + (at - w->from);
    const uint64_t left = f->data_end - at;
    const size_t want = left < WINDOW ? (size_t)left : WINDOW;
    w->from = w->to = at;
    while (w->to - w->from < n) {
        const size_t have = (size_t)(w->to - w->from);
        const ssize_t got = pread(f->fd, w->window + have, want - have, (off_t)w->to);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            perf_file_refuse(f, w->to, got < 0 ? strerror(errno) : "the file was cut while read");
            return NULL;
        }
        w->to += (uint64_t)got;
    }
    return w->window;
}

static int give_record(struct walk *w, const uint8_t *p, size_t size)
{
    memcpy(w->record, p, size);
    return w->sink(w->ctx, w->record, size, w->at);
}

/* The records that describe the file of a pipe are not packed. */
static int give_plain_record(struct walk *w, const uint8_t *p, size_t size)
{
    memcpy(w->record, p, size);
    const int rc = w->file->described ? 0 : perf_file_describe(w->file, w->record, size, w->at);
    return rc ? rc : w->sink(w->ctx, w->record, size, w->at);
}

/* Gives the whole records that were unpacked, and moves the rest to the begin. */
static int give_unpacked(struct walk *w)
{
    size_t at = 0;
    int rc = 0;
    while (rc == 0 && w->nunpacked - at >= HEAD) {
        struct perf_event_header h;
        memcpy(&h, w->unpacked + at, sizeof h);
        if (h.size < HEAD || h.type == PERF_FILE_COMPRESSED || h.type == PERF_FILE_COMPRESSED2 ||
            h.type == PERF_FILE_AUXTRACE)
            return perf_file_refuse(w->file, w->at, "what was packed there is damaged");
        if (h.size > w->nunpacked - at)
            break;
        rc = give_record(w, w->unpacked + at, h.size);
        at += h.size;
    }
    memmove(w->unpacked, w->unpacked + at, w->nunpacked - at);
    w->nunpacked -= at;
    return rc;
}

static int unpack_records(struct walk *w, const uint8_t *packed, size_t n)
{
    if (!w->zstd) {
        w->zstd = ZSTD_createDStream();
        w->unpacked = xcalloc(1, UNPACKED);
    }
    ZSTD_inBuffer in = {packed, n, 0};
    for (;;) {
        ZSTD_outBuffer out = {w->unpacked, UNPACKED, w->nunpacked};
        const size_t rc = w->zstd ? ZSTD_decompressStream(w->zstd, &out, &in) : 0;
        if (!w->zstd || ZSTD_isError(rc))
            return perf_file_refuse(w->file, w->at, w->zstd ? ZSTD_getErrorName(rc) : "no memory");
        const bool more = out.pos == UNPACKED; /* zstd may keep what had no room */
        const bool stuck = out.pos == w->nunpacked && in.pos == in.size;
        w->nunpacked = out.pos;
        const int given = give_unpacked(w);
        if (given != 0 || stuck || (!more && in.pos == in.size))
            return given;
    }
}

/* COMPRESSED2 tells its bytes, because its end is padded. */
static int walk_packed(struct walk *w, const struct perf_event_header *h, const uint8_t *p)
{
    size_t head = HEAD, n = h->size - head;
    if (h->type == PERF_FILE_COMPRESSED2) {
        uint64_t told = 0;
        if (n >= sizeof told)
            memcpy(&told, p + HEAD, sizeof told);
        head += sizeof told;
        if (n < sizeof told || told > n - sizeof told)
            return perf_file_refuse(w->file, w->at, "a packed record is longer than it may be");
        n = (size_t)told;
    }
    return unpack_records(w, p + head, n);
}

/* Bytes that follow a record and that its size does not count: traces of processors, and the
 * formats of tracepoints, which are padded to 8 bytes. */
static int measure_tail(struct walk *w, const struct perf_event_header *h, uint64_t *tail)
{
    uint64_t bytes = 0;
    uint32_t narrow = 0;
    const uint8_t *p = see_bytes(w, w->at, h->size);
    *tail = 0;
    if (!p)
        return -EINVAL;
    if (h->type != PERF_FILE_AUXTRACE && h->type != PERF_FILE_TRACING_DATA)
        return 0;
    if (h->type == PERF_FILE_AUXTRACE && h->size >= HEAD + sizeof bytes) {
        memcpy(&bytes, p + HEAD, sizeof bytes);
    } else if (h->type == PERF_FILE_TRACING_DATA && h->size >= HEAD + sizeof narrow) {
        memcpy(&narrow, p + HEAD, sizeof narrow);
        bytes = ((uint64_t)narrow + 7) & ~UINT64_C(7);
    }
    *tail = bytes;
    return bytes > w->file->data_end - w->at - h->size
               ? perf_file_refuse(w->file, w->at, "a trace is longer than what is left of the file")
               : 0;
}

static int walk_record(struct walk *w)
{
    struct perf_event_header h;
    uint64_t tail;
    const uint8_t *p = see_bytes(w, w->at, HEAD);
    if (!p)
        return -EINVAL;
    memcpy(&h, p, sizeof h);
    if (h.size < HEAD)
        return perf_file_refuse(w->file, w->at, "a record is shorter than its own head");
    int rc = measure_tail(w, &h, &tail);
    if (rc != 0)
        return rc;
    p = see_bytes(w, w->at, h.size);
    if (h.type == PERF_FILE_COMPRESSED || h.type == PERF_FILE_COMPRESSED2)
        rc = walk_packed(w, &h, p);
    else
        rc = give_plain_record(w, p, h.size);
    w->at += h.size + tail;
    return rc;
}

/* Whether what is left at the end of a recording that was killed, or of a pipe, is only a part of a
 * record. */
static bool is_part_of_record(struct walk *w)
{
    const struct perf_file *f = w->file;
    const uint64_t left = f->data_end - w->at;
    struct perf_event_header h;
    if (!f->open_end || left >= RECORD_MOST)
        return false;
    const uint8_t *p = left >= HEAD ? see_bytes(w, w->at, HEAD) : NULL;
    if (p)
        memcpy(&h, p, sizeof h);
    return !p || h.size < HEAD || h.size > left;
}

int perf_file_walk(struct perf_file *f, perf_file_sink sink, void *ctx)
{
    struct walk w = {.file = f, .sink = sink, .ctx = ctx, .at = f->data_at};
    int rc = 0;
    w.window = xcalloc(1, WINDOW);
    w.record = xcalloc(1, RECORD_MOST);
    while (rc == 0 && w.at < f->data_end) {
        if (is_part_of_record(&w)) {
            f->cut = true;
            break;
        }
        rc = walk_record(&w);
    }
    f->described |= rc == 0;
    ZSTD_freeDStream(w.zstd);
    free(w.window);
    free(w.record);
    free(w.unpacked);
    return rc;
}
