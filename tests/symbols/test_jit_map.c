/* perf-<pid>.map: valid, growing and malformed files, and which owners are accepted. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/env.h"
#include "support/procfs.h"
#include "symbols/symbols_impl.h"
#include "symbols/symbols.h"
#include "support/test.h"

static const char *at(struct jit_map *m, uint64_t ip)
{
    uint64_t address, size;
    const char *name = jit_map_find(m, ip, &address, &size);
    assert_true(!name || (ip >= address && ip - address < size));
    return name ? name : "";
}

static struct jit_map map_of(const char *text)
{
    struct jit_map m = {0};
    assert_int_equal(jit_map_add(&m, text, strlen(text)), strlen(text));
    return m;
}

TEST(functions_by_address)
{
    struct jit_map m = map_of("7f0000001000 40 LazyCompile:*add /srv/a.js:3:1\n"
                              "0x7F0000002000 0x100 py::run:/srv/b.py\r\n"
                              "7f0000003000\t10\tb\n");
    assert_string_equal(at(&m, 0x7f0000001000), "LazyCompile:*add /srv/a.js:3:1");
    assert_string_equal(at(&m, 0x7f000000103f), "LazyCompile:*add /srv/a.js:3:1");
    assert_string_equal(at(&m, 0x7f0000001040), "");
    assert_string_equal(at(&m, 0x7f0000000fff), "");
    assert_string_equal(at(&m, 0x7f0000002080), "py::run:/srv/b.py");
    assert_string_equal(at(&m, 0x7f0000003001), "b");
    jit_map_free(&m);
}

/* Memory for code is reused: a later line replaces an earlier one. */
TEST(the_later_line_holds)
{
    struct jit_map m = map_of("1000 1000 old\n1100 100 new\n1000 80 newest\n");
    assert_string_equal(at(&m, 0x1180), "new");
    assert_string_equal(at(&m, 0x1040), "newest");
    const char more[] = "1180 10 last\n";
    jit_map_add(&m, more, strlen(more));
    assert_string_equal(at(&m, 0x1180), "last");
    assert_string_equal(at(&m, 0x1190), "new");
    jit_map_free(&m);
}

TEST(malformed_lines_are_left_out)
{
    struct jit_map m = map_of("\n \nxyz 10 a\n1000\n1000 \n1000 10\n1000 10 \n1000 0 empty\n"
                              "ffffffffffffffff 10 wraps\n1000 ffffffffffffffff huge\n"
                              "1000 10000000000000000 too-many-digits\n-1000 10 minus\n"
                              "2000 10 good\n10 10 \x01\n");
    assert_string_equal(at(&m, 0x1000), "");
    assert_string_equal(at(&m, UINT64_MAX), "");
    assert_string_equal(at(&m, 0x2000), "good");
    jit_map_free(&m);
    char *text = malloc(100000);
    int n = snprintf(text, 100000, "3000 10 ");
    memset(text + n, 'x', 99990 - (size_t)n);
    text[99990] = '\n';
    assert_int_equal(jit_map_add(&m, text, 99991), 99991);
    assert_int_equal(strlen(at(&m, 0x3000)), 4096); /* the name is cut */
    free(text);
    jit_map_free(&m);
}

TEST(a_line_that_is_not_whole_waits)
{
    struct jit_map m = {0};
    const char text[] = "1000 10 a\n2000 10 b";
    assert_int_equal(jit_map_add(&m, text, strlen(text)), 10);
    assert_string_equal(at(&m, 0x2000), "");
    jit_map_free(&m);
}

/* --- the map of a process --- */

static void process_of(int pid, const char *nspid, unsigned uid, unsigned saved,
                       unsigned long start_ticks)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    procfs_write(path, "%d (node) S 1 1 1 0 -1 0 0 0 0 0 1 2 0 0 20 0 1 0 %lu 0 0\n", pid,
                 start_ticks);
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    procfs_write(path, "Name:\tnode\nPid:\t%d\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%s\n", pid, uid, uid,
                 saved, uid, nspid);
}

static void process(int pid, const char *nspid, unsigned uid)
{
    process_of(pid, nspid, uid, uid, 1000);
}

TEST(a_map_that_grows)
{
    struct symbol_frame f;
    procfs_new();
    env_set_clock(procfs_clock, NULL);
    process(40, "40", getuid());
    struct symbols *s = symbols_new(0);
    assert_false(symbols_jit(s, 40, 0x1004, &f));
    procfs_write("/proc/40/root/tmp/perf-40.map", "1000 10 one\n2000 10 tw");
    assert_true(symbols_jit(s, 40, 0x1004, &f));
    assert_string_equal(f.name, "one");
    assert_true(f.address == 0x1000 && f.size == 0x10 && !f.inlined);
    assert_false(symbols_jit(s, 40, 0x2004, &f));
    procfs_write("/proc/40/root/tmp/perf-40.map", "1000 10 one\n2000 10 two\n1000 10 again\n");
    /* an address that is not found makes the file be read further */
    assert_true(symbols_jit(s, 40, 0x2004, &f));
    assert_string_equal(f.name, "two");
    procfs_write("/proc/40/root/tmp/perf-40.map",
                 "1000 10 one\n2000 10 two\n1000 10 again\n1000 10 later\n");
    procfs_clock_ns += 1000000000u; /* so does one that was found, after a while */
    assert_true(symbols_jit(s, 40, 0x1004, &f));
    assert_string_equal(f.name, "later");
    procfs_write("/proc/40/root/tmp/perf-40.map", "5000 10 new\n"); /* the file was written anew */
    procfs_clock_ns += 1000000000u;
    assert_false(symbols_jit(s, 40, 0x1004, &f));
    assert_true(symbols_jit(s, 40, 0x5004, &f));
    symbols_free(s);
    env_set_clock(NULL, NULL);
    procfs_free();
}

