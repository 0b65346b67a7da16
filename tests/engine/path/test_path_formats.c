/* The same program in four formats has the same path, and it is the true one: simulated programs,
 * whose work on the path is known from how they were run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/path/path_shares.h"
#include "support/test.h"

#define DATA "tests/data/path/formats/"

static struct trace t;
static struct critical_path p;
static struct path_shares s;

static void open_files(const char *const *paths, size_t n)
{
    struct error err = {0};
    t = (struct trace){.sums = NULL};
    if (trace_open(&t, paths, n, &err) != 0)
        fail_msg("%s: %s", paths[0], err.why);
    assert_int_equal(critical_path_find(t.calls, &p, NULL), 0);
    path_shares_find(&t, &p, &s);
}

static void close_files(void)
{
    path_shares_free(&s);
    critical_path_free(&p);
    trace_free(&t);
}

/* Makes a database of what DATA/PROGRAM/NAME.sql says, and opens it. */
static void open_database(int program, const char *name)
{
    char from[128], path[] = "/tmp/rooftop-formats-XXXXXX", *sql = calloc(1, 1 << 20);
    const char *const paths[] = {path};
    sqlite3 *db = NULL;
    snprintf(from, sizeof from, DATA "%d/%s.sql", program, name);
    FILE *f = fopen(from, "r");
    assert_non_null(f);
    assert_non_null(sql);
    assert_true(fread(sql, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    close(mkstemp(path));
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    open_files(paths, 1);
    unlink(path);
    free(sql);
}

static void open_csv(int program)
{
    static const char *const names[] = {"hip_api_trace", "marker_api_trace", "kernel_trace",
                                        "memory_copy_trace", "agent_info"};
    enum { FILES = sizeof names / sizeof *names };
    char path[FILES][128];
    const char *paths[FILES];
    for (size_t i = 0; i < FILES; i++) {
        snprintf(path[i], sizeof path[i], DATA "%d/1000_%s.csv", program, names[i]);
        paths[i] = path[i];
    }
    open_files(paths, FILES);
}

static void open_format(int program, int format)
{
    char path[128];
    const char *const paths[] = {path};
    snprintf(path, sizeof path, DATA "%d/kineto.json", program);
    switch (format) {
    case 0:
        open_files(paths, 1);
        break;
    case 1:
        open_database(program, "nsys");
        break;
    case 2:
        open_database(program, "rocpd");
        break;
    default:
        open_csv(program);
    }
}

/* The steps, a line each: the part, the begin and the length. */
static void write_steps(char *out, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < p.nsteps && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%d %llu %llu\n", (int)p.steps[i].part,
                              (unsigned long long)p.steps[i].start,
                              (unsigned long long)p.steps[i].length);
    assert_true(n < size);
}

TEST(every_format_has_the_true_path)
{
    static const struct {
        int program;
        uint64_t compute, copy, launch; /* ns of the true path */
    } programs[] = {{20, 55876, 8609, 38201}, {59, 206867, 0, 16735}};
    static char first[1 << 14], other[sizeof first];
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (int format = 0; format < 4; format++) {
            open_format(programs[i].program, format);
            assert_int_equal(s.all.ns[PATH_COMPUTE], programs[i].compute);
            assert_int_equal(s.all.ns[PATH_COPY], programs[i].copy);
            assert_int_equal(s.all.ns[PATH_LATENCY], programs[i].launch);
            write_steps(format ? other : first, sizeof first);
            if (format)
                assert_string_equal(other, first);
            close_files();
        }
}
