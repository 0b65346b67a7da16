#include "backends/unwind/unwind_impl.h"
#include "support/test.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two functions of this program whose addresses the linker knows. */
__attribute__((noinline)) static int first(int n)
{
    volatile int room[10] = {n};
    return room[n % 10] + 1;
}

__attribute__((noinline)) static int second(int n)
{
    volatile int room[20] = {n};
    for (int i = 0; i < n; i++)
        room[i % 20] += first(i);
    return room[n % 20];
}

static int take_base(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(uint64_t *)out = info->dlpi_addr;
    return 1; /* the first entry is the program */
}

TEST(functions_are_found_where_they_begin)
{
    int (*const functions[])(int) = {first, second};
    uint64_t base = 0, start, size;
    struct eh_index *x = eh_index_open("/proc/self/exe");
    assert_non_null(x);
    assert_true(eh_index_bytes(x) > 0);
    dl_iterate_phdr(take_base, &base);
    for (int i = 0; i < 2; i++) {
        uint64_t at = (uint64_t)(uintptr_t)functions[i] - base;
        assert_true(eh_index_find(x, at, &start, &size));
        assert_int_equal(start, at);
        assert_true(size > 4 && size < 4096);
        assert_true(eh_index_find(x, at + size - 1, &start, &size));
        assert_int_equal(start, at);
        if (eh_index_find(x, at + size, &start, &size)) /* finds the next function, or nothing */
            assert_true(start > at);
    }
    assert_false(eh_index_find(x, 0, &start, &size));
    assert_false(eh_index_find(x, UINT64_MAX, &start, &size));
    eh_index_free(x);
}

TEST(other_files_have_no_index)
{
    assert_null(eh_index_open("/nonexistent"));
    assert_null(eh_index_open("/dev/null"));
    assert_null(eh_index_open("/"));
    assert_null(eh_index_open("Makefile"));
    eh_index_free(NULL);
    assert_int_equal(eh_index_bytes(NULL), 0);
}

/* This program's index, cut off and changed: it is refused or read, and every function that is
 * found contains the address. */
TEST(damaged_files_do_no_harm)
{
    char path[] = "/tmp/rooftop-eh-XXXXXX";
    int fd = mkstemp(path);
    FILE *self = fopen("/proc/self/exe", "re");
    assert_true(fd >= 0 && self);
    enum { MOST = 8 << 20 };
    uint8_t *bytes = malloc(MOST);
    assert_non_null(bytes);
    size_t n = fread(bytes, 1, MOST, self);
    fclose(self);
    uint64_t x = 9;
    for (int round = 0; round < 60; round++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        size_t keep = round % 3 == 0 ? (size_t)(x >> 20) % n : n;
        uint8_t saved[64];
        size_t at[64];
        for (int i = 0; i < 64; i++) { /* most in the headers, some anywhere */
            x = x * 6364136223846793005u + 1442695040888963407u;
            at[i] = (size_t)(x >> 20) % (i % 2 ? n : 2048);
            saved[i] = bytes[at[i]];
            if (i < round)
                bytes[at[i]] ^= (uint8_t)(x >> 50);
        }
        bytes[0] = 0x7f;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, bytes, keep, 0), (ssize_t)keep);
        struct eh_index *index = eh_index_open(path);
        uint64_t start, size;
        for (uint64_t a = 0; index && a < n; a += 997)
            if (eh_index_find(index, a, &start, &size))
                assert_true(a >= start && a - start < size);
        eh_index_free(index);
        for (int i = 63; i >= 0; i--)
            bytes[at[i]] = saved[i];
    }
    free(bytes);
    close(fd);
    unlink(path);
}
