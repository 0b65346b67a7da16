/* Data that a thread reads ahead is the file's, in whatever order it is requested. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/common/read_ahead.h"
#include "support/test.h"

enum { CHUNKS = 200, REST = 1000 /* bytes of the last chunk */ };

static int fd;
static const uint64_t size = (uint64_t)CHUNKS * READ_AHEAD_CHUNK + REST;

/* Each eight bytes of the file are their own offset. */
static int make_file(void **state)
{
    char path[] = "/tmp/rooftop-ahead-XXXXXX";
    uint64_t *chunk = calloc(1, READ_AHEAD_CHUNK);
    (void)state;
    fd = mkstemp(path);
    unlink(path);
    for (uint64_t at = 0; at < size; at += READ_AHEAD_CHUNK) {
        size_t n = size - at < READ_AHEAD_CHUNK ? (size_t)(size - at) : READ_AHEAD_CHUNK;
        for (uint64_t i = 0; i < READ_AHEAD_CHUNK / 8; i++)
            chunk[i] = at + 8 * i;
        assert_int_equal(write(fd, chunk, n), n);
    }
    free(chunk);
    return 0;
}

static int close_file(void **state)
{
    (void)state;
    return close(fd);
}

static void check(struct read_ahead *a, uint64_t number)
{
    const unsigned char *chunk = read_ahead_get(a, number);
    size_t n = number < CHUNKS ? READ_AHEAD_CHUNK : REST;
    assert_non_null(chunk);
    for (uint64_t i = 0; i < n / 8; i++) {
        uint64_t told;
        memcpy(&told, chunk + 8 * i, 8);
        assert_int_equal(told, number * READ_AHEAD_CHUNK + 8 * i);
    }
}

TEST_WITH(from_front_to_back, make_file, close_file)
{
    struct read_ahead *a = read_ahead_new(fd, size);
    for (uint64_t i = 0; i <= CHUNKS; i++) {
        check(a, i);
        check(a, i); /* once more: it is still there */
    }
    assert_null(read_ahead_get(a, CHUNKS + 1));
    read_ahead_free(a);
}

/* Skips parts, starts again from the front, jumps far away and back. */
TEST_WITH(with_jumps, make_file, close_file)
{
    static const uint64_t steps[] = {1, 3, 1, 2, 7, 1, 1, 40, 1, 1, 1};
    struct read_ahead *a = read_ahead_new(fd, size);
    for (int pass = 0; pass < 3; pass++)
        for (uint64_t at = 0, i = 0; at <= CHUNKS; at += steps[i++ % 11]) {
            check(a, at);
            if (i % 5 == 0) {
                check(a, (at * 7919) % CHUNKS);
                check(a, at);
            }
        }
    read_ahead_free(a);
}

TEST_WITH(as_chance_has_it, make_file, close_file)
{
    uint32_t random = 1;
    struct read_ahead *a = read_ahead_new(fd, size);
    for (int i = 0; i < 3000; i++) {
        random = random * 1664525u + 1013904223u;
        uint64_t near = (uint64_t)i / 16, any = random >> 8;
        check(a, (random >> 4) % 4 ? (near + any % 6) % CHUNKS : any % CHUNKS);
    }
    read_ahead_free(a);
}

/* The file was truncated while it is read: the rest is missing, and reading does not wait for
 * it. */
TEST_WITH(a_file_that_gets_shorter, make_file, close_file)
{
    enum { LEFT = 100 };
    struct read_ahead *a = read_ahead_new(fd, size);
    for (uint64_t i = 0; i < 10; i++)
        check(a, i);
    assert_int_equal(ftruncate(fd, (off_t)LEFT * READ_AHEAD_CHUNK + 1), 0);
    for (uint64_t i = 10; i < LEFT; i++)
        check(a, i);
    assert_null(read_ahead_get(a, LEFT));
    assert_null(read_ahead_get(a, LEFT + 1));
    check(a, 5);
    read_ahead_free(a);
}

TEST_WITH(ended_while_it_reads, make_file, close_file)
{
    for (int i = 0; i < 50; i++) {
        struct read_ahead *a = read_ahead_new(fd, size);
        for (uint64_t at = 0; at < (uint64_t)i % 7; at++)
            check(a, at);
        read_ahead_free(a);
    }
    read_ahead_free(NULL);
}

TEST_MAIN(NULL, NULL)
