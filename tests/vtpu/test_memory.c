/* Coordinates, Morton order, the translation cache: against arithmetic bit by bit. */
#include <stdlib.h>
#include <string.h>

#include "vtpu/vtpu_impl.h"
#include "vtpu/memory.h"
#include "support/test.h"

static unsigned seed = 3;

static unsigned next(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
}

static struct coord any_coord(unsigned below)
{
    struct coord c = {{0}, 0, 0};
    for (int k = 0; k < COORD_DIMS; k++)
        c.dim[k] = (uint16_t)next(below);
    return c;
}

TEST(packing_keeps_every_bit)
{
    for (int i = 0; i < 20000; i++) {
        struct coord c = any_coord(COORD_MAX + 1);
        c.flags = (uint8_t)next(128);
        struct coord_bits b = coord_pack(&c);
        for (int bit = 0; bit < 128; bit++) {
            unsigned is = (unsigned)((bit < 64 ? b.low >> bit : b.high >> (bit - 64)) & 1);
            unsigned want =
                bit < 121 ? c.dim[bit / 11] >> bit % 11 & 1 : c.flags >> (bit - 121) & 1;
            assert_int_equal(is, want);
        }
    }
}

TEST(morton_interleaves_bits)
{
    for (unsigned x = 0; x < 128; x++)
        for (unsigned y = 0; y < 128; y += 3)
            for (unsigned z = 0; z < 128; z += 5) {
                uint32_t want = 0;
                for (int k = 0; k < 7; k++)
                    want |= (x >> k & 1) << 3 * k | (y >> k & 1) << (3 * k + 1) |
                            (z >> k & 1) << (3 * k + 2);
                assert_int_equal(morton3(x, y, z), want);
            }
}

/* Two coordinates name one cell exactly where they agree modulo 128 (dimensions 0 to 2) and 256
 * (the others). */
TEST(cells_alias_as_documented)
{
    struct vtpu_memory *m = vtpu_memory_new();
    for (int i = 0; i < 3000; i++) {
        struct coord a = any_coord(COORD_MAX + 1), b = a;
        int k = (int)next(COORD_DIMS);
        b.dim[k] = (uint16_t)next(COORD_MAX + 1);
        bool same = (a.dim[k] - b.dim[k]) % (k < 3 ? 128 : 256) == 0;
        assert_int_equal(vtpu_memory_cell(m, &a) == vtpu_memory_cell(m, &b), same);
        assert_int_equal(vtpu_memory_address(m, &a) == vtpu_memory_address(m, &b), same);
        a.dim[k] = (uint16_t)(b.dim[k] ^ (k < 3 ? 128 : 256));
        assert_ptr_equal(vtpu_memory_cell(m, &a), vtpu_memory_cell(m, &b));
    }
    assert_false(vtpu_memory_stats(m).full);
    vtpu_memory_free(m);
}

TEST(a_region_has_16_mib_in_the_order_of_first_use)
{
    struct vtpu_memory *m = vtpu_memory_new();
    struct coord c = {{1, 0, 0, 9}, 0, 0};
    assert_true(vtpu_memory_address(m, &c) == 8);
    c.dim[3] = 4;
    assert_true(vtpu_memory_address(m, &c) == (1 << 24) + 8);
    c.dim[3] = 9;
    assert_true(vtpu_memory_address(m, &c) == 8);
    assert_int_equal(vtpu_memory_stats(m).regions, 2);
    vtpu_memory_free(m);
}

TEST(the_cache_hits_what_was_there_and_never_lies)
{
    enum { N = 6000 };
    static struct coord coords[N];
    static uint64_t *cells[N];
    struct vtpu_memory *m = vtpu_memory_new();
    for (int i = 0; i < N; i++) {
        coords[i] = any_coord(8);
        cells[i] = vtpu_memory_cell(m, &coords[i]);
    }
    struct vtpu_memory_stats before = vtpu_memory_stats(m);
    assert_int_equal(before.hits + before.misses, N);
    for (int i = 0; i < N; i++)
        assert_ptr_equal(vtpu_memory_cell(m, &coords[i]), cells[i]);
    vtpu_memory_cell(m, &coords[N - 1]);
    assert_true(vtpu_memory_stats(m).hits > before.hits);
    vtpu_memory_free(m);
    m = vtpu_memory_new();
    for (int i = 0; i < 100; i++)
        vtpu_memory_cell(m, &coords[0]);
    assert_int_equal(vtpu_memory_stats(m).hits, 99);
    vtpu_memory_free(m);
}

TEST(memory_that_is_full_says_so)
{
    struct vtpu_memory *m = vtpu_memory_new();
    uint64_t *last = NULL;
    for (unsigned i = 0; i < (1 << 15) + 2; i++) {
        struct coord c = {{0, 0, 0, (uint16_t)(i & 255), (uint16_t)(i >> 8)}, 0, 0};
        assert_int_equal(vtpu_memory_stats(m).full, i > 1 << 15);
        uint64_t *cell = vtpu_memory_cell(m, &c);
        assert_true((cell == last) == (i == (1 << 15) + 1));
        if (cell)
            *cell = i;
        last = cell;
    }
    assert_true(vtpu_memory_stats(m).full);
    vtpu_memory_free(m);
}
