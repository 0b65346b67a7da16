/*
 * rooftop export writes what was read, with the critical path and slack marked.
 * Forks: not for TSan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "support/nsys_file.h"
#include "support/nsys_sql.h"
#include "support/program.h"
#include "support/rocpd_file.h"
#include "support/trace_look.h"
#include "support/test.h"

static int begin(void **state)
{
    if (nsys_set_up(state) != 0)
        return -1;
    setenv("D", nsys_folder(), 1);
    setenv("ROOFTOP_CONFIG", "/dev/null", 1);
    nsys_sql(nsys_path("nsys.sqlite"), NSYS_STRINGS, nsys_new_tables, nsys_new_names,
             nsys_new_rows);
    return 0;
}

/* The spans, without lanes and programs, which have no times. */
static char *lines_of(const char *path)
{
    struct trace t;
    look_open(&t, path);
    char *text = look_lines(&t);
    trace_free(&t);
    return text;
}

/* A sum over the edges of one kind between spans, by their names and independent of order. */
static uint64_t edges_of(const char *path, bool launches)
{
    struct trace t;
    uint64_t sum = 0;
    look_open(&t, path);
    const struct graph *g = t.calls;
    for (uint32_t i = 0; i < g->nedges; i++) {
        uint32_t a = g->edge_from[i], b = g->edge_to[i];
        if ((g->edge_kind[i] == EDGE_LAUNCHES) == launches)
            sum += 1 + g->start[a] * 31 + g->start[b] * 17 + g->edge_kind[i];
    }
    trace_free(&t);
    return sum;
}

static void same_path(const char *file, const char *made)
{
    struct program p, q;
    char line[512];
    snprintf(line, sizeof line, "$BIN path --format csv %s | cut -d, -f3-", file);
    program_expect(&p, line, 0);
    snprintf(line, sizeof line, "$BIN path --format csv %s | cut -d, -f3-", made);
    program_expect(&q, line, 0);
    if (strcmp(p.out, q.out) != 0)
        fail_msg("%s: the path is\n%.3000s\nexported\n%.3000s", file, p.out, q.out);
    program_free(&p);
    program_free(&q);
}

/* An exported file, opened again, has the same spans, lanes, launches and critical path. If spans
 * of a queue overlap, the format does not keep their order, and it is inferred again. */
static void survives(const char *file, bool path)
{
    struct program p;
    char line[512], made[128];
    snprintf(made, sizeof made, "%s/exported.json", nsys_folder());
    snprintf(line, sizeof line, "$BIN export -o %s %s", made, file);
    program_expect(&p, line, 0);
    assert_string_equal(p.out, "");
    program_free(&p);
    char *before = lines_of(file), *after = lines_of(made);
    if (strcmp(before, after) != 0)
        fail_msg("%s:\n%.4000s\nexported:\n%.4000s", file, before, after);
    assert_true(program_lines(before) > 5);
    free(before);
    free(after);
    assert_int_equal(edges_of(file, true), edges_of(made, true));
    if (path)
        same_path(file, made);
}

TEST(an_exported_profile_is_the_same_opened_again)
{
    survives("tests/data/rocpd/synthetic_schema3.db", true);
    survives("tests/data/rocpd/babeltrace_test_rocm_database.db", true);
    survives(nsys_path("nsys.sqlite"), true);
    survives("tests/data/chrome/kineto_cuda.json", true);
    survives("tests/data/chrome/kineto_hip.json", true);
}

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Adds a kernel, a copy or a call. */
static void add_random(struct rocpd_file *f, int i, unsigned *seed)
{
    char sql[512];
    unsigned start = 1000 + next(seed) % 500, end = start + next(seed) % 60, what = next(seed),
             which = next(seed);
    snprintf(sql, sizeof sql, "INSERT INTO \"rocpd_event@\"(id, stack_id) VALUES(%d, %u)", i + 1,
             which % 20);
    rocpd_file_sql(f, sql);
    if (what % 3 == 0)
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_kernel_dispatch@\"(kernel_id, dispatch_id, queue_id, start,"
                 " \"end\", event_id) VALUES(%u, %d, %u, %u, %u, %d)",
                 which % 2 + 1, i, what % 2 + 1, start, end, i + 1);
    else if (what % 3 == 1)
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_memory_copy@\"(start, \"end\", queue_id, event_id)"
                 " VALUES(%u, %u, %u, %d)",
                 start, end, which % 3, i + 1);
    else { /* the calls of a thread are nested or separate */
        start = 1000 + (unsigned)i / 2 * 16 + (i % 2 ? 2 : 0);
        end = start + (i % 2 ? what % 10 : 15);
        snprintf(sql, sizeof sql,
                 "INSERT INTO \"rocpd_region@\"(start, \"end\", name_id, event_id, tid)"
                 " VALUES(%u, %u, %u, %d, %u)",
                 start, end, which % 2 ? 1u : 3u, i + 1, 11 + which % 2);
    }
    rocpd_file_sql(f, sql);
}

