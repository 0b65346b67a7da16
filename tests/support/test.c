#include "support/test.h"

enum { TEST_LIST_MAX = 128 };
static struct CMUnitTest test_list[TEST_LIST_MAX];
static size_t test_list_count;

void test_list_add(const char *name, CMUnitTestFunction run, CMFixtureFunction begin,
                   CMFixtureFunction end)
{
    if (test_list_count == TEST_LIST_MAX)
        __builtin_trap(); /* make TEST_LIST_MAX larger */
    test_list[test_list_count++] = (struct CMUnitTest){name, run, begin, end, NULL};
}

void test_list_clear(void)
{
    test_list_count = 0;
}

int tests_run(CMFixtureFunction begin, CMFixtureFunction end)
{
    return _cmocka_run_group_tests("tests", test_list, test_list_count, begin, end) != 0;
}

/* A program with a main() of its own does not get this one. */
__attribute__((weak)) int main(void)
{
    return tests_run(NULL, NULL);
}
