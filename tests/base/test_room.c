/* Whether a folder takes a file of a size. (Full disks: tests/cli/test_full_disk.c.) */
#include "base/room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/temp_folder.h"

static void a_folder_that_takes_files(void **state)
{
    char why[ROOM_WHY];
    (void)state;
    assert_int_equal(room_missing(temp_folder, 4096), 0);
    assert_null(room_refuses(temp_folder, 4096, why));
}

static void what_is_no_folder(void **state)
{
    char path[128], why[ROOM_WHY];
    (void)state;
    temp_folder_put("file", "");
    snprintf(path, sizeof path, "%s/file", temp_folder);
    assert_int_equal(room_missing(path, 4096), 0); /* no question of room */
    assert_non_null(strstr(room_refuses(path, 4096, why), "there is no folder /tmp/"));
    snprintf(path, sizeof path, "%s/none", temp_folder);
    assert_non_null(strstr(room_refuses(path, 4096, why), "there is no folder /tmp/"));
}

/* No disk has 2^60 bytes; some file systems call that a file too large. */
static void more_than_any_disk_has(void **state)
{
    char why[ROOM_WHY];
    (void)state;
    assert_int_not_equal(room_missing(temp_folder, (size_t)1 << 60), 0);
    assert_non_null(room_refuses(temp_folder, (size_t)1 << 60, why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_that_takes_files),
        cmocka_unit_test(what_is_no_folder),
        cmocka_unit_test(more_than_any_disk_has),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
