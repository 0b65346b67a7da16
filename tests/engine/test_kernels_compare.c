#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "engine/kernels_compare.h"
#include "support/profile_scene.h"

static const struct compare_row *row(const struct kernels_comparison *k, const char *name)
{
    for (size_t i = 0; i < k->c.n; i++)
        if (strstr(k->c.rows[i].label, name))
            return &k->c.rows[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void compare(struct kernels_comparison *k, double softmax, enum kernels_group group)
{
    struct analysis a, b;
    profile_scene_open(&a, 1, 1);
    profile_scene_open(&b, softmax, 2);
    kernels_compare(k, &a, &b, group);
    analysis_close(&a); /* nothing of them is needed any more */
    analysis_close(&b);
}

static void what_differs_is_marked_and_nothing_else(void **state)
{
    struct kernels_comparison k;
    (void)state;
    compare(&k, 1.3, KERNELS_BY_NAME);
    assert_int_equal(k.c.n, 7);
    for (size_t i = 0; i < k.c.n; i++) {
        const struct compare_row *r = &k.c.rows[i];
        bool softmax = strstr(r->label, "softmax") != NULL;
        if ((r->verdict == COMPARE_MORE) != softmax || r->verdict == COMPARE_LESS)
            fail_msg("%s: %s, %.1f %%, p %g", r->label, compare_verdict_name(r->verdict), r->change,
                     r->d.p);
    }
    const struct compare_row *r = row(&k, "softmax"); /* differences come first */
    assert_ptr_equal(r, &k.c.rows[0]);
    assert_true(fabs(r->change - 30) < 6);
    assert_true(r->d.p < 1e-6);
    assert_int_equal(k.changes[r->tag].calls[0], 20);
    assert_int_equal(k.changes[r->tag].calls[1], 20);
    assert_true(k.changes[r->tag].total[1] > k.changes[r->tag].total[0]);
    assert_int_equal(k.total[0].nkernels, 120);
    kernels_comparison_free(&k);
}

/* What differs stands first, the larger effect before the smaller; what was not called often enough
 * is last. */
static void rows_stand_by_their_effect(void **state)
{
    (void)state;
    for (int g = 0; g < KERNELS_GROUPS; g++) {
        struct kernels_comparison k;
        compare(&k, 1.3, (enum kernels_group)g);
        double last = INFINITY;
        bool differs = true;
        for (size_t i = 0; i < k.c.n; i++) {
            const struct compare_row *r = &k.c.rows[i];
            bool now = r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
            const struct kernel_change *c = &k.changes[r->tag];
            double effect = fabs((double)c->total[1] - (double)c->total[0]);
            if (now && !differs)
                fail_msg("%s differs, and stands below what does not", r->label);
            if (now != differs)
                last = INFINITY;
            if (effect > last)
                fail_msg("%s: %g ns, below %g ns", r->label, effect, last);
            last = effect;
            differs = now;
        }
        kernels_comparison_free(&k);
    }
}

static void a_profile_and_itself_are_the_same(void **state)
{
    struct analysis a;
    struct kernels_comparison k;
    (void)state;
    profile_scene_open(&a, 1, 1);
    for (int g = 0; g < KERNELS_GROUPS; g++) {
        kernels_compare(&k, &a, &a, (enum kernels_group)g);
        assert_int_equal(k.c.n, a.kernels.by[g].n);
        for (size_t i = 0; i < k.c.n; i++) {
            assert_true(k.c.rows[i].change == 0);
            assert_true(k.c.rows[i].verdict == COMPARE_SAME ||
                        k.c.rows[i].verdict == COMPARE_TOO_FEW);
        }
        kernels_comparison_free(&k);
    }
    analysis_close(&a);
}

/* The table of kernels and the comparison tell the same of the same. */
static void means_are_those_of_the_table(void **state)
{
    struct analysis a;
    struct kernels_comparison k;
    (void)state;
    profile_scene_open(&a, 1, 1);
    kernels_compare(&k, &a, &a, KERNELS_BY_BASE);
    for (uint32_t i = 0; i < a.kernels.by[KERNELS_BY_BASE].n; i++) {
        const struct kernel_row *t = &a.kernels.by[KERNELS_BY_BASE].rows[i];
        const struct compare_row *r = row(&k, t->name);
        assert_true(fabs(1e9 * r->a.mean - t->mean) < 1e-6 * t->mean);
        assert_true(fabs(1e9 * r->a.sd - t->sd) < 1e-3 + 1e-6 * t->sd);
        assert_int_equal(k.changes[r->tag].total[0], t->sum.total);
    }
    assert_int_equal(k.changes[row(&k, "vectorized_elementwise_kernel")->tag].calls[0], 40);
    kernels_comparison_free(&k);
    analysis_close(&a);
}

static char *document(void (*write)(FILE *, const struct kernels_comparison *),
                      const struct kernels_comparison *k)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    write(f, k);
    fclose(f);
    return text;
}

static void json(FILE *out, const struct kernels_comparison *k)
{
    kernels_compare_json(out, k, "a.json", "b \"x\".json");
}

static void documents(void **state)
{
    struct kernels_comparison k;
    (void)state;
    compare(&k, 1.3, KERNELS_BY_SHAPE);
    char *text = document(json, &k);
    cJSON *doc = cJSON_Parse(text);
    assert_non_null(doc);
    assert_string_equal(cJSON_GetObjectItem(doc, "schema")->valuestring,
                        "rooftop.compare-kernels/1");
    cJSON *first = cJSON_GetArrayItem(cJSON_GetObjectItem(doc, "kernels"), 0);
    assert_string_equal(cJSON_GetObjectItem(first, "verdict")->valuestring, "more");
    assert_non_null(strstr(cJSON_GetObjectItem(first, "name")->valuestring, "[4096 of 128]"));
    assert_true(cJSON_GetObjectItem(first, "p_adjusted")->valuedouble < 0.05);
    cJSON_Delete(doc);
    free(text);
    text = document(kernels_compare_csv, &k);
    int lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 8);
    assert_non_null(strstr(text, ",more\r\n"));
    free(text);
    kernels_comparison_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_differs_is_marked_and_nothing_else),
        cmocka_unit_test(rows_stand_by_their_effect),
        cmocka_unit_test(a_profile_and_itself_are_the_same),
        cmocka_unit_test(means_are_those_of_the_table),
        cmocka_unit_test(documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
