/* MessagePack: every form of the specification, and every way to be cut off. */
#include <stdlib.h>
#include <string.h>

#include "gpu/msgpack.h"
#include "support/test.h"

static const struct {
    const char *bytes;
    size_t n;
    enum msgpack_type type;
    int64_t i;
    double f;
    const char *text;
    uint32_t count;
} rows[] = {
    {"\xc0", 1, MSGPACK_NIL, 0, 0, NULL, 0},
    {"\xc2", 1, MSGPACK_BOOL, 0, 0, NULL, 0},
    {"\xc3", 1, MSGPACK_BOOL, 1, 0, NULL, 0},
    {"\x7f", 1, MSGPACK_UNSIGNED, 127, 0, NULL, 0},
    {"\xcc\xff", 2, MSGPACK_UNSIGNED, 255, 0, NULL, 0},
    {"\xcd\x01\x02", 3, MSGPACK_UNSIGNED, 258, 0, NULL, 0},
    {"\xce\xff\xff\xff\xfe", 5, MSGPACK_UNSIGNED, 0xfffffffe, 0, NULL, 0},
    {"\xcf\x01\0\0\0\0\0\0\x02", 9, MSGPACK_UNSIGNED, 0x100000000000002, 0, NULL, 0},
    {"\xe0", 1, MSGPACK_SIGNED, -32, 0, NULL, 0},
    {"\xff", 1, MSGPACK_SIGNED, -1, 0, NULL, 0},
    {"\xd0\x80", 2, MSGPACK_SIGNED, -128, 0, NULL, 0},
    {"\xd0\x07", 2, MSGPACK_UNSIGNED, 7, 0, NULL, 0},
    {"\xd1\xff\xfe", 3, MSGPACK_SIGNED, -2, 0, NULL, 0},
    {"\xd2\x80\0\0\0", 5, MSGPACK_SIGNED, -2147483648, 0, NULL, 0},
    {"\xd3\xff\xff\xff\xff\xff\xff\xff\xfd", 9, MSGPACK_SIGNED, -3, 0, NULL, 0},
    {"\xca\x3f\xc0\0\0", 5, MSGPACK_FLOAT, 0, 1.5, NULL, 0},
    {"\xcb\xbf\xf8\0\0\0\0\0\0", 9, MSGPACK_FLOAT, 0, -1.5, NULL, 0},
    {"\xa0", 1, MSGPACK_STRING, 0, 0, "", 0},
    {"\xa2hi", 3, MSGPACK_STRING, 0, 0, "hi", 2},
    {"\xd9\x03yes", 5, MSGPACK_STRING, 0, 0, "yes", 3},
    {"\xda\0\x01x", 4, MSGPACK_STRING, 0, 0, "x", 1},
    {"\xdb\0\0\0\x01y", 6, MSGPACK_STRING, 0, 0, "y", 1},
    {"\xc4\x01z", 3, MSGPACK_BINARY, 0, 0, "z", 1},
    {"\xc5\0\x01z", 4, MSGPACK_BINARY, 0, 0, "z", 1},
    {"\xc6\0\0\0\x01z", 6, MSGPACK_BINARY, 0, 0, "z", 1},
    {"\xc7\x01tz", 4, MSGPACK_BINARY, 0, 0, "tz", 2},
    {"\xc8\0\x01tz", 5, MSGPACK_BINARY, 0, 0, "tz", 2},
    {"\xc9\0\0\0\x01tz", 7, MSGPACK_BINARY, 0, 0, "tz", 2},
    {"\xd4tz", 3, MSGPACK_BINARY, 0, 0, "tz", 2},
    {"\xd5tzz", 4, MSGPACK_BINARY, 0, 0, "tzz", 3},
    {"\xd6tzzzz", 6, MSGPACK_BINARY, 0, 0, "tzzzz", 5},
    {"\xd7tzzzzzzzz", 10, MSGPACK_BINARY, 0, 0, "tzzzzzzzz", 9},
    {"\xd8tzzzzzzzzzzzzzzzz", 18, MSGPACK_BINARY, 0, 0, "tzzzzzzzzzzzzzzzz", 17},
    {"\x90", 1, MSGPACK_ARRAY, 0, 0, NULL, 0},
    {"\x92\x01\x02", 3, MSGPACK_ARRAY, 0, 0, NULL, 2},
    {"\xdc\0\x01\x02", 4, MSGPACK_ARRAY, 0, 0, NULL, 1},
    {"\xdd\0\0\0\x01\x02", 6, MSGPACK_ARRAY, 0, 0, NULL, 1},
    {"\x81\x01\x02", 3, MSGPACK_MAP, 0, 0, NULL, 1},
    {"\xde\0\x01\x01\x02", 5, MSGPACK_MAP, 0, 0, NULL, 1},
    {"\xdf\0\0\0\x01\x01\x02", 7, MSGPACK_MAP, 0, 0, NULL, 1},
};

