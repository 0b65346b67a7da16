/* The digests that RFC 1321 lists, and every length around a block's end against a digest of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/md5.h"

static const char *text_of(const void *bytes, size_t n)
{
    static char text[33];
    uint8_t digest[16];
    md5(bytes, n, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

static void listed(void **state)
{
    static const char *const rows[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(text_of(rows[i][0], strlen(rows[i][0])), rows[i][1]);
}

/* The digest of the digests of 0 to 199 zeroes; from Python's hashlib. */
static void lengths(void **state)
{
    static const uint8_t zeroes[200];
    uint8_t all[200][16];
    (void)state;
    for (size_t n = 0; n < 200; n++)
        md5(zeroes, n, all[n]);
    assert_string_equal(text_of(all, sizeof all), "e8d55e69ebf9c141ff77bd7b9174d8b0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(listed), cmocka_unit_test(lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
