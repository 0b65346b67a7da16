/* How much memory may be used, according to the machine and its cgroups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/memory.h"
#include "support/temp_folder.h"
#include "support/test.h"

static void put(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", temp_folder, name);
    for (char *p = path + strlen(temp_folder) + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int set_up(void **state)
{
    if (temp_folder_make(state) != 0)
        return -1;
    env_set_root(temp_folder);
    return 0;
}

static int tear_down(void **state)
{
    env_set_root(NULL);
    memory_set_limit(0);
    return temp_folder_remove(state);
}

TEST_WITH(nothing_said_is_no_limit, set_up, tear_down)
{
    assert_true(memory_free() == UINT64_MAX);
    assert_true(memory_limit() == UINT64_MAX);
}

TEST_WITH(what_is_available_counts, set_up, tear_down)
{
    put("/proc/meminfo", "MemTotal:  9000 kB\nMemFree:   10 kB\nMemAvailable:   4000 kB\n");
    assert_int_equal(memory_free(), 4000 * 1024);
    assert_int_equal(memory_limit(), 3000 * 1024);
    memory_set_limit(77);
    assert_int_equal(memory_limit(), 77);
}

TEST_WITH(the_tightest_cgroup_counts, set_up, tear_down)
{
    put("/proc/meminfo", "MemAvailable:   1000000 kB\n");
    put("/proc/self/cgroup", "12:cpu:/x\n0::/a/b\n");
    put("/sys/fs/cgroup/a/b/memory.max", "max\n");
    put("/sys/fs/cgroup/a/b/memory.current", "5000\n");
    assert_int_equal(memory_free(), 1000000 * 1024);
    put("/sys/fs/cgroup/a/memory.max", "900000\n");
    put("/sys/fs/cgroup/a/memory.current", "500000\n");
    assert_int_equal(memory_free(), 400000);
    /* the kernel can drop it */
    put("/sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 100000\n");
    assert_int_equal(memory_free(), 500000);
    put("/sys/fs/cgroup/a/b/memory.max", "4000\n"); /* more is used than allowed */
    assert_int_equal(memory_free(), 0);
}