TEST(in_a_container_the_inner_pid_counts)
{
    struct symbol_frame f;
    procfs_new();
    process(41, "41\t7", getuid());
    procfs_write("/proc/41/root/tmp/perf-41.map", "1000 10 outer\n");
    procfs_write("/proc/41/root/tmp/perf-7.map", "1000 10 inner\n");
    struct symbols *s = symbols_new(0);
    assert_true(symbols_jit(s, 41, 0x1004, &f));
    assert_string_equal(f.name, "inner");
    symbols_free(s);
    procfs_free();
}

TEST(only_a_plain_file_of_its_user_is_believed)
{
    struct symbol_frame f;
    char path[512], other[512];
    procfs_new();
    struct symbols *s = symbols_new(0);
    process(42, "42", getuid());
    procfs_write("/elsewhere", "1000 10 linked\n");
    procfs_write("/proc/42/root/tmp/x", "x");
    snprintf(path, sizeof path, "%s/proc/42/root/tmp/perf-42.map", procfs_root());
    snprintf(other, sizeof other, "%s/elsewhere", procfs_root());
    assert_int_equal(symlink(other, path), 0);
    assert_false(symbols_jit(s, 42, 0x1004, &f));
    process(43, "43", getuid());
    procfs_write("/proc/43/root/tmp/x", "x");
    snprintf(path, sizeof path, "%s/proc/43/root/tmp/perf-43.map", procfs_root());
    assert_int_equal(mkfifo(path, 0600), 0); /* opening it must not wait for a writer */
    assert_false(symbols_jit(s, 43, 0x1004, &f));
    process(44, "44", getuid() + 1);
    procfs_write("/proc/44/root/tmp/perf-44.map", "1000 10 not-its-own\n");
    /* root's files are accepted, so only another user's can show the refusal */
    if (getuid() == 0) {
        snprintf(path, sizeof path, "%s/proc/44/root/tmp/perf-44.map", procfs_root());
        assert_int_equal(chown(path, 12345, 12345), 0);
    }
    assert_false(symbols_jit(s, 44, 0x1004, &f));
    assert_false(symbols_jit(s, 4444, 0x1004, &f)); /* no such process */
    symbols_free(s);
    procfs_free();
}

/* The user who started a set-user-ID program may not write its map. */
TEST(a_process_that_can_change_sides_believes_root_only)
{
    struct symbol_frame f;
    char path[512];
    procfs_new();
    process_of(45, "45", 12345, 0, 1000);
    procfs_write("/proc/45/root/tmp/perf-45.map", "1000 10 named\n");
    struct symbols *s = symbols_new(0);
    if (getuid() == 0) {
        assert_true(symbols_jit(s, 45, 0x1004, &f)); /* root may */
        symbols_free(s);
        s = symbols_new(0);
        snprintf(path, sizeof path, "%s/proc/45/root/tmp/perf-45.map", procfs_root());
        assert_int_equal(chown(path, 12345, 12345), 0);
    }
    assert_false(symbols_jit(s, 45, 0x1004, &f));
    symbols_free(s);
    procfs_free();
}

/* A new process with the same PID has its own code: nothing of the earlier process is left, even
 * if its file is. */
TEST(an_id_that_is_used_again_begins_anew)
{
    struct symbol_frame f;
    char path[512];
    procfs_new();
    env_set_clock(procfs_clock, NULL);
    procfs_clock_ns = UINT64_C(1700000000000000000);
    /* the process began 500 s after the boot, 500 s ago */
    procfs_write("/proc/uptime", "1000.00 1.00\n");
    process_of(46, "46", getuid(), getuid(), 50000);
    procfs_write("/proc/46/root/tmp/perf-46.map", "1000 10 first\n");
    snprintf(path, sizeof path, "%s/proc/46/root/tmp/perf-46.map", procfs_root());
    struct timespec dates[2] = {{.tv_sec = 1699999600}, {.tv_sec = 1699999600}};
    assert_int_equal(utimensat(AT_FDCWD, path, dates, 0), 0); /* the file was written 400 s ago */
    struct symbols *s = symbols_new(0);
    assert_true(symbols_jit(s, 46, 0x1004, &f));
    process_of(46, "46", getuid(), getuid(), 70000); /* the new process began 300 s ago */
    procfs_clock_ns += 1000000000u;
    assert_false(symbols_jit(s, 46, 0x1004, &f));
    procfs_write("/proc/46/root/tmp/perf-46.map", "5000 10 second\n");
    dates[1].tv_sec = 1699999800;
    assert_int_equal(utimensat(AT_FDCWD, path, dates, 0), 0);
    procfs_clock_ns += 1000000000u;
    assert_true(symbols_jit(s, 46, 0x5004, &f));
    assert_string_equal(f.name, "second");
    /* a change of the clock does not invalidate what was read */
    env_set_wall_step(INT64_C(3600000000000));
    procfs_clock_ns += 1000000000u;
    procfs_write("/proc/46/root/tmp/perf-46.map", "5000 10 second\n6000 10 third\n");
    assert_int_equal(utimensat(AT_FDCWD, path, dates, 0), 0);
    assert_true(symbols_jit(s, 46, 0x6004, &f)); /* and the file is read further */
    env_set_wall_step(0);
    assert_false(symbols_jit(s, 46, 0x1004, &f));
    symbols_free(s);
    env_set_clock(NULL, NULL);
    procfs_free();
}
