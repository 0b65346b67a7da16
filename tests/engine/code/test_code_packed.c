/* Compressed offload bundles as clang's tools write them, in each version and method, and damaged
 * ones. */
#include <md5.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/code/code_object.h"
#include "engine/code/code_impl.h"
#include "support/code_made.h"
#include "support/test.h"

enum { ZLIB, ZSTD };

/* Headers in LLVM's layout; a size of UINT64_MAX stands for the true one. */
struct packing {
    unsigned version, method;
    uint64_t file, unpacked;
};

static uint8_t *put(uint8_t *at, uint64_t v, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        *at++ = (uint8_t)(v >> 8 * i);
    return at;
}

static uint8_t *packed(struct packing p, const void *bytes, size_t n, size_t *size)
{
    const unsigned width = p.version == 3 ? 8 : 4;
    const size_t head = p.version == 1 ? 20 : p.version == 3 ? 32 : 24;
    MD5_CTX sum;
    uint8_t digest[16], *out = calloc(1, head + n + 4096), *at = out;
    uLongf room = n + 4096;
    assert_non_null(out);
    MD5Init(&sum);
    MD5Update(&sum, bytes, n);
    MD5Final(digest, &sum);
    if (p.method == ZLIB)
        assert_int_equal(compress2(out + head, &room, bytes, n, 6), Z_OK);
    else
        room = ZSTD_compress(out + head, room, bytes, n, 3);
    *size = head + room;
    memcpy(at, "CCOB", 4);
    at = put(put(at + 4, p.version, 2), p.method, 2);
    if (p.version > 1)
        at = put(at, p.file == UINT64_MAX ? *size : p.file, width);
    at = put(at, p.unpacked == UINT64_MAX ? n : p.unpacked, width);
    memcpy(at, digest, 8);
    return out;
}

/* A bundle with an empty part for the host and code for gfx942; the caller frees it. */
static uint8_t *plain(size_t *n)
{
    size_t code;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &code);
    const struct code_part parts[] = {{"host-x86_64-unknown-linux--", NULL, 0},
                                      {"hipv4-amdgcn-amd-amdhsa--gfx942", elf, code}};
    uint8_t *out = code_bundle(parts, 2, n);
    free(elf);
    return out;
}

static const char *refused(const void *bytes, size_t n, struct error *err)
{
    struct code_object *c;
    /* of exactly this size, so that a sanitizer notices reads beyond its end */
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, bytes, n);
    assert_true(code_object_read(&c, copy, n, "f", NULL, err) < 0);
    assert_null(c);
    assert_int_equal(err->kind, ERROR_INPUT);
    assert_string_equal(err->what, "f");
    free(copy);
    return err->why;
}

static const char *refused_as(struct packing p, struct error *err)
{
    size_t n, size;
    uint8_t *bundle = plain(&n), *file = packed(p, bundle, n, &size);
    const char *why = refused(file, size, err);
    free(bundle);
    free(file);
    return why;
}

TEST(as_clang_wrote_them)
{
    static const char *const files[] = {"two.v2.ccob", "two.v3.ccob"};
    size_t n;
    uint8_t *elf = code_file("reduce.gfx942.v5.hsaco", &n);
    for (size_t i = 0; i < 2; i++) {
        struct error err = ERROR_INIT;
        struct code_object *c;
        assert_int_equal(code_object_open(&c, code_path(files[i]), "gfx942", &err), 0);
        assert_int_equal(c->elf_size, n);
        assert_memory_equal(c->elf, elf, n);
        assert_non_null(code_object_kernel(c, "reduce_sum"));
        code_object_free(c);
        assert_int_equal(code_object_open(&c, code_path(files[i]), "gfx90a:sramecc+:xnack-", &err),
                         0);
        assert_non_null(code_object_kernel(c, "saxpy"));
        code_object_free(c);
        assert_true(code_object_open(&c, code_path(files[i]), NULL, &err) < 0);
        assert_non_null(strstr(err.why, "a bundle of code for 2 targets"));
    }
    free(elf);
}

