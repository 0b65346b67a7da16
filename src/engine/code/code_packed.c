#include "engine/code/code_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <md5.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/code/code_object.h"

static const char magic[] = "CCOB";
enum {
    MAGIC = sizeof magic - 1,
    COMMON = MAGIC + 4,
    HASH = 8,
    VERSIONS = 3,
    METHOD_ZLIB = 0,
    METHOD_ZSTD = 1,
};

/* Offsets and widths of the sizes in each version; the hash follows them. */
static const struct packed_layout {
    uint8_t width, file_at, unpacked_at; /* file_at 0: this version has no file size */
} layouts[VERSIONS] = {{4, 0, COMMON}, {4, COMMON, COMMON + 4}, {8, COMMON, COMMON + 8}};

struct packed_head {
    unsigned version, method;
    uint64_t unpacked;
    const uint8_t *hash, *data;
    size_t size; /* bytes of data */
};

static uint64_t read_packed_number(const uint8_t *p, unsigned width)
{
    uint64_t v = 0;
    for (unsigned i = width; i > 0; i--)
        v = v << 8 | p[i - 1];
    return v;
}

static int refuse_damaged_pack(const char *name, size_t at, const char *why, struct error *err)
{
    return error_set(err, ERROR_INPUT, EINVAL, NULL, name, "byte %zu: %s", at, why);
}

bool code_packed_is(const void *bytes, size_t n)
{
    return n >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

static int read_packed_sizes(struct packed_head *h, const uint8_t *p, size_t n, const char *name,
                             struct error *err)
{
    const struct packed_layout *l = &layouts[h->version - 1];
    const size_t head = (size_t)l->unpacked_at + l->width + HASH;
    if (n < head)
        return refuse_damaged_pack(name, n, "a compressed bundle that ends inside its header", err);
    const uint64_t file = l->file_at ? read_packed_number(p + l->file_at, l->width) : n;
    h->unpacked = read_packed_number(p + l->unpacked_at, l->width);
    if (file < head || file > n)
        return error_set(err, ERROR_INPUT, EINVAL, NULL, name,
                         "byte %u: a compressed bundle of %" PRIu64 " bytes, in a file of %zu",
                         l->file_at, file, n);
    if (h->unpacked > CODE_OBJECT_BYTES_MAX)
        return error_set(err, ERROR_INPUT, EFBIG, NULL, name,
                         "byte %u: a compressed bundle of %" PRIu64
                         " bytes unpacked: the limit is 1 GiB",
                         l->unpacked_at, h->unpacked);
    h->hash = p + head - HASH;
    h->data = p + head;
    h->size = (size_t)file - head;
    return 0;
}

static int read_packed_head(struct packed_head *h, const uint8_t *p, size_t n, const char *name,
                            struct error *err)
{
    if (n < COMMON)
        return refuse_damaged_pack(name, n, "a compressed bundle that ends inside its header", err);
    h->version = (unsigned)read_packed_number(p + MAGIC, 2);
    h->method = (unsigned)read_packed_number(p + MAGIC + 2, 2);
    if (h->version < 1 || h->version > VERSIONS)
        return error_set(err, ERROR_INPUT, EINVAL,
                         "unpack it with clang-offload-bundler --unbundle", name,
                         "byte %d: a compressed bundle of version %u; known are 1 to %d", MAGIC,
                         h->version, VERSIONS);
    if (h->method != METHOD_ZLIB && h->method != METHOD_ZSTD)
        return error_set(err, ERROR_INPUT, EINVAL,
                         "unpack it with clang-offload-bundler --unbundle", name,
                         "byte %d: a bundle compressed by method %u; known are zlib (0) and "
                         "zstd (1)",
                         MAGIC + 2, h->method);
    return read_packed_sizes(h, p, n, name, err);
}

/* Unpacks exactly the expected number of bytes. Returns NULL, or what is wrong. */
static const char *unpack_exactly(const struct packed_head *h, uint8_t *to)
{
    if (h->method == METHOD_ZLIB) {
        uLongf got = (uLongf)h->unpacked, taken = (uLongf)h->size;
        const int rc = uncompress2(to, &got, h->data, &taken);
        if (rc == Z_BUF_ERROR && got == h->unpacked)
            return "it unpacks to more than its header tells";
        if (rc != Z_OK)
            return "not what zlib packs, or cut";
        return got != h->unpacked ? "it unpacks to less than its header tells" : NULL;
    }
    /* Version 1 has no file size, and the file may be padded: unpack only the first frame. */
    const size_t frame = ZSTD_findFrameCompressedSize(h->data, h->size);
    if (ZSTD_isError(frame))
        return ZSTD_getErrorName(frame);
    const size_t got = ZSTD_decompress(to, (size_t)h->unpacked, h->data, frame);
    if (ZSTD_isError(got))
        return ZSTD_getErrorName(got);
    return got != h->unpacked ? "it unpacks to less than its header tells" : NULL;
}

int code_packed_unpack(const void *bytes, size_t n, const char *name, uint8_t **out, size_t *size,
                       struct error *err)
{
    struct packed_head h = {.hash = bytes};
    uint8_t digest[MD5_DIGEST_LENGTH];
    MD5_CTX sum;
    int rc = read_packed_head(&h, bytes, n, name, err);
    *out = NULL;
    *size = 0;
    if (rc != 0)
        return rc;
    uint8_t *to = malloc(h.unpacked ? (size_t)h.unpacked : 1);
    if (!to)
        return error_set(err, ERROR_INPUT, ENOMEM, NULL, name,
                         "no memory for the %" PRIu64 " bytes that it unpacks to", h.unpacked);
    const char *why = unpack_exactly(&h, to);
    if (!why) {
        MD5Init(&sum);
        MD5Update(&sum, to, (size_t)h.unpacked);
        MD5Final(digest, &sum);
        if (memcmp(digest, h.hash, HASH) != 0)
            why = "what it unpacks to has another MD5 than its header tells";
    }
    if (why) {
        free(to);
        return error_set(err, ERROR_INPUT, EINVAL, NULL, name, "a compressed bundle, damaged: %s",
                         why);
    }
    *out = to;
    *size = (size_t)h.unpacked;
    return 0;
}
