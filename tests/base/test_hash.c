/* base/hash.h: the properties that tables and keys rely on. */

#include "base/hash.h"
#include "support/test.h"

TEST(a_text_is_its_bytes)
{
    assert_true(hash_text(7, "gemm") == hash_bytes(7, "gemm_f32", 4));
    assert_true(hash_text(7, "gemm") != hash_text(7, "gemm_f32"));
    assert_true(hash_text(7, "gemm") != hash_text(8, "gemm"));
    /* XXH3 of no bytes according to xxHash's specification: keys are the same on every machine */
    assert_true(hash_text(0, "") == hash_number(0, UINT64_C(0x2d06800538d394c2)));
}

TEST(order_and_borders_count)
{
    assert_true(hash_text(hash_text(0, "ab"), "c") != hash_text(hash_text(0, "a"), "bc"));
    assert_true(hash_text(hash_text(0, "a"), "b") != hash_text(hash_text(0, "b"), "a"));
    assert_true(hash_text(hash_text(0, "a"), "") != hash_text(0, "a"));
    assert_true(hash_number(1, 2) != hash_number(2, 1));
}

/* Pairs of small numbers, such as processes and threads, are spread over a table that uses the low
 * bits: no slot gets many. */
TEST(pairs_of_small_numbers_spread)
{
    enum { SIDE = 64, PLACES = 2 * SIDE * SIDE, MOST = 16 };
    static unsigned at[PLACES];
    for (uint64_t a = 0; a < SIDE; a++)
        for (uint64_t b = 0; b < SIDE; b++)
            if (++at[hash_number(hash_number(0, a), b) % PLACES] > MOST)
                fail_msg("more than %d pairs in one place of %d", MOST, PLACES);
}
