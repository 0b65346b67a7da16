/* Kernels of several launch shapes, opened from traces whose durations are made up. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_profile.h"
#include "support/normal.h"
#include "support/test.h"

static uint64_t seed;

/* Adds a run: calls of "gemm" with these grids, each as often as its count says; grid g takes 10 g
 * us times the factor, with a spread of 2 %. */
static void add(struct runs *side, const int counts[5], double factor)
{
    char path[] = "/tmp/rooftop-shapes-XXXXXX";
    struct analysis a = {.memory = {0}};
    struct error err = ERROR_INIT;
    FILE *f = fdopen(mkstemp(path), "w");
    double at = 0;
    const char *sep = "";
    assert_non_null(f);
    fputs("{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"H100\"}],"
          "\"traceEvents\":[",
          f);
    for (int k = 0; k < 40; k++)
        for (int g = 1; g < 5; g++) {
            if (k >= counts[g])
                continue;
            double us = 10 * g * g * factor * (1 + 0.02 * normal_next(&seed));
            fprintf(f,
                    "%s\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,"
                    "\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"device\":0,\"stream\":7,\"grid\":[%d,1,1]"
                    ",\"block\":[128,1,1]}}",
                    sep, at, us, g);
            at += us + 5;
            sep = ",";
        }
    fputs("]}\n", f);
    fclose(f);
    const char *paths[] = {path};
    assert_int_equal(analysis_open(&a, paths, 1, &err), 0);
    run_of_profile(runs_add(side), &a, KERNELS_BY_NAME, false);
    analysis_close(&a);
    unlink(path);
}

static struct comparison *compare(const int a[5], const int b[5], double factor, size_t n)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (size_t i = 0; i < n; i++) {
        add(&side[0], a, 1);
        add(&side[1], b, factor);
    }
    struct comparison *c = compare_runs(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return c;
}

static const int usual[] = {0, 40, 40, 40, 40};

/* All 160 calls of a kernel take half as long again; one name holds four shapes of 10 to 160 us. */
TEST(what_all_shapes_do_is_found)
{
    seed = 1;
    for (size_t n = 1; n <= 3; n += 2) {
        struct comparison *c = compare(usual, usual, 1.5, n);
        const struct compare_row *r = compare_find(c, "k:gemm");
        assert_int_equal(r->verdict, COMPARE_MORE);
        assert_int_equal(r->shapes, 4);
        assert_true(fabs(r->change - 50) < 3);
        comparison_free(c);
    }
}

/* Other shares of the shapes change the mean of all calls, but no shape. */
TEST(another_mix_of_shapes_is_no_change)
{
    static const int small[] = {0, 40, 40, 4, 2}, other[] = {0, 0, 0, 40, 40};
    static const int first[] = {0, 40, 40, 0, 0};
    seed = 2;
    struct comparison *c = compare(usual, small, 1, 1);
    const struct compare_row *r = compare_find(c, "k:gemm");
    assert_int_equal(r->verdict, COMPARE_SAME);
    assert_true(fabs(r->change) < 5);
    comparison_free(c);
    c = compare(first, other, 1, 1); /* no shape in common */
    assert_int_equal(compare_find(c, "k:gemm")->verdict, COMPARE_UNLIKE);
    comparison_free(c);
}

/* How much work it was is told by the calls of each shape, unless no shape is in both. */
TEST(work_is_told_by_shapes)
{
    static const int half[] = {0, 20, 20, 20, 20}, small[] = {0, 40, 40, 4, 2};
    static const int first[] = {0, 40, 40, 0, 0}, other[] = {0, 0, 0, 40, 40};
    static const struct {
        const int *a, *b;
        double ratio; /* NAN: not known */
        bool unlike;
    } rows[] = {{usual, usual, 1, false},
                {usual, half, 0.5, true},
                {usual, small, (double)NAN, true},
                {first, other, 1, false}};
    seed = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct comparison *c = compare(rows[i].a, rows[i].b, 1, 1);
        assert_int_equal(compare_work_unlike(&c->work), rows[i].unlike);
        assert_true(isnan(rows[i].ratio) ? !c->work.by
                                         : fabs(c->work.ratio - rows[i].ratio) < 1e-9);
        assert_int_equal(compare_find(c, "device")->verdict == COMPARE_UNLIKE, rows[i].unlike);
        comparison_free(c);
    }
}

/* The same program: at most 5 % are marked, plus three standard errors. */
TEST(the_same_is_the_same)
{
    enum { PAIRS = 100 };
    int marked[2] = {0, 0};
    seed = 3;
    for (int i = 0; i < PAIRS; i++)
        for (size_t n = 0; n < 2; n++) {
            struct comparison *c = compare(usual, usual, 1, 1 + 2 * n);
            enum compare_verdict v = compare_find(c, "k:gemm")->verdict;
            marked[n] += v == COMPARE_MORE || v == COMPARE_LESS;
            comparison_free(c);
        }
    double most = PAIRS * (compare_alpha + 3 * sqrt(compare_alpha * (1 - compare_alpha) / PAIRS));
    assert_true(marked[0] <= most && marked[1] <= most);
}
