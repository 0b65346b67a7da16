/* What the pairs of a trial say so far goes through an event and comes back. */
#include "engine/judge_gpu/gpu_progress.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

/* As a process writes it and another one reads it. */
static bool taken(struct judge_progress *out, const struct judge_progress *p)
{
    cJSON *event = gpu_progress_event(p);
    char *text = cJSON_PrintUnformatted(event);
    cJSON *read = cJSON_Parse(text);
    const bool ok = gpu_progress_take(out, read);
    cJSON_Delete(event);
    cJSON_Delete(read);
    cJSON_free(text);
    return ok;
}

TEST(what_is_told_comes_back)
{
    for (int i = 0; i < 4; i++) {
        const struct judge_progress p = {
            .factor = {.9, .8, 1.25}, .pairs = 1234, .confirms = i & 1, .modelled = i >> 1};
        struct judge_progress got;
        assert_true(taken(&got, &p));
        assert_true(got.factor.estimate == .9 && got.factor.low == .8 && got.factor.high == 1.25);
        assert_int_equal(got.pairs, 1234);
        assert_int_equal(got.confirms, p.confirms);
        assert_int_equal(got.modelled, p.modelled);
    }
}

/* An interval of few pairs has no ends, one of none has no estimate, either. */
TEST(what_is_not_finite_is_not_known)
{
    struct judge_progress got, p = {.factor = {.9, -INFINITY, INFINITY}, .pairs = 1};
    assert_true(taken(&got, &p));
    assert_true(got.factor.estimate == .9 && isnan(got.factor.low) && isnan(got.factor.high));
    p = (struct judge_progress){.factor = {NAN, NAN, NAN}};
    assert_true(taken(&got, &p));
    assert_true(isnan(got.factor.estimate) && got.pairs == 0);
}

TEST(other_events_are_left)
{
    static const char *const cases[] = {
        "{}",
        "null",
        "7",
        "[\"pairs\"]",
        "{\"event\":7,\"pairs\":1}",
        "{\"event\":\"stage\",\"name\":\"run\",\"pairs\":1}",
        "{\"event\":\"pairs\"}",
        "{\"event\":\"pairs\",\"pairs\":-1}",
        "{\"event\":\"pairs\",\"pairs\":1e300}",
        "{\"event\":\"pairs\",\"pairs\":\"1\"}",
    };
    struct judge_progress got;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cJSON *j = cJSON_Parse(cases[i]);
        assert_non_null(j);
        if (gpu_progress_take(&got, j))
            fail_msg("taken: %s", cases[i]);
        cJSON_Delete(j);
    }
    cJSON *j = cJSON_Parse("{\"event\":\"pairs\",\"pairs\":3,\"low\":\"x\",\"confirms\":1}");
    assert_true(gpu_progress_take(&got, j));
    assert_true(got.pairs == 3 && isnan(got.factor.low) && !got.confirms && !got.modelled);
    cJSON_Delete(j);
}
