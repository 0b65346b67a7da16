/* Files of older versions of librooftop: version 2, from before there were counters, was written by
 * the library of that time (a layer three times, in it RmsNorm with 7 elements). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/bricks/brick_impl.h"
#include "support/brick_file.h"
#include "support/test.h"

static char path[] = "/tmp/rooftop-version-XXXXXX";

FIXTURE_STATUS(begin)
{
    char line[200];
    int fd = mkstemp(path);
    if (fd < 0 || close(fd) != 0)
        return -1;
    snprintf(line, sizeof line, "gzip -dc tests/data/brick/version2.bricks.gz >%s", path);
    return system(line);
}

FIXTURE_STATUS(end)
{
    return unlink(path);
}

TEST(version_2_is_read)
{
    struct brick_reader *r;
    struct error err = ERROR_INIT;
    const struct brick_counter *counters;
    if (brick_reader_open(&r, path, &err) != 0 || brick_reader_poll(r, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
    const struct brick_node *n = brick_file_node(r, "Layer 0/RmsNorm");
    assert_non_null(n);
    assert_int_equal(n->count, 3);
    assert_int_equal(n->elements, 21);
    assert_true(n->min >= 100000 && n->max <= n->total);
    assert_int_equal(brick_reader_spans(r), 6);
    assert_int_equal(brick_reader_counters(r, &counters), 0);
    assert_null(brick_reader_counts(r, 0));
    assert_int_equal(brick_reader_poll(r, &err), 0);
    brick_reader_close(r);
}

/* What neither version has is refused, with the version. */
TEST(other_versions_are_refused)
{
    struct brick_reader *r;
    struct error err = ERROR_INIT;
    const uint32_t other = 4;
    FILE *f = fopen(path, "r+");
    assert_non_null(f);
    assert_int_equal(fseek(f, offsetof(struct brick_header, version), SEEK_SET), 0);
    assert_int_equal(fwrite(&other, sizeof other, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    assert_true(brick_reader_open(&r, path, &err) < 0);
    assert_int_equal(err.kind, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.why, "version 4"));
}

TEST_MAIN(begin, end)
