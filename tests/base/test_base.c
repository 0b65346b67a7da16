#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/error.h"
#include "support/test.h"

TEST(memory_is_zeroed_aligned_and_disjoint)
{
    struct arena a = {0};
    for (size_t i = 1; i < 3000; i += 7) {
        unsigned char *p = arena_alloc(&a, i);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(p[k], 0); /* would contain the neighbour's 0xaa if they overlapped */
        memset(p, 0xaa, i);
    }
    void *big = arena_alloc(&a, 1 << 20); /* larger than a block */
    memset(big, 1, 1 << 20);
    arena_reset(&a);
    assert_string_equal(arena_printf(&a, "%d %s", 12, "x"), "12 x");
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    assert_string_equal(arena_strdup(&a, ""), "");
    arena_free(&a);
    arena_free(&a);
}

TEST(an_error_reads_as_one_line)
{
    struct error err = ERROR_INIT;
    char line[1024];
    assert_int_equal(error_set(&err, ERROR_USAGE, 22, "try x", "open event 'y'", "no %s", "PMU"),
                     -22);
    assert_string_equal(error_format(&err, line, sizeof line), "open event 'y': no PMU; try x");
    assert_true(error_set(NULL, ERROR_USAGE, 0, NULL, "a", "b") < 0);
    error_set(&err, ERROR_USAGE, 0, NULL, "a", "b");
    assert_string_equal(error_format(&err, line, sizeof line), "a: b");
}

static uint64_t fixed(void *ctx)
{
    return *(uint64_t *)ctx;
}

TEST(the_clock_and_the_root_can_be_injected)
{
    uint64_t t = 42;
    char path[64];
    env_set_clock(fixed, &t);
    assert_int_equal(env_now_ns(), 42);
    assert_int_equal(env_wall_ns(), 42);
    env_set_clock(NULL, NULL);
    assert_true(env_now_ns() > 42);
    env_set_root("tests/data/x");
    assert_string_equal(env_path(path, sizeof path, "/proc/%d/stat", 7),
                        "tests/data/x/proc/7/stat");
    env_set_root(NULL);
    assert_string_equal(env_path(path, sizeof path, "/proc"), "/proc");
}

/* Memory in pages of its own starts as zeros, and only what is touched is resident. */
TEST(pages_take_what_is_touched)
{
    enum { PAGES = 64 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = page * PAGES;
    unsigned char *p = pages_alloc(bytes), resident[PAGES];
    size_t n = 0;
    p[5 * page] = 1;
    assert_int_equal(mincore(p, bytes, resident), 0);
    for (size_t i = 0; i < PAGES; i++)
        n += resident[i] & 1;
    assert_int_equal(n, 1);
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != (i == 5 * page))
            fail_msg("byte %zu is %d", i, p[i]);
    pages_free(p, bytes);
    pages_free(NULL, bytes);
}