TEST(every_form)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct msgpack r;
        struct msgpack_value v;
        for (size_t n = 0; n < rows[i].n;
             n++) { /* cut off: it is refused, and nothing is read beyond the end */
            uint8_t *cut = malloc(n ? n : 1);
            memcpy(cut, rows[i].bytes, n);
            msgpack_open(&r, cut, n);
            assert_false(msgpack_next(&r, &v) && msgpack_skip(&r, &v));
            assert_true(n == 0 || r.bad);
            free(cut);
        }
        msgpack_open(&r, rows[i].bytes, rows[i].n);
        assert_true(msgpack_next(&r, &v));
        assert_int_equal(v.type, rows[i].type);
        assert_true(msgpack_skip(&r, &v));
        assert_int_equal(msgpack_at(&r), rows[i].n);
        assert_false(msgpack_next(&r, &v));
        assert_null(r.bad);
        msgpack_open(&r, rows[i].bytes, rows[i].n);
        msgpack_next(&r, &v);
        if (v.type == MSGPACK_UNSIGNED)
            assert_int_equal(v.u, rows[i].i);
        else if (v.type == MSGPACK_SIGNED)
            assert_int_equal(v.i, rows[i].i);
        assert_true(v.type != MSGPACK_BOOL || v.boolean == (rows[i].i != 0));
        assert_true(v.type != MSGPACK_FLOAT || v.f == rows[i].f);
        assert_int_equal(v.n, rows[i].count);
        if (rows[i].text)
            assert_memory_equal(v.text, rows[i].text, v.n);
    }
}

TEST(bytes_that_are_no_value)
{
    struct msgpack r;
    struct msgpack_value v;
    msgpack_open(&r, "\x01\xc1", 2);
    assert_true(msgpack_next(&r, &v));
    assert_false(msgpack_next(&r, &v));
    assert_string_equal(r.bad, "a byte that begins no value");
    assert_int_equal(msgpack_at(&r), 1);
    assert_false(msgpack_next(&r, &v)); /* it stays at the end */
}

/* A few bytes that announce 4 billion elements, pairs or bytes. */
TEST(absurd_counts)
{
    static const char *const rows[] = {"\xdd\xff\xff\xff\xff\x01", "\xdf\xff\xff\xff\xff\x01",
                                       "\xdb\xff\xff\xff\xff\x01", "\xc6\xff\xff\xff\xff\x01",
                                       "\xc9\xff\xff\xff\xff\x01"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct msgpack r;
        struct msgpack_value v;
        msgpack_open(&r, rows[i], 6);
        assert_false(msgpack_next(&r, &v));
        assert_non_null(r.bad);
    }
}

/* A million nested arrays need no stack. */
TEST(any_depth_of_nesting)
{
    enum { DEEP = 1000000 };
    struct msgpack r;
    struct msgpack_value v;
    uint8_t *bytes = malloc(DEEP);
    assert_non_null(bytes);
    memset(bytes, 0x91, DEEP);
    bytes[DEEP - 1] = 0x01;
    msgpack_open(&r, bytes, DEEP);
    assert_true(msgpack_next(&r, &v) && msgpack_skip(&r, &v));
    assert_int_equal(msgpack_at(&r), DEEP);
    bytes[DEEP - 1] = 0x91;
    msgpack_open(&r, bytes, DEEP);
    assert_true(msgpack_next(&r, &v));
    assert_false(msgpack_skip(&r, &v));
    free(bytes);
}

TEST(errors_say_what_was_expected)
{
    struct msgpack r;
    struct msgpack_value v;
    msgpack_open(&r, "\xa1x\x05", 3);
    assert_true(msgpack_expect(&r, MSGPACK_STRING, &v));
    assert_true(msgpack_is(&v, "x"));
    assert_false(msgpack_is(&v, "xy"));
    assert_false(msgpack_expect(&r, MSGPACK_MAP, &v));
    assert_string_equal(r.bad, "a map was expected");
    assert_int_equal(msgpack_at(&r), 2);
    msgpack_open(&r, "", 0);
    assert_false(msgpack_expect(&r, MSGPACK_MAP, &v));
    assert_string_equal(r.bad, "the end comes where a value should be");
}
