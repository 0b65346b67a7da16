/* base/hash_table.h, and base/strings.h, which is made of it. */
#include <stdio.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/strings.h"
#include "support/test.h"

enum { MANY = 20000 };

/* The number of the element that is `wanted` among those of this hash; MANY: none. */
static uint32_t look_up(const struct hash_table *t, uint64_t hash, uint32_t wanted)
{
    HASH_EACH (t, hash, i)
        if (i == wanted)
            return i;
    return MANY;
}

static void check(uint64_t (*hash_of)(uint32_t i))
{
    struct hash_table t = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(look_up(&t, hash_of(i), i), MANY);
        hash_table_add(&t, hash_of(i), i);
    }
    assert_int_equal(t.n, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(look_up(&t, hash_of(i), i), i);
    hash_table_free(&t);
    assert_int_equal(look_up(&t, hash_of(0), 0), MANY);
}

static uint64_t mixed(uint32_t i)
{
    return hash_number(0, i);
}

/* Four of each: the low half of the hash is all that is compared. */
static uint64_t alike(uint32_t i)
{
    return hash_number(0, i / 4) & UINT32_MAX;
}

/* All want the last slots of a small table: the search goes on at its start. */
static uint64_t at_the_end(uint32_t i)
{
    return UINT32_MAX - i % 3;
}

TEST(finds_all)
{
    check(mixed);
    check(alike);
}

TEST(goes_on_at_the_start)
{
    struct hash_table t = {0};
    for (uint32_t i = 0; i < 24; i++)
        hash_table_add(&t, at_the_end(i), i);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(look_up(&t, at_the_end(i), i), i);
    assert_int_equal(look_up(&t, 0, 0), MANY); /* its slot is taken by one of another hash */
    hash_table_free(&t);
}

/* Only elements of that hash come up, in the order in which they were added. */
TEST(equal_hashes_in_order)
{
    struct hash_table t = {0};
    uint32_t next = 0;
    for (uint32_t i = 0; i < 100; i++)
        hash_table_add(&t, i % 2 ? 64 + i : 7, i);
    HASH_EACH (&t, 7, i) {
        assert_int_equal(i, next);
        next += 2;
    }
    assert_int_equal(next, 100);
    hash_table_free(&t);
}

TEST(cleared_it_is_empty)
{
    struct hash_table t = {0};
    hash_table_add(&t, 5, 0);
    size_t bytes = hash_table_memory(&t);
    assert_true(bytes > 0);
    hash_table_clear(&t);
    assert_int_equal(look_up(&t, 5, 0), MANY);
    assert_int_equal(hash_table_memory(&t), bytes);
    hash_table_add(&t, 5, 1);
    assert_int_equal(look_up(&t, 5, 1), 1);
    hash_table_free(&t);
    assert_int_equal(hash_table_memory(&t), 0);
}

TEST(a_text_is_stored_once)
{
    struct strings s = {0};
    const char *first[MANY / 10];
    char text[32];
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "name %u", i % (MANY / 10));
        const char *stored = strings_add(&s, text);
        assert_string_equal(stored, text);
        if (i < MANY / 10)
            first[i] = stored;
        assert_ptr_equal(stored, first[i % (MANY / 10)]);
    }
    assert_int_equal(s.n, MANY / 10);
    const char *cut = strings_add_n(&s, "name 12", 6);
    assert_string_equal(cut, "name 1");
    assert_ptr_equal(cut, first[1]);
    strings_free(&s);
}
