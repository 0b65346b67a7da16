/* Whether a check is called blind: shown calls whose answers are made up here. */
#include <stdbool.h>
#include <string.h>

#include "engine/judge/judge_impl.h"
#include "engine/judge/judge_inputs.h"
#include "support/test.h"

enum { N = 200 };

/* y += 1.5 x, as saxpy. */
static struct harness harness_with(double relative, double absolute)
{
    return (struct harness){
        .n = 2,
        .relative = relative,
        .absolute = absolute,
        .arguments = {{.name = "x", .type = JUDGE_FLOAT32, .array = true, .length = N, .high = 1},
                      {.name = "y",
                       .type = JUDGE_FLOAT32,
                       .array = true,
                       .length = N,
                       .direction = JUDGE_INOUT,
                       .high = 1}}};
}

static bool says_blind(const struct harness *h, const char *words)
{
    struct judge_blind *b = judge_blind_new(h);
    struct judge_refusal r = {.evidence = ""};
    for (size_t call = 0; call < judge_blind_calls(h); call++) {
        float x[N], y[N], after[N];
        void *before[JUDGE_ARGUMENTS + 1] = {NULL, y}, *right[JUDGE_ARGUMENTS + 1] = {NULL, after};
        judge_fill(&h->arguments[0], 0, JUDGE_AS_SAID, call, x);
        judge_fill(&h->arguments[1], 1, JUDGE_AS_SAID, call, y);
        for (int i = 0; i < N; i++)
            after[i] = y[i] + 1.5f * x[i];
        judge_blind_add(b, before, right, x, sizeof x);
    }
    const bool blind = judge_blind_refuse(b, &r) != 0;
    judge_blind_free(b);
    if (blind && !strstr(r.evidence, words))
        fail_msg("%s, not: %s", r.evidence, words);
    assert_true(!blind || r.guard == GUARD_BLIND);
    return blind;
}

TEST(tolerances_are_held_against_values)
{
    static const struct {
        double relative, absolute;
        bool blind;
        const char *words;
    } rows[] = {
        {0, 0, false, ""},
        {1e-6, 1e-6, false, ""},
        {1e-5, 0, false, ""},
        {0, 10, true, "does nothing"},
        {0, 3, true, "does nothing"},
        {0.001, 0, true, "lower precision"},
        {0, 0.01, true, "lower precision"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct harness h = harness_with(rows[i].relative, rows[i].absolute);
        if (says_blind(&h, rows[i].words) != rows[i].blind)
            fail_msg("relative %g, absolute %g", rows[i].relative, rows[i].absolute);
    }
}

/* One large value among small ones would show that its precision is low; what the small ones are is
 * seen by nobody. */
TEST(one_large_value_is_not_enough)
{
    const struct harness h = {.n = 1,
                              .absolute = 1e-4,
                              .arguments = {{.name = "out",
                                             .type = JUDGE_FLOAT32,
                                             .array = true,
                                             .length = N,
                                             .direction = JUDGE_OUT}}};
    struct judge_blind *b = judge_blind_new(&h);
    struct judge_refusal r;
    for (int call = 0; call < 2; call++) {
        float before[N], right[N];
        void *from[JUDGE_ARGUMENTS + 1] = {before}, *to[JUDGE_ARGUMENTS + 1] = {right};
        judge_poison(before, sizeof before, 0);
        for (int i = 0; i < N; i++)
            right[i] = i ? 1e-5f * (float)(i + call) / N : 1.2345678f + (float)call;
        judge_blind_add(b, from, to, NULL, 0);
    }
    assert_int_equal(judge_blind_refuse(b, &r), 1);
    assert_non_null(strstr(r.evidence, "absolute tolerance"));
    judge_blind_free(b);
}

/* Whole numbers are compared exactly, so no wrong value passes. A check is blind only if the right
 * answer is the same for all inputs: then a candidate that computes nothing passes. */
TEST(one_answer_for_all_inputs_is_no_check)
{
    const struct harness h = {
        .n = 1,
        .result = JUDGE_INT64,
        .arguments = {{.name = "x", .type = JUDGE_INT32, .array = true, .length = N},
                      {.name = "the result",
                       .type = JUDGE_INT64,
                       .array = true,
                       .length = 1,
                       .direction = JUDGE_OUT}}};
    for (int hits = 0; hits < 2; hits++) {
        struct judge_blind *b = judge_blind_new(&h);
        struct judge_refusal r;
        const size_t calls = judge_blind_calls(&h);
        assert_int_equal(calls, 16); /* of one value each */
        for (size_t call = 0; call < calls; call++) {
            int64_t before, right = hits && call == 7 ? 12 : -1;
            void *from[JUDGE_ARGUMENTS + 1] = {NULL, &before};
            void *to[JUDGE_ARGUMENTS + 1] = {NULL, &right};
            judge_poison(&before, sizeof before, 0);
            judge_blind_add(b, from, to, NULL, 0);
        }
        assert_int_equal(judge_blind_refuse(b, &r), !hits);
        if (!hits)
            assert_non_null(strstr(r.evidence, "same for all inputs"));
        judge_blind_free(b);
    }
}
