/* Two files of samples: the shares of functions are compared by the number of samples. */
#include <math.h>
#include <stdlib.h>

#include "engine/compare/compare.h"
#include "engine/compare/run_samples.h"
#include "support/test.h"
#include "support/trace_text.h"

static void read_run(struct runs *side, const char *text)
{
    struct trace t;
    trace_text_read(&t, text);
    run_of_samples(runs_add(side), t.samples);
    trace_free(&t);
}

static enum compare_verdict verdict_of(const struct comparison *c, const char *id)
{
    const struct compare_row *r = compare_find(c, id);
    assert_non_null(r);
    return r->verdict;
}

TEST(shares_are_compared_by_their_samples)
{
    struct runs a = {0}, b = {0};
    read_run(&a, "main;hot 700\nmain;warm 200\nmain;x 50\nmain;gone 50\n");
    read_run(&b, "main;hot 1000\nmain;warm 840\nmain;x 110\nx;warm 40\nmain;new 10\n");
    const struct run_number *hot = run_find(&a.list[0], "f:hot");
    assert_true(fabs(hot->within.mean - 70) < 1e-9);
    assert_true(fabs(hot->within.sd - sqrt(70.0 * 30)) < 1e-9);
    assert_true(fabs(run_find(&b.list[0], "f:warm")->within.mean - 44) < 1e-9);
    struct comparison *c = compare_runs(&a, &b);
    assert_int_equal(verdict_of(c, "f:hot"), COMPARE_LESS);  /* 70 % and 50 %: 10 deviations */
    assert_int_equal(verdict_of(c, "f:warm"), COMPARE_MORE); /* 20 % and 44 % */
    assert_int_equal(verdict_of(c, "f:x"), COMPARE_SAME);    /* 5 % and 5.5 %: 0.6 deviations */
    assert_int_equal(verdict_of(c, "f:gone"), COMPARE_ONLY_A);
    assert_int_equal(verdict_of(c, "f:new"), COMPARE_ONLY_B);
    comparison_free(c);
    runs_free(&a);
    runs_free(&b);
}

/* 3 samples, of which one stands for 8 of 10 events: they are as certain as 100/66 equal ones. */
TEST(samples_of_unequal_periods_count_as_fewer)
{
    struct runs a = {0};
    read_run(&a, "w 7/8 [001] 1.5: 8 page-faults:  11d6 many+0x1 (/tmp/w)\n"
                 "w 7/8 [001] 1.6: 1 page-faults:  11d7 few+0x1 (/tmp/w)\n"
                 "w 7/8 [001] 1.7: 1 page-faults:  11d7 few+0x1 (/tmp/w)\n");
    const struct run_number *many = run_find(&a.list[0], "f:many");
    assert_true(fabs(many->within.mean - 80) < 1e-9);
    assert_int_equal(many->within.n, 3);
    assert_true(fabs(many->within.effective - 100.0 / 66) < 1e-9);
    runs_free(&a);
}

TEST_MAIN(NULL, NULL)
