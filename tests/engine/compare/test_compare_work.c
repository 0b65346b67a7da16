/* Runs that did not do the same work: what is said of them, and what is not. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compare/compare.h"
#include "support/test.h"

/* A run of a program of `tokens` (0: it tells none) and ten bricks with `calls` each. */
static struct run *add(struct runs *all, double cpu, double tokens, size_t calls)
{
    char id[32];
    struct run *r = runs_add(all);
    r->exact = true;
    r->others = 0;
    run_add(r, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS, 2);
    run_add(r, RUN_TIME, "cpu", "CPU time", UNIT_SECONDS, cpu);
    run_add(r, RUN_USED, "minor-faults", "minor faults", UNIT_COUNT, 4000 * cpu);
    run_add(r, RUN_USED, "rss", "largest RSS", UNIT_BYTES, 1e8);
    if (tokens > 0)
        run_add(r, RUN_WORK, "tokens", "tokens", UNIT_COUNT, tokens);
    for (int i = 0; i < 10 && calls; i++) {
        snprintf(id, sizeof id, "b:Brick%d", i);
        struct run_number *x = run_add(r, RUN_BRICK, id, id + 2, UNIT_SECONDS, 1e-3);
        x->within.n = calls;
        x->within.effective = (double)calls;
        x->total = 1e-3 * (double)calls;
        x->host = true;
    }
    return r;
}

static struct comparison *compare(struct runs side[2])
{
    struct comparison *c = compare_runs(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return c;
}

/* Half of the work in half of the time is not faster. */
TEST(half_of_the_work_is_not_faster)
{
    static const double tokens[] = {200, 0}; /* 0: it is seen by the calls of bricks */
    for (size_t t = 0; t < 2; t++)
        for (size_t n = 1; n <= 3; n += 2) {
            struct runs side[2] = {{.n = 0}, {.n = 0}};
            for (size_t i = 0; i < n; i++) {
                add(&side[0], 1 + 0.01 * (double)i, tokens[t], 400);
                add(&side[1], 0.5 + 0.005 * (double)i, tokens[t] / 2, 200);
            }
            struct comparison *c = compare(side);
            char text[200];
            assert_int_equal(compare_find(c, "cpu")->verdict, COMPARE_UNLIKE);
            assert_int_equal(compare_find(c, "minor-faults")->verdict, COMPARE_UNLIKE);
            assert_int_equal(compare_find(c, "rss")->verdict, COMPARE_SAME);
            assert_true(fabs(c->work.ratio - 0.5) < 1e-9);
            assert_string_equal(c->work.by, t ? "calls" : "tokens");
            /* the same CPU time for the same work; elapsed time doubled */
            assert_int_equal(compare_find(c, "cpu_for_work")->verdict, COMPARE_SAME);
            assert_true(fabs(compare_find(c, "cpu_for_work")->change) < 1e-6);
            assert_int_equal(c->answer, ANSWER_SLOWER);
            assert_string_equal(c->by->id, "elapsed_for_work");
            assert_true(compare_work_text(c, text, sizeof text));
            assert_non_null(strstr(text, "B did 0.5 times A's work"));
            assert_non_null(compare_find(c, t ? "work" : "tokens"));
            comparison_free(c);
        }
}

TEST(what_was_ended_has_no_verdict_on_totals)
{
    for (int known = 0; known < 2; known++)
        for (int who = 1; who <= 3; who++) {
            struct runs side[2] = {{.n = 0}, {.n = 0}};
            char text[200];
            add(&side[0], 1, known ? 200 : 0, 0)->stopped = who & 1;
            add(&side[1], 0.3, known ? 200 : 0, 0)->stopped = (who & 2) != 0;
            struct comparison *c = compare(side);
            assert_int_equal(compare_find(c, "cpu")->verdict, COMPARE_UNLIKE);
            assert_int_equal(compare_find(c, "elapsed")->verdict, COMPARE_UNLIKE);
            assert_int_equal(c->answer, known ? ANSWER_FASTER : ANSWER_NONE);
            assert_false(compare_slower(c, 0));
            assert_true(compare_work_text(c, text, sizeof text));
            assert_non_null(strstr(text, who == 1   ? "ended A"
                                         : who == 2 ? "ended B"
                                                    : "ended both"));
            comparison_free(c);
        }
}

TEST(a_side_that_fails_is_not_faster)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    char text[200];
    add(&side[0], 1, 0, 0);
    add(&side[1], 0.01, 0, 0)->status = 3;
    struct comparison *c = compare(side);
    assert_int_equal(c->answer, ANSWER_NONE);
    assert_true(compare_work_text(c, text, sizeof text));
    assert_non_null(strstr(text, "not all runs ended with one status"));
    comparison_free(c);
    for (int s = 0; s < 2; s++) /* both end with 1, as grep may */
        add(&side[s], s ? 1 : 0.5, 0, 0)->status = 1;
    c = compare(side);
    assert_int_equal(c->answer, ANSWER_SLOWER);
    assert_false(compare_work_text(c, text, sizeof text));
    comparison_free(c);
}

