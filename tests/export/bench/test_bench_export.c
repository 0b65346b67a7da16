/* Documents of other tools, read and written again as theirs: the numbers that their own programs
 * computed from the same samples are the oracle. The files are real ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include "engine/value/text_file.h"
#include "export/bench/bench_export.h"
#include "support/test.h"

#define FILES "tests/fuzz/corpus/bench_results/"

static cJSON *parse_file(const char *path, struct bench_results *r)
{
    char *text;
    size_t n;
    struct error err = ERROR_INIT;
    assert_int_equal(text_file_read(&text, &n, path, &err), 0);
    if (r && bench_results_read(r, path, text, n, &err) != 0)
        fail_msg("%s: %s", path, err.why);
    cJSON *o = cJSON_ParseWithLength(text, n);
    assert_non_null(o);
    free(text);
    return o;
}

static cJSON *written_as(const struct bench_results *r, const char *tool)
{
    char *text;
    size_t n;
    FILE *f = open_memstream(&text, &n);
    bench_write_as(f, r, tool);
    fclose(f);
    cJSON *o = cJSON_Parse(text);
    assert_non_null(o);
    free(text);
    return o;
}

static const cJSON *at(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* Members of theirs that are not in ours, or are of another type or value. */
static void expect_same(const cJSON *theirs, const cJSON *ours, const char *where)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, theirs)
    {
        const cJSON *own = at(ours, item->string);
        if (!own) {
            fail_msg("%s: no %s", where, item->string);
            return;
        }
        if (cJSON_IsNumber(item) &&
            !(fabs(own->valuedouble - item->valuedouble) <= 1e-9 * fabs(item->valuedouble)))
            fail_msg("%s: %s is %.17g, theirs %.17g", where, item->string, own->valuedouble,
                     item->valuedouble);
        if (cJSON_IsString(item) && strcmp(item->valuestring, own->valuestring) != 0)
            fail_msg("%s: %s is %s, theirs %s", where, item->string, own->valuestring,
                     item->valuestring);
        if (cJSON_IsArray(item))
            assert_int_equal(cJSON_GetArraySize(own), cJSON_GetArraySize(item));
    }
}

TEST(statistics_of_pytest_benchmark)
{
    static const char *const files[] = {FILES "pytest.json", FILES "pytest_rounds.json"};
    for (size_t i = 0; i < 2; i++) {
        struct bench_results r;
        cJSON *theirs = parse_file(files[i], &r), *ours = written_as(&r, "pytest-benchmark");
        int n = cJSON_GetArraySize(at(theirs, "benchmarks"));
        assert_int_equal(cJSON_GetArraySize(at(ours, "benchmarks")), n);
        for (int k = 0; k < n; k++) {
            const cJSON *a = cJSON_GetArrayItem(at(theirs, "benchmarks"), k);
            const cJSON *b = cJSON_GetArrayItem(at(ours, "benchmarks"), k);
            cJSON *stats = cJSON_Duplicate(at(a, "stats"), true);
            cJSON_DeleteItemFromObject(stats, "iterations"); /* of a round: ours are of one */
            expect_same(stats, at(b, "stats"), at(a, "fullname")->valuestring);
            cJSON_Delete(stats);
            for (const cJSON *m = a->child; m; m = m->next)
                if (!at(b, m->string))
                    fail_msg("no %s", m->string);
        }
        for (const cJSON *m = theirs->child; m; m = m->next)
            if (!at(ours, m->string))
                fail_msg("no %s", m->string);
        cJSON_Delete(theirs);
        cJSON_Delete(ours);
        bench_results_free(&r);
    }
}

TEST(numbers_of_hyperfine)
{
    struct bench_results r;
    cJSON *theirs = parse_file(FILES "hyperfine.json", &r), *ours = written_as(&r, "hyperfine");
    for (int k = 0; k < 2; k++) {
        cJSON *a = cJSON_Duplicate(cJSON_GetArrayItem(at(theirs, "results"), k), true);
        cJSON_DeleteItemFromObject(a, "user"); /* means, which no sample tells */
        cJSON_DeleteItemFromObject(a, "system");
        expect_same(a, cJSON_GetArrayItem(at(ours, "results"), k), "hyperfine");
        cJSON_Delete(a);
    }
    cJSON_Delete(theirs);
    cJSON_Delete(ours);
    bench_results_free(&r);
}

/* Written as any tool's and read again, the samples are the same. */
TEST(samples_survive_every_format)
{
    static const char *const tools[] = {"hyperfine", "google-benchmark", "pytest-benchmark",
                                        "criterion"};
    struct bench_results r, again;
    struct error err = ERROR_INIT;
    cJSON_Delete(parse_file(FILES "pytest_rounds.json", &r));
    for (size_t t = 0; t < 4; t++) {
        char *text;
        size_t n;
        FILE *f = open_memstream(&text, &n);
        bench_write_as(f, &r, tools[t]);
        fclose(f);
        assert_int_equal(bench_results_read(&again, "x", text, n, &err), 0);
        free(text);
        assert_string_equal(again.tool, tools[t]);
        assert_int_equal(again.n, r.n);
        for (size_t i = 0; i < r.n; i++) {
            assert_string_equal(again.list[i].name, r.list[i].name);
            assert_int_equal(again.list[i].n, r.list[i].n);
            for (size_t k = 0; k < r.list[i].n; k++)
                assert_true(fabs(again.list[i].v[k] / r.list[i].v[k] - 1) < 1e-12);
        }
        bench_results_free(&again);
    }
    bench_results_free(&r);
}
