/* Deletes captures completely, without other files, and never through a link. */
#include "engine/capture/capture_remove.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/made_capture.h"
#include "support/test.h"

static struct made_capture made, other;

static bool there(const char *dir, const char *file)
{
    struct stat st;
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, file);
    return lstat(path, &st) == 0;
}

FIXTURE(set_up)
{
    made_capture_make(&made);
    made_capture_make(&other);
}

FIXTURE(tear_down)
{
    made_capture_remove(&made);
    made_capture_remove(&other);
}

TEST_WITH(all_of_it_goes, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    assert_int_equal(capture_remove(made.dir, &err), 0);
    assert_int_not_equal(access(made.dir, F_OK), 0);
    assert_int_equal(access(other.dir, F_OK), 0);
    assert_int_not_equal(capture_remove(made.dir, &err), 0); /* it does not exist any more */
}

TEST_WITH(what_is_no_part_of_it_stays, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    made_capture_write(&made, "notes.txt", "mine", 4);
    assert_int_equal(capture_remove(made.dir, &err), -ENOTEMPTY);
    assert_non_null(strstr(err.why, "no part of a capture"));
    assert_true(there(made.dir, "notes.txt"));
    assert_false(there(made.dir, "capture_complete"));
}

TEST_WITH(links_are_not_followed, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    char link[128], inside[128], target[128];
    snprintf(link, sizeof link, "%s-link", made.dir);
    assert_int_equal(symlink(other.dir, link), 0);
    assert_int_not_equal(capture_remove(link, &err), 0); /* the folder itself is a link */
    assert_true(there(other.dir, "capture_complete"));
    unlink(link);
    /* one of its files is a link: the link is deleted, its target stays */
    snprintf(inside, sizeof inside, "%s/memory/region_1.bin", made.dir);
    snprintf(target, sizeof target, "%s/kernarg.bin", other.dir);
    assert_int_equal(symlink(target, inside), 0);
    assert_int_equal(capture_remove(made.dir, &err), 0);
    assert_true(there(other.dir, "kernarg.bin"));
}

TEST_WITH(a_folder_that_is_a_link_stops_it, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    char inside[128], target[128];
    made_capture_write(&made, "dispatch.json", "{}", 2);
    snprintf(inside, sizeof inside, "rm -rf %s/after", made.dir);
    assert_int_equal(system(inside), 0); /* NOLINT: a fixed line over a name made here */
    snprintf(inside, sizeof inside, "%s/after", made.dir);
    snprintf(target, sizeof target, "%s/memory", other.dir);
    assert_int_equal(symlink(target, inside), 0);
    assert_int_not_equal(capture_remove(made.dir, &err), 0);
    assert_true(there(other.dir, "memory/region_7f0000000000.bin"));
}

TEST_WITH(what_is_no_capture_is_refused, set_up, tear_down)
{
    struct error err = ERROR_INIT;
    made_capture_write(&made, "dispatch.json", NULL, 0);
    assert_int_equal(capture_remove(made.dir, &err), -EINVAL);
    assert_true(there(made.dir, "kernarg.bin"));
}
