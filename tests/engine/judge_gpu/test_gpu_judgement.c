/* The verdict of a trial's result: from its samples, not from its words. */
#include "engine/judge_gpu/gpu_judgement.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Thirty pairs of each series: the baseline costs 100, the candidate this. */
static struct gpu_judgement judged(double first, double second, const char *more)
{
    struct gpu_judgement g = {.confidence = 0.99, .margin = 0.01};
    char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, "{%s\"modelled\":true", more);
    for (int s = 0; s < 2; s++)
        for (int side = 0; side < 2; side++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s\"%s\":[",
                                  side ? "],"
                                  : s  ? "]},\"second\":{"
                                       : ",\"first\":{",
                                  side ? "candidate" : "baseline");
            for (int i = 0; i < 30; i++)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s%g", i ? "," : "",
                                      (side ? s ? second : first : 100) + 0.01 * (i % 5));
        }
    snprintf(text + n, sizeof text - n, "]}}");
    cJSON *j = cJSON_Parse(text);
    assert_non_null(j);
    gpu_judgement_take(&g, j);
    cJSON_Delete(j);
    return g;
}

static void test_verdicts(void **state)
{
    (void)state;
    struct gpu_judgement g = judged(90, 91, "");
    assert_int_equal(g.verdict, JUDGE_FASTER);
    assert_true(fabs(g.ratio.estimate - 0.9) < 0.002 && g.ratio.high < 0.91);
    assert_true(fabs(g.confirmed.estimate - 0.91) < 0.002);
    assert_true(g.tried && g.modelled && g.pairs == 30 && g.confirming_pairs == 30);
    assert_int_equal(judged(90, 100, "").verdict, JUDGE_NOT_DECIDED); /* not confirmed */
    assert_int_equal(judged(100, 100, "").verdict, JUDGE_EQUIVALENT);
    assert_int_equal(judged(120, 90, "").verdict, JUDGE_SLOWER);
}

static void test_refused(void **state)
{
    (void)state;
    const struct gpu_judgement g =
        judged(50, 50, "\"guard\":\"stale\",\"evidence\":\"it was there\",");
    assert_int_equal(g.verdict, JUDGE_REFUSED);
    assert_int_equal(g.refusal.guard, GUARD_STALE);
    assert_string_equal(g.refusal.evidence, "it was there");
}

/* What a damaged or hostile process may print. */
static void test_rubbish(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"first\":3}",
        "{\"first\":{\"baseline\":[1,2],\"candidate\":[]}}",
        "{\"guard\":7,\"fresh_inputs\":[1,{}],\"notes\":[null]}",
        "{\"first\":{\"baseline\":[\"x\",0,-1],\"candidate\":[null,0,5]}}"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gpu_judgement g = {.confidence = 0.99, .margin = 0.01};
        cJSON *j = cJSON_Parse(texts[i]);
        assert_non_null(j);
        gpu_judgement_take(&g, j);
        assert_int_equal(g.verdict, JUDGE_NOT_DECIDED);
        cJSON_Delete(j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rubbish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
