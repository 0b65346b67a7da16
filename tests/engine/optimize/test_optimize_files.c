/* Logs that are not of a run of today, and the source that is replaced. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/optimize/optimize.h"
#include "base/temporary.h"
#include "engine/value/text_file.h"
#include "support/temp_folder.h"
#include "support/test.h"

/* A log of before there were several bases: what was made from one was judged against it. */
TEST(a_log_without_against_is_read)
{
    static const char log[] =
        "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"begin\"}\n"
        "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"candidate\",\"number\":7,\"base\":5,"
        "\"outcome\":\"faster\"}\n"
        "{\"schema\":\"rooftop.optimize/1\",\"kind\":\"candidate\",\"number\":8,\"against\":7,"
        "\"base\":5,\"outcome\":\"slower\"}\n";
    struct optimize_log l;
    struct error err = ERROR_INIT;
    assert_int_equal(optimize_log_parse(&l, log, sizeof log - 1, "log", &err), 0);
    assert_int_equal(l.list[0].against, 5);
    assert_int_equal(l.list[1].base, 5);
    assert_int_equal(l.list[1].against, 7);
    optimize_log_free(&l);
}

TEST(it_is_applied_only_to_what_was_read)
{
    struct error err = ERROR_INIT;
    char dir[64], source[96], backup[OPTIMIZE_PATH], link[128], *text = NULL;
    struct stat st;
    size_t n = 0;
    snprintf(dir, sizeof dir, "/tmp/rooftop-test-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(source, sizeof source, "%s/f.c", dir);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    fputs("time 100\n", f);
    fclose(f);
    assert_int_equal(chmod(source, 0640), 0);
    assert_int_equal(optimize_apply(source, "time 99\n", 8, "new\n", 4, backup, &err), -EBUSY);
    assert_int_equal(text_file_read(&text, &n, source, &err), 0);
    assert_string_equal(text, "time 100\n");
    free(text);
    snprintf(link, sizeof link, "%s/link.c", dir);
    assert_int_equal(symlink("f.c", link), 0);
    err = (struct error)ERROR_INIT;
    assert_int_equal(optimize_apply(link, "time 100\n", 9, "new\n", 4, backup, &err), 0);
    assert_int_equal(text_file_read(&text, &n, backup, &err), 0);
    assert_string_equal(text, "time 100\n");
    free(text);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(stat(source, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(optimize_apply(source, "new\n", 4, "newer\n", 6, backup, &err), 0);
    assert_non_null(strstr(backup, "f.c.orig.1"));
    temporary_remove_folder(dir);
}

static void has_text(const char *path, const char *wanted)
{
    struct error err = ERROR_INIT;
    char *text = NULL;
    size_t n = 0;
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    assert_string_equal(text, wanted);
    free(text);
}

/* A run that was killed has made the backup; the next one takes it, and does not remove it. */
TEST_WITH(a_backup_that_is_there_is_taken, temp_folder_make, temp_folder_remove)
{
    struct error err = ERROR_INIT;
    char backup[OPTIMIZE_PATH], source[128];
    temp_folder_put("f.c", "old\n");
    temp_folder_put("f.c.orig", "ol");
    temp_folder_put("f.c.orig.1", "old\n");
    snprintf(source, sizeof source, "%s/f.c", temp_folder);
    assert_int_equal(optimize_apply(source, "old\n", 4, "new\n", 4, backup, &err), 0);
    assert_non_null(strstr(backup, "/f.c.orig.1"));
    has_text(backup, "old\n");
    has_text(source, "new\n");
    snprintf(backup, sizeof backup, "%s.orig.2", source);
    assert_int_not_equal(access(backup, F_OK), 0);
}
