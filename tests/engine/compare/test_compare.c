#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_gather.h"
#include "engine/session/ring.h"
#include "support/test.h"

static uint64_t seed = 9;
static double jitter(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0 - 0.5;
}

/* A recording with the busy share, and one counter in each set; missing: one of them has no
 * value. */
static struct recording *run(double busy, double rate, int frames, bool missing)
{
    struct recording *r = ring_new(RING_BYTES);
    for (int t = 0; t < frames; t++) {
        struct snapshot *s = snapshot_new(NULL);
        s->time_ns = (uint64_t)t * 1000000000u;
        s->target = "x";
        s->total.busy = value_ok(busy + jitter(), UNIT_PERCENT);
        for (int k = 0; k < 2; k++) {
            struct counter *c = snapshot_add_counter(s);
            c->set = k ? "b" : "a";
            c->name = "event";
            c->rate = k && missing ? value_missing("gone", UNIT_COUNT_PER_S)
                                   : value_ok((k ? 500 : rate) + 10 * jitter(), UNIT_COUNT_PER_S);
        }
        ring_push(r, s);
        snapshot_unref(s);
    }
    return r;
}

static const struct compare_row *row(const struct comparison *k, const char *id)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->rows[i].id, id) == 0)
            return &k->rows[i];
    fail_msg("no row %s", id);
    return NULL;
}

static struct comparison *compare(struct recording *a, struct recording *b)
{
    struct error err = ERROR_INIT;
    struct recording *of[2] = {a, b};
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run_of_recording(runs_add(&side[i]), of[i], &err), 0);
        recording_free(of[i]);
    }
    struct comparison *k = compare_runs(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return k;
}

TEST(only_what_differs_is_marked)
{
    struct comparison *k = compare(run(40, 1000, 120, false), run(40, 1100, 90, false));
    assert_int_equal(row(k, "c:a/event")->verdict, COMPARE_MORE);
    assert_true(fabs(row(k, "c:a/event")->change - 10) < 0.5);
    assert_int_equal(row(k, "c:b/event")->verdict, COMPARE_SAME);
    assert_int_equal(row(k, "cpu.busy")->verdict, COMPARE_SAME);
    assert_string_equal(k->rows[0].id, "c:a/event"); /* differences come first */
    assert_int_equal(row(k, "cpu.busy")->a.n, 120);
    assert_int_equal(row(k, "cpu.busy")->b.n, 90);
    assert_int_equal(k->answer, ANSWER_NONE); /* a recording of a machine has no time of a run */
    comparison_free(k);
    k = compare(run(40, 1100, 90, false), run(30, 1000, 90, false));
    assert_int_equal(row(k, "c:a/event")->verdict, COMPARE_LESS);
    assert_int_equal(row(k, "cpu.busy")->verdict, COMPARE_LESS);
    assert_string_equal(k->rows[0].id, "cpu.busy"); /* -25 % comes before -9 % */
    comparison_free(k);
}

TEST(numbers_of_one_side_only_are_marked)
{
    struct comparison *k = compare(run(40, 1000, 60, false), run(40, 1000, 60, true));
    assert_int_equal(row(k, "c:b/event")->verdict, COMPARE_ONLY_A);
    comparison_free(k);
    k = compare(run(40, 1000, 60, true), run(40, 1000, 60, false));
    assert_int_equal(row(k, "c:b/event")->verdict, COMPARE_ONLY_B);
    comparison_free(k);
    k = compare(run(40, 1000, 3, false), run(10, 1000, 60, false));
    assert_int_equal(row(k, "cpu.busy")->verdict, COMPARE_TOO_FEW);
    comparison_free(k);
}

TEST(a_run_equals_itself)
{
    seed = 3;
    struct recording *a = run(40, 1000, 60, false);
    seed = 3;
    struct comparison *k = compare(a, run(40, 1000, 60, false));
    for (size_t i = 0; i < k->n; i++) {
        assert_int_equal(k->rows[i].verdict, COMPARE_SAME);
        assert_true(k->rows[i].change == 0);
    }
    comparison_free(k);
}

/* Kernels of templates with a long common beginning are told apart within the width of a column. */
TEST(kernels_are_told_apart_by_their_short_names)
{
    static const char *const names[] = {"void at::native::(anonymous namespace)::elementwise<128, "
                                        "at::AddFunctor<float>>(int, long)",
                                        "void at::native::(anonymous namespace)::elementwise<128, "
                                        "at::MulFunctor<float>>(int, long)"};
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    char id[128], shorter[2][64];
    for (int i = 0; i < 2; i++) {
        struct run *r = runs_add(&side[i]);
        run_add(r, RUN_TIME, "wall", "a label that is longer than the room it has", UNIT_SECONDS,
                1);
        for (int k = 0; k < 2; k++) {
            snprintf(id, sizeof id, "k:%s", names[k]);
            run_add(r, RUN_KERNEL, id, names[k], UNIT_SECONDS, 1e-3);
        }
    }
    struct comparison *c = compare_runs(&side[0], &side[1]);
    for (int k = 0; k < 2; k++) {
        snprintf(id, sizeof id, "k:%s", names[k]);
        compare_label(c, row(c, id), 26, false, shorter[k], sizeof shorter[k]);
        if (strncmp(shorter[k], "elementwise<", 12) != 0)
            fail_msg("%s is called %s", names[k], shorter[k]);
    }
    assert_string_not_equal(shorter[0], shorter[1]);
    assert_string_equal(compare_label(c, row(c, "wall"), 10, true, shorter[0], sizeof shorter[0]),
                        "a label that is longer than the room it has");
    comparison_free(c);
    runs_free(&side[0]);
    runs_free(&side[1]);
}

int main(void)
{
    int rc = tests_run(NULL, NULL);
    snapshot_pool_drain();
    return rc;
}
