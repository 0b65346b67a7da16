/* Damaged and hostile captures are refused with the file and the place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>

#include "engine/capture/capture.h"
#include "format/capture.h"
#include "support/made_capture.h"
#include "support/test.h"

#define HOST   "memory/region_7f0002000000.bin"
#define DEVICE "memory/region_7f0000000000.bin"
#define PACKED "memory/region_7f0000100000.bin.zst"
#define DEEP   "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"

static struct made_capture made;

/* Opens the capture, and if that works checks all contents: one of the two must fail. */
static void refused(const char *why)
{
    struct capture *c = NULL;
    struct error err = ERROR_INIT;
    int rc = capture_open(&c, made.dir, &err);
    if (rc == 0)
        rc = capture_verify(c, NULL, NULL, &err);
    capture_free(c);
    if (rc == 0)
        fail_msg("it was accepted; expected: %s", why);
    if (!strstr(err.why, why))
        fail_msg("'%s' is not '%s'", err.why, why);
    assert_int_equal(err.kind, ERROR_INPUT);
}

struct change {
    const char *file, *from, *to, *why;
};

static void each(const struct change *changes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        made_capture_make(&made);
        made_capture_change(&made, changes[i].file, changes[i].from, changes[i].to);
        refused(changes[i].why);
        made_capture_remove(&made);
    }
}
#define EACH(changes) each(changes, sizeof(changes) / sizeof *(changes))

TEST(the_launch_is_checked)
{
    static const struct change changes[] = {
        {CAPTURE_DISPATCH, "\"version\": 1", "\"version\": 2",
         "dispatch.json: version: 2 is of a later rooftop; this rooftop reads 1"},
        {CAPTURE_DISPATCH, "\"version\": 1", "\"version\": 0", "dispatch.json: version: 0 is not"},
        {CAPTURE_DISPATCH, "\"version\": 1", "\"v\": 1", "dispatch.json: version: is missing"},
        {CAPTURE_DISPATCH, "rooftop capture", "a song", "format: not a capture of rooftop"},
        {CAPTURE_DISPATCH, "\"mangled_name\"", "\"name\"", "mangled_name: is missing"},
        {CAPTURE_DISPATCH, "\"_Z5scalePfS_fj\"", "\"\"", "mangled_name: is empty"},
        {CAPTURE_DISPATCH, "\"_Z5scalePfS_fj\"", "7", "mangled_name: not a string"},
        {CAPTURE_DISPATCH, "[16384, 1, 1]", "[16384, 1]", "grid: not a list of three numbers"},
        {CAPTURE_DISPATCH, "[16384, 1, 1]", "[16384, 0, 1]", "grid[1]: not a whole number from 1"},
        {CAPTURE_DISPATCH, "[16384, 1, 1]", "[4294967296, 1, 1]", "grid[0]: not a whole number"},
        {CAPTURE_DISPATCH, "[16384, 1, 1]", "[1.5, 1, 1]", "grid[0]: not a whole number"},
        {CAPTURE_DISPATCH, "[256, 1, 1]", "[65536, 1, 1]", "block[0]: not a whole number from 1"},
        {CAPTURE_DISPATCH, "\"block\"", "\"blocks\"", "block: is missing"},
        {CAPTURE_DISPATCH, "\"kernarg_size\": 48", "\"kernarg_size\": 47",
         "kernarg.bin: it has 48 bytes, not 47"},
        {CAPTURE_DISPATCH, "\"kernarg_size\": 48", "\"kernarg_size\": -1",
         "kernarg_size: not a whole number from 0 to 16777216"},
        {CAPTURE_DISPATCH, "\"kernarg_size\": 48", "\"kernarg_size\": 1e300",
         "kernarg_size: not a whole number from 0 to 16777216"},
        {CAPTURE_DISPATCH, "\"header\": 5378", "\"header\": 65536", "header: above 65535"},
        {CAPTURE_DISPATCH, "1024, \"priv", "4294967296, \"priv", "group_segment_size: not a whole"},
        {CAPTURE_DISPATCH, "[\"./scale\"", "[3", "command: a word of it is not a string"},
        {CAPTURE_DISPATCH, "true", "\"yes\"", "drained: neither true nor false"},
        {CAPTURE_DISPATCH, "{\"base\"", "{\"bass\"", "code_object.base: is missing"},
        {CAPTURE_DISPATCH, "\"wavefront_size\": 64,", "\"wavefront_size\": 64",
         "dispatch.json: line 7:24: not JSON"},
        {CAPTURE_DISPATCH, "\"setup\": 1,", "\"setup\": 1, \"x\": " DEEP ",",
         "dispatch.json: line 12:51: nested too deeply"},
        {CAPTURE_DISPATCH, "\"}\n}", "\"},\n}", "not JSON"},
        {CAPTURE_DISPATCH, "\"}\n}", "\"}\n", "the JSON ends too early"},
        {CAPTURE_DISPATCH, "\"}\n}", "\"}\n} {", "more after the end of the JSON"},
        {CAPTURE_DISPATCH, "\"size\": 4, ", "\"size\": 5, ", "variables/0.bin: it has 4 bytes"},
        {CAPTURE_DISPATCH, "variables/1.bin", "variables/../../x", "leads out of the capture"},
        {CAPTURE_DISPATCH, "\"name\": \"factor\"", "\"size\": 4", "variables[0].name: is missing"},
    };
    EACH(changes);
}

