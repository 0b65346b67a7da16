/* Copies of folders: what is copied, and what is told meanwhile. */
#include "engine/reproduce/copy_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "support/test.h"

enum { LARGE = 5 << 20, SMALL = 7 };

static char folder[] = "/tmp/rooftop-copy-XXXXXX";

struct told {
    uint64_t bytes;
    size_t times;
};

static void listen(void *ctx, uint64_t bytes)
{
    struct told *t = ctx;
    assert_true(bytes >= t->bytes);
    t->bytes = bytes;
    t->times++;
}

/* A file with a hole at its begin. */
static void make_file(const char *name, off_t hole, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/from/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fseeko(f, hole, SEEK_SET);
    fputs(text, f);
    fclose(f);
}

static void expect_file(const char *name, off_t size)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/to/%s", folder, name);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, size);
}

TEST(each_part_is_told)
{
    char from[64], to[64], below[64], link[64];
    struct error err = ERROR_INIT;
    struct told told = {0};
    struct copied done = {.progress = listen, .ctx = &told};
    assert_non_null(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/from", folder);
    snprintf(to, sizeof to, "%s/to", folder);
    snprintf(below, sizeof below, "%s/from/below", folder);
    snprintf(link, sizeof link, "%s/from/link", folder);
    assert_int_equal(mkdir(from, 0700), 0);
    assert_int_equal(mkdir(below, 0700), 0);
    make_file("large", LARGE - SMALL, "content");
    make_file("below/small", 0, "content");
    assert_int_equal(symlink("/etc/passwd", link), 0);
    assert_int_equal(copy_folder(from, to, 1, &done, &err), 0);
    expect_file("large", LARGE);
    expect_file("below/small", SMALL);
    assert_int_equal(done.bytes, LARGE + SMALL);
    assert_int_equal(told.bytes, done.bytes);
    assert_true(told.times > 2);
    snprintf(link, sizeof link, "%s/to/link", folder);
    assert_true(access(link, F_OK) != 0);
    temporary_remove_folder(folder);
}

TEST_MAIN(NULL, NULL)
