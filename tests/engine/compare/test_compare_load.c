/* Simulates many comparisons of a program next to other load: how often an unchanged program is
 * called changed, and how often a change is found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/compare/compare.h"
#include "support/normal.h"
#include "support/sanitized.h"
#include "support/test.h"

enum { TRIALS = SANITIZED ? 100 : 1000, MOST = 30 };

static uint64_t seed = 4;

/* How the runs of both sides are made: the load of other programs, the number of runs, whether
 * they take turns. */
struct how {
    double load[2], more; /* more: additional CPU time of B */
    int n;
    bool turns;
};

/* A simulated machine: runs vary by 1.5 %, and by 2.5 % of the load for some seconds at a time;
 * CPU time grows by 5 % of the load, and elapsed time also has to wait for a CPU. */
static void add(struct runs *all, const struct how *h, int side, int i, double mood)
{
    struct run *r = runs_add(all);
    double load = h->load[side];
    double cpu = (1 + side * h->more) * (1 + 0.015 * normal_next(&seed)) *
                 (1 + 0.025 * load * mood) * (1 + 0.05 * load);
    r->others = load;
    r->wall_ns = (uint64_t)(h->turns ? 2 * i + side : side * MOST + i) + 1;
    run_add(r, RUN_TIME, "cpu", "CPU time", UNIT_SECONDS, cpu);
    run_add(r, RUN_TIME, "elapsed", "elapsed", UNIT_SECONDS,
            cpu * (1 + 0.03 * normal_next(&seed)) * (1 + 0.4 * load * fabs(mood)));
}

static struct comparison *compare(const struct how *h)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (int s = 0; s < 2; s++) {
        double mood = normal_next(&seed);
        for (int i = 0; i < h->n; i++)
            add(&side[s], h, s, i, h->turns ? normal_next(&seed) : mood);
    }
    struct comparison *c = compare_runs(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return c;
}

static double share_told(const struct how *h)
{
    int told = 0;
    for (int i = 0; i < TRIALS; i++) {
        struct comparison *c = compare(h);
        told += c->answer != ANSWER_SAME;
        comparison_free(c);
    }
    return (double)told / TRIALS;
}

/* However many runs there are, in whatever order and next to whatever load: an unchanged program
 * is called changed in at most one of twenty comparisons (plus three standard errors of this
 * count). */
TEST(the_same_program_is_the_same)
{
    static const double loads[][2] = {{0, 0}, {0.5, 0.5}, {0, 0.5}, {0.8, 0.1}, {0.9, 0.9}};
    static const int runs[] = {1, 2, 3, 5, 10, MOST};
    double most = compare_alpha + 3 * sqrt(compare_alpha * (1 - compare_alpha) / TRIALS);
    for (size_t l = 0; l < sizeof loads / sizeof *loads; l++)
        for (size_t n = 0; n < sizeof runs / sizeof *runs; n++)
            for (int turns = 0; turns < 2; turns++) {
                struct how h = {{loads[l][0], loads[l][1]}, 0, runs[n], turns};
                double told = share_told(&h);
                if (told > most)
                    fail_msg("%d runs%s, others had %.1f and %.1f: %.1f %% told to differ", h.n,
                             turns ? " in turns" : "", h.load[0], h.load[1], 100 * told);
            }
}

/* The caution must not hide real changes: a tenth more work is found. */
TEST(a_tenth_more_work_is_found)
{
    static const struct how cases[] = {
        {{0, 0}, 0.1, 1, false},
        {{0, 0}, 0.1, 5, false},
        {{0.3, 0.3}, 0.1, 5, false},
        {{0.7, 0.7}, 0.1, 5, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double found = share_told(&cases[i]);
        if (found < 0.9)
            fail_msg("case %zu: found in %.0f %%", i, 100 * found);
    }
}

/* Fifteen bricks whose means have a spread of 30 % from run to run, mostly upwards, as on a busy
 * machine; their calls within a run are much more alike. */
static struct comparison *compare_bricks(size_t n)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < n; i++) {
            struct run *r = runs_add(&side[s]);
            for (int b = 0; b < 15; b++) {
                char id[16];
                snprintf(id, sizeof id, "b:%d", b);
                double mean = exp(0.3 * normal_next(&seed));
                struct run_number *x = run_add(r, RUN_BRICK, id, id, UNIT_SECONDS, mean);
                x->within.n = 200;
                x->within.effective = 200;
                x->within.sd = 0.1 * mean;
                x->total = 200 * mean;
                x->host = true;
            }
        }
    struct comparison *c = compare_runs(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return c;
}

