/* The verdict of a trial's result: from its samples, not from its words. */
#include "engine/judge_gpu/gpu_judgement.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

TEST(test_verdicts)
{
    struct gpu_judgement g = judged(90, 91, "");
    assert_int_equal(g.verdict, JUDGE_FASTER);
    assert_true(fabs(g.ratio.estimate - 0.9) < 0.002 && g.ratio.high < 0.91);
    assert_true(fabs(g.confirmed.estimate - 0.91) < 0.002);
    assert_true(g.tried && g.modelled && g.pairs == 30 && g.confirming_pairs == 30);
    assert_int_equal(judged(90, 100, "").verdict, JUDGE_NOT_DECIDED); /* not confirmed */
    assert_int_equal(judged(100, 100, "").verdict, JUDGE_EQUIVALENT);
    assert_int_equal(judged(120, 90, "").verdict, JUDGE_SLOWER);
}

TEST(test_refused)
{
    const struct gpu_judgement g =
        judged(50, 50, "\"guard\":\"stale\",\"evidence\":\"it was there\",");
    assert_int_equal(g.verdict, JUDGE_REFUSED);
    assert_int_equal(g.refusal.guard, GUARD_STALE);
    assert_string_equal(g.refusal.evidence, "it was there");
}

/* A result whose series have n pairs each; costs of the candidate, of the baseline 100. */
struct made {
    double first, first_cold, second, second_cold;
    size_t cold_pairs;
    bool measured; /* by time stamps */
    double roof;   /* bytes a second */
    bool allow_floor;
};

static void add_pairs(cJSON *to, const char *name, size_t n, double candidate)
{
    cJSON *j = cJSON_AddObjectToObject(to, name);
    for (int side = 0; side < 2; side++) {
        cJSON *list = cJSON_AddArrayToObject(j, side ? "candidate" : "baseline");
        for (size_t i = 0; i < n; i++)
            cJSON_AddItemToArray(
                list, cJSON_CreateNumber((side ? candidate : 100) + 0.01 * (double)(i % 5)));
    }
}

static struct gpu_judgement judged_cold(const struct made *m)
{
    struct gpu_judgement g = {.confidence = 0.99, .margin = 0.01, .roof = m->roof};
    cJSON *j = cJSON_CreateObject(), *need = cJSON_AddObjectToObject(j, "need");
    g.allow[GUARD_FLOOR] = m->allow_floor;
    cJSON_AddBoolToObject(j, "modelled", !m->measured);
    cJSON_AddNumberToObject(j, "flushed", 1 << 20);
    cJSON_AddNumberToObject(need, "changed_lines", 1000);
    add_pairs(j, "first", 30, m->first);
    add_pairs(j, "first_cold", m->cold_pairs, m->first_cold);
    add_pairs(j, "second", 30, m->second);
    add_pairs(j, "second_cold", m->cold_pairs, m->second_cold);
    gpu_judgement_take(&g, j);
    cJSON_Delete(j);
    return g;
}

TEST(test_cold)
{
    struct made m = {90, 90, 90, 90, .cold_pairs = 12};
    struct gpu_judgement g = judged_cold(&m);
    assert_int_equal(g.verdict, JUDGE_FASTER);
    assert_true(g.pairs == 42 && g.confirming_pairs == 42 && g.cold_pairs == 24);
    assert_true(fabs(g.cold.estimate - 0.9) < 0.002);
    m.cold_pairs = 11; /* too few to say anything of cold caches */
    assert_int_equal(judged_cold(&m).verdict, JUDGE_NOT_DECIDED);
    m = (struct made){90, 120, 90, 90, .cold_pairs = 12};
    g = judged_cold(&m);
    assert_int_equal(g.verdict, JUDGE_REFUSED);
    assert_int_equal(g.refusal.guard, GUARD_COLD);
    assert_non_null(strstr(g.refusal.evidence, "1.200"));
    m = (struct made){90, 90, 90, 120, .cold_pairs = 12};
    assert_int_equal(judged_cold(&m).refusal.guard, GUARD_COLD);
    m = (struct made){90, 100, 90, 100, .cold_pairs = 12}; /* a tie there is no objection */
    assert_int_equal(judged_cold(&m).verdict, JUDGE_FASTER);
}

/* 64,000 bytes: 64 us at 1 GB/s. */
TEST(test_floor_by_roofs)
{
    struct made m = {52, 52, 52, 52, .cold_pairs = 12, .measured = true, .roof = 1e9};
    struct gpu_judgement g = judged_cold(&m);
    assert_int_equal(g.verdict, JUDGE_FASTER); /* 64 / 1.25 is 51.2 */
    assert_true(fabs(g.floor_us - 64) < 1e-9);
    m.roof = 0.75e9; /* 85 us / 1.25 = 68 */
    g = judged_cold(&m);
    assert_int_equal(g.verdict, JUDGE_REFUSED);
    assert_int_equal(g.refusal.guard, GUARD_FLOOR);
    assert_non_null(strstr(g.refusal.evidence, "62.5 KiB at 750 MB/s"));
    m.allow_floor = true;
    assert_int_equal(judged_cold(&m).verdict, JUDGE_FASTER);
    m.allow_floor = false;
    m.measured = false; /* a model's cost is no time */
    g = judged_cold(&m);
    assert_true(g.verdict == JUDGE_FASTER && isnan(g.floor_us) && strstr(g.floor_why, "modelled"));
    m.measured = true;
    m.roof = 0.4e9; /* 160 us / 1.25: the baseline is below it, too */
    assert_int_equal(judged_cold(&m).verdict, JUDGE_FASTER);
    m.roof = 0;
    g = judged_cold(&m);
    assert_true(g.verdict == JUDGE_FASTER && isnan(g.floor_us) && strstr(g.floor_why, "no roofs"));
}

/* What a damaged or hostile process may print. */
TEST(test_rubbish)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{\"first\":3}",
        "{\"first\":{\"baseline\":[1,2],\"candidate\":[]}}",
        "{\"need\":{\"tried\":1e300,\"mattered\":4e9,\"input_lines\":-3},\"flushed\":[]}",
        "{\"need\":{\"tried\":9e15,\"mattered\":9e15,\"input_lines\":9e15}}",
        "{\"guard\":7,\"fresh_inputs\":[1,{}],\"notes\":[null]}",
        "{\"first\":{\"baseline\":[\"x\",0,-1],\"candidate\":[null,0,5]}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct gpu_judgement g = {.confidence = 0.99, .margin = 0.01};
        cJSON *j = cJSON_Parse(texts[i]);
        assert_non_null(j);
        gpu_judgement_take(&g, j);
        assert_int_equal(g.verdict, JUDGE_NOT_DECIDED);
        cJSON_Delete(j);
    }
}
