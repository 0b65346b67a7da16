/* The numbers of each step are the same as when that step is opened alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/trace/trace_window.h"
#include "export/kernels/steps_export.h"
#include "support/trace_text.h"
#include "support/test.h"

enum { US = 1000, STEPS = 13 };

static struct trace t;
static struct steps s;

FIXTURE(tear_down)
{
    steps_free(&s);
    if (t.calls)
        trace_free(&t);
}

/* Steps of 100 us, one of which has a kernel of 400 us; work on the GPU runs later; each step
 * contains a phase. */
static char *make(int slow)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    unsigned long long device = 0;
    fputs("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"all\",\"pid\":1,"
          "\"tid\":1,\"ts\":0,\"dur\":9000},",
          f);
    for (int i = 0; i < STEPS; i++) {
        int begin = 500 * i, ns = i == slow ? 400 : 60 + i % 3;
        fprintf(f,
                "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"step#%d\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,\"dur\":100},{\"ph\":\"X\",\"cat\":\"user_annotation\","
                "\"name\":\"forward\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":40},",
                i + 10, begin, begin + 5);
        for (int k = 0; k < 2; k++) {
            unsigned long long start = (unsigned long long)begin + 20 + 30ULL * (unsigned)k;
            start = start < device ? device : start;
            device = start + (unsigned long long)ns;
            fprintf(
                f,
                "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"
                "\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}},{\"ph\":\"X\","
                "\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%llu,\"dur\":%d,"
                "\"args\":{\"device\":0,\"stream\":7,\"correlation\":%d}},",
                begin + 10 + 30 * k, 1 + 2 * i + k, start, ns, 1 + 2 * i + k);
        }
    }
    fputs("{}]}", f);
    fclose(f);
    return text;
}

static void find(int slow, const char *range)
{
    struct error err = ERROR_INIT;
    struct window w;
    char why[800], *text = make(slow);
    trace_text_read(&t, text);
    free(text);
    assert_int_equal(window_parse(&w, NULL, NULL, range, &err), 0);
    if (steps_find(&s, &t, &w, &err) != 0)
        fail_msg("%s", error_format(&err, why, sizeof why));
    window_free(&w);
}

TEST_WITH(a_step_has_the_same_numbers_when_opened_alone, NULL, tear_down)
{
    find(4, "step");
    assert_int_equal(s.n, STEPS);
    for (uint32_t i = 0; i < s.n; i++) {
        struct trace part = {.phase = TRACE_READING};
        struct window w = {.to = UINT64_MAX, .range = (char[16]){""}};
        struct window_spans spans;
        struct device_uses uses;
        struct error err = ERROR_INIT;
        snprintf(w.range, 16, "step@%u", i + 1);
        assert_int_equal(window_find(&spans, &t, &w, &err), 0);
        assert_int_equal(trace_window_take(&part, &t, &spans, &err), 0);
        device_uses_find(&uses, &part);
        assert_memory_equal(&s.rows[i].use, &uses.rows[0], sizeof uses.rows[0]);
        device_uses_free(&uses);
        window_spans_free(&spans);
        trace_free(&part);
    }
}

/* What is on the profile's path between a step's begin and its end, step by step. */
TEST_WITH(a_step_has_its_part_of_the_path, NULL, tear_down)
{
    find(4, "step");
    struct critical_path path;
    assert_int_equal(critical_path_find(t.calls, &path, NULL), 0);
    for (uint32_t i = 0; i < s.n; i++) {
        uint64_t from = t.calls->start[s.rows[i].node], ns[PATH_PARTS] = {0}, sum = 0;
        for (uint64_t at = from + 50; at < from + s.rows[i].length; at += 100)
            for (uint32_t k = 0; k < path.nsteps; k++) {
                uint64_t begin = path.begin + path.steps[k].start;
                if (begin <= at && at < begin + path.steps[k].length)
                    ns[path.steps[k].part] += 100;
            }
        for (int p = 0; p < PATH_PARTS; p++) {
            assert_int_equal(s.rows[i].mix.ns[p], ns[p]);
            sum += ns[p];
        }
        assert_int_equal(s.rows[i].path, sum);
    }
    critical_path_free(&path);
}

TEST_WITH(rows_tell_name_number_and_times, NULL, tear_down)
{
    find(4, NULL);
    assert_string_equal(s.range, "step"); /* "all" occurs once, "forward" takes less time */
    assert_string_equal(s.rows[0].name, "step#10");
    assert_int_equal(s.rows[2].number, 3);
    assert_int_equal(s.rows[2].begin, 1000 * US);
    assert_int_equal(s.rows[2].length, 100 * US);
    assert_int_equal(s.rows[2].done, (20 + 2 * 62) * US);
    assert_int_equal(s.rows[2].use.nkernels, 2);
    assert_int_equal(s.rows[2].use.compute, 2 * 62 * US);
    assert_int_equal(s.nranks, 1);
    assert_float_equal(s.length.mean, 100 * US, 1e-6);
}