/* Random programs: nested calls; kernels and copies that overlap in their queues, are nested, take
 * no time, or begin at the same time. */
TEST(random_profiles_survive_export)
{
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct rocpd_file f;
        unsigned r = seed;
        rocpd_file_open(&f, "export");
        rocpd_file_tables(&f, "_1", "g");
        rocpd_file_names(&f);
        rocpd_file_sql(&f, "BEGIN");
        for (int i = 0; i < 60; i++)
            add_random(&f, i, &r);
        rocpd_file_sql(&f, "COMMIT");
        rocpd_file_close(&f);
        survives(f.path, false);
        rocpd_file_remove(&f);
    }
}

/* In each format, the marks agree with the command path. */
TEST(the_path_and_slack_are_marked)
{
    struct program p;
    program_expect(&p, "$BIN export --format json tests/data/rocpd/synthetic_schema3.db", 0);
    cJSON *doc = cJSON_Parse(p.out), *node;
    unsigned critical = 0;
    cJSON_ArrayForEach(node, cJSON_GetObjectItem(doc, "nodes"))
    {
        bool on = cJSON_IsTrue(cJSON_GetObjectItem(node, "critical"));
        const cJSON *slack = cJSON_GetObjectItem(node, "slack_ns");
        assert_true(cJSON_IsNumber(slack));
        assert_true(!on || slack->valuedouble == 0);
        critical += on;
    }
    assert_int_equal(critical, 7); /* 5 works, 2 queues that waited for an unknown launch */
    assert_int_equal(cJSON_GetObjectItem(doc, "path_ns")->valueint, 2200000);
    cJSON_Delete(doc);
    program_free(&p);
    program_expect(
        &p, "$BIN export --format csv tests/data/rocpd/synthetic_schema3.db | grep -c ',1,0.$'", 0);
    assert_string_equal(p.out, "7\n");
    program_free(&p);
    program_expect(
        &p, "$BIN export tests/data/rocpd/synthetic_schema3.db | grep -c '\"critical\":true'", 0);
    assert_string_equal(p.out, "5\n"); /* the queues, which wait, are no events */
    program_free(&p);
    program_expect(&p,
                   "$BIN export --format dot tests/data/rocpd/synthetic_schema3.db"
                   " | grep -c 'comment=\"critical\"'",
                   0);
    assert_string_equal(p.out, "7\n");
    program_free(&p);
}

TEST(failed_writes_of_an_export_are_reported)
{
    static const struct {
        const char *line;
        int status;
        const char *word;
    } cases[] = {
        {"$BIN export tests/data/rocpd/synthetic_schema3.db >/dev/full", 7, "No space"},
        {"$BIN export tests/data/rocpd/synthetic_schema3.db >&-", 7, ""},
        {"$BIN export -o /no/such/place tests/data/rocpd/synthetic_schema3.db", 7, "/no/such"},
        {"$BIN export --format text tests/data/rocpd/synthetic_schema3.db", 2, "text"},
        {"$BIN export", 2, "no file"},
        {"$BIN export /no/such.db", 3, "/no/such.db"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        program_expect(&p, cases[i].line, cases[i].status);
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i].word))
            fail_msg("%s said: %s", cases[i].line, p.err);
        program_free(&p);
    }
}

/* Only what rooftop reads is said to be opened by it. */
TEST(an_export_says_what_it_wrote)
{
    static const char *const cases[][3] = {{"chrome", "trace.json", "; open it: rooftop "},
                                           {"csv", "rows.csv", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        char line[300];
        snprintf(line, sizeof line,
                 "F=$(mktemp -d); $BIN export --format %s tests/data/rocpd/synthetic_schema3.db -o "
                 "$F/%s; rm -r $F",
                 cases[i][0], cases[i][1]);
        program_expect(&p, line, 0);
        const char *then = strchr(p.err, ';');
        if (program_lines(p.err) != 1 || !strstr(p.err, cases[i][1]) || !then != !cases[i][2] ||
            (then && strncmp(then, cases[i][2], strlen(cases[i][2])) != 0))
            fail_msg("%s said: %s", line, p.err);
        program_free(&p);
    }
}

TEST_MAIN(begin, nsys_tear_down)
