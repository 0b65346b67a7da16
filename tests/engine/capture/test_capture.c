/* Reads a valid capture: block by block, with checksums, in lists. Captures of other projects are
 * read with what they have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/capture/capture.h"
#include "format/capture.h"
#include "format/sum.h"
#include "support/made_capture.h"
#include "support/test.h"

static struct made_capture made;

FIXTURE(make)
{
    made_capture_make(&made);
}

FIXTURE(take_away)
{
    made_capture_remove(&made);
}

static struct capture *opened(const char *path)
{
    struct error err = ERROR_INIT;
    struct capture *c = NULL;
    if (capture_open(&c, path, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    return c;
}

TEST(the_launch_is_read)
{
    struct capture *c = opened(made.dir);
    assert_int_equal(c->origin, CAPTURE_ROOFTOP);
    assert_string_equal(c->path, made.dir);
    assert_string_equal(c->mangled_name, "_Z5scalePfS_fj");
    assert_string_equal(c->demangled_name, "scale(float*, float*, float, unsigned int)");
    assert_string_equal(c->isa_name, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-");
    assert_string_equal(c->product_name, "AMD Instinct MI300X");
    assert_string_equal(c->command, "./scale --n 'it'\\''s 4'");
    assert_string_equal(c->time, "2026-11-20T08:15:00Z");
    assert_int_equal(c->grid[0], 16384);
    assert_int_equal(c->block[0], 256);
    assert_int_equal(c->block[2], 1);
    assert_int_equal(c->wavefront_size, 64);
    assert_int_equal(c->group_segment_size, 1024);
    assert_int_equal(c->private_segment_size, 16);
    assert_int_equal(c->header, 5378);
    assert_int_equal(c->dispatch_index, 3);
    assert_int_equal(c->gpu_ns, 5120);
    assert_int_equal(c->pause_ns, 81000000);
    assert_int_equal(c->code_base, 139637976715264);
    assert_true(c->drained);
    assert_true(c->has_after);
    assert_int_equal(c->kernarg_address, MADE_KERNARG);
    assert_int_equal(c->kernarg_size, MADE_KERNARG_SIZE);
    for (int i = 0; i < MADE_KERNARG_SIZE; i++)
        assert_int_equal(c->kernarg[i], i + 1);
    assert_int_equal(c->code_bytes, 64);
    assert_memory_equal(c->code,
                        "\x7f"
                        "ELF",
                        4);
    assert_int_equal(c->nvariables, 2);
    assert_string_equal(c->variables[1].name, "offsets");
    assert_int_equal(c->variables[1].size, 8);
    capture_free(c);
}

TEST(regions_are_read_and_found_by_address)
{
    struct capture *c = opened(made.dir);
    assert_int_equal(c->nregions, MADE_REGIONS);
    assert_int_equal(c->bytes, 65536 + CAPTURE_BLOCK + 4096 + MADE_MAX + 3 * 4096);
    const struct capture_region *r = capture_region_at(c, MADE_ZSTD + CAPTURE_BLOCK + 4095);
    assert_ptr_equal(r, &c->regions[1]);
    assert_null(capture_region_at(c, MADE_ZSTD + CAPTURE_BLOCK + 4096));
    assert_null(capture_region_at(c, MADE_ZSTD - 1));
    assert_null(capture_region_at(c, UINT64_MAX));
    assert_ptr_equal(capture_region_at(c, MADE_DEVICE), &c->regions[0]);
    assert_int_equal(r->before.encoding, CAPTURE_ZSTD);
    assert_true(r->after_same);
    assert_string_equal(c->regions[0].after.file, "after/region_7f0000000000.bin");
    assert_true(c->regions[2].vmem);
    assert_int_equal(c->regions[2].reserved_size, 16 << 20);
    assert_null(c->regions[3].before.file);
    assert_string_equal(c->regions[3].error, "the runtime did not copy it: \"no\"");
    assert_int_equal(c->regions[4].segment, CAPTURE_HOST);
    assert_int_equal(c->regions[5].segment, CAPTURE_KERNARG_POOL);
    assert_true(c->regions[5].contains_kernarg);
    assert_int_equal(c->nnotes, 1);
    assert_non_null(strstr(c->notes[0], "0x7f0001200000"));
    capture_free(c);
}

/* Compares every block of a region with its original content; returns how many are known to be
 * zero. */
static size_t compare(const struct capture *c, const struct capture_region *r, bool after)
{
    struct capture_contents *o;
    struct error err = ERROR_INIT;
    size_t zeros = 0;
    uint64_t sums[8] = {0};
    uint8_t *expected = malloc(r->size), *got = malloc(CAPTURE_BLOCK);
    assert_true(expected && got);
    made_capture_bytes(r->base, after, expected, r->size);
    assert_int_equal(capture_contents_open(&o, c, after ? &r->after : &r->before, r->size, &err),
                     0);
    size_t n = capture_contents_blocks(o);
    assert_int_equal(n, (r->size + CAPTURE_BLOCK - 1) / CAPTURE_BLOCK);
    for (size_t i = 0; i < n; i++) {
        bool zero;
        size_t size = r->size - i * CAPTURE_BLOCK;
        size = size < CAPTURE_BLOCK ? size : CAPTURE_BLOCK;
        memset(got, 0, CAPTURE_BLOCK);
        assert_int_equal(capture_contents_block(o, i, got, &zero, &sums[i], &err), 0);
        assert_memory_equal(got, expected + i * CAPTURE_BLOCK, size);
        assert_int_equal(sums[i], sum_block(got, size));
        zeros += zero;
    }
    assert_int_equal(capture_contents_check(o, sums, &err), 0);
    sums[0]++;
    assert_int_not_equal(capture_contents_check(o, sums, &err), 0);
    capture_contents_close(o);
    free(expected);
    free(got);
    return zeros;
}

