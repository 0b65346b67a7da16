/* Checksums of a capture as docs/CAPTURE.md defines them; compared with a single call of the
 * xxHash library. */
#include <stdlib.h>

#include <xxhash.h>

#include "format/capture.h"
#include "format/sum.h"
#include "support/test.h"

enum { SUMS = 3000 };

TEST(sums_of_blocks_are_summed_big_endian)
{
    static uint64_t sums[SUMS];
    static unsigned char bytes[8 * SUMS];
    for (size_t i = 0; i < SUMS; i++) {
        sums[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        for (int k = 0; k < 8; k++)
            bytes[8 * i + (size_t)k] = (unsigned char)(sums[i] >> (56 - 8 * k));
    }
    for (size_t n = 0; n <= SUMS; n += n < 300 ? 1 : 97)
        if (sum_blocks(sums, n) != XXH3_64bits(bytes, 8 * n))
            fail_msg("of %zu blocks", n);
}

TEST(contents_are_summed_block_by_block)
{
    static const size_t sizes[] = {
        0, 1, 4096, CAPTURE_BLOCK - 1, CAPTURE_BLOCK, CAPTURE_BLOCK + 1, 2 * CAPTURE_BLOCK + 5};
    unsigned char *p = malloc(2 * CAPTURE_BLOCK + 5);
    assert_non_null(p);
    for (size_t i = 0; i < 2 * CAPTURE_BLOCK + 5; i++)
        p[i] = (unsigned char)(i * 131 >> 3);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t sums[3];
        size_t n = 0;
        for (size_t at = 0; at < sizes[k]; at += CAPTURE_BLOCK)
            sums[n++] =
                XXH3_64bits(p + at, sizes[k] - at < CAPTURE_BLOCK ? sizes[k] - at : CAPTURE_BLOCK);
        if (sum_bytes(p, sizes[k]) != sum_blocks(sums, n))
            fail_msg("of %zu bytes", sizes[k]);
    }
    free(p);
}

TEST(a_block_may_come_in_parts)
{
    unsigned char p[1000];
    for (size_t i = 0; i < sizeof p; i++)
        p[i] = (unsigned char)(i * 7);
    for (size_t cut = 0; cut <= sizeof p; cut += 37) {
        struct sum_parts s = {.state = {0}};
        sum_start(&s);
        sum_add(&s, p, cut);
        sum_add(&s, p + cut, sizeof p - cut);
        assert_true(sum_end(&s) == XXH3_64bits(p, sizeof p));
    }
    assert_true(sum_block(p, sizeof p) == XXH3_64bits(p, sizeof p));
    char text[SUM_TEXT];
    assert_string_equal(sum_text(UINT64_C(0x00ab0c), text), "000000000000ab0c");
}