TEST(every_version_and_method)
{
    size_t n, size;
    uint8_t *bundle = plain(&n);
    for (unsigned version = 1; version <= 3; version++)
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            const struct packing p = {version, method, UINT64_MAX, UINT64_MAX};
            struct error err = ERROR_INIT;
            struct code_object *c;
            uint8_t *file = packed(p, bundle, n, &size), *out;
            size_t got;
            /* a section that contains a bundle may be padded */
            assert_int_equal(code_packed_unpack(file, size + 1000, "f", &out, &got, &err), 0);
            assert_int_equal(got, n);
            assert_memory_equal(out, bundle, n);
            free(out);
            assert_int_equal(code_object_read(&c, file, size, "f", NULL, &err), 0);
            assert_non_null(code_object_kernel(c, "reduce_sum"));
            code_object_free(c);
            free(file);
        }
    free(bundle);
}

TEST(unknown_versions_and_methods)
{
    struct error err = ERROR_INIT;
    assert_non_null(strstr(refused("CCOB\4\0\1\0", 8, &err), "version 4; known are 1 to 3"));
    assert_non_null(strstr(err.help, "clang-offload-bundler"));
    assert_non_null(strstr(refused("CCOB\0\0\1\0", 8, &err), "version 0"));
    assert_non_null(strstr(refused("CCOB\3\0\2\0", 8, &err), "method 2"));
}

TEST(sizes_that_do_not_hold)
{
    struct error err = ERROR_INIT;
    size_t n;
    uint8_t *bundle = plain(&n);
    free(bundle);
    for (unsigned version = 1; version <= 3; version++)
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            struct packing p = {version, method, UINT64_MAX, n - 1};
            assert_non_null(strstr(refused_as(p, &err), "a compressed bundle, damaged: "));
            p.unpacked = n + 1;
            assert_string_equal(refused_as(p, &err),
                                "a compressed bundle, damaged: it unpacks to less than its header "
                                "tells");
            p.unpacked = 0;
            assert_non_null(strstr(refused_as(p, &err), "damaged: "));
            p.unpacked = (1U << 30) + 1U;
            assert_non_null(strstr(refused_as(p, &err), "the limit is 1 GiB"));
            p.unpacked = version == 3 ? UINT64_MAX - 1 : UINT32_MAX;
            assert_non_null(strstr(refused_as(p, &err), "the limit is 1 GiB"));
            p = (struct packing){version, method, 12, UINT64_MAX};
            if (version > 1)
                assert_non_null(strstr(refused_as(p, &err), "a compressed bundle of 12 bytes"));
            p.file = version == 3 ? UINT64_MAX - 1 : UINT32_MAX;
            if (version > 1)
                assert_non_null(strstr(refused_as(p, &err), " bytes, in a file of "));
        }
}

/* A few bytes that unpack to a megabyte although the header says less: no more than that is
 * written. */
TEST(a_bomb)
{
    enum { LARGE = 1 << 20 };
    uint8_t *zeroes = calloc(1, LARGE);
    struct error err = ERROR_INIT;
    size_t size;
    for (unsigned method = ZLIB; method <= ZSTD; method++) {
        const struct packing p = {2, method, UINT64_MAX, 100};
        uint8_t *file = packed(p, zeroes, LARGE, &size);
        assert_non_null(strstr(refused(file, size, &err), "damaged: "));
        free(file);
    }
    free(zeroes);
}

TEST(damage)
{
    struct error err = ERROR_INIT;
    size_t n;
    uint8_t *file = code_file("two.v3.ccob", &n);
    for (size_t cut = 0; cut < n; cut += cut < 64 ? 1 : 97)
        refused(file, cut, &err);
    file[24] ^= 1;
    assert_string_equal(refused(file, n, &err), "a compressed bundle, damaged: what it unpacks to "
                                                "has another MD5 than its header tells");
    file[24] ^= 1;
    for (size_t at = 32; at < n; at += 53) {
        file[at] ^= 0x10;
        assert_non_null(strstr(refused(file, n, &err), "damaged: "));
        file[at] ^= 0x10;
    }
    free(file);
}

/* The unpacked data is not a bundle, or is compressed again. */
TEST(unpacked_data_that_is_no_bundle)
{
    const struct packing p = {3, ZSTD, UINT64_MAX, UINT64_MAX};
    struct error err = ERROR_INIT;
    size_t size, twice;
    uint8_t *file = packed(p, "no bundle", 9, &size);
    assert_string_equal(refused(file, size, &err), "byte 0: not an ELF file");
    uint8_t *outer = packed(p, file, size, &twice);
    assert_string_equal(refused(outer, twice, &err), "byte 0: not an ELF file");
    free(file);
    file = packed(p, "", 0, &size);
    assert_string_equal(refused(file, size, &err), "byte 0: not an ELF file");
    free(file);
    free(outer);
}
