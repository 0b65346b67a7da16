/* The parts of the capture library that need no GPU: tables of functions, maps, names, the control
 * page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture_impl.h"
#include "format/control.h"
#include "support/test.h"

/* --- maps --- */

TEST(test_maps)
{
    struct map m = {.record = 24};
    assert_null(map_get(&m, 5));
    for (uint64_t k = 0; k < 20000; k++) { /* keys like addresses of pages */
        uint64_t *r = map_put(&m, 0x7f0000000000 + 4096 * k);
        assert_non_null(r);
        assert_int_equal(r[0] + r[2], 0);
        r[0] = k;
    }
    for (uint64_t k = 0; k < 20000; k += 2)
        assert_true(map_remove(&m, 0x7f0000000000 + 4096 * k));
    assert_false(map_remove(&m, 0x7f0000000000));
    uint64_t key, n = 0, *r;
    for (size_t i = 0; (r = map_next(&m, &i, &key)); n++)
        assert_int_equal(key, 0x7f0000000000 + 4096 * r[0]);
    assert_int_equal(n, 10000);
    for (uint64_t k = 0; k < 100000;
         k++) { /* entries come and go: the map must not grow without end */
        assert_non_null(map_put(&m, k + 1));
        assert_true(map_remove(&m, k + 1));
    }
    assert_true(m.room <= 65536);
    map_clear(&m);
    assert_null(map_get(&m, 0x7f0000001000));
}

/* A search in a map ends at a slot that was never used. Without such slots it would not end, and
 * the captured program would stand still. */
TEST(test_maps_keep_places_where_searches_end)
{
    struct map m = {.record = 8};
    for (uint64_t k = 1; k <= 20000; k++) {
        assert_non_null(map_put(&m, 4096 * k));
        if (4 * m.used > 3 * m.room)
            fail_msg("after %ju: %zu of %zu places were used", (uintmax_t)k, m.used, m.room);
        assert_true(map_remove(&m, 4096 * k));
        assert_null(map_get(&m, 4096 * k));
    }
    assert_true(m.room <= 1024); /* it is empty */
    map_clear(&m);
}

/* Removing an entry in the middle must not hide the entries behind it. */
TEST(test_maps_find_what_stands_behind_a_gap)
{
    struct map m = {.record = 8};
    for (uint64_t round = 0; round < 50; round++) {
        for (uint64_t k = 0; k < 300; k++)
            *(uint64_t *)map_put(&m, 1000 * round + k) = k;
        for (uint64_t k = 0; k < 300; k += 3)
            assert_true(map_remove(&m, 1000 * round + k));
        for (uint64_t k = 0; k < 300; k++) {
            const uint64_t *r = map_get(&m, 1000 * round + k);
            if (k % 3 ? !r || *r != k : r != NULL)
                fail_msg("round %ju, key %ju", (uintmax_t)round, (uintmax_t)k);
        }
        for (uint64_t k = 0; k < 300; k++)
            map_remove(&m, 1000 * round + k);
    }
    assert_int_equal(m.live, 0);
    map_clear(&m);
}

/* --- names --- */

TEST(test_names)
{
    static const char *const names[][2] = {{"increment", "increment"},
                                           {"void ns::add<float, 4>(float*, int)", "add"},
                                           {"(anonymous namespace)::kernel(int)", "kernel"},
                                           {"ns::outer<int>::inner(int)", "inner"},
                                           {"", "_"},
                                           {"../../etc/passwd", "________etc_passwd"}};
    char out[512], file[64];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kernel_file_name(names[i][0], file);
        if (strchr(file, '/') || strchr(file, '.'))
            fail_msg("%s", file);
        if (i + 1 < sizeof names / sizeof *names)
            assert_string_equal(file, names[i][1]);
    }
    assert_string_equal(demangle_kernel("_Z3addPfi", out, sizeof out), "add(float*, int)");
    assert_string_equal(demangle_kernel("add", out, sizeof out), "add");
    assert_string_equal(demangle_kernel("_Znonsense", out, sizeof out), "_Znonsense");
    assert_string_equal(demangle_kernel("_Z3addPfi", out, 4), "add");
}

/* Compares with the C library: every day for 400 years, after which the calendar repeats, and
 * several times of some days. */
TEST(test_dates)
{
    char is[DATE_TEXT], want[32];
    for (int64_t day = 0; day < 146097 + 366; day++) {
        const time_t t = (time_t)(day * 86400 + day * 7919 % 86400);
        struct tm tm;
        assert_non_null(gmtime_r(&t, &tm));
        strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%SZ", &tm);
        date_text(t, is);
        if (strcmp(is, want) != 0)
            fail_msg("%s, not %s", is, want);
    }
    date_text(0, is);
    assert_string_equal(is, "1970-01-01T00:00:00Z");
    date_text(951782399, is);
    assert_string_equal(is, "2000-02-28T23:59:59Z");
    date_text(951782400, is);
    assert_string_equal(is, "2000-02-29T00:00:00Z");
}

/* --- the control page --- */

TEST(test_requests_arrive_whole)
{
    char folder[] = "/tmp/rooftop-control-XXXXXX", path[64], why[256];
    static struct control_request r, got;
    uint32_t number = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/page", folder);
    struct control *c = control_create(path);
    assert_non_null(c);
    assert_null(control_create(path)); /* an existing file is never used */
    struct control *d = control_map(path, why, sizeof why);
    assert_non_null(d);
    assert_true(control_get(d, &got, &number));
    assert_int_equal(number, 0);
    assert_int_equal(got.mode, CONTROL_OFF);
    const pid_t child = fork();
    if (child == 0) { /* the child writes them as fast as it can */
        for (unsigned i = 0; i < 3000; i++) {
            r.n = i;
            memset(r.pattern, 'a' + (int)(i % 26), 2000);
            control_set(c, &r);
        }
        _exit(0);
    }
    int status;
    do {
        if (control_get(d, &got, &number) && got.pattern[0]) {
            assert_int_equal(got.pattern[0], got.pattern[1999]);
            assert_int_equal(got.pattern[0], 'a' + (int)(got.n % 26));
        }
    } while (waitpid(child, &status, WNOHANG) == 0);
    assert_int_equal(control_number(d), 3000);
    /* otherwise another user could choose what is captured, and where it is written */
    assert_int_equal(chmod(path, 0602), 0);
    assert_null(control_map(path, why, sizeof why));
    assert_non_null(strstr(why, "others may write in it"));
    assert_int_equal(chmod(path, 0600), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 12345), 0);
        assert_null(control_map(path, why, sizeof why));
        assert_non_null(strstr(why, "belongs to another user"));
        assert_int_equal(chown(path, 0, 0), 0);
    }
    c->version++;
    assert_null(control_map(path, why, sizeof why));
    assert_non_null(strstr(why, "another version"));
    assert_int_equal(truncate(path, 100), 0);
    assert_null(control_map(path, why, sizeof why));
    unlink(path);
    assert_null(control_map(path, why, sizeof why));
    rmdir(folder);
}

TEST(test_kernels_have_one_row)
{
    struct control *c = control_private();
    char name[32];
    struct control_kernel *add = control_kernel_row(c, "_Z3addv", "add()");
    assert_non_null(add);
    assert_ptr_equal(control_kernel_row(c, "_Z3addv", "add()"), add);
    for (int i = 1; i < CONTROL_KERNELS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        assert_non_null(control_kernel_row(c, name, name));
    }
    assert_null(control_kernel_row(c, "more", "more")); /* a kernel that does not fit is counted */
    assert_int_equal(c->other_kernels, 1);
    control_unmap(c);
}
