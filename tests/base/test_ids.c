/* The map from identifiers to numbers; compared with a plain list. */
#include <stdlib.h>

#include "base/ids.h"
#include "support/test.h"

enum { MANY = 20000 };

static void check(uint64_t (*key_of)(uint32_t i))
{
    struct ids ids = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(ids_get(&ids, key_of(i)), IDS_NONE);
        assert_true(ids_add(&ids, key_of(i), i));
        assert_false(ids_add(&ids, key_of(i), i + 1)); /* the first one is kept */
    }
    assert_int_equal(ids.n, MANY);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(ids_get(&ids, key_of(i)), i);
    assert_int_equal(ids_get(&ids, UINT64_MAX - 12346), IDS_NONE);
    ids_free(&ids);
    assert_int_equal(ids_get(&ids, key_of(0)), IDS_NONE);
}

/* ids_set gives what a plain array holds after the same writes. */
static void check_set(uint64_t (*key_of)(uint32_t i))
{
    struct ids ids = {0};
    static uint32_t plain[MANY];
    unsigned seed = 5;
    for (uint32_t i = 0; i < MANY; i++)
        plain[i] = IDS_NONE;
    for (uint32_t i = 0; i < 3 * MANY; i++) {
        const uint32_t at = (uint32_t)rand_r(&seed) % MANY;
        plain[at] = i;
        assert_true(ids_set(&ids, key_of(at), i));
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(ids_get(&ids, key_of(i)), plain[i]);
        n += plain[i] != IDS_NONE;
    }
    assert_int_equal(ids.n, n);
    ids_free(&ids);
}

static uint64_t dense(uint32_t i)
{
    return i;
}

static uint64_t backwards(uint32_t i)
{
    return MANY - i;
}

static uint64_t sparse(uint32_t i)
{
    return (uint64_t)i << 40 | 7;
}

static uint64_t from_the_end(uint32_t i)
{
    return UINT64_MAX - 3 * (uint64_t)i;
}

/* Dense, then far apart, then in between: a key is either in the array or in the hash table. */
static uint64_t mixed(uint32_t i)
{
    return i % 3 == 0 ? i : i % 3 == 1 ? (uint64_t)i * 1000003 : 5 * (uint64_t)MANY - i;
}

TEST(values_are_replaced)
{
    check_set(dense);
    check_set(sparse);
    check_set(mixed);
}

TEST(any_keys)
{
    check(dense);
    check(backwards);
    check(sparse);
    check(from_the_end);
    check(mixed);
}

TEST(numbers_as_they_come)
{
    struct ids ids = {0};
    bool is_new;
    assert_int_equal(ids_number(&ids, 900, &is_new), 0);
    assert_true(is_new);
    assert_int_equal(ids_number(&ids, UINT64_MAX, &is_new), 1);
    assert_true(is_new);
    assert_int_equal(ids_number(&ids, 900, &is_new), 0);
    assert_false(is_new);
    ids_free(&ids);
}

/* A single large key must not make the array that large. */
TEST(memory_has_a_bound)
{
    struct ids ids = {0};
    for (uint32_t i = 0; i < 100; i++)
        ids_add(&ids, (uint64_t)i * 1000000007, i);
    assert_true(ids.ndirect <= 2048);
    ids_free(&ids);
}
