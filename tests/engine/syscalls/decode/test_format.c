/* What format_write writes is what vfprintf writes. */
#include <stdio.h>
#include <string.h>

#include "engine/syscalls/decode/format.h"
#include "support/test.h"

static void write_ours(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void write_ours(char *out, size_t size, const char *format, ...)
{
    FILE *f = fmemopen(out, size, "w");
    va_list args;
    assert_non_null(f);
    va_start(args, format);
    struct line line;
    line_start(&line, f);
    format_write(&line, format, args);
    line_flush(&line);
    va_end(args);
    fclose(f);
}

#define SAME(...)                                                                                  \
    do {                                                                                           \
        char ours[256] = "", theirs[256];                                                          \
        snprintf(theirs, sizeof theirs, __VA_ARGS__);                                              \
        write_ours(ours, sizeof ours, __VA_ARGS__);                                                \
        assert_string_equal(ours, theirs);                                                         \
    } while (0)

TEST(test_numbers)
{
    static const long long numbers[] = {
        0, 1, -1, 7, 8, 42, 1000000007, -4095, INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const long long n = numbers[i];
        SAME("%d|%u|%x|%#x", (int)n, (unsigned)n, (unsigned)n, (unsigned)n);
        SAME("[%lld, %llu]=%llx %#llx.", n, (unsigned long long)n, (unsigned long long)n,
             (unsigned long long)n);
    }
}

TEST(test_text)
{
    SAME("%s", "");
    SAME("no conversion at all");
    SAME("%s(%s, %d)", "open", "x%dy", 3);
    SAME("100%% of %s", "it");
}

/* Conversions that are not ours are left to vfprintf, with all that stand beside them. */
TEST(test_others)
{
    SAME("%d %#03o %s", 5, 0644u, "mode");
    SAME("%s [%#018llx]", "mask", 0x123ull);
    SAME("%zu %02x %c %.2s %5d %-4s| %hhu", (size_t)9, 10u, 'c', "cut", 7, "x", (unsigned char)200);
    SAME("%ld %li %lu", 4L, 5L, 6UL);
}

/* A line longer than what is gathered loses nothing. */
TEST(test_long)
{
    enum { PIECES = 300, SIZE = 8 * LINE_TEXT };
    static char ours[SIZE], theirs[SIZE], text[2 * LINE_TEXT];
    struct line line;
    size_t n = 0;
    memset(text, 'x', sizeof text - 1);
    FILE *f = fmemopen(ours, sizeof ours, "w");
    assert_non_null(f);
    line_start(&line, f);
    for (size_t i = 0; i < PIECES; i++) {
        const char *piece = i == PIECES / 2 ? text : "piece, ";
        line_put(&line, piece, strlen(piece));
        n += (size_t)snprintf(theirs + n, sizeof theirs - n, "%s", piece);
    }
    line_flush(&line);
    fclose(f);
    assert_string_equal(ours, theirs);
}
