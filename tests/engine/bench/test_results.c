/* Files that the other tools wrote, read as results. They are the seeds of fuzz_bench_results. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/bench/results.h"
#include "engine/value/text_file.h"
#include "support/test.h"

#define FILES "tests/fuzz/corpus/bench_results/"

static int read_file(struct bench_results *r, const char *name, struct error *err)
{
    char path[128] = FILES, *text;
    size_t n;
    strcat(path, name);
    assert_int_equal(text_file_read(&text, &n, path, err), 0);
    int rc = bench_results_read(r, path, text, n, err);
    free(text);
    return rc;
}

TEST(files_of_other_tools)
{
    static const struct {
        const char *file, *tool;
        size_t results;
        const char *name;
        size_t samples;
        double least, most; /* of the first value, s */
    } cases[] = {
        {"hyperfine.json", "hyperfine", 2, "true", 5, 1e-4, 0.1},
        {"google.json", "google-benchmark", 2, "add/1", 3, 1e-11, 1e-6},
        {"pytest.json", "pytest-benchmark", 1, "test_it.py::test_sum", 5, 1e-7, 1e-4},
        {"criterion_sample.json", "criterion", 1, FILES "criterion_sample.json", 3, 1.4e-7, 1.6e-7},
        {"criterion_messages.json", "criterion", 1, "fib 20", 2, 2.4e-5, 2.6e-5},
        {"rooftop.json", "rooftop", 3, "true", 3, 1e-4, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench_results r;
        struct error err = ERROR_INIT;
        assert_int_equal(read_file(&r, cases[i].file, &err), 0);
        assert_string_equal(r.tool, cases[i].tool);
        assert_int_equal(r.n, cases[i].results);
        assert_int_equal(r.list[0].n, cases[i].samples);
        assert_true(r.list[0].value > cases[i].least && r.list[0].value < cases[i].most);
        if (strcmp(r.tool, "criterion") != 0 || r.list[0].n == 2)
            assert_string_equal(r.list[0].name, cases[i].name);
        bench_results_free(&r);
    }
}

TEST(what_the_files_know_beside)
{
    struct bench_results r;
    struct error err = ERROR_INIT;
    assert_int_equal(read_file(&r, "google.json", &err), 0);
    assert_string_equal(r.conditions.host, "vm");
    assert_true(r.wall_ns / 1000000000u == 1795441322u); /* 2026-11-23T13:42:02Z */
    bench_results_free(&r);
    assert_int_equal(read_file(&r, "google_old.json", &err),
                     0);                                 /* its date has a space for the T */
    assert_true(r.wall_ns / 1000000000u == 1470159886u); /* 2016-08-02T17:44:46Z */
    bench_results_free(&r);
    assert_int_equal(read_file(&r, "rooftop.json", &err), 0);
    assert_string_equal(r.list[2].unit, "ratio");
    assert_string_equal(r.conditions.smt, "off");
    bench_results_free(&r);
}

TEST(a_sample_of_criterion_is_named_by_its_folder)
{
    struct bench_results r;
    struct error err = ERROR_INIT;
    static const char text[] = "{\"iters\":[1,2],\"times\":[5,10]}";
    assert_int_equal(bench_results_read(&r, "/a/target/criterion/sort/1024/new/sample.json", text,
                                        sizeof text - 1, &err),
                     0);
    assert_string_equal(r.list[0].name, "sort/1024");
    assert_true(fabs(r.list[0].value - 5e-9) < 1e-20);
    bench_results_free(&r);
}

TEST(other_files_are_refused)
{
    static const char *const texts[][2] = {
        {"", "not known"},
        {"{", "not JSON at byte"},
        {"[]", "not known"},
        {"{\"results\":[]}", "no times"},
        {"{\"results\":[{\"command\":\"a\",\"times\":[1]}]", "not JSON at byte 40"},
        {"{\"results\":[{\"command\":\"a\"} {}]}", "not JSON at byte"},
        {"{\"results\":[1,]}", "not JSON at byte"},
        {"{\"results\":[\"a]}", "not JSON at byte"},
        {"{\"results\" []}", "not JSON at byte 11"},
        {"{\"results\":[],}", "not JSON at byte"},
        {"{1:[]}", "not JSON at byte 1"},
        {"{\"results\":[{\"command\":\"a\",\"times\":[-1]}]}", "no times"},
        {"{\"results\":[{\"command\":\"a\",\"times\":[1e400]}]}", "no times"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct bench_results r;
        struct error err = ERROR_INIT;
        assert_true(bench_results_read(&r, "x", texts[i][0], strlen(texts[i][0]), &err) < 0);
        assert_int_equal(err.kind, ERROR_INPUT);
        if (!strstr(err.why, texts[i][1]))
            fail_msg("'%s': %s", texts[i][0], err.why);
        bench_results_free(&r);
    }
}

/* Documents may be larger than a mebibyte; one that memory has no room for is refused unread. */
TEST(a_large_document_is_read_as_far_as_memory_goes)
{
    enum { SAMPLES = 400000 };
    struct bench_results r;
    struct error err = ERROR_INIT;
    char *text = malloc(SAMPLES * 8 + 100);
    size_t n = (size_t)sprintf(text, "{\"results\":[{\"command\":\"a\",\"times\":[");
    for (int i = 0; i < SAMPLES; i++)
        n += (size_t)sprintf(text + n, "%s1.%03d", i ? "," : "", i % 1000);
    n += (size_t)sprintf(text + n, "]}]}");
    assert_true(n > 2 << 20);
    assert_int_equal(bench_results_read(&r, "x", text, n, &err), 0);
    assert_int_equal(r.list[0].n, SAMPLES);
    assert_true(fabs(r.list[0].value - 1.4995) < 1e-9);
    bench_results_free(&r);
    memory_set_limit(16 << 20);
    assert_int_equal(bench_results_read(&r, "x", text, n, &err), -ENOMEM);
    assert_int_equal(err.kind, ERROR_INPUT);
    bench_results_free(&r);
    memory_set_limit(0);
    free(text);
}

/* What memory must hold of a file is its largest result, in whatever order its members are. */
TEST(a_file_of_many_results_is_read_one_by_one)
{
    enum { NAMES = 9000, EACH = 5, ONE = 128 };
    struct bench_results r;
    struct error err = ERROR_INIT;
    char *text = malloc((size_t)NAMES * EACH * ONE + 200);
    size_t n = (size_t)sprintf(text, "{ \"benchmarks\" : [");
    for (int i = 0; i < NAMES * EACH; i++)
        n += (size_t)sprintf(
            text + n,
            "%s\n{\"name\":\"b/%d\",\"run_name\":\"b/%d\",\"run_type\":\"iteration\","
            "\"real_time\":%d,\"time_unit\":\"ns\"}",
            i ? "," : "", i / EACH, i / EACH, 100 + i % EACH);
    n += (size_t)sprintf(text + n, "],\"context\":{\"date\":\"2026-01-01T00:00:00Z\"}}\n");
    assert_true(n > 3 << 20);
    memory_set_limit(16 << 20);
    assert_int_equal(bench_results_read(&r, "x", text, n, &err), 0);
    memory_set_limit(0);
    assert_int_equal(r.n, NAMES);
    assert_string_equal(r.list[NAMES - 1].name, "b/8999");
    assert_int_equal(r.list[NAMES - 1].n, EACH);
    assert_true(fabs(r.list[0].value - 102e-9) < 1e-18);
    assert_true(r.wall_ns > 0);
    bench_results_free(&r);
    free(text);
}
