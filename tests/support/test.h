/*
 * What every test program begins with: cmocka, and TEST, which defines a test and lists it. The
 * program runs its tests in the order of its file; it needs no main():
 *
 *     TEST(an_empty_list_has_no_first)
 *     {
 *         assert_null(list_first(NULL));
 *     }
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Lists a test of this program. begin and end as for TEST_WITH. */
void test_list_add(const char *name, CMUnitTestFunction run, CMFixtureFunction begin,
                   CMFixtureFunction end);

/* For a program that lists other tests than its own. */
void test_list_clear(void);

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

/* Begins the definition of a function that is called before or after a test. It succeeds unless a
 * check in it fails. */
#define FIXTURE(name)                                                                              \
    static void name##_does(void);                                                                 \
    static int name(__attribute__((unused)) void **state)                                          \
    {                                                                                              \
        name##_does();                                                                             \
        return 0;                                                                                  \
    }                                                                                              \
    static void name##_does(void)
/* The same for one that returns 0 or, if it fails, another number. */
#define FIXTURE_STATUS(name) static int name(__attribute__((unused)) void **state)

/* Runs all tests of the program between begin and end, which may be NULL. Returns 0, or 1 where
 * one failed. */
int tests_run(CMFixtureFunction begin, CMFixtureFunction end);
/* For a program whose tests run between two functions. */
#define TEST_MAIN(begin, end)                                                                      \
    int main(void)                                                                                 \
    {                                                                                              \
        return tests_run(begin, end);                                                              \
    }