TEST(regions_are_checked)
{
    static const struct change changes[] = {
        {CAPTURE_REGIONS, "\"regions\"", "\"areas\"", "memory_regions.json: regions: is missing"},
        {CAPTURE_REGIONS, "\"regions\": [", "\"regions\": 4, \"x\": [", "regions: not a list"},
        {CAPTURE_REGIONS, "4194304", "4096", "block_size: not 4194304"},
        {CAPTURE_REGIONS, "\"size\": 65536", "\"size\": 0", "regions[0].size: is 0"},
        {CAPTURE_REGIONS, "\"size\": 65536", "\"size\": 1.5", "regions[0].size: not a whole"},
        {CAPTURE_REGIONS, "\"size\": 65536", "\"size\": 9007199254740993",
         "regions[0].size: not a whole number from 0 to 140737488355328"},
        {CAPTURE_REGIONS, "\"size\": 65536", "\"size\": 140737488355328",
         "regions[0].stored: not the region's size"},
        {CAPTURE_REGIONS, "139637976727552", "9007199254740991", "ends beyond all addresses"},
        {CAPTURE_REGIONS, "\"size\": 4198400", "\"size\": 140737488355327",
         "more memory than there are addresses"},
        {CAPTURE_REGIONS, "\"size\": 4198400", "\"size\": 140737488000000",
         "regions[1].stored: too small for the region's size"},
        {CAPTURE_REGIONS, "139637977776128", "139637976793087",
         "regions[1].base: 0x7f000000ffff overlaps the region at 0x7f0000000000"},
        {CAPTURE_REGIONS, "139637977776128", "139637976727552", "regions[1].base: 0x7f0000000000"},
        {CAPTURE_REGIONS, "139637977776128", "4096",
         "regions[1].base: 0x1000 comes after 0x7f0000000000"},
        {CAPTURE_REGIONS, "\"segment\": \"host\"", "\"segment\": \"moon\"",
         "regions[4].segment: 'moon' is not known"},
        {CAPTURE_REGIONS, "\"encoding\": \"zstd\"", "\"encoding\": \"lz4\"",
         "regions[1].encoding: 'lz4' is not known"},
        {CAPTURE_REGIONS, "\"after\": \"same\"", "\"after\": \"gone\"",
         "regions[1].after: neither"},
        {CAPTURE_REGIONS, "\"after\": {\"file\"", "\"after\": {\"fill\"",
         "regions[0].after.file: is missing"},
        {CAPTURE_REGIONS, "\"checksum\": \"", "\"checksum\": \"z", "regions[0].checksum: not 16"},
        {CAPTURE_REGIONS, "\"is_vmem\": false", "\"is_vmem\": 0", "regions[0].is_vmem: neither"},
        {CAPTURE_REGIONS, "\"reserved_size\": 16777216", "\"reserved_size\": 4096",
         "regions[2].reserved_base: the region is not in its reservation"},
        {CAPTURE_REGIONS, "\"error\": ", "\"fehler\": ", "regions[3].file: is missing"},
        {CAPTURE_REGIONS, HOST, "../outside.bin", "../outside.bin: it leads out of the capture"},
        {CAPTURE_REGIONS, HOST, "/etc/hostname", "/etc/hostname: it leads out of the capture"},
        {CAPTURE_REGIONS, HOST, "memory/../../x", "it leads out of the capture"},
        {CAPTURE_REGIONS, HOST, "memory", "memory: not a regular file"},
        {CAPTURE_REGIONS, HOST, "memory/none", "memory/none: No such file or directory"},
    };
    EACH(changes);
}

