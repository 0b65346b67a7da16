/* Lists of CPUs: as Linux writes them (Documentation/admin-guide/cputopology.rst), and as nobody
 * should. */
#include "base/cpu_list.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "support/test.h"

static bool set[CPU_LIST_MOST];

static void expect(const char *list, int n)
{
    if (cpu_list_parse(list, set) != n)
        fail_msg("'%s': %d", list, cpu_list_parse(list, set));
}

TEST(lists_are_read)
{
    expect("0-3,8\n", 5);
    assert_true(set[0] && set[3] && set[8]);
    assert_false(set[4] || set[7] || set[9]);
    expect("4095", 1);
    assert_false(set[0]); /* of the list before */
    assert_true(set[4095]);
    expect("2-4,3", 3);
    expect("", 0);
    expect("\n", 0);
}

TEST(what_is_no_list_is_refused)
{
    static const char *const rows[] = {
        "a",      "-1", "0-",   "0-,1", "3-1",  "0,",   ",0",     "0,,1", "0 1",
        "0-3,8x", "+1", "0\n1", "4096", "0--1", "0- 1", "0-4096", " 1",   "99999999999999999999"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(rows[i], -EINVAL);
}

/* The kernel writes the same CPUs as a list and as a mask. */
TEST(this_process_may_use_what_the_kernel_says)
{
    char line[4096], list[4096] = "";
    cpu_set_t mask;
    FILE *f = fopen("/proc/self/status", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        sscanf(line, "Cpus_allowed_list: %4095s", list);
    fclose(f);
    assert_int_equal(sched_getaffinity(0, sizeof mask, &mask), 0);
    expect(list, CPU_COUNT(&mask));
    for (int c = 0; c < CPU_SETSIZE; c++)
        assert_int_equal(set[c], CPU_ISSET(c, &mask) != 0);
}

TEST_MAIN(NULL, NULL)
