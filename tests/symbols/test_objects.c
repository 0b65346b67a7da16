/* The files that a program's code comes from, with programs compiled here. Not for TSan:
 * compilers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "support/compiled.h"
#include "support/procfs.h"
#include "support/skip.h"
#include "symbols/symbols_impl.h"
#include "symbols/objects.h"
#include "support/test.h"

static bool compiler;
static struct objects o; /* static, because it is large */

static void needs_compiler(void)
{
    if (!compiler)
        skip_because("there is no C compiler");
}

static const struct object *ending(const char *name)
{
    for (size_t i = 0; i < o.n; i++) {
        size_t n = strlen(o.list[i].path), m = strlen(name);
        if (n >= m && strcmp(o.list[i].path + n - m, name) == 0)
            return &o.list[i];
    }
    return NULL;
}

static void find(const char *command)
{
    struct error err = ERROR_INIT;
    if (objects_of_program(&o, command, &err) != 0)
        fail_msg("%s: %s", err.what, err.why);
}

FIXTURE_STATUS(begin)
{
    compiled_new();
    compiled_write("far.c", "int far(void)\n{\n    return 1;\n}\n");
    compiled_write("near.c", "int far(void);\nint near(void)\n{\n    return far();\n}\n");
    compiled_write("main.c", "int near(void);\nint main(void)\n{\n    return near();\n}\n");
    compiled_write("script", "#! /bin/sh -e\ntrue\n");
    compiled_write("nowhere", "#!/nonexistent/interpreter\n");
    compiler = compiled_shell(
        "mkdir lib other && chmod +x script nowhere && "
        "cc -shared -fPIC -o lib/libfar.so far.c && "
        "cc -shared -fPIC -o lib/libnear.so near.c -Llib -lfar -Wl,-rpath,'$ORIGIN' && "
        "cc -o main main.c -Llib -lnear -Wl,-rpath-link,lib -Wl,-rpath,'$ORIGIN/lib' && "
        "cc -o plain main.c -Llib -lnear -Wl,-rpath-link,lib");
    return 0;
}

FIXTURE(end)
{
    compiled_free();
}

/* Found through $ORIGIN of the program, then of the library; the C library in the default
 * folders. */
TEST(libraries_are_found_as_the_linker_would)
{
    needs_compiler();
    find(compiled_path("main"));
    assert_string_equal(o.list[0].path, compiled_path("main"));
    assert_non_null(ending("/lib/libnear.so"));
    assert_non_null(ending("/lib/libfar.so"));
    assert_non_null(ending("/libc.so.6"));
    assert_int_equal(o.missing, 0);
    bool linker = false;
    for (size_t i = 0; i < o.n; i++) {
        linker |= strstr(o.list[i].path, "/ld-") != NULL;
        for (size_t k = 0; k < i; k++) /* each file once */
            assert_false(o.list[i].dev == o.list[k].dev && o.list[i].inode == o.list[k].inode);
    }
    assert_true(linker);
    objects_free(&o);
}

TEST(the_environment_counts)
{
    needs_compiler();
    find(compiled_path("plain"));
    assert_null(ending("/libnear.so"));
    assert_int_equal(o.missing, 1);
    objects_free(&o);
    /* a file of that name that is no library comes first: it is skipped */
    assert_true(compiled_shell("echo text >other/libnear.so"));
    char path[256];
    snprintf(path, sizeof path, "%s:%s", compiled_path("other"), compiled_path("lib"));
    env_put("LD_LIBRARY_PATH", path);
    find(compiled_path("plain"));
    env_put("LD_LIBRARY_PATH", NULL);
    assert_non_null(ending("/lib/libnear.so"));
    assert_int_equal(o.missing, 0);
    objects_free(&o);
}

TEST(a_script_is_its_interpreter)
{
    struct stat shell;
    struct error err = ERROR_INIT;
    needs_compiler();
    assert_int_equal(stat("/bin/sh", &shell), 0);
    find(compiled_path("script"));
    assert_int_equal(o.list[0].inode, shell.st_ino);
    objects_free(&o);
    find("sh"); /* found in PATH */
    assert_int_equal(o.list[0].inode, shell.st_ino);
    objects_free(&o);
    assert_true(objects_of_program(&o, compiled_path("nowhere"), &err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    objects_free(&o);
    assert_true(objects_of_program(&o, "no-such-program-anywhere", &err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    objects_free(&o);
}

/* A file that includes itself ends; folders come in order, the default ones last. */
TEST(the_linkers_configuration_is_read)
{
    static struct library_folders f;
    struct arena texts = {0};
    procfs_new();
    procfs_write("/etc/ld.so.conf",
                 "# comment\n/first # why\n  /second\ninclude ld.so.conf.d/*.conf\n"
                 "include /etc/ld.so.conf\nhwcap 0 nosegneg\n");
    procfs_write("/etc/ld.so.conf.d/a.conf", "/third\n");
    procfs_write("/etc/ld.so.conf.d/b.txt", "/never\n");
    library_folders_read(&f, &texts);
    procfs_free();
    assert_true(f.n > 5 && f.n < LIBRARY_FOLDERS_MAX);
    assert_string_equal(f.list[0], "/first");
    assert_string_equal(f.list[1], "/second");
    assert_string_equal(f.list[2], "/third");
    assert_string_equal(f.list[f.n - 1], "/usr/lib");
    for (size_t i = 0; i < f.n; i++)
        assert_string_not_equal(f.list[i], "/never");
    arena_free(&texts);
}

TEST(a_process_is_what_it_has_mapped)
{
    struct stat self;
    struct error err = ERROR_INIT;
    assert_int_equal(stat("/proc/self/exe", &self), 0);
    assert_int_equal(objects_of_process(&o, getpid(), &err), 0);
    assert_int_equal(o.list[0].inode, self.st_ino);
    assert_true(o.n > 1);
    objects_free(&o);
    assert_true(objects_of_process(&o, 5000001, &err) < 0);
    assert_int_equal(err.kind, ERROR_TARGET);
    objects_free(&o);
}

/* Deleted files are counted; anonymous mappings are ignored. */
TEST(odd_mappings)
{
    struct error err = ERROR_INIT;
    procfs_new();
    procfs_write("/proc/77/maps", "00400000-00401000 r-xp 00000000 08:01 12345 /gone (deleted)\n"
                                  "00500000-00501000 rw-p 00000000 08:01 1 /data\n"
                                  "00600000-00601000 r-xp 00000000 00:00 0 [vdso]\n"
                                  "00600000-00601000 r-xp 00000000 00:00 0\n"
                                  "no line of maps at all\n"
                                  "00700000-00701000 r-xp 00000000 08:01 4 //anon\n");
    assert_int_equal(objects_of_process(&o, 77, &err), 0);
    procfs_free();
    assert_int_equal(o.n, 0);
    assert_int_equal(o.missing, 2);
    objects_free(&o);
}

TEST_MAIN(begin, end)
