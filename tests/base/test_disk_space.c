/* Whether a folder takes a file of a size. (Full disks: tests/cli/test_full_disk.c.) */
#include "base/disk_space.h"

#include <stdio.h>
#include <string.h>

#include "support/temp_folder.h"
#include "support/test.h"

TEST(a_folder_that_takes_files)
{
    char why[DISK_SPACE_WHY];
    assert_int_equal(disk_space_missing(temp_folder, 4096), 0);
    assert_null(disk_space_refuses(temp_folder, 4096, why));
}

TEST(what_is_no_folder)
{
    char path[128], why[DISK_SPACE_WHY];
    temp_folder_put("file", "");
    snprintf(path, sizeof path, "%s/file", temp_folder);
    assert_int_equal(disk_space_missing(path, 4096), 0); /* no question of room */
    assert_non_null(strstr(disk_space_refuses(path, 4096, why), "there is no folder /tmp/"));
    snprintf(path, sizeof path, "%s/none", temp_folder);
    assert_non_null(strstr(disk_space_refuses(path, 4096, why), "there is no folder /tmp/"));
}

/* No disk has 2^60 bytes; some file systems call that a file too large. */
TEST(more_than_any_disk_has)
{
    char why[DISK_SPACE_WHY];
    assert_int_not_equal(disk_space_missing(temp_folder, (size_t)1 << 60), 0);
    assert_non_null(disk_space_refuses(temp_folder, (size_t)1 << 60, why));
}

TEST_MAIN(temp_folder_make, temp_folder_remove)
