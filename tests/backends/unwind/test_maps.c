#include "backends/unwind/maps.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/perf_common/perf_record.h"
#include "support/procfs.h"
#include "support/test.h"

enum { SECOND = 1000000000 };

static void add(struct process_maps *m, pid_t pid, uint64_t start, uint64_t end, uint64_t offset,
                const char *path)
{
    maps_add(
        m, pid,
        &(struct record_mapping){
            .start = start, .length = end - start, .offset = offset, .inode = 1, .path = path});
}

/* A process whose mappings are all known, so that nothing is read from /proc. */
static struct process_maps *with_new_process(pid_t pid)
{
    struct process_maps *m = maps_new();
    maps_exec(m, pid);
    return m;
}

static void expect(struct process_maps *m, pid_t pid, uint64_t address, const char *path,
                   uint64_t start, uint64_t offset)
{
    const struct process_map *map = maps_find(m, pid, address, false, 1);
    if (!map)
        fail_msg("%#llx is in no mapping", (unsigned long long)address);
    else {
        assert_string_equal(maps_file(m, map->file)->path, path);
        assert_int_equal(map->start, start);
        assert_int_equal(map->offset, offset);
    }
}

TEST(addresses_are_found_in_their_mapping)
{
    struct process_maps *m = with_new_process(5);
    add(m, 5, 0x3000, 0x5000, 0x100, "/b");
    add(m, 5, 0x1000, 0x2000, 0, "/a");
    expect(m, 5, 0x1000, "/a", 0x1000, 0);
    expect(m, 5, 0x1fff, "/a", 0x1000, 0);
    expect(m, 5, 0x4fff, "/b", 0x3000, 0x100);
    assert_null(maps_find(m, 5, 0x2000, false, 1));
    assert_null(maps_find(m, 5, 0xfff, false, 1));
    assert_null(maps_find(m, 5, 0x5000, false, 1));
    assert_true(maps_touched(m, 5, 0x1fff, 1));
    assert_false(maps_touched(m, 5, 0x2000, 0x1000));
    assert_true(maps_touched(m, 5, 0x2000, 0x1001));
    assert_true(maps_touched(m, 5, 0, UINT64_MAX));
    assert_true(maps_touched(m, 5, 0x4000, UINT64_MAX));
    assert_false(maps_touched(m, 5, 0x5000, UINT64_MAX));
    assert_false(maps_touched(m, 5, 0x4000, 0));
    assert_false(maps_touched(m, 6, 0x1000, 0x1000));
    assert_int_equal(maps_processes(m), 1); /* asking makes none */
    maps_free(m);
}

TEST(a_new_mapping_replaces_what_was_there)
{
    struct process_maps *m = with_new_process(5);
    add(m, 5, 0x1000, 0x9000, 0, "/old");
    add(m, 5, 0x3000, 0x4000, 0, "/middle");
    expect(m, 5, 0x2fff, "/old", 0x1000, 0);
    expect(m, 5, 0x3000, "/middle", 0x3000, 0);
    expect(m, 5, 0x4000, "/old", 0x4000, 0x3000); /* the upper part keeps its offset in the file */
    add(m, 5, 0x2000, 0x8000, 0, "/big");
    expect(m, 5, 0x1fff, "/old", 0x1000, 0);
    expect(m, 5, 0x3000, "/big", 0x2000, 0);
    expect(m, 5, 0x8000, "/old", 0x8000, 0x7000);
    add(m, 5, 0x1000, 0x9000, 0, "/all");
    expect(m, 5, 0x1000, "/all", 0x1000, 0);
    expect(m, 5, 0x8fff, "/all", 0x1000, 0);
    maps_free(m);
}

/* Random mappings, compared with an array of pages. */
TEST(random_mappings_agree_with_a_table_of_pages)
{
    enum { PAGES = 64, FILES = 9 };
    int page[PAGES];
    uint64_t x = 3;
    struct process_maps *m = with_new_process(5);
    for (int i = 0; i < PAGES; i++)
        page[i] = -1;
    for (int round = 0; round < 5000; round++) {
        char path[16];
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t from = (x >> 33) % PAGES, n = 1 + (x >> 45) % 12;
        int file = (int)((x >> 53) % FILES);
        uint64_t to = from + n < PAGES ? from + n : PAGES;
        snprintf(path, sizeof path, "/%d", file);
        /* offset = address, so that it can be checked */
        add(m, 5, from << 12, to << 12, from << 12, path);
        for (uint64_t p = from; p < to; p++)
            page[p] = file;
        for (uint64_t p = 0; p < PAGES; p++) {
            const struct process_map *found = maps_find(m, 5, (p << 12) + 8, false, 1);
            assert_int_equal(found != NULL, page[p] >= 0);
            if (!found)
                continue;
            assert_int_equal(atoi(maps_file(m, found->file)->path + 1), page[p]);
            assert_int_equal(found->offset, found->start);
        }
    }
    assert_int_equal(maps_files(m), FILES);
    maps_free(m);
}

