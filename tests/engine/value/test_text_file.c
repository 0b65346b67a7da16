/* Small files are read whole; what cannot be read, or is too large, is told. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/value/text_file.h"
#include "support/test.h"

static char path[64];

/* Writes n bytes 'x' to the file and reads it. Returns what reading returned. */
static int read_of(size_t n, size_t *got, struct error *err)
{
    char *text;
    int fd;
    strcpy(path, "/tmp/rooftop-text-XXXXXX");
    assert_true((fd = mkstemp(path)) >= 0);
    char *bytes = malloc(n + 1);
    memset(bytes, 'x', n + 1);
    assert_int_equal(write(fd, bytes, n), (ssize_t)n);
    close(fd);
    int rc = text_file_read(&text, got, path, err);
    if (rc == 0) {
        assert_memory_equal(text, bytes, n);
        assert_int_equal(text[n], '\0');
    }
    free(text);
    free(bytes);
    unlink(path);
    return rc;
}

TEST(a_file_is_read_up_to_its_limit)
{
    struct error err = ERROR_INIT;
    size_t n;
    assert_int_equal(read_of(0, &n, &err), 0);
    assert_int_equal(n, 0);
    assert_int_equal(read_of(TEXT_FILE_MAX, &n, &err), 0);
    assert_int_equal(n, TEXT_FILE_MAX);
    assert_int_equal(read_of(TEXT_FILE_MAX + 1, &n, &err), -EFBIG);
    assert_string_equal(err.what, path);
    assert_string_equal(err.why, "the file is larger than 1 MiB");
}

TEST(what_is_no_file_is_told)
{
    struct error err = ERROR_INIT;
    char *text;
    size_t n;
    assert_int_equal(text_file_read(&text, &n, "/tmp/rooftop-no-such-file", &err), -ENOENT);
    assert_null(text);
    assert_int_equal(text_file_read(&text, &n, "/tmp", &err), -EISDIR);
    assert_string_equal(err.why, "it is a folder");
    free(text);
}
