/*
 * What every test program begins with: cmocka, and TEST, which defines a test and lists it. A
 * program runs its tests in the order of its file:
 *
 *     TEST(an_empty_list_has_no_first)
 *     {
 *         assert_null(list_first(NULL));
 *     }
 *     TEST_MAIN(NULL, NULL)
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The tests of this program. */
enum { TEST_LIST_MAX = 128 };
static struct CMUnitTest test_list[TEST_LIST_MAX];
static size_t test_list_count;

static inline void test_list_add(const char *name, CMUnitTestFunction run, CMFixtureFunction begin,
                                 CMFixtureFunction end)
{
    if (test_list_count == TEST_LIST_MAX)
        __builtin_trap(); /* make TEST_LIST_MAX larger */
    test_list[test_list_count++] = (struct CMUnitTest){name, run, begin, end, NULL};
}

/* begin and end are called around the test, or are NULL. Its parameter is cmocka's `void **state`.
 */
#define TEST_WITH(test, begin, end)                                                                \
    static void test(void **state);                                                                \
    __attribute__((constructor)) static void test##_is_listed(void)                                \
    {                                                                                              \
        test_list_add(#test, test, begin, end);                                                    \
    }                                                                                              \
    static void test(__attribute__((unused)) void **state)
#define TEST(test) TEST_WITH(test, NULL, NULL)

/* Begins the definition of a function that is called before or after a test and does not use its
 * state. */
#define FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* Runs all of them between begin and end, which may be NULL. Returns 0, or 1 where one failed. */
static inline int tests_run(CMFixtureFunction begin, CMFixtureFunction end)
{
    return _cmocka_run_group_tests("tests", test_list, test_list_count, begin, end) != 0;
}
#define TEST_MAIN(begin, end)                                                                      \
    int main(void)                                                                                 \
    {                                                                                              \
        return tests_run(begin, end);                                                              \
    }