TEST(children_inherit_and_programs_start_anew)
{
    struct process_maps *m = with_new_process(5);
    add(m, 5, 0x1000, 0x2000, 0, "/shell");
    maps_fork(m, 6, 5);
    expect(m, 6, 0x1800, "/shell", 0x1000, 0);
    maps_exec(m, 6);
    assert_null(maps_find(m, 6, 0x1800, false, 1));
    expect(m, 5, 0x1800, "/shell", 0x1000, 0);
    maps_fork(m, 5, 5); /* the new task is a thread: nothing changes */
    expect(m, 5, 0x1800, "/shell", 0x1000, 0);
    assert_int_equal(maps_processes(m), 2);
    maps_exit(m, 6);
    assert_int_equal(maps_processes(m), 1);
    maps_free(m);
}

static const char proc_maps[] =
    "00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/tool\n"
    "00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/tool\n"
    "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n"
    "7f0000010000-7f0000020000 r-xs 00002000 00:01 77         /memfd:code (deleted)\n"
    "7f0000030000-7f0000031000 r-xp 00000000 08:02 99         /tmp/a b (deleted)\n"
    "7fffc0000000-7fffc0001000 r-xp 00000000 00:00 0          [vdso]\n"
    "not a line of it\n";

TEST(running_processes_are_read_from_proc)
{
    procfs_new();
    procfs_write("/proc/7/maps", "%s", proc_maps);
    struct process_maps *m = maps_new();
    expect(m, 7, 0x400010, "/usr/bin/tool", 0x400000, 0x1000);
    assert_null(maps_find(m, 7, 0x651000, false, 1)); /* not executable */
    assert_int_equal(maps_find(m, 7, 0x7f0000000010, false, 1)->kind, MAP_ANON);
    const struct process_map *code = maps_find(m, 7, 0x7f0000010000, false, 1);
    assert_int_equal(code->kind, MAP_FILE);
    assert_true(maps_file(m, code->file)->memfd);
    const struct process_map *gone = maps_find(m, 7, 0x7f0000030000, false, 1);
    assert_true(maps_file(m, gone->file)->deleted);
    assert_string_equal(maps_file(m, gone->file)->path, "/tmp/a b");
    assert_int_equal(maps_find(m, 7, 0x7fffc0000010, false, 1)->kind, MAP_VDSO);
    maps_free(m);
    procfs_free();
}

TEST(an_address_that_is_nowhere_is_looked_up_again)
{
    procfs_new();
    procfs_write("/proc/7/maps", "00001000-00002000 r-xp 00000000 08:02 1 /a\n");
    struct process_maps *m = maps_new();
    assert_non_null(maps_find(m, 7, 0x1000, true, SECOND));
    procfs_write("/proc/7/maps", "00001000-00002000 r-xp 00000000 08:02 1 /a\n"
                                 "00008000-00009000 r-xp 00000000 08:02 2 /late\n");
    /* too soon after the last read of /proc */
    assert_null(maps_find(m, 7, 0x8000, true, SECOND + 1));
    assert_null(maps_find(m, 7, 0x8000, false, 2ull * SECOND)); /* callers do not trigger a read */
    expect(m, 7, 0x1000, "/a", 0x1000, 0);
    assert_non_null(maps_find(m, 7, 0x8000, true, 2ull * SECOND));
    expect(m, 7, 0x8000, "/late", 0x8000, 0);
    maps_free(m);
    procfs_free();
}

TEST(processes_are_bounded)
{
    struct process_maps *m = maps_new();
    for (pid_t p = 1; p < 100000; p++)
        maps_exec(m, p);
    assert_true(maps_processes(m) <= 32768);
    maps_free(m);
}

TEST(lines_that_are_none_are_refused)
{
    static const char *const bad[] = {
        "",
        "-",
        "1000",
        "1000-2000",
        "1000-2000 r-x",
        "1000-2000 r-xp",
        "1000-2000 r-xp 0",
        "1000-2000 r-xp 0 8:2",
        "1000-2000 r-xp 0 8:2 x",
        "2000-1000 r-xp 0 8:2 1 /a",
        "1000-1000 r-xp 0 8:2 1 /a",
        " 1000-2000 r-xp 0 8:2 1 /a",
        "-1000-2000 r-xp 0 8:2 1 /a",
    };
    struct map_line l;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (maps_parse_line(bad[i], &l))
            fail_msg("'%s' was taken", bad[i]);
    assert_true(maps_parse_line("1000-2000 r-xp 10 fd:3 1 /a", &l));
    assert_int_equal(l.major, 0xfd);
    assert_int_equal(l.offset, 0x10);
    assert_string_equal(l.path, "/a");
    assert_true(maps_parse_line("1000-2000 rwxp 10 fd:3 0", &l));
    assert_string_equal(l.path, "");
}
