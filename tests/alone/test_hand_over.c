/* Folders that look like an unpacked archive beside a system; and this machine's own C library.
 * That the program that is found runs there is tried by `make portable`. */
#include "alone/hand_over.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temp_folder.h"
#include "support/test.h"

static char self[512], loader[512], out[PATH_MAX];

static const char *path_in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%.200s/%.200s", temp_folder, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t n, mode_t mode)
{
    FILE *f = fopen(path_in_folder(name), "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path_in_folder(name), mode), 0);
}

/* An archive in "archive", and a system whose C library has these versions in "system". */
static void put_archive_and_system(const void *versions, size_t n)
{
    static const char *const folders[] = {"archive", "archive/bin", "archive/glibc",
                                          "archive/glibc/bin", "system"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(path_in_folder(folders[i]), 0755);
    put_file("archive/bin/rooftop", "", 0, 0755);
    put_file("archive/glibc/bin/rooftop", "", 0, 0755);
    put_file("system/ld.so", "", 0, 0755);
    put_file("system/libc.so.6", versions, n, 0644);
    snprintf(self, sizeof self, "%s", path_in_folder("archive/bin/rooftop"));
    snprintf(loader, sizeof loader, "%s", path_in_folder("system/ld.so"));
}

static const char newer[] = "\0GLIBC_2.2.5\0GLIBC_2.29\0GLIBC_2.31";
static const char older[] = "\0GLIBC_2.2.5\0GLIBC_2.28";

TEST_WITH(a_system_that_is_new_enough_runs_the_other_program, temp_folder_make, temp_folder_remove)
{
    struct stat found, want;
    put_archive_and_system(newer, sizeof newer);
    assert_true(hand_over_find(self, loader, out));
    assert_int_equal(stat(out, &found), 0);
    assert_int_equal(stat(path_in_folder("archive/glibc/bin/rooftop"), &want), 0);
    assert_int_equal(found.st_ino, want.st_ino);
    /* systems link the loader from elsewhere: what counts is where the file lies */
    assert_int_equal(symlink(loader, path_in_folder("archive/link")), 0);
    assert_true(hand_over_find(self, path_in_folder("archive/link"), out));
}

TEST_WITH(other_systems_keep_this_one, temp_folder_make, temp_folder_remove)
{
    put_archive_and_system(older, sizeof older);
    assert_false(hand_over_find(self, loader, out));
    put_archive_and_system(newer, sizeof newer);
    assert_false(hand_over_find(self, path_in_folder("system/no-loader"), out));
    unlink(path_in_folder("system/libc.so.6")); /* as musl's loader by glibc's name */
    assert_false(hand_over_find(self, loader, out));
    mkdir(path_in_folder("system/libc.so.6"), 0755);
    assert_false(hand_over_find(self, loader, out));
}

TEST_WITH(a_program_alone_stays, temp_folder_make, temp_folder_remove)
{
    static char longer[PATH_MAX + 8];
    put_archive_and_system(newer, sizeof newer);
    assert_false(hand_over_find(path_in_folder("system/rooftop"), loader, out));
    assert_false(hand_over_find("", loader, out));
    memset(longer, 'a', sizeof longer - 1);
    longer[0] = '/';
    assert_false(hand_over_find(longer, loader, out));
    assert_int_equal(chmod(path_in_folder("archive/glibc/bin/rooftop"), 0644), 0);
    assert_false(hand_over_find(self, loader, out));
}

TEST(versions_of_this_machines_library_are_found_whole)
{
    Dl_info info;
    pid_t (*const of_library)(void) = getpid;
    void *address;
    memcpy(&address, &of_library, sizeof address);
    assert_true(dladdr(address, &info));
    assert_true(hand_over_has_version(info.dli_fname, "GLIBC_2.17"));
    assert_false(hand_over_has_version(info.dli_fname, "GLIBC_2.1"));
    assert_false(hand_over_has_version(info.dli_fname, "GLIBC_2.990"));
    assert_false(hand_over_has_version("/dev/null", "GLIBC_2.17"));
    assert_false(hand_over_has_version("/", "GLIBC_2.17"));
}