TEST(unfinished_captures_are_recognised)
{
    static const char *const order[] = {CAPTURE_COMPLETE, CAPTURE_REGIONS, CAPTURE_DISPATCH};
    made_capture_make(&made);
    for (size_t i = 0; i < 3; i++) {
        made_capture_write(&made, order[i], NULL, 0);
        refused("not finished: the program ended while it was captured, or the disk was full");
    }
    made_capture_remove(&made);
}

TEST(documents_are_what_was_sealed)
{
    size_t n;
    made_capture_make(&made);
    char *text = made_capture_read(&made, CAPTURE_REGIONS, &n);
    made_capture_write(&made, CAPTURE_REGIONS, text, n - 1);
    refused("memory_regions.json: its checksum is not the one in capture_complete");
    made_capture_write(&made, CAPTURE_REGIONS, text, n);
    free(text);
    made_capture_write(&made, CAPTURE_COMPLETE, "ok\n", 3);
    refused("capture_complete: line 1: not \"rooftop capture 1\"");
    made_capture_remove(&made);
}

/* capture_complete must have the lines of both documents and nothing more. */
TEST(capture_complete_has_nothing_else)
{
    size_t n;
    char more[512];
    made_capture_make(&made);
    char *text = made_capture_read(&made, CAPTURE_COMPLETE, &n);
    snprintf(more, sizeof more, "%sok\n", text);
    made_capture_write(&made, CAPTURE_COMPLETE, more, strlen(more));
    refused("capture_complete: 91 bytes, not 88: it has more than it should");
    made_capture_write(&made, CAPTURE_COMPLETE, text, n + 1); /* followed by a NUL */
    refused("capture_complete: 89 bytes, not 88: it has more than it should");
    made_capture_write(&made, CAPTURE_COMPLETE, text, n - 1);
    refused("memory_regions.json: its checksum is not the one in capture_complete");
    free(text);
    made_capture_remove(&made);
}