TEST(contents_are_what_was_there)
{
    struct capture *c = opened(made.dir);
    assert_int_equal(compare(c, &c->regions[0], false), 0);
    assert_int_equal(compare(c, &c->regions[0], true), 0);
    assert_int_equal(compare(c, &c->regions[1], false), 0);
    /* the hole at the region's begin, and its last block */
    assert_int_equal(compare(c, &c->regions[2], false), 2);
    assert_int_equal(compare(c, &c->regions[4], false), 0);
    capture_free(c);
}

TEST(a_hole_needs_no_room)
{
    struct capture *c = opened(made.dir);
    struct capture_contents *o;
    struct error err = ERROR_INIT;
    bool zero = false;
    uint64_t sum = 0;
    const struct capture_region *r = &c->regions[2];
    assert_int_equal(capture_contents_open(&o, c, &r->before, r->size, &err), 0);
    assert_int_equal(capture_contents_block(o, 0, NULL, &zero, &sum, &err), 0);
    assert_true(zero);
    uint8_t *zeros = calloc(1, CAPTURE_BLOCK);
    assert_int_equal(sum, sum_block(zeros, CAPTURE_BLOCK));
    free(zeros);
    assert_int_equal(capture_contents_block(o, 1, NULL, &zero, NULL, &err), 0);
    assert_false(zero);
    capture_contents_close(o);
    assert_int_not_equal(
        capture_contents_open(&o, c, &c->regions[3].before, c->regions[3].size, &err), 0);
    assert_null(o);
    capture_free(c);
}

static void add_bytes(void *ctx, uint64_t bytes)
{
    assert_true(bytes > *(uint64_t *)ctx);
    *(uint64_t *)ctx = bytes;
}

TEST(everything_is_checked)
{
    struct capture *c = opened(made.dir);
    struct error err = ERROR_INIT;
    uint64_t bytes = 0;
    if (capture_verify(c, add_bytes, &bytes, &err) != 0)
        fail_msg("%s", err.why);
    /* everything except the lost region, memory after the first region, and the variables */
    assert_int_equal(bytes, c->bytes - 4096 + 65536 + 12);
    assert_int_equal(capture_verify(c, NULL, NULL, &err), 0);
    capture_free(c);
}

TEST(a_folder_of_one_capture_will_do)
{
    char outer[] = "/tmp/rooftop-captures-XXXXXX", path[128];
    struct error err = ERROR_INIT;
    struct capture *c;
    assert_non_null(mkdtemp(outer));
    assert_true(capture_open(&c, outer, &err) < 0);
    assert_non_null(strstr(err.why, "not a capture"));
    assert_int_equal(err.kind, ERROR_INPUT);
    snprintf(path, sizeof path, "%s/one", outer);
    assert_int_equal(symlink(made.dir, path), 0);
    c = opened(outer);
    assert_string_equal(c->path, path);
    capture_free(c);
    snprintf(path, sizeof path, "%s/two", outer);
    assert_int_equal(symlink(made.dir, path), 0);
    assert_true(capture_open(&c, outer, &err) < 0);
    assert_non_null(strstr(err.why, "it holds 2 captures"));
    unlink(path);
    snprintf(path, sizeof path, "%s/one", outer);
    unlink(path);
    rmdir(outer);
    assert_true(capture_open(&c, outer, &err) < 0);
    assert_int_equal(err.kind, ERROR_INPUT);
}

TEST(lists_have_the_newest_first_and_the_damaged_too)
{
    struct made_capture later, broken;
    char outer[] = "/tmp/rooftop-captures-XXXXXX", deep[128], a[160], b[160], d[160];
    struct capture_list l;
    struct error err = ERROR_INIT;
    made_capture_make(&later);
    made_capture_make(&broken);
    made_capture_change(&later, CAPTURE_DISPATCH, "2026-11-20T", "2026-11-21T");
    made_capture_change(&broken, CAPTURE_DISPATCH, "\"grid\": [16384,", "\"grid\": [0,");
    assert_non_null(mkdtemp(outer));
    snprintf(deep, sizeof deep, "%s/deep", outer);
    mkdir(deep, 0755);
    snprintf(a, sizeof a, "%s/a", outer);
    snprintf(b, sizeof b, "%s/b", deep);
    snprintf(d, sizeof d, "%s/d", outer);
    assert_int_equal(rename(later.dir, b) | rename(broken.dir, d) | symlink(made.dir, a), 0);
    const char *folders[] = {outer, "/no/such/folder", made.dir, outer};
    assert_int_equal(capture_list_read(&l, folders, 4, &err), 0);
    assert_int_equal(l.n, 4);                /* one of them under two paths */
    assert_string_equal(l.items[0].path, d); /* it has no time, so that of its folder counts: now */
    assert_null(l.items[0].head);
    assert_non_null(strstr(l.items[0].why, "dispatch.json: grid[0]: "));
    assert_string_equal(l.items[1].path, b);
    assert_string_equal(l.items[1].head->time, "2026-11-21T08:15:00Z");
    assert_int_equal(l.items[1].head->nregions, MADE_REGIONS);
    assert_null(l.items[1].why);
    assert_null(l.items[1].head->kernarg);
    capture_list_free(&l);
    unlink(a);
    assert_int_equal(rename(b, later.dir) | rename(d, broken.dir), 0);
    rmdir(deep);
    rmdir(outer);
    made_capture_remove(&later);
    made_capture_remove(&broken);
}

TEST_MAIN(make, take_away)