/* Of one run a side nothing is said about spans of CPUs. With more runs, at most one of twenty
 * comparisons of the same program has a mark on any of its fifteen bricks. */
TEST(bricks_of_the_same_program_have_no_marks)
{
    static const size_t runs[] = {1, 2, 3, 5, 10};
    double most = compare_alpha + 3 * sqrt(compare_alpha * (1 - compare_alpha) / TRIALS);
    for (size_t n = 0; n < sizeof runs / sizeof *runs; n++) {
        int told = 0;
        for (int i = 0; i < TRIALS; i++) {
            struct comparison *c = compare_bricks(runs[n]);
            bool any = false;
            for (size_t k = 0; k < c->n; k++)
                any |= c->rows[k].verdict != (runs[n] == 1 ? COMPARE_TOO_FEW : COMPARE_SAME);
            told += any;
            comparison_free(c);
        }
        if (told > (runs[n] == 1 ? 0 : most * TRIALS))
            fail_msg("%zu runs: %d of %d comparisons have a mark", runs[n], told, TRIALS);
    }
}

static bool in_turns(const char *order)
{
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (size_t i = 0; order[i]; i++)
        runs_add(&side[order[i] == 'b'])->wall_ns = i + 1;
    bool is = compare_turns(&side[0], &side[1]);
    runs_free(&side[0]);
    runs_free(&side[1]);
    return is;
}

TEST(turns_are_told_by_when_the_runs_began)
{
    assert_true(in_turns("abab"));
    assert_true(in_turns("abba"));
    assert_true(in_turns("ababababab"));
    assert_true(in_turns("aabbaabbab"));
    assert_false(in_turns("aabb"));
    assert_false(in_turns("aaaaabbbbb"));
    assert_false(in_turns("aaaababbbb"));
    assert_false(in_turns("ab")); /* one run on each side */
    assert_false(in_turns("aba"));
    assert_false(in_turns("aaa"));
    assert_false(in_turns(""));
    struct how unknown = {{0.9, 0.9}, 0, 3, true};
    struct runs side[2] = {{.n = 0}, {.n = 0}};
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3; i++) {
            add(&side[s], &unknown, s, i, 0);
            side[s].list[i].wall_ns = s || i ? (uint64_t)i + 1 : 0;
        }
    assert_false(compare_turns(&side[0], &side[1])); /* the time of one run is unknown */
    side[0].list[0].wall_ns = 1;
    assert_false(compare_turns(&side[0], &side[1])); /* the same runs on both sides */
    runs_free(&side[0]);
    runs_free(&side[1]);
}

TEST(an_uneven_load_is_said)
{
    char text[200];
    struct how h = {{0.12, 0.58}, 0, 3, false};
    struct comparison *c = compare(&h);
    assert_true(compare_uneven_text(c, 78, text, sizeof text));
    assert_string_equal(text, "others had 12 % of the machine in A, 58 % in B: the intervals allow "
                              "for that");
    assert_true(compare_uneven_text(c, 200, text, sizeof text));
    assert_non_null(strstr(text, "in turns"));
    comparison_free(c);
    h.load[0] = 0.56; /* practically even */
    c = compare(&h);
    assert_false(compare_uneven_text(c, 78, text, sizeof text));
    assert_string_equal(text, "");
    comparison_free(c);
    h.load[0] = NAN; /* the load of one side is unknown */
    c = compare(&h);
    assert_false(compare_uneven_text(c, 78, text, sizeof text));
    comparison_free(c);
}