/* A file without a checksum could be damaged unnoticed. */
TEST(checksums_must_be_there)
{
    static const struct {
        const char *from, *to, *why;
    } table[] = {
        {"\"checksums\"", "\"sums\"", "dispatch.json: checksums: is missing"},
        {"\"checksums\": {", "\"checksums\": [], \"x\": {",
         "dispatch.json: checksums: not an object"},
        {"{\"kernarg.bin\"", "{\"kernarg\"", "dispatch.json: checksums.kernarg.bin: is missing"},
        {"\"kernel.hsaco\": \"", "\"kernel.hsaco\": 7, \"x\": \"",
         "dispatch.json: checksums.kernel.hsaco: not a string"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        made_capture_make(&made);
        made_capture_change(&made, CAPTURE_DISPATCH, table[i].from, table[i].to);
        refused(table[i].why);
        made_capture_remove(&made);
    }
}

static void put(const char *file, const char *bytes, const char *why)
{
    size_t n;
    char *whole = made_capture_read(&made, file, &n);
    made_capture_write(&made, file, bytes, strlen(bytes));
    refused(why);
    made_capture_write(&made, file, whole, n);
    free(whole);
}

TEST(files_are_what_the_documents_say)
{
    size_t n;
    made_capture_make(&made);
    put(HOST, "abc", HOST ": it has 3 bytes, not 4096: it is cut off");
    put(PACKED, "abc", PACKED ": it has 3 bytes, not ");
    put(CAPTURE_KERNARG, "abc", "kernarg.bin: it has 3 bytes, not 48");
    put(CAPTURE_CODE, "abc", "kernel.hsaco: its checksum is ");
    char *host = made_capture_read(&made, HOST, &n);
    host[4000] ^= 1;
    made_capture_write(&made, HOST, host, n);
    refused(HOST ": its checksum is ");
    host[4000] ^= 1;
    made_capture_write(&made, HOST, host, n + 1); /* one byte too long */
    refused(HOST ": it has 4097 bytes, not 4096");
    made_capture_write(&made, HOST, host, n);
    free(host);
    made_capture_write(&made, "variables/1.bin", "12345678", 8);
    refused("variables/1.bin: its checksum is ");
    made_capture_remove(&made);
}

TEST(code_must_be_of_a_gpu)
{
    size_t n;
    made_capture_make(&made);
    char *elf = made_capture_read(&made, CAPTURE_CODE, &n);
    elf[18] = 62;
    made_capture_replace(&made, CAPTURE_CODE, elf, n);
    refused("kernel.hsaco: an ELF file of machine 62, not of an AMD GPU (224)");
    elf[0] = 'x';
    made_capture_replace(&made, CAPTURE_CODE, elf, n);
    refused("kernel.hsaco: not an ELF file of 64 bits");
    made_capture_replace(&made, CAPTURE_CODE, elf, 10);
    refused("kernel.hsaco: not an ELF file of 64 bits");
    free(elf);
    made_capture_remove(&made);
}

TEST(links_lead_nowhere)
{
    char path[128];
    made_capture_make(&made);
    snprintf(path, sizeof path, "%s/" HOST, made.dir);
    unlink(path);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    refused(HOST ": it leads out of the capture");
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(HOST ": not a regular file");
    made_capture_remove(&made);
}

/* Replaces a region's file by compressed bytes, and sets its size in the document. */
static void put_packed(const void *bytes, size_t n, const char *why)
{
    size_t before;
    char from[64], to[64];
    made_capture_make(&made);
    free(made_capture_read(&made, PACKED, &before));
    made_capture_write(&made, PACKED, bytes, n);
    snprintf(from, sizeof from, "\"encoding\": \"zstd\", \"stored\": %zu", before);
    snprintf(to, sizeof to, "\"encoding\": \"zstd\", \"stored\": %zu", n);
    made_capture_change(&made, CAPTURE_REGIONS, from, to);
    refused(why);
    made_capture_remove(&made);
}

TEST(frames_are_what_they_should_be)
{
    size_t n;
    made_capture_make(&made);
    char *good = made_capture_read(&made, PACKED, &n);
    made_capture_remove(&made);
    static const uint8_t skippable[9] = {0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'x'};
    char *bytes = calloc(1, n + 64);
    assert_non_null(bytes);
    memcpy(bytes, good, n);
    put_packed(bytes, n - 1, "it is cut off at byte ");
    put_packed(bytes, n - 40, "it is cut off at byte ");
    put_packed(bytes, n + 5, ": 5 bytes more than its contents");
    memcpy(bytes + n, skippable, sizeof skippable);
    put_packed(bytes, n + 9, ": 9 bytes more than its contents");
    put_packed(bytes + 1, n - 1, "no zstd frame at byte 0");
    bytes[4] |= 8;
    put_packed(bytes, n, "the zstd frame at byte 0 is of an unknown kind");
    bytes[4] = good[4];
    size_t first = ZSTD_findFrameCompressedSize(good, n);
    put_packed(bytes, first, "it ends after 1 of 2 blocks");
    memcpy(bytes, good + first, n - first);
    put_packed(bytes, n - first, "the zstd frame at byte 0 holds 4096 bytes, not 4194304");
    memcpy(bytes, good, n);
    for (size_t i = first / 2; i < first / 2 + 8; i++)
        bytes[i] ^= 0x55;
    put_packed(bytes, n, PACKED ": ");
    free(bytes);
    free(good);
}

/* The zstd command line tool makes a single frame of everything. */
TEST(frames_hold_one_block_each)
{
    size_t size = CAPTURE_BLOCK + 4096, cap = ZSTD_compressBound(size);
    uint8_t *plain = calloc(1, size), *packed = malloc(cap);
    assert_true(plain && packed);
    made_capture_bytes(MADE_ZSTD, false, plain, size);
    size_t n = ZSTD_compress(packed, cap, plain, size, 1);
    put_packed(packed, n, "holds 4198400 bytes, not 4194304");
    memset(plain, 0, size); /* valid frames with other bytes */
    n = ZSTD_compress(packed, cap, plain, CAPTURE_BLOCK, 1);
    n += ZSTD_compress(packed + n, cap - n, plain, 4096, 1);
    put_packed(packed, n, PACKED ": its checksum is ");
    free(plain);
    free(packed);
}
