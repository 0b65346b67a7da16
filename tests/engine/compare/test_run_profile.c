#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_profile.h"
#include "support/profile_scene.h"
#include "support/test.h"

static const struct compare_row *row(const struct comparison *k, const char *name)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->rows[i].group == RUN_KERNEL && strstr(k->rows[i].label, name))
            return &k->rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void add(struct runs *side, double softmax, uint64_t seed, enum kernels_group group)
{
    struct analysis a;
    profile_scene_open(&a, softmax, seed);
    run_of_profile(runs_add(side), &a, group, false);
    analysis_close(&a); /* the run does not refer to the analysis */
}

/* n runs on each side; in the second, softmax takes longer by this factor. */
static struct comparison *compare(double softmax, size_t n, enum kernels_group group)
{
    struct runs a = {.n = 0}, b = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        add(&a, 1, 1 + 2 * i, group);
        add(&b, softmax, 2 + 2 * i, group);
    }
    struct comparison *k = compare_runs(&a, &b);
    runs_free(&a);
    runs_free(&b);
    return k;
}

TEST(only_differences_are_marked)
{
    for (size_t runs = 1; runs <= 3; runs += 2) {
        struct comparison *k = compare(1.3, runs, KERNELS_BY_NAME);
        int kernels = 0;
        for (size_t i = 0; i < k->n; i++) {
            const struct compare_row *r = &k->rows[i];
            bool softmax = strstr(r->label, "softmax") != NULL;
            if (r->group != RUN_KERNEL)
                continue;
            if ((r->verdict == COMPARE_MORE) != softmax || r->verdict == COMPARE_LESS)
                fail_msg("%zu runs, %s: %s, %.1f %%, p %g", runs, r->label,
                         compare_verdict_name(r->verdict), r->change, r->d.p);
            assert_true(kernels++ > 0 || softmax); /* differences come first */
        }
        assert_int_equal(kernels, 7);
        const struct compare_row *r = row(k, "softmax");
        assert_true(fabs(r->change - 30) < 6);
        assert_int_equal(r->basis, runs > 1 ? COMPARE_BY_RUNS : COMPARE_BY_ASSUMED);
        assert_true(r->calls[0] == 20 && r->calls[1] == 20);
        assert_true(r->total[1] > r->total[0]);
        comparison_free(k);
    }
}

/* Launches of one run say nothing about the next run: twenty equal launches do not make a small
 * difference between two single runs certain. */
TEST(launches_of_one_run_are_not_runs)
{
    struct comparison *k = compare(1.02, 1, KERNELS_BY_NAME);
    const struct compare_row *r = row(k, "softmax");
    assert_int_equal(r->verdict, COMPARE_SAME);
    assert_true(r->assumed > 0);
    assert_true(r->d.high - r->d.low >= 2 * 1.9 * r->assumed); /* it contains the assumed spread */
    comparison_free(k);
}

TEST(a_profile_and_itself_are_the_same)
{
    struct analysis a;
    profile_scene_open(&a, 1, 1);
    for (int g = 0; g < KERNELS_GROUPS; g++) {
        struct runs side = {.n = 0};
        run_of_profile(runs_add(&side), &a, (enum kernels_group)g, false);
        struct comparison *k = compare_runs(&side, &side);
        uint32_t n = 0;
        for (size_t i = 0; i < k->n; i++) {
            n += k->rows[i].group == RUN_KERNEL;
            assert_true(k->rows[i].change == 0);
            assert_true(k->rows[i].verdict == COMPARE_SAME ||
                        k->rows[i].verdict == COMPARE_TOO_FEW);
        }
        assert_int_equal(n, a.kernels.by[g].n);
        assert_int_equal(k->answer, ANSWER_SAME);
        comparison_free(k);
        runs_free(&side);
    }
    analysis_close(&a);
}

/* The table of kernels and the comparison agree on means. */
TEST(means_are_those_of_the_table)
{
    struct analysis a;
    struct runs side = {.n = 0};
    profile_scene_open(&a, 1, 1);
    run_of_profile(runs_add(&side), &a, KERNELS_BY_BASE, false);
    struct comparison *k = compare_runs(&side, &side);
    for (uint32_t i = 0; i < a.kernels.by[KERNELS_BY_BASE].n; i++) {
        const struct kernel_row *t = &a.kernels.by[KERNELS_BY_BASE].rows[i];
        const struct compare_row *r = row(k, t->name);
        assert_true(fabs(1e9 * r->a.mean - t->mean) < 1e-6 * t->mean);
        assert_true(fabs(1e9 * r->a.sd - t->sd) < 1e-3 + 1e-6 * t->sd);
        assert_true(fabs(1e9 * r->total[0] - (double)t->sum.total) < 1);
    }
    assert_true(row(k, "vectorized_elementwise_kernel")->calls[0] == 40);
    comparison_free(k);
    runs_free(&side);
    analysis_close(&a);
}

static void add_file(struct runs *side, const char *path)
{
    struct analysis a = {.memory = {0}};
    assert_int_equal(analysis_open(&a, &path, 1, NULL), 0);
    run_of_profile(runs_add(side), &a, KERNELS_BY_NAME, false);
    analysis_close(&a);
}

/* Two files of other programs: that one took less time says little, and the verdict tells why. */
TEST(the_verdict_says_that_no_kernel_is_in_both)
{
    static const struct {
        const char *a, *b;
        bool told;
    } list[] = {{"kineto_cuda.json", "two_kernels.json", true},
                {"two_programs.json", "two_kernels.json", false}}; /* gemm is in both */
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct runs side[2] = {{.n = 0}, {.n = 0}};
        char path[2][64], text[256];
        snprintf(path[0], sizeof path[0], "tests/data/chrome/%s", list[i].a);
        snprintf(path[1], sizeof path[1], "tests/data/chrome/%s", list[i].b);
        for (int s = 0; s < 2; s++)
            add_file(&side[s], path[s]);
        struct comparison *k = compare_runs(&side[0], &side[1]);
        compare_answer_text(k, text, sizeof text);
        if (!strstr(text, "B is faster") ||
            !strstr(text, ", but no kernel is in both: ") == list[i].told)
            fail_msg("%s, %s: %s", list[i].a, list[i].b, text);
        comparison_free(k);
        for (int s = 0; s < 2; s++)
            runs_free(&side[s]);
    }
}