/* The step after the slow one waits for its work: it ends late too, and the reason is shown. */
TEST_WITH(the_slow_one_is_marked, NULL, tear_down)
{
    find(4, "step");
    assert_int_equal(s.rows[4].kind, STEP_SLOW);
    assert_int_equal(s.rows[5].kind, STEP_SLOW);
    assert_int_equal(s.rows[5].use.outside, 320 * US); /* from 2500 to 2820 */
    assert_int_equal(s.slow, 2);
    assert_int_equal(s.fast, 0);
}

TEST_WITH(similar_steps_are_not_outliers, NULL, tear_down)
{
    find(-1, "step");
    assert_int_equal(s.slow + s.fast, 0);
}

TEST_WITH(some_of_them, NULL, tear_down)
{
    find(4, "step@3-4");
    assert_int_equal(s.n, 2);
    assert_int_equal(s.rows[0].number, 3);
    assert_string_equal(s.rows[1].name, "step#13");
}

/* An NVTX trace has operators as ranges, often and of any length. Two long ones of different
 * length are no steps, nor are ranges that take little of the time. */
TEST_WITH(operators_are_not_steps, NULL, tear_down)
{
    char *text = NULL, *guess;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    static const char *const range = "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"%s\","
                                     "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},";
    fputs("{\"traceEvents\":[", f);
    for (int i = 0; i < 40; i++)
        fprintf(f, range, "aten::to", 1000 * i, i % 4 ? i % 7 + 1 : 900);
    fprintf(f, range, "aten::item", 40000, 9000);
    fprintf(f, range, "aten::item", 50000, 35);
    fprintf(f, range, "clear cache", 51000, 100);
    for (int i = 0; i < 9; i++)
        fprintf(f, range, "gloo:all_reduce", 60000 + 5000 * i, 4000);
    fprintf(f, range, "clear cache", 52000, 100);
    fputs("{}]}", f);
    fclose(f);
    trace_text_read(&t, text);
    free(text);
    guess = steps_guess(&t);
    if (guess)
        fail_msg("steps are '%s'", guess);
}

/* Numbered ranges are steps, even if the first one is much longer. */
TEST_WITH(numbered_ranges_are_steps, NULL, tear_down)
{
    trace_text_read(&t,
                    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":"
                    "\"ProfilerStep#0\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":900},{\"ph\":\"X\","
                    "\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
                    "\"ts\":900,\"dur\":100}]}");
    char *guess = steps_guess(&t);
    assert_non_null(guess);
    assert_string_equal(guess, "ProfilerStep");
    free(guess);
}

TEST_WITH(nothing_that_repeats_is_an_error, NULL, tear_down)
{
    struct error err = ERROR_INIT;
    struct window w = {.to = UINT64_MAX};
    trace_text_read(&t,
                    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"a\","
                    "\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":5}]}");
    assert_true(steps_find(&s, &t, &w, &err) < 0);
    assert_int_equal(err.kind, ERROR_USAGE);
    assert_non_null(strstr(err.help, "--range NAME"));
}

static void as_json(FILE *out, const struct steps *of)
{
    steps_export_json(out, &t, of);
}

static char *written(void (*write)(FILE *out, const struct steps *s))
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    write(f, &s);
    fclose(f);
    return text;
}

/* Two kernels run first whose launches are not in the trace: a profiler that began late. */
TEST_WITH(work_launched_before_the_profile_is_in_no_step, NULL, tear_down)
{
    struct error err = ERROR_INIT;
    struct window w = {.to = UINT64_MAX};
    trace_text_data(&t, "tests/data/path/cases/unlinked_first_step.json");
    assert_int_equal(steps_find(&s, &t, &w, &err), 0);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.early, 2);
    assert_int_equal(s.rows[0].use.nkernels, 3);
    assert_int_equal(s.rows[1].use.nkernels, 3);
    char *text = written(as_json);
    assert_non_null(strstr(text, "\"launched_before\":\t2"));
    free(text);
}

TEST_WITH(documents_have_every_step, NULL, tear_down)
{
    find(4, "step");
    char *json = written(as_json), *csv = written(steps_export_csv);
    cJSON *doc = cJSON_Parse(json), *rows = cJSON_GetObjectItem(doc, "steps");
    assert_int_equal(cJSON_GetArraySize(rows), STEPS);
    cJSON *row = cJSON_GetArrayItem(rows, 4), *path = cJSON_GetObjectItem(row, "path");
    assert_string_equal(cJSON_GetObjectItem(row, "unlike")->valuestring, "slow");
    uint64_t sum = 0;
    for (int i = 0; i < PATH_PARTS; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s_ns", path_part_name((enum path_part)i));
        sum += (uint64_t)cJSON_GetObjectItem(path, key)->valuedouble;
    }
    assert_true(sum >= s.rows[4].path); /* the path and waiting together cover the step */
    assert_int_equal(sum, s.rows[4].mix.total);
    size_t lines = 0, commas = 0;
    for (const char *at = csv; *at; at++) {
        lines += *at == '\n';
        commas += *at == ',';
    }
    assert_int_equal(lines, STEPS + 1);
    assert_int_equal(commas % lines, 0); /* every line has the same number of fields */
    cJSON_Delete(doc);
    free(json);
    free(csv);
}