/* How one run of spans of CPUs differs from the next is not known from it, nor from five others
 * that ran at another time. */
TEST(one_run_of_bricks_is_too_few)
{
    for (int one = 0; one < 2; one++) {
        struct runs side[2] = {{.n = 0}, {.n = 0}};
        add(&side[one], 1, 0, 400);
        for (int i = 0; i < 5; i++) {
            struct run *r = add(&side[!one], 1, 0, 400);
            for (size_t k = 0; k < r->n; k++)
                if (r->numbers[k].group == RUN_BRICK)
                    r->numbers[k].within.mean = 2e-3 + 1e-5 * i;
        }
        struct comparison *c = compare(side);
        assert_int_equal(compare_find(c, "b:Brick3")->verdict, COMPARE_TOO_FEW);
        assert_int_equal(compare_find(c, "cpu")->verdict, COMPARE_SAME); /* the kernel's sum */
        comparison_free(c);
    }
}

/* One brick that is called half as often is a row, and no change of the work; if nothing changed
 * there is no such row. */
TEST(calls_that_are_gone_are_a_row)
{
    for (int gone = 0; gone < 2; gone++)
        for (size_t n = 1; n <= 2; n++) {
            struct runs side[2] = {{.n = 0}, {.n = 0}};
            for (size_t i = 0; i < n; i++) {
                add(&side[0], 1, 0, 400);
                struct run *b = add(&side[1], 1, 0, 400);
                for (size_t k = 0; k < b->n && gone; k++)
                    if (strcmp(b->numbers[k].id, "b:Brick3") == 0)
                        b->numbers[k].within.n = 200;
            }
            struct comparison *c = compare(side);
            const struct compare_row *r = compare_find(c, "n:b:Brick3");
            assert_true((r != NULL) == gone);
            assert_null(compare_find(c, "n:b:Brick4"));
            if (r) {
                assert_int_equal(r->verdict, COMPARE_LESS);
                assert_true(fabs(r->change + 50) < 1e-9);
            }
            assert_false(compare_work_unlike(&c->work));
            comparison_free(c);
        }
}

/* What cannot be negative has no interval below -100 %. */
TEST(nothing_gets_smaller_than_nothing)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (int i = 0; i < 2; i++) {
        add(&side[0], i ? 2 : 0.1, 0, 0);
        add(&side[1], i ? 0.9 : 0.1, 0, 0);
    }
    struct comparison *c = compare(side);
    for (size_t i = 0; i < c->n; i++)
        assert_true(c->rows[i].d.low >= -c->rows[i].a.mean);
    assert_true(compare_find(c, "cpu")->d.low <= -compare_find(c, "cpu")->a.mean);
    comparison_free(c);
}

/* Half of the bricks are called half as often: nobody knows whether that is less work. */
TEST(calls_that_do_not_agree_are_no_measure)
{
    for (int halved = 4; halved <= 6; halved++)
        for (size_t n = 1; n <= 2; n++) {
            struct runs side[2] = {{.n = 0}, {.n = 0}};
            char text[200];
            for (size_t i = 0; i < n; i++) {
                add(&side[0], 1, 0, 400);
                struct run *b = add(&side[1], 0.8, 0, 400);
                for (size_t k = 0, bricks = 0; k < b->n; k++)
                    if (b->numbers[k].group == RUN_BRICK && (int)bricks++ < halved)
                        b->numbers[k].within.n = 200;
            }
            struct comparison *c = compare(side);
            const bool unlike = compare_work_text(c, text, sizeof text);
            if (halved == 5) {
                assert_null(c->work.by);
                assert_true(unlike && strstr(text, "how much each did is not known"));
                assert_int_equal(c->answer, ANSWER_NONE);
                assert_int_equal(compare_find(c, "cpu")->verdict, COMPARE_UNLIKE);
            } else {
                assert_string_equal(c->work.by, "calls");
                assert_int_equal(unlike, halved == 6);
            }
            comparison_free(c);
        }
}
